"""An ``Embedder`` over HTTP, for callers that know nothing of event loops."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from indexing.embedding.port import Portion
from indexing.embedding.remote.api_format import Task
from indexing.embedding.remote.backfill import Pass
from indexing.embedding.remote.background import Background
from indexing.embedding.remote.caller import Caller
from indexing.embedding.remote.provider import Service
from indexing.embedding.remote.request import Asking
from workbench.errors import ModelUnavailableError

if TYPE_CHECKING:
    from indexing.embedding.port import Vectors

RETRIES = 7
"""For documents: the client's backoff then waits half a minute in all, and longer where it is told to."""
REST_SECONDS = 30.0
"""For so long a provider that failed a question is not asked another one: every key is a question."""


class RemoteEmbedder:
    """A ``BulkEmbedder`` for the ``task`` of its texts. Reaches the network when it is asked, not before.

    Every method may raise ModelUnavailableError, which says what happened and never holds the key.
    """

    def __init__(
        self,
        service: Service,
        *,
        task: Task = "document",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service = service
        self._asks = task == "query"
        self._caller = Caller(
            service,
            timeout=service.query_timeout if self._asks else service.timeout,
            retries=0 if self._asks else RETRIES,  # whoever asks a question has words already
        )
        self._asking = Asking(service, self._caller, task)
        self._background = Background()
        self._clock = clock
        self._rests: tuple[float, ModelUnavailableError] | None = None

    @property
    def identity(self) -> str:
        """See ``Embedder``."""
        return self._service.identity

    @property
    def dimension(self) -> int:
        """See ``Embedder``; where nobody said it, the provider is asked once."""
        if not self._asking.dimension:
            self._background.start(self._asking.probe()).result()
        return self._asking.dimension

    @property
    def window(self) -> int:
        """See ``Embedder``."""
        return self._service.window

    @property
    def notes(self) -> Sequence[str]:
        """See ``Narrator``."""
        warning = self._service.key.warning
        return [warning] if warning else []

    def probe(self) -> None:
        """Ask for one vector, whatever is known already."""
        self._background.start(self._asking.probe()).result()

    def expect(self, dimension: int) -> None:
        """Refuse vectors of another length from now on."""
        self._asking.dimension = dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``. After a question that failed the next ones fail at once, for a while."""
        if self._asks and self._rests is not None and self._clock() < self._rests[0]:
            before = self._rests[1]
            raise ModelUnavailableError(before.message, hint=before.hint)
        try:
            found = self._all(list(dict.fromkeys(texts)))
        except ModelUnavailableError as error:
            self._rests = (self._clock() + REST_SECONDS, error)
            raise
        self._rests = None
        return (
            np.stack([found[text] for text in texts]) if texts else np.zeros((0, self.dimension), np.float32)
        )

    def _all(self, texts: list[str]) -> dict[str, Vectors]:
        found: dict[str, Vectors] = {}
        for portion in self.portions(texts):
            for why in portion.failed.values():
                raise ModelUnavailableError(f"{self._service.endpoint.host}: a text has no vector: {why}")
            found.update(portion.vectors)
        return found

    def portions(self, texts: Sequence[str]) -> Iterator[Portion]:
        """See ``BulkEmbedder``."""
        came: queue.SimpleQueue[Portion | BaseException | None] = queue.SimpleQueue()
        service = self._service
        work = Pass(
            self._asking,
            texts,
            came.put,
            batch=service.batch,
            concurrency=service.concurrency,
            window=service.window,
        )
        running = self._background.start(_run(work, came))
        try:
            while (item := came.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            running.cancel()

    def close(self) -> None:
        """Let the connections go."""
        self._background.start(self._caller.close()).result()
        self._background.close()


async def _run(work: Pass, came: queue.SimpleQueue[Portion | BaseException | None]) -> None:
    """Put portions into ``came``, then the error that ended them if there is one, then None."""
    try:
        await work.run()
    except BaseException as error:  # whoever waits at the other end must hear of it
        came.put(error)
        if not isinstance(error, Exception):
            raise
    finally:
        came.put(None)
