"""The graph as it was read at one moment: found by name, followed along its relations, seen as of a day.

``as_of`` asks *when a thing was true*, as the memory of today tells it; what the memory said on some day is
another question, which git answers (``workbench --as-of``). A thing holds from its ``valid_from``, else from
the day it occurred, up to but not including its ``valid_until``. A thing without a beginning has held all
along, and one without an end still holds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from operator import itemgetter
from typing import Any

from workbench.frozen import frozen
from workbench.memory.entry import stem_of
from workbench.memory.graph_page import Entity, PageLine, Relation, TypedMemory, link_name, name_key


def holds(thing: PageLine | Entity, day: date) -> bool:
    """Whether a memory, a relation or an entity held on ``day``."""
    since = thing.since
    return (since is None or since <= day) and not is_over(thing, day)


def is_over(thing: PageLine | Entity, today: date) -> bool:
    """Whether it has stopped being true."""
    return thing.valid_until is not None and thing.valid_until <= today


_DAYS_KEPT = 2
_ID, _NAME, _ALIAS, _FILE = range(4)
"""How strongly a word names an entity; the strongest first."""


@frozen
class RelationLink:
    """One relation between two pages. ``target`` is None where its name is nobody's or that of several."""

    source: Entity
    relation: Relation
    target: Entity | None
    candidates: tuple[Entity, ...] = ()

    @property
    def name(self) -> str:
        """What the relation leads to, also where there is no page of it."""
        return self.target.name if self.target else link_name(self.relation.target) or self.relation.target


@frozen
class EntityMemory:
    """A typed memory and the entity whose page it stands on; None for one in another curated file."""

    entity: Entity | None
    memory: TypedMemory

    @property
    def owner(self) -> str:
        """The name of the entity, else the file."""
        return self.entity.name if self.entity else self.memory.entry.path


