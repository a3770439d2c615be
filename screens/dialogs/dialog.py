"""What stands over a screen and takes the keys until it is answered.

What to do about a refusal, in keys: hints are written for the command line, and here there is none.
"""

from __future__ import annotations

import re
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from screens.actions.active import key_for
from screens.drawing.full_repaint import WorkingScreen
from screens.drawing.safe_text import Shown, row_text
from screens.widgets.entry_list import EntryList
from workbench.errors import WorkbenchError

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


_CLAUSE_END = re.compile(r"; |\. ")
_COMMAND = re.compile(r"`?\bworkbench (?P<name>inbox conflicts|[a-z]+)(?P<rest>[^`]*)`?")
_NAMED = re.compile(r"`workbench (?P<name>inbox conflicts|[a-z]+)[^`]*`")
_ACTIONS = {
    "status": "", "get": "", "search": "", "restore": "",
    "log": "operations", "show": "operations", "inbox conflicts": "conflicts",
    **{name: name for name in ("promote", "forget", "edit", "merge", "move", "pin", "quarantine", "archive",
                               "undo", "redo", "blame", "reindex")},
}  # fmt: skip
"""Commands and the actions that stand for them; an empty one has none, and its clause is left out."""
_OPTION = re.compile(r" \(--[^)]*\)")
"""Options stand in brackets behind the words that say what they do."""


def advice(error: WorkbenchError) -> Shown:
    """The hint of ``error`` as it is done here; empty where there is none."""
    hint = _OPTION.sub("", error.hint or "")
    clauses = (clause for clause in _CLAUSE_END.split(hint) if clause and _can_be_done(clause))
    return row_text("; ".join(_COMMAND.sub(_key, clause) for clause in clauses))


def in_keys(note: str) -> str:
    """A note of a plan, with keys of the panes in place of the commands that it names between backticks."""

    def pressed(command: re.Match[str]) -> str:
        action = _ACTIONS.get(command["name"])
        return f"{key_for(action)} in the panes" if action else command[0]

    return _NAMED.sub(pressed, note)


def _can_be_done(clause: str) -> bool:
    return all(_ACTIONS.get(command["name"]) != "" for command in _COMMAND.finditer(clause))


def _key(command: re.Match[str]) -> str:
    """The key of the action that stands for a command; the command where it is done outside."""
    action = _ACTIONS.get(command["name"])
    if action == "promote" and "--into" in command["rest"]:
        action = "promote_to"
    return key_for(action) if action else command[0]
