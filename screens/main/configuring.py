"""Settings that are changed while the interface is open: here, by an operation, or in a file by anybody."""

from __future__ import annotations

import asyncio
import os
from dataclasses import fields
from typing import TYPE_CHECKING, cast

from screens.drawing.shown import row_text, words
from screens.reading.moment import moment_of
from workbench.errors import WorkbenchError
from workbench.settings import Settings, load, user_settings_path
from workbench.workspace.layout import SETTINGS_FILE
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.app import WorkbenchApp
    from screens.main.screen import MainScreen

_LOOK_SECONDS = 1.0
"""How often the two files are looked at."""
_NOT_FOR_SEARCH = frozenset({"theme", "memory_budget"})
"""What no engine goes by."""
_NAMED = 3
_Stamp = tuple[int, int, int] | None


class Configuring:
    """Takes up the settings of the person's own file and of the workspace's as soon as either changes."""

    def __init__(self, screen: MainScreen, workspace: Workspace) -> None:
        self._screen = screen
        self._workspace = workspace
        self._files = (user_settings_path(), workspace.root / SETTINGS_FILE)
        self._seen: list[_Stamp] = []

    def begin(self) -> None:
        """Look from now on; memory of another moment goes by the settings that it was opened with."""
        if not moment_of(self._workspace):
            self._screen.set_interval(_LOOK_SECONDS, self._look)

    def _look(self) -> None:
        if not self._screen.travelling.away:  # who comes home finds them
            self._screen.work(self._follow, "settings", exclusive=True)

    async def _follow(self) -> None:
        stamps = await asyncio.to_thread(lambda: list(map(_stamp, self._files)))
        if stamps == self._seen:
            return
        try:
            fresh = await asyncio.to_thread(load, self._files[1])
        except WorkbenchError as error:
            if self._seen:  # a file that cannot be read at the start is told of where it is opened
                self._say_wrong(error)
            self._seen = stamps
            return
        if fresh != self._workspace.settings:
            await self._take_up(fresh)
        self._seen = stamps

    async def _take_up(self, fresh: Settings) -> None:
        screen, before = self._screen, self._workspace.settings
        changed = [one.name for one in fields(fresh) if getattr(fresh, one.name) != getattr(before, one.name)]
        self._workspace.go_by(fresh)
        await screen.opening.desk.historian.run(lambda place: place.go_by(fresh))
        if set(changed) - _NOT_FOR_SEARCH:
            screen.following.settings_changed()
        if "theme" in changed:
            cast("WorkbenchApp", screen.app).theming.follow_settings()
        screen.reading.anew()
        screen.refresh_files()
        screen.opening.done()
        if getattr(screen.app.screen, "LEAVES", "") != "settings":  # where it is changed, it is said
            screen.say(row_text(f"Settings taken up: {_named(changed)}"))

    def _say_wrong(self, error: WorkbenchError) -> None:
        text = f"{error.message}. {error.hint}" if error.hint else error.message
        self._screen.say(
            row_text(text), title=words("The settings before go on counting"), severity="warning"
        )


def _stamp(path: os.PathLike[str]) -> _Stamp:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _named(changed: list[str]) -> str:
    rest = f" and {len(changed) - _NAMED} more" if len(changed) > _NAMED else ""
    return ", ".join(changed[:_NAMED]) + rest
