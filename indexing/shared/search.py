"""Asking the table of many workspaces: by keyword and by vectors, ranked as one workspace's hits are.

Both sides are asked for within the conditions, before they choose their best. Words are weighed by how rare
they are among all workspaces. Of a question of one word, entries that have it do not come first: their score
decides. Hits are told as they were indexed: their files may be on another machine.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np
from lancedb.query import BooleanQuery, MatchQuery
from lancedb.query import Occur as LanceOccur

from indexing.document import Stored, unpacked
from indexing.facets import user_code
from indexing.lexical.reader import LexicalReader
from indexing.lexical.terms import Terms, terms_of
from indexing.lexical.writer import LexicalWriter
from indexing.query.dates import periods_in
from indexing.query.language import understand
from indexing.query.question import Question
from indexing.ranking.order import Candidate, Ranked, pool_size, rank
from indexing.ranking.weights import DEFAULT, Weights
from indexing.search.answer import Hit, Mode, Query
from indexing.search.snippet import snippet
from indexing.shared.rows import STORED, asked_terms, quoted
from indexing.shared.table import ANEW, SharedTable
from workbench.errors import IndexUnavailableError, ModelUnavailableError

if TYPE_CHECKING:
    from indexing.embedding.port import Embedder, Vectors

_WIDER = 5
"""How many times more is fetched where conditions remain that the table cannot ask for."""

_NAMES_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetHit(Hit):
    """A hit in one workspace of the fleet: the entry as it was indexed, not as it stands on disk now."""

    workspace: str

    def as_json(self) -> dict[str, object]:
        """The hit as the command line prints it."""
        return {"workspace": self.workspace, **Hit.as_json(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetAnswer:
    """The hits, best first; ``degraded`` says why meaning was left out, ``notes`` what was not understood."""

    query: str
    mode: Mode
    took_ms: float
    version: int
    degraded: str | None = None
    notes: tuple[str, ...] = ()
    hits: tuple[FleetHit, ...] = field(default=())

    def as_json(self) -> dict[str, object]:
        """The answer as the command line prints it."""
        return {
            "query": self.query,
            "mode": self.mode,
            "took_ms": round(self.took_ms, 2),
            "version": self.version,
            "degraded": self.degraded,
            "notes": list(self.notes),
            "hits": [hit.as_json() for hit in self.hits],
        }


@dataclass(slots=True)
class _Found:
    """A row and the entry in it, with what each side says of it."""

    row: dict[str, Any]
    entry: Stored
    bm25: float = 0.0
    cosine: float | None = None


class FleetSearch:
    """Searches one table. ``embedder`` is the model that made its vectors; without it ``why`` says why."""

    def __init__(
        self,
        table: SharedTable,
        embedder: Embedder | None = None,
        why: str = "",
        *,
        weights: Weights = DEFAULT,
        today: date | None = None,
    ) -> None:
        self._table, self._embedder, self._why = table, embedder, why
        self._weights, self._today = weights, today or date.today()

    def search(self, query: Query, workspaces: Sequence[str] = ()) -> FleetAnswer:
        """The best entries of ``workspaces``, of all where there are none named.

        Raises IndexUnavailableError.
        """
        started = time.perf_counter()
        question = understand(query.text, self._today, within=query.filters, plain=query.plain)
        terms = terms_of(question.text) if question.text.strip() else Terms((), (), ())
        mode, degraded = self._mode(query.mode)
        condition = " AND ".join(_conditions(question, workspaces))
        size = pool_size(query.k) * (_WIDER if _remains(question) else 1)
        found: dict[str, _Found] = {}
        if mode != "vector" and terms:
            self._by_words(found, terms, condition, size)
        if mode != "lexical" and question.text.strip():
            try:
                self._by_meaning(found, question, terms, condition, size, both=mode == "hybrid")
            except ModelUnavailableError as error:
                mode, degraded = "lexical", f"{error.message}: keyword search only"
        if not question.text.strip():
            for row in self._table.lookup(condition, STORED, size):
                found[row["id"]] = _Found(row, _entry(row))
        meeting = _meeting(list(found.values()), question)
        hits = self._ranked(query, question, terms, meeting, mode)
        return FleetAnswer(
            query=query.text,
            mode=mode,
            took_ms=(time.perf_counter() - started) * 1e3,
            version=self._table.versions(),
            degraded=degraded,
            notes=question.notes,
            hits=hits,
        )

    def _mode(self, asked: Mode) -> tuple[Mode, str | None]:
        if asked == "lexical":
            return asked, None
        if not self._table.card.dimension:
            return "lexical", "there are no vectors in this table: keyword search only"
        if self._embedder is None:
            return "lexical", f"{self._why or 'there is no model'}: keyword search only"
        return asked, None

    def _by_words(self, found: dict[str, _Found], terms: Terms, condition: str, size: int) -> None:
        for row in self._table.asked(_words_query(terms), (*self._columns, "_score"), size, condition):
            found[row["id"]] = _Found(row, _entry(row), float(row["_score"]))

    def _by_meaning(
        self,
        found: dict[str, _Found],
        question: Question,
        terms: Terms,
        condition: str,
        size: int,
        *,
        both: bool,
    ) -> None:
        """The nearest, and for every candidate what the other side says of it."""
        assert self._embedder is not None
        vector = self._embedder.embed([question.meant])[0]
        for row in self._table.asked(vector, (*self._columns, "_distance"), size, condition):
            found.setdefault(row["id"], _Found(row, _entry(row)))
        strangers = [key for key, one in found.items() if not one.bm25]
        if both and terms and strangers:
            within = f"id IN {quoted(strangers)}"
            scored = self._table.asked(_words_query(terms), ("id", "_score"), len(strangers), within)
            for row in scored:
                found[row["id"]].bm25 = float(row["_score"])
        for one in found.values():
            one.cosine = _cosine(vector, one.row.get("vector"))

    @property
    def _columns(self) -> tuple[str, ...]:
        return (*STORED, "vector") if self._table.card.dimension and self._embedder else STORED

    def _ranked(
        self, query: Query, question: Question, terms: Terms, meeting: Sequence[_Found], mode: Mode
    ) -> tuple[FleetHit, ...]:
        known = {int(one.row["id"][:15], 16): one for one in meeting}
        candidates = (
            Candidate(key, one.entry.kind, one.row["day"], one.bm25, one.cosine, one.row["marks"])
            for key, one in known.items()
        )
        weights = Weights(1.0, 0.0) if mode == "vector" else query.weights or self._weights
        periods = periods_in(question.text, self._today)
        user = user_code(query.user.strip())
        best = rank(candidates, weights, self._today, periods=periods, user=user)[: query.k]
        return tuple(_hit(number, one, known[one.candidate.key], terms) for number, one in enumerate(best, 1))


class _StoredRow(msgspec.Struct):
    """The columns of a row that ranking rests on."""

    id: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
    workspace: str
    day: int
    marks: int
    body: bytes


def _entry(row: dict[str, Any]) -> Stored:
    """The entry in a row. Raises IndexUnavailableError for one that was damaged."""
    try:
        return unpacked(msgspec.convert(row, _StoredRow).body)[0]
    except ValueError as error:
        raise IndexUnavailableError("a row of the index of the fleet is damaged", hint=ANEW) from error


def _hit(number: int, ranked: Ranked, found: _Found, terms: Terms) -> FleetHit:
    entry = found.entry
    return FleetHit(
        rank=number,
        workspace=found.row["workspace"],
        path=entry.path,
        start_line=entry.start_line,
        end_line=entry.end_line,
        kind=entry.kind,
        entry=entry.address,
        heading=entry.heading,
        date=entry.date,
        snippet=snippet(entry.text, terms),
        score=ranked.score,
        scores=ranked.scores,
    )


def _words_query(terms: Terms) -> BooleanQuery:
    return BooleanQuery(
        [
            (LanceOccur.SHOULD, MatchQuery(said, column="terms", boost=weight))
            for said, weight in asked_terms(terms)
        ]
    )


def _cosine(vector: Vectors, other: Any) -> float | None:
    """Of two vectors of length 1; None for a row that has none."""
    return None if other is None else float(np.dot(vector, np.asarray(other, np.float32)))


def _conditions(question: Question, workspaces: Sequence[str]) -> Iterable[str]:
    """What the table itself can ask for, before either side chooses."""
    if workspaces:
        parts = [workspaces[at : at + _NAMES_AT_ONCE] for at in range(0, len(workspaces), _NAMES_AT_ONCE)]
        yield "(" + " OR ".join(f"workspace IN {quoted(part)}" for part in parts) + ")"
    within = question.within
    if within.kinds:
        yield f"kind IN {quoted(sorted(kind.value for kind in within.kinds))}"
    if question.without.kinds:
        yield f"kind NOT IN {quoted(sorted(kind.value for kind in question.without.kinds))}"
    if within.since:
        yield f"day >= {within.since.toordinal()}"
    if within.until:
        yield f"day <= {within.until.toordinal()} AND day > 0"


def _remains(question: Question) -> bool:
    """Whether there are conditions that the table cannot ask for."""
    within = replace(question.within, kinds=frozenset(), since=None, until=None)
    return replace(question, within=within).narrows


def _meeting(found: Sequence[_Found], question: Question) -> Sequence[_Found]:
    """Those that meet the conditions that remain, asked as of the index of one workspace: for a moment
    there is one of them."""
    if not _remains(question):
        return found
    with TemporaryDirectory(prefix="workbench-fleet-") as place:
        writer = LexicalWriter(Path(place))
        try:
            writer.add([one.entry for one in found], range(len(found)))
            writer.commit()
        finally:
            writer.close()
        return [found[at] for at in sorted(LexicalReader(Path(place)).snapshot().allowed(question))]
