"""Asking the index by keyword and by vectors, where the model may be loaded.

LanceDB, numpy and the model come with the first search that needs them, not with this module.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from indexing.embedding.choice import ModelChoice, choices
from indexing.embedding.port import Distant
from indexing.engines import RefusedError
from indexing.lexical.reader import Snapshot
from indexing.ranking.weights import Weights
from indexing.search.build_answer import TimedQuery
from indexing.search.candidates import Pool, candidates_of, days_only, of_days, word_forms
from indexing.search.keyword import REINDEX, LexicalSearch
from indexing.sync.freshness import NO_VECTORS, without_vector
from indexing.sync.generations import Generation
from workbench.errors import IndexUnavailableError, ModelUnavailableError
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.embedding.port import Embedder
    from indexing.vectors import VectorReader

NO_WORDS = "no entry has these words; the nearest by meaning are shown"
NO_WORDS_WITHIN = "no entry within these conditions has these words; the nearest by meaning are shown"
LOADING = "vectors are still being loaded: keyword search only"
_KEPT_QUERIES = 256


class HybridSearch(LexicalSearch):
    """Search by keyword and by vectors together, by either alone, and by words where vectors are missing."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        weights: Weights | None = None,
        today: Callable[[], date] = date.today,
        model: ModelChoice | None = None,
        load_on_demand: bool = True,
    ) -> None:
        super().__init__(workspace, weights=weights, today=today)
        self._settings = workspace.settings
        self._choice = model.opened_once() if model is not None else None
        self._choosing = threading.Lock()
        self._embedder: Embedder | None = None
        self._no_embedder: str | None = None if load_on_demand else LOADING
        self._vectors: VectorReader | None = None
        self._embedded = lru_cache(_KEPT_QUERIES)(self._embedded_anew)
        self._asked_of: Generation | None = None

    @property
    def model(self) -> ModelChoice | None:
        """The model, for another search to share, be it loaded yet or not; None where none can be used."""
        return self._choose()[0]

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

    def _close(self) -> None:
        super()._close()
        self._vectors = None
