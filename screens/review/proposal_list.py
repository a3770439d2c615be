"""The rows of the inbox and their details: proposals by run, deferred, decided, and claims left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import date, datetime
from functools import lru_cache

from screens.actions.keys import key_for
from screens.dialogs.dialog import in_keys
from screens.drawing.safe_text import (
    GAP,
    HIDDEN,
    Folds,
    Lines,
    Row,
    RowPart,
    Shown,
    Spans,
    Tone,
    days_until,
    grouped,
    line_rows,
    line_text,
    piece,
    plural,
    row_text,
    safe_piece,
    sentence,
    words,
)
from screens.history.diff import MAX_LINES, changed_rows, diff_rows
from screens.review.dream_job import new_words
from screens.widgets.entry_list import clipped
from workbench.dreaming.proposals.decide import DecisionPreview
from workbench.dreaming.proposals.inbox import Overview, PendingProposal, SettledProposal
from workbench.dreaming.proposals.origins import Quotation, QuotedLine
from workbench.dreaming.result import NEAR_MISS, Dream, Explanation, SkippedClaim
from workbench.dreaming.score import MOST, filled
from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.entry import without_emphasis
from workbench.memory.file_edit import FileEdit
from workbench.memory.proposal import QUEUE, Action, Gate, Proposal
from workbench.safety.secrets import masked
from workbench.workspace.layout import LEDGER
from workbench.workspace.plan import Operation, Plan

VERBS: Mapping[Action, tuple[str, str, Tone]] = {
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
_VERB_CELLS, _SECTION_CELLS = 7, 12
_MARKS: Mapping[str, tuple[str, Tone]] = {
    "accepted": ("✓", "good"),
    "edited": ("✎", "good"),
    "rejected": ("✗", "bad"),
    "withdrawn": ("–", "muted"),
}


@frozen_kw_only
class InboxView:
    """All that the list is drawn from. ``sources`` are those of proposals that were unfolded, by row id."""

    overview: Overview = field(default_factory=Overview)
    today: date
    outcome: Dream | None = None
    sources: Mapping[str, Sequence[Quotation]] = field(default_factory=dict)


@frozen
class Group:
    """The proposals under a heading: those of a ``run`` (or of none), or all that is put off."""

    run: str = ""
    waits: Sequence[PendingProposal] = ()
    settled: Sequence[SettledProposal] = ()


def name_of(proposal: Proposal) -> str:
    """What commands and actions call a proposal: its key, and the action that tells it from its twins."""
    return f"{proposal.key}/{proposal.action}"


def run_of(row: Row | None) -> str:
    """The run of dreaming that a row belongs to."""
    of = row.of if row else None
    if isinstance(of, Group):
        return of.run
    return of.proposal.run if isinstance(of, (PendingProposal, SettledProposal)) else ""


def agenda_rows(agenda: InboxView, folds: Folds) -> list[Row]:
    """All rows, the newest run first.

    ``Row.of`` is what a row stands for: a pending or settled proposal, one of its sources, a claim that was
    left out, the dream that left it out, or a ``Group`` of proposals.
    """
    return [
        *_runs(agenda, folds),
        *_deferred(agenda, folds),
        *_settled(agenda, folds),
        *_left_out(agenda, folds),
    ]


def _heading(row_id: str, title: Shown, of: object, *tail: RowPart) -> Row:
    return Row(row_id, title, tone="head", tail=tail, of=of)


def _runs(agenda: InboxView, folds: Folds) -> Iterator[Row]:
    """The proposals of each run in their order, the run that proposed last before the others."""
    groups: dict[str, list[PendingProposal]] = {}
    for one in agenda.overview.waits:
        groups.setdefault(_maker(one.proposal), []).append(one)

    def moment(item: tuple[str, list[PendingProposal]]) -> float:
        return max((w.proposal.made_at.timestamp() for w in item[1] if w.proposal.made_at), default=0.0)

    for name, waits in sorted(groups.items(), key=moment, reverse=True):
        settled = [one for one in agenda.overview.settled if _maker(one.proposal) == name]
        kept = sum(one.kept for one in settled)
        tail = [piece(f"{kept} accepted", "good")] if kept else []
        tail.append(piece(f"{len(waits)} {'waits' if len(waits) == 1 else 'wait'}"))
        first = waits[0].proposal
        row = _heading(f"run:{name}", _title(first), Group(first.run, waits, settled), *tail)
        cases = (case for one in waits for case in _case(agenda, folds, one, "case"))
        yield from folds.section(row, cases, default=True)


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


def _case(agenda: InboxView, folds: Folds, one: PendingProposal, kind: str) -> Iterator[Row]:
    """One proposal that waits, and its sources where it is unfolded."""
    proposal = one.proposal
    verb, _, tone = VERBS[proposal.action]
    row = Row(
        id=f"{kind}:{name_of(proposal)}",
        text=_words_of(proposal.text),
        tone="muted" if one.stale else "text",
        depth=1,
        lead=(piece(verb.ljust(_VERB_CELLS), tone),),
        tail=tuple(_tail(agenda, one)),
        address=name_of(proposal),
        of=one,
    )
    if proposal.sources or proposal.entries:
        yield from folds.section(row, _source_rows(agenda, row.id))
    else:
        yield row


def _tail(agenda: InboxView, one: PendingProposal) -> Iterator[RowPart]:
    """How far it is trusted, where it belongs, and what counts most, which is the last to go."""
    proposal = one.proposal
    doubtful = proposal.trust == "external"
    trust = safe_piece(proposal.trust, "warn" if doubtful else "muted")
    # Of one width, so that the places stand below each other beside the longest of words.
    section = piece(clipped(row_text(without_emphasis(proposal.section)), _SECTION_CELLS), "faint")
    yield from (section, trust) if doubtful else (trust, section)
    if proposal.score:
        yield piece(f"{proposal.score:.2f}", "accent")
    if one.gone and not one.stale:
        yield piece(f"{len(one.gone)} of {len(proposal.entries)} sources gone", "warn")
    if proposal.key in agenda.overview.flagged:
        yield piece(f"{HIDDEN} flagged", "bad")
    if one.stale:
        yield piece("malformed" if one.malformed else "stale", "warn")
    if one.until and one.until > agenda.today:
        yield piece(f"back {days_until(one.until, agenda.today)}", "accent")


def _source_rows(agenda: InboxView, row_id: str) -> Iterator[Row]:
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
            lead=(piece("←", "accent"),),
            tail=(safe_piece(place_words(one.place), "faint"),),
            of=one,
        )


def place_words(place: str) -> str:
    """A place as people write it: ``memory/2026-03-14.md:6``."""
    return place.replace("#L", ":").replace("-L", "-")


def _deferred(agenda: InboxView, folds: Folds) -> Iterator[Row]:
    deferred = sorted(agenda.overview.deferred, key=lambda one: one.until or date.max)
    if not deferred:
        return
    until = deferred[0].until
    tail = [piece(f"next {days_until(until, agenda.today)}", "accent")] if until else []
    row = _heading("deferred", words(f"Deferred: {len(deferred)}"), Group(waits=deferred), *tail)
    cases = (case for one in deferred for case in _case(agenda, folds, one, "later"))
    yield from folds.section(row, cases)


def _settled(agenda: InboxView, folds: Folds) -> Iterator[Row]:
    """What became of the other proposals of the newest run."""
    newest = agenda.overview.newest_run
    settled = [one for one in agenda.overview.settled if newest and one.proposal.run == newest]
    if not settled:
        return
    waits = [one for one in agenda.overview.waits if one.proposal.run == newest]
    counts = Counter(one.decision or "known" for one in settled)
    said = piece(", ".join(f"{count} {what}" for what, count in counts.items()))
    row = _heading("settled", words("Decided in the newest run"), Group(newest, waits, settled), said)
    yield from folds.section(row, map(_settled_row, settled))


def _settled_row(one: SettledProposal) -> Row:
    mark, tone = _MARKS.get(one.decision or "", ("=", "muted"))
    return Row(
        id=f"settled:{name_of(one.proposal)}",
        text=_words_of(one.proposal.text),
        tone="muted",
        depth=1,
        lead=(piece(mark, tone),),
        tail=(safe_piece(one.decision or "known already", tone),),
        of=one,
    )


def _left_out(agenda: InboxView, folds: Folds) -> Iterator[Row]:
    """What the last dream of this session left out, by reason; those that a gate stopped first."""
    outcome = agenda.outcome
    if outcome is None or not outcome.reasons:
        return
    row = _heading(
        "left-out", words("Left out, and why"), outcome, RowPart(plural(outcome.left_out, "claim"))
    )
    yield from folds.section(row, _reasons(outcome, folds))


def _reasons(outcome: Dream, folds: Folds) -> Iterator[Row]:
    reasons = sorted(outcome.reasons.items(), key=lambda one: (one[0] != NEAR_MISS, -one[1]))
    for why, count in reasons:
        there = [skip for skip in outcome.skipped if skip.reason == why]
        counted = (RowPart(plural(count, "claim")),)
        row = Row(f"reason:{why}", row_text(why), depth=1, tail=counted, of=outcome)
        skips = (_skip_row(number, skip) for number, skip in enumerate(there))
        yield from folds.section(row, skips) if there else (row,)


def _skip_row(number: int, skip: SkippedClaim) -> Row:
    more = row_text(skip.why.removeprefix(skip.reason).removeprefix(":"))
    tail = (RowPart(more, "faint"),) if more else ()
    row_id = f"left:{number}|{skip.key}|{skip.reason}"
    return Row(row_id, _words_of(skip.text), tone="muted", depth=2, tail=tail, of=skip)


@lru_cache(maxsize=4_096)
def _words_of(text: str) -> Shown:
    """Words of a proposal on one line, its own lines set apart; without emphasis, and secrets masked."""
    lines = (" ".join(line.split()) for line in text[:2_000].splitlines())
    return row_text(masked(without_emphasis(" · ".join(filter(None, lines)))))


_WIDEST = 1_200
_NAME, _BAR, _GATE = 13, 14, 12
"""Cells of a name, of the bar of a factor, and of that of a gate."""
_FULL, _REST, _NEEDED = "█", "░", "│"
_ROOM = 1.25
"""How much further than what is needed a gate's bar reaches at least, so that its mark is seen."""


