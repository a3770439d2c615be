"""Looking before acting: the actions on this entry by their keys; each shows its change first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key

from screens.actions.active import keys_of
from screens.actions.keys import key_names
from screens.actions.registry import Action, Context
from screens.dialogs.dialog import Dialog
from screens.drawing.rows import Row, RowPart
from screens.drawing.safe_text import row_text, words
from screens.widgets.entry_list import EntryList

_KEY = 4


class LookScreen(Dialog[str]):
    """Ends with the id of an action, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,full_stop", "leave"),
        ("down,j", "move(1)"),
        ("up,k", "move(-1)"),
        ("enter", "choose"),
    ]

    def __init__(self, actions: Sequence[Action], context: Context) -> None:
        super().__init__()
        self._actions = actions
        self._asked_in = context
        self._list = EntryList(id="actions")

    def compose(self) -> ComposeResult:
        """A frame with the actions."""
        with Vertical(id="look") as frame:
            frame.border_title = Content("What would it do?")
            frame.border_subtitle = Content("a key shows the change · esc leaves")
            yield self._list

    def on_mount(self) -> None:
        """Show what can be done here, and why not what cannot."""
        rows = []
        for action in self._actions:
            why = action.reason(self._asked_in)
            tail = (RowPart(row_text(why), "faint"),) if why else ()
            lead = (RowPart(words(key_names(keys_of(action.id)[:1]).ljust(_KEY)), "match"),)
            text = words(action.label)
            rows.append(
                Row(action.id, text, lead=lead, tail=tail, tone="faint" if why else "text", inert=bool(why))
            )
        self._list.show(rows)
        self._list.focus()

    def on_key(self, event: Key) -> None:
        """The key of an action chooses it."""
        for action in self._actions:
            if event.key in keys_of(action.id) and action.reason(self._asked_in) is None:
                event.stop()
                self.dismiss(action.id)

    def on_entry_list_opened(self, message: EntryList.Opened) -> None:
        """A double click chooses."""
        self.dismiss(message.row.id)

    def action_choose(self) -> None:
        """Choose the action under the cursor."""
        if self._list.row is not None and not self._list.row.inert:
            self.dismiss(self._list.row.id)

    def action_leave(self) -> None:
        """Do nothing."""
        self.dismiss(None)

    def action_move(self, steps: int) -> None:
        """Down, or up."""
        self._list.move(steps)
