"""Details of a row of the Graph screen: a relation, an entity, a memory or an answer, with its sources."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from screens.drawing.safe_text import (
    GAP,
    Lines,
    Row,
    Tone,
    line_rows,
    plural,
)
from screens.graph.views import NOTICEABLE, GraphViewState, Line, LoadedGraph, Thing
from workbench.graph.contradictions import Claim, Contradiction
from workbench.graph.decay import recalls_of
from workbench.graph.duplicates import Duplicate
from workbench.graph.memory_query import DueItem
from workbench.graph.model import EntityMemory, sources_of
from workbench.graph.search import GraphFinding, Hop, Node, said
from workbench.memory.graph_page import Entity, TypedMemory
from workbench.memory.moment import clock_of
from workbench.memory.provenance import least_trusted

_FACTS = 12
_SOURCES = 12
_LINKS = 8


def behind(
    thing: Thing | None, known: LoadedGraph, looking: GraphViewState
) -> tuple[Sequence[Row], Sequence[Row]]:
    """What stands behind a row; the second is empty but where two things are compared."""
    lines: Lines = iter(())
    match thing:
        case Duplicate():
            return (
                line_rows(_page_lines(thing.keep, known, looking)),
                line_rows(_page_lines(thing.other, known, looking)),
            )
        case Contradiction():
            return line_rows(_claim_lines(thing.old, "O")), line_rows(_claim_lines(thing.new, "o"))
        case Node():
            lines = _node(thing, known, looking)
        case EntityMemory():
            lines = _held(thing, known)
        case DueItem():
            lines = _held(thing.held, known, thing.when)
        case GraphFinding():
            lines = _found(thing, known, looking)
    return line_rows(lines), ()


def sources_behind(thing: Thing, *, left: bool = False) -> tuple[str, ...]:
    """Where a thing comes from, each as ``path#L12`` or ``path#hash``; a page where it says no more.

    What names no source stands for itself. Of two things it is the one on the right, or on the ``left``.
    """
    match thing:
        case Node(hop=Hop() as hop):
            relation = hop.link.relation
            return relation.sources or (relation.entry.address,)
        case Node():
            return (thing.entity.path,) if thing.entity else ()
        case Duplicate():
            return (thing.keep.path if left else thing.other.path,)
        case Contradiction():
            claim = thing.old if left else thing.new
            return claim.sources or claim.addresses
        case GraphFinding():
            return thing.sources
    memory = thing.held.memory if isinstance(thing, DueItem) else thing.memory
    return memory.sources or (memory.entry.address,)


# -- an entity, a claim --------------------------------------------------------------------------


def _entity(entity: Entity, known: LoadedGraph, looking: GraphViewState) -> Lines:
    """What it is called, where its page is, how it is connected, and its first facts."""
    yield f"{entity.name} ({entity.type})", "head"
    yield f"also {', '.join(entity.aliases)}" if entity.aliases else "", "muted"
    graph = looking.seen(known)
    held = graph.at(entity.path)
    count = graph.degree(held) if held else known.whole.degree(entity)
    counted = f"{plural(len(entity.memories), 'fact')} · {plural(count, 'relation')}"
    trusts = [memory.trust for memory in entity.memories] if entity.trust == "unknown" else []
    trust = least_trusted(*(trusts or [entity.trust]))
    yield f"{counted} · trust {trust}{' · pinned' if entity.pinned else ''}", "muted"
    yield _window_text(entity), "muted"
    yield f"not read in full: {entity.problem}" if entity.problem else "", "bad"
    yield entity.path, "faint"
    yield GAP
    ranked = sorted(entity.memories, key=lambda memory: -known.importance(memory) * memory.confidence)
    for memory in ranked[:_FACTS]:
        yield f"[{memory.type}] {memory.text}", "text"
    if len(ranked) > _FACTS:
        yield f"… and {len(ranked) - _FACTS} more", "faint"


def _page_lines(entity: Entity, known: LoadedGraph, looking: GraphViewState) -> Lines:
    """One of two pages that may be of one entity, with its first relations."""
    yield from _entity(entity, known, looking)
    yield GAP
    for link in known.whole.relations_of(entity)[:_LINKS]:
        yield f"{link.relation.kind.replace('_', ' ')} → {link.name}", "muted"
    for link in known.whole.relations_to(entity)[:_LINKS]:
        yield f"← {link.relation.kind.replace('_', ' ')} {link.source.name}", "muted"


def _claim_lines(claim: Claim, key: str) -> Lines:
    """One of two claims that cannot both be true: its words, since when, whose, and from where (``key``)."""
    yield claim.text, "head"
    yield f"since {_day_text(claim.since)}" if claim.since else "no date", "muted"
    yield f"trust {claim.trust}", _trust_tone(claim.trust)
    yield f"said in {plural(len(claim.entries), 'line')}", "muted"
    yield GAP
    yield from _sources(claim.sources or claim.addresses, key)
    yield GAP
    for entry in claim.entries[:_FACTS]:
        yield entry.text, "text"
        yield f"{entry.path}:{entry.start_line}", "faint"


# -- a relation, a memory, a finding -------------------------------------------------------------


def _node(node: Node, known: LoadedGraph, looking: GraphViewState) -> Lines:
    if node.hop:
        yield from _relation(node.hop)
        yield GAP
    if node.entity:
        yield from _entity(node.entity, known, looking)
    else:
        yield f"{node.name} has no page", "warn"
        yield "`workbench graph store --about` creates one, with its first fact", "muted"


def _relation(hop: Hop) -> Lines:
    relation = hop.link.relation
    yield said(hop), "head"
    yield f"{relation.confidence:.0%} sure · {_trust_text(relation.trust)}", "muted"
    yield _window_text(relation), "muted"
    if hop.link.target is None and hop.link.candidates:
        several = ", ".join(entity.path for entity in hop.link.candidates[:5])
        yield f"several pages have that name: {several}", "warn"
    yield from _sources(sources_of(relation))
    yield f"stated in {relation.entry.path}:{relation.entry.start_line}", "faint"


def _held(held: EntityMemory, known: LoadedGraph, when: str = "") -> Lines:
    memory = held.memory
    yield memory.text, "head"
    yield f"{memory.type} {'of' if held.entity else 'in'} {held.owner}", "muted"
    yield when, "bad" if when.startswith("overdue") else "muted"
    happens = memory.happens_at
    yield f"on {happens:%A} {_day_text(happens)}" if happens else "", "muted"
    occurred = memory.occurred_at
    yield f"said or happened on {_day_text(occurred)}" if occurred else "", "muted"
    yield _window_text(memory), "muted"
    yield "done" if memory.done else "", "muted"
    yield f"under {memory.scene}" if memory.scene else "", "muted"
    yield f"{_weight(memory, known)} · {memory.confidence:.0%} sure", "muted"
    yield _trust_text(memory.trust), _trust_tone(memory.trust)
    yield GAP
    yield from _sources(sources_of(memory))
    yield f"said in session {memory.session}" if memory.session else "", "faint"
    yield f"stands in {memory.entry.path}:{memory.entry.start_line}", "faint"
    yield f"id {memory.id}" if memory.id else "", "faint"


def _weight(memory: TypedMemory, known: LoadedGraph) -> str:
    left = known.importance(memory)
    line = f"importance {memory.importance:.2f}"
    if abs(left - memory.importance) < NOTICEABLE:
        return f"{line} today too"
    line += f", {left:.2f}{'↓' if left < memory.importance else ''} today"
    days = len(recalls_of(memory, known.recalls))
    return line + (
        f": it fades, and was recalled on {plural(days, 'day')}" if days else ": it fades by the day"
    )


def _found(found: GraphFinding, known: LoadedGraph, looking: GraphViewState) -> Lines:
    if found.memory:
        yield from _held(EntityMemory(found.entity, found.memory), known)
        yield f"because {found.why}", "muted"
        return
    yield found.why, "head"
    for hop in found.path:
        yield GAP
        yield from _relation(hop)
    if found.entity:
        yield GAP
        yield from _entity(found.entity, known, looking)


def _sources(sources: Sequence[str], key: str = "o") -> Lines:
    for number, source in enumerate(sources[:_SOURCES]):
        yield f"from {source}{f'   {key} goes there' if number == 0 else ''}", "accent"
    if len(sources) > _SOURCES:
        yield f"… and {len(sources) - _SOURCES} more sources", "faint"


# -- how long something holds, how sure it is, who stands behind it -------------------------------


def _day_text(day: date) -> str:
    """``2 Mar 2026``, with its time where it has one."""
    return f"{day.day} {day:%b %Y}{clock_of(day)}"


def _window_text(line: Line) -> str:
    """Both days in words: ``valid from 2 Mar 2026 until 3 May 2026``; empty where none is said."""
    said = [f"from {_day_text(line.valid_from)}"] if line.valid_from else []
    said += [f"until {_day_text(line.valid_until)}"] if line.valid_until else []
    return f"valid {' '.join(said)}" if said else ""


def _trust_text(trust: str) -> str:
    """In words; the mark of the row with its meaning."""
    return f"trust {trust}{' (?): nobody says who stands behind it' if trust == 'unknown' else ''}"


def _trust_tone(trust: str) -> Tone:
    return "muted" if trust in ("owner", "agent") else "warn"
