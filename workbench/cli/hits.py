"""Answers of a search as a person reads them: what is to be said first, then the hits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from workbench.cli.output import (
    answered,
    narrate,
    say,
    say_row,
)
from workbench.plural import plural

if TYPE_CHECKING:
    from indexing.search.answer import Hit, SearchAnswer
    from workbench.agent.federated_search import FarAnswer


def print_answer(answer: SearchAnswer, hits: Iterable[tuple[str, Hit]], explain: bool) -> None:
    """An answer with these hits; before each stands whose it is, nothing for one's own."""
    _say_first(answer.degraded, answer.stale, answer.notes)
    found = list(hits)
    if not found:
        narrate("nothing was found")
    for mark, hit in found:
        _say_hit(hit, hit.rank, f"{mark}:{hit.entry}" if mark else hit.entry, hit.score, explain)


def print_far(answer: FarAnswer, explain: bool) -> None:
    """An answer of several workspaces; each hit names its own."""
    if answered(answer.as_json()):
        return
    _say_first(answer.degraded, answer.stale, answer.notes)
    if not answer.hits:
        narrate(f"nothing was found in {plural(len(answer.asked), 'workspace')}")
    width = max((len(one.workspace.name) for one in answer.hits), default=0)
    for rank, one in enumerate(answer.hits, 1):
        where = f"{one.workspace.name.ljust(width)}  {one.hit.entry}"
        _say_hit(one.hit, rank, where, one.strength, explain)


def _say_first(degraded: str | None, stale: str | None, notes: Iterable[str]) -> None:
    if degraded:
        narrate(f"degraded: {degraded}")
    if stale:
        narrate(f"stale: {stale}")
    for note in notes:
        narrate(note)


def _say_hit(hit: Hit, rank: int, where: str, score: float, explain: bool) -> None:
    when = f"  {hit.date}" if hit.date else ""
    say_row(f"{rank:>2}. {where}  L{hit.start_line}{when}  {score:.3f}", fg="cyan")
    if hit.heading:
        say_row("    " + " › ".join(hit.heading), dim=True)
    for line in hit.snippet.splitlines():
        say("    " + line)
    for part in (hit.explanation or "").splitlines() if explain else ():
        say("      " + part, dim=True)