def case_rows(one: PendingProposal, seen: DecisionPreview, now: datetime) -> list[Row]:
    """A proposal that waits, thought through."""
    queue = one.proposal.marks.get(QUEUE, "")
    return [
        *_head(one.proposal),
        *_noted("warning", _warnings(one, seen, now)),
        *_old_and_new(seen),
        *_change(seen, queue),
        *_scores(one.proposal),
        *_sources(seen.sources),
        *_facts(one.proposal, one.proposed),
        *_whole_diff(seen, queue),
    ]


def settled_rows(one: SettledProposal) -> list[Row]:
    """A proposal that does not wait any more: what was decided, and what it was scored by."""
    return [
        *_head(one.proposal),
        Row("said", row_text(one.said), tone="warn"),
        _gap("said"),
        *_scores(one.proposal),
        *_facts(one.proposal, 1),
    ]


def explanation_rows(found: Explanation) -> list[Row]:
    """Why a claim is, or is not, proposed as of now."""
    verdict = "Proposed, if dreaming ran now" if found.proposed else "Not proposed, if dreaming ran now"
    because = Row("because", row_text(found.verdict), tone="good" if found.proposed else "warn")
    return [
        *_section("why", words(verdict), [*_lines("text", found.text, "text"), because]),
        *_scores(found),
        *line_rows(_claim_facts(found)),
    ]


