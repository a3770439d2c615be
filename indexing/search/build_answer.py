"""From a pool to hits that stand on the disk: ranked, checked, shown, explained."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby

from indexing.document import Stored
from indexing.facets import user_in
from indexing.lexical.reader import shared_words
from indexing.lexical.terms import NO_TERMS, Terms
from indexing.query.dates import Period
from indexing.query.question import Question
from indexing.ranking.explanation import explain, parts_of
from indexing.ranking.order import Ranked, WordSets, diversified, rank
from indexing.ranking.weights import Weights
from indexing.search.answer import Hit, Query, SearchAnswer
from indexing.search.candidates import Pool
from indexing.search.hit_validation import Pass
from indexing.search.snippet import exact_in, found_in, snippet
from indexing.words import date_words, normal


@dataclass(frozen=True, slots=True)
class _Row:
    """A candidate and its entry on the disk; ``alike`` as in ``parts_of``."""

    ranked: Ranked
    entry: Stored
    alike: float | None = None

    @property
    def section(self) -> tuple[str, tuple[str, ...]]:
        """The file and the heading: entries of one section are neighbours of each other."""
        return self.entry.path, self.entry.heading


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
        own = self._own_texts(pool)
        wanted = self.query.k if weights.diversity == 1.0 else 2 * self.query.k
        standing: list[tuple[Ranked, Stored]] = []
        for one in ranked:
            entry = disk.now(pool.entry(one.candidate.key))
            if entry is None or (entry.hash in own and user_in(one.candidate.marks) != self.user):
                continue
            standing.append((one, entry))
            if len(standing) == wanted:
                break
        order: list[tuple[int, float | None]] = [(place, None) for place in range(len(standing))]
        if weights.diversity < 1.0:
            order = self._diverse(standing, weights.diversity)
        rows = [_Row(*standing[place], alike) for place, alike in order[: self.query.k]]
        rows = self._below_their_matches(rows, ranked, pool, disk)
        return tuple(self._hit(number, row, weights) for number, row in enumerate(rows, 1))

    def _is_neighbour(self, one: Ranked, entry: Stored) -> bool:
        """Whether only the entries around it have words of the question."""
        return one.candidate.bm25 > 0 and bool(self.terms) and not found_in(_own_words(entry), self.terms)

    def _below_their_matches(
        self, rows: list[_Row], ranked: Sequence[Ranked], pool: Pool, disk: Pass
    ) -> list[_Row]:
        """The same rows, but no neighbour above the match that it owes its words to; no more than before."""
        neighbours = [row for row in rows if self._is_neighbour(row.ranked, row.entry)]
        if not neighbours:
            return rows
        matches = list(self._matches({row.section for row in neighbours}, ranked, pool, disk))
        order, places = list(rows), {row.ranked.candidate.key for row in rows}
        for row in neighbours:
            line, at = row.entry.start_line, order.index(row)
            near = [one for one in matches if one.section == row.section]
            if not near:
                continue
            match = min(near, key=lambda one: abs(one.entry.start_line - line))
            key = match.ranked.candidate.key
            if key not in places:
                places.add(key)
                order.insert(at, match)
            above = next(place for place, one in enumerate(order) if one.ranked.candidate.key == key)
            if above > at:
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
            if one.candidate.bm25 <= 0 or (stored.path, stored.heading) not in sections:
                continue
            entry = disk.now(stored)
            if entry is not None and not self._is_neighbour(one, entry):
                yield _Row(one, entry)

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

    def _own_texts(self, pool: Pool) -> frozenset[str]:
        """Hashes of what the user who asks has a copy of: the copy answers in place of everybody's."""
        if not self.user:
            return frozenset()
        own = (one for one in pool.candidates if user_in(one.marks) == self.user)
        return frozenset(pool.entry(one.key).hash for one in own)

    def _notes(self, pool: Pool) -> tuple[str, ...]:
        if not self.user or any(user_in(one.marks) == self.user for one in pool.candidates):
            return ()
        return (f"nothing of {self.query.user.strip()}'s was found; this is what belongs to everybody",)

    def _diverse(
        self, standing: list[tuple[Ranked, Stored]], balance: float
    ) -> list[tuple[int, float | None]]:
        sets = WordSets()
        bits = [sets.of(entry.text) for _, entry in standing]
        order: list[tuple[int, float | None]] = []
        for _, group in groupby(range(len(standing)), lambda place: standing[place][0].candidate.word):
            places = list(group)
            scores = [standing[place][0].score for place in places]
            chosen = diversified(scores, [bits[place] for place in places], self.query.k, balance)
            order += [(places[at], alike) for at, alike in chosen]
        return order

    def _hit(self, number: int, row: _Row, weights: Weights) -> Hit:
        one, entry = row.ranked, row.entry
        neighbour = self._is_neighbour(one, entry)
        explained = {}
        if self.query.explain:
            matched = [*shared_words(self.terms, entry.text), *exact_in(entry.text, self.terms)]
            exact, listed = self.question.exact, not self.question.text.strip()
            parts = parts_of(
                one, weights, matched, self.periods, row.alike, exact, listed=listed, neighbour=neighbour
            )
            said = (*matched, *shared_words(self.terms, " ".join(entry.heading)))
            explained = {"explanation": explain(parts), "parts": parts, "words": said}
        return Hit(
            rank=number,
            path=entry.path,
            start_line=entry.start_line,
            end_line=entry.end_line,
            kind=entry.kind,
            entry=entry.address,
            heading=entry.heading,
            date=entry.date,
            snippet=snippet(entry.text, self.terms),
            score=one.score,
            scores=one.scores,
            neighbour=neighbour,
            word=one.candidate.word,
            **explained,  # type: ignore[arg-type]
        )


def _own_words(entry: Stored) -> str:
    """What an entry is found by without its neighbours: see ``indexed_words``."""
    facets = entry.facets
    own = normal(" ".join((entry.text, *entry.heading, *facets.names, *facets.ids)))
    return f"{own} {date_words(entry.date)}"
