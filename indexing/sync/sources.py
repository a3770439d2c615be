"""The sources of the index: the memory of the workspace, extra paths (Markdown), and session transcripts
(JSON lines). The latter two are named in the person's own settings and addressed by absolute path. They are
only read, and only by the index: operations, checks and backups see the workspace alone.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from workbench.errors import NotMemoryError
from workbench.frozen import frozen
from workbench.memory.entry import Kind, RelPath, is_outside
from workbench.memory.markdown import Document, parse_document
from workbench.memory.transcript import Transcript, read_transcript, transcript_document
from workbench.workspace import layout
from workbench.workspace.files import Files
from workbench.workspace.layout import Layout, MemoryFile
from workbench.workspace.workspace import Workspace

Sort = Literal["workspace", "extra", "transcripts"]
MARKDOWN_LIMIT = 64_000_000
"""Bytes of a Markdown file that is indexed; its structure is read in memory."""
TRANSCRIPT_LIMIT = 2_000_000_000
"""Bytes of a transcript that is indexed; it is read in blocks."""
TAIL = 4_096
"""Bytes before the end of what was indexed that must still be there for a transcript to have only grown."""
_BLOCK = 1 << 20
_NEVER = ("**/.*", "**/.*/**", "**/node_modules/**")
_PATTERN = {"extra": "**/*.md", "transcripts": "**/*.jsonl"}
_MAGIC = frozenset("*?[")


@frozen
class IndexSource:
    """One place that is indexed. ``name`` is how the settings call it, ``base`` its real folder.

    ``absent`` says why nothing can be said of its files; then they stay indexed.
    """

    name: str
    sort: Sort
    base: str
    layout: Layout
    absent: str = ""
    single: str = ""
    """The one file that the settings name, else empty."""

    @property
    def prefix(self) -> str:
        """What the whole path of each of its files begins with."""
        return self.base.rstrip("/") + "/"

    @property
    def beside(self) -> bool:
        """Whether it lies beside the workspace."""
        return self.sort != "workspace"

    def covers(self, path: str) -> bool:
        """Whether ``path`` lies in this place, be it there or not."""
        if self.sort == "workspace":
            return not is_outside(path)
        if self.single:
            return path == self.prefix + self.single
        return path == self.base or path.startswith(self.prefix)

    def holds(self, path: str) -> bool:
        """Whether ``path`` is a file of this place."""
        if self.sort == "workspace":
            return self.layout.holds(path) and not layout.is_template(path, self.layout.kind_of(path))
        return path.startswith(self.prefix) and self._takes(path.removeprefix(self.prefix))

    def _takes(self, relative: str) -> bool:
        # Patterns of the settings may speak of the folder or of the whole disk.
        return self.layout.holds(relative) and not self.layout.leaves_out(os.path.join(self.base, relative))

    def scan(self) -> list[MemoryFile]:
        """Its files as the file system describes them, sorted by path."""
        found = layout.scan(Path(self.base), self.layout) if not self.absent else []
        if self.sort == "workspace":
            return [file for file in found if not file.is_template]
        kind = Kind.TRANSCRIPT if self.sort == "transcripts" else Kind.NOTE
        return [
            replace(file, path=RelPath(self.prefix + file.path), kind=kind)
            for file in found
            if self._takes(file.path)
        ]

    def folders(self) -> list[str]:
        """The folders in which a change can matter."""
        if self.absent:
            return []
        return [self.base] if self.single else list(layout.folders(Path(self.base), self.layout))


@frozen
class SourceScan:
    """What is there: the files, those that are too large with the reason, and how many each source has."""

    files: tuple[MemoryFile, ...]
    left_out: dict[str, str]
    counts: tuple[tuple[IndexSource, int], ...]


@frozen
class SourcePage:
    """A file as a person reads it: Markdown as it is, a transcript as what was said.

    ``lines`` are those of the file, from number 1 on; of a transcript each is one turn, or None."""

    document: Document
    lines: tuple[str | None, ...]


@frozen
class LoadedSource:
    """A file as it was read: its entries, how many bytes of it, their SHA-256.

    Of a transcript: ``lines`` it has, the digest of its last bytes (``tail``), lines that cannot be read
    (``bad``).
    """

    document: Document
    size: int
    sha256: str
    lines: int = 0
    tail: str = ""
    bad: tuple[int, ...] = ()


class IndexSources:
    """The places that one workspace is indexed from."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    @cached_property
    def all(self) -> tuple[IndexSource, ...]:
        """Every source, the workspace first. Looked at once: a new object sees what was mounted since."""
        self.workspace.recognise()
        settings = self.workspace.settings
        named: list[tuple[Sort, str]] = [("extra", path) for path in settings.extra_paths]
        named += [("transcripts", path) for path in settings.transcripts]
        own = IndexSource("workspace", "workspace", os.fspath(self.workspace.root), self.workspace.layout)
        return (own, *(self._outside(sort, name) for sort, name in named))

    def _outside(self, sort: Sort, name: str) -> IndexSource:
        """The source that the settings call ``name``: a file, a folder, or a pattern of files."""
        root = os.fspath(self.workspace.root)
        path = os.path.join(root, os.path.expanduser(name))
        pattern = ""
        if not os.path.lexists(path):
            path, pattern = _parted(path)
        real = os.path.realpath(path)
        single = ""
        if not pattern and os.path.isfile(real):
            real, single = os.path.split(real)
            pattern = glob.escape(single)
        absent = _absent(real)
        if real == root or real.startswith(self.root):
            absent = "it is inside the workspace: use `include` for its files"
        if not single and "." not in pattern.rpartition("/")[2]:  # it names folders
            pattern = f"{pattern}/{_PATTERN[sort]}".lstrip("/")
        exclude = self.workspace.settings.exclude
        rules = Layout(include=(pattern,), exclude=exclude if single else (*_NEVER, *exclude))
        return IndexSource(name, sort, real, rules, absent, single)

    def source_of(self, path: str) -> IndexSource | None:
        """The source that holds the file ``path``, or None when nothing does."""
        return next((source for source in self.all if source.holds(path)), None)

    def holds(self, path: str) -> bool:
        """Whether ``path`` is one of the files that are indexed when they are there."""
        return self.source_of(path) is not None

    def keeps(self, path: str) -> IndexSource | None:
        """The absent source that a file may still be in, or None when it is known to be gone."""
        covering = [source for source in self.all if source.covers(path)]
        if any(source.holds(path) and not source.absent for source in covering):
            return None
        return next((source for source in covering if source.absent), None)

    def scan(self) -> SourceScan:
        """All files, by path in each source. A file that two sources hold belongs to the first."""
        files: dict[str, MemoryFile] = {}
        left_out: dict[str, str] = {}
        counts: list[tuple[IndexSource, int]] = []
        for source in self.all:
            before = len(files)
            limit = TRANSCRIPT_LIMIT if source.sort == "transcripts" else MARKDOWN_LIMIT
            for file in source.scan():
                if file.size > limit:
                    left_out[file.path] = f"it is larger than {limit // 1_000_000:,} MB"
                elif not source.beside or not (file.path in files or file.path.startswith(self.root)):
                    files[file.path] = file
            counts.append((source, len(files) - before))
        return SourceScan(tuple(files.values()), left_out, tuple(counts))

    def read_as(self, file: MemoryFile) -> str:
        """What the place and the name of a file say of its entries: its kind, and the day of a daily note."""
        named = None if is_outside(file.path) else self.workspace.layout.daily_note(file.path)
        return f"{file.kind} {named.day}" if named else str(file.kind)

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises NotMemoryError for one that no source holds, and OSError."""
        if not is_outside(path):
            return self.workspace.read(path)
        with self._opened(path) as descriptor:
            return b"".join(blocks(descriptor, MARKDOWN_LIMIT))

    def document(self, path: str) -> Document:
        """The entries of a file as it is now. Raises as ``read`` does."""
        return self.load(path).document

    def load(self, path: str, size: int | None = None) -> LoadedSource:
        """Read and parse a file, a transcript up to ``size`` bytes. Raises as ``read`` does."""
        if not self.is_transcript(path):
            data, name = self.read(path), RelPath(path)
            document = (
                parse_document(name, data, Kind.NOTE, self.workspace.marks())
                if is_outside(path)
                else self.workspace.parsed(name, data)
            )
            return LoadedSource(document, len(data), hashlib.sha256(data).hexdigest())
        measure = _Measure()
        transcript = self.transcript(path, measure, size)
        document = transcript_document(RelPath(path), transcript)
        return LoadedSource(
            document, measure.size, measure.sha256, transcript.lines, measure.tail, transcript.bad
        )

    def transcript(self, path: str, measure: _Measure | None = None, size: int | None = None) -> Transcript:
        """A session transcript as it is now, or its first ``size`` bytes. Raises as ``read`` does."""
        name = os.path.basename(path).removesuffix(".jsonl")
        with self._opened(path) as descriptor:
            return read_transcript(name, (measure or _Measure()).through(descriptor, size))

    def look(self, path: str) -> tuple[int, int]:
        """Size in bytes and ctime in nanoseconds of a file outside. Raises as ``read`` does."""
        with self._opened(path) as descriptor:
            status = os.fstat(descriptor)
            return status.st_size, status.st_ctime_ns

    def sha256(self, path: str, size: int | None = None) -> str:
        """The digest of a file, of a transcript that of its first ``size`` bytes. Raises as ``read`` does."""
        if not self.is_transcript(path):
            return hashlib.sha256(self.read(path)).hexdigest()
        measure = _Measure()
        with self._opened(path) as descriptor:
            for _ in measure.through(descriptor, size):
                pass
        return measure.sha256

    def is_transcript(self, path: str) -> bool:
        """Whether ``path`` is that of a session transcript."""
        return (
            is_outside(path) and (source := self.source_of(path)) is not None and source.sort == "transcripts"
        )

    def piece(self, path: str, start: int, length: int) -> bytes:
        """At most ``length`` bytes of a file from ``start`` on. Raises as ``read`` does."""
        with self._opened(path) as descriptor:
            return os.pread(descriptor, length, start)

    def folders(self) -> list[str]:
        """The folders of all sources in which a change can matter."""
        return list(dict.fromkeys(folder for source in self.all for folder in source.folders()))

    @cached_property
    def root(self) -> str:
        """What the paths of the workspace's own files begin with on disk."""
        return os.fspath(self.workspace.root).rstrip("/") + "/"

    @contextlib.contextmanager
    def _opened(self, path: str) -> Iterator[int]:
        source = self.source_of(path)
        if source is None or source.sort == "workspace":
            raise NotMemoryError(path)
        relative = os.path.relpath(path, source.base)
        with Files(Path(source.base)).opened(RelPath(relative)) as descriptor:
            yield descriptor


