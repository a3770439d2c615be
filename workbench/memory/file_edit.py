"""One file's bytes before and after an action: which lines changed, how to reverse that, and the diff."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby, pairwise

from workbench.frozen import frozen
from workbench.memory.entry import RelPath

# -- what changed between two versions, and its reversal in a third ----------------------------------


class OverlapError(Exception):
    """The lines that a change left have been edited since; ``lines`` are theirs (bytes as written)."""

    def __init__(self, lines: tuple[bytes, ...]) -> None:
        super().__init__(b"".join(lines))
        self.lines = lines


Lines = list[bytes]
"""Lines with their ends, as written."""


@frozen
class Hunk:
    """Lines ``old`` gave way to lines ``new``, which stand at line ``at`` (0-based) of the new version.

    The old ones stood at line ``was`` of the old version.
    """

    at: int
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]
    was: int = 0


def split_lines(data: bytes) -> Lines:
    """Lines with their ``\\n``; the last one may have none. No other character ends a line."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def alike(one: Sequence[object], other: Sequence[object]) -> int:
    """How many lines both begin with."""
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)


def hunks(before: bytes, after: bytes) -> list[Hunk]:
    """The changes that lead from ``before`` to ``after``, top to bottom."""
    old, new = split_lines(before), split_lines(after)
    return [Hunk(j1, tuple(old[i1:i2]), tuple(new[j1:j2]), i1) for i1, i2, j1, j2 in _changes(old, new)]


def kept_lines(before: bytes, after: bytes) -> list[int | None]:
    """For each line of ``after`` its number in ``before`` (0-based), or None where it is new."""
    out: list[int | None] = []
    drift = 0
    for hunk in hunks(before, after):
        out += range(len(out) - drift, hunk.was)
        out += [None] * len(hunk.new)
        drift = hunk.at + len(hunk.new) - hunk.was - len(hunk.old)
    return [*out, *range(len(out) - drift, len(split_lines(before)))]


def revert(before: bytes, after: bytes, current: bytes) -> bytes:
    """``current`` without the change from ``before`` to ``after``.

    Nothing is overwritten: a change is reversed where the lines it left are still there exactly as it left
    them. Lines that it had removed return beside the lines they stood beside. Equals ``before``
    when ``current`` equals ``after``. Raises OverlapError when lines that the change left have been edited or
    removed since.
    """
    if current == after:
        return before
    if after.endswith(b"\n") and before.endswith(b"\n") and current.startswith(after):
        return before + current[len(after) :]  # lines were added at the end, as agents do
    left, now = split_lines(after), split_lines(current)
    places = _Mapping(left, now)
    out = list(now)
    # All places are found before the first line moves, and taken from the bottom up: what was moved
    # since may stand in another order than it did.
    for at, size, old in reversed(_disjoint(_places(places, hunks(before, after)), now)):
        out[at : at + size] = _fit(old, out, at, size)
    return b"".join(out)


def _places(places: _Mapping, changes: list[Hunk]) -> list[tuple[int, int, Lines]]:
    """For each change where it stands now, how many lines it holds there, and what returns instead."""
    found = []
    for change in changes:
        try:
            at = places.block(change.at, change.new) if change.new else places.gap(change.at)
            found.append((at, len(change.new), list(change.old)))
        except OverlapError:
            pieces = _pieces(change)
            if len(pieces) < 2:
                raise
            found += [(places.block(piece.at, piece.new), len(piece.new), []) for piece in pieces]
    return found


def _pieces(change: Hunk) -> list[Hunk]:
    """What only added lines, cut where blank lines begin and end: newer text may stand in between."""
    if change.old:
        return []
    out: list[Hunk] = []
    at = change.at
    for _, run in groupby(change.new, key=lambda line: bool(line.strip())):
        lines = tuple(run)
        out.append(Hunk(at, (), lines))
        at += len(lines)
    return out


def _disjoint(ranges: list[tuple[int, int, Lines]], now: Lines) -> list[tuple[int, int, Lines]]:
    """The ranges by their place, gaps before lines at the same place. Raises OverlapError."""
    ordered = sorted(ranges, key=lambda item: item[:2])
    for (at, size, _), (following, more, _) in pairwise(ordered):
        if following < at + size and (more or following > at):
            raise OverlapError(tuple(now[following : following + max(more, 1)]))
    return ordered


