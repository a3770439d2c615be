"""The answers that a search streams, keyword hits first and hybrid ones after, as values that fit a pipe.

The module imports no engine, so that code which only shows hits needs none.
"""

from __future__ import annotations

from typing import Literal

from indexing.ranking.score_part import ScorePart
from workbench.frozen import frozen
from workbench.memory.entry import hash_of

Reach = Literal["own", "team", "everywhere"]
"""How far a search reaches; see ``workbench.agent.search_service``."""


@frozen
class FoundHit:
    """A hit as it is shown; the parts of its score where they were asked for.

    ``neighbour``: only entries around it have the words. ``workspace`` is the name of the one that it is in,
    where others were asked too, and ``root`` its folder; ``score`` is then the one beside hits of others.
    """

    entry: str
    path: str
    start_line: int
    kind: str
    date: str | None
    snippet: str
    score: float
    parts: tuple[ScorePart, ...] = ()
    neighbour: bool = False
    workspace: str = ""
    root: str = ""

    @property
    def digits(self) -> str:
        """The hash of its words."""
        return hash_of(self.entry)


@frozen
class Moment:
    """The moment of the past that an answer speaks of: when, and the folder that its files lie in."""

    when: str
    root: str


@frozen
class SearchUpdate:
    """An answer to a question, ``final`` where no better one follows.

    ``mode`` is ``hybrid`` where meaning took part.
    """

    query: str
    hits: tuple[FoundHit, ...]
    mode: str
    stale: str | None = None
    degraded: str | None = None
    notes: tuple[str, ...] = ()
    moment: Moment | None = None
    final: bool = True

    @property
    def sides(self) -> str:
        """``keyword`` or ``hybrid``."""
        return "hybrid" if self.mode == "hybrid" else "keyword"
