"""Pages that may be of one entity: a row a pair, the two pages side by side behind it."""

from __future__ import annotations

from screens.drawing.rows import Row, RowPart
from screens.drawing.safe_text import row_text, words
from screens.graph.alike import Alike
from screens.graph.detail import Telling, entity_lines
from screens.graph.graph_state import Known, Looking, Sight, Thing
from workbench.graph.duplicates import Duplicate, duplicates
from workbench.memory.graph_page import Entity

TITLE = words("Duplicates: may these be one?")


def pairs_sight(known: Known, looking: Looking) -> Sight:
    """The pairs by meaning, then those by names alone, the likest first of each."""
    decided = known.beside.decided
    by_name = duplicates(known.whole, today=known.today, decided=decided)
    by_meaning = known.alike.found(known.whole, decided)
    told = {one.key for one in by_meaning}
    found = (*by_meaning, *(one for one in by_name if one.key not in told))
    things: dict[str, Thing] = {}
    rows = []
    for one in found:
        row_id = f"pair:{one.keep.path}:{one.other.path}"
        things[row_id] = one
        rows.append(
            Row(
                id=row_id,
                text=row_text(f"{one.keep.name} ≟ {one.other.name}"),
                lead=(RowPart(row_text(one.keep.type), "accent"),),
                tail=_likeness(one),
                path=one.keep.path,
                address=one.keep.path,
            )
        )
    count, said = len(rows), _said(known.alike)
    if rows and said:
        rows.append(Row("note", row_text(said), tone="faint", inert=True))
    empty = words("\n".join(filter(None, ("no two pages look like one entity", row_text(said)))))
    return Sight(rows=tuple(rows), things=things, count=count, empty=empty, title=TITLE)


def _likeness(one: Duplicate) -> tuple[RowPart, ...]:
    names = RowPart(words(f"names {one.names:.0%} alike"), "muted")
    return (names,) if one.cosine is None else (RowPart(words(f"meaning {one.cosine:.0%}"), "accent"), names)


def _said(alike: Alike) -> str:
    """How far meaning took part."""
    if alike.asked:
        return "names are compared; comparing what they mean …"
    if alike.problem:
        return f"names are compared, their meaning is not: {alike.problem}"
    return "names and their meaning are compared" if alike.known else ""


def pair_sides(pair: Duplicate, known: Known, looking: Looking) -> tuple[list[Row], list[Row]]:
    """Both pages: the one that stays first."""
    sides = []
    for entity in (pair.keep, pair.other):
        telling = Telling()
        entity_lines(telling, entity, known, looking)
        _links(telling, entity, known)
        sides.append(telling.rows)
    return sides[0], sides[1]


def _links(telling: Telling, entity: Entity, known: Known) -> None:
    graph = known.whole
    telling.gap()
    for link in graph.relations_of(entity)[:_LINKS]:
        telling.say(f"{link.relation.kind.replace('_', ' ')} → {link.name}", "muted")
    for link in graph.relations_to(entity)[:_LINKS]:
        telling.say(f"← {link.relation.kind.replace('_', ' ')} {link.source.name}", "muted")


_LINKS = 8
