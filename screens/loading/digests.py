"""What a filter looks at of files that were parsed before: kept small, so that other words need no parsing.

A digest is the words of each entry in one text and a few bytes beside them, not the entries themselves. It
holds for one stamp of its file.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from sys import getsizeof

from screens.loading.snapshots import Promoted, Stamp
from screens.panes.entry_rows import TRUSTS
from screens.panes.filter import Filter, Subject, iso
from workbench.memory.dated_name import dated_name
from workbench.memory.entry import Entry

MOST_BYTES = 24_000_000
"""Of all digests together; files beyond that are parsed each time."""
_EACH_BYTES = 90
"""Of an entry, beside its words."""
_NO_LEVEL = len(TRUSTS)
_PINNED = 1 << 7


@dataclass(frozen=True, slots=True)
class Digest:
    """The entries of one file: their words, a line each, in the order of the other columns."""

    stamp: Stamp
    path: str
    words: str
    marks: bytes
    hashes: tuple[str, ...]
    lines: array[int]
    days: tuple[tuple[str, ...], ...]

    def may_hold(self, asked: Filter, promoted: Promoted) -> bool:
        """Whether an entry may be kept: False is certain."""
        if not self.hashes or not all(word in self.words for word in asked.words):
            return False
        return any(
            asked.keeps(Subject(text, self._states(at, promoted), self.days[at]))
            for at, text in enumerate(self.words.split("\n"))
        )

    def _states(self, at: int, promoted: Promoted) -> frozenset[str]:
        known = promoted.has(self.hashes[at], self.path, self.lines[at])
        states = {"promoted" if known else "unpromoted"}
        trust = self.marks[at] & ~_PINNED
        if trust < _NO_LEVEL:
            states.add(TRUSTS[trust])
        if self.marks[at] & _PINNED:
            states.add("pinned")
        return frozenset(states)

    @property
    def size(self) -> int:
        """The memory that it takes, in bytes."""
        return getsizeof(self.words) + _EACH_BYTES * len(self.hashes)


def digest_of(path: str, stamp: Stamp, entries: Iterable[Entry]) -> Digest:
    """The digest of a file's entries."""
    found = tuple(entries)
    days: dict[tuple[str, ...], tuple[str, ...]] = {}
    return Digest(
        stamp=stamp,
        path=path,
        words="\n".join(words_of(entry).replace("\n", " ").casefold() for entry in found),
        marks=bytes(_mark(entry) for entry in found),
        hashes=tuple(entry.hash for entry in found),
        lines=array("l", (entry.start_line for entry in found)),
        days=tuple(days.setdefault(said := days_of(entry), said) for entry in found),
    )


def words_of(entry: Entry) -> str:
    """The text that a filter looks at: file, headings and words."""
    return " ".join((entry.path, *entry.heading, *entry.text.split()))


def days_of(entry: Entry) -> tuple[str, ...]:
    """The days that a filter looks at: that of the file, and its own."""
    named = dated_name(entry.path)
    return iso(named.day if named else None, entry.date)


def trust_said(entry: Entry) -> str:
    """How far it is trusted, as a filter names it."""
    return entry.provenance.trust if entry.provenance else "unknown"


def _mark(entry: Entry) -> int:
    said = trust_said(entry)
    trust = TRUSTS.index(said) if said in TRUSTS else _NO_LEVEL
    return trust | (_PINNED if entry.pinned else 0)


class Digests:
    """Those of the files that were parsed, up to so many bytes; for one thread."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._kept: dict[str, Digest] = {}
        self._bytes = 0

    def of(self, path: str, stamp: Stamp) -> Digest | None:
        """The digest of a file as it is, if it is known."""
        found = self._kept.get(path)
        return found if found is not None and found.stamp == stamp else None

    def keep(self, path: str, stamp: Stamp, entries: Iterable[Entry]) -> None:
        """Remember a file that was parsed, while there is room."""
        if (before := self._kept.pop(path, None)) is not None:
            self._bytes -= before.size
        made = digest_of(path, stamp, entries)
        if self._bytes + made.size <= self._most:
            self._kept[path] = made
            self._bytes += made.size
