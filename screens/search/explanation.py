"""Why a hit stands where it stands: the parts of its score, as they come from the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screens.drawing.rows import RowPart, Tone
from screens.drawing.safe_text import Shown, row_text, words


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One part of a score; see ``indexing.ranking.order.Part``. ``how`` is plus, times, order or first."""

    name: str
    how: str
    value: float
    weight: float
    contribution: float
    words: Shown


def parts_in(said: object) -> tuple[ScorePart, ...]:
    """The parts that this JSON holds. Raises ValueError, KeyError or TypeError when it is none."""
    if not isinstance(said, list):
        raise TypeError("parts must be a list")
    return tuple(
        ScorePart(
            name=str(part["name"]),
            how=str(part["how"]),
            value=float(part["value"]),
            weight=float(part["weight"]),
            contribution=float(part["contribution"]),
            words=row_text(str(part["words"])),
        )
        for part in said
    )


def effect(part: ScorePart) -> RowPart:
    """What a part did to the score: ``+0.328``, ``×0.50``; of an order, how like an earlier hit it is."""
    if part.how == "plus":
        return RowPart(words(f"+{part.contribution:.3f}"), "good" if part.contribution > 0 else "faint")
    if part.how == "times":
        tone: Tone = "good" if part.contribution > 1 else "warn" if part.contribution < 1 else "faint"
        return RowPart(words(f"×{part.contribution:.3f}"), tone)
    if part.how == "first":
        return RowPart(words("above"), "good")
    return RowPart(words(f"{part.value * 100:.0f} % like"), "warn" if part.value > 0 else "faint")


def sum_of(parts: Sequence[ScorePart], score: float) -> Shown:
    """The score as it is made of its parts: ``0.840 = (0.328 + 0.512) × 1.120``."""
    added = [f"{part.contribution:.3f}" for part in parts if part.how == "plus" and part.contribution]
    factors = [f"{part.contribution:.3f}" for part in parts if part.how == "times"]
    said = " + ".join(added) or "0"
    if factors:
        said = f"({said})" if len(added) > 1 else said
        said = " × ".join([said, *factors])
    return words(f"{score:.3f} = {said}")