def _claim_facts(found: Explanation) -> Lines:
    """The facts, of which one says in words what was counted, then the sources."""
    for name, value in found.facts.items():
        if not isinstance(value, int):
            yield f"{name}: {value}", "faint"
    for source in found.sources:
        yield f"← {place_words(source)}", "muted"


def skip_rows(skip: SkippedClaim) -> list[Row]:
    """A claim that was left out, before anybody asked for more."""
    said = [*_lines("text", skip.text, "text"), Row("because", row_text(skip.why), tone="warn")]
    more = f"{key_for('why')} computes its score and conditions"
    return [*_section("left", words("Left out of the last dream"), said), *line_rows([(more, "faint")])]


def outcome_rows(outcome: Dream) -> list[Row]:
    """What the last dream of this session found, for the heading of what it left out."""
    found = (
        f"{grouped(outcome.considered)} claims considered, {grouped(outcome.gated)} of them qualify, "
        f"{new_words(outcome)}, {len(outcome.waiting)} waited already"
    )
    return [
        *line_rows([(f"Run {outcome.run}", "head"), (found, "muted"), GAP]),
        *_noted("note", ((note, "warn") for note in outcome.notes)),
        *(
            Row(f"reason:{n}", row_text(why), tail=(RowPart(grouped(count), "accent"),))
            for n, (why, count) in enumerate(outcome.reasons.items())
        ),
    ]


