"""The status of the workspace, read now and then: the inbox, git, scheduled jobs, and changed settings."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from screens.actions.keys import key_for
from screens.actions.registry import SCREEN_NAMES
from screens.drawing.clock import now
from screens.drawing.safe_text import (
    RowPart,
    age,
    grouped,
    piece,
    plural,
    row_text,
    safe_piece,
    sentence,
)
from screens.loading.workspace_model import (
    MemoryView,
    Stamp,
    WorkspaceStatus,
    file_stamp,
    home_relative,
    moment_of,
)
from workbench.config.settings import Settings, load, user_settings_path
from workbench.config.settings_report import SettingsProblem, as_far_as_read
from workbench.errors import WorkbenchError
from workbench.workspace.external_changes import checkout
from workbench.workspace.layout import SETTINGS_FILE, STATE_DIR
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.main.screen import MainScreen
    from workbench.jobs.runs import JobStatus

LOOK_SECONDS = 30.0
_GIT_SECONDS = 2.0
_GIT_FILES = ("HEAD", "index", "logs/HEAD")
_REST_SECONDS = 0.5
"""A series of operations is painted before it is looked at."""

_TIMES_FROM = 2.0
"""How often its budget long-term memory must be for that to be said in times, and not in percent."""


class StatusMonitor:
    """Looks now and then, off the event loop, and publishes a ``WorkspaceStatus``."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self.status = WorkspaceStatus()
        self._git: tuple[Stamp | None, ...] = ()
        """What the files said last in which git keeps branch, commit and index."""

    def begin(self) -> None:
        """Look now, and from now on."""
        self.look()
        self._screen.set_interval(LOOK_SECONDS, self.look)
        self._screen.set_interval(
            _GIT_SECONDS, lambda: self._screen.work(self._follow_git, "git", exclusive=True)
        )

    def look(self) -> None:
        """Look once."""
        self._screen.work(self._read, "status", exclusive=True)

    def read(self, status: WorkspaceStatus) -> None:
        """Show what was read."""
        self.status = status
        self._screen.operations.warn("jobs", jobs_line(status.jobs))
        self._screen.show_hints()
        self.tell_facts()

    def show_waiting(self, *, typing: bool) -> None:
        """Say what waits on the other screens, and their keys where those are no text."""
        memory, conflicts = self._screen.memory_view, self._screen.operations.conflicts
        wrong = len(self.status.jobs) + bool(conflicts) + (memory.used > memory.limit)
        waits = {"review": self.status.inbox, "health": wrong}
        counts = {at: str(waits[name]) for at, name in enumerate(SCREEN_NAMES) if waits.get(name)}
        strip = self._screen.strip
        strip.current, strip.counts = -1, counts
        strip.keys = () if typing else tuple(map(key_for, SCREEN_NAMES))

    def tell_facts(self) -> None:
        """Say in the title how much memory there is, and how it stands."""
        screen, files = self._screen, len(self._screen.files)
        # What is known of the index, git and dreams is of today.
        status = WorkspaceStatus() if screen.ready and screen.time_travel.away else self.status
        memory = screen.memory_view
        budget = budget_fact(memory) if memory.limit and files else None
        facts = [RowPart(plural(files, "file"))] if files else []
        if status.entries:
            facts.append(RowPart(plural(status.entries, "entry")))
        if budget:
            facts.append(budget)
        if status.branch:
            facts.append(safe_piece(status.branch))
        if status.unsaved:
            facts.append(piece(f"{grouped(status.unsaved)} uncommitted", "warn"))
        if status.dreamt:
            facts.append(piece(f"dream {age(status.dreamt, screen.logs.today())}"))
        screen.title_line.facts, screen.title_line.first = facts, budget

    async def _follow_git(self) -> None:
        """Another program may have made a commit, or changed the branch."""
        if self._git != await self._screen.screen_opener.services.history_reader.run(git_state):
            self.look()

    async def _read(self) -> None:
        await asyncio.sleep(_REST_SECONDS)
        read = self._screen.screen_opener.services.history_reader.run
        self._git = await read(git_state)
        root = self._screen.workspace.today
        self._screen.model.publish(await read(lambda workspace: read_status(workspace, root)))


def git_state(workspace: Workspace) -> tuple[Stamp | None, ...]:
    """Changes whenever git makes a commit or another branch the current one; empty where there is no git."""
    try:
        folder = workspace.history.git_dir
    except (WorkbenchError, OSError):
        return ()
    return tuple(file_stamp(folder / name) for name in _GIT_FILES)


