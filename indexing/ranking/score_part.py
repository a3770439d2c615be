"""One part of a score: imported by code that only shows hits, so it loads nothing of the index."""

from __future__ import annotations

from typing import Literal

from workbench.frozen import frozen


@frozen
class ScorePart:
    """One part of a score. All ``plus`` contributions are added, then all ``times`` multiplied: the score.

    ``value`` is what was measured, ``weight`` what it counts, ``contribution`` what came of it, and ``words``
    what it rests on. An ``order`` part changes the place and not the score; a ``first``
    part puts a hit above all that lack it.
    """

    name: str
    how: Literal["plus", "times", "order", "first"]
    value: float
    weight: float
    contribution: float
    words: str

    def __str__(self) -> str:
        words = f" ({self.words})" if self.words else ""
        match self.how:
            case "plus":
                return f"{self.name} {self.value:.3f} x {self.weight:.2f}{words}"
            case "times":
                return f"{self.name} {self.value:.2f}: times {self.contribution:.3f}{words}"
            case "order":
                return f"{self.name}: {self.words}, {self.value:.0%} of the words"
            case "first":
                return f"{self.name}: above entries without it{words}"
