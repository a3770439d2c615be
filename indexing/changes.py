"""What is different on disk from what the index says: by content, with a time stamp as a shortcut."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from indexing.manifest import RACY_NS, FileRecord, Manifest
from workbench.errors import WorkbenchError, WorkspaceError
from workbench.memory.names import RelPath
from workbench.workspace.layout import MemoryFile

_MANY = 20
_NEARLY_ALL = 0.9


@dataclass(slots=True)
class Changes:
    """``added``, ``changed`` and ``touched`` (same content, new stamp) are files on disk by path.

    ``digests`` holds the SHA-256 of what was hashed on the way.
    """

    added: dict[RelPath, MemoryFile] = field(default_factory=dict)
    changed: dict[RelPath, MemoryFile] = field(default_factory=dict)
    touched: dict[RelPath, MemoryFile] = field(default_factory=dict)
    removed: list[RelPath] = field(default_factory=list)
    unchanged: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    digests: dict[RelPath, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


def find_changes(
    files: Iterable[MemoryFile], manifest: Manifest, read: Callable[[str], bytes], again: Iterable[str] = ()
) -> Changes:
    """Compare ``files`` with ``manifest``, reading only those whose stamp differs or cannot be trusted.

    Files named in ``again`` count as changed whatever their content: an unfinished sync was at them.
    """
    found = Changes()
    unsure = set(again)
    trusted_until = manifest.synced_ns - RACY_NS
    gone = dict.fromkeys(manifest.files)
    for file in files:
        record = manifest.files.get(file.path)
        if record is None:
            found.added[file.path] = file
            continue
        del gone[file.path]
        if file.path in unsure:
            found.changed[file.path] = file
            continue
        same = (record.size, record.ctime_ns, record.inode) == (file.size, file.ctime_ns, file.inode)
        if same and file.ctime_ns < trusted_until:
            found.unchanged += 1
            continue
        _by_content(file, record, same, read, found)
    found.removed = list(gone)
    return found


def refuse_if_vanished(found: Changes, manifest: Manifest) -> None:
    """Raise WorkspaceError when (nearly) all files are gone: an unmounted folder looks like that."""
    before = len(manifest.files)
    lost = len(found.removed)
    all_gone = lost == before and not found.added and before > 1
    if all_gone or (lost >= _MANY and lost > before * _NEARLY_ALL and len(found.added) < lost / 2):
        raise WorkspaceError(
            f"{lost} of {before} indexed files have vanished; the index was left as it is",
            hint="is a folder not mounted, or another branch checked out? If they are meant to be "
            "gone, run `workbench reindex --full`",
        )


def sha256(data: bytes) -> str:
    """The digest that the manifest keeps of a file."""
    return hashlib.sha256(data).hexdigest()


def _by_content(
    file: MemoryFile, record: FileRecord, same: bool, read: Callable[[str], bytes], found: Changes
) -> None:
    try:
        digest = sha256(read(file.path))
    except (OSError, WorkbenchError) as error:
        found.failed[file.path] = reason(error)
        return
    found.digests[file.path] = digest
    if digest != record.sha256:
        found.changed[file.path] = file
        return
    found.unchanged += 1
    if not same:
        found.touched[file.path] = file


def reason(error: BaseException) -> str:
    """Why, in one line."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).partition("\n")[0] or type(error).__name__
