"""Search in the graph: walks along relations, and what is known of the entities that a question names.

Every walk is bounded in hops, in relations looked at and in what it finds, so that neither cycles nor a page
with ten thousand relations can hold it up. The answer says what was left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import islice
from math import prod
from typing import Any

from workbench.frozen import frozen, frozen_kw_only
from workbench.graph.keyword_search import (
    NO_PAGES,
    SILENT,
    Mention,
    covered,
    memories_with,
    mention_of,
    mentions,
    named_like,
    query_words,
    share_of,
    suggestions,
    unknown_names,
)
from workbench.graph.model import Graph, RelationLink, is_over, memory_json, sources_of
from workbench.memory.entry import Entry
from workbench.memory.graph_page import Entity, PageLine, TypedMemory, name_key
from workbench.safety.terminal import visible_line

# -- walks -------------------------------------------------------------------------------------------

MAX_HOPS = 3
MAX_LOOKED_AT = 200_000
"""Relations that one walk looks at."""
_SHORTEST = 5
"""Paths of the same length that are told."""
_NEXT_HOP = 0.6
"""How much less a thing counts that is one hop further away."""
_VAGUE = 0.8
"""How much a ``related_to`` counts, which says little, beside a relation that says what it is."""


@frozen
class Hop:
    """One relation, walked along (``forward``) or against it."""

    link: RelationLink
    forward: bool

    @property
    def end(self) -> str:
        """The name of what the hop leads to."""
        return self.link.name if self.forward else self.link.source.name

    @property
    def entity(self) -> Entity | None:
        """The entity that the hop leads to; None where there is no page of it."""
        return self.link.target if self.forward else self.link.source

    @property
    def confidence(self) -> float:
        """How sure the relation is, in [0, 1]; a vague one counts less."""
        vague = _VAGUE if self.link.relation.kind == "related_to" else 1.0
        return self.link.relation.confidence * vague

    def as_json(self) -> dict[str, Any]:
        """The relation as it stands, whichever way it was walked."""
        link, relation = self.link, self.link.relation
        return {
            "from": link.source.name,
            "relation": relation.kind,
            "to": link.name,
            "forward": self.forward,
            "resolved": link.target is not None,
            "id": relation.id or None,
            "entry": relation.entry.address,
            "confidence": relation.confidence,
            "valid_from": relation.valid_from.isoformat() if relation.valid_from else None,
            "valid_until": relation.valid_until.isoformat() if relation.valid_until else None,
            "sources": list(sources_of(relation)),
        }


Path = tuple[Hop, ...]


def path_score(path: Path) -> float:
    """How much the end of a path counts, in (0, 1]: its relations' confidences, less for each further hop."""
    return prod(hop.confidence for hop in path) * _NEXT_HOP ** max(0, len(path) - 1)


def hops_from(graph: Graph, entity: Entity) -> Iterator[Hop]:
    """The relations at ``entity``: its own, then those that lead to it. A relation to itself is none."""
    own, others = graph.relations_of(entity), graph.relations_to(entity)
    for hop in (*(Hop(link, True) for link in own), *(Hop(link, False) for link in others)):
        target = hop.link.target
        if target is None or target.path != hop.link.source.path:
            yield hop


def shortest(graph: Graph, first: Entity, second: Entity) -> tuple[tuple[Path, ...], bool]:
    """The shortest paths between two entities, whichever way their relations point, the best first; none
    beyond three relations. Also whether all relations were looked at.
    """
    if first.path == second.path:
        return (), True
    reached: dict[str, list[Path]] = {first.path: [()]}
    frontier = [first]
    looked_at = 0
    for _ in range(MAX_HOPS):
        level: dict[str, tuple[Entity, list[Path]]] = {}
        for entity in frontier:
            for hop in hops_from(graph, entity):
                looked_at += 1
                if looked_at > MAX_LOOKED_AT:
                    return _ranked(level.get(second.path, (second, []))[1])[:_SHORTEST], False
                if hop.entity is None or hop.entity.path in reached:
                    continue
                _, paths = level.setdefault(hop.entity.path, (hop.entity, []))
                paths += [(*path, hop) for path in reached[entity.path][: _SHORTEST - len(paths)]]
        if second.path in level:
            return _ranked(level[second.path][1])[:_SHORTEST], True
        reached |= {path: paths for path, (_, paths) in level.items()}
        frontier = [entity for entity, _ in level.values()]
    return (), True


