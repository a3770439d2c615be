"""Search in the index of one workspace, by keyword, by vectors, or by both.

LanceDB, numpy and the model are imported by the first search that needs them. A search neither starts a sync
nor waits for one: commands and MCP call ``indexing.sync.freshness.catch_up`` before it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, NoReturn, TypeVar

from indexing.embedding.choice import ModelChoice, choices
from indexing.embedding.model_files import reads_english_only
from indexing.embedding.port import Embedder, Vectors
from indexing.lexical.index import LexicalReader, Snapshot
from indexing.lexical.query_rewrite import question_terms, topics
from indexing.query.dates import Period, by_today, period
from indexing.query.question import Question
from indexing.ranking.order import Weights, pool_size, weights_of
from indexing.search.answer import Query, SearchAnswer
from indexing.search.build_answer import (
    Candidates,
    HitValidator,
    NearbyVectors,
    TimedQuery,
    gathered,
    on_days,
    understood,
)
from indexing.storage import RefusedError
from indexing.sync.freshness import NO_INDEX, NO_VECTORS, OTHER_VERSION, freshness
from indexing.sync.generations import Generation, Generations, words_fingerprint
from indexing.words import beyond_english
from workbench.config.settings import Settings
from workbench.errors import IndexUnavailableError, ModelUnavailableError
from workbench.plural import plural
from workbench.repository.objects import Commit
from workbench.workspace.revisions import commit_at
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.vectors import VectorReader

REINDEX = "run `workbench reindex`"
LOADING = "vectors are still being loaded: keyword search only"
KEYWORDS_ONLY = "keyword search only"
_OTHER_MODEL = "the vectors come from another model"
_KEPT_QUERIES = 256


class NoVectorsError(Exception):
    """Vectors cannot be used now; the text says why, in the words of ``SearchAnswer.degraded``."""


def keywords_only(why: str) -> str:
    """Why vectors were left out, in one sentence."""
    return f"{why}: {KEYWORDS_ONLY}"


def model_of_index(generations: Generations) -> str | None:
    """The model that the vectors of the index come from; None where there are none, as far as can be read."""
    try:
        current = generations.current()
        return current.model() if current else None
    except IndexUnavailableError:
        return None  # the search meets the same and says so


class VectorSide:
    """Vectors and model. ``why`` says why they are not used until ``load`` was called, None: they may be.

    ``model`` is that of the settings where none is given.
    """

    def __init__(
        self, settings: Settings, generations: Generations, model: ModelChoice | None, why: str | None
    ) -> None:
        self._settings = settings
        self._generations = generations
        self._choice = model.opened_once() if model is not None else None
        self._choosing = threading.Lock()
        self._embedder: Embedder | None = None
        self._why = why
        self._reader: VectorReader | None = None
        self._embedded = lru_cache(_KEPT_QUERIES)(self._embedded_anew)
        self._asked_of: Generation | None = None

    def choice(self) -> ModelChoice:
        """The model by its name, not loaded: that of the index, if it can be used. Raises NoVectorsError."""
        with self._choosing:  # one thread may load while another asks
            if self._choice is None:
                try:
                    self._choice = self._chosen(model_of_index(self._generations))
                except ModelUnavailableError as error:
                    self._give_up(error.message, error)
            return self._choice

    def _chosen(self, made_by: str | None) -> ModelChoice:
        """The model of the settings that made the vectors, else the first. Raises ModelUnavailableError."""
        found = choices(self._settings, threads=1)
        if why := found.lost(made_by):
            raise ModelUnavailableError(why)
        return (found.that_made(made_by) or found.first()).opened_once()

    def load(self) -> str | None:
        """Load the model and the vectors; None when both can be used, else why not. May take seconds.

        May run in a thread beside searches: they are answered by words until it is done.
        """
        why = silent = None
        try:
            embedder = self._opened()
            try:
                embedder.embed(["warm"])
            except ModelUnavailableError as error:  # a provider that is silent now may answer later
                silent = keywords_only(error.message)
            self._warm()
            self._embedder = embedder
        except NoVectorsError as error:
            why = str(error)
        self._why = why  # last: a search in between must not load the model again
        return why or silent

    def nearby(self, generation: Generation, text: str) -> NearbyVectors:
        """The vector of a question and the newest vectors of ``generation``.

        Raises NoVectorsError, and ModelUnavailableError where the model gives none.
        """
        try:
            self._require_model(generation)
            if self._reader is None:
                from indexing.vectors import VectorReader  # noqa: PLC0415 - imports lancedb

                self._reader = VectorReader(generation.vectors)
            else:
                self._reader.refresh()
        except IndexUnavailableError as error:
            self._reader = None
            remedy = "" if isinstance(error, RefusedError) else f"; {REINDEX}"
            raise NoVectorsError(keywords_only(error.message) + remedy) from error
        return NearbyVectors(self._embedded(text), self._reader)

    def close(self) -> None:
        """Let the vectors go: they are another generation's, or damaged."""
        self._reader = None

    def _opened(self) -> Embedder:
        try:
            return self.choice().open_for_questions()
        except ModelUnavailableError as error:
            self._give_up(error.message, error)
        except ImportError as error:
            self._give_up(f"{error.name or 'a library'} is not installed", error)

    def _give_up(self, why: str, error: Exception) -> NoReturn:
        """Use no vectors from now on."""
        self._why = keywords_only(why)
        raise NoVectorsError(self._why) from error

    def _require_model(self, generation: Generation) -> None:
        """Have the model of ``generation`` loaded, where it is of use.

        Raises NoVectorsError, and ModelUnavailableError where it was lost.
        """
        if self._why is not None:
            raise NoVectorsError(self._why)
        choice, made_by = self.choice(), generation.model()
        if made_by is None:
            raise NoVectorsError(f"{keywords_only(NO_VECTORS)}; {REINDEX}")
        if made_by != choice.identity:  # another model made it meanwhile
            choice = self._chosen(made_by)
            if made_by != choice.identity:
                raise NoVectorsError(f"{keywords_only(_OTHER_MODEL)}; {REINDEX}")
            self._choice, self._embedder = choice, None
            self._embedded.cache_clear()
        self._embedder = self._embedder or self._opened()
        if self._asked_of != generation:  # a remote model is told once how long the vectors are
            manifest = generation.manifest()
            if manifest is not None and manifest.dimension:
                self._embedder.expect(manifest.dimension)
            self._embedded.cache_clear()
            self._asked_of = generation

    def _warm(self) -> None:
        """Have the engine imported, and the vectors in its cache, before somebody waits for them."""
        from indexing.vectors import VectorReader  # noqa: PLC0415 - as above

        with contextlib.suppress(IndexUnavailableError):  # the search meets the same and says so
            generation = self._generations.current()
            if generation is not None and generation.model() is not None:
                VectorReader(generation.vectors)

    def _embedded_anew(self, text: str) -> Vectors:
        """(d,) the vector of a question."""
        assert self._embedder is not None
        vector: Vectors = self._embedder.embed([text])[0]
        return vector