def group_rows(title: Shown, group: Group) -> list[Row]:
    """A run: what of it waits, what became of the rest, and the way back."""
    rows = line_rows([(title, "head"), (group.run, "faint"), GAP])
    if group.waits:
        counts = Counter(VERBS[one.proposal.action][0] for one in group.waits)
        said = ", ".join(f"{count} to {verb}" for verb, count in counts.items())
        rows.append(Row("waits", row_text(f"waiting: {said}")))
    kept = any(one.kept for one in group.settled)
    if group.settled:
        rows += [_gap("waits"), *_section("settled", words("Decided"), map(_settled_row, group.settled))]
    taken = f"{key_for('roll_back')} undoes everything that was accepted from it"
    return [*rows, Row("way", words(taken if kept else "nothing from it was accepted yet"), tone="faint")]


def place_rows(one: Quotation, lines: Sequence[QuotedLine]) -> list[Row]:
    """A source in its place in the file."""
    goes: tuple[str, Tone] = (f"{key_for('see_source')} goes there", "faint")
    rows = line_rows([(f"← {place_words(one.place)}", "accent"), (one.gone, "warn") if one.gone else goes])
    for line in () if one.gone else lines:
        sign = "▌" if line.own else " "
        text = line_text(f"{line.number:>5} {sign} {line.text[:_WIDEST]}")
        rows.append(Row(f"line:{line.number}", text, tone="text" if line.own else "faint"))
    return rows


def undo_rows(plan: Plan, staying: Sequence[tuple[Operation, str]], shared: Sequence[str]) -> list[Row]:
    """What taking a run back would change, and what would stay."""
    stays = (f"stays: {operation.summary}: {why}" for operation, why in staying)
    return [*_noted("note", ((note, "warn") for note in (*shared, *stays))), *diff_rows(plan.edits)]


def _noted(name: str, lines: Iterable[tuple[str, Tone]]) -> list[Row]:
    """What should be known first, and a gap where there is something."""
    rows = line_rows(lines, name)
    return [*rows, _gap(name)] if rows else rows


def _section(name: str, title: Shown, rows: Iterable[Row], *tail: RowPart) -> Iterator[Row]:
    """A title, the rows under it, and a gap."""
    yield Row(name, title, tone="head", tail=tail)
    yield from rows
    yield _gap(name)


def _head(proposal: Proposal) -> Iterator[Row]:
    """What it would do where, and its words in full."""
    where = without_emphasis(proposal.section) or proposal.target.rpartition("#")[0] or "memory"
    verb, link, _ = VERBS[proposal.action]
    title = row_text(" ".join(filter(None, (verb, link, where))))
    yield from _section("head", Shown(sentence(title)), _lines("text", proposal.text, "text"))


