"""The vectors of one workspace and the model that made them, as a search needs them: opened when asked for.

LanceDB, numpy and the model come with the first use, not with this module.
"""

from __future__ import annotations

import contextlib
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, NoReturn

from indexing.embedding.choice import ModelChoice, choices
from indexing.engine_errors import RefusedError
from indexing.search.candidates import Nearby
from indexing.sync.freshness import NO_VECTORS
from indexing.sync.generations import Generation, Generations
from workbench.config.settings import Settings
from workbench.errors import IndexUnavailableError, ModelUnavailableError

if TYPE_CHECKING:
    from indexing.embedding.port import Embedder, Vectors
    from indexing.vectors import VectorReader

REINDEX = "run `workbench reindex`"
LOADING = "vectors are still being loaded: keyword search only"
KEYWORDS_ONLY = "keyword search only"
_OTHER_MODEL = "the vectors are another model's"
_KEPT_QUERIES = 256


class NoVectorsError(Exception):
    """Vectors cannot be used now; it says why, as an answer says it."""


def keywords_only(why: str) -> str:
    """Why vectors were left out, in one sentence."""
    return f"{why}: {KEYWORDS_ONLY}"


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
                found, made_by = choices(self._settings, threads=1), self._made_by()
                own = found.that_made(made_by)
                if own is None and (why := found.lost(made_by)):
                    self._give_up(why, ModelUnavailableError(why))
                try:
                    self._choice = (own or found.first()).opened_once()
                except ModelUnavailableError as error:
                    self._give_up(error.message, error)
            return self._choice

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

    def nearby(self, generation: Generation, text: str) -> Nearby:
        """The vector of a question and the newest vectors of ``generation``.

        Raises NoVectorsError, and ModelUnavailableError where the model gives none.
        """
        try:
            self._require_model(generation)
            reader = self._refreshed(generation)
        except RefusedError as error:
            self._fail(keywords_only(error.message), error)
        except IndexUnavailableError as error:
            self._fail(f"{keywords_only(error.message)}; {REINDEX}", error)
        return Nearby(self._embedded(text), reader)

    def close(self) -> None:
        """Let the vectors go: they are another generation's, or damaged."""
        self._reader = None

    def _fail(self, why: str, error: Exception) -> NoReturn:
        self._reader = None
        raise NoVectorsError(why) from error

    def _made_by(self) -> str | None:
        """The model that the index at hand was made with, as far as that can be read."""
        try:
            current = self._generations.current()
            return current.model() if current else None
        except IndexUnavailableError:
            return None  # the search meets the same and says so

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
        """Have the model of ``generation`` loaded, where it is of use. Raises NoVectorsError."""
        if self._why is not None:
            raise NoVectorsError(self._why)
        choice, made_by = self.choice(), generation.model()
        if made_by is None:
            raise NoVectorsError(f"{keywords_only(NO_VECTORS)}; {REINDEX}")
        if made_by != choice.identity:
            self._follow(made_by)
        self._embedder = self._embedder or self._opened()
        if self._asked_of != generation:  # a remote model is told once how long the vectors are
            manifest = generation.manifest()
            if manifest is not None and manifest.dimension:
                self._embedder.expect(manifest.dimension)
            self._embedded.cache_clear()
            self._asked_of = generation

    def _follow(self, made_by: str) -> None:
        """Take up the model that the index was made with meanwhile. Raises NoVectorsError."""
        found = choices(self._settings, threads=1)
        choice = found.that_made(made_by)
        if choice is None and (why := found.lost(made_by)):
            raise NoVectorsError(keywords_only(why))
        if choice is None:
            raise NoVectorsError(f"{keywords_only(_OTHER_MODEL)}; {REINDEX}")
        self._choice, self._embedder = choice.opened_once(), None
        self._embedded.cache_clear()

    def _refreshed(self, generation: Generation) -> VectorReader:
        if self._reader is None:
            from indexing.vectors import VectorReader  # noqa: PLC0415 - imports lancedb

            self._reader = VectorReader(generation.vectors)
        else:
            self._reader.refresh()
        return self._reader

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
