"""The port that every language model stands behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Schema = Mapping[str, Any]
"""A JSON schema (2020-12)."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a model."""

    role: Literal["system", "user"]
    text: str


class LanguageModelError(Exception):
    """The model gave no answer that can be used. ``args[0]`` says why, in words for a person.

    Whoever asks goes on without a model and says so; it is never a reason to stop.
    """


class LanguageModel(Protocol):
    """A model that completes text. It has no tools and remembers nothing."""

    @property
    def name(self) -> str:
        """What it is called, for reports and provenance."""

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int, timeout: float, schema: Schema | None = None
    ) -> str:
        """The text of one answer of at most ``max_tokens``, within ``timeout`` seconds in all.

        ``schema`` asks for JSON of that form, which the endpoint may or may not heed. Raises
        LanguageModelError for whatever goes wrong, an answer that is cut off or too long among it.
        """
