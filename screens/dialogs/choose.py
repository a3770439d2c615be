"""Choosing one of many: a list that narrows as one types, and what was typed itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Key
from textual.widgets import Input

from screens.actions.active import keys_of
from screens.actions.keys import key_names
from screens.actions.registry import Action, Context
from screens.dialogs.dialog import ListDialog, ReadDialog
from screens.drawing.safe_text import Row, RowPart, Shown, row_text, words
from screens.widgets.entry_list import EntryList
from screens.widgets.query_input import QueryInput


class ChooseScreen(ListDialog[str]):
    """Ends with the id of the chosen row, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+n", "move(1)")]

    def __init__(
        self,
        title: Shown,
        rows: Sequence[Row],
        typed: Callable[[str], Sequence[Row]],
        *,
        placeholder: str = "type to narrow",
        empty: str = "nothing matches",
        chooses: str = "chooses",
        at: str | None = None,
    ) -> None:
        """``typed`` gives the rows that stand for what was typed, where it is a choice of its own.

        ``chooses`` is what enter does, in a word. ``at`` is the row that the cursor begins on. A row that is
        inert says why it cannot be chosen.
        """
        keys = words(f"enter {chooses} · esc leaves")
        super().__init__(EntryList(empty=empty, id="choices"), "choose", title, keys)
        self._rows = rows
        self._typed = typed
        self._at = at
        self._input = QueryInput(placeholder=placeholder, compact=True, id="filter")

    def compose_over(self) -> ComposeResult:
        """The line to type in."""
        yield self._input

    def on_mount(self) -> None:
        """Show everything."""
        self._list.show(self._rows, go_to=self._at)
        self._list.styles.height = len(self._rows) + 1  # whoever types does not want it to jump
        self._input.focus()

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        found = self.found(event.value.strip())
        self._list.show(found, go_to=next((row.id for row in found if not row.inert), None))

    def exchange(self, rows: Sequence[Row]) -> None:
        """Other rows in the place of those, of which more is known now; the cursor stays."""
        self._rows = rows
        self._list.show(self.found(self._input.value.strip()))

    def found(self, wanted: str) -> Sequence[Row]:
        """The rows that ``wanted`` stands in, and those that stand for what was typed."""
        needle = wanted.casefold()
        found = [row for row in self._rows if needle in row.text.casefold() and not (row.inert and needle)]
        if wanted:
            there = {row.id.casefold() for row in self._rows}  # a new one beside it would be a slip
            found += [row for row in self._typed(wanted) if row.id.casefold() not in there]
        return found

    @on(Input.Submitted)
    def _choose(self) -> None:
        row = self._list.row
        if row is not None and row.inert:
            self.app.notify(row.text, severity="warning", markup=False)
        elif row is not None:
            self.dismiss(row.id)

    def on_entry_list_opened(self, message: EntryList.Opened) -> None:
        """A double click chooses."""
        self.dismiss(message.row.id)


_KEY = 4


class LookScreen(ReadDialog[str]):
    """Ends with the id of an action, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("full_stop", "leave"),
        ("enter", "choose"),
    ]

    def __init__(self, actions: Sequence[Action], context: Context) -> None:
        keys = words("a key shows the change · esc leaves")
        super().__init__(EntryList(id="actions"), "look", words("Preview which action?"), keys)
        self._actions = actions
        self._asked_in = context

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
