"""Sessions as somebody had them, and a language model that says what a test tells it to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from workbench.llm.language_model import LanguageModelError, Message, Schema
from workbench.memory.entry import Span
from workbench.memory.transcript import Session, Turn

BEGAN = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)


def talk(*said: str, key: str = "agent:moss:s1", began: datetime = BEGAN, **more: Any) -> Session:
    """A session of these turns, by turns of the user and the agent; ``agent: …`` is the agent's."""
    turns = []
    for number, text in enumerate(said, 1):
        by_agent = text.startswith("agent: ")
        turns.append(
            Turn(
                line=2 * number,
                span=Span(0, 1),
                role="assistant" if by_agent else "user",
                text=text.removeprefix("agent: "),
                when=began + timedelta(minutes=number),
            )
        )
    told = {"source": "sessions/s1.jsonl", "agent": "moss", "user": "tessa", "trust": "owner"}
    return Session(key=key, turns=tuple(turns), **(told | more))


class Scripted:
    """A model with prepared answers: text, JSON, or an error to raise; the last one is given for ever."""

    name = "scripted"

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int, timeout: float, schema: Schema | None = None
    ) -> str:
        """See ``LanguageModel``."""
        assert (max_tokens, timeout) == (1_024, 30.0)
        self.asked.append("\n".join(message.text for message in messages))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, LanguageModelError):
            raise answer
        return answer if isinstance(answer, str) else json.dumps(answer)
