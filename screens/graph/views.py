"""Which view shows what: made in a thread, of what is known and what is looked at."""

from __future__ import annotations

from collections.abc import Sequence

from screens.actions.availability import FocusContext
from screens.drawing.rows import Folds, Row
from screens.graph.answers import answer_sight
from screens.graph.claims import claim_sides, claims_sight
from screens.graph.detail import told
from screens.graph.due import due_sight
from screens.graph.graph_state import Known, Looking, Sight, Thing
from screens.graph.pairs import pair_sides, pairs_sight
from screens.graph.tree import neighbourhood_sight
from workbench.graph.contradictions import Contradiction
from workbench.graph.duplicates import Duplicate

SIDES = {
    FocusContext.PAIRS: ("this page stays", "m makes this one a part of it"),
    FocusContext.CLAIMS: ("old: 1 keeps it", "new: 2 puts it in place of the old"),
}
"""The views of two things beside each other, and what is said over each."""


def sight_of(place: FocusContext, known: Known, looking: Looking, folds: Folds) -> Sight:
    """The rows of a view."""
    if place is FocusContext.PAIRS:
        return pairs_sight(known, looking)
    if place is FocusContext.CLAIMS:
        return claims_sight(known, looking)
    if place is FocusContext.DUE:
        return due_sight(known, looking, folds)
    if looking.question:
        return answer_sight(known, looking)
    return neighbourhood_sight(known, looking, folds)


def behind(thing: Thing | None, known: Known, looking: Looking) -> tuple[Sequence[Row], Sequence[Row]]:
    """What stands behind a row; the second is empty but where two things are compared."""
    if isinstance(thing, Duplicate):
        return pair_sides(thing, known, looking)
    if isinstance(thing, Contradiction):
        return claim_sides(thing)
    return told(thing, known, looking), ()
