"""What changed between two versions of a file, and how to take it back from a third.

Taking back never overwrites: a change is reversed where the lines it left are still there exactly as it
left them, and refused otherwise. Lines that it had removed return beside the lines they stood beside.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher


class OverlapError(Exception):
    """The lines that a change left have been edited since; ``lines`` are theirs (bytes as written)."""

    def __init__(self, lines: tuple[bytes, ...]) -> None:
        super().__init__(b"".join(lines))
        self.lines = lines


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines ``old`` gave way to lines ``new``, which stand at line ``at`` (0-based) of the new version."""

    at: int
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]


def split_lines(data: bytes) -> list[bytes]:
    """Lines with their ``\\n``; the last one may have none. No other character ends a line."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def hunks(before: bytes, after: bytes) -> list[Hunk]:
    """The changes that lead from ``before`` to ``after``, top to bottom."""
    old, new = split_lines(before), split_lines(after)
    return [Hunk(j1, tuple(old[i1:i2]), tuple(new[j1:j2])) for i1, i2, j1, j2 in _changes(old, new)]


def revert(before: bytes, after: bytes, current: bytes) -> bytes:
    """``current`` without the change from ``before`` to ``after``.

    Equals ``before`` when ``current`` equals ``after``. Raises OverlapError when lines that the change
    left have been edited or removed since.
    """
    if current == after:
        return before
    left, now = split_lines(after), split_lines(current)
    places = _Mapping(left, now)
    out = list(now)
    for hunk in reversed(hunks(before, after)):
        old = list(hunk.old)
        if hunk.new:
            at = places.block(hunk.at, hunk.new)
            out[at : at + len(hunk.new)] = _fit(old, out, at, len(hunk.new))
        else:
            at = places.gap(hunk.at)
            out[at:at] = _fit(old, out, at, 0)
    return b"".join(out)


class _Mapping:
    """Where the lines of one version stand in a later one."""

    def __init__(self, left: list[bytes], now: list[bytes]) -> None:
        self._now = now
        self._moved: list[int | None] = [None] * len(left)
        i, j = 0, 0
        for i1, i2, _, j2 in [*_changes(left, now), (len(left), len(left), len(now), len(now))]:
            while i < i1:
                self._moved[i] = j
                i, j = i + 1, j + 1
            i, j = i2, j2

    def block(self, at: int, lines: tuple[bytes, ...]) -> int:
        """Where exactly these lines, which stood at ``at``, stand now."""
        start = self._moved[at]
        if start is not None and tuple(self._now[start : start + len(lines)]) == lines:
            return start
        found = _occurrences(self._now, lines)  # moved as a whole?
        if len(found) == 1:
            return found[0]
        raise OverlapError(lines)

    def gap(self, at: int) -> int:
        """The place now of the gap before line ``at``: beside the nearest line that is still there."""
        for distance in range(len(self._moved) + 1):
            above, below = at - 1 - distance, at + distance
            if 0 <= above < len(self._moved) and (place := self._moved[above]) is not None:
                return place + 1
            if below < len(self._moved) and (place := self._moved[below]) is not None:
                return place
        return len(self._now)


def _occurrences(lines: list[bytes], wanted: tuple[bytes, ...]) -> list[int]:
    size = len(wanted)
    return [
        at for at, line in enumerate(lines) if line == wanted[0] and tuple(lines[at : at + size]) == wanted
    ]


def _fit(old: list[bytes], out: list[bytes], at: int, replaced: int) -> list[bytes]:
    """``old`` with the line ends that its place asks for: only the file's last line may lack one."""
    if not old:
        return old
    fitted = list(old)
    if at + replaced < len(out) and not fitted[-1].endswith(b"\n"):
        fitted[-1] += b"\n"
    if at and not out[at - 1].endswith(b"\n"):
        out[at - 1] += b"\n"
    return fitted


def _changes(old: list[bytes], new: list[bytes]) -> list[tuple[int, int, int, int]]:
    """Ranges of lines that differ, as SequenceMatcher gives them, without its cost on equal ends."""
    start = 0
    shortest = min(len(old), len(new))
    while start < shortest and old[start] == new[start]:
        start += 1
    end = 0
    while end < shortest - start and old[-1 - end] == new[-1 - end]:
        end += 1
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    if not middle_old and not middle_new:
        return []
    if not middle_old or not middle_new:
        return [(start, start + len(middle_old), start, start + len(middle_new))]
    matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
    return [
        (start + i1, start + i2, start + j1, start + j2)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]
