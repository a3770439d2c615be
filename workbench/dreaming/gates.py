"""The gates before a proposal: each says what was reached of what is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.config.settings import Settings
from workbench.dreaming.score import Score, Signals
from workbench.errors import UsageError
from workbench.memory.proposal import Gate

MOST_TOKENS = 160
"""Word pieces that a claim may have."""
STRENGTH = 0.3
"""How sure the rules must be of a claim that nobody could recall yet: as sure as of any fact."""
GROUNDED = 0.6
"""The part of the bar that such a claim must reach: what recalls would add to its score is out of reach."""
USED_STRENGTH = 0.4
"""How sure they must be of what is recalled often: being recalled makes no fact of a vague line."""
CORROBORATED = 2
"""Independent sources without which what nobody vouches for is never proposed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gates:
    """The thresholds of a run; ``days`` is the age up to which entries are read, ``limit`` the proposals."""

    score: float = 0.75
    signals: int = 3
    context: int = 3
    strength: float = STRENGTH
    used_strength: float = USED_STRENGTH
    limit: int = 10
    days: int = 30

    @classmethod
    def of(cls, settings: Settings, *, limit: int | None = None) -> Gates:
        """As the settings say (``dream_*``). Raises UsageError for what cannot be a threshold."""
        if not 0 <= settings.dream_score <= 1.15:
            raise UsageError(
                f"dream_score is {settings.dream_score:g}, and no claim scores above 1.15",
                hint="the usual bar is 0.75",
            )
        return cls(
            score=settings.dream_score,
            signals=settings.dream_signals,
            context=settings.dream_context,
            limit=settings.dream_limit if limit is None else limit,
            days=settings.dream_days,
        )


def by_use(score: Score, signals: Signals, strength: float, gates: Gates) -> tuple[Gate, ...]:
    """``score >= 0.75, signals >= 3, context >= 3, strength >= 0.4``: for what could be recalled."""
    return (
        Gate(name="score", reached=score.total, needed=gates.score),
        Gate(name="signals", reached=signals.count, needed=gates.signals),
        Gate(name="context", reached=signals.context, needed=gates.context),
        Gate(name="strength", reached=strength, needed=gates.used_strength),
    )


def by_ground(score: Score, strength: float, sources: int, gates: Gates) -> tuple[Gate, ...]:
    """``score >= 0.45, strength >= 0.3, sources >= 1``: for what nobody could recall yet."""
    return (
        Gate(name="score", reached=score.total, needed=round(GROUNDED * gates.score, 4)),
        Gate(name="strength", reached=strength, needed=gates.strength),
        Gate(name="sources", reached=sources, needed=1),
    )


def lowered(gates: Sequence[Gate]) -> str:
    """Why the score needs less than the settings say, for gates as ``by_ground`` makes them; else empty."""
    needed = {gate.name: gate.needed for gate in gates}
    if not {"score", "sources"} <= needed.keys() or "signals" in needed:
        return ""
    bar, usual = f"{needed['score']:g}", f"{round(needed['score'] / GROUNDED, 4):g}"
    return f"score {bar}: nothing tells yet what is recalled; dream_score {usual} counts from then on"


def corroboration(reached: int, *, trusted: bool) -> Gate:
    """What nobody vouches for needs two independent sources; what somebody does, itself alone."""
    return Gate(name="corroboration", reached=reached, needed=1 if trusted else CORROBORATED)


def passed(gates: tuple[Gate, ...]) -> bool:
    """Whether nothing is missing anywhere."""
    return all(gate.distance == 0 for gate in gates)
