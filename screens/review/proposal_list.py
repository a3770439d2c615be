"""The list of the dream review: proposals by run, what is put off, what is settled, what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from screens.drawing.rows import HIDDEN, Folds, Row, RowPart, Tone
from screens.drawing.safe_text import Shown, days_until, plural, row_text, words
from workbench.dreaming.outcome import DreamOutcome
from workbench.dreaming.proposals.inbox import Waiting
from workbench.dreaming.proposals.overview import Overview, Settled
from workbench.dreaming.proposals.source_quotes import Quotation
from workbench.dreaming.result import NEAR_MISS, Skip
from workbench.memory.proposal import Proposal
from workbench.safety.secrets import masked

RUN, CASE, LATER, SETTLED, SOURCE, LEFT, REASON = (
    "run:", "case:", "later:", "settled:", "source:", "left:", "reason:",
)  # fmt: skip
"""How the ids of rows begin, by what they stand for."""
DEFERRED, OUT = "deferred", "left-out"
_VERBS: Mapping[str, tuple[str, Tone]] = {
    "add": ("add", "good"),
    "merge": ("merge", "accent"),
    "supersede": ("replace", "warn"),
    "archive": ("archive", "muted"),
    "forget": ("forget", "bad"),
    "store": ("store", "good"),
    "update": ("change", "accent"),
    "patch": ("patch", "accent"),
}
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
    outcome: DreamOutcome | None = None
    sources: Mapping[str, Sequence[Quotation]] = field(default_factory=dict)


def name_of(proposal: Proposal) -> str:
    """What commands and actions call a proposal: its key, and the action that tells it from its twins."""
    return f"{proposal.key}/{proposal.action}"


def group_of(proposal: Proposal) -> str:
    """The run that proposed it, or whoever did without one."""
    return proposal.run or f"by {proposal.by}"


def agenda_rows(agenda: Agenda, folds: Folds) -> list[Row]:
    """All rows, the newest run first."""
    rows: list[Row] = []
    for name, cases in _groups(agenda.overview):
        rows += _group_rows(agenda, folds, name, cases)
    rows += _deferred_rows(agenda, folds)
    rows += _settled_rows(agenda, folds)
    rows += _left_out_rows(agenda, folds)
    return rows


def _groups(overview: Overview) -> list[tuple[str, list[Waiting]]]:
    """The proposals of each run in their order, the run that proposed last before the others."""
    groups: dict[str, list[Waiting]] = {}
    for one in overview.waits:
        groups.setdefault(group_of(one.proposal), []).append(one)

    def moment(item: tuple[str, list[Waiting]]) -> float:
        return max((w.proposal.made_at.timestamp() for w in item[1] if w.proposal.made_at), default=0.0)

    return sorted(groups.items(), key=moment, reverse=True)


def _group_rows(agenda: Agenda, folds: Folds, name: str, cases: Sequence[Waiting]) -> Iterator[Row]:
    kept = sum(one.kept for one in agenda.overview.settled if group_of(one.proposal) == name)
    tail = [RowPart(words(f"{kept} accepted"), "good")] if kept else []
    tail.append(RowPart(words(f"{len(cases)} {'waits' if len(cases) == 1 else 'wait'}")))
    is_open = folds.is_open(RUN + name, default=True)
    yield Row(RUN + name, run_title(cases[0].proposal), tone="head", fold=is_open, tail=tuple(tail))
    if is_open:
        for one in cases:
            yield from _case_rows(agenda, folds, one, CASE)


def run_title(proposal: Proposal) -> Shown:
    """When a run was, or who else proposes."""
    if not proposal.run:
        return row_text(f"Proposed by {proposal.by}")
    if proposal.made_at is None:
        return row_text(f"Run {proposal.run}")
    return row_text(f"Run of {proposal.made_at.astimezone():%a %d %b, %H:%M}")


def _case_rows(agenda: Agenda, folds: Folds, one: Waiting, kind: str) -> Iterator[Row]:
    """One proposal that waits, and its sources where it is unfolded."""
    proposal = one.proposal
    row_id = kind + name_of(proposal)
    has_sources = bool(proposal.sources or proposal.entries)
    is_open = folds.is_open(row_id) if has_sources else None
    verb, tone = _VERBS.get(proposal.action, (proposal.action, "muted"))
    yield Row(
        id=row_id,
        text=_words_of(proposal.text),
        tone="muted" if one.stale else "text",
        depth=1,
        fold=is_open,
        lead=(RowPart(words(verb.ljust(_VERB_CELLS)), tone),),
        tail=_tail(agenda, one),
        address=name_of(proposal),
    )
    if is_open:
        yield from _source_rows(agenda, row_id)


def _tail(agenda: Agenda, one: Waiting) -> tuple[RowPart, ...]:
    """How far it is trusted, where it belongs, and what counts most, which is the last to go."""
    proposal = one.proposal
    doubtful = proposal.trust == "external"
    trust = RowPart(row_text(proposal.trust), "warn" if doubtful else "muted")
    parts = [] if doubtful else [trust]
    if proposal.section:
        parts.append(RowPart(row_text(proposal.section[:20]), "faint"))
    parts += [trust] if doubtful else []
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


def _source_rows(agenda: Agenda, row_id: str) -> Iterator[Row]:
    """The sources beneath a proposal, as far as they were read."""
    quotations = agenda.sources.get(row_id)
    if quotations is None:
        yield Row(f"{row_id}|reading", words("reading …"), tone="faint", depth=2, inert=True)
        return
    for number, one in enumerate(quotations):
        yield Row(
            id=f"{SOURCE}{number}|{row_id}",
            text=_words_of(one.text) if one.text else row_text(one.gone),
            tone="muted" if one.text else "warn",
            depth=2,
            lead=(RowPart(words("←"), "accent"),),
            tail=(RowPart(row_text(place_words(one.place)), "faint"),),
        )


def place_words(place: str) -> str:
    """A place as people write it: ``memory/2026-03-14.md:6``."""
    return place.replace("#L", ":").replace("-L", "-")


def _deferred_rows(agenda: Agenda, folds: Folds) -> Iterator[Row]:
    deferred = sorted(agenda.overview.deferred, key=lambda one: one.until or date.max)
    if not deferred:
        return
    is_open = folds.is_open(DEFERRED)
    returns = agenda.overview.returns
    tail = (RowPart(words(f"next {days_until(returns, agenda.today)}"), "accent"),) if returns else ()
    title = words(f"Deferred: {len(deferred)}")
    yield Row(DEFERRED, title, tone="head", fold=is_open, tail=tail)
    if is_open:
        for one in deferred:
            yield from _case_rows(agenda, folds, one, LATER)


def _settled_rows(agenda: Agenda, folds: Folds) -> Iterator[Row]:
    """What became of the other proposals of the newest run."""
    newest = agenda.overview.newest_run
    settled = [one for one in agenda.overview.settled if newest and one.proposal.run == newest]
    if not settled:
        return
    row_id = SETTLED + newest
    is_open = folds.is_open(row_id)
    counts: dict[str, int] = {}
    for one in settled:
        counts[one.decision or "known"] = counts.get(one.decision or "known", 0) + 1
    said = ", ".join(f"{count} {what}" for what, count in counts.items())
    yield Row(
        row_id, words("Decided of the newest run"), tone="head", fold=is_open, tail=(RowPart(words(said)),)
    )
    if is_open:
        yield from (_settled_row(one) for one in settled)


def _settled_row(one: Settled) -> Row:
    mark, tone = _MARKS.get(one.decision or "", ("=", "muted"))
    return Row(
        id=f"{SETTLED}{name_of(one.proposal)}",
        text=_words_of(one.proposal.text),
        tone="muted",
        depth=1,
        lead=(RowPart(words(mark), tone),),
        tail=(RowPart(row_text(one.decision or "known already"), tone),),
    )


def _left_out_rows(agenda: Agenda, folds: Folds) -> Iterator[Row]:
    """What the last dream of this session left out, by reason; those that a gate stopped first."""
    outcome = agenda.outcome
    if outcome is None or not outcome.reasons:
        return
    is_open = folds.is_open(OUT)
    tail = (RowPart(plural(outcome.left_out, "claim")),)
    yield Row(OUT, words("Left out, and why"), tone="head", fold=is_open, tail=tail)
    if not is_open:
        return
    named: dict[str, list[Skip]] = {}
    for skip in outcome.skipped:
        named.setdefault(skip.why.partition(":")[0], []).append(skip)
    reasons = sorted(outcome.reasons.items(), key=lambda one: (not one[0].startswith(NEAR_MISS), -one[1]))
    for why, count in reasons:
        there = named.get(why, [])
        row_id = REASON + why
        reason_open = folds.is_open(row_id) if there else None
        count_part = RowPart(plural(count, "claim"))
        yield Row(row_id, row_text(why), depth=1, fold=reason_open, tail=(count_part,))
        if reason_open:
            for number, skip in enumerate(there):
                more = row_text(skip.why.partition(":")[2])
                said = (RowPart(more, "faint"),) if more else ()
                row = f"{LEFT}{number}|{skip.key}|{why}"
                yield Row(row, _words_of(skip.text), tone="muted", depth=2, tail=said)


def skip_of(agenda: Agenda, row: Row) -> Skip | None:
    """The claim left out that a row stands for."""
    if agenda.outcome is None or not row.id.startswith(LEFT):
        return None
    number, _, rest = row.id.removeprefix(LEFT).partition("|")
    why = rest.partition("|")[2]
    there = [skip for skip in agenda.outcome.skipped if skip.why.partition(":")[0] == why]
    return there[int(number)] if int(number) < len(there) else None


@lru_cache(maxsize=4_096)
def _words_of(text: str) -> Shown:
    """Words of a proposal on one line; a secret in them is masked."""
    return row_text(masked(" ".join(text[:2_000].split())))
