"""How far a dream is, told while it runs; whoever is told may stop it there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Step = Literal["reading", "folding", "recalls", "judging", "choosing", "wording"]
STEPS: tuple[Step, ...] = get_args(Step)
"""In their order: files are read, what is one claim is folded, recalls are counted, every claim is judged,
the best are chosen, and a language model words them."""


@dataclass(frozen=True, slots=True)
class DreamProgress:
    """``done`` of ``total`` units of a step: files for reading, claims for judging; 0 of 0 where none are
    counted.
    """

    phase: Step
    done: int = 0
    total: int = 0


OnProgress: TypeAlias = Callable[[DreamProgress], None]
"""Told how far it is. Raises StoppedError to stop the dream, which has written nothing by then."""


def unheard(_: DreamProgress) -> None:
    """Nobody listens."""
