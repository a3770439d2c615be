"""What the panes show, read off the event loop.

All of it runs in one reading thread, so the caches need no lock. What is returned are frozen snapshots;
nothing here knows a widget.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from screens.loading.snapshots import (
    DOUBTED,
    Contents,
    EpisodesView,
    GraphView,
    MemoryView,
    QuarantineView,
    Stamp,
    Summary,
    promoted_in,
    stamp,
    trust_of,
)
from screens.panes.entry_rows import is_header, title_of
from workbench.errors import WorkbenchError
from workbench.memory.episode import Episode, read_episode
from workbench.memory.frontmatter import read_front_matter
from workbench.memory.graph_page import Entity, read_entity
from workbench.memory.markdown import Document, parse_document
from workbench.memory.names import RelPath
from workbench.repository.history import History
from workbench.workspace.files import Files
from workbench.workspace.layout import QUARANTINE, MemoryFile
from workbench.workspace.load_state import load_states
from workbench.workspace.workspace import Workspace

READ_LIMIT = 1_000_000
"""Bytes of one file that a pane parses; what is left out is counted and said."""
SUMMARY_LIMIT = 256_000
"""Bytes that are read for a row's count and first words; a larger file's count is a floor."""
_LOOKED_AT = 20
"""Entries of a file among which its first words are looked for."""
_BATCH = 40
"""Pages that are read before the first of them are shown."""
_UNREADABLE = (OSError, WorkbenchError)
T = TypeVar("T")


class Store:
    """The memory as the panes need it, cached by each file's stamp."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._summaries: dict[str, Summary] = {}
        self._episodes = _Pages(self._episode)
        self._entities = _Pages(self._entity)

    def files(self) -> Mapping[str, MemoryFile]:
        """All memory files as they are on disk now, by path."""
        return {file.path: file for file in self.workspace.scan()}

    def memory(self) -> MemoryView:
        """Long-term memory, and what it says of where its entries came from."""
        document = self.workspace.memory_document()
        files = self.workspace.scan()
        characters = len(document.data.decode("utf-8", "replace"))
        loads = [
            (one.used, one.limit, one.unit)
            for one in load_states(self.workspace, files)
            if one.path == document.path or document.path.startswith(f"{one.path.rstrip('/')}/")
        ]
        budget = (characters, self.workspace.memory_budget, "characters")
        used, limit, unit = max(budget, *loads, key=lambda one: one[0] / one[1]) if loads else budget
        return MemoryView(
            path=document.path,
            entries=document.entries,
            headings=tuple(heading.path for heading in document.headings),
            heading_lines=tuple(heading.first + 1 for heading in document.headings),
            used=used,
            limit=limit,
            unit=unit,
            promoted=promoted_in(document.entries),
            deleted=not document.data and self._is_deleted(document.path),
            is_unknown=bool(files) and not document.data and self._is_unknown(document.path),
        )

    def _is_unknown(self, path: RelPath) -> bool:
        agent = self.workspace.layout.agent_of(path)
        return agent is not None and not agent.makes_memory

    def _is_deleted(self, path: RelPath) -> bool:
        if os.path.lexists(self.workspace.root / path):
            return False
        try:
            with contextlib.closing(History.open(self.workspace.root)) as history:
                return history.blob_id(history.head(), path) is not None
        except WorkbenchError:  # no git: nobody knows
            return False

    def quarantine(self) -> QuarantineView:
        """What is set aside; nothing is read where nothing is."""
        if not (self.workspace.root / QUARANTINE).is_dir():
            return QuarantineView()
        from workbench.operations.quarantine import quarantined  # noqa: PLC0415 - not before the first paint

        return QuarantineView(tuple(quarantined(self.workspace)))

    def summaries(self, files: Iterable[MemoryFile]) -> dict[str, Summary]:
        """Each file in a few words; those that cannot be read are left out."""
        found: dict[str, Summary] = {}
        for file in files:
            kept = self._summaries.get(file.path)
            if kept is None or kept.stamp != stamp(file):
                contents = self.contents(file, limit=SUMMARY_LIMIT)
                kept = self._summaries[file.path] = _summary(contents)
            found[file.path] = kept
        return found

    def contents(self, file: MemoryFile, limit: int = READ_LIMIT) -> Contents:
        """The entries of one file, up to ``limit`` bytes of it, cut at the end of a line."""
        try:
            window = read_window(self.workspace.root, file.path, 0, limit)
        except _UNREADABLE as error:
            return Contents(file.path, stamp(file), (), problem=_reason(error))
        data = window.data
        if window.size > len(data):
            data = data[: data.rfind(b"\n") + 1] or data
        document = self.workspace.parsed(file.path, data)
        return Contents(file.path, stamp(file), document.entries, left_out=window.size - len(data))

    def episodes(self, files: Sequence[MemoryFile]) -> Iterator[EpisodesView]:
        """The episodes of ``files``, in growing views."""
        return (EpisodesView(found, len(files)) for found in self._episodes.growing(files))

    def graph(self, files: Sequence[MemoryFile]) -> Iterator[GraphView]:
        """The entities of ``files``, in growing views."""
        return (GraphView(found, len(files)) for found in self._entities.growing(files))

    def _episode(self, file: MemoryFile) -> Episode:
        """One episode by its front matter alone; its body only where that says nothing."""
        try:
            data = self._data(file)
        except _UNREADABLE as error:
            name = file.path.rpartition("/")[2]
            return Episode(path=file.path, id=name, abstract=name, problem=_reason(error))
        episode = read_episode(Document(file.path, file.kind, data, read_front_matter(data)))
        return episode if episode.abstract else read_episode(parse_document(file.path, data, file.kind))

    def _entity(self, file: MemoryFile) -> Entity:
        try:
            return read_entity(parse_document(file.path, self._data(file), file.kind))
        except _UNREADABLE as error:
            name = file.path.rpartition("/")[2]
            return Entity(path=file.path, id=name, name=name, type="concept", problem=_reason(error))

    def _data(self, file: MemoryFile) -> bytes:
        return read_window(self.workspace.root, file.path, 0, READ_LIMIT).data


