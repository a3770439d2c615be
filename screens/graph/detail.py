"""What is behind a row: a relation, an entity, a memory, an answer, each told in full with its sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from screens.drawing.rows import Row, Tone
from screens.drawing.safe_text import plural, row_text, words
from screens.graph.graph_state import Known, Looking, Thing
from screens.graph.marks import day_text, trust_text, window_text
from workbench.graph.contradictions import Claim
from workbench.graph.memory_query import Due
from workbench.graph.model import Held, sources_of
from workbench.graph.search import GraphFinding, Hop, Node, said
from workbench.memory.graph_page import Entity, Relation, TypedMemory

_FACTS = 12
_SOURCES = 12


class Telling:
    """Rows of text, one after the other, under names of their own."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def say(self, text: str, tone: Tone = "text") -> None:
        """Words of ours, or of the workspace: either way they pass the door."""
        if text:
            self.rows.append(Row(f"told:{len(self.rows)}", row_text(text), tone=tone))

    def gap(self) -> None:
        """An empty line."""
        self.rows.append(Row(f"told:{len(self.rows)}", words(""), inert=True))


def told(thing: Thing | None, known: Known, looking: Looking) -> Sequence[Row]:
    """What stands behind a row for ``thing``."""
    telling = Telling()
    if isinstance(thing, Node):
        _node(telling, thing, known, looking)
    elif isinstance(thing, Held):
        _held(telling, thing, known)
    elif isinstance(thing, Due):
        _held(telling, thing.held, known, thing.when)
    elif isinstance(thing, GraphFinding):
        _found(telling, thing, known, looking)
    return telling.rows


def entity_lines(telling: Telling, entity: Entity, known: Known, looking: Looking) -> None:
    """An entity: what it is called, where its page is, how it is connected, and its first facts."""
    telling.say(f"{entity.name} ({entity.type})", "head")
    if entity.aliases:
        telling.say(f"also {', '.join(entity.aliases)}", "muted")
    graph = looking.seen(known)
    held = graph.at(entity.path)
    count = graph.degree(held) if held else known.whole.degree(entity)
    counted = f"{plural(len(entity.memories), 'fact')} · {plural(count, 'relation')}"
    telling.say(f"{counted} · trust {entity.trust}{' · pinned' if entity.pinned else ''}", "muted")
    telling.say(window_text(entity), "muted")
    if entity.problem:
        telling.say(f"not read in full: {entity.problem}", "bad")
    telling.say(entity.path, "faint")
    telling.gap()
    ranked = sorted(entity.memories, key=lambda memory: -known.importance(memory) * memory.confidence)
    for memory in islice(ranked, _FACTS):
        telling.say(f"[{memory.type}] {memory.text}")
    if len(ranked) > _FACTS:
        telling.say(f"… and {len(ranked) - _FACTS} more", "faint")


def claim_lines(telling: Telling, claim: Claim, key: str) -> None:
    """One of two claims that cannot both be true: its words, since when, whose, and from where (``key``)."""
    telling.say(claim.text, "head")
    telling.say(f"since {day_text(claim.since)}" if claim.since else "no day is said", "muted")
    telling.say(f"trust {claim.trust}", "muted" if claim.trust in ("owner", "agent") else "warn")
    telling.say(plural(len(claim.entries), "line says it", "lines say it"), "muted")
    telling.gap()
    _sources(telling, claim.sources or claim.addresses, key)
    telling.gap()
    for entry in claim.entries[:_FACTS]:
        telling.say(entry.text)
        telling.say(f"{entry.path}:{entry.start_line}", "faint")


def _node(telling: Telling, node: Node, known: Known, looking: Looking) -> None:
    if node.hop is not None:
        _relation(telling, node.hop, node.hop.link.relation)
        telling.gap()
    if node.entity is not None:
        entity_lines(telling, node.entity, known, looking)
    else:
        telling.say(f"{node.name} has no page", "warn")
        telling.say("`workbench graph store --about` makes one, with its first fact", "muted")


def _relation(telling: Telling, hop: Hop, relation: Relation) -> None:
    telling.say(said(hop), "head")
    telling.say(f"{relation.confidence:.0%} sure · {trust_text(relation.trust)}", "muted")
    telling.say(window_text(relation), "muted")
    if hop.link.target is None and hop.link.candidates:
        several = ", ".join(entity.path for entity in hop.link.candidates[:5])
        telling.say(f"several pages have that name: {several}", "warn")
    _sources(telling, sources_of(relation))
    telling.say(f"stated in {relation.entry.path}:{relation.entry.start_line}", "faint")


def _held(telling: Telling, held: Held, known: Known, when: str = "") -> None:
    memory = held.memory
    telling.say(memory.text, "head")
    about = f"{memory.type} of {held.owner}" if held.entity else f"{memory.type} in {held.owner}"
    telling.say(about, "muted")
    if when:
        telling.say(when, "bad" if when.startswith("overdue") else "muted")
    for line in _state(memory):
        telling.say(line, "muted")
    for line in _weight(memory, known):
        telling.say(line, "muted")
    telling.say(trust_text(memory.trust), "muted" if memory.trust in ("owner", "agent") else "warn")
    telling.gap()
    _sources(telling, sources_of(memory))
    if memory.session:
        telling.say(f"said in session {memory.session}", "faint")
    telling.say(f"stands in {memory.entry.path}:{memory.entry.start_line}", "faint")
    if memory.id:
        telling.say(f"id {memory.id}", "faint")


def _state(memory: TypedMemory) -> Iterator[str]:
    if memory.happens_at:
        yield f"on {memory.happens_at:%A} {day_text(memory.happens_at)}"
    if memory.occurred_at:
        yield f"said or happened on {day_text(memory.occurred_at)}"
    yield window_text(memory)
    if memory.done:
        yield "done"
    if memory.scene:
        yield f"under {memory.scene}"


def _weight(memory: TypedMemory, known: Known) -> Iterator[str]:
    left = known.importance(memory)
    line = f"importance {memory.importance:.2f}"
    if abs(left - memory.importance) >= 0.005:
        line += f", {left:.2f}{'↓' if left < memory.importance else ''} today"
        days = len(known.beside.recalls.of(memory))
        line += f": it fades, and was recalled on {plural(days, 'day')}" if days else ": it fades by the day"
    else:
        line += " today too"
    yield f"{line} · {memory.confidence:.0%} sure"


def _found(telling: Telling, found: GraphFinding, known: Known, looking: Looking) -> None:
    if found.memory is not None:
        _held(telling, Held(found.entity, found.memory), known)
        telling.say(f"because {found.why}", "muted")
        return
    telling.say(found.why, "head")
    for hop in found.path:
        telling.gap()
        _relation(telling, hop, hop.link.relation)
    if found.entity is not None:
        telling.gap()
        entity_lines(telling, found.entity, known, looking)


def _sources(telling: Telling, sources: Sequence[str], key: str = "o") -> None:
    for number, source in enumerate(sources[:_SOURCES]):
        telling.say(f"from {source}{f'   {key} goes there' if number == 0 else ''}", "accent")
    if len(sources) > _SOURCES:
        telling.say(f"… and {len(sources) - _SOURCES} more sources", "faint")
