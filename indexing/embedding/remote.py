"""Embedding models behind an endpoint that speaks OpenAI's API, asked through the openai client.

Every answer is checked before a vector of it is used.
"""

from __future__ import annotations

import asyncio
import base64
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import islice
from typing import Any, TypeVar

import httpx2
import numpy as np
import openai

from indexing.embedding.choice import Service
from indexing.embedding.port import EmbeddedTexts, Embedder, TextVectors, Vectors, averaged, batches, fitting
from indexing.words import clean
from workbench.errors import ModelUnavailableError
from workbench.llm.openai_compatible import UnusableAnswerError, explained, has_spent_all, open_client
from workbench.memory.model_window import word_pieces

T = TypeVar("T")
RETRIES = 7
"""For documents: the client's backoff then waits half a minute in all, and longer where it is told to."""
REST_SECONDS = 30.0
"""For so long a provider that failed a question is not asked another one: every key is a question."""
MOST_TOKENS = 100_000
"""Tokens in one request, by an estimate from above; OpenAI takes 300,000."""

_PROBE = "memory"
"""A text that any model takes: refused as well, it is the request that is wrong and not a text."""
_MOST_FAILED = 50
"""Texts that may fail in one run; more, and it is the provider that fails."""
_ISOLATED_RETRIES = 1
_ANSWER_BYTES = 1_000_000
_VECTOR_BYTES = 256_000
_MOST_DIMENSIONS = 65_536
_MEANWHILE = "keyword search works until then; finished embeddings are kept, and the next run continues"
_SETTINGS = "check embedding_model and embedding_dimensions in your settings"
_OTHER_LENGTH = (
    "the model changed, or embedding_dimensions does not match it; `workbench reindex --full` rebuilds the "
    "index"
)


class TextsRefusedError(ModelUnavailableError):
    """An answer held no vectors, or said no: something in the texts, perhaps."""


