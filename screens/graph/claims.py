"""Claims that cannot both be true: a row each, both claims side by side behind it."""

from __future__ import annotations

from screens.drawing.rows import Row, RowPart
from screens.drawing.safe_text import row_text, words
from screens.graph.detail import Telling, claim_lines
from screens.graph.graph_state import Known, Looking, Sight, Thing
from workbench.graph.contradictions import Contradiction, contradictions

EMPTY = words(
    "nothing contradicts itself\n"
    "Looked at is what has one value at a time: where somebody lives, whom they report to, which port it is."
)
TITLE = words("Contradictions: which is right?")


def claims_sight(known: Known, looking: Looking) -> Sight:
    """The contradictions between what holds on the day."""
    found = contradictions(known.whole, day=looking.on(known), decided=known.beside.decided)
    things: dict[str, Thing] = {}
    rows = []
    for one in found:
        row_id = f"claim:{one.key}"
        if row_id in things:
            continue
        things[row_id] = one
        name = row_text(one.entity.name)
        text = row_text(f"{name}: {one.old.text} ≠ {one.new.text}")
        rows.append(
            Row(
                id=row_id,
                text=text,
                emphasis=((0, min(len(name), len(text)), "head"),),
                tail=(RowPart(row_text(one.slot), "muted"),),
                path=one.entity.path,
                address=one.new.addresses[0] if one.new.addresses else one.entity.path,
            )
        )
    return Sight(rows=tuple(rows), things=things, count=len(rows), empty=EMPTY, title=TITLE)


def claim_sides(one: Contradiction) -> tuple[list[Row], list[Row]]:
    """What was there, and what came later."""
    sides = []
    for claim, key in ((one.old, "O"), (one.new, "o")):
        telling = Telling()
        claim_lines(telling, claim, key)
        sides.append(telling.rows)
    return sides[0], sides[1]
