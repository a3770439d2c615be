"""Asking the index by words alone: fit for any process, as nothing heavier than tantivy is loaded.

A search never starts a sync and never waits for one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from indexing.answer import Answer, Hit, Mode, Query
from indexing.document import Stored, kind_of_code
from indexing.engines import RefusedError
from indexing.generations import Generation, Generations
from indexing.language import understand
from indexing.lexical.reader import LexicalReader, Match, Snapshot, shared_words
from indexing.lexical.terms import Terms, terms_of
from indexing.question import Question
from indexing.ranking import DEFAULT, Candidate, Ranked, Weights, diversify, explain, pool_size, rank
from indexing.recheck import Recheck
from indexing.snippet import exact_in, snippet
from workbench.errors import IndexUnavailableError
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.workspace import Workspace

REINDEX = "run `workbench reindex`"


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as it was understood, and when it came (``time.perf_counter``)."""

    query: Query
    question: Question
    terms: Terms
    started: float


class LexicalSearch:
    """Search by words. Needs tantivy alone; fit for the interface's own process."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        weights: Weights = DEFAULT,
        today: Callable[[], date] = date.today,
    ) -> None:
        self._generations = Generations(workspace.root / STATE_DIR)
        self._recheck = Recheck(workspace)
        self._weights = weights
        self._today = today
        self._generation: Generation | None = None
        self._reader: LexicalReader | None = None

    def search(self, query: Query) -> Answer:
        """The best entries for ``query`` by their words.

        Raises IndexUnavailableError when there is no index or it is damaged beyond reading.
        """
        asked = self._understood(query)
        degraded = None if query.mode == "lexical" else "words only"
        return self._tried(lambda: self._by_words(asked, degraded))

    def _understood(self, query: Query) -> Asked:
        question = understand(
            query.text, self._today(), within=query.filters, prefix=query.prefix, plain=query.plain
        )
        terms = terms_of(question.text, prefix=question.prefix)
        return Asked(query, question, terms, time.perf_counter())

    def _by_words(self, asked: Asked, degraded: str | None) -> Answer:
        snapshot = self._snapshot()
        matches = snapshot.search(asked.question, pool_size(asked.query.k))
        ranked = rank((candidate(match) for match in matches), self._weights, self._today())
        found = {match.key: match for match in matches}
        return self._answer(asked, "lexical", snapshot, ranked, found, degraded)

    def _tried(self, search: Callable[[], Answer]) -> Answer:
        """``search``, once more when the generation was swept away under it; then the damage is noted."""
        try:
            return search()
        except IndexUnavailableError:
            if self._generation is None:
                raise
        self._close()
        try:
            return search()
        except IndexUnavailableError as error:
            self._note_damage(error)
            self._close()
            raise

    def _note_damage(self, error: IndexUnavailableError) -> None:
        """Have the next sync build anew, unless the system merely refused."""
        if self._generation is not None and not isinstance(error, RefusedError):
            self._generation.suspect()

    def _close(self) -> None:
        self._generation, self._reader = None, None

    def _snapshot(self) -> Snapshot:
        current = self._generations.current()
        if current is None:
            raise IndexUnavailableError("there is no index yet", hint=REINDEX)
        if current != self._generation or self._reader is None:
            self._close()
            self._generation = current
            self._reader = LexicalReader(current.lexical)
        return self._reader.snapshot()

    def _answer(
        self,
        asked: Asked,
        mode: Mode,
        snapshot: Snapshot,
        ranked: list[Ranked],
        found: dict[int, Match],
        degraded: str | None,
    ) -> Answer:
        query = asked.query
        disk = self._recheck.begin()
        if self._weights.diversity is not None:
            ranked = self._diverse(ranked, query.k, snapshot, found)
        hits: list[Hit] = []
        for one in ranked:
            stored = disk.now(snapshot.load(found[one.candidate.key]))
            if stored is None:
                continue
            hits.append(self._hit(len(hits) + 1, one, stored, asked))
            if len(hits) == query.k:
                break
        assert self._generation is not None
        return Answer(
            query=query.text,
            mode=mode,
            took_ms=(time.perf_counter() - asked.started) * 1e3,
            generation=self._generation.name,
            stale=disk.stale(),
            degraded=degraded,
            notes=asked.question.notes,
            hits=tuple(hits),
        )

    def _hit(self, number: int, one: Ranked, stored: Stored, asked: Asked) -> Hit:
        terms, said = asked.terms, None
        if asked.query.explain:
            matched = [*shared_words(terms, stored.text), *exact_in(stored.text, terms)]
            said = explain(one, self._weights, matched)
        return Hit(
            rank=number,
            path=stored.path,
            start_line=stored.start_line,
            end_line=stored.end_line,
            kind=stored.kind,
            entry=stored.address,
            heading=stored.heading,
            date=stored.date,
            snippet=snippet(stored.text, terms),
            score=one.score,
            scores=one.scores,
            explanation=said,
        )

    def _diverse(
        self, ranked: list[Ranked], k: int, snapshot: Snapshot, found: dict[int, Match]
    ) -> list[Ranked]:
        """The first hits without near-duplicates: likeness is the share of words in common (Jaccard)."""
        first = ranked[: pool_size(k)]
        keys = [one.candidate.key for one in first]
        texts = {key: frozenset(terms_of(snapshot.load(found[key]).text).stems) for key in keys}

        def likeness(a: int, b: int) -> float:
            union = len(texts[a] | texts[b])
            return len(texts[a] & texts[b]) / union if union else 1.0

        balance = self._weights.diversity
        assert balance is not None
        chosen = diversify(first, 2 * k, balance, likeness)
        taken = {one.candidate.key for one in chosen}
        return chosen + [one for one in ranked if one.candidate.key not in taken]


def candidate(match: Match, cosine: float | None = None) -> Candidate:
    """A match as ranking sees it."""
    return Candidate(match.key, kind_of_code(match.kind), match.day, match.score, cosine, match.marks)
