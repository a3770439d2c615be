"""A score taken apart again: what each part is, of what it could be at most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.dreaming import evidence_score
from workbench.dreaming.score import BOOST, WEIGHTS

_BY_USE = {**WEIGHTS, "boost": BOOST}


@dataclass(frozen=True, slots=True)
class Share:
    """One part of a score. ``weight`` is what it could be at most; None for a part that is not known."""

    name: str
    value: float
    weight: float | None

    @property
    def filled(self) -> float:
        """How much of its weight it reaches, in [0, 1]."""
        most = self.weight or 1.0
        return max(0.0, min(1.0, self.value / most))


def shares(parts: Mapping[str, float]) -> tuple[Share, ...]:
    """The parts, those of the greatest weight first; one called grounding tells by which rule they are."""
    weights: Mapping[str, float] = evidence_score.WEIGHTS if "grounding" in parts else _BY_USE
    found = [Share(name, value, weights.get(name)) for name, value in parts.items()]
    return tuple(sorted(found, key=lambda share: (-(share.weight or 0.0), share.name)))
