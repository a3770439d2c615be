"""What held on a day, by the days of validity that the pages themselves give.

This asks *when a thing was true*, as the memory of today tells it. What the memory said on some day is
another question, which git answers (``workbench --as-of``): a fact that was learnt in May and has held since
March is in the graph of April here, and in no commit of April.

A thing holds from its ``valid_from``, else from the day it occurred, up to but not including its
``valid_until``. What says no beginning has held all along, what says no end still holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from workbench.memory.graph_page import Entity, Relation, TypedMemory


def memory_holds(memory: TypedMemory, day: date) -> bool:
    """Whether a typed memory held on ``day``."""
    return _within(memory.valid_from or memory.occurred_at, memory.valid_until, day)


def relation_holds(relation: Relation, day: date) -> bool:
    """Whether a relation held on ``day``."""
    return _within(relation.valid_from, relation.valid_until, day)


def entity_holds(entity: Entity, day: date) -> bool:
    """Whether an entity held on ``day``: from the first day that its page, or any line on it, speaks of."""
    return _within(_beginning(entity), entity.valid_until, day)


def entities_on(entities: Iterable[Entity], day: date) -> tuple[Entity, ...]:
    """The entities that held on ``day``, each with the memories and relations that did."""
    return tuple(
        replace(
            entity,
            valid_from=_beginning(entity),  # the line that it began with may be over
            memories=tuple(memory for memory in entity.memories if memory_holds(memory, day)),
            relations=tuple(relation for relation in entity.relations if relation_holds(relation, day)),
        )
        for entity in entities
        if entity_holds(entity, day)
    )


def is_over(memory: TypedMemory | Relation | Entity, today: date) -> bool:
    """Whether it has stopped being true."""
    return memory.valid_until is not None and memory.valid_until <= today


def _beginning(entity: Entity) -> date | None:
    """None where the page says none: a day on one line alone does not make the entity begin then."""
    if entity.valid_from is None:
        return None
    said = [memory.valid_from or memory.occurred_at for memory in entity.memories]
    said += [relation.valid_from for relation in entity.relations]
    return min([entity.valid_from, *(day for day in said if day)])


def _within(first: date | None, until: date | None, day: date) -> bool:
    return (first is None or first <= day) and (until is None or day < until)
