"""The turns of a conversation that a program wrote down in one paragraph, one below the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from workbench.memory.origin import said_in_room
from workbench.memory.transcript_text import program_spans

_TURN = re.compile(r"^(?P<who>user|human|assistant|system|tool)\s?:\s", re.MULTILINE | re.IGNORECASE)


def turns_in(text: str) -> Iterator[tuple[int, str]]:
    """The turns of a paragraph, each with where it begins; a text without any is one by itself."""
    if "\n" not in text:
        yield 0, text
        return
    starts, looked, is_room = [0], 0, False
    inside, spans = 0, iter((*program_spans(text), (len(text) + 1, len(text) + 1)))
    span = next(spans)
    for found in _TURN.finditer(text):
        while span[0] <= found.start():
            inside, span = max(inside, span[1]), next(spans)
        if not found.start() or found.start() < inside:
            continue  # a program put it in, and nobody says it here
        is_room = is_room or said_in_room(text[looked : found.start()])
        looked = found.start()
        if is_room and found["who"].casefold() in ("user", "human"):
            continue  # whoever writes in a room may write so
        starts.append(looked)
        is_room = False
    for start, end in pairwise((*starts, len(text))):
        yield start, text[start:end].rstrip("\n")
