"""How long things take here: repeated, within a time that is given, told as median and slowest twentieth."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of so many runs: their median, and what nineteen of twenty stay below (nearest rank)."""

    runs: int
    p50_ms: float
    p95_ms: float

    def as_json(self) -> dict[str, float]:
        """The times as the command line prints them."""
        return {"runs": self.runs, "p50_ms": round(self.p50_ms, 3), "p95_ms": round(self.p95_ms, 3)}


def times(milliseconds: Iterable[float]) -> Times | None:
    """The summary of some runs; None where there was none."""
    every = sorted(milliseconds)
    if not every:
        return None
    return Times(len(every), median(every), every[-(-len(every) * 19 // 20) - 1])


def measure(work: Callable[[T], object], given: Iterable[T], seconds: float) -> Times | None:
    """``work`` for each of ``given``, until ``seconds`` are over; at least once."""
    out: list[float] = []
    end = time.perf_counter() + seconds
    for one in given:
        before = time.perf_counter()
        work(one)
        now = time.perf_counter()
        out.append((now - before) * 1e3)
        if now > end:
            break
    return times(out)
