"""A workspace as the table of many sees it: read, and never written, not even its own derived folder.

Only the workspace's own memory counts: extra paths and transcripts are named in one person's settings, and
belong to no other. What its rules leave out, and what is in quarantine, is not memory here either.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from indexing.document import Stamp, Stored, stored_entries
from indexing.sync.sources import MARKDOWN_LIMIT
from workbench.errors import WorkbenchError, WorkspaceError, reason_of
from workbench.workspace.late_lines import carry_late
from workbench.workspace.layout import MemoryFile
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class FileRead:
    """One file: its path in the workspace, the SHA-256 of its bytes, its entries in their order."""

    path: str
    digest: str
    entries: list[Stored]


@dataclass(frozen=True, slots=True)
class Difference:
    """What of a workspace is not as the table knows it.

    ``changed`` are files to be written, ``removed`` paths that are gone, ``failed`` what cannot be read with
    the reason; what the table has of the latter stays.
    """

    changed: tuple[FileRead, ...]
    removed: tuple[str, ...]
    failed: Mapping[str, str]
    seen: int
    unchanged: int

    @property
    def behind(self) -> int:
        """Files of which the table says something else."""
        return len(self.changed) + len(self.removed)


def difference(root: Path | str, known: Mapping[str, str], *, believe: bool = False) -> Difference:
    """Compare the workspace in ``root`` with ``known``, which is the digest of each file by its path.

    Files without any entry have no rows: they are read each time and never are a difference. ``believe``
    takes a workspace that lost all its files at its word. Raises WorkbenchError (no such folder, settings
    that make no sense, everything vanished) and OSError.
    """
    workspace = Workspace.open(root)
    carry_late(workspace)
    changed: list[FileRead] = []
    failed: dict[str, str] = {}
    there: set[str] = set()
    unchanged = 0
    files = _searched(workspace)
    if len(known) > 1 and not files and not believe:
        raise WorkspaceError(
            f"all of its {len(known)} files have vanished; the table was left as it is",
            hint="is a folder not mounted? If they are meant to be gone, add --full",
        )
    for file in files:
        there.add(file.path)
        try:
            read = _read(workspace, file, known.get(file.path))
        except (OSError, WorkbenchError) as error:
            failed[file.path] = reason_of(error)
            continue
        if read is None or not (read.entries or file.path in known):
            unchanged += 1
        else:
            changed.append(read)
    removed = tuple(path for path in known if path not in there)
    return Difference(tuple(changed), removed, failed, len(files), unchanged)


def everything(root: Path | str) -> Iterator[FileRead]:
    """All files of the workspace in ``root``. Raises WorkbenchError and OSError."""
    workspace = Workspace.open(root)
    for file in _searched(workspace):
        read = _read(workspace, file, None)
        if read is not None:
            yield read


def _searched(workspace: Workspace) -> list[MemoryFile]:
    return [file for file in workspace.scan() if not file.is_template]


def _read(workspace: Workspace, file: MemoryFile, known: str | None) -> FileRead | None:
    """The file, or None where its bytes are those that are known."""
    if file.size > MARKDOWN_LIMIT:
        raise WorkspaceError(f"it is larger than {MARKDOWN_LIMIT // 1_000_000:,} MB")
    data = workspace.read(file.path)
    digest = hashlib.sha256(data).hexdigest()
    if digest == known:
        return None
    document = workspace.parsed(file.path, data)
    # Time stamps and inodes are those of one machine: nothing of them is stored for others.
    stamp = Stamp(len(data), 0, 0, digest)
    return FileRead(file.path, digest, stored_entries(document, stamp))
