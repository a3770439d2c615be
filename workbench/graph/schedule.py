"""What is due: todos, events and deadlines by their days."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, get_args

from workbench.graph.answer import memory_json
from workbench.graph.snapshot import Graph, Held, entity_holds, memory_holds
from workbench.memory.graph_page import Entity, TypedMemory
from workbench.memory.moment import ordinal

Sort = Literal["todo", "event", "deadline"]
"""An ``event`` happens and is over; a ``todo`` waits until it is done; a ``deadline`` is the day of a goal,
or of anything else that says when it happens."""


@dataclass(frozen=True, slots=True)
class Due:
    """One thing that is due; ``days`` from today, below 0 for what is overdue, None where no day is given."""

    held: Held
    sort: Sort
    days: int | None

    @property
    def when(self) -> str:
        """``overdue by 3 days``, ``today``, ``in 5 days``, or ``no day``."""
        if self.days is None:
            return "no day"
        if self.days == 0:
            return "today"
        count = f"{abs(self.days)} day{'' if abs(self.days) == 1 else 's'}"
        return f"in {count}" if self.days > 0 else f"overdue by {count}"

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it and an agent gets it."""
        return {
            "sort": self.sort,
            "days": self.days,
            "when": self.when,
            "about": self.held.owner,
            "page": self.held.memory.entry.path,
            "memory": memory_json(self.held.memory),
        }


@dataclass(frozen=True, slots=True)
class Schedule:
    """What is due from today on, the soonest first; what is overdue, the longest first; todos without a day.

    ``tasks`` are pages of the type `task` that still hold: they are due as a whole.
    """

    upcoming: tuple[Due, ...] = ()
    overdue: tuple[Due, ...] = ()
    undated: tuple[Due, ...] = ()
    tasks: tuple[Entity, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it and an agent gets it."""
        return {
            "upcoming": [due.as_json() for due in self.upcoming],
            "overdue": [due.as_json() for due in self.overdue],
            "undated": [due.as_json() for due in self.undated],
            "tasks": [{"name": task.name, "page": task.path} for task in self.tasks],
        }


Period = Literal["overdue", "today", "week", "later", "undated"]
"""``week`` are the seven days after today; ``undated`` what has no day."""
PERIODS: tuple[Period, ...] = get_args(Period)
_WEEK = 7


def period_of(due: Due) -> Period:
    """When a thing is due, as people divide time."""
    if due.days is None:
        return "undated"
    if due.days < 0:
        return "overdue"
    if due.days == 0:
        return "today"
    return "week" if due.days <= _WEEK else "later"


def is_pending(memory: TypedMemory, today: date) -> bool:
    """Whether a todo still waits: neither done nor over. What begins to hold later does not wait yet."""
    begun = memory.valid_from is None or memory.valid_from <= today
    ended = memory.valid_until is not None and memory.valid_until <= today
    return memory.type == "todo" and begun and not ended and not memory.done


def upcoming(
    graph: Graph,
    today: date,
    *,
    sorts: tuple[Sort, ...] = ("todo", "event", "deadline"),
    ahead: int | None = None,
) -> Schedule:
    """What is due on ``today`` or later, and what should have been; ``ahead`` in days bounds what is to come.

    Events that have happened, and what is done or over, are not in it.
    """
    due = [item for item in _due(graph, today) if item.sort in sorts]
    coming = [item for item in due if item.days is not None and item.days >= 0]
    late = [item for item in due if item.days is not None and item.days < 0]
    todos = "todo" in sorts
    return Schedule(
        upcoming=tuple(sorted((x for x in coming if ahead is None or (x.days or 0) <= ahead), key=_order)),
        overdue=tuple(sorted(late, key=_order)),
        undated=tuple(sorted((x for x in due if x.days is None), key=_order)),
        tasks=tuple(e for e in graph.entities if todos and e.type == "task" and entity_holds(e, today)),
    )


def _due(graph: Graph, today: date) -> Iterator[Due]:
    for held in graph.memories():
        memory = held.memory
        if held.entity is not None and not entity_holds(held.entity, today):
            continue
        days = (memory.happens_at - today).days if memory.happens_at else None
        if memory.type == "todo":
            if is_pending(memory, today):
                yield Due(held, "todo", days)
        elif days is not None and not memory.done and memory_holds(memory, today):
            if memory.type == "event":
                if days >= 0:
                    yield Due(held, "event", days)
            elif days >= 0 or memory.type == "goal":
                yield Due(held, "deadline", days)


def _order(due: Due) -> tuple[float, float, str]:
    day = due.held.memory.happens_at
    return ordinal(day) if day else 0.0, -due.held.memory.weight, due.held.memory.entry.address
