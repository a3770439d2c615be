"""How the search is doing: answered, stale, degraded, failed, empty, loading, indexing, each in own words.

Every condition has a mark and a word of its own, so none is told by its colour alone, and what a person can
do about it is said beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from screens.actions.active import key_for
from screens.actions.availability import FocusContext
from screens.dialogs.advice import advice as in_keys
from screens.drawing.rows import RowPart
from screens.drawing.safe_text import Shown, row_text, words
from workbench.agent.search_update import SearchUpdate
from workbench.errors import WorkbenchError

FAILED, STALE, DEGRADED, EMPTY = words("✗"), words("≠"), words("!"), words("∅")
INDEXING, LOADING, NOTE = words("↻"), words("◌"), words("·")
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_REINDEX = re.compile(r"(?:run )?`workbench reindex(?: --full)?`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of the search at this moment.

    ``failure`` is why the words in the box could not be searched, ``hint`` what helps. ``missing`` is why
    meaning takes no part, empty while it does, and ``loading`` says that it is about to. ``building`` tells
    how far the index is while it is made, ``preparing`` the same of a moment of the past. ``turn`` counts the
    steps of a wait that has become long, 0 while there is none.
    """

    found: SearchUpdate | None = None
    failure: str = ""
    hint: str = ""
    missing: str = ""
    loading: bool = False
    building: Shown | None = None
    preparing: Shown | None = None
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Condition:
    """``corner`` for the end of the line of words, ``advice`` for the lines beneath the hits."""

    corner: RowPart
    advice: tuple[RowPart, ...] = ()


def condition(facts: Facts) -> Condition:
    """The worst that is true, in the corner; everything that asks for somebody's attention, as advice."""
    found = facts.found
    if facts.preparing is not None:
        known = f"{found.sides} · " if found else ""
        return Condition(RowPart(words(f"{INDEXING} {known}preparing the past"), "accent"))
    if facts.failure:
        if facts.building is not None:
            return Condition(RowPart(words(f"{INDEXING} indexing"), "accent"))
        return Condition(RowPart(words(f"{FAILED} failed"), "bad"), _failed(facts))
    sides = found.sides if found else ("keyword" if facts.missing else "hybrid")
    advice: list[RowPart] = []
    corner: RowPart | None = None
    if found and found.stale and facts.building is None:
        corner = RowPart(words(f"{STALE} stale"), "warn")
        advice.append(RowPart(row_text(f"{STALE} stale: {_with(found.stale, _catch_up())}"), "warn"))
    why = facts.missing or (found.degraded if found else None)
    if why and not facts.loading and facts.building is None:
        corner = corner or RowPart(words(f"{DEGRADED} {_kept(facts, sides)}"), "warn")
        advice.append(RowPart(row_text(f"{DEGRADED} degraded: {_with(why, _again())}"), "warn"))
    if corner is not None:
        return Condition(corner, tuple(advice))
    return Condition(_at_work(facts, sides) or RowPart(words(sides), "muted"))


def emptiness(facts: Facts, *, narrowed: bool) -> Shown:
    """What stands where hits would be, over several lines: the first says what is, the others what helps."""
    if facts.preparing is not None:
        return _lines(f"{INDEXING} {facts.preparing}", f"the hits come by themselves; {_key('back')} leaves")
    if facts.failure and facts.building is not None:
        return _lines(f"{INDEXING} there is no index to search yet", facts.building)
    if facts.failure:
        return _lines(f"{FAILED} the search failed: {facts.failure}", _helps(facts.hint))
    if facts.found is None:
        return words(f"{LOADING} searching …")
    if facts.loading and facts.found.sides == "keyword":
        return _lines(
            f"{EMPTY} nothing has these words", f"{LOADING} semantic search is loading and may find more"
        )
    helps = (
        "leave a condition out, or words"
        if narrowed
        else f"try fewer or other words; {_key('help')} tells what can be asked"
    )
    by = "" if facts.found.sides == "hybrid" else " by keyword only"
    return _lines(f"{EMPTY} nothing found{by}", helps)


def _at_work(facts: Facts, sides: str) -> RowPart | None:
    """Something is under way that needs nobody's attention."""
    if facts.turn:
        wheel = SPINNER[facts.turn % len(SPINNER)]
        return RowPart(words(f"{wheel} {sides} · searching"), "accent")
    if facts.building is not None:
        doing = "catching up" if facts.found and facts.found.stale else "indexing"
        return RowPart(words(f"{INDEXING} {sides} · {doing}"), "accent")
    if facts.loading:
        return RowPart(words(f"{LOADING} keyword · semantic search is loading"), "accent")
    return None


def _failed(facts: Facts) -> tuple[RowPart, ...]:
    """Only beneath hits that are still there, of other words: an empty list says it itself."""
    if facts.found is None or not facts.found.hits:
        return ()
    old = f"these are the hits of “{facts.found.query.strip()}”"
    said = f"{FAILED} failed: {facts.failure}; {old}; {_helps(facts.hint)}"
    return (RowPart(row_text(said), "bad"),)


def _kept(facts: Facts, sides: str) -> str:
    return "keyword search only" if facts.missing or sides == "keyword" else f"{sides}, not all"


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
