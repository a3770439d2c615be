"""What a question to the graph is answered with: each finding with its way, its sources and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbench.graph.paths import Hop, Path, path_score
from workbench.memory.entry import Entry
from workbench.memory.graph_page import Entity, Relation, TypedMemory


@dataclass(frozen=True, slots=True)
class GraphFinding:
    """One finding: where a path leads, or a memory. ``score`` in [0, 1], ``why`` one line for a person."""

    name: str
    entity: Entity | None
    score: float
    why: str
    path: Path = ()
    memory: TypedMemory | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """Where it comes from: what its lines name as their sources, else where the lines stand."""
        items = [self.memory] if self.memory else [hop.link.relation for hop in self.path]
        return tuple(dict.fromkeys(source for item in items for source in sources_of(item)))

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it and an agent gets it."""
        return {
            "name": self.name,
            "type": self.entity.type if self.entity else None,
            "id": self.entity.id if self.entity else None,
            "page": self.entity.path if self.entity else None,
            "score": round(self.score, 4),
            "why": self.why,
            "path": [hop_json(hop) for hop in self.path],
            "memory": memory_json(self.memory) if self.memory else None,
            "sources": list(self.sources),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphAnswer:
    """``asked`` says how the question was understood; ``notes`` what was assumed or is missing.

    ``suggestions`` are names that are known, where the question names none.
    """

    question: str
    asked: str
    entities: tuple[Entity, ...] = ()
    found: tuple[GraphFinding, ...] = ()
    notes: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it and an agent gets it."""
        return {
            "question": self.question,
            "asked": self.asked,
            "entities": [
                {"name": entity.name, "type": entity.type, "id": entity.id, "page": entity.path}
                for entity in self.entities
            ],
            "found": [found.as_json() for found in self.found],
            "notes": list(self.notes),
            "suggestions": list(self.suggestions),
        }


def by_path(path: Path) -> GraphFinding:
    """What a path of relations leads to."""
    end = path[-1]
    return GraphFinding(
        end.end, end.entity, path_score(path), " · ".join(said(hop) for hop in path), path=path
    )


def by_memory(memory: TypedMemory, entity: Entity | None, why: str, share: float = 1.0) -> GraphFinding:
    """A typed memory; ``share`` in [0, 1] says how much of what was asked it holds."""
    name = entity.name if entity else memory.entry.path
    return GraphFinding(name, entity, share * memory.weight, why, memory=memory)


def said(hop: Hop) -> str:
    """A relation as its page states it: ``Ann works on Atlas, since 2026-03-02``."""
    link, relation = hop.link, hop.link.relation
    line = f"{link.source.name} {relation.kind.replace('_', ' ')} {link.name}"
    if relation.valid_from:
        line += f", since {relation.valid_from}"
    if relation.valid_until:
        line += f", until {relation.valid_until}"
    return line if link.target or link.candidates else f"{line} (which has no page)"


def sources_of(item: TypedMemory | Relation) -> tuple[str, ...]:
    """What a line names as its sources, else where it stands itself."""
    return item.sources or (place_of(item.entry),)


def place_of(entry: Entry) -> str:
    """``path#L12`` or ``path#L12-L14``."""
    last = f"-L{entry.end_line}" if entry.end_line > entry.start_line else ""
    return f"{entry.path}#L{entry.start_line}{last}"


def memory_json(memory: TypedMemory) -> dict[str, Any]:
    """A typed memory; days are ISO dates or null."""
    days = ("happens_at", "occurred_at", "valid_from", "valid_until")
    values = {name: getattr(memory, name) for name in days}
    return {
        "id": memory.id or None,
        "entry": memory.entry.address,
        "type": memory.type,
        "text": memory.text,
        "confidence": memory.confidence,
        "importance": memory.importance,
        **{name: day.isoformat() if day else None for name, day in values.items()},
        "done": memory.done,
        "scene": memory.scene or None,
        "session": memory.session or None,
        "trust": memory.trust,
        "pinned": memory.entry.pinned,
        "sources": list(sources_of(memory)),
    }


def hop_json(hop: Hop) -> dict[str, Any]:
    """A relation as it stands, whichever way it was walked."""
    link, relation = hop.link, hop.link.relation
    return {
        "from": link.source.name,
        "relation": relation.kind,
        "to": link.name,
        "forward": hop.forward,
        "resolved": link.target is not None,
        "id": relation.id or None,
        "entry": relation.entry.address,
        "confidence": relation.confidence,
        "valid_from": relation.valid_from.isoformat() if relation.valid_from else None,
        "valid_until": relation.valid_until.isoformat() if relation.valid_until else None,
        "sources": list(sources_of(relation)),
    }
