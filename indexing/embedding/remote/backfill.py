"""One pass over many texts with several requests at the same time; what came before a failure counts."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from indexing.embedding.port import Portion
from indexing.embedding.remote.batches import batches
from indexing.embedding.remote.request import Asking
from indexing.embedding.windows import averaged, fitting
from workbench.errors import ModelUnavailableError
from workbench.memory.window import word_pieces

if TYPE_CHECKING:
    from indexing.embedding.port import Vectors


class Pass:
    """Divides different ``texts`` into requests of ``batch`` texts; ``told`` hears every portion.

    A text longer than ``window`` tokens is embedded in parts, and comes last.
    """

    def __init__(
        self,
        asking: Asking,
        texts: Sequence[str],
        told: Callable[[Portion], object],
        *,
        batch: int,
        concurrency: int,
        window: int,
    ) -> None:
        self._asking = asking
        self._asked = frozenset(texts)
        self._told = told
        self._ended: ModelUnavailableError | None = None
        self._long: dict[str, list[tuple[str, int]]] = {}
        self._parts: dict[str, Vectors | str] = {}
        self._due = deque(batches(self._fitting(texts, window), count=batch))
        self._concurrency = min(concurrency, len(self._due))

    async def run(self) -> None:
        """Tell every portion; raises the ModelUnavailableError that ended it early."""
        self._asking.begin()
        await asyncio.gather(*(self._work() for _ in range(self._concurrency)))
        if self._long:
            self._told(self._joined())
        if self._ended is not None:
            raise self._ended

    async def _work(self) -> None:
        while self._due:
            try:
                portion = await self._asking.batch(self._due.popleft())
            except ModelUnavailableError as error:
                self._ended = self._ended or error
                self._due.clear()  # the others may finish what they have asked for, and ask nothing more
                return
            if self._long:
                self._parts.update(portion.vectors)
                self._parts.update(portion.failed)
            self._told(
                Portion(
                    {text: row for text, row in portion.vectors.items() if text in self._asked},
                    {text: why for text, why in portion.failed.items() if text in self._asked},
                )
            )

    def _fitting(self, texts: Sequence[str], window: int) -> Iterator[tuple[str, int]]:
        """The texts that fit and the parts of those that do not, each once, with their tokens."""
        seen = set(texts)
        for text in texts:
            tokens = word_pieces(text)
            if tokens <= window:
                yield text, tokens
                continue
            self._long[text] = fitting(text, word_pieces, window)
            for part, size in self._long[text]:
                if part not in seen:
                    seen.add(part)
                    yield part, size

    def _joined(self) -> Portion:
        vectors: dict[str, Vectors] = {}
        failed: dict[str, str] = {}
        for text, parts in self._long.items():
            found = [self._parts[part] for part, _ in parts if part in self._parts]
            rows = [row for row in found if not isinstance(row, str)]
            if len(rows) == len(parts):
                sizes = [size for _, size in parts]
                vectors[text] = averaged(np.stack(rows), [0] * len(parts), sizes, 1)[0]
            elif why := next((row for row in found if isinstance(row, str)), None):
                failed[text] = why
        return Portion(vectors, failed)
