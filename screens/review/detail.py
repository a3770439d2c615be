"""What is behind a row of the dream review: the change, the score, the gates and the sources, as rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from screens.actions.active import key_for
from screens.dialogs.advice import in_keys
from screens.drawing.rows import HIDDEN, Row, RowPart, Tone
from screens.drawing.safe_text import Shown, grouped, line_text, plural, row_text, words
from screens.history.diff import MAX_LINES, changed_rows, diff_rows, tone_of
from screens.review.bars import gate_rows, score_rows
from screens.review.progress import new_words
from screens.review.proposal_list import place_words
from workbench.dreaming.outcome import DreamOutcome
from workbench.dreaming.proposals.inbox import Waiting
from workbench.dreaming.proposals.overview import Settled
from workbench.dreaming.proposals.preview import Foretold
from workbench.dreaming.proposals.source_quotes import Quotation, QuotedLine
from workbench.dreaming.result import Explanation, Skip
from workbench.memory.file_edit import FileEdit
from workbench.memory.proposal import QUEUE, Proposal
from workbench.safety.secrets import masked
from workbench.workspace.layout import LEDGER
from workbench.workspace.plan import Operation, Plan

_DOES = {
    "add": "add to", "merge": "merge into", "supersede": "replace in", "archive": "archive from",
    "forget": "forget in", "store": "store on", "update": "change on", "patch": "patch",
}  # fmt: skip
_WIDEST = 1_200
_END = "end"


def case_rows(one: Waiting, seen: Foretold, deferred: Shown) -> list[Row]:
    """A proposal that waits, thought through. ``deferred`` says when it comes back, if it is put off."""
    queue = one.proposal.marks.get(QUEUE, "")
    return [
        *_head(one.proposal),
        *_warnings(one, seen, deferred),
        *_old_and_new(seen),
        *_change(seen, queue),
        *score_rows(one.proposal.score, one.proposal.parts),
        *gate_rows(one.proposal.gates),
        *source_rows(seen.sources),
        *_facts(one.proposal, one.proposed),
        *_whole_diff(seen, queue),
    ]


def settled_rows(one: Settled) -> list[Row]:
    """A proposal that does not wait any more: what was decided, and what it was scored by."""
    return [
        *_head(one.proposal),
        Row("said", row_text(one.said), tone="warn"),
        _gap("said"),
        *score_rows(one.proposal.score, one.proposal.parts),
        *gate_rows(one.proposal.gates),
        *_facts(one.proposal, 1),
    ]


def explanation_rows(found: Explanation) -> list[Row]:
    """Why a claim is, or is not, proposed as of now."""
    numbers = [f"{name.replace('_', ' ')} {value}" for name, value in found.facts.items() if _counts(value)]
    told = [(name, str(value)) for name, value in found.facts.items() if not _counts(value)]
    verdict = "Proposed, if dreaming ran now" if found.proposed else "Not proposed, if dreaming ran now"
    return [
        Row("verdict", words(verdict), tone="head"),
        *_lines("why", found.text, "text"),
        Row("because", row_text(found.verdict), tone="good" if found.proposed else "warn"),
        _gap("because"),
        *score_rows(found.score, found.parts),
        *gate_rows(found.gates),
        *([Row("numbers", row_text(" · ".join(numbers)), tone="muted")] if numbers else []),
        *(Row(f"fact:{n}", row_text(f"{name}: {said}"), tone="faint") for n, (name, said) in enumerate(told)),
        *(
            Row(f"from:{n}", row_text(f"← {place_words(source)}"), tone="muted")
            for n, source in enumerate(found.sources)
        ),
    ]


def skip_rows(skip: Skip) -> list[Row]:
    """A claim that was left out, before anybody asked for more."""
    return [
        Row("left", words("Left out of the last dream"), tone="head"),
        *_lines("left", skip.text, "text"),
        Row("left:why", row_text(skip.why), tone="warn"),
        _gap("left"),
        Row(
            "left:how", words(f"{key_for('why')} works out its score, and how far each gate is"), tone="faint"
        ),
    ]


def outcome_rows(outcome: DreamOutcome) -> list[Row]:
    """What the last dream of this session found, for the heading of what it left out."""
    rows = [
        Row("run", row_text(f"Run {outcome.run}"), tone="head"),
        Row("run:read", row_text(_read(outcome)), tone="muted"),
        _gap("run"),
    ]
    rows += [Row(f"note:{n}", row_text(note), tone="warn") for n, note in enumerate(outcome.notes)]
    if outcome.notes:
        rows.append(_gap("notes"))
    return rows + [
        Row(f"reason:{n}", row_text(why), tail=(RowPart(grouped(count), "accent"),))
        for n, (why, count) in enumerate(outcome.reasons.items())
    ]


def _read(outcome: DreamOutcome) -> str:
    return (
        f"{grouped(outcome.considered)} claims considered, {grouped(outcome.gated)} could be proposed, "
        f"{new_words(outcome)}, {len(outcome.waiting)} waited already"
    )


def run_rows(title: Shown, name: str, waits: Sequence[Waiting], settled: Sequence[Settled]) -> list[Row]:
    """A run: what of it waits, what became of the rest, and the way back."""
    rows = [Row("run", title, tone="head"), Row("run:name", row_text(name), tone="faint"), _gap("run")]
    if waits:
        counts = Counter(_DOES.get(one.proposal.action, one.proposal.action) for one in waits)
        said = ", ".join(f"{count} to {what.partition(' ')[0]}" for what, count in counts.items())
        rows.append(Row("waits", row_text(f"waiting: {said}")))
    kept = [one for one in settled if one.kept]
    if settled:
        rows += [_gap("settled"), Row("settled", words("Decided"), tone="head")]
        rows += [
            Row(
                f"settled:{n}",
                row_text(masked(one.proposal.text)),
                tail=(RowPart(row_text(one.decision or "known"), "good" if one.kept else "muted"),),
            )
            for n, one in enumerate(settled)
        ]
    way = (
        f"{key_for('roll_back')} takes back all that was accepted of it"
        if kept
        else "nothing of it was accepted yet"
    )
    return [*rows, _gap("way"), Row("way", words(way), tone="faint")]


def source_rows(sources: Sequence[Quotation]) -> Iterator[Row]:
    """Each source with its words."""
    if not sources:
        return
    yield Row(
        "sources",
        words("Sources"),
        tone="head",
        tail=(
            RowPart(words(f"{key_for('see_source')} goes there · {key_for('unfold')} unfolds them"), "faint"),
        ),
    )
    for number, one in enumerate(sources):
        yield from quotation_rows(one, f"source:{number}")
    yield _gap("sources")


def quotation_rows(one: Quotation, row_id: str) -> Iterator[Row]:
    """One source: where it stands, who said it, and what it says."""
    trust = f" · trust {one.trust}" if one.trust else ""
    yield Row(row_id, row_text(f"← {place_words(one.place)}{trust}"), tone="accent")
    if one.gone:
        yield Row(f"{row_id}:gone", row_text(one.gone), tone="warn", depth=1)
    else:
        yield from _lines(row_id, one.text, "text", depth=1)


def place_rows(one: Quotation, lines: Sequence[QuotedLine]) -> list[Row]:
    """A source in its place in the file."""
    rows = [Row("place", row_text(f"← {place_words(one.place)}"), tone="accent")]
    if one.gone:
        return [*rows, Row("gone", row_text(one.gone), tone="warn")]
    rows.append(Row("go", words(f"{key_for('see_source')} goes there"), tone="faint"))
    for line in lines:
        sign = "▌" if line.own else " "
        text = line_text(f"{line.number:>5} {sign} {line.text[:_WIDEST]}")
        rows.append(Row(f"line:{line.number}", text, tone="text" if line.own else "faint"))
    return rows


def undo_rows(diff: str, staying: Sequence[tuple[Operation, str]], shared: Sequence[str]) -> list[Row]:
    """What taking a run back would change, and what would stay."""
    rows = [Row(f"shared:{n}", row_text(note), tone="warn") for n, note in enumerate(shared)]
    for operation, why in staying:
        rows.append(Row(f"stays:{operation.id}", row_text(f"stays: {operation.summary}: {why}"), tone="warn"))
    if rows:
        rows.append(_gap("notes"))
    lines = [line for line in diff.split("\n") if line]
    rows += [
        Row(f"line:{n}", line_text(line[:_WIDEST]), tone=tone_of(line))
        for n, line in enumerate(lines[:MAX_LINES])
    ]
    if len(lines) > MAX_LINES:
        rows.append(Row("line:more", words("… the rest is not shown"), tone="warn"))
    return rows


def _head(proposal: Proposal) -> Iterator[Row]:
    """What it would do where, and its words in full."""
    where = proposal.section or proposal.target.rpartition("#")[0] or "memory"
    title = row_text(f"{_DOES.get(proposal.action, proposal.action)} {where}")
    yield Row("head", Shown(title[:1].upper() + title[1:]), tone="head")
    yield from _lines("text", proposal.text, "text")
    yield _gap("text")


def _warnings(one: Waiting, seen: Foretold, deferred: Shown) -> Iterator[Row]:
    """What stands in the way, and what should be known first."""
    told: list[tuple[str, Tone]] = [(f"{HIDDEN} {flag}", "bad") for flag in seen.flags]
    if seen.flags:
        told.append((f"{key_for('accept')} shows it again, and takes it only on a yes of its own", "faint"))
    if one.stale:
        told.append((one.stale if one.malformed else f"stale: {one.stale}", "warn"))
        ways = f"{key_for('reject')} rejects it, {key_for('withdraw')} takes it off the table"
        if QUEUE not in one.proposal.marks:
            told.append((f"{ways}; the next dream proposes what holds", "faint"))
        elif not one.malformed:
            told.append((f"{ways}, and out of the queue of {one.proposal.by}", "faint"))
    elif seen.problem:
        told.append((f"cannot be accepted now: {seen.problem}", "warn"))
    if deferred:
        told.append((f"deferred, {deferred}", "accent"))
    if one.gone and not one.stale:
        gone = f"{len(one.gone)} of its {len(one.proposal.entries)} sources are not there any more"
        told.append((gone, "warn"))
    own = f"{one.proposal.key} “"  # a note about this very proposal need not name it
    for note in seen.plan.notes if seen.plan else ():
        told.append((in_keys(note.partition("”: ")[2] if note.startswith(own) else note), "warn"))
    for number, (text, tone) in enumerate(told):
        yield Row(f"warning:{number}", row_text(text), tone=tone)
    if told:
        yield _gap("warnings")


def _old_and_new(seen: Foretold) -> Iterator[Row]:
    """What stands there now over what would stand in its place."""
    if not seen.becomes:
        return
    yield Row("stands", words("Stands there now"), tone="head")
    yield from _lines("stands", seen.stands, "bad", sign="- ")
    yield Row("becomes", words("Would stand there"), tone="head")
    yield from _lines("becomes", seen.becomes, "good", sign="+ ")
    yield _gap("becomes")


def _change(seen: Foretold, queue: str) -> Iterator[Row]:
    """What comes and goes in memory; what is written beside it, and the ``queue`` it waits in, is named."""
    if seen.plan is None:
        return
    budget = (RowPart(row_text(f"then {seen.budget}"), "muted"),) if seen.budget else ()
    yield Row("change", words("The change"), tone="head", tail=budget)
    memory, beside = _sorted(seen.plan, queue)
    for number, edit in enumerate(memory):
        yield Row(f"change:{number}", row_text(edit.path), tone="muted")
        for row in changed_rows([edit]):
            yield replace(row, id=f"change:{number}:{row.id}", depth=1)
    for edit in beside:
        what = "and the queue, in" if edit.path == queue else "and a word on the page"
        what = "and the decision, in" if edit.path.startswith(LEDGER) else what
        yield Row(f"beside:{edit.path}", row_text(f"{what} {edit.path}"), tone="faint")
    yield _gap("change")


def _whole_diff(seen: Foretold, queue: str) -> Iterator[Row]:
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


def _facts(proposal: Proposal, proposed: int) -> Iterator[Row]:
    """Who proposes it, when and why."""
    made = f"{proposal.made_at.astimezone():%Y-%m-%d %H:%M}" if proposal.made_at else ""
    often = f", {plural(proposed, 'time')}" if proposed > 1 else ""
    for name, value in (
        ("why", proposal.why),
        ("trust", proposal.trust),
        ("type", proposal.type),
        ("marks", ", ".join(f"{key} {value}" for key, value in proposal.marks.items())),
        ("target", proposal.target),
        ("session", proposal.session),
        ("by", f"{proposal.by}{often}"),
        ("run", proposal.run),
        ("proposed", made),
        ("key", proposal.key),
    ):
        if value:
            yield Row(f"fact:{name}", row_text(f"{name:<9} {value}"), tone="faint")


def _lines(row_id: str, text: str, tone: Tone, *, depth: int = 0, sign: str = "") -> Iterator[Row]:
    """Text line by line, its secrets masked."""
    for number, line in enumerate(masked(text).split("\n")[:MAX_LINES]):
        yield Row(f"{row_id}:{number}", line_text(sign + line[:_WIDEST]), tone=tone, depth=depth)


def _gap(after: str) -> Row:
    return Row(f"{after}:{_END}", words(""), inert=True)


def _counts(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
