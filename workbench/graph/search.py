"""What the graph knows of what a question names, in any language.

The entities that a question names are recognised by their names and aliases. What is known of them, and what
is at most two relations away, is ranked by how much it has to do with the other words of the question: as the
search engine says, or by the words that it shares where there is no index. Nothing is ever answered with
silence: a name that nobody has is said to be unknown, with those that look like it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice

from workbench.graph.answer import GraphAnswer, GraphFinding, by_memory, by_path, said
from workbench.graph.entity_recognition import (
    Mention,
    covered,
    mention_of,
    mentions,
    suggestions,
    unknown_names,
)
from workbench.graph.keyword_search import SILENT, memories_with, named_like, query_words, share_of
from workbench.graph.paths import MAX_HOPS, hops_from, path_score, shortest
from workbench.graph.snapshot import Graph, is_over
from workbench.memory.entry import Entry
from workbench.memory.graph_page import Entity, TypedMemory, name_key
from workbench.safety.terminal import visible

Relevance = Callable[[Entry, str], float]
"""How much an entry whose words are these has to do with the question, in [0, 1]."""
_MEANT = 5
"""Entities of one name that a question is answered for."""
_HALF = 0.5
"""The share of a question's words that a memory must hold to be shown where no entity is named."""
_UNRELATED = 0.1
"""What is left of the score of a finding that has nothing to do with the rest of the question."""
_FURTHER = 0.25
"""What counts of a memory that stands on the page of what is one relation away."""
MAX_CONSIDERED = 20_000
"""Findings around one entity that are ranked."""
_STEM, _ENDING = 4, 3
"""Letters of a word that have to be the same, and how many at its end need not be."""


def search_graph(
    graph: Graph,
    question: str,
    today: date,
    *,
    most: int = 10,
    past: bool = False,
    relevance: Relevance | None = None,
) -> GraphAnswer:
    """What the graph knows of what ``question`` names: ``most`` findings, the best first. Never raises.

    A finding's score is its confidence (of a memory times its importance, of a path less for each further
    relation) times ``0.1 + 0.9 * relevance``. Where two entities are named, how they are connected comes
    first. What is over, or not yet true, on ``today`` is left out, but with ``past``, and where ``graph`` is
    that of another day already.
    """
    named = mentions(graph, question)
    seen = graph if past or graph.day else graph.as_of(today)
    if not named:
        return _unknown(graph, seen, question, most)
    notes = [mention.note for mention in named if mention.note]
    meant = {entity.path: entity for mention in named for entity in mention.entities[:_MEANT]}
    found = _connections(seen, named, notes)
    rank = _Ranking(covered(question, named), relevance)
    around: list[GraphFinding] = []
    for entity in meant.values():
        present = seen.at(entity.path)
        if present is None:
            notes.append(_not_there(entity, today))
        if entity.problem:
            notes.append(f"{entity.path}: {entity.problem}")
        where = seen if present else graph
        near = [rank.scored(one) for one in islice(_near(where, present or entity), MAX_CONSIDERED)]
        if len(near) == MAX_CONSIDERED:
            notes.append(f"{entity.name} has too many relations to look at them all; this is a part")
        around += near
    found += sorted(around, key=_order)
    return GraphAnswer(
        question=question,
        asked="what is known of " + " and ".join(entity.name for entity in meant.values()),
        entities=tuple(meant.values()),
        found=_once(found)[:most],
        notes=tuple(dict.fromkeys(notes)),
    )


def unnamed_words(graph: Graph, question: str) -> str:
    """The words of ``question`` that are no names."""
    return covered(question, mentions(graph, question)).replace("@", " ").strip()


@dataclass(frozen=True, slots=True)
class _Ranking:
    """Ranks findings by the words of a question in which ``@`` stands for the names."""

    said: str
    relevance: Relevance | None

    def scored(self, found: GraphFinding) -> GraphFinding:
        share = self._relevance(found)
        return replace(found, score=found.score * (_UNRELATED + (1.0 - _UNRELATED) * share))

    def _relevance(self, found: GraphFinding) -> float:
        words = [word for word in query_words(self.said) if word not in SILENT]
        if not words:
            return 1.0  # nothing is asked but who or what it is
        if found.memory is not None:
            entry, text = found.memory.entry, f"{found.name} {found.memory.type} {found.memory.text}"
        else:
            last = found.path[-1]
            entry, text = last.link.relation.entry, said(last)
            text += f" {last.entity.type}" if last.entity else ""
        if self.relevance is not None:
            return self.relevance(entry, text)
        return share_of([word[: max(_STEM, len(word) - _ENDING)] for word in words], text)


