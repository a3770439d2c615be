"""A path to be typed: completed with tab, looked for while it is typed, taken once it can be."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input
from textual.worker import Worker

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

    @dataclass
    class Judged(Message):
        """What was typed was looked for on the disk."""

        text: str
        part: RowPart
        submitted: bool

    @dataclass
    class Completed(Message):
        """How ``text`` goes on."""

        text: str
        whole: str

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
        self._work(partial(self._complete, self._input.value), "complete")

    def _look(self, text: str, *, submitted: bool = False) -> None:
        self._work(partial(self._judged, text, submitted), "judge")

    async def _judged(self, text: str, submitted: bool) -> None:
        part = await asyncio.to_thread(self._judge, text.strip())
        self.post_message(self.Judged(text, part, submitted=submitted))

    async def _complete(self, text: str) -> None:
        self.post_message(self.Completed(text, await asyncio.to_thread(completed, text)))

    def on_path_screen_judged(self, message: PathScreen.Judged) -> None:
        """Say what it is; take it where it was meant to be taken and can be."""
        if message.text != self._input.value:
            return
        self._line.show([message.part])
        if message.submitted and message.part.tone != "bad":
            self.dismiss(message.text.strip())

    def on_path_screen_completed(self, message: PathScreen.Completed) -> None:
        """Put the longer text in place of what was typed."""
        if message.text == self._input.value:
            self._input.value = message.whole
            self._input.cursor_position = len(message.whole)

    def _work(self, work: Callable[[], Coroutine[None, None, None]], group: str) -> None:
        _: Worker[None] = self.run_worker(work, group=group, exclusive=True, exit_on_error=False)


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
    longer = _common(sorted(found)) if found else name
    return text[: len(text) - len(name)] + longer if name else text + longer


def absolute(text: str, root: Path) -> Path:
    """The path that is meant: from here, else from the workspace's folder ``root``."""
    path = Path(os.path.expanduser(text))
    here = Path(os.path.abspath(path))
    return here if path.is_absolute() or here.exists() or not (root / path).exists() else root / path


def _common(names: Sequence[str]) -> str:
    """What sorted names have in common: no more than the first and the last have."""
    first, last = names[0], names[-1]
    return "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))