def _warnings(one: PendingProposal, seen: DecisionPreview, now: datetime) -> Lines:
    """What stands in the way, and what should be known first."""
    for flag in seen.flags:
        yield f"{HIDDEN} {flag}", "bad"
    if seen.flags:
        yield f"{key_for('accept')} shows it again and asks for confirmation", "faint"
    if one.stale:
        yield one.stale if one.malformed else f"stale: {one.stale}", "warn"
        ways = f"{key_for('reject')} rejects it, {key_for('withdraw')} withdraws it"
        if QUEUE not in one.proposal.marks:
            yield f"{ways}; the next dream proposes it again if it still applies", "faint"
        elif not one.malformed:
            yield f"{ways}, and removed from the queue of {one.proposal.by}", "faint"
    elif seen.problem:
        yield f"cannot be accepted now: {seen.problem}", "warn"
    if one.until and one.hidden(now):
        yield f"deferred, back {days_until(one.until, now.date())}", "accent"
    if one.gone and not one.stale:
        yield f"{len(one.gone)} of its {len(one.proposal.entries)} sources no longer exist", "warn"
    own = f"{one.proposal.key} “"  # a note about this very proposal need not name it
    for note in seen.plan.notes if seen.plan else ():
        yield in_keys(note.partition("”: ")[2] if note.startswith(own) else note), "warn"


def _old_and_new(seen: DecisionPreview) -> Iterator[Row]:
    """What stands there now over what would stand in its place."""
    if seen.becomes:
        yield Row("stands", words("Current text"), tone="head")
        yield from _lines("before", seen.stands, "bad", sign="- ")
        yield from _section("becomes", words("New text"), _lines("after", seen.becomes, "good", sign="+ "))


def _change(seen: DecisionPreview, queue: str) -> Iterator[Row]:
    """What comes and goes in memory; what is written beside it, and the ``queue`` it waits in, is named."""
    if seen.plan:
        budget = (safe_piece(f"then {seen.budget}"),) if seen.budget else ()
        yield from _section("change", words("The change"), _edits(seen.plan, queue), *budget)


def _edits(plan: Plan, queue: str) -> Iterator[Row]:
    memory, beside = _sorted(plan, queue)
    for number, edit in enumerate(memory):
        yield Row(f"change:{number}", row_text(edit.path), tone="muted")
        for row in changed_rows([edit]):
            yield replace(row, id=f"change:{number}:{row.id}", depth=1)
    for edit in beside:
        what = "and the queue, in" if edit.path == queue else "and a line in"
        what = "and the decision, in" if edit.path.startswith(LEDGER) else what
        yield Row(f"beside:{edit.path}", row_text(f"{what} {edit.path}"), tone="faint")


def _sources(sources: Sequence[Quotation]) -> Iterator[Row]:
    """Each source with its words: where it stands, who said it, and what it says."""
    if sources:
        keys = f"{key_for('see_source')} goes there · {key_for('unfold')} unfolds them"
        rows = (row for number, one in enumerate(sources) for row in _quotation(one, f"source:{number}"))
        yield from _section("sources", words("Sources"), rows, piece(keys, "faint"))


def _quotation(one: Quotation, row_id: str) -> Iterator[Row]:
    heading, trust = without_emphasis(masked(one.heading)), one.trust and f"trust {one.trust}"
    said = " · ".join(filter(None, (place_words(one.place), heading, trust)))
    yield Row(row_id, row_text(f"← {said}"), tone="accent")
    if one.gone:
        yield Row(f"{row_id}:gone", row_text(one.gone), tone="warn", depth=1)
    else:
        yield from _lines(row_id, one.text, "text", depth=1)