_T = TypeVar("_T")
_LARGER = 4
_NOBODY = "\0"


class IndexSearch:
    """Search in one workspace by keyword and by vectors, by keyword alone where vectors are missing.

    Without ``vectors`` it needs tantivy alone, and is fit for the interface's own process. ``weights`` and
    ``model`` are those of the settings where none are given.
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
        self._generations = Generations(workspace.state_path)
        self._recheck = HitValidator(workspace)
        self._past = isinstance(workspace, PastWorkspace)
        self._today = today
        self._generation: Generation | None = None
        self._reader: LexicalReader | None = None
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

    def search_with_pool(self, query: Query) -> tuple[SearchAnswer, Candidates]:
        """The same, with what it was chosen from."""
        asked = self._understood(query)
        return self._tried(lambda: self._answered(asked))

    def values(self, name: str, begun: str, limit: int) -> tuple[tuple[str, int], ...]:
        """What can stand behind ``name:``: see ``lexical.terms``. Raises IndexUnavailableError."""
        return self._tried(lambda: self._snapshot().values(name, begun, limit))

    def _understood(self, query: Query) -> TimedQuery:
        asked = understood(query, self._today(), self.weights)
        if asked.question.as_of and not self._past:
            note = f"as-of:{asked.question.as_of} was ignored: this searches current memory"
            asked = replace(asked, question=replace(asked.question, notes=(*asked.question.notes, note)))
        return asked

    def _fitted(self, asked: TimedQuery, snapshot: Snapshot) -> TimedQuery:
        """What was asked, as this snapshot can answer it."""
        question = _of_days(asked.question, asked.days, snapshot)
        question = snapshot.fitted(question, guess=asked.query.mode != "vector")
        if asked.user:
            question = _of_user(question, asked.query.user.strip().lower())
        return replace(asked, question=question, terms=question_terms(question))

    def _answered(self, asked: TimedQuery) -> tuple[SearchAnswer, Candidates]:
        """Hits that stand on the disk; where many of a pool are gone, a larger one is looked at."""
        snapshot = self._snapshot()
        asked = self._fitted(asked, snapshot)
        assert self._generation is not None
        disk, size = self._recheck.begin(), pool_size(asked.query.k)
        while True:
            pool = self._pool(asked, snapshot, size)
            asked = replace(asked, question=pool.question)
            hits = asked.hits(pool, disk)
            if len(hits) == asked.query.k or pool.complete or size >= snapshot.count():
                break
            size *= _LARGER
        return asked.answer(pool, hits, disk, self._generation.name), pool

    def _pool(self, asked: TimedQuery, snapshot: Snapshot, size: int) -> Candidates:
        degraded = None
        if asked.query.mode != "lexical" and asked.terms:
            assert self._generation is not None
            try:
                question = asked.question
                nearby = self._vectors.nearby(self._generation, question.meant)
                is_english = reads_english_only(self._generation.model() or "")
                unread = beyond_english(question.meant) if is_english else 0.0
                question = replace(question, exact=max(question.exact, unread))
                mode = asked.query.mode
                return gathered(snapshot, question, asked.days, size, mode, nearby=nearby, unread=unread)
            except NoVectorsError as error:
                degraded = str(error)
            except ModelUnavailableError as error:
                degraded = keywords_only(error.message)
            except IndexUnavailableError as error:
                self._vectors.close()
                self._note_damage(error)
                degraded = keywords_only(error.message)
        return gathered(snapshot, asked.question, asked.days, size, "lexical", degraded=degraded)

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
        self._generation, self._reader = None, None
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


# -- memory of the past ------------------------------------------------------------------------------
# It is searched in an index of its own: these say which moment is meant, whether its index is complete, and
# which day it was.


def moment_named(text: str, today: date) -> str:
    """``text`` as ``commit_at`` and ``open_past`` take it: of days in words the last one, ``2026-03-31``."""
    found = period(text, today)
    return found.last.isoformat() if found else text


def commit_named(workspace: Workspace, text: str, today: date) -> Commit:
    """The commit that holds the memory of the moment ``text``. Raises what ``commit_at`` raises."""
    return commit_at(workspace.history, moment_named(text, today))


def missing_index(place: PastWorkspace, *, vectors: bool) -> str | None:
    """The work that the index of a moment still needs, in words; None where it is complete.

    Only a search of the moment starts this work.
    """
    found = freshness(place)
    if found.state != "fresh":
        return f"indexing {plural(found.files or found.added, 'file')} as they were on {place.moment}"
    if vectors and found.pending:
        return f"{plural(found.pending, 'entry')} as they were on {place.moment} have no vectors yet"
    return None


def last_day(place: Workspace) -> Callable[[], date]:
    """The day from which the age of entries counts: the moment's own, for a workspace in the past."""
    if not isinstance(place, PastWorkspace):
        return date.today
    day = place.history.commit(place.commit).when.astimezone().date()
    return lambda: day
