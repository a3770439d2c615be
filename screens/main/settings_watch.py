"""Settings that are changed while the interface is open: here, by an operation, or in a file by anybody."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, cast

from screens.actions.active import key_for
from screens.drawing.safe_text import Shown, row_text, said_of, words
from screens.loading.model import home_relative, moment_of
from workbench.config.settings import Settings, load, user_settings_path
from workbench.config.settings_report import SettingsProblem, as_far_as_read
from workbench.errors import WorkbenchError
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
        self._busy = False
        self._wrong = False
        """Whether a file was wrong when it was read last."""

    def begin(self) -> None:
        """Look from now on; memory of another moment goes by the settings that it was opened with."""
        self._screen.curating.warn("settings", misread_line(self._workspace.misread, "its default is used"))
        if not moment_of(self._workspace):
            self._screen.set_interval(_LOOK_SECONDS, self._look)

    def _look(self) -> None:
        if not self._screen.travelling.away and not self._busy:  # who comes home finds them
            self._busy = True
            self._screen.work(self._follow_once, "settings")

    async def _follow_once(self) -> None:
        """One look at a time, each to its end: half of a change would be lost to the next look."""
        try:
            await self._follow()
        finally:
            self._busy = False

    async def _follow(self) -> None:
        stamps = await asyncio.to_thread(lambda: list(map(_stamp, self._files)))
        if stamps == self._seen:
            return
        try:
            fresh = await asyncio.to_thread(load, self._files[1])
        except WorkbenchError as error:
            wrong = (await asyncio.to_thread(as_far_as_read, self._files[1]))[1]
            counts = "its default is used" if self._workspace.misread else "the previous value is used"
            self._screen.curating.warn("settings", misread_line(wrong, counts))
            if self._seen and not self._workspace.misread:
                self._say_wrong(error)
            self._wrong, self._seen = True, stamps
            return
        if fresh != self._workspace.settings or self._workspace.misread or self._wrong:
            await self._take_up(fresh)
        self._seen = stamps

    async def _take_up(self, fresh: Settings) -> None:
        screen, before = self._screen, self._workspace.settings
        changed = [one.name for one in fields(fresh) if getattr(fresh, one.name) != getattr(before, one.name)]
        mended = self._wrong or bool(self._workspace.misread)
        self._wrong = False
        self._workspace.go_by(fresh)
        screen.curating.warn("settings", words(""))
        await screen.opening.desk.historian.run(lambda place: place.go_by(fresh))
        if mended or set(changed) - _NOT_FOR_SEARCH:
            screen.following.settings_changed()
        if "theme" in changed:
            cast("WorkbenchApp", screen.app).theming.follow_settings()
        screen.reading.anew()
        screen.refresh_files()
        screen.opening.reload()
        if getattr(screen.app.screen, "LEAVES", "") != "settings":  # where it is changed, it is said
            said = _named(changed) if changed else "all of them are valid again"
            screen.say(row_text(f"Settings reloaded: {said}"))

    def _say_wrong(self, error: WorkbenchError) -> None:
        text = row_text(". ".join(said_of(error)))
        self._screen.say(text, title=words("The previous settings stay in use"), severity="warning")


def _stamp(path: os.PathLike[str]) -> _Stamp:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def misread_line(wrong: Sequence[SettingsProblem], counts: str) -> Shown:
    """The banner: the first thing that is wrong, where, what counts instead, and what to do; or nothing."""
    if not wrong:
        return Shown("")
    first = wrong[0]
    place = home_relative(first.path) + (f":{first.line}" if first.line else "")
    more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    hint = f" ({first.hint})" if first.hint else ""
    do = f"correct it in any editor, it applies at once; {key_for('settings')} shows all settings"
    return row_text(f"{place}: {first.text}{more}{hint} · until then {counts} · {do}")


def _named(changed: list[str]) -> str:
    rest = f" and {len(changed) - _NAMED} more" if len(changed) > _NAMED else ""
    return ", ".join(changed[:_NAMED]) + rest
