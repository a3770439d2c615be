"""From a pool to hits that stand on the disk: ranked, checked, shown, explained."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby, islice

from indexing.document import Stored
from indexing.facets import user_in
from indexing.lexical.reader import shared_words
from indexing.lexical.terms import NO_TERMS, Terms
from indexing.query.dates import Period
from indexing.query.question import Question
from indexing.ranking.explanation import explain, parts_of
from indexing.ranking.order import Candidate, Ranked, WordSets, diversified, rank
from indexing.ranking.weights import Weights
from indexing.search.answer import Hit, Query, SearchAnswer
from indexing.search.candidates import Pool
from indexing.search.hit_validation import Pass
from indexing.search.snippet import exact_in, found_in, snippet
from indexing.words import date_words, normal


@dataclass(frozen=True, slots=True)
class _Row:
    """A candidate and its entry on the disk; ``neighbour`` as in ``Hit``, ``alike`` as in ``parts_of``."""

    ranked: Ranked
    entry: Stored
    neighbour: bool
    alike: float | None = None

    @property
    def section(self) -> tuple[str, tuple[str, ...]]:
        """The file and the heading: entries of one section are neighbours of each other."""
        return self.entry.path, self.entry.heading

    @property
    def key(self) -> int:
        """That of the candidate."""
        return self.ranked.candidate.key


@dataclass(frozen=True, slots=True)
class TimedQuery:
    """A query as it was understood, and when it came (``time.perf_counter``).

    ``weights`` are those to rank by, ``periods`` the days that it names, ``user`` the ``user_code`` of who
    asks, ``terms`` what the index at hand is asked for.
    """

    query: Query
    question: Question
    started: float
    weights: Weights
    today: date
    periods: tuple[Period, ...] = ()
    user: int = 0
    terms: Terms = NO_TERMS

    @property
    def days(self) -> tuple[Period, ...]:
        """The periods of which all entries are looked at."""
        return self.periods if self.weights.date else ()

    def hits(self, pool: Pool, disk: Pass) -> tuple[Hit, ...]:
        """The first of the pool that stand on the disk now. Raises IndexUnavailableError."""
        # What is gone must neither answer nor push away what is there.
        weights = replace(self.weights, vector=1.0, lexical=0.0) if pool.mode == "vector" else self.weights
        exact = self.question.exact
        ranked = rank(pool.candidates, weights, self.today, periods=self.periods, user=self.user, exact=exact)
        wanted = self.query.k if weights.diversity == 1.0 else 2 * self.query.k
        rows = list(islice(self._standing(ranked, pool, disk), wanted))
        if weights.diversity < 1.0:
            rows = self._diverse(rows, weights.diversity)
        rows = self._below_their_matches(rows[: self.query.k], ranked, pool, disk)
        return tuple(self._hit(number, row, weights) for number, row in enumerate(rows, 1))

    def _standing(self, ranked: Sequence[Ranked], pool: Pool, disk: Pass) -> Iterator[_Row]:
        """What stands on the disk; of a text that the user who asks has a copy of, only the copy."""
        own = {pool.entry(one.key).hash for one in pool.candidates if self._is_own(one)}
        for one in ranked:
            entry = disk.now(pool.entry(one.candidate.key))
            if entry is not None and (entry.hash not in own or self._is_own(one.candidate)):
                yield self._row(one, entry)

    def _is_own(self, candidate: Candidate) -> bool:
        return self.user != 0 and user_in(candidate.marks) == self.user

    def _row(self, one: Ranked, entry: Stored) -> _Row:
        lends = one.candidate.bm25 > 0 and bool(self.terms)
        return _Row(one, entry, neighbour=lends and not found_in(_own_words(entry), self.terms))

    def _below_their_matches(
        self, rows: list[_Row], ranked: Sequence[Ranked], pool: Pool, disk: Pass
    ) -> list[_Row]:
        """The same rows, but no neighbour above the match that it owes its words to; no more than before."""
        neighbours = [row for row in rows if row.neighbour]
        if not neighbours:
            return rows
        matches = list(self._matches({row.section for row in neighbours}, ranked, pool, disk))
        order = list(rows)
        for row in neighbours:
            near = [one for one in matches if one.section == row.section]
            if not near:
                continue
            match = min(near, key=lambda one: abs(one.entry.start_line - row.entry.start_line))
            at = order.index(row)
            above = next((place for place, one in enumerate(order) if one.key == match.key), None)
            if above is None:
                order.insert(at, match)
            elif above > at:
                order.insert(above, order.pop(at))
        return order[: len(rows)]

    def _matches(
        self,
        sections: set[tuple[str, tuple[str, ...]]],
        ranked: Sequence[Ranked],
        pool: Pool,
        disk: Pass,
    ) -> Iterator[_Row]:
        """The entries of these sections that have words of the question themselves, best first."""
        for one in ranked:
            stored = pool.entry(one.candidate.key)
            if one.candidate.bm25 > 0 and (stored.path, stored.heading) in sections:
                entry = disk.now(stored)
                if entry is not None and not (row := self._row(one, entry)).neighbour:
                    yield row

    def answer(self, pool: Pool, hits: tuple[Hit, ...], disk: Pass, generation: str) -> SearchAnswer:
        """The answer with these hits."""
        return SearchAnswer(
            query=self.query.text,
            mode=pool.mode,
            took_ms=(time.perf_counter() - self.started) * 1e3,
            generation=generation,
            stale=disk.stale(),
            degraded=pool.degraded,
            notes=(*self.question.notes, *self._notes(pool), *(pool.notes if hits else ()), *disk.notes()),
            hits=hits,
            weights=self.weights if self.query.explain else None,
        )

    def _notes(self, pool: Pool) -> tuple[str, ...]:
        if not self.user or any(map(self._is_own, pool.candidates)):
            return ()
        return (f"nothing of {self.query.user.strip()}'s was found; this is what belongs to everybody",)

    def _diverse(self, rows: Sequence[_Row], balance: float) -> list[_Row]:
        """The rows in the order in which near-duplicates make room; the word of a question still decides."""
        sets = WordSets()
        order: list[_Row] = []
        for _, group in groupby(rows, lambda row: row.ranked.candidate.word):
            some = list(group)
            scores = [row.ranked.score for row in some]
            words = [sets.of(row.entry.text) for row in some]
            chosen = diversified(scores, words, self.query.k, balance)
            order += [replace(some[at], alike=alike) for at, alike in chosen]
        return order

    def _hit(self, number: int, row: _Row, weights: Weights) -> Hit:
        one, entry = row.ranked, row.entry
        explained = {}
        if self.query.explain:
            matched = [*shared_words(self.terms, entry.text), *exact_in(entry.text, self.terms)]
            exact, listed = self.question.exact, not self.question.text.strip()
            parts = parts_of(
                one, weights, matched, self.periods, row.alike, exact, listed=listed, neighbour=row.neighbour
            )
            said = (*matched, *shared_words(self.terms, " ".join(entry.heading)))
            explained = {"explanation": explain(parts), "parts": parts, "words": said}
        hit = hit_of(number, one, entry, self.terms)
        return replace(hit, neighbour=row.neighbour, **explained)  # type: ignore[arg-type]


def hit_of(number: int, ranked: Ranked, entry: Stored, terms: Terms) -> Hit:
    """The hit at rank ``number``, with the part of it that has most of ``terms``."""
    return Hit(
        rank=number,
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
        word=ranked.candidate.word,
    )


def _own_words(entry: Stored) -> str:
    """What an entry is found by without its neighbours: see ``indexed_words``."""
    facets = entry.facets
    own = normal(" ".join((entry.text, *entry.heading, *facets.names, *facets.ids)))
    return f"{own} {date_words(entry.date)}"
