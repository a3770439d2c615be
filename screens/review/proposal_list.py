"""The list of the inbox: proposals by run, what is put off, what is settled, what was left out.

Each row holds what it stands for (``Row.of``): a proposal that waits or is settled, one of its sources, a
claim that was left out, the dream that left it out, or a ``Group`` of proposals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache

from screens.drawing.safe_text import (
    HIDDEN,
    Folds,
    Row,
    RowPart,
    Shown,
    Tone,
    days_until,
    plural,
    row_text,
    words,
)
from workbench.dreaming.proposals.inbox import Overview, Settled, Waiting
from workbench.dreaming.proposals.origins import Quotation
from workbench.dreaming.result import NEAR_MISS, Dream, Skip
from workbench.memory.entry import without_emphasis
from workbench.memory.proposal import Proposal
from workbench.safety.secrets import masked

VERBS: Mapping[str, tuple[str, str, Tone]] = {
    "add": ("add", "to", "good"),
    "merge": ("merge", "into", "accent"),
    "supersede": ("replace", "in", "warn"),
    "archive": ("archive", "from", "muted"),
    "forget": ("forget", "in", "bad"),
    "store": ("store", "on", "good"),
    "update": ("change", "on", "accent"),
    "patch": ("patch", "", "accent"),
}
"""What each action does, the word between that and its place, and its tone."""
_VERB_CELLS = 7
_MARKS: Mapping[str, tuple[str, Tone]] = {
    "accepted": ("✓", "good"),
    "edited": ("✎", "good"),
    "rejected": ("✗", "bad"),
    "withdrawn": ("–", "muted"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Agenda:
    """All that the list is drawn from. ``sources`` are those of proposals that were unfolded, by row id."""

    overview: Overview = field(default_factory=Overview)
    today: date
    outcome: Dream | None = None
    sources: Mapping[str, Sequence[Quotation]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Group:
    """The proposals under a heading: those of a ``run`` (or of none), or all that is put off."""

    run: str = ""
    waits: Sequence[Waiting] = ()
    settled: Sequence[Settled] = ()


def name_of(proposal: Proposal) -> str:
    """What commands and actions call a proposal: its key, and the action that tells it from its twins."""
    return f"{proposal.key}/{proposal.action}"


def run_of(row: Row | None) -> str:
    """The run of dreaming that a row belongs to."""
    of = row.of if row else None
    if isinstance(of, Group):
        return of.run
    return of.proposal.run if isinstance(of, (Waiting, Settled)) else ""


def agenda_rows(agenda: Agenda, folds: Folds) -> list[Row]:
    """All rows, the newest run first."""
    return [
        *_runs(agenda, folds),
        *_deferred(agenda, folds),
        *_settled(agenda, folds),
        *_left_out(agenda, folds),
    ]


def _section(folds: Folds, row: Row, under: Iterable[Row], *, default: bool = False) -> Iterator[Row]:
    """A row that folds, and what is under it where it is open."""
    row = replace(row, fold=folds.is_open(row.id, default=default))
    yield row
    if row.fold:
        yield from under


def _heading(row_id: str, title: Shown, of: object, *tail: RowPart) -> Row:
    return Row(row_id, title, tone="head", tail=tail, of=of)


def _runs(agenda: Agenda, folds: Folds) -> Iterator[Row]:
    """The proposals of each run in their order, the run that proposed last before the others."""
    groups: dict[str, list[Waiting]] = {}
    for one in agenda.overview.waits:
        groups.setdefault(_maker(one.proposal), []).append(one)

    def moment(item: tuple[str, list[Waiting]]) -> float:
        return max((w.proposal.made_at.timestamp() for w in item[1] if w.proposal.made_at), default=0.0)

    for name, waits in sorted(groups.items(), key=moment, reverse=True):
        settled = [one for one in agenda.overview.settled if _maker(one.proposal) == name]
        kept = sum(one.kept for one in settled)
        tail = [RowPart(words(f"{kept} accepted"), "good")] if kept else []
        tail.append(RowPart(words(f"{len(waits)} {'waits' if len(waits) == 1 else 'wait'}")))
        first = waits[0].proposal
        row = _heading(f"run:{name}", _title(first), Group(first.run, waits, settled), *tail)
        cases = (case for one in waits for case in _case(agenda, folds, one, "case"))
        yield from _section(folds, row, cases, default=True)


def _maker(proposal: Proposal) -> str:
    """The run that proposed it, or whoever did without one."""
    return proposal.run or f"by {proposal.by}"


def _title(proposal: Proposal) -> Shown:
    """When a run was, or who else proposes."""
    if not proposal.run:
        return row_text(f"Proposed by {proposal.by}")
    if proposal.made_at is None:
        return row_text(f"Run {proposal.run}")
    return row_text(f"Run of {proposal.made_at.astimezone():%a %d %b, %H:%M}")


def _case(agenda: Agenda, folds: Folds, one: Waiting, kind: str) -> Iterator[Row]:
    """One proposal that waits, and its sources where it is unfolded."""
    proposal = one.proposal
    verb, _, tone = VERBS.get(proposal.action, (proposal.action, "", "muted"))
    row = Row(
        id=f"{kind}:{name_of(proposal)}",
        text=_words_of(proposal.text),
        tone="muted" if one.stale else "text",
        depth=1,
        lead=(RowPart(words(verb.ljust(_VERB_CELLS)), tone),),
        tail=_tail(agenda, one),
        address=name_of(proposal),
        of=one,
    )
    if proposal.sources or proposal.entries:
        yield from _section(folds, row, _sources(agenda, row.id))
    else:
        yield row


def _tail(agenda: Agenda, one: Waiting) -> tuple[RowPart, ...]:
    """How far it is trusted, where it belongs, and what counts most, which is the last to go."""
    proposal = one.proposal
    doubtful = proposal.trust == "external"
    trust = RowPart(row_text(proposal.trust), "warn" if doubtful else "muted")
    section = (
        [RowPart(row_text(without_emphasis(proposal.section)[:20]), "faint")] if proposal.section else []
    )
    parts = [*section, trust] if doubtful else [trust, *section]
    if proposal.score:
        parts.append(RowPart(words(f"{proposal.score:.2f}"), "accent"))
    if one.gone and not one.stale:
        parts.append(RowPart(words(f"{len(one.gone)} of {len(proposal.entries)} sources gone"), "warn"))
    if proposal.key in agenda.overview.flagged:
        parts.append(RowPart(words(f"{HIDDEN} flagged"), "bad"))
    if one.stale:
        parts.append(RowPart(words("malformed" if one.malformed else "stale"), "warn"))
    if one.until is not None and one.until > agenda.today:
        parts.append(RowPart(words(f"back {days_until(one.until, agenda.today)}"), "accent"))
    return tuple(parts)


def _sources(agenda: Agenda, row_id: str) -> Iterator[Row]:
    """The sources beneath a proposal, as far as they were read."""
    quotations = agenda.sources.get(row_id)
    if quotations is None:
        yield Row(f"{row_id}|reading", words("reading …"), tone="faint", depth=2, inert=True)
        return
    for number, one in enumerate(quotations):
        yield Row(
            id=f"{row_id}|{number}",
            text=_words_of(one.text) if one.text else row_text(one.gone),
            tone="muted" if one.text else "warn",
            depth=2,
            lead=(RowPart(words("←"), "accent"),),
            tail=(RowPart(row_text(place_words(one.place)), "faint"),),
            of=one,
        )


def place_words(place: str) -> str:
    """A place as people write it: ``memory/2026-03-14.md:6``."""
    return place.replace("#L", ":").replace("-L", "-")


def _deferred(agenda: Agenda, folds: Folds) -> Iterator[Row]:
    deferred = sorted(agenda.overview.deferred, key=lambda one: one.until or date.max)
    if not deferred:
        return
    until = deferred[0].until
    tail = [RowPart(words(f"next {days_until(until, agenda.today)}"), "accent")] if until else []
    row = _heading("deferred", words(f"Deferred: {len(deferred)}"), Group(waits=deferred), *tail)
    cases = (case for one in deferred for case in _case(agenda, folds, one, "later"))
    yield from _section(folds, row, cases)


def _settled(agenda: Agenda, folds: Folds) -> Iterator[Row]:
    """What became of the other proposals of the newest run."""
    newest = agenda.overview.newest_run
    settled = [one for one in agenda.overview.settled if newest and one.proposal.run == newest]
    if not settled:
        return
    waits = [one for one in agenda.overview.waits if one.proposal.run == newest]
    counts = Counter(one.decision or "known" for one in settled)
    said = RowPart(words(", ".join(f"{count} {what}" for what, count in counts.items())))
    row = _heading("settled", words("Decided in the newest run"), Group(newest, waits, settled), said)
    yield from _section(folds, row, map(_settled_row, settled))


def _settled_row(one: Settled) -> Row:
    mark, tone = _MARKS.get(one.decision or "", ("=", "muted"))
    return Row(
        id=f"settled:{name_of(one.proposal)}",
        text=_words_of(one.proposal.text),
        tone="muted",
        depth=1,
        lead=(RowPart(words(mark), tone),),
        tail=(RowPart(row_text(one.decision or "known already"), tone),),
        of=one,
    )


def _left_out(agenda: Agenda, folds: Folds) -> Iterator[Row]:
    """What the last dream of this session left out, by reason; those that a gate stopped first."""
    outcome = agenda.outcome
    if outcome is None or not outcome.reasons:
        return
    row = _heading(
        "left-out", words("Left out, and why"), outcome, RowPart(plural(outcome.left_out, "claim"))
    )
    yield from _section(folds, row, _reasons(outcome, folds))


def _reasons(outcome: Dream, folds: Folds) -> Iterator[Row]:
    reasons = sorted(outcome.reasons.items(), key=lambda one: (one[0] != NEAR_MISS, -one[1]))
    for why, count in reasons:
        there = [skip for skip in outcome.skipped if skip.reason == why]
        counted = (RowPart(plural(count, "claim")),)
        row = Row(f"reason:{why}", row_text(why), depth=1, tail=counted, of=outcome)
        skips = (_skip_row(number, skip) for number, skip in enumerate(there))
        yield from _section(folds, row, skips) if there else (row,)


def _skip_row(number: int, skip: Skip) -> Row:
    more = row_text(skip.why.removeprefix(skip.reason).removeprefix(":"))
    tail = (RowPart(more, "faint"),) if more else ()
    row_id = f"left:{number}|{skip.key}|{skip.reason}"
    return Row(row_id, _words_of(skip.text), tone="muted", depth=2, tail=tail, of=skip)


@lru_cache(maxsize=4_096)
def _words_of(text: str) -> Shown:
    """Words of a proposal on one line, without emphasis; a secret in them is masked."""
    return row_text(without_emphasis(masked(" ".join(text[:2_000].split()))))
