"""Choosing what to look at: an entity by any of its names, a day."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import partial

from screens.dialogs.choose import ChooseScreen
from screens.drawing.rows import Row, RowPart, piece
from screens.drawing.safe_text import plural, row_text, words
from screens.graph.views import named_row
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
            empty="nothing in the graph has that name",
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
    """0 for the very name; then what begins with it, has a word that does, holds it; and ``_NOT``."""
    key = name_key(name)
    return (key == typed, key.startswith(typed), f" {typed}" in key, typed in key, True).index(True)


def entity_rows(graph: Graph, entities: Sequence[Entity]) -> list[Row]:
    """A row each: type, name, the other names, how much is known."""
    return [
        replace(
            named_row(entity),
            lead=(piece(row_text(entity.type).ljust(12), "accent"),),
            tail=(
                RowPart(plural(len(entity.memories), "fact"), "faint"),
                RowPart(plural(graph.degree(entity), "relation"), "muted"),
            ),
        )
        for entity in entities
    ]


def day_rows(text: str) -> list[Row]:
    """The day that is meant, or why none is."""
    day = day_of(text)
    if day is not None:
        return [Row(day.isoformat(), words(f"{day:%A}, {day.day} {day:%B %Y}"), tone="good")]
    none = words("not a day: write it as 2026-03-14, or 2026-03 for the first of a month")
    return [Row("no day", none, tone="bad", inert=True)]


def day_of(text: str) -> date | None:
    """The day that is meant by ``2026-03-14``, or by ``2026-03``; None where it is none."""
    try:
        return date.fromisoformat(f"{text}-01" if text.count("-") == 1 else text)
    except ValueError:
        return None


def month_from(day: date, months: int) -> date:
    """The same day of another month, or the last one that it has; within the years there are."""
    at = day.year * 12 + day.month - 1 + months
    year, month = min(max(at // 12, 1), 9999), at % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))
