"""Numbers as a line of blocks, and the same in words: a shape alone tells nothing to many people."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

BLOCKS = "▁▂▃▄▅▆▇█"
GAP = "·"
"""Where nothing is known."""
_STEADY = 0.05
"""Share of the largest value by which the ends may differ for a series that is called steady."""

Value = float | None


def sparkline(
    values: Sequence[Value], cells: int, *, low: float | None = None, high: float | None = None
) -> str:
    """``values``, the oldest first, in at most ``cells`` characters; empty where there is nothing to draw.

    The lowest block is the smallest value (or ``low``, where that is lower), the highest the largest (or
    ``high``). More values than cells are drawn in groups, each by its largest, so that no peak is hidden.
    None draws a dot.
    """
    if cells <= 0:
        return ""
    shown = _grouped(values, cells)
    known = [value for value in shown if value is not None]
    if not known:
        return GAP * len(shown)
    least, most = min(known), max(known)
    if low is not None:
        least = min(least, low)
    if high is not None:
        most = max(most, high)
    return "".join(GAP if value is None else _block(value, least, most) for value in shown)


def over_line(values: Sequence[Value], cells: int, limit: float) -> str:
    """A line to stand under a sparkline of the same values: ``!`` where it is over ``limit``."""
    shown = _grouped(values, cells) if cells > 0 else []
    return "".join("!" if value is not None and value > limit else " " for value in shown).rstrip()


def trend(values: Sequence[Value]) -> str:
    """Where a series goes, in words: its last third compared with its first."""
    known = [value for value in values if value is not None]
    if not known:
        return "nothing is known yet"
    if len(known) == 1:
        return "one moment only"
    if all(one == other for one, other in pairwise(known)):
        return "unchanged"
    third = max(1, len(known) // 3)
    first, last = sum(known[:third]) / third, sum(known[-third:]) / third
    tolerance = _STEADY * max(abs(value) for value in known)
    if abs(last - first) <= tolerance:
        return "steady"
    return "rising" if last > first else "falling"


def described(values: Sequence[Value], unit: str = "") -> str:
    """Smallest, largest and last value, and the trend: ``lowest 12, highest 3,400, last 900; falling``."""
    known = [value for value in values if value is not None]
    if not known:
        return trend(values)
    after = f" {unit}" if unit else ""
    last = next(value for value in reversed(known))
    return (
        f"lowest {_number(min(known))}, highest {_number(max(known))}, last {_number(last)}{after}; "
        f"{trend(values)}"
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _block(value: float, least: float, most: float) -> str:
    if most <= least:
        return BLOCKS[0] if value <= 0 else BLOCKS[len(BLOCKS) // 2 - 1]
    return BLOCKS[min(len(BLOCKS) - 1, int((value - least) / (most - least) * len(BLOCKS)))]


def _grouped(values: Sequence[Value], cells: int) -> list[Value]:
    """As many groups as there are cells, each as its largest value."""
    count = len(values)
    if count <= cells:
        return list(values)
    bounds = [at * count // cells for at in range(cells + 1)]
    groups = (values[begin:end] for begin, end in pairwise(bounds))
    return [max((value for value in group if value is not None), default=None) for group in groups]
