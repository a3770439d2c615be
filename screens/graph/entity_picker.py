"""Choosing an entity: a list that narrows as one types, by names and by further names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from screens.dialogs.choose import ChooseScreen
from screens.drawing.rows import Row, RowPart
from screens.drawing.safe_text import plural, row_text, words
from workbench.graph.keyword_search import most_linked, named_like
from workbench.graph.model import Graph
from workbench.memory.graph_page import Entity, name_key

_MOST = 200


class EntityScreen(ChooseScreen):
    """Ends with the path of an entity's page, or None."""

    def __init__(self, graph: Graph) -> None:
        """Those with the most relations first."""
        super().__init__(
            words("Which entity?"),
            entity_rows(graph, most_linked(graph, _MOST)),
            lambda _: (),
            placeholder="type a name, or a part of it",
            empty="nothing in the graph is called that",
            chooses="goes there",
        )
        self._graph = graph

    def found(self, wanted: str) -> Sequence[Row]:
        """Those that are called that, by any of their names."""
        return entity_rows(self._graph, matching(self._graph, wanted, _MOST))


def matching(graph: Graph, text: str, most: int) -> Sequence[Entity]:
    """The entities with a name that begins with, or has a word that begins with, what was typed.

    Then those that hold it anywhere; the most connected first where nothing was typed.
    """
    typed = name_key(text)
    if not typed:
        return most_linked(graph, most)
    found = sorted(
        (rank, -graph.degree(entity), entity.path, entity)
        for entity in graph.entities
        if (rank := min(map(partial(_rank, typed=typed), (entity.name, *entity.aliases)))) < _NOT
    )
    entities = [entity for *_, entity in found[:most]]
    return entities or list(named_like(graph, text, most))


_NOT = 4


def _rank(name: str, typed: str) -> int:
    key = name_key(name)
    if key == typed:
        return 0
    if key.startswith(typed):
        return 1
    if f" {typed}" in key:
        return 2
    return 3 if typed in key else _NOT


def entity_rows(graph: Graph, entities: Sequence[Entity]) -> list[Row]:
    """A row each: type, name, the other names, how much is known."""
    rows = []
    for entity in entities:
        name = row_text(entity.name)
        also = f"  also {', '.join(entity.aliases)}" if entity.aliases else ""
        text = row_text(f"{name}{also}")
        tail = (
            RowPart(plural(len(entity.memories), "fact"), "faint"),
            RowPart(plural(graph.degree(entity), "relation"), "muted"),
        )
        lead = (RowPart(words(row_text(entity.type).ljust(12)), "accent"),)
        rows.append(
            Row(id=entity.path, text=text, lead=lead, tail=tail, emphasis=((len(name), len(text), "faint"),))
        )
    return rows
