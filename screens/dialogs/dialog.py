"""What stands over a screen and takes the keys until it is answered."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from screens.drawing.safe_text import Shown
from screens.drawing.working_screen import WorkingScreen
from screens.widgets.entry_list import EntryList

Answer = TypeVar("Answer")


# In this order: Textual takes rules of style sheets from the first of several bases alone.
class Dialog(ModalScreen[Answer], WorkingScreen[Answer]):
    """Hides the keys of the program below, but ctrl+z: what stops every program must not be dead here."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+z", "app.suspend_process", show=False)]

    def action_leave(self) -> None:
        """Answer nothing."""
        self.dismiss(None)


class ListDialog(Dialog[Answer]):
    """A dialog over a list, in which keys move; whoever makes one says which list that is, and its frame."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "leave"),
        ("down", "move(1)"),
        ("up", "move(-1)"),
        ("pagedown", "move(10)"),
        ("pageup", "move(-10)"),
    ]

    def __init__(self, rows: EntryList, frame: str, title: Shown, keys: Shown) -> None:
        """``frame`` names it to the style sheet; ``keys`` stand at its lower edge."""
        super().__init__()
        self._list = rows
        self._frame = Vertical(id=frame)
        self._frame.border_title, self._frame.border_subtitle = Content(title), Content(keys)

    def compose(self) -> ComposeResult:
        """The list in its frame."""
        with self._frame:
            yield from self.compose_over()
            yield self._list

    def compose_over(self) -> ComposeResult:
        """What stands over the list; nothing, for most."""
        yield from ()

    def action_move(self, steps: int) -> None:
        """Look further down, or up."""
        self._list.move(steps)


class ReadDialog(ListDialog[Answer]):
    """A list that is only moved in: nothing is typed in it."""

    BINDINGS: ClassVar[list[BindingType]] = [("q", "leave"), ("j", "move(1)"), ("k", "move(-1)")]

    def on_mount(self) -> None:
        """The keys move in the list."""
        self._list.focus()
