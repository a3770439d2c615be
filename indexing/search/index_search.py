"""Asking the index of one workspace, by keyword and by vectors together or by either alone.

LanceDB, numpy and the model come with the first search that needs them, not with this module. A search starts
no sync and waits for none: see ``indexing.sync.freshness`` for what comes before it.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from indexing.embedding.choice import ModelChoice, choices
from indexing.embedding.port import Distant
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
from indexing.search.candidates import Pool, candidates_of, days_only, of_days, pool_of_words, word_forms
from indexing.search.hit_validation import Recheck
from indexing.sync.freshness import NO_INDEX, NO_VECTORS, OTHER_VERSION, without_vector
from indexing.sync.generations import Generation, Generations, words_fingerprint
from workbench.errors import IndexUnavailableError, ModelUnavailableError
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.embedding.port import Embedder
    from indexing.vectors import VectorReader

_T = TypeVar("_T")
REINDEX = "run `workbench reindex`"
LOADING = "vectors are still being loaded: keyword search only"
KEYWORDS_ONLY = "keyword search only"
NO_WORDS = "no entry has these words; the nearest by meaning are shown"
NO_WORDS_WITHIN = "no entry within these conditions has these words; the nearest by meaning are shown"
_LARGER = 4
_NOBODY = "\0"
_KEPT_QUERIES = 256


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
        self._settings = workspace.settings
        self._generations = Generations(workspace.root / STATE_DIR)
        self._recheck = Recheck(workspace)
        self._past = isinstance(workspace, PastWorkspace)
        self._today = today
        self._generation: Generation | None = None
        self._reader: LexicalReader | None = None
        self._kept: tuple[Hashable, Pool] | None = None
        self._choice = model.opened_once() if model is not None else None
        self._choosing = threading.Lock()
        self._embedder: Embedder | None = None
        self._no_embedder = None if load_on_demand else LOADING
        self._no_embedder = self._no_embedder if vectors else KEYWORDS_ONLY
        self._vectors: VectorReader | None = None
        self._embedded = lru_cache(_KEPT_QUERIES)(self._embedded_anew)
        self._asked_of: Generation | None = None

    @property
    def model(self) -> ModelChoice | None:
        """The model, for another search to share, be it loaded yet or not; None where none can be used."""
        return self._choose()[0] if self.has_vectors else None

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

    def load(self) -> str | None:
        """Load the model and the vectors; None when both can be used, else why not. May take seconds.

        May run in a thread beside searches: they are answered by words until it is done.
        """
        embedder, why = self._open_model()
        silent = None
        if embedder is not None:
            try:
                embedder.embed(["warm"])
            except ModelUnavailableError as error:  # a provider that is silent now may answer later
                silent = f"{error.message}: keyword search only"
            self._warm()
            self._embedder = embedder
        self._no_embedder = why  # last: a search in between must not load the model again
        return why or silent

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
        if asked.query.mode == "lexical" or not asked.terms:
            return self._by_words(asked, snapshot, size, None)
        reader, why = self._reader_of_vectors()
        if reader is None:
            return self._by_words(asked, snapshot, size, why)
        key = (id(snapshot), asked.question, asked.days, size, asked.query.mode, id(reader), reader.version)
        try:
            return self._once(key, lambda: self._both(asked, snapshot, reader, size))
        except ModelUnavailableError as error:
            return self._by_words(asked, snapshot, size, f"{error.message}: keyword search only")
        except IndexUnavailableError as error:
            self._vectors = None
            self._note_damage(error)
            return self._by_words(asked, snapshot, size, f"{error.message}: keyword search only")

    def _both(self, asked: TimedQuery, snapshot: Snapshot, reader: VectorReader, size: int) -> Pool:
        """Candidates of both sides, each with both scores."""
        question, days, mode = asked.question, asked.days, asked.query.mode
        vector = self._embedded(question.meant)
        cosines: dict[int, float] = {}
        for one in (question, *days_only(question, days)):
            allowed = snapshot.allowed(one) if one.narrows else None
            nearest = reader.nearest(vector, size, allowed)
            cosines.update(zip(nearest.keys.tolist(), nearest.cosines.tolist(), strict=True))
        enough = len(cosines) >= size
        matches = [] if mode == "vector" else snapshot.search(question, size)
        found = {match.key: match for match in matches}
        strangers = [key for key in cosines if key not in found]
        found.update((match.key, match) for match in snapshot.look_up(strangers, question))
        with_word = [] if mode == "vector" else snapshot.with_word(question, size)
        for match in (*with_word, *of_days(snapshot, question, days, size)):
            found.setdefault(match.key, match)
        cosines.update(reader.cosines(vector, [key for key in found if key not in cosines]))
        forms = {} if mode == "vector" else word_forms(snapshot, question, days, found)
        candidates = candidates_of(found, forms, cosines)
        missing = snapshot.count() - reader.count()
        degraded = without_vector(missing) if missing > 0 else None
        notes: tuple[str, ...] = ()
        if mode == "hybrid" and not any(one.bm25 for one in candidates):
            notes = (NO_WORDS_WITHIN if question.narrows else NO_WORDS,)
        complete = len(matches) < size and not enough
        return Pool(snapshot, question, found, candidates, mode, complete, degraded, notes)

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
        self._generation, self._reader, self._kept, self._vectors = None, None, None, None

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

    # -- vectors ---------------------------------------------------------------------------------

    def _choose(self) -> tuple[ModelChoice | None, str | None]:
        """The model by its name, not loaded, or why there is none: that of the index, if it can be used."""
        with self._choosing:  # one thread may load while another asks
            if self._choice is None:
                found = choices(self._settings, threads=1)
                try:
                    self._choice = (found.that_made(self._made_by()) or found.first()).opened_once()
                except ModelUnavailableError as error:
                    return None, f"{error.message}: keyword search only"
            return self._choice, None

    def _made_by(self) -> str | None:
        """The model that the index at hand was made with, as far as that can be read."""
        try:
            current = self._generations.current()
            return current.model() if current else None
        except IndexUnavailableError:
            return None  # the search meets the same and says so

    def _open_model(self) -> tuple[Embedder | None, str | None]:
        choice, why = self._choose()
        try:
            return choice.open_for_questions() if choice else None, why
        except ModelUnavailableError as error:
            return None, f"{error.message}: keyword search only"
        except ImportError as error:
            return None, f"{error.name or 'a library'} is not installed: keyword search only"

    def _reader_of_vectors(self) -> tuple[VectorReader | None, str | None]:
        """The vectors of the generation at hand, or why there are none to use."""
        try:
            why = self._why_no_meaning()
            return (self._refreshed(), None) if why is None else (None, why)
        except RefusedError as error:
            self._vectors = None
            return None, f"{error.message}: keyword search only"
        except IndexUnavailableError as error:
            self._vectors = None
            return None, f"{error.message}: keyword search only; {REINDEX}"

    def _why_no_meaning(self) -> str | None:
        """Why there are no vectors to use, or None; the model is loaded when it is known to be of use."""
        if self._no_embedder is not None:
            return self._no_embedder
        choice, self._no_embedder = self._choose()
        if choice is None:
            return self._no_embedder
        assert self._generation is not None
        made_by = self._generation.model()
        if made_by is None:
            return f"{NO_VECTORS}: keyword search only; {REINDEX}"
        if made_by != choice.identity and not self._follow(made_by):
            return f"the vectors are another model's: keyword search only; {REINDEX}"
        if self._embedder is None:
            self._embedder, self._no_embedder = self._open_model()
        self._expect(self._generation)
        return self._no_embedder

    def _follow(self, made_by: str) -> bool:
        """Take up the model that the index was made with meanwhile, where the settings know it."""
        choice = choices(self._settings, threads=1).that_made(made_by)
        if choice is None:
            return False
        self._choice, self._embedder = choice.opened_once(), None
        self._embedded.cache_clear()
        return True

    def _expect(self, generation: Generation) -> None:
        """Tell a remote model once how long the vectors of this generation are."""
        if isinstance(self._embedder, Distant) and self._asked_of != generation:
            manifest = generation.manifest()
            if manifest is not None and manifest.dimension:
                self._embedder.expect(manifest.dimension)
            self._embedded.cache_clear()
            self._asked_of = generation

    def _refreshed(self) -> VectorReader:
        """The newest vectors. Raises IndexUnavailableError."""
        assert self._generation is not None
        if self._vectors is None:
            from indexing.vectors import VectorReader  # noqa: PLC0415 - imports lancedb

            self._vectors = VectorReader(self._generation.vectors)
        else:
            self._vectors.refresh()
        return self._vectors

    def _warm(self) -> None:
        """Have the engine imported, and the vectors in its cache, before somebody waits for them."""
        from indexing.vectors import VectorReader  # noqa: PLC0415 - as above

        with contextlib.suppress(IndexUnavailableError):  # the search meets the same and says so
            generation = self._generations.current()
            if generation is not None and generation.model() is not None:
                VectorReader(generation.vectors)

    def _embedded_anew(self, text: str) -> Any:
        """(d,) the vector of a question."""
        assert self._embedder is not None
        return self._embedder.embed([text])[0]


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
