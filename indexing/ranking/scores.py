"""The parts of a score: as numbers that make it up exactly, and as a person can read them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The parts of a score.

    ``lexical`` and ``vector`` lie in [0, 1]; ``share`` is what the vector counts, words count the rest;
    ``date`` is added; ``recency``, ``boost``, ``importance``, ``pin`` and ``user`` are factors.
    """

    lexical: float = 0.0
    vector: float = 0.0
    share: float = 0.0
    date: float = 0.0
    recency: float = 1.0
    boost: float = 1.0
    importance: float = 1.0
    pin: float = 1.0
    user: float = 1.0

    @property
    def total(self) -> float:
        """The score that the parts make."""
        likeness = self.share * self.vector + (1.0 - self.share) * self.lexical
        return (likeness + self.date) * self.recency * self.boost * self.importance * self.pin * self.user

    def as_json(self) -> dict[str, float]:
        """The parts, rounded for reading."""
        return {one.name: round(getattr(self, one.name), 6) for one in fields(self)}


@dataclass(frozen=True, slots=True)
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

    def as_json(self) -> dict[str, object]:
        """The part, rounded for reading."""
        return {
            "name": self.name,
            "how": self.how,
            "value": round(self.value, 6),
            "weight": round(self.weight, 6),
            "contribution": round(self.contribution, 6),
            "words": self.words,
        }
