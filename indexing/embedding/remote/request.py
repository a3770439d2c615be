"""Asking a provider for vectors and checking what comes; one bad text costs only itself."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from indexing.embedding.port import Portion
from indexing.embedding.remote.api_format import Task, UnreadableError
from indexing.embedding.remote.caller import Caller, OutageError, RefusedTextsError
from indexing.embedding.remote.provider import Service
from indexing.embedding.remote.vectors import read_rows
from indexing.embedding.windows import clean
from workbench.errors import ModelUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexing.embedding.port import Vectors

_PROBE = "memory"
"""A text that any model takes: refused as well, it is the request that is wrong and not a text."""
_MOST_FAILED = 50
"""Texts that may fail in one run; more, and it is the provider that fails."""
_ISOLATED_RETRIES = 1
_FAILS_AS_A_WHOLE = 500
"""Some servers answer so when they cannot write down one of the vectors, such as one of NaN."""
_SETTINGS = "look at embedding_model and embedding_dimensions in your settings"
_OTHER_LENGTH = (
    "it is another model now, or embedding_dimensions is not what it makes; "
    "`workbench reindex --full` builds the index anew with what there is"
)


class Asking:
    """Vectors of one model for one task. ``dimension`` is 0 until it is known; all vectors have that one."""

    def __init__(self, service: Service, caller: Caller, task: Task) -> None:
        self._service = service
        self._caller = caller
        self._task: Task = task
        self._where = service.endpoint.host
        self._failed = 0
        self.dimension = service.dimensions

    def begin(self) -> None:
        """Count failures anew."""
        self._failed = 0

    async def batch(self, texts: list[str]) -> Portion:
        """Vectors of different ``texts``, and why some have none. Raises ModelUnavailableError.

        A question is asked once, as it is.
        """
        try:
            portion = await self._checked(texts)
        except (RefusedTextsError, UnreadableError) as error:
            if self._task == "query":
                raise ModelUnavailableError(self._said(error), hint=_SETTINGS) from None
            await self.probe()
            return await self._isolated(texts)
        except OutageError as error:
            if error.status != _FAILS_AS_A_WHOLE or self._task == "query":
                raise
            await self.probe()
            return await self._isolated(texts)
        if not portion.failed or self._task == "query":
            return portion
        again = await self._isolated(list(portion.failed))
        return Portion({**portion.vectors, **again.vectors}, again.failed)

    async def probe(self) -> None:
        """Ask for a vector that must come, which tells the dimension. Raises ModelUnavailableError."""
        try:
            portion = await self._checked([_PROBE])
        except (RefusedTextsError, UnreadableError) as error:
            raise ModelUnavailableError(self._said(error), hint=_SETTINGS) from None
        for why in portion.failed.values():
            raise ModelUnavailableError(f"{self._where} makes no vectors: {why}", hint=_SETTINGS)

    async def _checked(self, texts: list[str], *, suspects: bool = False) -> Portion:
        """One request; raises what ``Caller.post`` raises, and UnreadableError.

        Of an answer to ``suspects`` no conclusions are drawn, and it is asked for twice at most.
        """
        dialect = self._service.dialect
        answer = await self._caller.post(
            dialect.path,
            dialect.body([clean(text) for text in texts], self._task),
            retries=_ISOLATED_RETRIES if suspects else None,
        )
        rows = dict(zip(texts, read_rows(dialect.rows(answer, len(texts))), strict=True))
        if not suspects:
            self._check_length(rows)
        vectors: dict[str, Vectors] = {}
        failed: dict[str, str] = {}
        for text, row in rows.items():
            if isinstance(row, str):
                failed[text] = row
            elif len(row) != self.dimension:
                failed[text] = f"its vector has {len(row)} numbers, not {self.dimension}"
            else:
                vectors[text] = row
        return Portion(vectors, failed)

    def _check_length(self, rows: Mapping[str, Vectors | str]) -> None:
        """One vector of another length is a fault of its own; all of them, and it is another model."""
        lengths = Counter(len(row) for row in rows.values() if not isinstance(row, str))
        if not lengths:
            return
        usual = lengths.most_common(1)[0][0]
        self.dimension = self.dimension or usual
        if self.dimension not in lengths:
            raise ModelUnavailableError(
                f"{self._where} makes vectors of {usual} numbers, and {self.dimension} are needed",
                hint=_OTHER_LENGTH,
            )

    async def _isolated(self, texts: list[str]) -> Portion:
        """Halve what is refused until only those stand alone that are refused by themselves."""
        portion, why = Portion({}), ""
        try:
            portion = await self._checked(texts, suspects=True)
            again = list(portion.failed)
        except (RefusedTextsError, UnreadableError) as error:
            again, why = texts, self._said(error)
        except OutageError as error:
            if error.status != _FAILS_AS_A_WHOLE:
                raise
            again, why = texts, error.message
        if not again:
            return portion
        if len(texts) == 1:
            return self._given_up(texts[0], portion.failed.get(texts[0], why))
        half = (len(again) + 1) // 2
        vectors: dict[str, Vectors] = dict(portion.vectors)
        failed: dict[str, str] = {}
        for some in filter(None, (again[:half], again[half:])):
            part = await self._isolated(some)
            vectors.update(part.vectors)
            failed.update(part.failed)
        return Portion(vectors, failed)

    def _given_up(self, text: str, why: str) -> Portion:
        self._failed += 1
        if self._failed > _MOST_FAILED:
            raise ModelUnavailableError(f"{self._where} fails on too many texts: {why}", hint=_SETTINGS)
        return Portion({}, {text: why})

    def _said(self, error: Exception) -> str:
        return str(error) if isinstance(error, RefusedTextsError) else f"{self._where}: {error}"
