"""The graph read from its files: every page of ``graph/``, and the typed memories of other curated files."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from time import time_ns
from typing import Any

from indexing.query.dates import named_days
from workbench.collection_pause import no_garbage_collection
from workbench.errors import EntryNotFoundError, UsageError, WorkbenchError, reason_of
from workbench.frozen import frozen, frozen_kw_only
from workbench.graph.keyword_search import most_linked
from workbench.graph.memory_query import is_pending
from workbench.graph.model import Graph, is_over
from workbench.memory.claims import claim_key
from workbench.memory.entry import Form, Kind
from workbench.memory.graph_page import Entity, TypedMemory, memory_type, read_entity, read_memories
from workbench.memory.graph_types import IMPORTANCE
from workbench.memory.markdown import Document, parse_document
from workbench.memory.origin import OriginReader
from workbench.workspace.layout import ARCHIVE, MemoryFile
from workbench.workspace.workspace import Workspace

RACY_NS = 2_000_000_000
"""A file that changed this shortly before it was read may change again without another stamp."""
_CURATED = frozenset({Kind.MEMORY, Kind.NOTE, Kind.BOOTSTRAP})
"""Logs, episodes and dreams are what the graph is made from, or made of it. Only boxes of logs are in it."""
_BOX = re.compile(r"\[(?P<mark>[ xX])\]\s+(?P<text>[^\n]+)")
_BOXES = re.compile(rb"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\][ \t]", re.MULTILINE)
_TASKS = re.compile(
    r"(?:.*[/_-])?(?:todos?|tasks?|backlog|aufgaben|tareas|tarefas|tâches|задачи|待办|任务|タスク)[/._-].*",
    re.IGNORECASE,
)
"""Notes that keep what is to be done. Boxes of others are mostly steps of a procedure, or a checklist."""
_NO_TASKS = re.compile(r"(?:.*/)?(?:skills?|docs?|\.[^/]+)/.*", re.IGNORECASE)
_TYPED = re.compile(
    rb"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[(?:" + "|".join(IMPORTANCE).encode() + rb")\][ \t]", re.MULTILINE
)


@frozen
class _Page:
    """What was read; ``file`` is None where another version of it may look the same."""

    file: MemoryFile | None
    entity: Entity | None = None
    memories: tuple[TypedMemory, ...] = ()
    boxes: tuple[TypedMemory, ...] = ()


class GraphReader:
    """Reads the graph of one workspace again and again; only files that changed are parsed anew."""

    def __init__(self, workspace: Workspace, *, pages: bool = True) -> None:
        """Without ``pages`` only the typed memories of no entity are read."""
        self._workspace = workspace
        self._with_pages = pages
        self._pages: dict[str, _Page] = {}
        self._graph: Graph | None = None

    @no_garbage_collection()
    def read(self) -> Graph:
        """The graph as it is now; the same object as before where no file has changed."""
        pages: dict[str, _Page] = {}
        graph = self._graph
        for file in filter(self._counts, self._workspace.scan()):
            kept = self._pages.get(file.path)
            if kept is None or kept.file != file:
                graph, kept = None, self._read(file)
            if kept is not None:
                pages[file.path] = kept
        if graph is None or pages.keys() != self._pages.keys():
            boxes = [box for page in pages.values() for box in page.boxes]
            lines = {f"{box.entry.path}#L{box.entry.start_line}" for box in boxes}
            entities = tuple(_copies_done(page.entity, lines) for page in pages.values() if page.entity)
            typed = [memory for page in pages.values() for memory in page.memories]
            known = (*typed, *(memory for entity in entities for memory in entity.memories))
            claims = {claim_key(one.text) for one in known if boxes and one.type == "todo" and not one.done}
            graph = Graph(entities, (*typed, *_newest(boxes, claims)))
        self._pages, self._graph = pages, graph
        return graph

    def _counts(self, file: MemoryFile) -> bool:
        if file.kind is Kind.ENTITY:
            return self._with_pages
        aside = file.path.startswith(ARCHIVE) or file.is_template
        return (file.kind in _CURATED or file.kind is Kind.LOG) and not aside

    def _read(self, file: MemoryFile) -> _Page | None:
        """One file, parsed; None when it went away meanwhile."""
        now = time_ns()  # before reading: what is written from here on gets another stamp
        known = file if file.ctime_ns < now - RACY_NS else None
        is_page = file.kind is Kind.ENTITY
        try:
            data = self._workspace.files.read(file.path)
        except FileNotFoundError:
            return None
        except (OSError, WorkbenchError) as error:
            called = read_entity(Document(file.path, file.kind, b"", None))  # what its place says of it
            return _Page(known, replace(called, problem=reason_of(error)) if is_page else None)
        typed = file.kind in _CURATED and _TYPED.search(data)
        boxed = _keeps_tasks(file) and _BOXES.search(data)
        if not (is_page or typed or boxed):
            return _Page(known)  # most files hold none, and parsing is what costs
        document = parse_document(file.path, data, file.kind)
        if is_page:
            return _Page(known, read_entity(document))
        return _Page(known, None, read_memories(document) if typed else (), _boxes(document) if boxed else ())


def _keeps_tasks(file: MemoryFile) -> bool:
    if file.kind is Kind.NOTE:
        return bool(_TASKS.fullmatch(file.path)) and not _NO_TASKS.fullmatch(file.path)
    return file.kind in (Kind.LOG, Kind.MEMORY)


def _boxes(document: Document) -> tuple[TypedMemory, ...]:
    """The todos of lists with boxes: ``- [ ] …`` is open, ``- [x] …`` is done.

    A day that is written out is when it is due, unless it was over already on the day of the line.
    """
    origins, found = OriginReader(document), []
    for entry in document.entries:
        box = _BOX.match(entry.text) if entry.form is Form.ITEM else None
        if box and not memory_type(entry):
            days = [day for day in named_days(box["text"]) if entry.date is None or day >= entry.date]
            found.append(
                TypedMemory(
                    entry=entry,
                    type="todo",
                    text=box["text"].strip(),
                    importance=IMPORTANCE["todo"],
                    happens_at=days[0] if len(days) == 1 else None,
                    occurred_at=entry.date,
                    scene=" › ".join(entry.heading),
                    done=box["mark"] != " ",
                    trust=origins.of(entry).value,
                )
            )
    return tuple(found)


def _copies_done(entity: Entity, lines: Container[str]) -> Entity:
    """The page, on which copies of boxes that stand in ``lines`` (``path#L12``) count as done.

    They were learnt before boxes were todos, and stay on their page: what acts on it sees all of it.
    """
    memories = tuple(
        replace(one, done=True)
        if one.text.startswith("[ ]") and any(at in lines for at in one.sources)
        else one
        for one in entity.memories
    )
    return replace(entity, memories=memories) if memories != entity.memories else entity


def _newest(boxes: Iterable[TypedMemory], claims: Container[str]) -> Iterable[TypedMemory]:
    """Of boxes with the same words the newest: lists are copied from day to day, and done on a later one.

    Those that make one of ``claims`` are typed memories already.
    """
    by_claim = {}
    # A list without days stands for itself: no log says what it holds now.
    for box in sorted(
        boxes, key=lambda one: (one.occurred_at or date.max, not one.occurred_at and not one.done)
    ):
        by_claim[claim_key(box.text)] = box
    return (box for claim, box in by_claim.items() if claim not in claims)


def read_graph(workspace: Workspace) -> Graph:
    """The graph of ``workspace`` as it is now. Pages that cannot be read are in it, with ``problem``."""
    return GraphReader(workspace).read()


def memory_addresses(workspace: Workspace, references: Sequence[str]) -> tuple[str, ...]:
    """The address of each memory or relation that is called by its id; an address is one already.

    Raises EntryNotFoundError, and UsageError where several lines have an id.
    """
    lines: dict[str, list[str]] = {}
    if any("#" not in reference for reference in references):
        for line in (line for entity in read_graph(workspace).entities for line in entity.lines):
            lines.setdefault(line.id, []).append(line.entry.address)
    found = []
    for reference in references:
        several = [reference] if "#" in reference else lines.get(reference, [])
        if len(several) > 1:
            raise UsageError(f"several lines have the id {reference}", hint=", ".join(several[:5]))
        if not several:
            raise EntryNotFoundError(reference)
        found += several
    return tuple(found)


# -- the graph in figures ----------------------------------------------------------------------------

_MOST = 10


@frozen
class Ingestion:
    """What the ledger says of one kind of source: different sources, times one was read, memories made."""

    kind: str
    sources: int
    runs: int
    memories: int
    last: str


@frozen
class LinkedEntity:
    """How many relations the entity of this name has."""

    name: str
    relations: int


@frozen_kw_only
class Stats:
    """Counts of a graph. Days are ISO dates, or None where no memory says one.

    ``expired`` are memories and relations that are over, ``unsourced`` memories that name no source
    (a box is where it was written), ``unresolved`` relations that lead to no page, or to a name that several
    have. ``top`` are the entities with the most relations, of their own and to them.
    """

    entities: int
    memories: int
    relations: int
    loose: int
    memory_types: Mapping[str, int]
    entity_types: Mapping[str, int]
    relation_kinds: Mapping[str, int]
    trust: Mapping[str, int]
    confidence: float | None
    unsourced: int
    expired: int
    pending: int
    pinned: int
    unresolved: int
    broken: tuple[str, ...]
    sources: int
    oldest: str | None
    newest: str | None
    top: tuple[LinkedEntity, ...]
    ingested: tuple[Ingestion, ...]


def stats(workspace: Workspace, graph: Graph, today: date) -> Stats:
    """The figures of ``graph``, and of what the ledger says was ingested."""
    memories = [held.memory for held in graph.memories()]
    relations = [relation for entity in graph.entities for relation in entity.relations]
    days = sorted(day for memory in memories if (day := memory.occurred_at or memory.recorded_at))
    pinned_pages = {entity.path for entity in graph.entities if entity.pinned}
    return Stats(
        entities=len(graph.entities),
        memories=len(memories),
        relations=len(relations),
        loose=len(graph.loose),
        memory_types=_counted(memory.type for memory in memories),
        entity_types=_counted(entity.type for entity in graph.entities),
        relation_kinds=_counted(relation.kind for relation in relations),
        trust=_counted(memory.trust for memory in memories),
        confidence=round(sum(m.confidence for m in memories) / len(memories), 4) if memories else None,
        unsourced=sum(1 for memory in memories if not memory.sources and memory_type(memory.entry)),
        expired=sum(is_over(line, today) for line in (*memories, *relations)),
        pending=sum(is_pending(memory, today) for memory in memories),
        pinned=sum(m.entry.pinned or m.entry.path in pinned_pages for m in memories),
        unresolved=len(graph.unresolved()),
        broken=tuple(entity.path for entity in graph.broken),
        sources=len({source.partition("#")[0] for memory in memories for source in memory.sources}),
        oldest=days[0].isoformat() if days else None,
        newest=days[-1].isoformat() if days else None,
        top=tuple(LinkedEntity(one.name, graph.degree(one)) for one in most_linked(graph, _MOST)),
        ingested=_ingested(workspace),
    )


def _ingested(workspace: Workspace) -> tuple[Ingestion, ...]:
    by_kind: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for record in workspace.ledger.read("ingested"):
        by_kind[str(record.get("kind") or "unknown")].append(record)
    return tuple(
        Ingestion(
            kind=kind,
            sources=len({str(one.get("source")) for one in records}),
            runs=len(records),
            memories=sum(n for one in records if isinstance(n := one.get("memories"), int) and n > 0),
            last=max(str(one.get("at") or "") for one in records),
        )
        for kind, records in sorted(by_kind.items())
    )


def _counted(values: Iterable[str]) -> dict[str, int]:
    """Counts, the highest first, then by name."""
    return dict(Counter(sorted(values)).most_common())
