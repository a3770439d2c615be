"""Every hit against the disk: what moved has new lines, what is gone does not answer."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace
from functools import lru_cache

from indexing.document import Stored
from indexing.sync.generations import RACY_NS
from indexing.sync.sources import Sources
from workbench.errors import WorkbenchError
from workbench.memory.entry import Entry
from workbench.memory.names import is_outside
from workbench.plural import plural
from workbench.workspace.workspace import Workspace

_KEPT_FILES = 32
_KEPT_DIGESTS = 20_000

_Look = tuple[int, int, int]
_Entries = dict[tuple[str, int], Entry]


class Recheck:
    """Compares hits with the files they came from; keeps what it learnt, by each file's stamp."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.sources = Sources(workspace)
        self._root = os.path.realpath(workspace.root)
        self._digest = lru_cache(_KEPT_DIGESTS)(self._digest_anew)
        self.entries = lru_cache(_KEPT_FILES)(self._entries_anew)

    def begin(self) -> Pass:
        """One search's view of the disk: each file is looked at once."""
        self.sources = Sources(self.workspace)
        return Pass(self)

    def look(self, path: str) -> _Look | None:
        """Size, ctime and inode of a file as it is, or None when it is gone or no longer to be searched."""
        if not self.sources.holds(path):
            return None
        try:
            status = os.lstat(os.path.join(self.workspace.root, path))
        except (OSError, ValueError):
            return None
        return (status.st_size, status.st_ctime_ns, status.st_ino)

    def is_real(self, folder: str) -> bool:
        """Whether no link leads to ``folder``, which is a path as the index calls it."""
        whole = folder if is_outside(folder) else os.path.join(self._root, folder).rstrip("/")
        return os.path.realpath(whole) == whole

    def digest(self, path: str, seen: _Look, size: int, *, racy: bool) -> str:
        """The digest of a file that looks like ``seen``; read again each time when that is ``racy``.

        So it is while the file is so young that it may change and look the same. Of a transcript it is that
        of the first ``size`` bytes. Raises OSError and WorkbenchError.
        """
        young = time.time_ns() - seen[1] < RACY_NS
        return self._digest_anew(path, seen, size) if racy or young else self._digest(path, seen, size)

    def _digest_anew(self, path: str, _seen: _Look, size: int) -> str:
        return self.sources.sha256(path, size)

    def _entries_anew(self, path: str, _seen: _Look, _digest: str) -> _Entries:
        """The entries of a file of this look and digest. Raises OSError and WorkbenchError."""
        return {(entry.hash, entry.ordinal): entry for entry in self.sources.document(path).entries}


@dataclass(slots=True)
class Pass:
    """The files of one answer. ``changed`` are those that are not what was indexed.

    ``absent`` are those of a source that is not there now, by the name of the source.
    """

    recheck: Recheck
    changed: set[str] = field(default_factory=set)
    absent: dict[str, set[str]] = field(default_factory=dict)
    _stamps: dict[str, _Look | None] = field(default_factory=dict)
    _folders: dict[str, bool] = field(default_factory=dict)

    def now(self, stored: Stored) -> Stored | None:
        """The entry as it stands on disk, or None when it is gone."""
        path, stamp = stored.path, stored.stamp
        if path not in self._stamps:
            self._stamps[path] = self._look(path)
        seen = self._stamps[path]
        if seen is None:
            return None
        if seen == (stamp.size, stamp.ctime_ns, stamp.inode) and not stamp.racy:
            return stored
        try:
            digest = self.recheck.digest(path, seen, stamp.size, racy=stamp.racy)
            if digest == stamp.digest:
                return stored
            found = self.recheck.entries(path, seen, digest).get((stored.hash, stored.ordinal))
        except (OSError, WorkbenchError):
            found = None
        self.changed.add(path)
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

    def _look(self, path: str) -> _Look | None:
        folder = os.path.dirname(path)
        if folder not in self._folders:  # no sync enters a folder through a link
            self._folders[folder] = self.recheck.is_real(folder)
        seen = self.recheck.look(path) if self._folders[folder] else None
        if seen is None:
            source = self.recheck.sources.keeps(path) if is_outside(path) else None
            (self.absent.setdefault(source.name, set()) if source else self.changed).add(path)
        return seen

    def notes(self) -> tuple[str, ...]:
        """What keeps files from answering that no sync can change."""
        return tuple(
            f"{name} is not there to be read; {len(paths)} of its files would be among the hits"
            for name, paths in sorted(self.absent.items())
        )

    def stale(self) -> str | None:
        """Why the index is behind, as far as this answer shows."""
        if not self.changed:
            return None
        files = plural(len(self.changed), "file")
        return f"{files} among the hits changed since indexing; run `workbench reindex`"
