"""Numbers with what they count, in English: ``1 entry``, ``1,200 entries``, ``3 hours``."""

from __future__ import annotations

from collections.abc import Sequence


def plural(number: int, noun: str) -> str:
    """``number``, thousands parted by commas, with its noun."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun[-2:] in ("ry", "ty") else f"{number:,} {noun}s"


def duration(seconds: float) -> str:
    """A time in words, in the largest unit of which there are two."""
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= 2 * length:
            return f"{int(seconds // length):,} {unit}s"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def first_few(names: Sequence[str], most: int) -> list[str]:
    """The first ``most`` of these names; the last one says how many more there are: ``and 3 more``."""
    return [*names[:most], *([f"and {len(names) - most:,} more"] if len(names) > most else [])]
