"""Structured questions: typed memories by type, time, weight and what they are about; what is due when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any, Literal, get_args

from workbench.frozen import frozen, frozen_kw_only
from workbench.graph.keyword_search import may_be, memories_with, mention_of, mentions, suggestions
from workbench.graph.model import EntityMemory, Graph, holds, memory_json
from workbench.graph.search import MAX_HOPS
from workbench.memory.entry import stem_of
from workbench.memory.graph_page import Entity, TypedMemory, memory_type, name_key
from workbench.memory.graph_types import IMPORTANCE
from workbench.memory.moment import ordinal
from workbench.memory.origin import Origin
from workbench.plural import plural

Sort = Literal["todo", "event", "deadline"]
"""An ``event`` happens and is over; a ``todo`` waits until it is done; a ``deadline`` is the day of a goal,
or of anything else that says when it happens."""


@frozen
class DueItem:
    """One thing that is due; ``days`` from today, below 0 for what is overdue, None where no day is given."""

    held: EntityMemory
    sort: Sort
    days: int | None

    @property
    def when(self) -> str:
        """``overdue by 3 days``, ``today``, ``in 5 days``, or ``no day``."""
        if self.days is None:
            return "no day"
        if self.days == 0:
            return "today"
        count = plural(abs(self.days), "day")
        return f"in {count}" if self.days > 0 else f"overdue by {count}"

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {
            "sort": self.sort,
            "days": self.days,
            "when": self.when,
            "about": self.held.owner,
            "page": self.held.memory.entry.path,
            "memory": memory_json(self.held.memory),
        }


@frozen
class Schedule:
    """What is due from today on, the soonest first; what is overdue, the longest first; todos without a day.

    ``tasks`` are pages of the type `task` that still hold: they are due as a whole.
    """

    upcoming: tuple[DueItem, ...] = ()
    overdue: tuple[DueItem, ...] = ()
    undated: tuple[DueItem, ...] = ()
    tasks: tuple[Entity, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {
            "upcoming": self.upcoming,
            "overdue": self.overdue,
            "undated": self.undated,
            "tasks": _pages_json(self.tasks),
        }


def _pages_json(entities: Iterable[Entity]) -> list[dict[str, str]]:
    return [{"name": entity.name, "page": entity.path} for entity in entities]


Period = Literal["overdue", "today", "week", "later", "undated"]
"""``week`` are the seven days after today; ``undated`` what has no day."""
PERIODS: tuple[Period, ...] = get_args(Period)
_WEEK = 7


def period_of(due: DueItem) -> Period:
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
    due = sorted((item for item in _due(graph, today) if item.sort in sorts), key=_by_day)
    dated = [(item, item.days) for item in due if item.days is not None]
    todos = "todo" in sorts
    return Schedule(
        upcoming=tuple(item for item, days in dated if days >= 0 and (ahead is None or days <= ahead)),
        overdue=tuple(item for item, days in dated if days < 0),
        undated=tuple(item for item in due if item.days is None),
        tasks=tuple(e for e in graph.entities if todos and e.type == "task" and holds(e, today)),
    )


def _due(graph: Graph, today: date) -> Iterator[DueItem]:
    for held in graph.memories():
        memory = held.memory
        if held.entity is not None and not holds(held.entity, today):
            continue
        days = (memory.happens_at - today).days if memory.happens_at else None
        if memory.type == "todo":
            if is_pending(memory, today):
                yield DueItem(held, "todo", days)
        elif days is not None and not memory.done and holds(memory, today):
            if memory.type == "event":
                if days >= 0:
                    yield DueItem(held, "event", days)
            elif days >= 0 or memory.type == "goal":
                yield DueItem(held, "deadline", days)


def _by_day(due: DueItem) -> tuple[bool, float, float, str]:
    """By the day on which it is due. Of what has none, boxes that others wrote are last, the newest first."""
    memory = due.held.memory
    is_box = not memory_type(memory.entry) and memory.trust != Origin.OWNER and memory.happens_at is None
    day = -ordinal(memory.day) if is_box and memory.day else ordinal(memory.happens_at or date.min)
    return is_box, day, -memory.weight, memory.entry.address


Nearness = tuple[int, str]
"""0 for the entity's own, 1 for its parts', 2 for lines with its name, 3 for who works on it; and why."""


class EntityScope:
    """What is about any of ``entities`` on a day."""

    def __init__(self, graph: Graph, entities: Sequence[Entity], today: date) -> None:
        self._near: dict[str, Nearness] = {entity.path: (0, "") for entity in entities}
        self._patterns = [(entity, mention_of(entity)) for entity in entities]
        self._named = {key: entity for entity in entities for key in entity.keys}
        present = graph if graph.day else graph.as_of(today)
        for entity in entities:
            for page, distance, why in _related(present, present.at(entity.path) or entity):
                if distance < self._near.get(page.path, (9, ""))[0]:
                    self._near[page.path] = distance, why

    def of(self, held: EntityMemory) -> Nearness | None:
        """How near a memory is, and why; None for one that is about something else."""
        if held.entity:
            near = self._near.get(held.entity.path)
        else:  # a note that is named like the entity is about it
            stem = stem_of(held.memory.entry.path).replace("-", " ").replace("_", " ")
            page = self._named.get(name_key(stem))
            near = (1, f"in the note on {page.name}") if page else None
        if near is not None and near[0] < 2:
            return near
        text = name_key(f"{held.memory.text} {held.memory.scene}")
        named = next((entity for entity, pattern in self._patterns if pattern.search(text)), None)
        return (2, f"mentions {named.name}") if named else near

    def holds(self, entity: Entity) -> bool:
        """Whether a page belongs to what is asked for, as itself or as a part."""
        return self._near.get(entity.path, (9, ""))[0] < 2


def _related(graph: Graph, whole: Entity) -> Iterator[tuple[Entity, int, str]]:
    """The parts of an entity, and who works on it or on one of them, up to three relations away."""
    seen, level = {whole.path}, [whole]
    for distance in range(MAX_HOPS):
        parts = []
        for link in (link for one in level for link in graph.relations_to(one)):
            source, kind = link.source, link.relation.kind
            if kind == "part_of" and source.path not in seen:
                seen.add(source.path)
                parts.append(source)
                yield source, 1, f"{source.name} part of {whole.name}"
            elif kind == "works_on" and (source.type == "person" or not distance):
                yield source, 3, f"{source.name} works on {whole.name}"
        level = parts


Order = Literal["importance", "confidence", "date", "due"]
"""``importance`` and ``confidence``: the highest first; ``date``: the newest first; ``due``: the soonest
first and what has no day last."""
_MOST = 1_000
"""Memories that are looked for by their words."""


@frozen_kw_only
class MemoryQuery:
    """What is looked for; what is not said does not count. Days are included at both ends.

    ``about`` is an entity, by name, alias or id: its own memories, those of its parts, lines that mention it,
    and those of who works on it. ``happens_within`` are days from today on. ``state``: ``current`` is what
    holds today, ``pending`` todos that wait, ``overdue`` those whose day has passed, ``done`` what was done,
    ``any`` also what is over. ``scene`` is a part of the headings, or the scene, that a memory stands under.
    """

    types: tuple[str, ...] = ()
    about: str = ""
    state: Literal["current", "pending", "overdue", "done", "any"] = "current"
    occurred_since: date | None = None
    occurred_until: date | None = None
    happens_within: int | None = None
    min_importance: float = 0.0
    min_confidence: float = 0.0
    text: str = ""
    scene: str = ""
    order: Order = "importance"
    limit: int = 20


@frozen
class MemoryMatch:
    """One memory that answers; ``why`` says how it is about what was asked, ``late`` for how many days."""

    held: EntityMemory
    why: str = ""
    late: int = 0

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        about = {"about": self.held.owner, "why": self.why, "overdue_days": self.late}
        return {**memory_json(self.held.memory), **about}


@frozen
class QueryResult:
    """The memories that answer, of ``total``; ``tasks`` are pages of type `task` that answer as a whole."""

    matches: tuple[MemoryMatch, ...] = ()
    total: int = 0
    entities: tuple[Entity, ...] = ()
    tasks: tuple[Entity, ...] = ()
    notes: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {
            "total": self.total,
            "about": _pages_json(self.entities),
            "memories": self.matches,
            "tasks": _pages_json(self.tasks),
            "notes": self.notes,
            "suggestions": self.suggestions,
        }


def find(graph: Graph, question: MemoryQuery, today: date) -> QueryResult:
    """The typed memories that answer ``question``. An unknown name is told, with those that look like it.

    ``limit`` is at least 1, ``happens_within`` at least 0.
    """
    entities, notes = meant(graph, question.about) if question.about else ((), [])
    if question.about and not entities:
        note = f"nothing in the graph is called {question.about}"
        return QueryResult(notes=(note,), suggestions=suggestions(graph, question.about))
    scope = EntityScope(graph, entities, today) if entities else None
    if unknown := set(question.types) - IMPORTANCE.keys():
        unknown -= {held.memory.type for held in graph.memories()}
    notes += [f"{type_} is not a known type of memory" for type_ in sorted(unknown)]
    worded = (
        {id(held.memory) for held, _ in memories_with(graph, question.text, _MOST)} if question.text else None
    )
    found = []
    for held in graph.memories():
        if not _fits(held, question, today) or (worded is not None and id(held.memory) not in worded):
            continue
        near = scope.of(held) if scope else (0, "")
        if near is not None:
            found.append((near[0], MemoryMatch(held, near[1], _late(held.memory, today))))
    found.sort(key=lambda item: (item[0], *_order(item[1].held.memory, question.order)))
    return QueryResult(
        matches=tuple(match for _, match in found[: question.limit]),
        total=len(found),
        entities=entities,
        tasks=tuple(_tasks(graph, question, scope, today)),
        notes=tuple(notes),
    )


def meant(graph: Graph, name: str) -> tuple[tuple[Entity, ...], list[str]]:
    """The entities that a name, or a few words with a name in them, may mean; with what was assumed."""
    if found := graph.candidates(name):
        return found, [may_be(name, found)] if len(found) > 1 else []
    named = mentions(graph, name)
    entities = tuple(dict.fromkeys(entity.path for mention in named for entity in mention.entities))
    pages = tuple(page for path in entities if (page := graph.at(path)))
    return pages, [mention.note for mention in named if mention.note]


def _fits(held: EntityMemory, question: MemoryQuery, today: date) -> bool:
    memory = held.memory
    return (
        (not question.types or memory.type in question.types)
        and _is_in_state(held, question, today)
        and memory.importance >= question.min_importance
        and memory.confidence >= question.min_confidence
        and name_key(question.scene) in name_key(memory.scene)
        and _is_of_time(memory, question, today)
    )


def _is_in_state(held: EntityMemory, question: MemoryQuery, today: date) -> bool:
    memory, state = held.memory, question.state
    if state == "any":
        return True
    if state == "done":
        return memory.done or (memory.type == "todo" and not is_pending(memory, today))
    if held.entity is not None and not holds(held.entity, today):
        return False
    if state in ("pending", "overdue"):
        return is_pending(memory, today) and (state == "pending" or _late(memory, today) > 0)
    return holds(memory, today) and not memory.done


def _is_of_time(memory: TypedMemory, question: MemoryQuery, today: date) -> bool:
    since, until, within = question.occurred_since, question.occurred_until, question.happens_within
    if since or until:
        day = memory.occurred_at or memory.valid_from or memory.recorded_at
        if day is None or (since and day < since) or (until and day > until):
            return False
    if within is not None:
        day = memory.happens_at
        return day is not None and today <= day <= today + timedelta(days=within)
    return True


def _tasks(graph: Graph, question: MemoryQuery, scope: EntityScope | None, today: date) -> Iterator[Entity]:
    """Pages of tasks answer questions for todos that ask for nothing but what a page can say."""
    plain = not (question.text or question.scene or question.happens_within is not None)
    dated = question.occurred_since or question.occurred_until
    if "todo" not in question.types or not plain or dated or question.state not in ("current", "pending"):
        return
    for entity in graph.entities:
        if entity.type == "task" and holds(entity, today) and (not scope or scope.holds(entity)):
            yield entity


def _late(memory: TypedMemory, today: date) -> int:
    due = memory.happens_at if is_pending(memory, today) else None
    return max(0, (today - due).days) if due else 0


def _order(memory: TypedMemory, order: Order) -> tuple[float, float, str]:
    first, second = {
        "importance": (-memory.importance, -memory.confidence),
        "confidence": (-memory.confidence, -memory.importance),
        "date": (-ordinal(memory.day or date.min), -memory.weight),
        "due": (ordinal(memory.happens_at or date.max), -memory.weight),
    }[order]
    return first, second, memory.entry.address