class _Mapping:
    """Where the lines of one version stand in a later one.

    What kept its order is found by comparing the two as sequences; what was moved is found by lines
    that occur once among the rest, and grows from these. Blank lines prove nothing by themselves.
    """

    def __init__(self, left: Lines, now: Lines) -> None:
        self._left, self._now = left, now
        self._moved: list[int | None] = [None] * len(left)
        self._came: list[int | None] = [None] * len(now)
        self._blank: dict[int, int] = {}
        """Blank lines in the order of both: a place between two partners, and no more."""
        i, j = 0, 0
        for i1, i2, _, j2 in [*_changes(left, now), (len(left), len(left), len(now), len(now))]:
            if any(line.strip() for line in left[i:i1]):
                for step in range(i1 - i):
                    self._join(i + step, j + step)
            else:
                self._blank.update(zip(range(i, i1), range(j, j + i1 - i), strict=True))
            i, j = i2, j2
        self._follow_moves()

    def block(self, at: int, lines: tuple[bytes, ...]) -> int:
        """Where exactly these lines, which stood at ``at``, stand now."""
        known = next((n for n, line in enumerate(lines) if line.strip()), 0)
        partner = self._moved[at + known]
        if partner is not None:
            start = partner - known
            if start >= 0 and tuple(self._now[start : start + len(lines)]) == lines:
                return start
            raise OverlapError(lines)
        # Found by their text alone: only where no other lines of the same text could be meant.
        here = [j for j in _occurrences(self._now, lines) if self._free(self._came, j, lines)]
        there = [i for i in _occurrences(self._left, lines) if self._free(self._moved, i, lines)]
        if len(here) == 1 and there == [at]:
            return here[0]
        raise OverlapError(lines)

    def gap(self, at: int) -> int:
        """The place now of the gap before line ``at``: below a blank line, or beside the nearest line left.

        Nearest is what has the fewest lines with words in between: where the end of a paragraph was
        rewritten, what stood below it does not return into the middle.
        """
        end = len(self._moved)
        above = next((i for i in range(at - 1, -1, -1) if self._moved[i] is not None), -1)
        below = next((i for i in range(at, end) if self._moved[i] is not None), end)
        first = self._moved[above] if above >= 0 else None
        last = self._moved[below] if below < end else None
        blank = self._blank.get(at - 1)
        if blank is not None and (first is None or first < blank) and (last is None or blank < last):
            return blank + 1  # newer text may stand between the blank line and those neighbours
        up = (self._words(above + 1, at), above < 0, at - 1 - above)
        down = (self._words(at, below), below == end, below - at)
        if up <= down:
            return 0 if first is None else first + 1
        place = len(self._now) if last is None else last
        for _ in range(at, below):  # the blank lines that stood below it still do
            if place and not self._now[place - 1].strip():
                place -= 1
        return place

    def _words(self, first: int, last: int) -> int:
        return sum(bool(line.strip()) for line in self._left[first:last])

    def _follow_moves(self) -> None:
        here = _once(self._now, self._came)
        for line, i in _once(self._left, self._moved).items():
            j = here.get(line)
            if j is None or self._moved[i] is not None or self._came[j] is not None:
                continue
            self._join(i, j)
            for step in (-1, 1):
                self._grow(i, j, step)

    def _grow(self, i: int, j: int, step: int) -> None:
        """Join the lines beside a pair, in one direction, as far as they are the same."""
        i, j = i + step, j + step
        while 0 <= i < len(self._left) and 0 <= j < len(self._now):
            if self._left[i] != self._now[j] or self._moved[i] is not None or self._came[j] is not None:
                return
            self._join(i, j)
            i, j = i + step, j + step

    def _join(self, i: int, j: int) -> None:
        self._moved[i], self._came[j] = j, i

    @staticmethod
    def _free(pairs: list[int | None], at: int, lines: tuple[bytes, ...]) -> bool:
        """Whether the lines at ``at`` may be paired: those with words have no partner yet."""
        words = [n for n, line in enumerate(lines) if line.strip()] or range(len(lines))
        return all(pairs[at + n] is None for n in words)


def _once(lines: Lines, pairs: list[int | None]) -> dict[bytes, int]:
    """Lines with words that occur once among those without a partner, with their places."""
    alone = [(line, at) for at, line in enumerate(lines) if pairs[at] is None and line.strip()]
    counts = Counter(line for line, _ in alone)
    return {line: at for line, at in alone if counts[line] == 1}


def _occurrences(lines: Lines, wanted: tuple[bytes, ...]) -> list[int]:
    size = len(wanted)
    return [
        at for at, line in enumerate(lines) if line == wanted[0] and tuple(lines[at : at + size]) == wanted
    ]


def _fit(old: Lines, out: Lines, at: int, replaced: int) -> Lines:
    """``old`` with the line ends that its place asks for: only the file's last line may lack one."""
    if not old:
        return old
    fitted = list(old)
    if at + replaced < len(out) and not fitted[-1].endswith(b"\n"):
        fitted[-1] += b"\n"
    if at and not out[at - 1].endswith(b"\n"):
        out[at - 1] += b"\n"
    return fitted


def _changes(old: Lines, new: Lines) -> list[tuple[int, int, int, int]]:
    """Ranges of lines that differ, as SequenceMatcher gives them, without its cost on equal ends."""
    start = alike(old, new)
    end = alike(old[start:][::-1], new[start:][::-1])
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


# -- a file's edit, and its difference for people ----------------------------------------------------

_CONTEXT = 3
"""Unchanged lines around a change."""
_HUNK = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@$")


@frozen
class FileEdit:
    """One file's bytes before and after; None where the file does not exist.

    ``mode`` holds the permission bits of a file that comes into being here, or would when this edit is
    rolled back; None asks for what the person's umask gives.
    """

    path: RelPath
    before: bytes | None
    after: bytes | None
    mode: int | None = None


def unified_diff(edit: FileEdit) -> str:
    """One file's unified diff, as git writes it."""
    before, after = _lines(edit.before), _lines(edit.after)
    old = f"a/{edit.path}" if edit.before is not None else "/dev/null"
    new = f"b/{edit.path}" if edit.after is not None else "/dev/null"
    # What both begin and end with is left out of the comparison: of a long log that is nearly all of it.
    top = max(0, alike(before, after) - _CONTEXT)
    before, after = before[top:], after[top:]
    if end := max(0, alike(before[::-1], after[::-1]) - _CONTEXT):
        before, after = before[:-end], after[:-end]
    out: list[str] = []
    for line in difflib.unified_diff(before, after, old, new, n=_CONTEXT):
        if hunk := _HUNK.match(line):
            from_line, to_line = int(hunk[1]) + top, int(hunk[3]) + top
            line = f"@@ -{from_line}{hunk[2] or ''} +{to_line}{hunk[4] or ''} @@\n"  # noqa: PLW2901
        out.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(out)


def _lines(data: bytes | None) -> list[str]:
    return [line.decode("utf-8", "surrogateescape") for line in split_lines(data or b"")]