def page(sources: IndexSources, path: str) -> SourcePage:
    """What is in the file ``path``. Raises NotMemoryError for one that no source holds, and OSError."""
    if not sources.is_transcript(path):
        document = sources.document(path)
        text = document.data.decode("utf-8", "surrogateescape")
        return SourcePage(document, tuple(text.removesuffix("\n").split("\n")))
    transcript = sources.transcript(path)
    lines: list[str | None] = [None] * transcript.lines
    for turn in transcript.turns:
        lines += [None] * (turn.line - len(lines))  # the last one may have no end yet
        lines[turn.line - 1] = turn.said
    return SourcePage(transcript_document(RelPath(path), transcript), tuple(lines))


class _Measure:
    """Size, digest and digest of the tail of what was read."""

    def __init__(self) -> None:
        self.size = 0
        self._last = b""
        self._all = hashlib.sha256()

    @property
    def sha256(self) -> str:
        return self._all.hexdigest()

    @property
    def tail(self) -> str:
        return tail_digest(self._last)

    def through(self, descriptor: int, size: int | None) -> Iterator[bytes]:
        """The file in blocks, up to ``size`` bytes."""
        for block in blocks(descriptor, TRANSCRIPT_LIMIT if size is None else size):
            self.size += len(block)
            self._all.update(block)
            self._last = (self._last + block[-TAIL:])[-TAIL:]
            yield block


def tail_digest(data: bytes) -> str:
    """What stands for the last bytes of a transcript in the books."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def blocks(descriptor: int, end: int, start: int = 0) -> Iterator[bytes]:
    """The bytes from ``start`` up to ``end``, as many of them as are there."""
    while start < end and (block := os.pread(descriptor, min(_BLOCK, end - start), start)):
        start += len(block)
        yield block


def _parted(path: str) -> tuple[str, str]:
    """The folder that a pattern begins with, and the pattern below it."""
    parts = path.split("/")
    first = next((at for at, part in enumerate(parts) if _MAGIC.intersection(part)), len(parts))
    return "/".join(parts[:first]) or "/", "/".join(parts[first:])


def _absent(path: str) -> str:
    """Why nothing can be read in ``path``, or an empty text."""
    if not os.path.lexists(path):
        return "it does not exist"
    if not (os.path.isdir(path) or os.path.isfile(path)):
        return "it is neither a file nor a folder"
    allowed = os.access(path, os.R_OK | os.X_OK if os.path.isdir(path) else os.R_OK)
    return "" if allowed else "it cannot be read (permissions)"
