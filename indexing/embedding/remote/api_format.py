"""The two APIs: what a request says, and where an answer holds its vectors."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Task = Literal["document", "query"]


class UnreadableError(Exception):
    """An answer is not what the API promises; the message says how, and quotes nothing."""


class Dialect(Protocol):
    """One API for one model. ``rule`` names what is done to texts beside embedding them."""

    @property
    def rule(self) -> str:
        """What is told or put before a text by its task; part of the model's identity."""

    @property
    def path(self) -> str:
        """Where requests go, below the endpoint."""

    def headers(self, secret: str) -> dict[str, str]:
        """What carries the key; nothing without one."""

    def body(self, texts: Sequence[str], task: Task) -> dict[str, object]:
        """The request for ``texts``."""

    def rows(self, answer: object, count: int) -> list[Any]:
        """One vector for each of ``count`` texts in their order: numbers, or bytes of float32.

        Raises UnreadableError.
        """


@dataclass(frozen=True, slots=True)
class OpenAI:
    """``POST /embeddings`` of OpenAI, Ollama, vLLM, llama.cpp and others.

    Source: platform.openai.com/docs/api-reference/embeddings. ``packed`` asks for base64, which halves what
    travels; not every server knows it, so it is understood wherever it comes.
    """

    model: str
    dimensions: int = 0
    packed: bool = False
    rule: str = "plain"

    @property
    def path(self) -> str:
        """See ``Dialect``."""
        return "/embeddings"

    def headers(self, secret: str) -> dict[str, str]:
        """See ``Dialect``."""
        return {"Authorization": f"Bearer {secret}"} if secret else {}

    def body(self, texts: Sequence[str], task: Task) -> dict[str, object]:
        """See ``Dialect``."""
        asked: dict[str, object] = {"model": self.model, "input": list(texts)}
        if self.dimensions:
            asked["dimensions"] = self.dimensions
        if self.packed:
            asked["encoding_format"] = "base64"
        return asked

    def rows(self, answer: object, count: int) -> list[Any]:
        """See ``Dialect``; each vector says by ``index`` which text it belongs to."""
        found = _list(answer, "data", count)
        rows: list[Any] = [None] * count
        for at, item in enumerate(found):
            index = item.get("index", at) if isinstance(item, dict) else None
            if not isinstance(index, int) or not 0 <= index < count or rows[index] is not None:
                raise UnreadableError("the vectors are not numbered like the texts")
            rows[index] = _unpacked(item.get("embedding"))
        return rows


@dataclass(frozen=True, slots=True)
class Gemini:
    """``POST /models/MODEL:batchEmbedContents``. Source: ai.google.dev/api/embeddings.

    Later models than gemini-embedding-001 take no task type; a prefix tells them instead.
    """

    model: str
    dimensions: int = 0

    @property
    def rule(self) -> str:
        """See ``Dialect``."""
        return "prefixes" if self._prefixes else "task types"

    @property
    def path(self) -> str:
        """See ``Dialect``."""
        return f"/models/{self.model}:batchEmbedContents"

    @property
    def _prefixes(self) -> bool:
        return self.model.startswith("gemini-embedding-") and self.model != "gemini-embedding-001"

    def headers(self, secret: str) -> dict[str, str]:
        """See ``Dialect``."""
        return {"x-goog-api-key": secret} if secret else {}

    def body(self, texts: Sequence[str], task: Task) -> dict[str, object]:
        """See ``Dialect``."""
        return {"requests": [self._one(text, task) for text in texts]}

    def rows(self, answer: object, count: int) -> list[Any]:
        """See ``Dialect``; the vectors are in the order of the texts."""
        found = _list(answer, "embeddings", count)
        return [item.get("values") if isinstance(item, dict) else None for item in found]

    def _one(self, text: str, task: Task) -> dict[str, object]:
        asked: dict[str, object] = {"model": f"models/{self.model}"}
        if self._prefixes:
            before = "title: none | text: " if task == "document" else "task: search result | query: "
            asked["content"] = {"parts": [{"text": before + text}]}
        else:
            asked["content"] = {"parts": [{"text": text}]}
            asked["taskType"] = "RETRIEVAL_DOCUMENT" if task == "document" else "RETRIEVAL_QUERY"
        if self.dimensions:
            asked["outputDimensionality"] = self.dimensions
        return asked


def _list(answer: object, name: str, count: int) -> list[Any]:
    found = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(found, list):
        raise UnreadableError("the answer holds no vectors")
    if len(found) != count:
        raise UnreadableError(f"{len(found)} vectors came for {count} texts")
    return found


def _unpacked(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return base64.b64decode(value, validate=True)
    except binascii.Error:
        return None
