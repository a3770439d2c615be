"""One line to be typed, with what is understood of it beneath."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from screens.dialogs.dialog import Dialog
from screens.drawing.rows import RowPart
from screens.drawing.safe_text import Shown, words
from screens.widgets.parts_line import PartsLine
from screens.widgets.query_input import QueryInput

Heard = Callable[[str], RowPart]
"""What is understood of what was typed; of the tone ``bad`` where it cannot be taken."""


class PromptScreen(Dialog[str]):
    """Ends with what was typed, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "leave")]

    def __init__(self, title: Shown, placeholder: str, heard: Heard, value: str = "") -> None:
        super().__init__()
        self._title = title
        self._heard = heard
        self._input = QueryInput(value, placeholder=placeholder, compact=True, id="filter")
        self._line = PartsLine("prompt-heard")

    def compose(self) -> ComposeResult:
        """A frame with the line, and what is understood."""
        with Vertical(id="prompt") as frame:
            frame.border_title = Content(self._title)
            frame.border_subtitle = Content("enter · esc leaves")
            yield self._input
            yield self._line

    def on_mount(self) -> None:
        """Ready to type."""
        self._input.focus()
        self._line.show([self._heard(self._input.value)])

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        self._line.show([self._heard(event.value)])

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        if self._heard(event.value).tone != "bad":
            self.dismiss(event.value.strip())

    def action_leave(self) -> None:
        """Nothing was asked for."""
        self.dismiss(None)


def heard_day(text: str) -> RowPart:
    """Which day is meant."""
    text = text.strip()
    if not text:
        return RowPart(words("today"), "muted")
    day = day_of(text)
    if day is None:
        return RowPart(words("no day: write it as 2026-03-14, or 2026-03 for the first of a month"), "bad")
    return RowPart(words(f"{day:%A}, {day.day} {day:%B %Y}"), "good")


def day_of(text: str) -> date | None:
    """The day that is meant by ``2026-03-14``, or by ``2026-03``; None where it is none."""
    text = text.strip()
    try:
        return date.fromisoformat(f"{text}-01" if text.count("-") == 1 else text)
    except ValueError:
        return None


def month_from(day: date, months: int) -> date:
    """The same day of another month, or the last one that it has; within the years there are."""
    at = day.year * 12 + day.month - 1 + months
    year, month = min(max(at // 12, 1), 9999), at % 12 + 1
    for last in range(day.day, 0, -1):
        try:
            return date(year, month, last)
        except ValueError:
            continue
    raise AssertionError("a month without a first day")


def heard_question(text: str) -> RowPart:
    """What can be asked."""
    if not text.strip():
        return RowPart(words("who works on Atlas? · how is Alice connected to Bob?"), "muted")
    return RowPart(words("enter asks the graph"), "muted")
