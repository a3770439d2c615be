"""Proposals as text, fit for 80 columns: the claim, what its score is made of, how far each gate is."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.cli.output import narrate_notes, say
from workbench.plural import plural
from workbench.safety.secrets import masked
from workbench.safety.terminal import cut, visible

if TYPE_CHECKING:
    from workbench.dreaming.proposals.inbox import Waiting
    from workbench.dreaming.proposals.overview import Settled
    from workbench.dreaming.proposals.runs import DreamRun
    from workbench.dreaming.proposals.source_quotes import Quotation
    from workbench.dreaming.result import Dream, Explanation
    from workbench.memory.proposal import Gate, Proposal

_WIDEST = 100
_KEY_DIGITS = 8
_MARGIN = " " * (_KEY_DIGITS + 2)
_BAR = 30
"""Characters of a whole bar, which stands for a score of 1."""
_FILLS = "█▓▒░▞▚▪▫"
"""One a part, in the order of their size."""
_SOURCES = 3
_REASONS = 8
_VERBS = {
    "add": "add to",
    "merge": "merge into",
    "supersede": "replace in",
    "archive": "archive from",
    "forget": "forget in",
    "store": "store on",
    "update": "change on",
}


def width() -> int:
    """Columns to write in: the terminal's, at most a comfortable line."""
    return max(40, min(_WIDEST, shutil.get_terminal_size((80, 24)).columns))


def say_proposal(proposal: Proposal, *, note: str = "") -> None:
    """One proposal: what it does, the words, the bar of its score, its gates and sources."""
    columns = width()
    head = f"{proposal.key[:_KEY_DIGITS]}  {_what(proposal)}"
    score = f"score {proposal.score:.2f}" if proposal.score else ""
    say(f"{cut(head, columns - len(score) - 2):<{columns - len(score)}}{score}".rstrip(), bold=True)
    _say_wrapped(proposal.text, columns)
    if proposal.target and proposal.action in ("merge", "supersede"):
        say(f"{_MARGIN}{cut(f'the entry there: {_line(proposal.target)}', columns - len(_MARGIN))}", dim=True)
    if proposal.parts:
        needed = next((gate.needed for gate in proposal.gates if gate.name == "score"), None)
        say(f"{_MARGIN}{stacked(proposal.parts, needed)}  {_line(_biggest(proposal.parts))}")
    if proposal.gates:
        _say_wrapped(gates_line(proposal.gates), columns, dim=True)
    _say_wrapped(_from(proposal), columns, dim=True)
    if note:
        _say_wrapped(note, columns, fg="yellow")
    say("")


def say_in_full(one: Waiting, sources: Sequence[Quotation] = ()) -> None:
    """A proposal with each part of its score, each gate, all sources with their words, and why."""
    proposal = one.proposal
    say(f"{proposal.key}  {_what(proposal)}", bold=True)
    _say_wrapped(proposal.text, width(), margin="  ")
    say_score(proposal.score, proposal.parts, proposal.gates)
    for name, value in (
        ("target", proposal.target),
        ("why", proposal.why),
        ("trust", proposal.trust),
        ("by", proposal.by),
        ("run", proposal.run),
        ("session", proposal.session),
        ("proposed", f"{proposal.made_at.astimezone():%Y-%m-%d %H:%M}" if proposal.made_at else ""),
        ("marks", ", ".join(f"{key} {value}" for key, value in proposal.marks.items())),
        ("deferred", f"until {one.until}" if one.until else ""),
        ("stale", one.stale),
    ):
        if value:
            _say_field(name, value)
    for source in sources:
        _say_field("source", f"{source.place}: {source.text or source.gone}")


def say_settled(settled: Iterable[Settled]) -> None:
    """One line a proposal that does not wait any more: what was decided of it, and its words."""
    columns = width()
    for one in settled:
        head = f"{one.proposal.key[:_KEY_DIGITS]}  {_what(one.proposal)}: {_line(one.said)}"
        say(cut(head, columns), bold=True)
        _say_wrapped(one.proposal.text, columns)


def _say_field(name: str, value: str) -> None:
    lines = textwrap.wrap(_line(value), width() - 12, break_on_hyphens=False, break_long_words=False)
    for number, line in enumerate(lines):
        say(f"  {'' if number else name:<9} {line}")


def say_score(score: float, parts: Mapping[str, float], gates: Sequence[Gate]) -> None:
    """A bar a part, filled as far as it reaches its weight; their sum, and how far each gate is."""
    from workbench.dreaming.gates import lowered
    from workbench.dreaming.score_breakdown import shares

    if parts:
        longest = max(len(name) for name in (*parts, "score"))
        for share in shares(parts):
            most = f" of {share.weight:.2f}" if share.weight else ""
            say(f"  {_line(share.name):<{longest}}  {share.value:5.2f}{most:<8}  {bar(share.filled)}")
        say(f"  {'score':<{longest}}  {score:5.2f}{'':<8}  {bar(score)}", bold=True)
    for gate in gates:
        over = _number(gate.reached - gate.needed)
        verdict = f"{_number(gate.distance)} missing" if gate.distance else f"passed by {over}"
        say(f"  gate {_line(gate.name)}: {_number(gate.reached)}, {_number(gate.needed)} needed, {verdict}")
    if why := lowered(gates):
        _say_wrapped(why, width(), margin="  ", dim=True)