def _scores(of: Proposal | Explanation) -> Iterator[Row]:
    """A bar for each factor and their product; for each gate how much was reached of what is needed."""
    if of.parts:
        total = piece(f"{of.score:.2f}", "accent")
        yield from _section("score", words("Score"), _factors(of.parts), total)
    if of.gates:
        missed = sum(gate.distance > 0 for gate in of.gates)
        verdict = f"{missed} of {len(of.gates)} not met" if missed else "all met"
        told = piece(verdict, "warn" if missed else "good")
        yield from _section("gates", words("Conditions"), map(_gate, of.gates), told)


def _factors(parts: Mapping[str, float]) -> Iterator[Row]:
    for name, value in parts.items():
        most = f" of {MOST[name]:.2f}" if name in MOST else ""
        bar = _FULL * round(filled(name, value) * _BAR)
        emphasis: Spans = ((0, len(bar), "accent"),)
        yield _bar(f"part:{name}", name, f"{bar.ljust(_BAR, _REST)}  {value:.2f}{most}", emphasis)


def _gate(gate: Gate) -> Row:
    """``✓ 0.78, needs 0.75``, behind a bar with a mark where it must reach to."""
    most = max(gate.reached, gate.needed * _ROOM, 1e-9)
    cells = list((_FULL * round(gate.reached / most * _GATE)).ljust(_GATE, _REST))
    cells[min(_GATE - 1, round(gate.needed / most * _GATE))] = _NEEDED
    said = f"{'✗' if gate.distance else '✓'} {_number(gate.reached)}, needs {_number(gate.needed)}"
    tone: Tone = "warn" if gate.distance else "good"
    return _bar(f"gate:{gate.name}", gate.name, f"{''.join(cells)}  {said}", ((0, _GATE, tone),))


def _bar(row_id: str, name: str, text: str, emphasis: Spans) -> Row:
    """The name, the bar in its tone, and the numbers in words."""
    lead = piece(row_text(name[:_NAME]).ljust(_NAME))
    return Row(row_id, Shown(text), tone="muted", lead=(lead,), emphasis=emphasis)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _whole_diff(seen: DecisionPreview, queue: str) -> Iterator[Row]:
    """All of it, with the lines around."""
    if seen.plan is None:
        return
    memory, beside = _sorted(seen.plan, queue)
    yield _gap("facts")
    yield Row("diff", words("The whole diff"), tone="head")
    yield from diff_rows([*memory, *(edit for edit in beside if not edit.path.startswith(LEDGER))])


def _sorted(plan: Plan, queue: str) -> tuple[list[FileEdit], list[FileEdit]]:
    """The edits of memory, and those of pages about it and of the queue."""
    beside = [edit for edit in plan.edits if edit.path.startswith("_system/") or edit.path == queue]
    return [edit for edit in plan.edits if edit not in beside], beside


def _facts(proposal: Proposal, proposed: int) -> list[Row]:
    """Who proposes it, when and why."""
    made = f"{proposal.made_at.astimezone():%Y-%m-%d %H:%M}" if proposal.made_at else ""
    often = f", {plural(proposed, 'time')}" if proposed > 1 else ""
    facts = {
        "why": proposal.why,
        "trust": proposal.trust,
        "type": proposal.type,
        "marks": ", ".join(f"{key} {value}" for key, value in proposal.marks.items()),
        "target": proposal.target,
        "session": proposal.session,
        "by": f"{proposal.by}{often}",
        "run": proposal.run,
        "proposed": made,
        "key": proposal.key,
    }
    return line_rows((f"{name:<9} {value}" if value else "", "faint") for name, value in facts.items())


def _lines(row_id: str, text: str, tone: Tone, *, depth: int = 0, sign: str = "") -> Iterator[Row]:
    """Text line by line, its secrets masked."""
    for number, line in enumerate(masked(text).split("\n")[:MAX_LINES]):
        yield Row(f"{row_id}:{number}", line_text(sign + line[:_WIDEST]), tone=tone, depth=depth)


def _gap(after: str) -> Row:
    return Row(f"{after}:end", words(""), inert=True)
