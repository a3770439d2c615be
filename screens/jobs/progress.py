"""How far long work is, and how fast it goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_SHORT = 0.2
"""Seconds before which a rate would be a guess."""


@dataclass(frozen=True, slots=True)
class Stage:
    """``done`` of ``total`` units of a phase, ``rate`` of them a second; 0 of 0 where none are counted."""

    phase: str
    done: int = 0
    total: int = 0
    rate: float = 0.0

    @property
    def is_counted(self) -> bool:
        """Whether it can be said how far it is."""
        return self.total > 1


class Meter:
    """Makes stages of what a process tells of itself: the rate is that of the phase under way."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._phase: str | None = None
        self._since = 0.0
        self._first = 0

    def read(self, said: Mapping[str, Any]) -> Stage | None:
        """The stage that a line tells of; None for one that tells of none."""
        phase, done, total = said.get("phase"), said.get("done", 0), said.get("total", 0)
        if not phase or not isinstance(done, int) or not isinstance(total, int):
            return None
        now = self._clock()
        if phase != self._phase:
            self._phase, self._since, self._first = phase, now, done
        seconds = now - self._since
        rate = (done - self._first) / seconds if seconds > _SHORT else 0.0
        return Stage(str(phase), done, total, rate)


def time_left(seconds: float) -> str:
    """How long something still takes, in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s left"
    return f"{round(seconds / 60)} min left"
