"""Which line of one version a line of another is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.memory.patch import hunks


@dataclass(frozen=True, slots=True)
class Change:
    """Lines ``old`` of one version gave way to lines ``new`` of the next; 0-based, ends excluded."""

    old: range
    new: range


def changes(before: bytes, after: bytes) -> Iterator[Change]:
    """What changed between two versions, top to bottom."""
    drift = 0
    for hunk in hunks(before, after):
        at = hunk.at - drift
        yield Change(range(at, at + len(hunk.old)), range(hunk.at, hunk.at + len(hunk.new)))
        drift += len(hunk.new) - len(hunk.old)


def kept_lines(before: bytes, after: bytes) -> list[int | None]:
    """For each line of ``after`` its number in ``before`` (0-based), or None where it is new."""
    out: list[int | None] = []
    drift = 0
    for change in changes(before, after):
        out.extend(range(len(out) - drift, change.old.start))
        out.extend([None] * len(change.new))
        drift = change.new.stop - change.old.stop
    total = after.count(b"\n") + (not after.endswith(b"\n") and bool(after))
    out.extend(range(len(out) - drift, total - drift))
    return out
