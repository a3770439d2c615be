"""What the graph holds that may answer a question about one entity: relations, words, and what is around."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice

from workbench.graph.answer import GraphFinding, by_memory, by_path
from workbench.graph.entity_recognition import mention_of
from workbench.graph.keyword_search import SILENT, query_words, share_of
from workbench.graph.paths import MAX_LOOKED_AT, Path, follow, hops_from
from workbench.graph.question_intents import Direction, Intent
from workbench.graph.snapshot import Graph, Held
from workbench.memory.graph_page import IMPORTANCE, Entity, name_key

_PAGE_TYPES = {"event": "event", "todo": "task"}
"""Types of pages that are themselves what a type of memory is."""
FIRST, SECOND, THIRD, LAST = range(4)
"""Said of the entity itself; in the words of a memory; over several relations; of what it is a part of."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A finding and where it stands: what is said directly goes before what only follows."""

    tier: int
    found: GraphFinding
    day: date | None = None

    @property
    def order(self) -> tuple[int, int, float, str]:
        """What findings are sorted by: nearest, newest, surest."""
        return self.tier, -(self.day.toordinal() if self.day else 0), -self.found.score, self.found.why


def by_relation(graph: Graph, entity: Entity, intent: Intent, notes: list[str]) -> Iterator[Ranked]:
    """Where the relation that is asked for leads; what had to be left out is added to ``notes``."""
    if not intent.kinds:
        return
    walk = follow(graph, entity, intent.kinds, intent.direction)
    if not walk.complete:
        notes.append(f"{entity.name} has too many relations to follow them all; this is a part")
    for path in walk.paths:
        tier = FIRST if len(path) == 1 else THIRD if _is_direct(path, intent) else LAST
        yield Ranked(tier, by_path(path))


def _is_direct(path: Path, intent: Intent) -> bool:
    """Whether what was asked is said of the entity itself, not of what it is a part of."""
    return intent.direction is not Direction.OUT or path[0].link.relation.kind in intent.kinds


def by_words(graph: Graph, entity: Entity, intent: Intent) -> Iterator[Ranked]:
    """Memories that answer as well: on the entity's own page, or elsewhere with its name in them."""
    for memory in entity.memories:
        typed = memory.type in intent.memory_types
        worded = intent.words is not None and intent.direction is not Direction.IN
        if typed or (worded and intent.words and intent.words.search(memory.text.casefold())):
            why = f"{entity.name}: {memory.type}" if typed else f"in the words of {entity.name}'s page"
            yield Ranked(SECOND, by_memory(memory, entity, why), memory.day)
    pages = {_PAGE_TYPES.get(type_) for type_ in intent.memory_types} if not intent.kinds else set()
    near = {
        hop.entity.path: hop for hop in hops_from(graph, entity) if hop.entity and hop.entity.type in pages
    }
    for hop in near.values():
        yield Ranked(SECOND, by_path((hop,)), hop.entity.valid_from if hop.entity else None)
    own = intent.kinds and intent.direction is Direction.OUT
    for held in () if own else _mentioning(graph, entity):
        text = held.memory.text.casefold()
        typed = not intent.kinds and held.memory.type in intent.memory_types
        if typed or (intent.words is not None and intent.words.search(text)):
            why = f"{held.owner} mentions {entity.name}"
            yield Ranked(SECOND, by_memory(held.memory, held.entity, why), held.memory.day)


def _mentioning(graph: Graph, entity: Entity) -> Iterator[Held]:
    """Typed memories elsewhere that hold the name, or an alias, of ``entity``."""
    mention = mention_of(entity)
    for held in graph.memories():
        if (held.entity is None or held.entity.path != entity.path) and mention.search(
            name_key(held.memory.text)
        ):
            yield held


def around(graph: Graph, entity: Entity, said: str = "") -> Iterator[Ranked]:
    """What is known of an entity: its memories and its relations, by importance x confidence.

    Memories that hold what else is ``said`` in the question, if anything is, go before all others.
    """
    asked = [word for word in query_words(said) if word not in SILENT]
    for memory in entity.memories:
        held = share_of(asked, memory.text) if asked else 0.0
        found = by_memory(memory, entity, f"{memory.type} of {entity.name}")
        yield Ranked(FIRST if held or not asked else SECOND, found)
    for hop in hops_from(graph, entity):
        found = by_path((hop,))
        yield Ranked(SECOND if asked else FIRST, _weighed(found, IMPORTANCE["fact"]))


def _weighed(found: GraphFinding, importance: float) -> GraphFinding:
    return GraphFinding(
        found.name, found.entity, found.score * importance, found.why, found.path, found.memory
    )


def of_type(graph: Graph, entity: Entity, intent: Intent) -> Iterator[Ranked]:
    """What is of the type that was asked for (*who*, *where*), at most two relations away."""
    seen: set[str] = {entity.path}
    for path in islice(_nearby(graph, entity), MAX_LOOKED_AT):
        end = path[-1].entity
        if end is not None and end.path not in seen and fits(end, intent):
            seen.add(end.path)
            yield Ranked(FIRST, by_path(path))


def _nearby(graph: Graph, entity: Entity) -> Iterator[Path]:
    """Every path of one relation from ``entity``, then every path of two."""
    yield from ((hop,) for hop in hops_from(graph, entity))
    for hop in hops_from(graph, entity):
        if hop.entity is not None:
            yield from ((hop, further) for further in hops_from(graph, hop.entity))


def fits(entity: Entity | None, intent: Intent) -> bool:
    """Whether it is of a type that was asked for; what has no page may be of any."""
    return entity is None or entity.type in intent.answer_types