def _near(graph: Graph, entity: Entity) -> Iterator[GraphFinding]:
    """What is known of an entity, what names it, and what is at most two relations away."""
    for memory in entity.memories:
        yield by_memory(memory, entity, f"{memory.type} of {entity.name}")
    hops = list(hops_from(graph, entity))
    yield from (by_path((hop,)) for hop in hops)
    mention = mention_of(entity)
    for held in graph.memories():
        elsewhere = held.entity is None or held.entity.path != entity.path
        if elsewhere and mention.search(name_key(held.memory.text)):
            yield by_memory(held.memory, held.entity, f"{held.owner} mentions {entity.name}")
    reached = {entity.path, *(hop.entity.path for hop in hops if hop.entity)}
    for hop in hops:
        if hop.entity is None:
            continue
        for memory in hop.entity.memories:
            yield by_memory(memory, hop.entity, said(hop), _FURTHER * path_score((hop,)))
        for further in hops_from(graph, hop.entity):
            if further.entity is None or further.entity.path not in reached:
                yield by_path((hop, further))


def _connections(graph: Graph, named: tuple[Mention, ...], notes: list[str]) -> list[GraphFinding]:
    """How the first two entities that are named are connected."""
    first = named[0]
    second = next((m for m in named if m.entities[0].path != first.entities[0].path), None)
    if second is None:
        return []
    walks = [
        shortest(graph, start, end) for start in first.entities[:_MEANT] for end in second.entities[:_MEANT]
    ]
    if not all(walk.complete for walk in walks):
        notes.append("there are too many relations to follow them all")
    found = [by_path(path) for walk in walks for path in walk.paths]
    if not found:
        names = f"{first.entities[0].name} and {second.entities[0].name}"
        notes.append(f"no path of at most {MAX_HOPS} relations connects {names}")
    return sorted(found, key=_order)


def _not_there(entity: Entity, today: date) -> str:
    if is_over(entity, today):
        return f"{entity.name} does not hold any more since {entity.valid_until}; this is what held"
    return f"{entity.name} does not hold yet; this is what its page tells"


def _unknown(graph: Graph, seen: Graph, question: str, most: int) -> GraphAnswer:
    """Nothing has a name that is in the question: what holds its words, and the names that there are."""
    if not graph.entities and not graph.loose:
        note = "the graph has no pages yet: graph/person/sarah.md would be one"
        return GraphAnswer(question=question, asked="nothing that is known", notes=(note,))
    called = unknown_names(question)
    held = memories_with(seen, called or question, most, least=1.0 if called else _HALF)
    found = [by_memory(h.held.memory, h.held.entity, "holds words of the question", h.share) for h in held]
    named = () if called else named_like(seen, question, most)
    note = "no entity in the graph has a name that is in the question"
    if called:
        note = f"nothing in the graph is called {visible(called, one_line=True)}"
    like = () if named else suggestions(graph, called or question)
    return GraphAnswer(
        question=question,
        asked="nothing that is known",
        entities=named,
        found=tuple(found),
        notes=() if named else (note,),
        suggestions=tuple(f"{entity.name} ({entity.type})" for entity in like),
    )


def _order(found: GraphFinding) -> tuple[float, int, str]:
    """The surest first, of these the newest."""
    day = found.memory.day if found.memory else None
    return -round(found.score, 6), -(day.toordinal() if day else 0), found.why


def _once(found: Iterable[GraphFinding]) -> tuple[GraphFinding, ...]:
    """Each line of memory, and each path, where it stands first."""
    kept: dict[tuple[int, ...], GraphFinding] = {}
    for one in found:
        lines: Iterable[TypedMemory | object] = (
            [one.memory] if one.memory else [hop.link.relation for hop in one.path]
        )
        kept.setdefault(tuple(id(line) for line in lines), one)
    return tuple(kept.values())
