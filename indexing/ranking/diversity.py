"""Near-duplicates make room: maximal marginal relevance over the words of what was found."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"\w+")


class WordSets:
    """Texts as sets of words, each a number with one bit a word: likeness costs a few operations."""

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}

    def of(self, text: str) -> int:
        """The set of the words in ``text``."""
        found = 0
        for word in set(_WORD.findall(text.lower())):
            found |= 1 << self._bits.setdefault(word, len(self._bits))
        return found


def likeness(one: int, other: int) -> float:
    """The share of words in common (Jaccard), in [0, 1]; two empty sets are alike."""
    union = (one | other).bit_count()
    return (one & other).bit_count() / union if union else 1.0


def diversified(
    scores: Sequence[float], sets: Sequence[int], count: int, balance: float
) -> list[tuple[int, float]]:
    """The first ``count`` places of ``scores`` by ``balance * score - (1 - balance) * likeness``.

    ``sets`` are those of ``WordSets``; likeness is that to the most alike of those chosen before, and stands
    beside each place. Scores are taken relative to the best. Carbonell and Goldstein, 1998.
    """
    best = max(scores, default=0.0) or 1.0
    left = {place: balance * score / best for place, score in enumerate(scores)}
    alike = dict.fromkeys(left, 0.0)
    chosen: list[tuple[int, float]] = []
    while left and len(chosen) < count:
        place = max(left, key=lambda one: (left[one] - (1 - balance) * alike[one], -one))
        del left[place]
        chosen.append((place, alike[place]))
        words = sets[place]
        for other in left:
            alike[other] = max(alike[other], likeness(words, sets[other]))
    return chosen