def say_explanation(found: Explanation) -> None:
    """Why a claim is proposed, or is not."""
    say(f"{found.key}  {'proposed' if found.proposed else 'not proposed'}", bold=True)
    _say_wrapped(found.text, width(), margin="  ")
    _say_wrapped(found.verdict, width(), margin="  ")
    say_score(found.score, found.parts, found.gates)
    numbers = [f"{name} {value}" for name, value in found.facts.items() if isinstance(value, int)]
    if numbers:
        _say_wrapped(" · ".join(numbers), width(), margin="  ", dim=True)
    for name, value in found.facts.items():
        if not isinstance(value, int):
            _say_field(name, str(value))
    for source in found.sources:
        _say_field("source", source)


def say_dream(dream: Dream) -> None:
    """What a run saw, in a few lines, without its proposals."""
    say(f"run {dream.run}, phase {dream.phase}", bold=True)
    passed = f", {dream.gated:,} passed every gate" if dream.phase == "deep" else ""  # only deep has gates
    say(f"{plural(dream.considered, 'claim')} considered{passed}")
    for seen in dream.seen:
        days = f"{len(seen.days)} day{'' if len(seen.days) == 1 else 's'}"
        strength = f"{bar(seen.strength, 10)} {seen.strength:.2f}"
        say(f"{seen.key[:_KEY_DIGITS]}  {strength}  {days}, {_line(seen.section)}")
        _say_wrapped(seen.text, width())
    if dream.reasons:
        say("left out", dim=True)
        for why, count in list(dream.reasons.items())[:_REASONS]:
            say(f"{count:>8,}  {_line(why)}", dim=True)
        if (more := len(dream.reasons) - _REASONS) > 0:
            say(f"{'':>8}  and {more} more reasons", dim=True)
    narrate_notes(dream.notes)


def say_waiting(waits: Iterable[Waiting], now: datetime) -> None:
    """A list of proposals; what is stale, deferred or flagged says so."""
    from workbench.dreaming.proposals.safety_flags import flags_of, is_from_outside

    for one in waits:
        note = (
            "from outside: accepted only by itself, never with others"
            if is_from_outside(one.proposal)
            else ""
        )
        note = f"stale: {one.stale}" if one.stale else note
        if one.hidden(now):
            note = f"deferred until {one.until}"
        if found := flags_of(one.proposal):
            note = f"flagged, and taken only with --allow-flagged: {'; '.join(found)}"
        if one.gone and not one.stale:
            note = f"{len(one.gone)} of its {len(one.proposal.entries)} sources are gone"
        say_proposal(one.proposal, note=note)


def say_runs(runs: Iterable[DreamRun]) -> None:
    """One line a run: when, how much it proposed, what came of it."""
    for run in runs:
        when = run.made_at or (run.operations[0].when if run.operations else None)
        kept = (
            f"{len(run.standing)} of {len(run.operations)} operations stand"
            if run.operations
            else "nothing accepted"
        )
        day = f"{when.astimezone():%Y-%m-%d %H:%M}" if when else "-"
        say(f"{_line(run.id)}  {day}  {run.proposed} proposed, {kept}")
        for operation in run.operations:
            undone = " (undone)" if operation.undone else ""
            say(f"    {operation.id}  {_line(operation.summary)}{undone}", dim=True)


def stacked(parts: Mapping[str, float], needed: float | None = None) -> str:
    """A bar in which each part has its own fill, with a mark where the gate is."""
    cells = ["·"] * _BAR
    at = 0.0
    for fill, value in zip(_FILLS, sorted(parts.values(), reverse=True), strict=False):
        for cell in range(round(at * _BAR), min(_BAR, round((at + value) * _BAR))):
            cells[cell] = fill
        at += value
    if needed is not None and 0 < needed < 1 and cells[gate := round(needed * _BAR)] == "·":
        cells[gate] = "│"
    return "".join(cells)


def bar(value: float, size: int = _BAR) -> str:
    """A plain bar; 1 fills it."""
    filled = max(0, min(size, round(value * size)))
    return "█" * filled + "·" * (size - filled)


def gates_line(gates: Sequence[Gate]) -> str:
    """What was reached of what is needed: `gates score 0.78 ≥ 0.75 · context 2 of 3 (1 missing)`."""
    said = []
    for gate in gates:
        needed = _number(gate.needed)
        way = f"of {needed} ({_number(gate.distance)} missing)" if gate.distance else f"≥ {needed}"
        said.append(f"{gate.name} {_number(gate.reached)} {way}")
    return "gates " + " · ".join(said)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _biggest(parts: Mapping[str, float]) -> str:
    best = sorted(parts.items(), key=lambda part: -part[1])[:2]
    return ", ".join(f"{name} {value:.2f}" for name, value in best)


def _what(proposal: Proposal) -> str:
    where = proposal.section or proposal.target.rpartition("#")[0] or "memory"
    return _line(f"{_VERBS.get(proposal.action, proposal.action)} {where}")


def _from(proposal: Proposal) -> str:
    shown = ", ".join(proposal.sources[:_SOURCES])
    more = len(proposal.sources) - _SOURCES
    said = [shown + (f" and {more} more" if more > 0 else "")] if shown else []
    said += [f"trust {proposal.trust}"]
    said += [f"by {proposal.by}"] if proposal.by != "dreaming" else []
    said += [proposal.why] if proposal.why else []
    return " · ".join(said)


def _line(text: str) -> str:
    return visible(" ".join(masked(text).split()), one_line=True)


def _say_wrapped(text: str, columns: int, *, margin: str = _MARGIN, **style: object) -> None:
    lines = textwrap.wrap(
        _line(text), columns, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False
    )
    for line in lines:
        say(line, **style)
