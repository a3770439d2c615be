"""Looking through files for what a filter keeps: bytes first, which are parsed only where words stand."""

from __future__ import annotations

from collections.abc import Iterable

from screens.panes.filtering import Filter, Subject, iso, states_of
from screens.panes.kept import KeptFiles
from screens.reading.snapshots import Kept, Promoted, stamp
from screens.reading.store import READ_LIMIT, Store
from screens.reading.window import read_window
from workbench.errors import WorkbenchError
from workbench.memory.entry import Entry
from workbench.workspace.layout import MemoryFile


def kept_in(store: Store, wanted: KeptFiles, files: Iterable[MemoryFile]) -> dict[str, Kept]:
    """What is kept of each of these files; of what cannot be read, nothing."""
    return {file.path: _kept(store, wanted, file) for file in files}


def _kept(store: Store, wanted: KeptFiles, file: MemoryFile) -> Kept:
    asked, nothing = wanted.wanted, Kept(stamp(file))
    if asked is None or not _may_hold(store, asked, file):
        return nothing
    contents = store.contents(file)
    entries = tuple(e for e in contents.entries if asked.keeps(subject_of(e, wanted.promoted)))
    return Kept(stamp(file), entries, len(contents.entries), contents.left_out)


def _may_hold(store: Store, asked: Filter, file: MemoryFile) -> bool:
    """Whether every word stands somewhere in the file: most files need not be parsed."""
    parts = {part for word in asked.words for part in word.split()}
    if not parts:
        return True
    try:
        data = read_window(store.workspace.root, file.path, 0, READ_LIMIT).data
    except (OSError, WorkbenchError):
        return False
    text = f"{file.path}\n{data.decode('utf-8', 'replace')}".casefold()
    return all(part in text for part in parts)


def subject_of(entry: Entry, promoted: Promoted) -> Subject:
    """What a filter looks at: file, headings and words; promoted or not, pinned, how far trusted; its day."""
    known = promoted.holds(entry)
    trust = entry.provenance.trust if entry.provenance else "unknown"
    states = states_of(
        ("promoted", known), ("unpromoted", not known), ("pinned", entry.pinned), (trust, True)
    )  # fmt: skip
    text = " ".join((entry.path, *entry.heading, *entry.text.split()))
    return Subject(text, states, (entry.path[7:17], *iso(entry.date)))
