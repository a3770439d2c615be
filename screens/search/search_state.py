"""How the search is doing: answered, stale, degraded, failed, empty, loading, indexing, each in own words.

Every condition has a mark and a word of its own, so none is told by its colour alone, and what a person can
do about it is said beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from screens.actions.active import key_for
from screens.actions.availability import FocusContext
from screens.dialogs.dialog import advice as in_keys
from screens.drawing.safe_text import RowPart, Shown, grouped, piece, row_text, words
from screens.search.engine import KEYWORD_INDEX, IndexChanged
from screens.widgets.search_overlay import Condition
from workbench.agent.search_update import SearchUpdate
from workbench.errors import WorkbenchError

FAILED, STALE, DEGRADED, EMPTY = words("✗"), words("≠"), words("!"), words("∅")
INDEXING, LOADING = words("↻"), words("◌")
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_REINDEX = re.compile(r"(?:run )?`workbench reindex(?: --full)?`")


@dataclass(slots=True, kw_only=True)
class SearchState:
    """What is known of the search at this moment.

    ``failure`` is why the words in the box could not be searched, ``hint`` what helps. ``missing`` is why
    meaning takes no part, empty while it does, and ``loading`` says that it is about to; ``missed`` is why it
    has no answer to this very question. ``building`` is what was told last of an index that is being made,
    ``preparing`` the same of a moment of the past. ``turn`` counts the steps of a wait that has become long.
    """

    found: SearchUpdate | None = None
    failure: str = ""
    hint: str = ""
    missing: str = ""
    missed: str = ""
    loading: bool = False
    building: IndexChanged | None = None
    preparing: Shown | None = None
    turn: int = 0

    @property
    def without_meaning(self) -> str:
        """Why only keywords are searched; empty where meaning takes part."""
        return self.missed or self.missing


def condition(state: SearchState) -> Condition:
    """The worst that is true, in the corner; everything that asks for somebody's attention, as advice."""
    found = state.found
    if state.preparing is not None:
        known = f"{found.sides} · " if found else ""
        return Condition(piece(f"{INDEXING} {known}preparing the past", "accent"))
    if state.failure:
        if state.building is not None:
            return Condition(piece(f"{INDEXING} indexing", "accent"))
        return Condition(piece(f"{FAILED} failed", "bad"), _failed(state))
    sides = found.sides if found else ("keyword" if state.without_meaning else "hybrid")
    advice: list[RowPart] = []
    corner: RowPart | None = None
    if found and found.stale and state.building is None:
        corner = piece(f"{STALE} stale", "warn")
        advice.append(RowPart(row_text(f"{STALE} stale: {_with(found.stale, _catch_up())}"), "warn"))
    why = state.without_meaning or (found.degraded if found else None)
    if why and not state.loading and state.building is None:
        corner = corner or piece(f"{DEGRADED} {_kept(state, sides)}", "warn")
        advice.append(RowPart(row_text(f"{DEGRADED} degraded: {_with(why, _again())}"), "warn"))
    if corner is not None:
        return Condition(corner, tuple(advice))
    return Condition(_at_work(state, sides) or piece(sides, "muted"))


def emptiness(state: SearchState, *, narrowed: bool) -> Shown:
    """What stands where hits would be, over several lines: the first says what is, the others what helps."""
    if state.preparing is not None:
        return _lines(
            f"{INDEXING} {state.preparing}", f"hits will appear automatically; {_key('back')} leaves"
        )
    if state.failure and state.building is not None:
        stage = state.building.stage
        counted = stage is not None and stage.phase == KEYWORD_INDEX and stage.is_counted
        files = f", {grouped(stage.done)} of {grouped(stage.total)} files" if stage and counted else ""
        said = f"{INDEXING} building the keyword index{files}"
        return _lines(said, "keyword hits are shown when it is ready")
    if state.failure:
        return _lines(f"{FAILED} the search failed: {state.failure}", _helps(state.hint))
    if state.found is None:
        return words(f"{LOADING} searching …")
    if state.loading and state.found.sides == "keyword":
        return _lines(
            f"{EMPTY} nothing has these words", f"{LOADING} semantic search is loading and may find more"
        )
    helps = (
        "remove a filter, or words"
        if narrowed
        else f"try fewer or other words; {_key('help')} explains the query language"
    )
    by = "" if state.found.sides == "hybrid" else " by keyword only"
    return _lines(f"{EMPTY} nothing found{by}", helps)


def _at_work(state: SearchState, sides: str) -> RowPart | None:
    """Something is under way that needs nobody's attention."""
    if state.turn > 0:
        wheel = SPINNER[state.turn % len(SPINNER)]
        return piece(f"{wheel} {sides} · searching", "accent")
    if state.building is not None:
        doing = "catching up" if state.found and state.found.stale else "indexing"
        return piece(f"{INDEXING} {sides} · {doing}", "accent")
    if state.loading:
        return piece(f"{LOADING} keyword · semantic search is loading", "accent")
    return None


def _failed(state: SearchState) -> tuple[RowPart, ...]:
    """Only beneath hits that are still there, of other words: an empty list says it itself."""
    if state.found is None or not state.found.hits:
        return ()
    old = f"these are the hits of “{state.found.query.strip()}”"
    said = f"{FAILED} failed: {state.failure}; {old}; {_helps(state.hint)}"
    return (RowPart(row_text(said), "bad"),)


def _kept(state: SearchState, sides: str) -> str:
    return "keyword search only" if state.without_meaning or sides == "keyword" else f"{sides}, not all"


def _with(reason: str, usual: str) -> str:
    """A reason with what helps: what it says of that itself, in keys, else the usual."""
    reason, _, hint = reason.replace(": keyword search only", "").partition("; ")
    return f"{reason}; {_helps(hint, usual)}"


def _helps(hint: str, usual: str = "") -> str:
    """A hint of the command line as it is done while searching."""
    if _REINDEX.fullmatch(hint):
        return _catch_up()
    told = _REINDEX.sub(lambda _: f"press {_key('reindex')}", hint)
    return in_keys(WorkbenchError("", hint=told)) or usual or _again()


def _catch_up() -> str:
    return f"{_key('reindex')} brings the index up to date"


def _again() -> str:
    return f"{_key('reindex')} tries again"


def _key(action: str) -> str:
    """What to press while words are typed."""
    return key_for(action, FocusContext.QUERY)


def _lines(*lines: str) -> Shown:
    return Shown("\n".join(row_text(line) for line in lines if line))
