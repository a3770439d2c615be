"""The graph from its files: every page of ``graph/``, and the typed memories of other curated files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import time_ns

from workbench.collection_pause import no_garbage_collection
from workbench.errors import EntryNotFoundError, UsageError, WorkbenchError
from workbench.graph.model import Graph
from workbench.memory.entry import Kind
from workbench.memory.graph_page import IMPORTANCE, Entity, TypedMemory, read_entity, read_memories
from workbench.memory.markdown import Document, parse_document
from workbench.memory.names import RelPath
from workbench.workspace.layout import ARCHIVE, MemoryFile
from workbench.workspace.workspace import Workspace

RACY_NS = 2_000_000_000
"""A file that changed this shortly before it was read may change again without another stamp."""
_CURATED = frozenset({Kind.MEMORY, Kind.NOTE, Kind.BOOTSTRAP})
"""Logs, episodes and dreams are what the graph is made from, or made of it: no part of it."""
_TYPED = re.compile(
    rb"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[(?:" + "|".join(IMPORTANCE).encode() + rb")\][ \t]", re.MULTILINE
)

_Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Page:
    stamp: _Stamp
    entity: Entity | None
    memories: tuple[TypedMemory, ...] = ()


class GraphReader:
    """Reads the graph of one workspace again and again; only files that changed are parsed anew."""

    def __init__(self, workspace: Workspace, *, pages: bool = True) -> None:
        """Without ``pages`` only the typed memories of no entity are read."""
        self._workspace = workspace
        self._with_pages = pages
        self._pages: dict[str, _Page] = {}
        self._graph: Graph | None = None

    def read(self) -> Graph:
        """The graph as it is now; the same object as before where no file has changed."""
        with no_garbage_collection():
            return self._as_it_is([file for file in self._workspace.scan() if self._counts(file)])

    def _as_it_is(self, files: list[MemoryFile]) -> Graph:
        pages: dict[str, _Page] = {}
        changed = self._graph is None
        for file in files:
            kept = self._pages.get(file.path)
            if kept is None or kept.stamp != (file.size, file.ctime_ns, file.inode):
                changed, kept = True, self._read(file)
            if kept is not None:
                pages[file.path] = kept
        if changed or pages.keys() != self._pages.keys() or self._graph is None:
            self._graph = Graph(
                tuple(page.entity for page in pages.values() if page.entity),
                tuple(memory for page in pages.values() for memory in page.memories),
            )
        self._pages = pages
        return self._graph

    def _counts(self, file: MemoryFile) -> bool:
        if file.kind is Kind.ENTITY:
            return self._with_pages
        aside = file.path.startswith(ARCHIVE) or file.is_template
        return file.kind in _CURATED and not aside

    def _read(self, file: MemoryFile) -> _Page | None:
        """One file, parsed; None when it went away meanwhile."""
        now = time_ns()  # before reading: what is written from here on gets another stamp
        settled = file.ctime_ns < now - RACY_NS
        stamp = (file.size, file.ctime_ns, file.inode) if settled else (-1, -1, -1)
        is_page = file.kind is Kind.ENTITY
        try:
            data = self._workspace.files.read(file.path)
        except FileNotFoundError:
            return None
        except (OSError, WorkbenchError) as error:
            return _Page(stamp, _unreadable(file.path, error) if is_page else None)
        if not is_page and not _TYPED.search(data):
            return _Page(stamp, None)  # most files hold none, and parsing is what costs
        document = parse_document(file.path, data, file.kind)
        if is_page:
            return _Page(stamp, read_entity(document))
        return _Page(stamp, None, read_memories(document))


def read_graph(workspace: Workspace) -> Graph:
    """The graph of ``workspace`` as it is now. Pages that cannot be read are in it, with ``problem``."""
    return GraphReader(workspace).read()


def memory_addresses(workspace: Workspace, references: Sequence[str]) -> tuple[str, ...]:
    """The address of each memory or relation that is called by its id; an address is one already.

    Raises EntryNotFoundError, and UsageError where several lines have an id.
    """
    lines: dict[str, list[str]] = {}
    if any("#" not in reference for reference in references):
        for entity in read_graph(workspace).entities:
            for memory in entity.memories:
                lines.setdefault(memory.id, []).append(memory.entry.address)
            for relation in entity.relations:
                lines.setdefault(relation.id, []).append(relation.entry.address)
    found = []
    for reference in references:
        several = [reference] if "#" in reference else lines.get(reference, [])
        if len(several) > 1:
            raise UsageError(f"several lines have the id {reference}", hint=", ".join(several[:5]))
        if not several:
            raise EntryNotFoundError(reference)
        found += several
    return tuple(found)


def _unreadable(path: RelPath, error: OSError | WorkbenchError) -> Entity:
    """What its place says of a page."""
    reason = error.message if isinstance(error, WorkbenchError) else error.strerror or str(error)
    return replace(read_entity(Document(path, Kind.ENTITY, b"", None)), problem=reason)
