"""An entity and what is around it, as rows: its relations as a tree, then what is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from screens.drawing.rows import Folds, Row, RowPart, piece
from screens.drawing.safe_text import grouped, plural, row_text, words
from screens.graph.detail import importance_part, stated_parts, window_parts
from screens.graph.graph_state import Known, Looking, Sight
from workbench.graph.keyword_search import most_linked
from workbench.graph.model import Held, is_over
from workbench.graph.search import Node, neighbourhood
from workbench.memory.graph_page import Entity

SELF, RELATIONS, FACTS = "self", "group:relations", "group:facts"
MORE = "more:"
_MOST_FACTS = 500
EMPTY = (
    "no entities yet\n"
    "graph/person/sarah.md would be one; `workbench graph store --about Sarah TEXT` makes it,\n"
    "and `workbench jobs run nightly` learns them from sessions and logs"
)


def _beginning(known: Known, looking: Looking) -> Entity | None:
    """The entity that a person most likely wants to begin with: the one with the most relations."""
    found = most_linked(looking.seen(known), 1) or most_linked(known.whole, 1)
    return known.whole.at(found[0].path) if found else None


def neighbourhood_sight(known: Known, looking: Looking, folds: Folds) -> Sight:
    """The rows of the entity that is looked at; of the most connected one where that is not there."""
    told = known.whole.at(looking.path) or _beginning(known, looking)
    if told is None:
        return Sight(empty=EMPTY)
    graph = looking.seen(known)
    holds = graph.at(told.path)
    entity, graph = (holds, graph) if holds else (told, known.whole)
    node = neighbourhood(graph, entity, hops=looking.hops, each=looking.each)
    rows = [_self_row(node, entity, known)]
    if holds is None:
        said = f"does not hold on {looking.on(known):%Y-%m-%d}: this is all that its page tells"
        rows.append(Row("absent", words(said), tone="warn", inert=True))
    if entity.problem:
        said = row_text(f"not read in full: {entity.problem}")
        rows.append(Row("problem", said, tone="bad", inert=True))
    rows += _relation_rows(node, graph.degree(entity), looking, known, folds)
    rows += _fact_rows(entity, looking, known, folds)
    return Sight(title=entity.name, rows=tuple(rows), entity=entity, node=node)


def _self_row(node: Node, entity: Entity, known: Known) -> Row:
    tail = list(window_parts(entity, known.today))
    if entity.pinned:
        tail.insert(0, piece("pinned", "accent"))
    return replace(
        named_row(entity),
        id=SELF,
        tone="head",
        lead=(RowPart(row_text(entity.type), "accent"),),
        tail=tuple(tail),
        path=entity.path,
        address=entity.path,
        of=node,
    )


def named_row(entity: Entity) -> Row:
    """An entity by all of its names."""
    name = row_text(entity.name)
    text = row_text(f"{name}  also {', '.join(entity.aliases)}" if entity.aliases else name)
    return Row(entity.path, text, emphasis=((len(name), len(text), "faint"),))


def _relation_rows(node: Node, count: int, looking: Looking, known: Known, folds: Folds) -> Iterator[Row]:
    total = len(node.children) + node.left_out
    counted = grouped(count) if count == total else words(f"{grouped(count)} to {grouped(total)} neighbours")
    is_open = folds.is_open(RELATIONS, default=True)
    hops = "1 relation away" if looking.hops == 1 else f"up to {looking.hops} relations away"
    tail = (piece(hops, "faint"), RowPart(counted))
    yield Row(RELATIONS, words("Relations"), tone="head", fold=is_open, tail=tail)
    if not is_open:
        return
    if not total:
        text = "none that holds: A shows what is over too" if not looking.over else "none"
        yield Row("none:relations", words(text), tone="muted", depth=1, inert=True)
    yield from _children(node, 1, looking, known, folds)


def _children(node: Node, depth: int, looking: Looking, known: Known, folds: Folds) -> Iterator[Row]:
    seen: set[str] = set()
    for child in node.children:
        assert child.hop is not None
        relation = child.hop.link.relation
        row_id = f"node:{depth}:{relation.entry.address}:{child.hop.forward}:{child.name}"
        if row_id in seen:
            continue
        seen.add(row_id)
        is_open = folds.is_open(row_id, default=True) if child.children or child.left_out else None
        kind = relation.kind.replace("_", " ")
        lead = row_text(f"{kind} →" if child.hop.forward else f"← {kind}")
        tail = stated_parts(relation, looking.on(known))
        if child.entity is None:
            tail.append(piece("no page", "warn"))
        yield Row(
            id=row_id,
            text=row_text(child.name),
            depth=depth,
            fold=is_open,
            lead=(RowPart(lead, "accent"),),
            tail=tuple(tail),
            tone="muted" if child.entity is None or is_over(relation, looking.on(known)) else "text",
            of=child,
        ).at(relation.entry)
        if is_open:
            yield from _children(child, depth + 1, looking, known, folds)
    if node.left_out:
        where = node.entity.path if node.entity else node.name
        text = words(f"… {plural(node.left_out, 'other')}: enter shows them")
        yield Row(f"{MORE}{depth}:{where}", text, tone="faint", depth=depth, of=node)


def _fact_rows(entity: Entity, looking: Looking, known: Known, folds: Folds) -> Iterator[Row]:
    is_open = folds.is_open(FACTS, default=True)
    tail = (piece("importance today", "faint"), RowPart(grouped(len(entity.memories))))
    yield Row(FACTS, words("What is known"), tone="head", fold=is_open, tail=tail)
    if not is_open:
        return
    day = looking.on(known)
    weighed = [(known.importance(memory), memory) for memory in entity.memories]
    weighed.sort(key=lambda pair: (is_over(pair[1], day) or pair[1].done, -pair[0] * pair[1].confidence))
    for left, memory in weighed[:_MOST_FACTS]:
        yield _fact_row(Held(entity, memory), left, day)
    if len(weighed) > _MOST_FACTS:
        text = words(f"… {plural(len(weighed) - _MOST_FACTS, 'other')} on its page: o goes there")
        yield Row("more:facts", text, tone="faint", depth=1, inert=True)
    if not weighed:
        none = "nothing is said of it by itself: `workbench graph store --about` would"
        yield Row("none:facts", words(none), tone="muted", depth=1, inert=True)


def _fact_row(held: Held, left: float, day: date) -> Row:
    """One typed memory: its type, its words, who stands behind it, how long it holds, its importance."""
    memory = held.memory
    tail = stated_parts(memory, day)
    if memory.done:
        tail.append(piece("done", "good"))
    elif memory.happens_at is not None:
        tail.append(piece(f"on {memory.happens_at}", "accent"))
    return Row(
        id=f"fact:{memory.entry.address}",
        text=row_text(memory.text),
        tone="muted" if memory.done or is_over(memory, day) else "text",
        depth=1,
        lead=(RowPart(row_text(memory.type), "accent"),),
        tail=(*tail, importance_part(memory, left)),
        of=held,
    ).at(memory.entry)
