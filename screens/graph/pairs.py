"""Pages that may be of one entity: a row a pair, the two pages side by side behind it."""

from __future__ import annotations

from screens.drawing.rows import Part, Row
from screens.drawing.shown import row_text, words
from screens.graph.known import Known, Looking, Sight, Thing
from screens.graph.telling import Telling, entity_lines
from workbench.graph.duplicates import Duplicate, duplicates
from workbench.memory.graph import Entity

EMPTY = words(
    "no two pages look like one entity\n"
    "Names are compared here; `workbench graph duplicates` compares their meaning too."
)
TITLE = words("Duplicates: may these be one?")


def pairs_sight(known: Known, looking: Looking) -> Sight:
    """The pairs, the likest first; of names alone, as no model is loaded here."""
    found = duplicates(known.whole, today=known.today, decided=known.beside.decided)
    things: dict[str, Thing] = {}
    rows = []
    for one in found:
        row_id = f"pair:{one.keep.path}:{one.other.path}"
        things[row_id] = one
        rows.append(
            Row(
                id=row_id,
                text=row_text(f"{one.keep.name} ≟ {one.other.name}"),
                lead=(Part(row_text(one.keep.type), "accent"),),
                tail=(Part(words(f"names {one.names:.0%} alike"), "muted"),),
                path=one.keep.path,
                address=one.keep.path,
            )
        )
    return Sight(rows=tuple(rows), things=things, count=len(rows), empty=EMPTY, title=TITLE)


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
