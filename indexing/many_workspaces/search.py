"""Search in the table of many workspaces, by keyword and by vectors, ranked as hits of one workspace are."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import msgspec
import numpy as np
from lancedb.query import BooleanQuery, MatchQuery
from lancedb.query import Occur as LanceOccur

from indexing.document import Stored, unpacked
from indexing.embedding.port import Embedder, Vectors
from indexing.lexical.index import LexicalReader, LexicalWriter
from indexing.lexical.query_rewrite import question_terms
from indexing.lexical.terms import NO_TERMS, Terms
from indexing.many_workspaces.rows import STORED, asked_terms, quoted
from indexing.many_workspaces.table import ANEW, SharedTable
from indexing.query.question import Question
from indexing.ranking.order import DEFAULT, Candidate, pool_size
from indexing.search.answer import Hit, Query, SearchAnswer
from indexing.search.build_answer import TimedQuery, hit_of, understood
from indexing.search.modes import Mode
from workbench.errors import IndexUnavailableError, ModelUnavailableError

_WIDER = 5
"""How many times more is fetched where conditions remain that the table cannot ask for."""

_NAMES_AT_ONCE = 5_000
_Row = dict[str, Any]


class FleetSearch:
    """Searches one table. ``embedder`` is the model that made its vectors; without it ``why`` says why.

    Keywords and vectors are both asked within the conditions. A word counts by its rarity among all
    workspaces. For a question of one word, the score alone decides: entries that have the word do not come
    first. Hits are shown as they were indexed, because their files may be on another machine.
    """

    def __init__(self, table: SharedTable, embedder: Embedder | None = None, why: str = "") -> None:
        self._table, self._embedder, self._why = table, embedder, why

    def search(self, query: Query, workspaces: Sequence[str] = ()) -> SearchAnswer:
        """The best entries of ``workspaces``, of all where there are none named.

        The ``generation`` of the answer is the number of the table's version. Raises IndexUnavailableError.
        """
        asked = understood(query, date.today(), DEFAULT)
        question = asked.question
        asked = replace(asked, terms=question_terms(question))
        condition = " AND ".join(_conditions(question, workspaces))
        size = pool_size(query.k) * (_WIDER if _remains(question) else 1)
        vector, degraded = self._vector(query.mode, question)
        mode = query.mode if degraded is None else "lexical"
        if question.text.strip():
            rows = self._found(vector, asked.terms if mode != "vector" else NO_TERMS, condition, size)
        else:
            rows = self._table.lookup(condition, STORED, size)
        hits = _ranked(asked, _meeting(rows, question), vector, mode)
        return SearchAnswer(
            query=query.text,
            mode=mode,
            took_ms=(time.perf_counter() - asked.started) * 1e3,
            generation=str(self._table.versions()),
            degraded=degraded,
            notes=question.notes,
            hits=hits,
        )

    def _vector(self, mode: Mode, question: Question) -> tuple[Vectors | None, str | None]:
        """(d,) the vector of a question where one is to be asked for; or why there is none."""
        if mode == "lexical":
            return None, None
        if not self._table.card.dimension:
            return None, "there are no vectors in this table: keyword search only"
        if self._embedder is None:
            return None, f"{self._why or 'there is no model'}: keyword search only"
        if not question.text.strip():
            return None, None
        try:
            return self._embedder.embed([question.meant])[0], None
        except ModelUnavailableError as error:
            return None, f"{error.message}: keyword search only"

    def _found(self, vector: Vectors | None, terms: Terms, condition: str, size: int) -> list[_Row]:
        """The best rows by words and the nearest, each with the ``_score`` of its words where it has any."""
        columns = STORED if vector is None else (*STORED, "vector")
        found: dict[str, _Row] = {}
        if terms:
            asked = self._table.asked(_words_query(terms), (*columns, "_score"), size, condition)
            found.update((row["id"], row) for row in asked)
        if vector is None:
            return list(found.values())
        by_words = set(found)
        for row in self._table.asked(vector, (*columns, "_distance"), size, condition):
            found.setdefault(row["id"], row)
        if terms and (strangers := [key for key in found if key not in by_words]):
            within = f"id IN {quoted(strangers)}"
            for row in self._table.asked(_words_query(terms), ("id", "_score"), len(strangers), within):
                found[row["id"]]["_score"] = row["_score"]
        return list(found.values())


def _ranked(
    asked: TimedQuery, rows: Sequence[tuple[_Row, Stored]], vector: Vectors | None, mode: Mode
) -> tuple[Hit, ...]:
    known = {int(row["id"][:15], 16): (row, entry) for row, entry in rows}
    candidates = (
        Candidate(
            key,
            entry.kind,
            row["day"],
            float(row.get("_score", 0.0)),
            _cosine(vector, row.get("vector")),
            row["marks"],
        )
        for key, (row, entry) in known.items()
    )
    hits = []
    for number, one in enumerate(asked.ranked(candidates, mode)[: asked.query.k], 1):
        row, entry = known[one.candidate.key]
        hits.append(hit_of(number, one, entry, asked.terms, workspace=row["workspace"]))
    return tuple(hits)


class _StoredRow(msgspec.Struct):
    """The columns of a row that ranking rests on."""

    id: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
    workspace: str
    day: int
    marks: int
    body: bytes


def _entry(row: _Row) -> Stored:
    """The entry in a row. Raises IndexUnavailableError for one that was damaged."""
    try:
        return unpacked(msgspec.convert(row, _StoredRow).body)[0]
    except ValueError as error:
        raise IndexUnavailableError("a row of the index of the fleet is damaged", hint=ANEW) from error


def _words_query(terms: Terms) -> BooleanQuery:
    return BooleanQuery(
        [
            (LanceOccur.SHOULD, MatchQuery(said, column="terms", boost=weight))
            for said, weight in asked_terms(terms)
        ]
    )


def _cosine(vector: Vectors | None, other: Any) -> float | None:
    """Of two vectors of length 1; None for a row that has none, and where none was asked for."""
    return None if vector is None or other is None else float(np.dot(vector, np.asarray(other, np.float32)))


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


def _meeting(rows: Sequence[_Row], question: Question) -> Sequence[tuple[_Row, Stored]]:
    """The rows, each with its entry, that meet the conditions that remain.

    These are asked as of the index of one workspace: for a moment there is one of them.
    """
    found = [(row, _entry(row)) for row in rows]
    if not _remains(question):
        return found
    with TemporaryDirectory(prefix="workbench-fleet-") as place:
        with closing(LexicalWriter(Path(place))) as writer:
            writer.add([entry for _, entry in found], range(len(found)))
            writer.commit()
        return [found[at] for at in sorted(LexicalReader(Path(place)).snapshot().allowed(question))]
