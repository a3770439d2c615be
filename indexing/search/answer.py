"""Queries and answers of the search: frozen types, and their JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal

from indexing.query.question import FIELDS, NONE, Filters, WordForm, filters_from_json
from indexing.ranking.order import DEFAULT, Scores, Weights, rounded, weights_from_json
from indexing.ranking.score_part import ScorePart
from indexing.search.modes import MODES, Mode
from workbench.errors import UsageError
from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.entry import Kind

State = Literal["ok", "stale", "degraded", "empty"]
MAX_HITS = 1_000
SNIPPET_CHARACTERS = 700
_FILTERS_LOOK = 'for example {"kind": ["log"], "since": "2026-03", "pinned": true}'


@frozen
class Query:
    """A question to the index. Raises UsageError for an unknown mode.

    ``text`` is what a person typed, in the language of ``indexing.query.question`` unless it is ``plain``;
    ``filters`` count as if they stood in it. ``prefix`` takes the last word as the beginning of one, for use
    while a person types. ``user`` is who asks: their own entries count for more, and nobody else's count.
    ``weights`` take the place of those that the settings choose.
    """

    text: str
    k: int = 10
    mode: Mode = "hybrid"
    filters: Filters = NONE
    prefix: bool = False
    explain: bool = False
    plain: bool = False
    user: str = ""
    weights: Weights | None = None

    def __post_init__(self) -> None:
        if self.mode not in MODES.values():
            raise UsageError(f"{self.mode!r} is not a search mode", hint="one of " + ", ".join(MODES))
        if not 1 <= self.k <= MAX_HITS:
            raise UsageError(f"cannot return {self.k} hits", hint=f"use 1 to {MAX_HITS}")


@frozen_kw_only
class Hit:
    """One entry that answers, as it stands on disk now. Lines count from 1, both ends included.

    ``explanation`` and ``parts`` say how the score came about, where that was asked, and ``words`` what it
    has of those that were asked for. ``neighbour`` says that only the entries around it have them, ``word``
    in which form it has the one word of a question. ``workspace`` is its name where a fleet was asked: then
    the entry is told as it was indexed.
    """

    rank: int
    path: str
    start_line: int
    end_line: int
    kind: Kind
    entry: str
    heading: tuple[str, ...]
    date: date | None
    snippet: str
    score: float
    scores: Scores
    explanation: str | None = None
    parts: tuple[ScorePart, ...] = ()
    words: tuple[str, ...] = ()
    neighbour: bool = False
    word: WordForm = WordForm.ABSENT
    workspace: str = ""

    def as_json(self) -> dict[str, object]:
        """The hit as the command line prints it; why it is there only where that was asked."""
        shown: dict[str, object] = {"workspace": self.workspace} if self.workspace else {}
        shown |= {
            "rank": self.rank,
            "path": self.path,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "kind": str(self.kind),
            "entry": self.entry,
            "heading": " > ".join(self.heading),
            "date": self.date.isoformat() if self.date else None,
            "snippet": self.snippet,
            "score": round(self.score, 6),
            "scores": rounded(self.scores),
        }
        if self.neighbour:
            shown["neighbour"] = True
        if self.explanation is not None:
            shown["explanation"] = self.explanation
            shown["parts"] = list(map(rounded, self.parts))
        return shown


@frozen_kw_only
class SearchAnswer:
    """The hits, best first, and how far they can be trusted.

    ``stale`` says why the index is behind the files, ``degraded`` why a part of the search is missing;
    both are None when all is well. ``notes`` say what of the query was not understood. ``took_ms`` is in
    milliseconds. ``weights`` are those that were ranked by, where an explanation was asked for.

    A search that fails gives no answer but a WorkbenchError.
    """

    query: str
    mode: Mode
    took_ms: float
    generation: str
    stale: str | None = None
    degraded: str | None = None
    notes: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    weights: Weights | None = None

    @property
    def state(self) -> State:
        """The one word for it. ``empty`` says that nothing was found, by what could be looked at."""
        if not self.hits:
            return "empty"
        if self.degraded is not None:
            return "degraded"
        return "ok" if self.stale is None else "stale"

    def as_json(self) -> dict[str, object]:
        """The answer as the command line prints it."""
        explained = {"weights": self.weights.as_json()} if self.weights is not None else {}
        return {
            "query": self.query,
            "state": self.state,
            "mode": self.mode,
            "took_ms": round(self.took_ms, 2),
            "generation": self.generation,
            "stale": self.stale or False,
            "degraded": self.degraded,
            "notes": list(self.notes),
            **explained,
            "hits": [hit.as_json() for hit in self.hits],
        }


def query_from_json(request: Mapping[str, object], weights: Weights = DEFAULT) -> Query:
    """The query in a request of the service or of a batch. Raises UsageError naming what is wrong.

    ``{"query": "door code", "k": 10, "filters": {"kind": ["log"], "since": "2026-03"}}`` and what else a
    ``Query`` has; ``indexing.query.question`` says what filters there are. ``weights`` are those that the
    request's own change.
    """
    text, k = request.get("query"), request.get("k", 10)
    if not isinstance(text, str):
        raise UsageError("a request needs a query", hint='for example {"query": "door code"}')
    if not isinstance(k, int) or isinstance(k, bool):
        raise UsageError(f"k must be a whole number, not {k!r}")
    user = request.get("user") or ""
    if not isinstance(user, str):
        raise UsageError(f"user must be a name, not {user!r}")
    if stray := [
        name for name in request if name != "user" and FIELDS.keys() & {name, name.removesuffix("s")}
    ]:
        raise UsageError(f"{stray[0]} is a filter", hint='put filters into "filters": {"kind": ["log"]}')
    try:
        filters = filters_from_json(request.get("filters") or {}, date.today())
    except ValueError as error:
        raise UsageError(str(error), hint=_FILTERS_LOOK) from error
    mode = str(request.get("mode", "hybrid"))
    return Query(
        text,
        k,
        MODES.get(mode, mode),  # type: ignore[arg-type]
        filters,
        prefix=request.get("prefix") is True,
        explain=request.get("explain") is True,
        plain=request.get("plain") is True,
        user=user,
        weights=weights_from_json(said, weights) if (said := request.get("weights")) is not None else None,
    )
