"""What stands around an entity, as a tree that can be drawn: each thing once, where it is reached first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from workbench.graph.answer import hop_json
from workbench.graph.paths import Hop, hops_from
from workbench.graph.snapshot import Graph
from workbench.memory.graph_page import Entity

MAX_HOPS = 3
EACH = 12
"""Neighbours of one entity that are shown; how many more there are is said."""


@dataclass(frozen=True, slots=True)
class Node:
    """An entity (or a name without a page), how it was reached, and what stands around it.

    ``left_out`` counts neighbours beyond those in ``children``.
    """

    name: str
    entity: Entity | None
    hop: Hop | None = None
    children: tuple[Node, ...] = ()
    left_out: int = 0

    def lines(self, depth: int = 0) -> Iterator[tuple[int, Node]]:
        """Every node below, in the order of drawing, with its depth from 0 for this one."""
        yield depth, self
        for child in self.children:
            yield from child.lines(depth + 1)

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {
            "name": self.name,
            "type": self.entity.type if self.entity else None,
            "page": self.entity.path if self.entity else None,
            "relation": hop_json(self.hop) if self.hop else None,
            "neighbours": [child.as_json() for child in self.children],
            "left_out": self.left_out,
        }


def neighbourhood(graph: Graph, entity: Entity, *, hops: int = 1, each: int = EACH) -> Node:
    """``entity`` with what it is related to, up to ``hops`` (at most 3) relations away.

    Neighbours are in order of the confidence of their relations; what is shown nearer is not shown again.
    """
    below: dict[str, list[tuple[Hop, str]]] = {}
    left_out: dict[str, int] = {}
    seen: set[str] = {entity.path}
    queue: deque[tuple[Entity, int]] = deque([(entity, 0)])
    while queue:
        at, depth = queue.popleft()
        if depth >= min(hops, MAX_HOPS):
            continue
        nearest: dict[str, Hop] = {}
        for hop in hops_from(graph, at):
            key = _key(hop)
            if key not in seen and (key not in nearest or hop.confidence > nearest[key].confidence):
                nearest[key] = hop
        ranked = sorted(nearest.items(), key=lambda item: (-item[1].confidence, item[1].end, item[0]))
        left_out[at.path] = max(0, len(ranked) - each)
        below[at.path] = [(hop, key) for key, hop in ranked[:each]]
        seen.update(key for key, _ in ranked[:each])
        queue.extend((hop.entity, depth + 1) for _, hop in ranked[:each] if hop.entity is not None)
    return _node(entity.name, entity, None, below, left_out)


def _node(
    name: str,
    entity: Entity | None,
    hop: Hop | None,
    below: dict[str, list[tuple[Hop, str]]],
    left_out: dict[str, int],
) -> Node:
    path = entity.path if entity else ""
    children = tuple(_node(h.end, h.entity, h, below, left_out) for h, _ in below.get(path, ()))
    return Node(name, entity, hop, children, left_out.get(path, 0))


def _key(hop: Hop) -> str:
    """A path for what has a page; names without one are told apart from paths."""
    return hop.entity.path if hop.entity else f"[[{hop.end}]]"