class RemoteEmbedder(Embedder):
    """An embedder for documents or for ``questions``. Reaches the network when it is asked.

    The client waits and retries by itself. A text that the model refuses, or that gets no usable vector, is
    left out alone; vectors that came before a failure are kept. Every method may raise ModelUnavailableError,
    which says what happened and never holds the key.
    """

    def __init__(
        self, service: Service, *, questions: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.identity = service.identity
        self.window = service.window
        self.notes = [service.key.warning] if service.key.warning else []
        self._service = service
        self._where = service.endpoint.host
        self._questions = questions
        self._timeout = service.query_timeout if questions else service.timeout
        self._client = open_client(
            service.endpoint,
            {"Authorization": f"Bearer {service.key.secret}"} if service.key.secret else {},
            timeout=self._timeout,
            most=_ANSWER_BYTES + service.batch * _VECTOR_BYTES,
            retries=0 if questions else RETRIES,  # whoever asks a question has words already
        )
        self._length = service.dimensions
        self._failed = 0
        self._background = _Background()
        self._clock = clock
        self._rests: tuple[float, ModelUnavailableError] | None = None

    @property
    def dimension(self) -> int:  # type: ignore[override]  # only ``expect`` changes it
        """See ``Embedder``; where nobody said it, the provider is asked once."""
        if not self._length:
            self.probe()
        return self._length

    def probe(self) -> None:
        """Ask for one vector, whatever is known already."""
        self._background.start(self._probe()).result()

    def expect(self, dimension: int) -> None:
        """Refuse vectors of another length from now on."""
        self._length = dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``. After a question that failed the next ones fail at once, for a while."""
        if self._questions and self._rests is not None and self._clock() < self._rests[0]:
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

    def _all(self, texts: list[str]) -> TextVectors:
        found: TextVectors = {}
        for portion in self.portions(texts):
            for text, row in portion.items():
                if isinstance(row, str):
                    raise ModelUnavailableError(f"{self._where}: a text has no vector: {row}")
                found[text] = row
        return found

    def portions(self, texts: Sequence[str]) -> Iterator[EmbeddedTexts]:
        """See ``Embedder``. Several requests at the same time; a text longer than the window comes last.

        What is under way when one request fails may end, and counts.
        """
        asked = frozenset(texts)
        long: dict[str, list[tuple[str, int]]] = {}
        parts: EmbeddedTexts = {}
        due = batches(_fitting(texts, self.window, long), MOST_TOKENS, count=self._service.batch)
        running: set[Future[EmbeddedTexts]] = set()
        ended: ModelUnavailableError | None = None
        self._failed = 0
        try:
            while True:
                room = 0 if ended else self._service.concurrency - len(running)
                running.update(self._background.start(self._batch(some)) for some in islice(due, room))
                if not running:
                    break
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for one in done:
                    try:
                        rows = one.result()
                    except ModelUnavailableError as error:
                        ended = ended or error
                        continue
                    parts.update(rows)
                    yield {text: row for text, row in rows.items() if text in asked}
            if long:
                yield _joined(long, parts)
            if ended:
                raise ended
        finally:
            for one in running:
                one.cancel()

    def close(self) -> None:
        """Let the connections go."""
        self._background.start(self._client.close()).result()
        self._background.close()

    # -- requests, in the event loop -------------------------------------------------------------

    async def _batch(self, texts: list[str]) -> EmbeddedTexts:
        """What became of different ``texts``. A question is asked once, as it is."""
        try:
            rows = await self._checked(texts)
        except TextsRefusedError:
            if self._questions:
                raise
            await self._probe()
            return await self._isolated(texts)
        again = [text for text, row in rows.items() if isinstance(row, str)]
        return rows if self._questions or not again else rows | await self._isolated(again)

    async def _probe(self) -> None:
        """Ask for a vector that must come, which tells the dimension."""
        for why in (await self._checked([_PROBE])).values():
            if isinstance(why, str):
                raise ModelUnavailableError(f"{self._where} returns no vectors: {why}", hint=_SETTINGS)

    async def _checked(self, texts: list[str], *, suspects: bool = False) -> EmbeddedTexts:
        """One request; from an answer to ``suspects`` nothing is concluded, and it is tried twice at most."""
        answer = await self._post([clean(text) for text in texts], suspects=suspects)
        rows = dict(zip(texts, map(_vector, self._rows(answer, len(texts))), strict=True))
        if not suspects:
            self._check_length(rows)
        for text, row in rows.items():
            if not isinstance(row, str) and len(row) != self._length:
                rows[text] = f"its vector has {len(row)} numbers, not {self._length}"
        return rows

    async def _isolated(self, texts: list[str]) -> EmbeddedTexts:
        """Halve what is refused until only those stand alone that are refused by themselves."""
        try:
            rows = await self._checked(texts, suspects=True)
        except TextsRefusedError as error:
            rows = dict.fromkeys(texts, error.message)
        again = {text: row for text, row in rows.items() if isinstance(row, str)}
        if again and len(texts) == 1:
            self._failed += len(again)
            if self._failed > _MOST_FAILED:
                why = "".join(again.values())
                raise ModelUnavailableError(f"{self._where} fails on too many texts: {why}", hint=_SETTINGS)
            return rows
        half = (len(again) + 1) // 2
        for some in filter(None, (list(again)[:half], list(again)[half:])):
            rows |= await self._isolated(some)
        return rows

    async def _post(self, texts: list[str], *, suspects: bool) -> object:
        """``POST /embeddings``. Source: platform.openai.com/docs/api-reference/embeddings."""
        service = self._service
        prefix = service.prefix(self._questions)
        body: dict[str, object] = {"model": service.model, "input": [prefix + text for text in texts]}
        if service.dimensions:
            body["dimensions"] = service.dimensions
        if service.packed:
            body["encoding_format"] = "base64"
        retries = {"max_retries": _ISOLATED_RETRIES} if suspects else {}
        try:
            return await self._client.post("/embeddings", cast_to=object, body=body, options=retries)
        except openai.APIStatusError as error:
            raise self._refusal(error) from None
        except openai.APITimeoutError:
            raise _outage(f"{self._where} did not answer within {self._timeout:g} seconds") from None
        except openai.APIConnectionError as error:
            raise self._broken(error.__cause__) from None

    def _broken(self, cause: BaseException | None) -> ModelUnavailableError:
        if isinstance(cause, UnusableAnswerError):
            return _outage(f"{self._where} {cause}")
        if isinstance(cause, httpx2.ConnectError):
            return _outage(f"{self._where} cannot be reached")
        if isinstance(cause, httpx2.ProxyError):
            return _outage(f"the proxy to {self._where} refuses the connection")
        return _outage(f"the connection to {self._where} was closed")

    def _refusal(self, error: openai.APIStatusError) -> ModelUnavailableError:
        status, said = error.status_code, explained(error, self._service.key)
        if status in (401, 403) or (status == 400 and "API_KEY_INVALID" in str(error.body)):
            return ModelUnavailableError(  # what it says of a key may hold a part of it
                f"{self._where} rejects the key ({status}); it is from: {self._service.key.source}",
                hint="OPENAI_API_KEY and GEMINI_API_KEY are only sent to their public addresses; for "
                "another one set embedding_key_env",
            )
        if has_spent_all(error):
            return _outage(f"{self._where} says that the account has no credit left")
        if 300 <= status < 400:
            return ModelUnavailableError(
                f"{self._where} redirects to another address, where neither key nor text is sent",
                hint="correct embedding_endpoint in your settings",
            )
        if status == 404:
            return ModelUnavailableError(
                f"{self._where} has no such model or address (404){said}",
                hint="check embedding_endpoint (with its /v1) and embedding_model in your settings",
            )
        answered = f"{self._where} answered {status}{said}"
        if status in (408, 409, 429) or status > 500:
            return _outage(answered)
        # Some servers answer 500 when they cannot write down one of the vectors, such as one of NaN.
        return TextsRefusedError(answered, hint=_MEANWHILE if status == 500 else _SETTINGS)

    def _rows(self, answer: object, count: int) -> list[Any]:
        """What stands for the vector of each text, in their order: each says by ``index`` whose it is."""
        found = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(found, list):
            raise self._unreadable("the answer contains no vectors")
        if len(found) != count:
            raise self._unreadable(f"{len(found)} vectors came for {count} texts")
        rows: list[Any] = [None] * count
        for at, item in enumerate(found):
            index = item.get("index", at) if isinstance(item, dict) else None
            if not isinstance(index, int) or not 0 <= index < count or rows[index] is not None:
                raise self._unreadable("the vectors do not match the texts by index")
            rows[index] = item.get("embedding")
        return rows

    def _unreadable(self, why: str) -> TextsRefusedError:
        return TextsRefusedError(f"{self._where}: {why}", hint=_SETTINGS)

    def _check_length(self, rows: EmbeddedTexts) -> None:
        """One vector of another length is a fault of its own; all of them, and it is another model."""
        lengths = Counter(len(row) for row in rows.values() if not isinstance(row, str))
        if not lengths:
            return
        usual = lengths.most_common(1)[0][0]
        self._length = self._length or usual
        if self._length not in lengths:
            raise ModelUnavailableError(
                f"{self._where} returns vectors of {usual} numbers, and {self._length} are needed",
                hint=_OTHER_LENGTH,
            )


def _outage(what: str) -> ModelUnavailableError:
    return ModelUnavailableError(what, hint=_MEANWHILE)


def _fitting(
    texts: Sequence[str], window: int, long: dict[str, list[tuple[str, int]]]
) -> Iterator[tuple[str, int]]:
    """The texts that fit and the parts of the others, noted in ``long``; each once, with its tokens."""
    seen = set(texts)
    for text in texts:
        tokens = word_pieces(text)
        if tokens <= window:
            yield text, tokens
            continue
        long[text] = fitting(text, word_pieces, window)
        for part, size in long[text]:
            if part not in seen:
                seen.add(part)
                yield part, size


def _joined(long: Mapping[str, list[tuple[str, int]]], known: EmbeddedTexts) -> EmbeddedTexts:
    """What became of texts that were embedded in parts, as far as all their parts came."""
    joined: EmbeddedTexts = {}
    for text, parts in long.items():
        found = [known[part] for part, _ in parts if part in known]
        rows = [row for row in found if not isinstance(row, str)]
        if len(rows) == len(parts):
            joined[text] = averaged(np.stack(rows), [0] * len(parts), [size for _, size in parts], 1)[0]
        elif why := next((row for row in found if isinstance(row, str)), None):
            joined[text] = why
    return joined


def _vector(row: Any) -> Vectors | str:
    """(d,) float32 of length 1, from numbers or from base64 of float32; or in a few words why it is none."""
    try:
        if isinstance(row, str):
            vector = np.frombuffer(base64.b64decode(row, validate=True), "<f4").astype(np.float64)
        elif isinstance(row, list) and not any(isinstance(value, str) for value in row):
            vector = np.asarray(row, np.float64)
        else:
            return "no vector came"
    except (TypeError, ValueError, OverflowError):
        return "the answer is not a vector of numbers"
    if vector.ndim != 1 or not 0 < len(vector) <= _MOST_DIMENSIONS:
        return "the answer is not a vector of numbers"
    if not np.isfinite(vector).all():
        return "its vector contains an invalid number"
    largest = float(np.abs(vector).max())
    if not largest > 0.0:
        return "its vector is zero"
    vector = vector / largest  # numbers near the ends of the range must not vanish when squared
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


class _Background:
    """An event loop in a daemon thread of its own, for callers that wait; it ends with this object."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_serve, args=[self._loop], name="provider", daemon=True)
        self._thread.start()
        self._end = weakref.finalize(self, self._loop.call_soon_threadsafe, self._loop.stop)

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin ``work``; the future can be waited for and cancelled from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """End the thread when what runs in it has been cancelled."""
        if self._end.alive:
            self._end()
            self._thread.join(timeout=5)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    with asyncio.Runner(loop_factory=lambda: loop):  # which cancels what is left when it ends
        loop.run_forever()
