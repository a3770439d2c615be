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
from screens.widgets.entry_list import EntryList

_KEYS, _LABEL = 16, 18


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
        self._list = EntryList(empty="no action is called that", id="actions")

    def compose(self) -> ComposeResult:
        """A frame with the filter over the list."""
        with Vertical(id="help") as frame:
            frame.border_title = Content("Keys")
            frame.border_subtitle = Content("type to filter · esc closes")
            yield Input(placeholder="filter", compact=True, id="filter")
            yield self._list

    def on_mount(self) -> None:
        """Show everything."""
        self._list.show(help_rows("", self._blocked))

    @on(Input.Changed)
    def _filter(self, event: Input.Changed) -> None:
        self._list.show(help_rows(event.value, self._blocked))

    def action_move(self, steps: int) -> None:
        """Look further down, or up."""
        self._list.move(steps)


def help_rows(wanted: str, blocked: dict[str, str]) -> list[Row]:
    """The actions that ``wanted`` occurs in; one that cannot be done now says why."""
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
            rows.append(
                Row(
                    id=action.id,
                    text=words(f"{action.help}  ({why})" if why else action.help),
                    tone="faint" if why else "text",
                    lead=(
                        Part(words(key_names(action.keys).ljust(_KEYS)), "match"),
                        Part(words(action.label.ljust(_LABEL)), "head"),
                    ),
                )
            )
    return rows
