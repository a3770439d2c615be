"""Every hit against the disk: what moved has new lines, what is gone does not answer."""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass, field, replace

from indexing.changes import sha256
from indexing.document import Stored
from workbench.errors import WorkbenchError
from workbench.memory.entry import Entry
from workbench.workspace.workspace import Workspace

_KEPT_FILES = 32


@dataclass(slots=True)
class Recheck:
    """Compares hits with the files they came from; keeps what it read, by the file's stamp."""

    workspace: Workspace
    _read: OrderedDict[tuple[str, int, int, int], dict[tuple[str, int], Entry]] = field(
        default_factory=OrderedDict
    )
    _digests: dict[tuple[str, int, int, int], str] = field(default_factory=dict)

    def begin(self) -> Pass:
        """One search's view of the disk: each file is looked at once."""
        return Pass(self)

    def look(self, path: str) -> tuple[int, int, int] | None:
        """Size, mtime and inode of a file as it is, or None when it is gone."""
        try:
            status = os.lstat(os.path.join(self.workspace.root, path))
        except (OSError, ValueError):
            return None
        return (status.st_size, status.st_mtime_ns, status.st_ino)

    def read(self, path: str, stamp: tuple[int, int, int]) -> tuple[str, dict[tuple[str, int], Entry]]:
        """The digest and the entries of a file. Raises OSError and WorkbenchError."""
        key = (path, *stamp)
        if key not in self._read:
            document = self.workspace.document(path)
            self._read[key] = {(entry.hash, entry.ordinal): entry for entry in document.entries}
            self._digests[key] = sha256(document.data)
            while len(self._read) > _KEPT_FILES:
                old, _ = self._read.popitem(last=False)
                self._digests.pop(old, None)
        return self._digests[key], self._read[key]


@dataclass(slots=True)
class Pass:
    """The files of one answer. ``changed`` are those that are not what was indexed."""

    recheck: Recheck
    changed: set[str] = field(default_factory=set)
    _stamps: dict[str, tuple[int, int, int] | None] = field(default_factory=dict)

    def now(self, stored: Stored) -> Stored | None:
        """The entry as it stands on disk, or None when it is gone."""
        path, stamp = stored.path, stored.stamp
        if path not in self._stamps:
            self._stamps[path] = self.recheck.look(path)
        seen = self._stamps[path]
        if seen is None:
            self.changed.add(path)
            return None
        if seen == (stamp.size, stamp.mtime_ns, stamp.inode) and not stamp.racy:
            return stored
        try:
            digest, entries = self.recheck.read(path, seen)
        except (OSError, WorkbenchError):
            self.changed.add(path)
            return None
        if digest == stamp.digest:
            return stored
        self.changed.add(path)
        found = entries.get((stored.hash, stored.ordinal))
        if found is None:
            return None
        return replace(
            stored,
            start_line=found.start_line,
            end_line=found.end_line,
            heading=found.heading,
            date=found.date,
            text=found.text,
        )

    def stale(self) -> str | None:
        """Why the index is behind, as far as this answer shows."""
        if not self.changed:
            return None
        files = "1 file" if len(self.changed) == 1 else f"{len(self.changed)} files"
        return f"{files} among the hits changed since indexing; run `workbench reindex`"
