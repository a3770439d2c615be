"""Where session transcripts are, and how they are read: never through a link, never more than was there.

They lie beside the workspace and are read only on request: those that the settings name, else those of the
agent that works in it. A pipe, a device, a link is refused, and said.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from indexing.sync.sources import Sources
from workbench.errors import NotMemoryError, ReadOnlyError, WorkbenchError
from workbench.ingest.agent_sessions import own_sessions
from workbench.memory.names import RelPath
from workbench.workspace import layout
from workbench.workspace.files import Files
from workbench.workspace.layout import Layout
from workbench.workspace.workspace import Workspace

SUFFIX = ".jsonl"
_BLOCK = 1 << 20
_BELOW = Layout(include=(f"**/*{SUFFIX}",), exclude=("**/.*", "**/.*/**", "**/node_modules/**"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptFile:
    """A transcript as the file system describes it: ``size`` in bytes, ``changed`` in seconds since 1970."""

    path: str
    size: int
    changed: float
    inode: int

    @property
    def name(self) -> str:
        """What provenance calls it."""
        return os.path.basename(self.path)

    @property
    def told(self) -> str:
        """Its path as the ledger keeps it, which git keeps: the person's home has no name there."""
        home = os.path.expanduser("~")
        inside = self.path.startswith(home.rstrip("/") + "/") and home != "/"
        return "~" + self.path.removeprefix(home.rstrip("/")) if inside else self.path

    @property
    def stem(self) -> str:
        """Its name without the ending."""
        return self.name.removesuffix(SUFFIX)


@dataclass(frozen=True, slots=True)
class Places:
    """The transcripts that were found, and what could not be read, with the reason."""

    files: tuple[TranscriptFile, ...]
    refused: dict[str, str]


def watched(workspace: Workspace) -> Workspace:
    """The workspace with the transcripts read for it: what its settings name, else those of its own agent.

    Raises UsageError where it is not known whose they are.
    """
    named = workspace.settings.transcripts or own_sessions(workspace.root)
    return Workspace(workspace.root, replace(workspace.settings, transcripts=named, extra_paths=()))


def find(workspace: Workspace, named: Sequence[str] = ()) -> Places:
    """The transcripts ``named`` (files or folders), else all that are read for this workspace.

    Raises UsageError as ``watched``.
    """
    refused: dict[str, str] = {}
    paths = _below(named, refused) if named else _of_settings(workspace, refused)
    files: dict[str, TranscriptFile] = {}
    for path in paths:
        try:
            file = look(path)
        except (OSError, NotMemoryError, ReadOnlyError) as error:
            refused[path] = why_unreadable(error)
        else:
            files[file.path] = file
    return Places(tuple(files.values()), refused)


def look(path: str) -> TranscriptFile:
    """The file at ``path``. Raises OSError, NotMemoryError (a link, no plain file) or ReadOnlyError."""
    with opened(path) as descriptor:
        found = os.fstat(descriptor)
    folder, name = os.path.split(path)
    whole = os.path.join(os.path.realpath(folder or "."), name)
    return TranscriptFile(path=whole, size=found.st_size, changed=found.st_mtime, inode=found.st_ino)


@contextlib.contextmanager
def opened(path: str) -> Iterator[int]:
    """A descriptor to read a transcript from. Raises as ``look`` does."""
    folder, name = os.path.split(path)
    with Files(Path(os.path.realpath(folder or "."))).opened(RelPath(name)) as descriptor:
        yield descriptor


def blocks(descriptor: int, start: int, end: int) -> Iterator[bytes]:
    """The bytes from ``start`` up to ``end``, as many of them as are there."""
    while start < end and (block := os.pread(descriptor, min(_BLOCK, end - start), start)):
        start += len(block)
        yield block


def why_unreadable(error: Exception) -> str:
    """Why a transcript cannot be read, for a person."""
    if isinstance(error, FileNotFoundError):
        return "it is not there"
    if isinstance(error, NotMemoryError):
        return "it is a link or no plain file"
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "it may not be read"


def why_failed(error: Exception) -> str:
    """Why a source could not be ingested, for a person."""
    if isinstance(error, OSError):
        return why_unreadable(error)
    return error.message if isinstance(error, WorkbenchError) else f"{type(error).__name__}: {error}"


def _below(named: Sequence[str], refused: dict[str, str]) -> Iterator[str]:
    for name in named:
        path = os.path.expanduser(name)
        if not os.path.isdir(path):
            yield path
            continue
        found = [os.path.join(path, file.path) for file in layout.scan(Path(path), _BELOW)]
        if not found:
            refused[path] = f"no *{SUFFIX} is in it"
        yield from found


def _of_settings(workspace: Workspace, refused: dict[str, str]) -> Iterator[str]:
    usual = not workspace.settings.transcripts
    for source in Sources(watched(workspace)).all:
        if source.sort != "transcripts":
            continue
        if source.absent and not usual:
            refused[source.name] = source.absent
        yield from (file.path for file in source.scan())
