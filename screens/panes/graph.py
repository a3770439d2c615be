"""The pane of the graph: people, projects and facts about them; those that are due first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from screens.actions.keys import key_for
from screens.drawing.safe_text import (
    Folds,
    Row,
    RowPart,
    days_until,
    grouped,
    inline,
    piece,
    plural,
    row_text,
    safe_piece,
    words,
)
from screens.loading.workspace_model import Files, GraphView, of_kind
from screens.panes.entry_rows import entry_row
from screens.panes.pane import Filter, PagesPane, Subject, iso, states_of
from workbench.memory.entry import Entry, Kind
from workbench.memory.graph_types import ENTITY_TYPES, IMPORTANCE

if TYPE_CHECKING:
    from workbench.memory.graph_page import Entity, TypedMemory

    Subjects = Sequence[tuple[Entity, Subject, Sequence[tuple[TypedMemory, Subject]]]]
    """Entities and their memories, each with what a filter looks at."""

_TYPES = (
    "person", "project", "organization", "product", "technology",
    "place", "task", "event", "document", "concept",
)  # fmt: skip
_PLURALS = {
    "person": "People", "technology": "Technologies", "organization": "Organizations",
}  # fmt: skip


class GraphPane(PagesPane[GraphView]):
    """Who and what the memory is about."""

    NUMBER = 4
    NAME = "Graph"
    KIND = "entity"
    VIEW = GraphView
    STATES: ClassVar[Collection[str]] = {*ENTITY_TYPES, *IMPORTANCE, "due", "overdue", "ended"}
    EXAMPLES = "a name, words, person, project, preference, todo, due, overdue, ended"

    _sources = 0
    """Logs and episodes that entities can be found in."""

    def subjects(self, day: date) -> Subjects:
        """The entities, each with what a filter looks at on this day, of its memories too."""
        return [
            (one, _subject(one), [(memory, _memory_subject(one, memory, day)) for memory in one.memories])
            for one in self.view.pages
        ]

    def receive_files(self, files: Files) -> None:
        """Know what entities can be found in."""
        sources = len(of_kind(files, Kind.LOG, Kind.EPISODE))
        if sources != self._sources:
            self._sources = sources
            self.rebuild()

    def nothing(self) -> str:
        """What makes entities."""
        what = f"look for them in {plural(self._sources, 'file')}" if self._sources else "ingest transcripts"
        return f"no entities yet\npress {key_for('ingest')} to {what}"

    def build(self) -> list[Row]:
        """What is due, then entities under their types."""
        today, view, opened = self.today(), self.view, set[str]()
        if self.filter:
            view, opened = narrowed(view, self.filter, self._subjects(today))
        return graph_rows(view, self.folds, today, opened=opened)

    def reveal_entry(self, path: str, row_id: str) -> bool:
        """Put the cursor on one of an entity's memories, or on the entity."""
        entity = next((e for e in self.view.pages if e.path == path), None)
        group = [f"type:{entity.type}"] if entity else []
        below = row_id != path and self.reveal(row_id, under=[*group, path])
        return below or self.reveal(path, under=group)


def narrowed(view: GraphView, wanted: Filter, looked_at: Subjects) -> tuple[GraphView, set[str]]:
    """The entities that fit, with all that is known of them, and of others what fits; these by path."""
    kept, opened = [], set()
    for entity, subject, known in looked_at:
        if wanted.keeps(subject):
            kept.append(entity)
        elif memories := tuple(memory for memory, about in known if wanted.keeps(about)):
            kept.append(replace(entity, memories=memories, relations=()))
            opened.add(str(entity.path))
    return GraphView(tuple(kept), view.total), opened


def _subject(entity: Entity) -> Subject:
    return Subject(
        " ".join((entity.name, *entity.aliases, entity.path)),
        {entity.type},
        iso(entity.valid_from, entity.valid_until),
    )


def _memory_subject(entity: Entity, memory: TypedMemory, today: date) -> Subject:
    happens, until = memory.happens_at, memory.valid_until
    todo = memory.type == "todo"
    states = states_of(
        (entity.type, True),
        (memory.type, True),
        ("due", todo and happens is not None and happens >= today),
        ("overdue", todo and happens is not None and happens < today),
        ("ended", until is not None and until < today),
    )
    return Subject(f"{entity.name} {memory.text}", states, iso(memory.occurred_at, happens, until))