def read_status(workspace: Workspace, root: Path) -> WorkspaceStatus:
    """How ``workspace`` stands, whose own files are in ``root``; what cannot be read counts nothing."""
    from indexing.sync.generations import Generations  # noqa: PLC0415 - not before the first paint
    from workbench.dreaming.proposals.inbox import overview  # noqa: PLC0415
    from workbench.jobs import runs  # noqa: PLC0415

    jobs = runs.standings(root / STATE_DIR, runs.now())
    status = WorkspaceStatus(jobs=tuple(one for one in jobs if one.wrong))
    with contextlib.suppress(WorkbenchError, OSError):  # the banner says what is wrong
        generation = Generations(root / STATE_DIR).current()
        manifest = generation.manifest() if generation else None
        branch, unsaved = checkout(workspace)
        entries = manifest.entries if manifest else 0
        status = replace(status, entries=entries, branch=row_text(branch), unsaved=unsaved)
        seen = overview(workspace, now())
        waits = sum(not one.stale for one in seen.waits)
        dreamt = seen.dreamt_at.astimezone().date() if seen.dreamt_at else None
        status = replace(status, inbox=waits, dreamt=dreamt)
    return status


def jobs_line(wrong: Sequence[JobStatus]) -> str:
    """The banner: the first of them, how many more, and where all is told; nothing while all are well."""
    if not wrong:
        return ""
    first, more = wrong[0].sentence, f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    where = f"{key_for('health')} shows how to fix it, and `workbench jobs status`"
    return f"{sentence(first)}{more}: {where}"


def budget_fact(memory: MemoryView) -> RowPart:
    """How full long-term memory is; a share of several hundred percent is said in times."""
    full = memory.used / memory.limit
    said = (
        f"{full:.0%} of budget".replace("%", " %") if full < _TIMES_FROM else f"{full:.1f} times its budget"
    )
    return piece(said, "warn" if full > 1 else "muted")


_LOOK_SECONDS = 1.0
"""How often the two files are looked at."""
_NOT_FOR_SEARCH = frozenset({"theme", "memory_budget"})
"""What no engine goes by."""
_NAMED = 3


class SettingsWatch:
    """Takes up the settings of the person's own file and of the workspace's as soon as either changes."""

    def __init__(self, screen: MainScreen, workspace: Workspace) -> None:
        self._screen = screen
        self._workspace = workspace
        self._files = (user_settings_path(), workspace.root / SETTINGS_FILE)
        self._seen: list[Stamp | None] = []
        self._busy = False
        self._wrong = False
        """Whether a file was wrong when it was read last."""

    def begin(self) -> None:
        """Look from now on; memory of another moment goes by the settings that it was opened with."""
        self._screen.operations.warn("settings", misread_line(self._workspace.misread, "its default is used"))
        if not moment_of(self._workspace):
            self._screen.set_interval(_LOOK_SECONDS, self._look)

    def _look(self) -> None:
        if not self._screen.time_travel.away and not self._busy:  # who comes home finds them
            self._busy = True
            self._screen.work(self._follow_once, "settings")

    async def _follow_once(self) -> None:
        """One look at a time, each to its end: half of a change would be lost to the next look."""
        try:
            await self._follow()
        finally:
            self._busy = False

    async def _follow(self) -> None:
        stamps = await asyncio.to_thread(lambda: list(map(file_stamp, self._files)))
        if stamps == self._seen:
            return
        try:
            fresh = await asyncio.to_thread(load, self._files[1])
        except WorkbenchError as error:
            wrong = (await asyncio.to_thread(as_far_as_read, self._files[1]))[1]
            counts = "its default is used" if self._workspace.misread else "the previous value is used"
            self._screen.operations.warn("settings", misread_line(wrong, counts))
            if self._seen and not self._workspace.misread:
                self._screen.say_failure(error, "The previous settings stay in use")
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
        screen.operations.warn("settings", "")
        await screen.screen_opener.services.history_reader.run(lambda place: place.go_by(fresh))
        if mended or set(changed) - _NOT_FOR_SEARCH:
            screen.index_monitor.settings_changed()
        if "theme" in changed:
            screen.app.theming.follow_settings()
        screen.reader.anew()
        screen.refresh_files()
        screen.screen_opener.reload()
        if getattr(screen.app.screen, "LEAVES", "") != "settings":  # where it is changed, it is said
            said = _named(changed) if changed else "all of them are valid again"
            screen.say(f"Settings reloaded: {said}")


def misread_line(wrong: Sequence[SettingsProblem], counts: str) -> str:
    """The banner: the first thing that is wrong, where, what counts instead, and what to do; or nothing."""
    if not wrong:
        return ""
    first = wrong[0]
    place = home_relative(first.path) + (f":{first.line}" if first.line else "")
    more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    hint = f" ({first.hint})" if first.hint else ""
    do = f"correct it in any editor, it applies at once; {key_for('settings')} shows all settings"
    return f"{place}: {first.text}{more}{hint} · until then {counts} · {do}"


def _named(changed: list[str]) -> str:
    rest = f" and {len(changed) - _NAMED} more" if len(changed) > _NAMED else ""
    return ", ".join(changed[:_NAMED]) + rest
