"""The score of a claim that nobody could recall yet: what it is, and who says it.

Where nothing was recalled there is no relevance, and no claim could reach the bar. A memory that begins must
still dream, so a claim is then measured by what its text and its sources say, and by how much it tells for
the room it takes. All that the rules take for a durable fact may pass, said once by the owner or the agent
(the bar is lower, as recalls cannot add to it); which of it comes first, and what stays when memory is full,
the score decides. The weights were chosen by benchmarks/retention.py, and that of what lasts by labelled logs
(benchmarks/typed.py).

Used for a workspace whose recalls span too few days to tell anything, and for episodes that wait in the
queue (``queue.py``); never for a log line in a workspace with recalls: what nobody asked for stays where
it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from workbench.dreaming.score import Score, clamp, halved

WEIGHTS: Mapping[str, float] = {
    "strength": 0.15,
    "lasting": 0.20,
    "importance": 0.05,
    "grounding": 0.20,
    "recency": 0.05,
    "telling": 0.35,
}
"""What each part counts."""
ONCE = 0.8
"""The grounding of what was said once, by somebody who is trusted."""
ENOUGH = 4
"""Independent sources from which a claim is grounded as well as it can be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a claim stands on.

    ``strength`` in [0, 1] is how sure the rules are that it states something, ``lasting`` in [0, 1] how
    likely it is of use in a month, ``importance`` in [0, 1] that of its type. ``sources`` counts independent
    sources and sessions, ``last`` is the day on which it was said last, ``telling`` in [0, 1] how much it
    tells for its length.
    """

    strength: float
    lasting: float
    importance: float
    sources: int
    last: date | None
    telling: float = 0.0


def grounded_score(ground: Ground, today: date) -> Score:
    """``0.15 strength + 0.20 lasting + 0.05 importance + 0.20 grounding + 0.05 recency + 0.35 telling``"""
    raw = {
        "strength": clamp(ground.strength),
        "lasting": corroborated(ground.lasting, ground.sources),
        "importance": clamp(ground.importance),
        "grounding": grounding(ground.sources),
        "recency": halved(ground.last, today),
        "telling": clamp(ground.telling),
    }
    return Score({name: WEIGHTS[name] * value for name, value in raw.items()})


def corroborated(lasting: float, sources: int) -> float:
    """``1 - (1 - lasting) / n`` for n independent sources: what returns is no matter of one day."""
    return clamp(1 - (1 - lasting) / max(1, sources))


def grounding(sources: int) -> float:
    """``clamp(0.8 + 0.2 * ln(n)/ln 4)`` for n independent sources; 0 for none."""
    return clamp(ONCE + (1 - ONCE) * math.log(sources) / math.log(ENOUGH)) if sources > 0 else 0.0
