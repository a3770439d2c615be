"""Questions for an entry that is known to be there, made from its own words as people half remember them.

Works on any workspace; the same seed gives the same questions.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence

from benchmarks.question_sets import Asked, Evidence
from indexing.document import Stored
from indexing.words import STOP_WORDS, date_words, exact_tokens

_WORD = re.compile(r"[A-Za-z]{3,}")
_LEAST_WORDS = 5


def questions(entries: Sequence[Stored], count: int, seed: int = 1) -> tuple[Asked, ...]:
    """``count`` questions of each style about entries of ``entries``."""
    chance = random.Random(seed)
    seen = Counter(word for entry in entries for word in set(_words(entry.text)))
    asked: list[Asked] = []
    for style, make in _STYLES.items():
        found = 0
        for entry in chance.sample(list(entries), len(entries)):
            rare = sorted(set(_words(entry.text)) - STOP_WORDS, key=lambda word: (seen[word], word))
            text = make(entry, rare, chance) if len(rare) >= _LEAST_WORDS else None
            if text:
                asked.append(Asked(text, style, (Evidence(path=entry.path, line=entry.start_line),)))
                found += 1
            if found == count:
                break
    return tuple(asked)


def _opening(entry: Stored, _: list[str], __: random.Random) -> str:
    """The first words."""
    return " ".join(entry.text.split()[:6])


def _remembered(_: Stored, rare: list[str], chance: random.Random) -> str:
    """Some words of it, in any order, rare ones and common ones."""
    words = [*rare[:2], *chance.sample(rare[2:], min(2, len(rare) - 2))]
    chance.shuffle(words)
    return " ".join(words)


def _dated(entry: Stored, rare: list[str], chance: random.Random) -> str | None:
    """Common words of it, and its day."""
    if entry.date is None:
        return None
    return f"{' '.join(chance.sample(rare[2:], 2))} on {date_words(entry.date)}"


def _iso(entry: Stored, rare: list[str], chance: random.Random) -> str | None:
    """Common words of it, and its day as it is written in a path."""
    return f"{' '.join(chance.sample(rare[2:], 2))} {entry.date}" if entry.date else None


def _identifier(entry: Stored, _: list[str], __: random.Random) -> str | None:
    """Something that stands there and is no word."""
    return next(iter(exact_tokens(entry.text)), None)


def _mistyped(_: Stored, rare: list[str], chance: random.Random) -> str:
    """Words of it, one with two letters turned around."""
    word = rare[0]
    at = chance.randrange(len(word) - 1)
    wrong = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return " ".join([wrong, *chance.sample(rare[1:], 2)])


_STYLES: dict[str, Callable[[Stored, list[str], random.Random], str | None]] = {
    "opening": _opening,
    "remembered": _remembered,
    "dated": _dated,
    "iso-dated": _iso,
    "identifier": _identifier,
    "mistyped": _mistyped,
}


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
