"""Proposals as text, fit for 80 columns: the claim, what its score is made of, how far each gate is."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.cli.console import say
from workbench.plural import first_few
from workbench.safety.secrets import masked_line
from workbench.safety.terminal import cut

if TYPE_CHECKING:
    from workbench.dreaming.proposals.inbox import PendingProposal, SettledProposal
    from workbench.dreaming.proposals.origins import Quotation
    from workbench.memory.proposal import Gate, Proposal

_WIDEST = 100
_KEY_DIGITS = 8
_MARGIN = " " * (_KEY_DIGITS + 2)
_BAR = 30
"""Characters of a whole bar, which stands for a score of 1."""
_SOURCES = 3
_VERBS = {
    "add": "add to",
    "merge": "merge into",
    "supersede": "replace in",
    "archive": "archive from",
    "forget": "forget in",
    "store": "store on",
    "update": "change on",
    "patch": "patch",
}


def say_proposal(proposal: Proposal, *, note: str = "") -> None:
    """Print one proposal: what it does, the words, the bar of its score, its gates and sources."""
    columns = _width()
    score = f"score {proposal.score:.2f}" if proposal.score else ""
    head = cut(f"{short_key(proposal)}  {_what(proposal)}", columns - len(score) - 2)
    say(f"{head:<{columns - len(score)}}{score}".rstrip(), bold=True)
    say_wrapped(proposal.text)
    if proposal.target and proposal.action in ("merge", "supersede"):
        say(
            f"{_MARGIN}{cut(f'the entry there: {masked_line(proposal.target)}', columns - len(_MARGIN))}",
            dim=True,
        )
    if proposal.parts:
        # What says nothing of a claim, a factor of 1, is left out.
        factors = [f"{name} {_number(value)}" for name, value in proposal.parts.items() if value != 1]
        say(cut(f"{_MARGIN}{bar(proposal.score)}  {masked_line(' · '.join(factors))}", columns))
    if proposal.gates:
        say_wrapped("gates " + " · ".join(map(_gate, proposal.gates)), dim=True)
    say_wrapped(_from(proposal), dim=True)
    if note:
        say_wrapped(note, fg="yellow")
    say("")


def flag_note(proposal: Proposal) -> str:
    """Why it is taken only knowingly; empty where nothing about it is flagged."""
    from workbench.dreaming.proposals.safety_flags import flags_of

    found = flags_of(proposal)
    return f"flagged, and taken only with --allow-flagged: {'; '.join(found)}" if found else ""


def say_in_full(one: PendingProposal, sources: Sequence[Quotation] = ()) -> None:
    """Print a proposal with each part of its score, each gate, all sources with their words, and why."""
    proposal = one.proposal
    say(f"{proposal.key}  {_what(proposal)}", bold=True)
    say_wrapped(proposal.text, margin="  ")
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
        *(("source", f"{source.place}: {source.text or source.gone}") for source in sources),
    ):
        say_field(name, value)


def say_settled(settled: Iterable[SettledProposal]) -> None:
    """Print a line for each proposal that does not wait any more: what was decided of it, and its words."""
    for one in settled:
        head = f"{short_key(one.proposal)}  {_what(one.proposal)}: {masked_line(one.said)}"
        say(cut(head, _width()), bold=True)
        say_wrapped(one.proposal.text)


def say_waiting(waits: Iterable[PendingProposal], now: datetime) -> None:
    """Print a list of proposals; what is stale, deferred or flagged says so."""
    from workbench.dreaming.proposals.safety_flags import is_from_outside

    for one in waits:
        note = f"stale: {one.stale}" if one.stale else ""
        note = one.stale if one.malformed else note
        if is_from_outside(one.proposal) and not note:
            note = "from outside: never accepted together with others"
        if one.hidden(now):
            note = f"deferred until {one.until}"
        note = flag_note(one.proposal) or note
        if one.gone and not one.stale:
            note = f"{len(one.gone)} of its {len(one.proposal.entries)} sources are gone"
        say_proposal(one.proposal, note=note)


def say_field(name: str, value: str) -> None:
    """Print a value with its name before it, if there is one."""
    lines = textwrap.wrap(masked_line(value), _width() - 12, break_on_hyphens=False, break_long_words=False)
    for number, each in enumerate(lines):
        say(f"  {'' if number else name:<9} {each}")


def say_score(score: float, parts: Mapping[str, float], gates: Sequence[Gate]) -> None:
    """Print a bar a factor, filled as far as it can be; their product, and how far each gate is."""
    from workbench.dreaming.score import MOST, filled

    if parts:
        longest = max(len(name) for name in (*parts, "score"))
        for name, value in parts.items():
            most = f" of {MOST[name]:.2f}" if name in MOST else ""
            say(f"  {masked_line(name):<{longest}}  {value:5.2f}{most:<8}  {bar(filled(name, value))}")
        say(f"  {'score':<{longest}}  {score:5.2f}{'':<8}  {bar(score)}", bold=True)
    for gate in gates:
        say(f"  gate {masked_line(_gate(gate))}")


def say_wrapped(text: str, *, margin: str = _MARGIN, **style: object) -> None:
    """Print text of memory in lines that fit, without its secrets."""
    for each in textwrap.wrap(
        masked_line(text), _width(), initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False
    ):
        say(each, **style)


def bar(value: float, size: int = _BAR) -> str:
    """A plain bar; 1 fills it."""
    filled = max(0, min(size, round(value * size)))
    return "█" * filled + "·" * (size - filled)


def short_key(proposal: Proposal) -> str:
    """As much of its key as a person types."""
    return proposal.key[:_KEY_DIGITS]


def _width() -> int:
    """Columns to write in: the terminal's, at most a comfortable line."""
    return max(40, min(_WIDEST, shutil.get_terminal_size((80, 24)).columns))


def _gate(gate: Gate) -> str:
    """What was reached of what is needed: ``context 2 (min 3), 1 missing``."""
    missing = f", {_number(gate.distance)} missing" if gate.distance else ""
    return f"{gate.name} {_number(gate.reached)} (min {_number(gate.needed)}){missing}"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _what(proposal: Proposal) -> str:
    where = proposal.section or proposal.target.rpartition("#")[0] or "memory"
    return masked_line(f"{_VERBS.get(proposal.action, proposal.action)} {where}")


def _from(proposal: Proposal) -> str:
    said = [
        ", ".join(first_few(proposal.sources, _SOURCES)),
        f"trust {proposal.trust}",
        f"by {proposal.by}" if proposal.by != "dreaming" else "",
        proposal.why,
    ]
    return " · ".join(filter(None, said))
