"""From a pool to hits that stand on the disk: ranked, checked, shown, explained."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import date

from indexing.document import Stored
from indexing.facets import user_in
from indexing.lexical.reader import shared_words
from indexing.lexical.terms import Terms
from indexing.query.dates import Period
from indexing.query.question import Question
from indexing.ranking.diversity import WordSets, diversified
from indexing.ranking.explanation import explain, parts_of
from indexing.ranking.order import Ranked, rank
from indexing.ranking.weights import Weights
from indexing.search.answer import Hit, Query, SearchAnswer
from indexing.search.candidates import Pool
from indexing.search.hit_validation import Pass
from indexing.search.snippet import exact_in, snippet


@dataclass(frozen=True, slots=True)
class Answering:
    """One question, and by which weights it is answered; see ``search.Asked``."""

    query: Query
    question: Question
    terms: Terms
    weights: Weights
    today: date
    periods: tuple[Period, ...]
    user: int

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
        return tuple(
            self._hit(number, *standing[place], weights, alike)
            for number, (place, alike) in enumerate(order[: self.query.k], 1)
        )

    def answer(
        self, pool: Pool, hits: tuple[Hit, ...], disk: Pass, generation: str, started: float
    ) -> SearchAnswer:
        """The answer with these hits."""
        return SearchAnswer(
            query=self.query.text,
            mode=pool.mode,
            took_ms=(time.perf_counter() - started) * 1e3,
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
        scores = [one.score for one, _ in standing]
        return list(diversified(scores, bits, self.query.k, balance))

    def _hit(self, number: int, one: Ranked, entry: Stored, weights: Weights, alike: float | None) -> Hit:
        explained = {}
        if self.query.explain:
            matched = [*shared_words(self.terms, entry.text), *exact_in(entry.text, self.terms)]
            exact, listed = self.question.exact, not self.question.text.strip()
            parts = parts_of(one, weights, matched, self.periods, alike, exact, listed=listed)
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
            **explained,  # type: ignore[arg-type]
        )
