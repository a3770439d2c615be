"""The graph in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from workbench.graph.keyword_search import most_linked
from workbench.graph.memory_query import is_pending
from workbench.graph.model import Graph, is_over
from workbench.memory.graph_page import TypedMemory
from workbench.workspace.workspace import Workspace

_MOST = 10


@dataclass(frozen=True, slots=True)
class Ingestion:
    """What the ledger says of one kind of source: different sources, times one was read, memories made."""

    kind: str
    sources: int
    runs: int
    memories: int
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Counts of a graph. Days are ISO dates, or None where no memory says one.

    ``expired`` are memories and relations that are over, ``unsourced`` memories that name no source,
    ``unresolved`` relations that lead to no page, or to a name that several have. ``top`` are the entities
    with the most relations, of their own and to them.
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
    top: tuple[tuple[str, int], ...]
    ingested: tuple[Ingestion, ...]

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        said = asdict(self)
        said["top"] = [{"name": name, "relations": count} for name, count in self.top]
        return said


def stats(workspace: Workspace, graph: Graph, today: date) -> Stats:
    """The figures of ``graph``, and of what the ledger says was ingested."""
    held = list(graph.memories())
    memories = [item.memory for item in held]
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
        unsourced=sum(1 for memory in memories if not memory.sources),
        expired=sum(is_over(memory, today) for memory in memories)
        + sum(is_over(relation, today) for relation in relations),
        pending=sum(1 for memory in memories if is_pending(memory, today)),
        pinned=sum(1 for m in memories if m.entry.pinned or m.entry.path in pinned_pages),
        unresolved=len(graph.unresolved()),
        broken=tuple(entity.path for entity in graph.broken),
        sources=len({source for memory in memories for source in _files(memory)}),
        oldest=days[0].isoformat() if days else None,
        newest=days[-1].isoformat() if days else None,
        top=tuple((entity.name, graph.degree(entity)) for entity in most_linked(graph, _MOST)),
        ingested=_ingested(workspace),
    )


def _ingested(workspace: Workspace) -> tuple[Ingestion, ...]:
    runs: Counter[str] = Counter()
    made: Counter[str] = Counter()
    sources: dict[str, set[str]] = {}
    last: dict[str, str] = {}
    for record in workspace.ledger.read("ingested"):
        kind = str(record.get("kind") or "unknown")
        runs[kind] += 1
        sources.setdefault(kind, set()).add(str(record.get("source")))
        count = record.get("memories")
        made[kind] += count if isinstance(count, int) and count > 0 else 0
        last[kind] = max(last.get(kind, ""), str(record.get("at") or ""))
    return tuple(
        Ingestion(kind, len(sources[kind]), runs[kind], made[kind], last[kind]) for kind in sorted(runs)
    )


def _files(memory: TypedMemory) -> tuple[str, ...]:
    """The files, sessions or URLs that a memory names as its sources, without the lines in them."""
    return tuple(source.partition("#")[0] for source in memory.sources)


def _counted(values: Iterable[str]) -> dict[str, int]:
    """Counts, the highest first."""
    return dict(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))
