"""Walks along relations: what follows from an entity, and how two of them are connected.

Every walk is bounded in hops, in relations looked at and in what it finds, so that neither cycles nor a page
with ten thousand relations can hold it up; what was left out is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

from workbench.graph.snapshot import Graph, RelationLink
from workbench.memory.graph_page import Entity

MAX_HOPS = 3
MAX_LOOKED_AT = 200_000
"""Relations that one walk looks at."""
_SHORTEST = 5
"""Paths of the same length that are told."""
_NEXT_HOP = 0.6
"""How much less a thing counts that is one hop further away."""
_TRANSITIVE = frozenset({"located_in", "part_of", "depends_on", "uses", "caused_by", "supersedes"})
_VAGUE = 0.8
"""How much a ``related_to`` counts, which says little, beside a relation that says what it is."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One relation, walked along (``forward``) or against it."""

    link: RelationLink
    forward: bool

    @property
    def start(self) -> str:
        """The name of the entity that the hop starts from."""
        return self.link.source.name if self.forward else self.link.name

    @property
    def end(self) -> str:
        """The name of what the hop leads to."""
        return self.link.name if self.forward else self.link.source.name

    @property
    def entity(self) -> Entity | None:
        """The entity that the hop leads to; None where there is no page of it."""
        return self.link.target if self.forward else self.link.source

    @property
    def confidence(self) -> float:
        """How sure the relation is, in [0, 1]; a vague one counts less."""
        vague = _VAGUE if self.link.relation.kind == "related_to" else 1.0
        return self.link.relation.confidence * vague


Path = tuple[Hop, ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """Paths, the best first; ``complete`` says that nothing was left out for its length."""

    paths: tuple[Path, ...]
    complete: bool = True


def path_score(path: Path) -> float:
    """How much the end of a path counts, in (0, 1]: its relations' confidences, less for each further hop."""
    return prod(hop.confidence for hop in path) * _NEXT_HOP ** max(0, len(path) - 1)


def hops_from(graph: Graph, entity: Entity) -> Iterator[Hop]:
    """The relations at ``entity``: its own, then those that lead to it. A relation to itself is none."""
    yield from (Hop(link, True) for link in graph.relations_of(entity) if not _to_itself(link))
    yield from (Hop(link, False) for link in graph.relations_to(entity) if not _to_itself(link))


def leading_to(graph: Graph, end: Entity, kind: str, *, hops: int = MAX_HOPS) -> tuple[Path, ...]:
    """From where relations of this kind lead to ``end``: each thing by its shortest path, begun at ``end``.

    Walks go on by relations that carry the meaning further: who works on a part of a project works on the
    project, and what is in a town is in its country.
    """
    carrying = _TRANSITIVE & {kind} or ({"part_of"} if kind == "works_on" else set())
    found: dict[str, Path] = {}
    seen = {end.path}
    frontier: list[tuple[Entity, Path]] = [(end, ())]
    looked_at = 0
    for _ in range(hops):
        following: list[tuple[Entity, Path]] = []
        for entity, path in frontier:
            met = {end.path, *(hop.link.source.path for hop in path)}
            for link in graph.relations_to(entity):
                looked_at += 1
                if looked_at > MAX_LOOKED_AT:
                    return _ranked(found.values())
                further, source = (*path, Hop(link, False)), link.source
                if source.path in met:
                    continue
                if link.relation.kind == kind:
                    found.setdefault(source.path, further)
                if link.relation.kind in carrying and source.path not in seen:
                    seen.add(source.path)
                    following.append((source, further))
        frontier = following
    return _ranked(found.values())


def shortest(graph: Graph, first: Entity, second: Entity, *, hops: int = MAX_HOPS) -> Walk:
    """The shortest paths between two entities, whichever way their relations point; none beyond ``hops``."""
    if first.path == second.path:
        return Walk(())
    reached: dict[str, list[Path]] = {first.path: [()]}
    frontier = [first]
    looked_at = 0
    for _ in range(hops):
        level: dict[str, tuple[Entity, list[Path]]] = {}
        for entity in frontier:
            for hop in hops_from(graph, entity):
                looked_at += 1
                if looked_at > MAX_LOOKED_AT:
                    return Walk(_ranked(level.get(second.path, (second, []))[1])[:_SHORTEST], complete=False)
                if hop.entity is None or hop.entity.path in reached:
                    continue
                _, paths = level.setdefault(hop.entity.path, (hop.entity, []))
                paths += [(*path, hop) for path in reached[entity.path][: _SHORTEST - len(paths)]]
        if second.path in level:
            return Walk(_ranked(level[second.path][1])[:_SHORTEST])
        reached |= {path: paths for path, (_, paths) in level.items()}
        frontier = [entity for entity, _ in level.values()]
    return Walk(())


def _to_itself(link: RelationLink) -> bool:
    return link.target is not None and link.target.path == link.source.path


def _ranked(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(sorted(paths, key=lambda path: (len(path), -path_score(path), path[-1].end)))
