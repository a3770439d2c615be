"""What stands over a screen and takes the keys until it is answered."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from screens.widgets.entry_list import EntryList

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer]):
    """Hides the keys of the program below, but ctrl+z: what stops every program must not be dead here."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+z", "app.suspend_process", show=False)]

    def action_leave(self) -> None:
        """Answer nothing."""
        self.dismiss(None)


class ListDialog(Dialog[Answer]):
    """A dialog over a list, in which keys move; whoever makes one says which list that is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("down", "move(1)"),
        ("up", "move(-1)"),
        ("pagedown", "move(10)"),
        ("pageup", "move(-10)"),
    ]

    def __init__(self, rows: EntryList) -> None:
        super().__init__()
        self._list = rows

    def action_move(self, steps: int) -> None:
        """Look further down, or up."""
        self._list.move(steps)
