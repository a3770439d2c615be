"""Looking through files for what a filter keeps: they are parsed only where it may keep something.

What tells is, for a file that was parsed before, its digest; else its bytes, in which all words must stand,
and with them the comments in which states are written.
"""

from __future__ import annotations

from collections.abc import Iterable

from screens.loading.digests import days_of, trust_said, words_of
from screens.loading.snapshots import FilteredEntries, Promoted, stamp
from screens.loading.store import READ_LIMIT, Store
from screens.loading.window import read_window
from screens.panes.filter import Filter, Subject, states_of
from screens.panes.filter_matches import KeptFiles
from workbench.errors import WorkbenchError
from workbench.memory.entry import Entry
from workbench.workspace.layout import MemoryFile

_WRITTEN = {
    "pinned": ("pinned=",),
    **{level: ("trust=", level) for level in ("owner", "agent", "external")},
}
"""What stands in the bytes of a file where an entry has this state."""


def kept_in(store: Store, wanted: KeptFiles, files: Iterable[MemoryFile]) -> dict[str, FilteredEntries]:
    """What is kept of each of these files; of what cannot be read, nothing."""
    return {file.path: _kept(store, wanted, file) for file in files}


def _kept(store: Store, wanted: KeptFiles, file: MemoryFile) -> FilteredEntries:
    asked, nothing = wanted.wanted, FilteredEntries(stamp(file))
    if asked is None:
        return nothing
    digest = store.digests.of(file.path, stamp(file))
    if not (digest.may_hold(asked, wanted.promoted) if digest else _may_hold(store, asked, file)):
        return nothing
    contents = store.contents(file)
    if digest is None and contents.problem is None:
        store.digests.keep(file.path, stamp(file), contents.entries)
    entries = tuple(e for e in contents.entries if asked.keeps(subject_of(e, wanted.promoted)))
    return FilteredEntries(stamp(file), entries, len(contents.entries), contents.left_out)


def _may_hold(store: Store, asked: Filter, file: MemoryFile) -> bool:
    """Whether every word stands somewhere in the file, and what the states are written with."""
    parts = {part for word in asked.words for part in word.split()}
    written = [_WRITTEN[state] for state in asked.states if state in _WRITTEN]
    if not parts and not written:
        return True
    try:
        data = read_window(store.workspace.root, file.path, 0, READ_LIMIT).data
    except (OSError, WorkbenchError):
        return False
    text = f"{file.path}\n{data.decode('utf-8', 'replace')}".casefold()
    return all(part in text for part in parts) and all(_is_written(said, text) for said in written)


def _is_written(said: tuple[str, ...], text: str) -> bool:
    field, *value = said
    return field in text and ("%" in text or all(one in text for one in value))  # a value may be quoted


def subject_of(entry: Entry, promoted: Promoted) -> Subject:
    """What a filter looks at: file, headings and words; promoted or not, pinned, how far trusted; its day."""
    known = promoted.holds(entry)
    states = states_of(
        ("promoted", known), ("unpromoted", not known), ("pinned", entry.pinned), (trust_said(entry), True)
    )  # fmt: skip
    return Subject(words_of(entry), states, days_of(entry))
