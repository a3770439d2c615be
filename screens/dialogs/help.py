"""Every key and what it does, generated from the registry: what can be done here first; typing filters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Key
from textual.widgets import Input

from screens.actions.action import Action
from screens.actions.active import active, keys_of
from screens.actions.availability import Context, FocusContext
from screens.actions.keymap import DEFAULT
from screens.actions.keys import key_names, types_a_character
from screens.actions.registry import ACTIONS, grouped_actions
from screens.dialogs.dialog import ListDialog
from screens.drawing.safe_text import Row, RowPart, row_text, words
from screens.widgets.change_list import ChangeList
from screens.widgets.query_input import QueryInput

_KEYS, _LABEL = 16, 20
_ONE_LINE_FROM = 130
"""Columns of the screen from which the help of an action stands beside its name; else under it."""
_LAST = 1_000
_PLACES = {
    FocusContext.PANE: "in the panes",
    FocusContext.QUERY: "while you search",
    FocusContext.RESULTS: "on the hits",
    FocusContext.OPERATIONS: "in the history",
    FocusContext.BLAME: "in blame",
    FocusContext.CONFLICTS: "in the conflicts",
    FocusContext.RECENT: "in the recent changes",
    FocusContext.REVIEW: "in the inbox",
    FocusContext.GRAPH: "in the graph",
    FocusContext.AGENT: "in the context preview",
    FocusContext.HEALTH: "in health",
    FocusContext.SETTINGS: "in settings and keys",
}


class HelpScreen(ListDialog[None]):
    """The actions under their groups, over a line to filter them by."""

    BINDINGS: ClassVar[list[BindingType]] = [("f1", "leave")]

    def __init__(self, context: Context | None = None) -> None:
        """``context`` is where the person is: what can be done there comes first, or why it cannot."""
        keys = active()
        own = f" · {keys.profile}" if keys and keys.profile != DEFAULT else ""
        rows = ChangeList(empty="no action matches", id="actions", hanging=True)
        super().__init__(rows, "help", words(f"Keys{own}"), words("type to filter · esc closes"))
        self._asked_in = context
        self._wanted = ""

    def compose_over(self) -> ComposeResult:
        """The line to filter by."""
        yield QueryInput(placeholder="filter", compact=True, id="filter")

    def on_mount(self) -> None:
        """Show everything."""
        self._show()

    def on_resize(self) -> None:
        """Over one line or two, as there is room."""
        self._show()

    @on(Input.Changed)
    def _filter(self, event: Input.Changed) -> None:
        self._wanted = event.value
        self._show()

    def _show(self) -> None:
        narrow = self.size.width < _ONE_LINE_FROM
        self._list.show(help_rows(self._wanted, self._asked_in, narrow=narrow))
        self._list.jump(0)

    def on_key(self, event: Key) -> None:
        """The key that opened it closes it too, where that is no text."""
        if event.key in keys_of("help") and not types_a_character(event.key):
            event.stop()
            self.dismiss()


def help_rows(wanted: str, context: Context | None, *, narrow: bool = False) -> list[Row]:
    """The actions that ``wanted`` occurs in, those of the place first; one that cannot be done now says why.

    ``narrow`` gives the help of each a row of its own.
    """
    rows: list[Row] = []
    needle = wanted.casefold().strip()
    for title, actions in _groups(context):
        matching = [action for action in actions if needle in _searched(action)]
        if matching:
            rows.append(Row(f"group:{title}", words(title), tone="accent", inert=True))
        for action in matching:
            here = context is not None and context.place in action.places
            rows += _action_rows(action, action.reason(context) if here and context else None, narrow=narrow)
    return rows


def _groups(context: Context | None) -> Iterator[tuple[str, Sequence[Action]]]:
    """What can be done here, then the rest under its groups."""
    here: list[Action] = []
    if context is not None:
        here = [action for action in ACTIONS if context.place in action.places]
        here.sort(key=lambda action: action.hint or _LAST)
        yield f"Here: {_PLACES.get(context.place, context.place)}", here
    there = {action.id for action in here}
    for group, actions in grouped_actions():
        yield str(group), [action for action in actions if action.id not in there]


def _searched(action: Action) -> str:
    return f"{key_names(keys_of(action.id))} {action.label} {action.help} {action.group}".casefold()


def _action_rows(action: Action, why: str | None, *, narrow: bool) -> Iterator[Row]:
    told = row_text(f"{action.help}  (not now: {why})" if why else action.help)
    names = key_names(keys_of(action.id)) or "no key"
    keys = RowPart(words(names.ljust(_KEYS)), "match")
    if narrow:
        yield Row(action.id, words(action.label), tone="faint" if why else "head", lead=(keys,))
        yield Row(f"help:{action.id}", told, tone="faint" if why else "muted", depth=1, inert=True)
    else:
        label = RowPart(words(action.label.ljust(_LABEL)), "head")
        yield Row(action.id, told, tone="faint" if why else "text", lead=(keys, label))
