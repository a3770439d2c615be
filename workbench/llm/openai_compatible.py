"""Any endpoint that speaks OpenAI's API, through the official client: OpenAI, Ollama, vLLM, llama.cpp, …

The client is kept to one endpoint: what it sends, how long it waits, how much it takes. It retries by itself,
with exponential backoff, and waits as long as ``Retry-After`` asks, up to two minutes. For an answer of a
language model one deadline counts for all that a question takes, tries and pauses included.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import httpx2
import openai

from workbench import __version__
from workbench.errors import ModelUnavailableError
from workbench.llm.endpoint import Endpoint, Key
from workbench.llm.language_model import LanguageModelError, Message, Schema

_SENT = frozenset({"host", "accept", "content-type", "content-length", "connection"})
_READ = frozenset({"retry-after", "x-should-retry"})
_MOST_EXPLAINED = 64 * 1024
_SPENT = ("insufficient_quota", "billing_hard_limit_reached")
_SHOWN = 200


class UnusableAnswerError(httpx2.RequestError):
    """An answer of 200 that is too large, packed or no JSON. The client tries again, as after a cut one."""


def open_client(
    endpoint: Endpoint, headers: Mapping[str, str], *, timeout: float, most: int, retries: int
) -> openai.AsyncOpenAI:
    """A client for ``endpoint``, for one event loop. Each try has ``timeout`` seconds and ``most`` bytes.

    ``headers`` carry the key; none means that no key is sent. The environment's proxies are used for public
    endpoints (through a tunnel: they see no text) and not for private ones. Raises ModelUnavailableError.
    """
    try:
        return openai.AsyncOpenAI(
            api_key="none",
            base_url=endpoint.url,
            timeout=timeout,
            max_retries=retries,
            http_client=_OneEndpoint(endpoint, headers, timeout, most),
        )
    except Exception:  # the environment's proxies and certificates; what is said of them may be secret
        raise ModelUnavailableError(
            "the proxy or the certificates of the environment cannot be used",
            hint="check HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR",
        ) from None


def explained(error: openai.APIStatusError, key: Key) -> str:
    """``: what the server says`` in a short line without the key; empty where it says nothing."""
    said = error.body
    if isinstance(said, dict):
        said = said.get("message", said.get("detail", ""))
    if not isinstance(said, str) or said == error.response.text.strip():  # no JSON: a page, most likely
        return ""
    words = " ".join(said.split())
    words = key.conceal("".join(letter for letter in words if letter.isprintable()))  # before it is cut
    short = words if len(words) <= _SHOWN else words[:_SHOWN] + "…"
    return f": {short}" if short else ""


def has_spent_all(error: openai.APIStatusError) -> bool:
    """Whether the account has no money left: no later try of this run would help."""
    return error.status_code == 429 and _is_spent(error.response.text)


class _OneEndpoint(httpx2.AsyncClient):
    """Reads whole answers within their limits, and follows no redirect.

    What the environment holds for other endpoints, and what describes this machine, is not sent.
    """

    def __init__(self, endpoint: Endpoint, headers: Mapping[str, str], timeout: float, most: int) -> None:
        super().__init__(
            timeout=timeout,
            mounts=dict.fromkeys(("http://", "https://", "all://")) if endpoint.private else None,
            follow_redirects=False,
        )
        self._seconds = timeout
        self._most = most
        self._own = {
            "User-Agent": f"memory-workbench/{__version__}",
            "Accept-Encoding": "identity",  # else a small answer could unpack into a huge one
            **headers,
        }

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """See ``httpx2.AsyncClient``; the answer is read."""
        for name in [name for name in request.headers if name.lower() not in _SENT]:
            del request.headers[name]
        request.headers.update(self._own)
        options["stream"] = True
        try:
            async with asyncio.timeout(self._seconds):  # in all: a server that sends a byte a second too
                response = await super().send(request, **options)
                try:
                    return await self._read(request, response)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise httpx2.ReadTimeout("the time limit was exceeded", request=request) from None

    async def _read(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        most = self._most if response.is_success else _MOST_EXPLAINED
        received = bytearray()
        async for part in response.aiter_raw():
            received += part
            if len(received) > most:
                break
        headers = {name: value for name, value in response.headers.items() if name.lower() in _READ}
        if response.is_success:
            if len(received) > most:
                raise UnusableAnswerError("answered much more than requested", request=request)
            if response.headers.get("content-encoding", "identity") not in ("", "identity"):
                raise UnusableAnswerError("compressed its answer without being asked to", request=request)
            try:
                json.loads(received)
            except (ValueError, RecursionError):
                raise UnusableAnswerError("did not answer with JSON", request=request) from None
            headers["content-type"] = "application/json"
        elif response.status_code == 429 and _is_spent(received.decode("utf-8", "replace")):
            headers["x-should-retry"] = "false"
        return httpx2.Response(
            response.status_code, headers=headers, content=bytes(received), request=request
        )


def _is_spent(answer: str) -> bool:
    return any(code in answer for code in _SPENT)


MOST_BYTES = 4_000_000
"""An answer may have as many, its envelope included."""
_OWN_LIMIT = ("api.openai.com",)
"""Hosts whose newer models know ``max_completion_tokens`` only; all others know the older name."""


class OpenAICompatible:
    """One model behind one endpoint. Safe to use from several threads; opens its connection when asked."""

    def __init__(self, endpoint: Endpoint, model: str, key: Key) -> None:
        self._endpoint = endpoint
        self._model = model
        self._key = key

    @property
    def name(self) -> str:
        """``model at host``."""
        return f"{self._model} at {self._endpoint.host}"

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int, timeout: float, schema: Schema | None = None
    ) -> str:
        """See ``LanguageModel``. Must not be called from a running event loop."""
        return asyncio.run(self._answer(messages, max_tokens, timeout, schema))

    async def _answer(
        self, messages: Sequence[Message], max_tokens: int, timeout: float, schema: Schema | None
    ) -> str:
        limit = "max_completion_tokens" if self._endpoint.host in _OWN_LIMIT else "max_tokens"
        asked: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": message.role, "content": message.text} for message in messages],
            limit: max_tokens,
        }
        headers = {"Authorization": f"Bearer {self._key.secret}"} if self._key.secret else {}
        try:
            client = open_client(self._endpoint, headers, timeout=timeout, most=MOST_BYTES, retries=2)
            create = client.chat.completions.create
            async with asyncio.timeout(timeout), client:
                if schema is not None:
                    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema)}}
                    with contextlib.suppress(openai.BadRequestError):
                        return self._text(await create(**asked, response_format=form))
                # Also of an endpoint that knows no schemas: the instructions hold it too.
                return self._text(await create(**asked))
        except ModelUnavailableError as error:
            raise LanguageModelError(error.message) from None
        except TimeoutError:
            raise LanguageModelError(f"{self.name} did not answer within {timeout:g} seconds") from None
        except openai.APIStatusError as error:
            raise LanguageModelError(self._refusal(error)) from None
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, UnusableAnswerError):
                raise LanguageModelError(f"{self.name} {error.__cause__}") from None
            raise LanguageModelError(f"{self.name} cannot be reached, or closed the connection") from None
        except (openai.OpenAIError, ValueError, TypeError, RecursionError):
            raise LanguageModelError(f"{self.name} sent an answer that its API does not define") from None

    def _text(self, answer: object) -> str:
        """The words of an answer. Raises LanguageModelError: nothing of its form is believed."""
        choices = getattr(answer, "choices", None)
        choice = choices[0] if isinstance(choices, list) and choices else None
        text = getattr(getattr(choice, "message", None), "content", None)
        if getattr(choice, "finish_reason", None) == "length":
            raise LanguageModelError(f"the answer of {self.name} was truncated")
        if not isinstance(text, str) or not text.strip():
            raise LanguageModelError(f"{self.name} answered nothing")
        return text

    def _refusal(self, error: openai.APIStatusError) -> str:
        status = error.status_code
        if status in (401, 403):  # what it says of a key may hold a part of it
            return f"{self.name} rejects the key ({status}); it is from: {self._key.source}"
        if 300 <= status < 400:
            return f"{self.name} redirects to another address, where neither key nor text is sent"
        if status == 404:
            return f"{self.name} was not found there (404): check language_endpoint and language_model"
        return f"{self.name} answered {status}{explained(error, self._key)}"
