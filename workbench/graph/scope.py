"""What belongs to an entity beside its own page: its parts, lines that name it, and who works on it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from workbench.graph.entity_recognition import mention_of
from workbench.graph.paths import leading_to
from workbench.graph.snapshot import Graph, Held
from workbench.memory.graph_page import Entity, name_key

Nearness = tuple[int, str]
"""0 for the entity's own, 1 for its parts', 2 for lines with its name, 3 for who works on it; and why."""


class EntityScope:
    """What is about any of ``entities`` on a day."""

    def __init__(self, graph: Graph, entities: Sequence[Entity], today: date) -> None:
        self.entities = tuple(entities)
        self._near: dict[str, Nearness] = {entity.path: (0, "") for entity in entities}
        self._patterns = [(entity, mention_of(entity)) for entity in entities]
        self._stems = {
            name_key(name): entity for entity in entities for name in (entity.name, *entity.aliases)
        }
        present = graph if graph.day else graph.as_of(today)
        for nearness, kind in ((1, "part_of"), (3, "works_on")):
            for entity in entities:
                self._add(present, present.at(entity.path) or entity, kind, nearness)

    def of(self, held: Held) -> Nearness | None:
        """How near a memory is, and why; None for one that is about something else."""
        near = self._near.get(held.entity.path) if held.entity else self._by_file(held)
        if near is not None and near[0] < 2:
            return near
        text = name_key(f"{held.memory.text} {held.memory.scene}")
        named = next((entity for entity, pattern in self._patterns if pattern.search(text)), None)
        return (2, f"mentions {named.name}") if named else near

    def holds(self, entity: Entity) -> bool:
        """Whether a page belongs to what is asked for, as itself or as a part."""
        return self._near.get(entity.path, (9, ""))[0] < 2

    def _add(self, graph: Graph, entity: Entity, kind: str, nearness: int) -> None:
        for path in leading_to(graph, entity, kind):
            end = path[-1].entity
            if end is not None and (kind == "part_of" or end.type == "person" or len(path) == 1):
                self._near.setdefault(
                    end.path, (nearness, f"{end.name} {kind.replace('_', ' ')} {entity.name}")
                )

    def _by_file(self, held: Held) -> Nearness | None:
        """A note that is named like the entity is about it."""
        stem = held.memory.entry.path.rpartition("/")[2].removesuffix(".md")
        entity = self._stems.get(name_key(stem.replace("-", " ").replace("_", " ")))
        return (1, f"in the note on {entity.name}") if entity else None
