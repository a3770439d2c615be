"""Questions of one's own: made of entries of this memory, the same ones at every run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from indexing.lexical.index import LexicalReader
from indexing.sync.generations import Generations
from indexing.words import STOP_WORDS
from workbench.errors import IndexUnavailableError
from workbench.workspace.workspace import Workspace

ASKED = 4
"""Words of a question."""
_RAREST = 6
"""The question's words are drawn from so many of the entry's rarest."""
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class Sample:
    """A question, and the hashes of the entries that say just what the one says that it was made of."""

    question: str
    entry: str
    hash: str


def indexed_texts(workspace: Workspace) -> list[tuple[str, str, str]]:
    """Address, hash and text of all entries of the index, by address. Raises IndexUnavailableError."""
    current = Generations(workspace.state_path).current()
    if current is None:
        raise IndexUnavailableError("there is no index yet", hint="run `workbench reindex`")
    everything = LexicalReader(current.lexical).snapshot().everything()
    return sorted((entry.address, entry.hash, entry.text) for entry, _, _ in everything)


def samples(texts: Sequence[tuple[str, str, str]], count: int) -> list[Sample]:
    """At most ``count`` questions, each of some of the rarer words of one entry, spread over the memory.

    An entry with fewer than three words of its own makes none. Which are drawn hangs on content alone.
    """
    bags = [dict.fromkeys(_WORD.findall(text.casefold())) for _, _, text in texts]
    common = Counter(word for bag in bags for word in bag)
    order = sorted(range(len(texts)), key=lambda at: _draw(texts[at][0]))
    out: list[Sample] = []
    for at in order:
        own = [word for word in bags[at] if word not in STOP_WORDS]
        rare = sorted(own, key=lambda word: (common[word], _draw(word)))[:_RAREST]
        if len(rare) < 3:
            continue
        chosen = set(sorted(rare, key=lambda word: _draw(texts[at][0] + word))[:ASKED])
        question = " ".join(word for word in own if word in chosen)
        out.append(Sample(question, texts[at][0], texts[at][1]))
        if len(out) == count:
            break
    return out


def _draw(text: str) -> bytes:
    """An order that has nothing to do with content, and is the same everywhere."""
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).digest()
