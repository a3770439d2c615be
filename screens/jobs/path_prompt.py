"""A path to be typed: completed with tab, looked for while it is typed, taken once it can be."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from screens.dialogs.dialog import Dialog
from screens.drawing.rows import RowPart
from screens.drawing.safe_text import Shown
from screens.widgets.parts_line import PartsLine
from screens.widgets.query_input import QueryInput

Judge = Callable[[str], RowPart]
"""What a path is, read from the disk; of the tone ``bad`` where it cannot be taken. Called in a thread."""


class PathScreen(Dialog[str]):
    """Ends with what was typed, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", priority=True),
        Binding("tab", "complete", priority=True),
    ]

    def __init__(self, title: Shown, placeholder: str, judge: Judge) -> None:
        super().__init__()
        self._title = title
        self._judge = judge
        self._input = QueryInput(placeholder=placeholder, compact=True, id="filter", select_on_focus=False)
        self._line = PartsLine("path-judged", long=True)

    def compose(self) -> ComposeResult:
        """A frame with the line, and what it means."""
        with Vertical(id="path-prompt") as frame:
            frame.border_title = Content(self._title)
            frame.border_subtitle = Content("enter · tab completes · esc leaves")
            yield self._input
            yield self._line

    def on_mount(self) -> None:
        """Ready to type."""
        self._input.focus()
        self._look(self._input.value)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        self._look(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        self._look(event.value, submitted=True)

    def action_complete(self) -> None:
        """Go on as far as there is one way only."""
        self.work(partial(self._complete, self._input.value), "complete", exclusive=True)

    def _look(self, text: str, *, submitted: bool = False) -> None:
        self.work(partial(self._look_for, text, submitted), "judge", exclusive=True)

    async def _look_for(self, text: str, submitted: bool) -> None:
        self.call_later(self._judged, text, await asyncio.to_thread(self._judge, text.strip()), submitted)

    async def _complete(self, text: str) -> None:
        self.call_later(self._completed, text, await asyncio.to_thread(completed, text))

    def _judged(self, text: str, part: RowPart, submitted: bool) -> None:
        """Say what it is; take it where it was meant to be taken and can be."""
        if text != self._input.value:
            return
        self._line.show([part])
        if submitted and part.tone != "bad":
            self.dismiss(text.strip())

    def _completed(self, text: str, whole: str) -> None:
        """Put the longer text in place of what was typed."""
        if text == self._input.value:
            self._input.value = whole
            self._input.cursor_position = len(whole)


def completed(text: str) -> str:
    """The path continued as far as all files that begin so agree; a folder ends in a slash."""
    folder, name = os.path.split(os.path.expanduser(text))
    try:
        with os.scandir(folder or ".") as entries:
            found = {
                entry.name + ("/" if entry.is_dir() else "")
                for entry in entries
                if entry.name.startswith(name) and (name or not entry.name.startswith("."))
            }
    except OSError:
        return text
    longer = os.path.commonprefix([*found]) if found else name  # noqa: RUF071 - letter by letter
    return text[: len(text) - len(name)] + longer if name else text + longer


def absolute(text: str, root: Path) -> Path:
    """The path that is meant: from here, else from the workspace's folder ``root``."""
    path = Path(os.path.expanduser(text))
    here = Path(os.path.abspath(path))
    return here if path.is_absolute() or here.exists() or not (root / path).exists() else root / path