def graph_rows(
    view: GraphView, folds: Folds, today: date, *, opened: Collection[str] = frozenset()
) -> list[Row]:
    """The rows of the graph; entities in ``opened``, by path, are unfolded where nobody closed them."""
    rows = list(_due(view, folds, today))
    by_type: dict[str, list[Entity]] = {}
    for entity in view.pages:
        by_type.setdefault(entity.type, []).append(entity)
    order = {name: at for at, name in enumerate(_TYPES)}
    for kind in sorted(by_type, key=lambda name: (order.get(name, len(order)), name)):
        entities = sorted(by_type[kind], key=_recency, reverse=True)
        label = row_text(_PLURALS.get(kind, f"{kind.capitalize()}s"))
        row = Row(f"type:{kind}", label, tone="head", tail=(RowPart(grouped(len(entities))),))
        sections = (
            folds.section(entity_row(one, today), _known(one, today), default=one.path in opened)
            for one in entities
        )
        rows += folds.section(row, chain.from_iterable(sections), default=True)
    return rows


def entity_row(entity: Entity, today: date) -> Row:
    """One entity: its name, how much is known, and whether it still holds."""
    tail = [RowPart(plural(len(entity.memories), "fact"))]
    if entity.relations:
        tail.insert(0, RowPart(plural(len(entity.relations), "link"), "faint"))
    if entity.problem:
        tail.append(piece("unreadable header", "warn"))
    if entity.valid_until and entity.valid_until < today:
        tail.append(piece(f"until {entity.valid_until:%b %Y}", "warn"))
    return Row(
        id=entity.path,
        text=row_text(entity.name),
        depth=1,
        tail=tuple(tail),
        path=entity.path,
        address=entity.path,
    )


def _due(view: GraphView, folds: Folds, today: date) -> Iterator[Row]:
    """Todos by the day they are due; those without a day last."""
    todos = [
        (memory, entity)
        for entity in view.pages
        for memory in entity.memories
        if memory.type == "todo" and not (memory.valid_until and memory.valid_until <= today)
    ]
    if not todos:
        return
    todos.sort(key=lambda pair: (pair[0].happens_at or date.max, pair[0].entry.address))
    late = sum(1 for memory, _ in todos if memory.happens_at and memory.happens_at < today)
    tail = (piece(f"{late} overdue", "bad"),) if late else ()
    head = Row("group:due", words("Todos"), tone="head", tail=(*tail, RowPart(grouped(len(todos)))))
    under = (
        _row(m.entry, m.text, 1, (safe_piece(entity.name, "faint"), *_when(m, today)), prefix="due:")
        for m, entity in todos
    )
    yield from folds.section(head, under, default=True)


def _known(entity: Entity, today: date) -> Iterator[Row]:
    for memory in entity.memories:
        lead = (safe_piece(memory.type, "accent"),)
        yield _row(memory.entry, memory.text, 2, _validity(memory, today), lead=lead)
    for relation in entity.relations:
        ended = bool(relation.valid_until and relation.valid_until < today)
        tail = (piece("ended", "warn"),) if ended else ()
        lead = (safe_piece(f"→ {relation.kind.replace('_', ' ')}"),)
        yield _row(relation.entry, relation.target, 2, tail, lead=lead)


def _row(
    entry: Entry,
    text: str,
    depth: int,
    tail: tuple[RowPart, ...],
    *,
    lead: tuple[RowPart, ...] = (),
    prefix: str = "",
) -> Row:
    base = entry_row(entry, depth=depth, tail=tail)
    shown, emphasis = inline(row_text(text))
    return replace(base, id=prefix + base.id, text=shown, tone="text", lead=lead, emphasis=emphasis)


def _validity(memory: TypedMemory, today: date) -> tuple[RowPart, ...]:
    if memory.valid_until and memory.valid_until < today:
        return (piece(f"until {memory.valid_until:%b %Y}", "warn"),)
    return _when(memory, today)


def _when(memory: TypedMemory, today: date) -> tuple[RowPart, ...]:
    """When it happens; of a todo, whether it is late or soon."""
    if memory.happens_at is None:
        return ()
    left = (memory.happens_at - today).days
    if memory.type == "todo" and left < 0:
        return (piece("overdue", "bad"),)
    return (
        piece(
            days_until(memory.happens_at, today), "warn" if memory.type == "todo" and left <= 3 else "muted"
        ),
    )


def _recency(entity: Entity) -> tuple[date, str]:
    days = [m.occurred_at for m in entity.memories if m.occurred_at]
    return max(days, default=entity.valid_from or date.min), entity.path
