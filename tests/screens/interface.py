"""The interface under test: opened on a workspace, waited for, read as text."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot

from screens.app import WorkbenchApp
from screens.main.screen import MainScreen
from workbench.workspace.workspace import Workspace

PATIENCE_SECONDS = 60.0
_BETWEEN_LOOKS = 0.02  # to look all the time would take the processor from what is waited for


class Interface:
    """A running interface, the keys of whoever uses it, and what is on the screen."""

    def __init__(self, app: WorkbenchApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def main(self) -> MainScreen:
        return self.app.main

    @property
    def text(self) -> str:
        """The screen, line by line."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    @property
    def toasts(self) -> str:
        """What toasts say at present."""
        return "\n".join(f"{note.title}\n{note.message}" for note in self.app._notifications)

    @property
    def history(self) -> list[str]:
        """What the preview says was done to the entry, newest first."""
        return [line.text for line in self.main.preview.beneath.get("history", ())]

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        await self.pilot.press(*("space" if character == " " else character for character in text))

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        """Wait until ``condition`` holds; the screen is shown when it never does."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            assert time.monotonic() < deadline, f"never came true: {what}\n{self.text}\n{self.toasts}"
            await self.pilot.pause(_BETWEEN_LOOKS)

    async def until_shown(self, words: str) -> None:
        await self.until(lambda: words in self.text, f"{words!r} on the screen")

    async def until_said(self, words: str) -> None:
        await self.until(lambda: words in self.toasts, f"{words!r} in a toast")

    async def go_to(self, words: str) -> None:
        """Put the cursor of the current pane on the first row that holds ``words``."""
        rows = self.main.pane.list
        await self.until(lambda: any(words in row.text for row in rows.rows), f"a row with {words!r}")
        rows.go(next(at for at, row in enumerate(rows.rows) if words in row.text))
        await self.pilot.pause()


@asynccontextmanager
async def opened(
    workspace: Workspace, size: tuple[int, int] = (140, 40), *, engines: bool = False
) -> AsyncIterator[Interface]:
    """The interface on ``workspace``, its panes filled."""
    app = WorkbenchApp(workspace, engines=engines)
    notify = app.notify

    def notify_patiently(message: str, **options: Any) -> None:
        """A toast must not be over before a busy machine looks at it."""
        notify(message, **{**options, "timeout": 2 * PATIENCE_SECONDS})

    app.notify = notify_patiently  # type: ignore[method-assign]
    async with app.run_test(size=size, notifications=True) as pilot:
        interface = Interface(app, pilot)
        await interface.until(lambda: app.main.panes[1].list.empty != "reading …", "memory was read")
        yield interface
        if app.is_running:
            _ = interface.text  # whatever is shown can be drawn
