"""Choosing one of a few ways to mend a finding: a number each, or the cursor and enter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content

from screens.dialogs.dialog import Dialog
from screens.drawing.rows import Row, RowPart
from screens.drawing.safe_text import row_text, words
from screens.widgets.entry_list import EntryList
from workbench.health.finding import Fix

_MOST = 9


class FixScreen(Dialog[Fix]):
    """Ends with the way that was chosen, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q,f", "leave"),
        ("enter,space", "choose"),
        ("down,j", "move(1)"),
        ("up,k", "move(-1)"),
        *[(str(number), f"choose({number})") for number in range(1, _MOST + 1)],
    ]

    def __init__(self, fixes: Sequence[Fix]) -> None:
        super().__init__()
        self._fixes = fixes[:_MOST]
        self._list = EntryList(id="choices")

    def compose(self) -> ComposeResult:
        """A frame with the ways, and what each is on the command line."""
        with Vertical(id="choose") as frame:
            frame.border_title = Content("How to fix it")
            frame.border_subtitle = Content("a number or enter chooses · esc leaves")
            yield self._list

    def on_mount(self) -> None:
        """Show them."""
        self._list.show(
            [
                Row(
                    str(number),
                    row_text(fix.label),
                    lead=(RowPart(words(str(number)), "accent"),),
                    tail=(RowPart(row_text(fix.command), "faint"),),
                )
                for number, fix in enumerate(self._fixes, 1)
            ]
        )
        self._list.focus()

    def on_entry_list_opened(self, message: EntryList.Opened) -> None:
        """A double click chooses."""
        self.action_choose(int(message.row.id))

    def action_leave(self) -> None:
        """Choose nothing."""
        self.dismiss(None)

    def action_move(self, steps: int) -> None:
        """Look further down, or up."""
        self._list.move(steps)

    def action_choose(self, number: int = 0) -> None:
        """The one of this number, else the one under the cursor."""
        number = number or self._list.cursor + 1
        if number <= len(self._fixes):
            self.dismiss(self._fixes[number - 1])