def _ranked(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(sorted(paths, key=lambda path: (len(path), -path_score(path), path[-1].end)))


EACH = 12
"""Neighbours of one entity that are shown; how many more there are is said."""


@frozen
class Node:
    """An entity (or a name without a page), how it was reached, and what stands around it.

    ``left_out`` counts neighbours beyond those in ``children``.
    """

    name: str
    entity: Entity | None
    hop: Hop | None = None
    children: tuple[Node, ...] = ()
    left_out: int = 0

    def lines(self, depth: int = 0) -> Iterator[tuple[int, Node]]:
        """Every node below, in the order of drawing, with its depth from 0 for this one."""
        yield depth, self
        for child in self.children:
            yield from child.lines(depth + 1)

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {
            "name": self.name,
            "type": self.entity.type if self.entity else None,
            "page": self.entity.path if self.entity else None,
            "relation": self.hop,
            "neighbours": self.children,
            "left_out": self.left_out,
        }


def neighbourhood(graph: Graph, entity: Entity, *, hops: int = 1, each: int = EACH) -> Node:
    """``entity`` with what it is related to, up to ``hops`` (at most 3) relations away.

    Neighbours are in order of the confidence of their relations; what is shown nearer is not shown again.
    """
    below: dict[str, tuple[list[Hop], int]] = {}
    seen: set[str] = {entity.path}
    queue: deque[tuple[Entity, int]] = deque([(entity, 0)])
    while queue:
        at, depth = queue.popleft()
        if depth >= min(hops, MAX_HOPS):
            continue
        nearest: dict[str, Hop] = {}
        for hop in hops_from(graph, at):
            # Names without a page are told apart from paths.
            key = hop.entity.path if hop.entity else f"[[{hop.end}]]"
            if key not in seen and (key not in nearest or hop.confidence > nearest[key].confidence):
                nearest[key] = hop
        ranked = sorted(nearest.items(), key=lambda item: (-item[1].confidence, item[1].end, item[0]))
        shown = [hop for _, hop in ranked[:each]]
        below[at.path] = shown, len(ranked) - len(shown)
        seen.update(key for key, _ in ranked[:each])
        queue.extend((hop.entity, depth + 1) for hop in shown if hop.entity is not None)

    def drawn(name: str, there: Entity | None, hop: Hop | None) -> Node:
        around, left_out = below.get(there.path, ([], 0)) if there else ([], 0)
        return Node(name, there, hop, tuple(drawn(one.end, one.entity, one) for one in around), left_out)

    return drawn(entity.name, entity, None)


@frozen
class GraphFinding:
    """One finding: where a path leads, or a memory. ``score`` in [0, 1], ``why`` one line for a person."""

    name: str
    entity: Entity | None
    score: float
    why: str
    path: Path = ()
    memory: TypedMemory | None = None

    @property
    def lines(self) -> Sequence[PageLine]:
        """The lines of pages that say it."""
        return [self.memory] if self.memory else [hop.link.relation for hop in self.path]

    @property
    def sources(self) -> tuple[str, ...]:
        """Where it comes from: what its lines name as their sources, else where the lines stand."""
        return tuple(dict.fromkeys(source for line in self.lines for source in sources_of(line)))

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it and an agent gets it."""
        return {
            "name": self.name,
            "type": self.entity.type if self.entity else None,
            "id": self.entity.id if self.entity else None,
            "page": self.entity.path if self.entity else None,
            "score": round(self.score, 4),
            "why": self.why,
            "path": [hop.as_json() for hop in self.path],
            "memory": memory_json(self.memory) if self.memory else None,
            "sources": list(self.sources),
        }


@frozen_kw_only
class GraphAnswer:
    """``asked`` says how the question was understood; ``notes`` what was assumed or is missing.

    ``suggestions`` are names that are known, where the question names none.
    """

    question: str
    asked: str
    entities: tuple[Entity, ...] = ()
    found: tuple[GraphFinding, ...] = ()
    notes: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {
            "question": self.question,
            "asked": self.asked,
            "entities": [
                {"name": entity.name, "type": entity.type, "id": entity.id, "page": entity.path}
                for entity in self.entities
            ],
            "found": self.found,
            "notes": self.notes,
            "suggestions": self.suggestions,
        }


def by_path(path: Path) -> GraphFinding:
    """What a path of relations leads to."""
    end = path[-1]
    return GraphFinding(
        end.end, end.entity, path_score(path), " · ".join(said(hop) for hop in path), path=path
    )


def by_memory(memory: TypedMemory, entity: Entity | None, why: str, share: float = 1.0) -> GraphFinding:
    """A typed memory; ``share`` in [0, 1] says how much of what was asked it holds."""
    name = entity.name if entity else memory.entry.path
    return GraphFinding(name, entity, share * memory.weight, why, memory=memory)


def said(hop: Hop) -> str:
    """A relation as its page states it: ``Ann works on Atlas, since 2026-03-02``."""
    link, relation = hop.link, hop.link.relation
    line = f"{link.source.name} {relation.kind.replace('_', ' ')} {link.name}"
    if relation.valid_from:
        line += f", since {relation.valid_from}"
    if relation.valid_until:
        line += f", until {relation.valid_until}"
    return line if link.target or link.candidates else f"{line} (which has no page)"


# -- findings for a question -------------------------------------------------------------------------

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
    words = covered(question, named)
    around: list[GraphFinding] = []
    for entity in meant.values():
        present = seen.at(entity.path)
        if present is None:
            when = f"has been invalid since {entity.valid_until}; this is what was valid"
            if not is_over(entity, today):
                when = "is not valid yet; this is what its page says"
            notes.append(f"{entity.name} {when}")
        if entity.problem:
            notes.append(f"{entity.path}: {entity.problem}")
        where = seen if present else graph
        known = islice(_near(where, present or entity), MAX_CONSIDERED)
        near = [_scored(one, words, relevance) for one in known]
        if len(near) == MAX_CONSIDERED:
            notes.append(f"{entity.name} has too many relations to read all of them; this is a part")
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


def _scored(found: GraphFinding, around: str, relevance: Relevance | None) -> GraphFinding:
    """A finding whose score counts what it has to do with the words ``around`` the names of a question."""
    words = [word for word in query_words(around) if word not in SILENT]
    if not words:
        return found  # nothing is asked but who or what it is
    if found.memory is not None:
        entry, text = found.memory.entry, f"{found.name} {found.memory.type} {found.memory.text}"
    else:
        last = found.path[-1]
        entry, text = last.link.relation.entry, said(last)
        text += f" {last.entity.type}" if last.entity else ""
    if relevance is not None:
        share = relevance(entry, text)
    else:
        share = share_of([word[: max(_STEM, len(word) - _ENDING)] for word in words], text)
    return replace(found, score=found.score * (_UNRELATED + (1.0 - _UNRELATED) * share))


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
    if not all(is_complete for _, is_complete in walks):
        notes.append("there are too many relations to follow all of them")
    found = [by_path(path) for paths, _ in walks for path in paths]
    if not found:
        names = f"{first.entities[0].name} and {second.entities[0].name}"
        notes.append(f"no path of at most {MAX_HOPS} relations connects {names}")
    return sorted(found, key=_order)


def _unknown(graph: Graph, seen: Graph, question: str, most: int) -> GraphAnswer:
    """Nothing has a name that is in the question: what holds its words, and the names that there are."""
    if not graph.entities and not graph.loose:
        note = NO_PAGES
        if graph.of_pages:
            note = f"nothing was known on {graph.day}: what the graph knows is of other days"
        return GraphAnswer(question=question, asked="nothing known", notes=(note,))
    called = unknown_names(question)
    held = memories_with(seen, called or question, most, least=1.0 if called else _HALF)
    why = "contains words of the question"
    found = [by_memory(one.memory, one.entity, why, share) for one, share in held]
    named = () if called else named_like(seen, question, most)
    note = "the question names no entity of the graph"
    if called:
        note = f"nothing in the graph is called {visible_line(called)}"
    return GraphAnswer(
        question=question,
        asked="nothing known",
        entities=named,
        found=tuple(found),
        notes=() if named else (note,),
        suggestions=() if named else suggestions(graph, called or question),
    )


def _order(found: GraphFinding) -> tuple[float, int, str]:
    """The surest first, of these the newest."""
    day = found.memory.day if found.memory else None
    return -round(found.score, 6), -(day.toordinal() if day else 0), found.why


def _once(found: Iterable[GraphFinding]) -> tuple[GraphFinding, ...]:
    """Each line of memory, and each path, where it stands first."""
    kept: dict[tuple[int, ...], GraphFinding] = {}
    for one in found:
        kept.setdefault(tuple(map(id, one.lines)), one)
    return tuple(kept.values())
