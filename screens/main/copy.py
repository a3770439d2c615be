"""Copying: through the terminal, which works over ssh and in tmux too, and to the desktop's clipboard."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Literal

from screens import clipboard
from screens.drawing.safe_text import Shown, grouped, plural, row_text, words

if TYPE_CHECKING:
    from textual.app import App
    from textual.worker import Worker

    from screens.main.screen import MainScreen

Severity = Literal["information", "warning"]


class Copying:
    """The commands that put text where a person can paste it from."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen

    def action_copy_entry(self) -> None:
        """The entry's text."""
        row = self._screen.here.row
        if row:
            text = row.entry.text if row.entry else row.text
            self._copy(text, plural(len(text), "character"))

    def action_copy_path(self) -> None:
        """The entry's path and line."""
        row = self._screen.here.row
        if row and row.path:
            path = f"{row.root}/{row.path}" if row.workspace else row.path
            place = f"{path}:{row.line}"
            self._copy(place, row_text(place))

    def _copy(self, text: str, what: Shown) -> None:
        copy(self._screen.app, text, what)


def copy(app: App[Any], text: str, what: Shown) -> None:
    """Copy ``text``, which is ``what`` in words, every way there is; a toast says which ways those were."""

    async def work() -> None:
        said, severity = await copied(app, text, what)
        app.notify(said, severity=severity, markup=False)

    _: Worker[None] = app.run_worker(work, group="copying", exit_on_error=False)


async def copied(app: App[Any], text: str, what: Shown) -> tuple[Shown, Severity]:
    """Copy ``text`` every way there is; what to say of it, and how severe that is."""
    app._clipboard = text.encode("utf-8", "replace").decode("utf-8")  # what ctrl+v pastes here
    request = clipboard.osc52(text)
    if request:
        through = await asyncio.to_thread(clipboard.tmux_passes)
        if app._driver is not None:
            app._driver.write(clipboard.osc52(text, through_tmux=through) if through else request)
    took = await asyncio.to_thread(clipboard.keep, text)
    return told(what, sent=bool(request), took=took, size=len(text.encode("utf-8", "replace")))


def told(what: Shown, *, sent: bool, took: list[str], size: int) -> tuple[Shown, Severity]:
    """What to say of it, and how severe that is."""
    ways = " and ".join((*(("the terminal (OSC 52)",) if sent else ()), *took))
    if sent:
        return words(f"Copied {what} through {ways}"), "information"
    most, has = grouped(clipboard.OSC52_BYTES), grouped(size)
    limit = f"a terminal takes {most} bytes (OSC 52), this has {has}"
    if took:
        return words(f"Copied {what} through {ways} only: {limit}"), "warning"
    return words(f"Not copied: {limit}; enter opens the file here"), "warning"
