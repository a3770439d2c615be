"""What a person decides in the graph: which pages are one, which claim is right, what is done."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from screens.actions.availability import FocusContext
from screens.graph.operations import apart_request, done_request, merge_request, settle_request
from screens.main.movement import Command
from screens.main.request import Request
from workbench.graph.contradictions import ANSWERS, Answer, Contradiction
from workbench.graph.duplicates import Duplicate
from workbench.graph.memory_query import Due

if TYPE_CHECKING:
    from screens.graph.neighbourhood import GraphScreen

_PAIRS = ("merge_pair", "merge_other_way", "keep_apart")
_CLAIMS = tuple(f"settle_{answer}" for answer in ANSWERS)
_WANTED: Mapping[FocusContext, tuple[type, tuple[str, ...], str]] = {
    FocusContext.PAIRS: (Duplicate, _PAIRS, "a pair"),
    FocusContext.CLAIMS: (Contradiction, _CLAIMS, "a contradiction"),
    FocusContext.DUE: (Due, ("mark_done",), "a todo, an event or a deadline"),
}


class Deciding:
    """Commands by action id, and why some cannot be done now. Each decision is one operation."""

    def __init__(self, screen: GraphScreen) -> None:
        self._screen = screen

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        return {
            **{f"settle_{answer}": partial(self._settle, answer) for answer in ANSWERS},
            "merge_pair": partial(self._merge, other_way=False),
            "merge_other_way": partial(self._merge, other_way=True),
            "keep_apart": self._apart,
            "mark_done": self._done,
            "undo": lambda: self._screen.desk.do(Request(action="undo")),
            "redo": lambda: self._screen.desk.do(Request(action="redo")),
        }

    def why(self) -> Mapping[str, str]:
        """What stands in the way of them, by their ids."""
        screen = self._screen
        if screen.view not in _WANTED:
            return {}
        wanted, actions, about = _WANTED[screen.view]
        if screen.looking.day is not None:
            return dict.fromkeys(actions, "this is as of another day: T goes back to today")
        if not isinstance(screen.thing, wanted):
            return dict.fromkeys(actions, f"put the cursor on {about} first")
        return {}

    def _merge(self, *, other_way: bool) -> None:
        pair = self._screen.thing
        if isinstance(pair, Duplicate):
            keep, other = (pair.other, pair.keep) if other_way else (pair.keep, pair.other)
            self._screen.desk.ask(merge_request(keep, other))

    def _apart(self) -> None:
        pair = self._screen.thing
        if isinstance(pair, Duplicate):
            self._screen.desk.do(apart_request(pair.keep, pair.other))

    def _settle(self, answer: Answer) -> None:
        contradiction = self._screen.thing
        if isinstance(contradiction, Contradiction):
            self._screen.desk.do(settle_request(contradiction, answer))

    def _done(self) -> None:
        due = self._screen.thing
        if isinstance(due, Due):
            self._screen.desk.do(done_request(due.held.memory.entry.address))
