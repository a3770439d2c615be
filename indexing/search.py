"""Asking the index: words alone in any process, words and meaning where the model may be loaded.

A search never starts a sync and never waits for one. Importing this module loads tantivy at most;
LanceDB, numpy and the model come with the first hybrid search.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any

from indexing.answer import Answer, Hit, Mode, Query
from indexing.document import Stored, kind_of_code
from indexing.embedding.choice import ModelChoice, choose_model
from indexing.engines import RefusedError
from indexing.generations import Generation, Generations
from indexing.lexical.reader import LexicalReader, Match, Snapshot, shared_words
from indexing.lexical.terms import Terms, terms_of
from indexing.ranking import DEFAULT, Candidate, Ranked, Weights, diversify, explain, pool_size, rank
from indexing.recheck import Recheck
from indexing.snippet import exact_in, snippet
from workbench.errors import IndexUnavailableError, ModelUnavailableError
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.embedding.port import Embedder, Vectors
    from indexing.nearest import VectorReader

NO_WORDS = "no entry has these words; the nearest by meaning are shown"
LOADING = "vectors are still being loaded: words only"
_KEPT_QUERIES = 256
_REINDEX = "run `workbench reindex`"


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
        started = time.perf_counter()
        degraded = None if query.mode == "lexical" else "words only"
        return self._tried(lambda: self._by_words(query, degraded, started))

    def _by_words(self, query: Query, degraded: str | None, started: float) -> Answer:
        snapshot = self._snapshot()
        matches = snapshot.search(query, pool_size(query.k))
        ranked = rank((_candidate(match) for match in matches), self._weights, self._today())
        found = {match.key: match for match in matches}
        return self._answer(query, "lexical", snapshot, ranked, found, degraded, started)

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
            raise IndexUnavailableError("there is no index yet", hint=_REINDEX)
        if current != self._generation or self._reader is None:
            self._close()
            self._generation = current
            self._reader = LexicalReader(current.lexical)
        return self._reader.snapshot()

    def _answer(
        self,
        query: Query,
        mode: Mode,
        snapshot: Snapshot,
        ranked: list[Ranked],
        found: dict[int, Match],
        degraded: str | None,
        started: float,
    ) -> Answer:
        terms = terms_of(query.text, prefix=query.prefix)
        disk = self._recheck.begin()
        if self._weights.diversity is not None:
            ranked = self._diverse(ranked, query.k, snapshot, found)
        hits: list[Hit] = []
        for one in ranked:
            stored = disk.now(snapshot.load(found[one.candidate.key]))
            if stored is None:
                continue
            hits.append(self._hit(len(hits) + 1, one, stored, terms, query))
            if len(hits) == query.k:
                break
        assert self._generation is not None
        return Answer(
            query=query.text,
            mode=mode,
            took_ms=(time.perf_counter() - started) * 1e3,
            generation=self._generation.name,
            stale=disk.stale(),
            degraded=degraded,
            hits=tuple(hits),
        )

    def _hit(self, number: int, one: Ranked, stored: Stored, terms: Terms, query: Query) -> Hit:
        said = None
        if query.explain:
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


class HybridSearch(LexicalSearch):
    """Search by words and meaning together, by either alone, and by words where vectors are missing."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        weights: Weights = DEFAULT,
        today: Callable[[], date] = date.today,
        model: ModelChoice | None = None,
        threads: int = 1,
        load_on_demand: bool = True,
    ) -> None:
        super().__init__(workspace, weights=weights, today=today)
        self._setting = workspace.settings.model
        self._choice = model
        self._threads = threads
        self._embedder: Embedder | None = None
        self._no_embedder: str | None = None if load_on_demand else LOADING
        self._vectors: VectorReader | None = None
        self._loaded: tuple[Generation, VectorReader] | None = None
        self._asked: OrderedDict[str, Vectors] = OrderedDict()

    def load(self) -> str | None:
        """Load the model and the vectors; None when both can be used, else why not. May take seconds.

        May run in a thread beside searches: they are answered by words until it is done.
        """
        embedder, why = self._open_model()
        if embedder is not None:
            embedder.embed(["warm"])
            self._loaded = self._opened()
            self._embedder = embedder
        self._no_embedder = why  # last: a search in between must not load the model again
        return why

    def _choose(self) -> tuple[ModelChoice | None, str | None]:
        """The model by its name, not loaded, or why there is none."""
        try:
            if self._choice is None:
                self._choice = choose_model(self._setting, threads=self._threads)
        except ModelUnavailableError as error:
            return None, f"{error.message}: words only"
        return self._choice, None

    def _open_model(self) -> tuple[Embedder | None, str | None]:
        choice, why = self._choose()
        try:
            return choice.open() if choice else None, why
        except ModelUnavailableError as error:
            return None, f"{error.message}: words only"
        except ImportError as error:
            return None, f"{error.name or 'a library'} is not installed: words only"

    def search(self, query: Query) -> Answer:
        """The best entries for ``query``. ``degraded`` says why the answer rests on words alone.

        Raises IndexUnavailableError when there is no index or it is damaged beyond reading.
        """
        started = time.perf_counter()
        if query.mode == "lexical":
            return super().search(query)
        return self._tried(lambda: self._hybrid(query, started))

    def _hybrid(self, query: Query, started: float) -> Answer:
        snapshot = self._snapshot()
        if not query.text.strip():
            return self._by_words(query, None, started)
        reader, why = self._reader_of_vectors()
        if reader is None:
            return self._by_words(query, why, started)
        try:
            ranked, found, degraded = self._both(query, snapshot, reader)
        except IndexUnavailableError as error:
            self._vectors = None
            self._note_damage(error)
            return self._by_words(query, f"{error.message}: words only", started)
        return self._answer(query, query.mode, snapshot, ranked, found, degraded, started)

    def _both(
        self, query: Query, snapshot: Snapshot, reader: VectorReader
    ) -> tuple[list[Ranked], dict[int, Match], str | None]:
        """Candidates of both sides, each with both scores, in their order."""
        size = pool_size(query.k)
        vector = self._embedded(query.text)
        nearest = reader.nearest(vector, query, size)
        cosines = dict(zip(nearest.keys.tolist(), nearest.cosines.tolist(), strict=True))
        matches = [] if query.mode == "vector" else snapshot.search(query, size)
        found = {match.key: match for match in matches}
        strangers = [key for key in cosines if key not in found]
        found.update((match.key, match) for match in snapshot.look_up(strangers, query))
        cosines.update(reader.cosines(vector, [key for key in found if key not in cosines]))
        weights = self._weights if query.mode == "hybrid" else Weights(1.0, 0.0)
        pool = (_candidate(match, cosines.get(match.key)) for match in found.values())
        missing = snapshot.count() - reader.count()
        count = "1 entry has" if missing == 1 else f"{missing} entries have"
        degraded = f"{count} no vector yet" if missing > 0 else None
        if query.mode == "hybrid" and not any(match.score for match in found.values()):
            degraded = NO_WORDS
        return rank(pool, weights, self._today()), found, degraded

    def _reader_of_vectors(self) -> tuple[VectorReader | None, str | None]:
        """The vectors of the generation at hand, or why there are none to use."""
        try:
            why = self._why_no_meaning()
            return (self._refreshed(), None) if why is None else (None, why)
        except RefusedError as error:
            self._vectors = None
            return None, f"{error.message}: words only"
        except IndexUnavailableError as error:
            self._vectors = None
            return None, f"{error.message}: words only; {_REINDEX}"

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
            return f"there are no vectors yet: words only; {_REINDEX}"
        if made_by != choice.identity:
            return f"the vectors are another model's: words only; {_REINDEX}"
        if self._embedder is None:
            self._embedder, self._no_embedder = self._open_model()
        return self._no_embedder

    def _refreshed(self) -> VectorReader:
        """The newest vectors. Raises IndexUnavailableError."""
        assert self._generation is not None
        loaded, self._loaded = self._loaded, None
        if self._vectors is None and loaded and loaded[0] == self._generation:
            self._vectors = loaded[1]
        if self._vectors is None:
            from indexing.nearest import VectorReader  # noqa: PLC0415 - imports lancedb

            self._vectors = VectorReader(self._generation.vectors)
        else:
            self._vectors.refresh()
        return self._vectors

    def _opened(self) -> tuple[Generation, VectorReader] | None:
        from indexing.nearest import VectorReader  # noqa: PLC0415 - LanceDB and numpy come with it

        try:
            generation = self._generations.current()
            if generation is None or generation.model() is None:
                return None
            return generation, VectorReader(generation.vectors)
        except IndexUnavailableError:
            return None  # the search meets the same and says so

    def _embedded(self, text: str) -> Any:
        """(d,) the vector of a question; the last few are kept."""
        assert self._embedder is not None
        if text not in self._asked:
            self._asked[text] = self._embedder.embed([text])[0]
            while len(self._asked) > _KEPT_QUERIES:
                self._asked.popitem(last=False)
        return self._asked[text]

    def _close(self) -> None:
        super()._close()
        self._vectors = None


def _candidate(match: Match, cosine: float | None = None) -> Candidate:
    return Candidate(match.key, kind_of_code(match.kind), match.day, match.score, cosine)
