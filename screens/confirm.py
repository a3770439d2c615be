"""Showing an action on many entries, with its diff, before it is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from screens.actions import Context, Place, bindings, hints
from screens.rows import Part, Row, Tone
from screens.shown import line_text, plural, row_text, words
from screens.widgets.entry_list import EntryList
from screens.widgets.lines import HintLine
from workbench.workspace.plan import Plan

_MAX_LINES = 5_000


class ConfirmScreen(ModalScreen[bool]):
    """The list of entries and the diff; yes or no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(Place.CONFIRM),
        ("down,j", "move(1)"),
        ("up,k", "move(-1)"),
        ("pagedown,ctrl+d", "move(12)"),
        ("pageup,ctrl+u", "move(-12)"),
    ]  # fmt: skip

    def __init__(self, plan: Plan, targets: Sequence[Row]) -> None:
        super().__init__()
        self._plan = plan
        self._targets = targets
        self._list = EntryList(id="diff")
        self._hints = HintLine()

    def compose(self) -> ComposeResult:
        """A frame with the diff and the two keys."""
        with Vertical(id="confirm") as frame:
            count = plural(len(self._plan.entries), "entry", "entries")
            frame.border_title = Content(f"{self._plan.action.capitalize()} {count}?")
            yield self._list
            yield self._hints

    def on_mount(self) -> None:
        """Show the diff."""
        self._list.show(plan_rows(self._plan, self._targets))
        self._list.focus()
        self._hints.show(hints(Context(place=Place.CONFIRM)))

    def action_perform(self, action_id: str, _key: str) -> None:
        """Yes or no."""
        self.dismiss(action_id == "confirm")

    def action_move(self, steps: int) -> None:
        """Look further down, or up."""
        self._list.move(steps)


def plan_rows(plan: Plan, targets: Sequence[Row]) -> list[Row]:
    """The entries with their places, then the diff, coloured by its signs."""
    rows = [
        Row(
            f"target:{number}",
            row.text,
            tail=(Part(row_text(f"{row.path}:{row.line}"), "faint"),),
            emphasis=row.emphasis,
        )
        for number, row in enumerate(targets)
    ]
    rows.append(Row("gap", words(""), inert=True))
    for number, line in enumerate(plan.diff().split("\n")[:_MAX_LINES]):
        rows.append(Row(f"line:{number}", line_text(line), tone=_tone(line)))
    return rows


def _tone(line: str) -> Tone:
    if line.startswith(("+++", "---")):
        return "head"
    if line.startswith("@@"):
        return "faint"
    if line.startswith("+"):
        return "good"
    return "bad" if line.startswith("-") else "muted"
