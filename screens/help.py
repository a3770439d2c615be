"""Every key and what it does, generated from the registry, filtered as one types."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

from screens.actions import grouped_actions
from screens.keys import key_names
from screens.rows import Part, Row
from screens.shown import Shown, words
from screens.widgets.change_list import ChangeList

_KEYS, _LABEL = 16, 18
_ONE_LINE_FROM = 130
"""Columns of the screen from which an action fits on one line; else its help stands under its name."""


class HelpScreen(ModalScreen[None]):
    """The actions under their groups, over a line to filter them by."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,f1", "dismiss"),
        ("down", "move(1)"),
        ("up", "move(-1)"),
        ("pagedown", "move(10)"),
        ("pageup", "move(-10)"),
    ]

    def __init__(self, blocked: dict[str, str]) -> None:
        super().__init__()
        self._blocked = blocked
        self._list = ChangeList(empty="no action is called that", id="actions")
        self._wanted = ""

    def compose(self) -> ComposeResult:
        """A frame with the filter over the list."""
        with Vertical(id="help") as frame:
            frame.border_title = Content("Keys")
            frame.border_subtitle = Content("type to filter · esc closes")
            yield Input(placeholder="filter", compact=True, id="filter")
            yield self._list

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
        self._list.show(help_rows(self._wanted, self._blocked, narrow=narrow))

    def action_move(self, steps: int) -> None:
        """Look further down, or up."""
        self._list.move(steps)


def help_rows(wanted: str, blocked: dict[str, str], *, narrow: bool = False) -> list[Row]:
    """The actions that ``wanted`` occurs in; one that cannot be done now says why.

    ``narrow`` gives the help of each a row of its own, which can be wrapped.
    """
    rows: list[Row] = []
    needle = wanted.casefold().strip()
    for group, actions in grouped_actions():
        matching = [
            a for a in actions
            if needle in f"{key_names(a.keys)} {a.label} {a.help} {group}".casefold()
        ]  # fmt: skip
        if not matching:
            continue
        rows.append(Row(f"group:{group}", Shown(group), tone="accent", inert=True))
        for action in matching:
            why = blocked.get(action.id)
            told = words(f"{action.help}  ({why})" if why else action.help)
            keys = Part(words(key_names(action.keys).ljust(_KEYS)), "match")
            if narrow:
                rows.append(
                    Row(action.id, words(action.label), tone="faint" if why else "head", lead=(keys,))
                )
                rows.append(
                    Row(f"help:{action.id}", told, tone="faint" if why else "muted", depth=1, inert=True)
                )
            else:
                label = Part(words(action.label.ljust(_LABEL)), "head")
                rows.append(Row(action.id, told, tone="faint" if why else "text", lead=(keys, label)))
    return rows
