"""Asking the index by keyword only: fit for any process, as nothing heavier than tantivy is loaded.

A search starts no sync and waits for none: see ``indexing.sync.freshness`` for what comes before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import replace
from datetime import date
from typing import TypeVar

from indexing.engines import RefusedError
from indexing.facets import user_code
from indexing.lexical.query_rewrite import question_terms, topics
from indexing.lexical.reader import LexicalReader, Snapshot
from indexing.query.dates import Period, by_today, days_alone, periods_in
from indexing.query.language import understand
from indexing.query.question import Question
from indexing.ranking.order import pool_size
from indexing.ranking.weights import Weights, weights_of
from indexing.search.answer import Query, SearchAnswer
from indexing.search.build_answer import TimedQuery
from indexing.search.candidates import Pool, days_only, pool_of_words
from indexing.search.hit_validation import Recheck
from indexing.sync.freshness import NO_INDEX, OTHER_VERSION
from indexing.sync.generations import Generation, Generations, words_fingerprint
from workbench.errors import IndexUnavailableError
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

_T = TypeVar("_T")
REINDEX = "run `workbench reindex`"
_LARGER = 4
_NOBODY = "\0"


class LexicalSearch:
    """Search by words. Needs tantivy alone; fit for the interface's own process.

    ``weights`` are those of the settings where none are given. What was found for the last question is kept:
    asked again with other weights, it is only ranked anew.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        weights: Weights | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        self.weights = weights_of(workspace.settings) if weights is None else weights
        self._generations = Generations(workspace.root / STATE_DIR)
        self._recheck = Recheck(workspace)
        self._past = isinstance(workspace, PastWorkspace)
        self._today = today
        self._generation: Generation | None = None
        self._reader: LexicalReader | None = None
        self._kept: tuple[Hashable, Pool] | None = None

    def search(self, query: Query) -> SearchAnswer:
        """The best entries for ``query`` by their words.

        Raises IndexUnavailableError when there is no index or it is damaged beyond reading.
        """
        asked = self._understood(query)
        return self._tried(lambda: self._answered(asked))

    def pool(self, query: Query) -> Pool:
        """What would be ranked for ``query``. Raises IndexUnavailableError."""
        asked = self._understood(query)

        def gather() -> Pool:
            snapshot = self._snapshot()
            return self._pool(self._fitted(asked, snapshot), snapshot, pool_size(query.k))

        return self._tried(gather)

    def values(self, name: str, begun: str, limit: int) -> tuple[tuple[str, int], ...]:
        """What can stand behind ``name:``: see ``lexical.vocabulary``. Raises IndexUnavailableError."""
        return self._tried(lambda: self._snapshot().values(name, begun, limit))

    def _understood(self, query: Query) -> TimedQuery:
        started, today = time.perf_counter(), self._today()
        question = understand(query.text, today, within=query.filters, prefix=query.prefix, plain=query.plain)
        if question.as_of and not self._past:
            note = f"as-of:{question.as_of} was not heeded: this is memory as it is now"
            question = replace(question, notes=(*question.notes, note))
        alone = () if question.phrases else days_alone(question.text, today)
        question = replace(question, is_day=bool(alone))
        weights = self.weights if query.weights is None else query.weights
        periods = alone or periods_in(question.text, today)
        return TimedQuery(query, question, started, weights, today, periods, user_code(query.user.strip()))

    def _fitted(self, asked: TimedQuery, snapshot: Snapshot) -> TimedQuery:
        """What was asked, as this snapshot can answer it."""
        question = _of_days(asked.question, asked.days, snapshot)
        question = snapshot.fitted(question, guess=asked.query.mode != "vector")
        if asked.user:
            question = _of_user(question, asked.query.user.strip().lower())
        return replace(asked, question=question, terms=question_terms(question))

    def _answered(self, asked: TimedQuery) -> SearchAnswer:
        """Hits that stand on the disk; where many of a pool are gone, a larger one is looked at."""
        snapshot = self._snapshot()
        asked = self._fitted(asked, snapshot)
        assert self._generation is not None
        disk, size = self._recheck.begin(), pool_size(asked.query.k)
        while True:
            pool = self._pool(asked, snapshot, size)
            hits = asked.hits(pool, disk)
            if len(hits) == asked.query.k or pool.complete or size >= snapshot.count():
                break
            size *= _LARGER
        return asked.answer(pool, hits, disk, self._generation.name)

    def _pool(self, asked: TimedQuery, snapshot: Snapshot, size: int) -> Pool:
        """What is ranked, ``size`` of each side."""
        return self._by_words(
            asked, snapshot, size, None if asked.query.mode == "lexical" else "keyword search only"
        )

    def _by_words(self, asked: TimedQuery, snapshot: Snapshot, size: int, degraded: str | None) -> Pool:
        days = asked.days
        key = (id(snapshot), asked.question, days, size, degraded)
        return self._once(key, lambda: pool_of_words(snapshot, asked.question, days, size, degraded))

    def _once(self, key: Hashable, gather: Callable[[], Pool]) -> Pool:
        """The pool that was gathered last, where ``key`` is still the same."""
        # A pool holds its snapshot, so no other can have taken the place that ``id`` names.
        if self._kept is None or self._kept[0] != key:
            self._kept = (key, gather())
        return self._kept[1]

    def _tried(self, search: Callable[[], _T]) -> _T:
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
        self._generation, self._reader, self._kept = None, None, None

    def _snapshot(self) -> Snapshot:
        current = self._generations.current()
        if current is None:
            raise IndexUnavailableError(NO_INDEX, hint=REINDEX)
        if current != self._generation or self._reader is None:
            self._close()
            manifest = current.manifest()
            if manifest is not None and manifest.words != words_fingerprint():
                raise IndexUnavailableError(OTHER_VERSION, hint=REINDEX)
            self._generation = current
            self._reader = LexicalReader(current.lexical)
        return self._reader.snapshot()


def _of_days(question: Question, periods: tuple[Period, ...], snapshot: Snapshot) -> Question:
    """The question with words such as ``last week`` left to the days that they name, where others remain.

    Where there is nothing of these days, the words are all that there is to look for.
    """
    quoted = " ".join((*question.phrases, *question.preferred))
    said = [one for one in periods if by_today(one) and one.words not in quoted]
    met = (one.words for one in said if snapshot.search(days_only(Question(text=""), (one,))[0], 1))
    dated = replace(question, days=tuple(dict.fromkeys(met))) if said else question
    return dated if topics(dated.sought) else question


def _of_user(question: Question, user: str) -> Question:
    """The question about what is this user's or everybody's; what it says of other users finds nothing."""
    seen = frozenset({user, ""})
    wanted = question.within.users & seen if question.within.users else seen
    return replace(question, within=replace(question.within, users=wanted or frozenset({_NOBODY})))
