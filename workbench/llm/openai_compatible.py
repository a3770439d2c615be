"""Any endpoint that speaks OpenAI's chat API, through the official client: OpenAI, Ollama, vLLM, llama.cpp, …

One deadline counts for all that a question takes, tries and pauses included.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import openai
from openai import AsyncOpenAI

from workbench.errors import ModelUnavailableError
from workbench.llm.client import UnusableAnswerError, explained, open_client
from workbench.llm.endpoint import Endpoint
from workbench.llm.key import Key
from workbench.llm.port import LanguageModelError, Message, Schema

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
        except openai.APIStatusError as error:
            raise LanguageModelError(self._refusal(error)) from None
        except (openai.APITimeoutError, openai.APIConnectionError) as error:
            if isinstance(error.__cause__, UnusableAnswerError):
                raise LanguageModelError(f"{self.name} {error.__cause__}") from None
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

    def _refusal(self, error: openai.APIStatusError) -> str:
        status = error.status_code
        if status in (401, 403):  # what it says of a key may hold a part of it
            return f"{self.name} refuses the key ({status}); it is from: {self._key.source}"
        if 300 <= status < 400:
            return f"{self.name} redirects to another address, where neither key nor text is sent"
        if status == 404:
            return f"{self.name} is not known there (404): look at language_endpoint and language_model"
        return f"{self.name} answered {status}{explained(error, self._key)}"

    def _client(self, timeout: float) -> AsyncOpenAI:
        headers = {"Authorization": f"Bearer {self._key.secret}"} if self._key.secret else {}
        try:
            return open_client(self._endpoint, headers, timeout=timeout, most=MOST_BYTES, retries=2)
        except ModelUnavailableError as error:
            raise LanguageModelError(error.message) from None
