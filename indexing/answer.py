"""What is asked and what is answered: frozen types, and their JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, get_args

from indexing.filters import NONE, Filters
from workbench.errors import UsageError
from workbench.memory.entry import Kind

Mode = Literal["hybrid", "lexical", "vector"]
MODES: tuple[Mode, ...] = get_args(Mode)
MAX_HITS = 1_000
SNIPPET_CHARACTERS = 700


@dataclass(frozen=True, slots=True)
class Query:
    """A question to the index. Raises UsageError for an unknown mode.

    ``text`` is what a person typed, in the language of ``indexing.language`` unless it is ``plain``;
    ``filters`` narrow it further. ``prefix`` takes the last word as the beginning of one, for use while a
    person types. ``user`` is who asks: their own entries count for more, and nobody else's count.
    """

    text: str
    k: int = 10
    mode: Mode = "hybrid"
    filters: Filters = NONE
    prefix: bool = False
    explain: bool = False
    plain: bool = False
    user: str = ""

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise UsageError(f"{self.mode!r} is no way to search", hint="one of " + ", ".join(MODES))
        if not 1 <= self.k <= MAX_HITS:
            raise UsageError(f"cannot return {self.k} hits", hint=f"ask for 1 to {MAX_HITS}")


@dataclass(frozen=True, slots=True)
class Scores:
    """The parts of a score. ``lexical``, ``vector`` and ``recency`` lie in [0, 1]; ``boost`` is a factor."""

    lexical: float = 0.0
    vector: float = 0.0
    recency: float = 0.0
    boost: float = 1.0

    def as_json(self) -> dict[str, float]:
        """The parts, rounded for reading."""
        return {
            "lexical": round(self.lexical, 6),
            "vector": round(self.vector, 6),
            "recency": round(self.recency, 6),
            "boost": round(self.boost, 6),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One entry that answers, as it stands on disk now. Lines count from 1, both ends included."""

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

    def as_json(self) -> dict[str, object]:
        """The hit as the command line prints it; ``explanation`` only where one was asked for."""
        shown: dict[str, object] = {
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
            "scores": self.scores.as_json(),
        }
        if self.explanation is not None:
            shown["explanation"] = self.explanation
        return shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The hits, best first, and how far they can be trusted.

    ``stale`` says why the index is behind the files, ``degraded`` why a part of the search is missing;
    both are None when all is well. ``notes`` say what of the query was not understood. ``took_ms`` is in
    milliseconds.
    """

    query: str
    mode: Mode
    took_ms: float
    generation: str
    stale: str | None = None
    degraded: str | None = None
    notes: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = field(default=())

    def as_json(self) -> dict[str, object]:
        """The answer as the command line prints it."""
        return {
            "query": self.query,
            "mode": self.mode,
            "took_ms": round(self.took_ms, 2),
            "generation": self.generation,
            "stale": self.stale or False,
            "degraded": self.degraded,
            "notes": list(self.notes),
            "hits": [hit.as_json() for hit in self.hits],
        }


def query_from_json(request: Mapping[str, object]) -> Query:
    """The query in a request of the service or of a batch. Raises UsageError naming what is wrong."""
    text, k = request.get("query"), request.get("k", 10)
    if not isinstance(text, str):
        raise UsageError("a request needs a query", hint='for example {"query": "door code"}')
    if not isinstance(k, int) or isinstance(k, bool):
        raise UsageError(f"k must be a whole number, not {k!r}")
    kinds = request.get("kinds") or ()
    try:
        asked = frozenset(Kind(str(kind)) for kind in kinds)  # type: ignore[attr-defined]
        since, until = (_day(request.get(name)) for name in ("since", "until"))
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from error
    return Query(
        text,
        k,
        str(request.get("mode", "hybrid")),  # type: ignore[arg-type]
        Filters(kinds=asked, since=since, until=until),
        prefix=request.get("prefix") is True,
        explain=request.get("explain") is True,
        plain=request.get("plain") is True,
        user=str(request.get("user") or ""),
    )


def _day(value: object) -> date | None:
    return date.fromisoformat(str(value)) if value else None