@dataclass(frozen=True)
class Graph:
    """All pages at one moment, in the order of their paths. Entities are told apart by their paths.

    ``loose`` are typed memories of no entity: those in curated files outside of ``graph/``.
    """

    entities: tuple[Entity, ...] = ()
    loose: tuple[TypedMemory, ...] = ()
    day: date | None = field(default=None, kw_only=True)
    """The day that it is seen as of, or None for all that the pages tell, also what is over."""
    of_pages: bool = field(default=False, kw_only=True)
    """Whether there are pages, of which it has those of its day."""

    def candidates(self, name: str) -> tuple[Entity, ...]:
        """Every entity that ``name`` may mean: by id or path, name, alias, or file name, in this order.

        Blind to case, white space and Unicode normal forms. The name of a file only counts where nothing
        else has that name.
        """
        if exact := self.at(name):
            return (exact,)
        found = self._named.get(name_key(name), ())
        called = tuple(entity for rank, entity in found if rank < _FILE)
        return called or tuple(entity for _, entity in found)

    def entity(self, name: str) -> Entity | None:
        """The one entity that ``name`` means: an id before a name before an alias; None for no or several."""
        if exact := self.at(name):
            return exact
        found = self._named.get(name_key(name), ())
        best = [entity for rank, entity in found if rank == found[0][0]]
        return best[0] if len(best) == 1 else None

    def at(self, path: str) -> Entity | None:
        """The entity whose page is at ``path``."""
        return self._by_path.get(path)

    def relations_of(self, entity: Entity) -> Sequence[RelationLink]:
        """What the page of ``entity`` says of others, in its order."""
        return self._links.get(entity.path, ())

    def relations_to(self, entity: Entity) -> Sequence[RelationLink]:
        """What other pages say of ``entity``."""
        return self._incoming.get(entity.path, ())

    def degree(self, entity: Entity) -> int:
        """How many relations ``entity`` has: those of its page, and those of others to it."""
        return len(self.relations_of(entity)) + len(self.relations_to(entity))

    def memories(self) -> Iterator[EntityMemory]:
        """Every typed memory with the entity it is about: those of pages first, then those of none."""
        for entity in self.entities:
            yield from (EntityMemory(entity, memory) for memory in entity.memories)
        yield from (EntityMemory(None, memory) for memory in self.loose)

    def unresolved(self) -> tuple[RelationLink, ...]:
        """The relations that lead to no page, or to a name that several have."""
        return tuple(link for links in self._links.values() for link in links if link.target is None)

    @property
    def broken(self) -> tuple[Entity, ...]:
        """The pages that could not be read, or not in full."""
        return tuple(entity for entity in self.entities if entity.problem)

    def as_of(self, day: date) -> Graph:
        """The graph of what held on ``day``; a relation to what did not hold then is none.

        The last days that were asked for are kept: a server is asked for today all day long.
        """
        kept = self._days.get(day)
        if kept is None:
            while len(self._days) >= _DAYS_KEPT:
                self._days.pop(next(iter(self._days)), None)
            there = {entity.path for entity in self.entities if holds(entity, day)}
            pages = [self._on(day, entity, there) for entity in self.entities if entity.path in there]
            loose = tuple(memory for memory in self.loose if holds(memory, day))
            kept = self._days[day] = Graph(
                tuple(pages), loose, day=day, of_pages=self.of_pages or bool(self.entities or self.loose)
            )
        return kept

    def _on(self, day: date, entity: Entity, there: Collection[str]) -> Entity:
        """``entity`` with the lines that held on ``day``; ``there`` are the pages that did."""
        return replace(
            entity,
            valid_from=entity.since,  # the line that it began with may be over
            memories=tuple(memory for memory in entity.memories if holds(memory, day)),
            relations=tuple(
                link.relation
                for link in self.relations_of(entity)
                if holds(link.relation, day) and (not link.target or link.target.path in there)
            ),
        )

    @cached_property
    def _days(self) -> dict[date, Graph]:
        return {}

    @cached_property
    def _by_path(self) -> Mapping[str, Entity]:
        return {entity.path: entity for entity in self.entities}

    @cached_property
    def _named(self) -> Mapping[str, Sequence[tuple[int, Entity]]]:
        """For each name the entities that have it, the strongest claim first, then by path."""
        found: dict[str, dict[str, tuple[int, Entity]]] = defaultdict(dict)
        for entity in self.entities:
            for rank, name in _names(entity):
                if key := name_key(name):
                    found[key].setdefault(entity.path, (rank, entity))
        return {key: sorted(claims.values(), key=itemgetter(0)) for key, claims in found.items()}

    @cached_property
    def _links(self) -> Mapping[str, Sequence[RelationLink]]:
        return {
            entity.path: [self._link(entity, relation) for relation in entity.relations]
            for entity in self.entities
        }

    @cached_property
    def _incoming(self) -> Mapping[str, Sequence[RelationLink]]:
        found: dict[str, list[RelationLink]] = defaultdict(list)
        for links in self._links.values():
            for link in links:
                if link.target is not None:
                    found[link.target.path].append(link)
        return found

    def _link(self, source: Entity, relation: Relation) -> RelationLink:
        for name in (relation.target, link_name(relation.target)):
            if candidates := self.candidates(name):
                return RelationLink(source, relation, self.entity(name), candidates)
        return RelationLink(source, relation, None)


def _names(entity: Entity) -> Iterator[tuple[int, str]]:
    """What an entity is called, the strongest claim first."""
    stem = stem_of(entity.path)
    yield _ID, entity.id
    yield _ID, entity.path
    yield _ID, entity.path.removesuffix(".md")
    yield _NAME, entity.name
    for alias in entity.aliases:
        yield _ALIAS, alias
    yield _FILE, stem
    yield _FILE, stem.replace("-", " ").replace("_", " ")


def sources_of(item: PageLine) -> tuple[str, ...]:
    """What a line names as its sources, else where it stands itself."""
    return item.sources or (item.entry.place,)


def memory_json(memory: TypedMemory) -> dict[str, Any]:
    """A typed memory; days are ISO dates or null."""
    days = ("happens_at", "occurred_at", "valid_from", "valid_until")
    return {
        "id": memory.id or None,
        "entry": memory.entry.address,
        "type": memory.type,
        "text": memory.text,
        "confidence": memory.confidence,
        "importance": memory.importance,
        **{name: day.isoformat() if (day := getattr(memory, name)) else None for name in days},
        "done": memory.done,
        "scene": memory.scene or None,
        "session": memory.session or None,
        "trust": memory.trust,
        "pinned": memory.entry.pinned,
        "sources": list(sources_of(memory)),
    }
