"""Questions to the graph in a person's words: "what is Alice working on?", "how is she connected to Atlas?"

The entities that a question names are recognised, its words say which relation is meant and in which
direction, and relations are followed from there. Nothing is ever answered with silence: a name that nobody
has is said to be unknown, with those that look like it; a relation that no page states gives way to what is
known instead, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from workbench.graph.answer import GraphAnswer, GraphFinding, by_memory, by_path
from workbench.graph.as_of import is_over
from workbench.graph.entity_recognition import Mention, covered, mentions, suggestions, unknown_names
from workbench.graph.evidence import FIRST, LAST, Ranked, around, by_relation, by_words, fits, of_type
from workbench.graph.keyword_search import memories_with
from workbench.graph.paths import MAX_HOPS, shortest
from workbench.graph.question_intents import Direction, Intent, intent_of
from workbench.graph.snapshot import Graph
from workbench.memory.graph_page import Entity, TypedMemory
from workbench.safety.terminal import visible

_MEANT = 5
"""Entities of one name that a question is answered for."""
_HALF = 0.5
"""The share of a question's words that a memory must hold to be shown where no entity is named."""


def answer(graph: Graph, question: str, today: date, *, most: int = 10) -> GraphAnswer:
    """What the graph says to ``question``: at most ``most`` findings, the best first. Never raises.

    What is over, or not yet true, on ``today`` counts only where the question asks for the past, or where
    ``graph`` is that of another day already.
    """
    named = mentions(graph, question)
    if not named:
        return _unknown(graph, question, today, most)
    said = covered(question, named)
    intent = intent_of(said, {r.kind for e in graph.entities for r in e.relations})
    notes = [mention.note for mention in named if mention.note]
    seen = graph if graph.day or intent.past else graph.as_of(today)
    several = len({mention.entities[0].path for mention in named}) > 1
    if several and (intent.connection or intent.kinds or intent.is_open):
        return _connection(seen, question, named, notes, most)
    found: list[Ranked] = []
    for entity in named[0].entities[:_MEANT]:
        present = seen.at(entity.path)
        if present is None:
            notes.append(_not_there(entity, today))
        where = seen if present else graph
        found += _of_entity(where, present or entity, intent, said, notes)
    return GraphAnswer(
        question=question,
        asked=_asked(intent, named[0]),
        entities=named[0].entities[:_MEANT],
        found=_best(found, most),
        notes=tuple(dict.fromkeys(notes)),
    )


def _not_there(entity: Entity, today: date) -> str:
    if is_over(entity, today):
        return f"{entity.name} does not hold any more since {entity.valid_until}; this is what held"
    return f"{entity.name} does not hold yet; this is what its page tells"


def _of_entity(graph: Graph, entity: Entity, intent: Intent, said: str, notes: list[str]) -> list[Ranked]:
    """What answers of an entity; ``said`` are the words around its name."""
    if entity.problem:
        notes.append(f"{entity.path}: {entity.problem}")
    if intent.is_open:
        return list(around(graph, entity, said))
    found = [*by_relation(graph, entity, intent, notes), *by_words(graph, entity, intent)]
    found = [item for item in found if item.tier < LAST] or found
    if found and intent.answer_types:
        wanted = [item for item in found if item.found.memory or fits(item.found.entity, intent)]
        found = wanted or found
    if found:
        return found
    missing = intent.kinds[0].replace("_", " ") if intent.kinds else intent.memory_types[0]
    notes.append(f"nothing says “{missing}” of {entity.name}; this is what is known around it")
    return [*of_type(graph, entity, intent)] or list(around(graph, entity, said))


def _connection(
    graph: Graph, question: str, named: tuple[Mention, ...], notes: list[str], most: int
) -> GraphAnswer:
    first, second = named[0], next(m for m in named if m.entities[0].path != named[0].entities[0].path)
    found: list[Ranked] = []
    for start in first.entities[:_MEANT]:
        for end in second.entities[:_MEANT]:
            walk = shortest(graph, start, end)
            found += [Ranked(FIRST, by_path(path)) for path in walk.paths]
            if not walk.complete:
                notes.append("there are too many relations to follow them all")
    names = f"{first.entities[0].name} and {second.entities[0].name}"
    if not found:
        notes.append(f"no path of at most {MAX_HOPS} relations connects {names}")
        found = [item for mention in (first, second) for item in around(graph, mention.entities[0])]
    return GraphAnswer(
        question=question,
        asked=f"how {names} are connected",
        entities=(*first.entities[:_MEANT], *second.entities[:_MEANT]),
        found=_best(found, most),
        notes=tuple(dict.fromkeys(notes)),
    )


def _unknown(graph: Graph, question: str, today: date, most: int) -> GraphAnswer:
    """Nothing that the question names has a page: what holds its words, and the names that there are."""
    if not graph.entities and not graph.loose:
        note = "the graph has no pages yet: graph/person/sarah.md would be one"
        return GraphAnswer(question=question, asked="nothing that is known", notes=(note,))
    seen = graph if graph.day else graph.as_of(today)
    types = intent_of(question).memory_types
    called = unknown_names(question)
    held = list(memories_with(seen, called or question, most, least=1.0 if called else _HALF))
    held.sort(key=lambda one: one.held.memory.type not in types)
    found = [by_memory(h.held.memory, h.held.entity, "holds words of the question", h.share) for h in held]
    like = suggestions(graph, called or question)
    note = "no entity in the graph has a name that is in the question"
    if called:
        note = f"nothing in the graph is called {visible(called, one_line=True)}"
    return GraphAnswer(
        question=question,
        asked="nothing that is known",
        found=tuple(found),
        notes=(note,),
        suggestions=tuple(f"{entity.name} ({entity.type})" for entity in like),
    )


def _asked(intent: Intent, mention: Mention) -> str:
    names = " or ".join(entity.name for entity in mention.entities[:_MEANT])
    if intent.kinds:
        kinds = " or ".join(kind.replace("_", " ") for kind in intent.kinds)
        return f"{names} {kinds} …" if intent.direction is Direction.OUT else f"… {kinds} {names}"
    if intent.memory_types:
        return f"{', '.join(intent.memory_types)} of {names}"
    return f"what is known of {names}"


def _best(found: Iterable[Ranked], most: int) -> tuple[GraphFinding, ...]:
    kept: dict[tuple[object, ...], GraphFinding] = {}
    for item in sorted(found, key=lambda item: item.order):
        memory, path = item.found.memory, item.found.path
        lines: Iterable[TypedMemory | object] = [memory] if memory else [hop.link.relation for hop in path]
        kept.setdefault(tuple(id(line) for line in lines), item.found)
    return tuple(kept.values())[:most]
