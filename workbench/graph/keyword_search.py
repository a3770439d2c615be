"""Entities and typed memories by the words in them, without an index."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.graph.snapshot import Graph, Held
from workbench.memory.graph_page import Entity, name_key

_WORD = re.compile(r"\w+")
_SHORTEST = 2
SILENT = frozenset(
    _WORD.findall(
        """
        a about all an and any are as at be been by can currently did do does for from had has have he her
        him his how i in is it its known me my now of off on or our she that the their them there they this
        to was we were what when where which who whom whose why will with you your
        """
    )
)
"""Words that name nothing by themselves."""


@dataclass(frozen=True, slots=True)
class ByWords:
    """What holds words: ``share`` of them in [0, 1], ``score`` = share x importance x confidence."""

    held: Held
    share: float
    score: float


def query_words(text: str) -> tuple[str, ...]:
    """The words of ``text`` that are looked for: folded, without those that say nothing; else all of them."""
    said = tuple(dict.fromkeys(_WORD.findall(_folded(text))))
    return tuple(word for word in said if word not in SILENT and len(word) >= _SHORTEST) or said


def named_like(graph: Graph, text: str, most: int = 10) -> tuple[Entity, ...]:
    """Entities with a name or alias that holds all words of ``text``: named so first, then the shortest."""
    words = query_words(text)
    if not words:
        return ()
    exact = {entity.path for entity in graph.candidates(text)}
    found = []
    for entity in graph.entities:
        names = [name_key(name) for name in (entity.name, *entity.aliases)]
        fitting = [name for name in names if all(_holds(_folded(name), word) for word in words)]
        if entity.path in exact or fitting:
            length = min((len(name) for name in fitting), default=0)
            found.append((entity.path not in exact, length, entity.path, entity))
    return tuple(entity for *_, entity in sorted(found, key=lambda item: item[:3])[:most])


def memories_with(graph: Graph, text: str, most: int = 20, least: float = 1.0) -> tuple[ByWords, ...]:
    """Typed memories with at least a share ``least`` of the words of ``text``, the best first.

    The names of the entity that a memory is about count as words of it.
    """
    words = query_words(text)
    found = []
    for held in graph.memories() if words else ():
        entity = held.entity
        names = " ".join((entity.name, *entity.aliases)) if entity else ""
        share = share_of(words, f"{held.memory.text} {names}")
        if share and share >= least:
            found.append(ByWords(held, share, share * held.memory.weight))
    found.sort(key=lambda item: (-item.share, -item.score, item.held.memory.entry.address))
    return tuple(found[:most])


def share_of(words: Sequence[str], text: str) -> float:
    """The share of ``words``, which are folded and at least one, that words of ``text`` begin with."""
    body = _folded(text)
    return sum(_holds(body, word) for word in words) / len(words)


def _holds(body: str, word: str) -> bool:
    """Whether a word of ``body`` begins with ``word``; in scripts without blanks, whether it is in there."""
    at = body.find(word)
    while at >= 0:
        if at == 0 or not body[at - 1].isalnum() or ord(word[0]) > 0x2E80:
            return True
        at = body.find(word, at + 1)
    return False


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