class _Pages(Generic[T]):
    """What the pages of one kind say, read once for each version of a file."""

    def __init__(self, read: Callable[[MemoryFile], T]) -> None:
        self._read = read
        self._kept: dict[str, tuple[Stamp, T]] = {}

    def growing(self, files: Sequence[MemoryFile]) -> Iterator[tuple[T, ...]]:
        """What is known of ``files``, again and again until all is, so that the first can be shown at once.

        What was known before is there each time, as it was: nothing that is shown goes and comes again.
        """
        read, show_at = 0, _BATCH
        for file in files:
            kept = self._kept.get(file.path)
            if kept is None or kept[0] != stamp(file):
                self._kept[file.path] = stamp(file), self._read(file)
                read += 1
                if read == show_at:
                    show_at *= 2  # all of it is shown each time: with steady steps that would be quadratic
                    yield self._known(files)
        yield self._known(files)

    def _known(self, files: Iterable[MemoryFile]) -> tuple[T, ...]:
        return tuple(self._kept[file.path][1] for file in files if file.path in self._kept)


def _summary(contents: Contents) -> Summary:
    entries = contents.entries
    titles = [title_of(entry) for entry in entries[:_LOOKED_AT]] or [contents.problem or ""]
    return Summary(
        stamp=contents.stamp,
        count=len(entries),
        first=next((title for title in titles if not is_header(title)), titles[0]),
        hashes=tuple(entry.hash for entry in entries),
        lines=tuple(entry.start_line for entry in entries),
        partial=contents.left_out > 0,
        trust=next((trust for trust in DOUBTED if any(trust_of(entry) == trust for entry in entries)), ""),
    )


def _reason(error: Exception) -> str:
    if isinstance(error, WorkbenchError):
        return error.message
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def path_of(address: str) -> RelPath:
    """The file that an address points into; an address may be a path alone."""
    return RelPath(address.rpartition("#")[0] or address)


@dataclass(frozen=True, slots=True)
class Window:
    """The bytes ``start`` up to ``start + len(data)`` of a file of ``size`` bytes."""

    start: int
    data: bytes
    size: int


def offset_of_line(root: Path, path: str, line: int) -> int:
    """The byte with which a line begins, from 1 on; the end of a file that has fewer lines."""
    at, missing = 0, line - 1
    with Files(root).opened(RelPath(path)) as descriptor:
        while missing > 0 and (block := os.pread(descriptor, READ_LIMIT, at)):
            ends = block.count(b"\n")
            if ends >= missing:
                return at + len(b"\n".join(block.split(b"\n", missing)[:missing])) + 1
            at, missing = at + len(block), missing - ends
    return at


def read_window(root: Path, path: str, start: int, length: int) -> Window:
    """At most ``length`` bytes of a memory file from ``start`` on. Raises as ``Files.read`` does."""
    with Files(root).opened(RelPath(path)) as descriptor:
        return Window(start, os.pread(descriptor, length, start), os.fstat(descriptor).st_size)
