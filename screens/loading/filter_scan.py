"""Looking through files for what a filter keeps: they are parsed only where it may keep something.

What tells is, for a file that was parsed before, what was remembered of its entries; else its bytes, in which
all words must stand, and with them the comments in which states are written.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from sys import getsizeof

from screens.loading.snapshots import FilteredEntries, Promoted, Stamp, stamp
from screens.loading.store import READ_LIMIT, Store, read_window
from screens.panes.filter import Filter, KeptFiles, Subject, iso, states_of
from workbench.errors import WorkbenchError
from workbench.memory.dated_name import dated_name
from workbench.memory.entry import Entry
from workbench.workspace.layout import MemoryFile

MOST_BYTES = 24_000_000
"""Of all that is remembered; files beyond that are parsed each time."""
_EACH_BYTES = 200
"""Of an entry, beside its words."""
_WRITTEN = {
    "pinned": ("pinned=",),
    **{level: ("trust=", level) for level in ("owner", "agent", "external")},
}
"""What stands in the bytes of a file where an entry has this state."""


@dataclass(frozen=True, slots=True)
class Digest:
    """What a filter looks at of one entry, its words small; and what tells whether it was promoted."""

    subject: Subject
    hash: str
    line: int


class FilterScan:
    """Looks through the files of a store, in its thread; remembers ``most`` bytes of what it parsed."""

    def __init__(self, store: Store, most: int = MOST_BYTES) -> None:
        self._store = store
        self._known: dict[str, tuple[Stamp, tuple[Digest, ...], int]] = {}
        self._room = most

    def kept_in(self, wanted: KeptFiles, files: Iterable[MemoryFile]) -> dict[str, FilteredEntries]:
        """What is kept of each of these files; of what cannot be read, nothing."""
        asked, promoted = wanted.wanted, wanted.promoted
        return {} if asked is None else {file.path: self._kept(asked, promoted, file) for file in files}

    def _kept(self, asked: Filter, promoted: Promoted, file: MemoryFile) -> FilteredEntries:
        known = self._known.get(file.path)
        remembered = known is not None and known[0] == stamp(file)
        if known is not None and remembered:
            may_hold = any(_keeps(asked, one, file.path, promoted) for one in known[1])
        else:
            may_hold = self._may_hold(asked, file)
        if not may_hold:
            return FilteredEntries(stamp(file))
        contents = self._store.contents(file)
        if not remembered and contents.problem is None:
            self._remember(file, contents.entries)
        entries = tuple(e for e in contents.entries if asked.keeps(subject_of(e, promoted)))
        return FilteredEntries(stamp(file), entries, len(contents.entries), contents.left_out)

    def _remember(self, file: MemoryFile, entries: Iterable[Entry]) -> None:
        if (before := self._known.pop(file.path, None)) is not None:
            self._room += before[2]
        made = tuple(digest_of(entry) for entry in entries)
        size = sum(getsizeof(one.subject.text) + _EACH_BYTES for one in made)
        if size <= self._room:
            self._known[file.path] = stamp(file), made, size
            self._room -= size

    def _may_hold(self, asked: Filter, file: MemoryFile) -> bool:
        """Whether every word stands somewhere in the file, and what the states are written with."""
        parts = {part for word in asked.words for part in word.split()}
        written = [_WRITTEN[state] for state in asked.states if state in _WRITTEN]
        if not parts and not written:
            return True
        try:
            data = read_window(self._store.workspace.root, file.path, 0, READ_LIMIT).data
        except (OSError, WorkbenchError):
            return False
        text = f"{file.path}\n{data.decode('utf-8', 'replace')}".casefold()
        return all(part in text for part in parts) and all(_is_written(said, text) for said in written)


def _is_written(said: tuple[str, ...], text: str) -> bool:
    field, *value = said
    return field in text and ("%" in text or all(one in text for one in value))  # a value may be quoted


def _keeps(asked: Filter, digest: Digest, path: str, promoted: Promoted) -> bool:
    subject = digest.subject
    if asked.asks_for("promoted", "unpromoted"):
        known = promoted.has(digest.hash, path, digest.line)
        subject = replace(subject, states={*subject.states, "promoted" if known else "unpromoted"})
    return asked.keeps(subject)


def digest_of(entry: Entry) -> Digest:
    """What is remembered of an entry."""
    text = " ".join((entry.path, *entry.heading, *entry.text.split())).casefold()
    trust = entry.provenance.trust if entry.provenance else "unknown"
    named = dated_name(entry.path)
    days = _days(iso(named.day if named else None, entry.date))
    return Digest(Subject(text, _states(entry.pinned, trust), days), entry.hash, entry.start_line)


@lru_cache(256)
def _states(pinned: bool, trust: str) -> frozenset[str]:
    """The same object for all entries of this state, of which there are many."""
    return states_of(("pinned", pinned), (trust, True))


@lru_cache(4096)
def _days(days: tuple[str, ...]) -> tuple[str, ...]:
    return days


def subject_of(entry: Entry, promoted: Promoted) -> Subject:
    """What a filter looks at: file, headings and words; promoted or not, pinned, how far trusted; its day."""
    subject = digest_of(entry).subject
    known = "promoted" if promoted.holds(entry) else "unpromoted"
    return replace(subject, states={*subject.states, known})
