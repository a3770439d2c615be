"""Any endpoint that speaks OpenAI's chat API, through the official client: OpenAI, Ollama, vLLM, llama.cpp, …

The client is told everything: it must not send what the environment holds for others (organization, project,
further headers) to the endpoint that a person named. One deadline counts for all that a question takes, tries
and pauses included, and an answer that grows too large is dropped while it comes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

from workbench import __version__
from workbench.llm.endpoint import Endpoint
from workbench.llm.key import Key
from workbench.llm.port import LanguageModelError, Message, Schema

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

MOST_BYTES = 4_000_000
"""An answer may have as many, its envelope included."""
_SENT = frozenset(
    {"host", "accept", "accept-encoding", "authorization", "content-type", "content-length", "connection"}
)
_OWN_LIMIT = ("api.openai.com",)
"""Hosts whose newer models know ``max_completion_tokens`` only; all others know the older name."""
_SHOWN = 160


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
        return asyncio.run(self._within(messages, max_tokens, timeout, schema))

    async def _within(
        self, messages: Sequence[Message], max_tokens: int, timeout: float, schema: Schema | None
    ) -> str:
        try:
            async with asyncio.timeout(timeout), self._client(timeout) as client:
                return await self._ask(client, messages, max_tokens, schema)
        except TimeoutError:
            raise LanguageModelError(f"{self.name} did not answer within {timeout:g} seconds") from None

    async def _ask(
        self, client: AsyncOpenAI, messages: Sequence[Message], max_tokens: int, schema: Schema | None
    ) -> str:
        import openai  # noqa: PLC0415 - 0.5 s, for those who named a model

        limit = "max_completion_tokens" if self._endpoint.host in _OWN_LIMIT else "max_tokens"
        asked: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": message.role, "content": message.text} for message in messages],
            limit: max_tokens,
        }
        try:
            if schema is None:
                return self._text(await client.chat.completions.create(**asked))
            form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema)}}
            try:
                return self._text(await client.chat.completions.create(**asked, response_format=form))
            except openai.BadRequestError:  # an endpoint that knows no schemas; the instructions hold it too
                return self._text(await client.chat.completions.create(**asked))
        except _TooLargeError:
            raise LanguageModelError(f"{self.name} answered far more than it was asked for") from None
        except openai.APIStatusError as error:
            raise LanguageModelError(self._refusal(error)) from None
        except (openai.APITimeoutError, openai.APIConnectionError) as error:
            if isinstance(error.__cause__, _TooLargeError):
                raise LanguageModelError(f"{self.name} answered far more than it was asked for") from None
            raise LanguageModelError(f"{self.name} cannot be reached, or broke off") from None
        except (openai.OpenAIError, ValueError, TypeError, RecursionError):
            raise LanguageModelError(f"{self.name} answered something that its API does not know") from None

    def _text(self, answer: object) -> str:
        """The words of an answer. Raises LanguageModelError: nothing of its form is believed."""
        choices = getattr(answer, "choices", None)
        choice = choices[0] if isinstance(choices, list) and choices else None
        text = getattr(getattr(choice, "message", None), "content", None)
        if getattr(choice, "finish_reason", None) == "length":
            raise LanguageModelError(f"the answer of {self.name} was cut off")
        if not isinstance(text, str) or not text.strip():
            raise LanguageModelError(f"{self.name} answered nothing")
        return text

    def _refusal(self, error: Any) -> str:
        status = error.status_code
        if status in (401, 403):  # what it says of a key may hold a part of it
            return f"{self.name} refuses the key ({status}); it is from: {self._key.source}"
        if 300 <= status < 400:
            return f"{self.name} redirects to another address, where neither key nor text is sent"
        if status == 404:
            return f"{self.name} is not known there (404): look at language_endpoint and language_model"
        body = error.body if isinstance(error.body, dict) else {}
        said = body.get("message")
        words = " ".join(self._key.conceal(said).split())[:_SHOWN] if isinstance(said, str) else ""
        words = "".join(letter for letter in words if letter.isprintable())
        return f"{self.name} answered {status}" + (f": {words}" if words else "")

    def _client(self, timeout: float) -> AsyncOpenAI:
        try:
            import httpx2  # noqa: PLC0415
            import openai  # noqa: PLC0415
        except ImportError as error:
            raise LanguageModelError(
                "the package `openai` is not installed: install the extra `language` (README, Install)"
            ) from error
        try:
            http = httpx2.AsyncClient(
                timeout=timeout,
                follow_redirects=False,
                mounts=dict.fromkeys(("http://", "https://", "all://")) if self._endpoint.private else None,
                event_hooks={"request": [self._only_ours], "response": [_bounded]},
            )
            return openai.AsyncOpenAI(
                api_key=self._key.secret or "none",
                base_url=self._endpoint.url,
                timeout=timeout,
                max_retries=2,
                http_client=http,
            )
        except Exception:  # the environment's proxies and certificates; what is said of them may be secret
            raise LanguageModelError(
                "the proxy or the certificates that the environment names cannot be used"
            ) from None

    async def _only_ours(self, request: httpx2.Request) -> None:
        """What the environment adds for other endpoints, and what describes this machine, stays here."""
        for name in [name for name in request.headers if name.lower() not in _SENT]:
            del request.headers[name]
        request.headers["user-agent"] = f"memory-workbench/{__version__}"
        request.headers["accept-encoding"] = "identity"  # else a small answer could unpack into a huge one
        if self._key.secret:
            request.headers["authorization"] = f"Bearer {self._key.secret}"
        else:
            request.headers.pop("authorization", None)


class _TooLargeError(Exception):
    """More came than an answer may have."""


async def _bounded(response: httpx2.Response) -> None:
    import httpx2  # noqa: PLC0415

    stream = response.stream
    assert isinstance(stream, httpx2.AsyncByteStream)
    inner = stream

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for part in inner:
                size += len(part)
                if size > MOST_BYTES:
                    raise _TooLargeError
                yield part

        async def aclose(self) -> None:
            await inner.aclose()

    response.stream = Bounded()
