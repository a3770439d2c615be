"""Numbers with what they count, in English: ``1 entry``, ``1,200 entries``."""

from __future__ import annotations


def plural(number: int, noun: str) -> str:
    """``number``, thousands parted by commas, with its noun."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun[-2:] in ("ry", "ty") else f"{number:,} {noun}s"
