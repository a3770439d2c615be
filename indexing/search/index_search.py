"""Asking the index of one workspace, by keyword and by vectors together or by either alone.

LanceDB, numpy and the model come with the first search that needs them, not with this module. A search starts
no sync and waits for none: see ``indexing.sync.freshness`` for what comes before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import replace
from datetime import date
from typing import TypeVar

from indexing.embedding.choice import ModelChoice
from indexing.engine_errors import RefusedError
from indexing.facets import user_code
from indexing.lexical.query_rewrite import question_terms, topics
from indexing.lexical.reader import LexicalReader, Snapshot
from indexing.query.dates import Period, by_today, days_alone, periods_in
from indexing.query.language import understand
from indexing.query.question import Question
from indexing.ranking.order import pool_size
from indexing.ranking.weights import Weights, weights_of
from indexing.search.answer import Mode, Query, SearchAnswer
from indexing.search.build_answer import TimedQuery
from indexing.search.candidates import Nearby, Pool, gathered, on_days
from indexing.search.hit_validation import Recheck
from indexing.search.vector_side import (
    KEYWORDS_ONLY,
    LOADING,
    REINDEX,
    NoVectorsError,
    VectorSide,
    keywords_only,
)
from indexing.sync.freshness import NO_INDEX, OTHER_VERSION
from indexing.sync.generations import Generation, Generations, words_fingerprint
from workbench.errors import IndexUnavailableError, ModelUnavailableError
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

_T = TypeVar("_T")
_LARGER = 4
_NOBODY = "\0"


class IndexSearch:
    """Search in one workspace by keyword and by vectors, by keyword alone where vectors are missing.

    Without ``vectors`` it needs tantivy alone, and is fit for the interface's own process. ``weights`` and
    ``model`` are those of the settings where none are given. What was found for the last question is kept:
    asked again with other weights, it is only ranked anew.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        vectors: bool = True,
        weights: Weights | None = None,
        today: Callable[[], date] = date.today,
        model: ModelChoice | None = None,
        load_on_demand: bool = True,
    ) -> None:
        self.weights = weights_of(workspace.settings) if weights is None else weights
        self.has_vectors = vectors
        self._generations = Generations(workspace.root / STATE_DIR)
        self._recheck = Recheck(workspace)
        self._past = isinstance(workspace, PastWorkspace)
        self._today = today
        self._generation: Generation | None = None
        self._reader: LexicalReader | None = None
        self._kept: tuple[Hashable, Pool] | None = None
        why = None if load_on_demand else LOADING
        self._vectors = VectorSide(
            workspace.settings, self._generations, model, why if vectors else KEYWORDS_ONLY
        )

    @property
    def model(self) -> ModelChoice | None:
        """The model, for another search to share, be it loaded yet or not; None where none can be used."""
        try:
            return self._vectors.choice() if self.has_vectors else None
        except NoVectorsError:
            return None

    def load(self) -> str | None:
        """See ``VectorSide.load``."""
        return self._vectors.load()

    def search(self, query: Query) -> SearchAnswer:
        """The best entries for ``query``.

        Raises IndexUnavailableError when there is no index or it is damaged beyond reading.
        """
        return self.search_with_pool(query)[0]

    def search_with_pool(self, query: Query) -> tuple[SearchAnswer, Pool]:
        """The same, with what it was chosen from."""
        asked = self._understood(query)
        return self._tried(lambda: self._answered(asked))

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

    def _answered(self, asked: TimedQuery) -> tuple[SearchAnswer, Pool]:
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
        return asked.answer(pool, hits, disk, self._generation.name), pool

    def _pool(self, asked: TimedQuery, snapshot: Snapshot, size: int) -> Pool:
        degraded = None
        if asked.query.mode != "lexical" and asked.terms:
            assert self._generation is not None
            try:
                nearby = self._vectors.nearby(self._generation, asked.question.meant)
                return self._gathered(asked, snapshot, size, asked.query.mode, nearby)
            except NoVectorsError as error:
                degraded = str(error)
            except ModelUnavailableError as error:
                degraded = keywords_only(error.message)
            except IndexUnavailableError as error:
                self._vectors.close()
                self._note_damage(error)
                degraded = keywords_only(error.message)
        return self._gathered(asked, snapshot, size, "lexical", degraded=degraded)

    def _gathered(
        self,
        asked: TimedQuery,
        snapshot: Snapshot,
        size: int,
        mode: Mode,
        nearby: Nearby | None = None,
        degraded: str | None = None,
    ) -> Pool:
        """The pool that was gathered last, where it would be the same."""
        question, days = asked.question, asked.days
        compared = (id(nearby.reader), nearby.reader.version) if nearby else None
        key = (id(snapshot), question, days, size, mode, compared, degraded)
        # A pool holds its snapshot, so no other can have taken the place that ``id`` names.
        if self._kept is None or self._kept[0] != key:
            pool = gathered(snapshot, question, days, size, mode, nearby=nearby, degraded=degraded)
            self._kept = (key, pool)
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
        self._vectors.close()

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
    met = (one.words for one in said if snapshot.search(on_days(Question(text=""), one), 1))
    dated = replace(question, days=tuple(dict.fromkeys(met))) if said else question
    return dated if topics(dated.sought) else question


def _of_user(question: Question, user: str) -> Question:
    """The question about what is this user's or everybody's; what it says of other users finds nothing."""
    seen = frozenset({user, ""})
    wanted = question.within.users & seen if question.within.users else seen
    return replace(question, within=replace(question.within, users=wanted or frozenset({_NOBODY})))
