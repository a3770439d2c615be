"""How the workspace stands: what waits for a decision, what git says, whether the scheduled jobs are well."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from screens.actions.active import key_for
from screens.actions.registry import SCREEN_NAMES
from screens.drawing.clock import now
from screens.drawing.safe_text import RowPart, Shown, age, grouped, plural, row_text, words
from screens.loading.snapshots import MemoryView, WorkspaceStatus
from workbench.errors import WorkbenchError
from workbench.workspace.external_changes import checkout
from workbench.workspace.layout import STATE_DIR, MemoryFile
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


class Overseeing:
    """Looks now and then, off the event loop, and publishes a ``WorkspaceStatus``."""

    def __init__(self, screen: MainScreen, root: Path) -> None:
        self._screen = screen
        self._root = root
        self.status = WorkspaceStatus()
        self._git: tuple[tuple[int, int], ...] = ()
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
        self._screen.curating.warn("jobs", jobs_line(status.jobs))
        self._screen.show_hints()
        self.tell_facts()

    def show_waiting(self, *, typing: bool) -> None:
        """Say what waits on the other screens, and their keys where those are no text."""
        memory, conflicts = self._screen.memory_view, self._screen.curating.conflicts
        wrong = len(self.status.jobs) + bool(conflicts) + (memory.used > memory.limit)
        waits = {"review": self.status.inbox, "health": wrong}
        counts = {at: str(waits[name]) for at, name in enumerate(SCREEN_NAMES) if waits.get(name)}
        self._screen.strip.show(-1, counts, () if typing else map(key_for, SCREEN_NAMES))

    def tell_facts(self) -> None:
        """Say in the title how much memory there is, and how it stands."""
        screen = self._screen
        memory = screen.memory_view
        budget = budget_fact(memory) if memory.limit and screen.files else None
        facts = header_facts(screen.files.values(), budget, self.status, screen.logs.today())
        screen.title_line.tell(facts, budget)

    async def _follow_git(self) -> None:
        """Another program may have made a commit, or changed the branch."""
        if self._git != await self._screen.opening.desk.historian.run(git_state):
            self.look()

    async def _read(self) -> None:
        await asyncio.sleep(_REST_SECONDS)
        read = self._screen.opening.desk.historian.run
        self._git = await read(git_state)
        self._screen.model.publish(await read(lambda workspace: read_status(workspace, self._root)))


def git_state(workspace: Workspace) -> tuple[tuple[int, int], ...]:
    """Changes whenever git makes a commit or another branch the current one; empty where there is no git."""
    try:
        folder = workspace.history.git_dir
        states = [os.stat(folder / name) for name in _GIT_FILES if (folder / name).exists()]
    except (WorkbenchError, OSError):
        return ()
    return tuple((state.st_ino, state.st_mtime_ns) for state in states)


def read_status(workspace: Workspace, root: Path) -> WorkspaceStatus:
    """How ``workspace`` stands, whose own files are in ``root``; what cannot be read counts nothing."""
    from indexing.sync.generations import Generations  # noqa: PLC0415 - not before the first paint
    from workbench.dreaming.proposals.inbox import overview  # noqa: PLC0415
    from workbench.jobs import runs  # noqa: PLC0415
    from workbench.jobs.runs import standings  # noqa: PLC0415

    status = WorkspaceStatus(jobs=tuple(one for one in standings(root / STATE_DIR, runs.now()) if one.wrong))
    with contextlib.suppress(WorkbenchError, OSError):  # the banner says what is wrong
        generation = Generations(root / STATE_DIR).current()
        manifest = generation.manifest() if generation else None
        branch, unsaved = checkout(workspace)
        entries = manifest.entries if manifest else 0
        status = replace(status, entries=entries, branch=row_text(branch), unsaved=unsaved)
        seen = overview(workspace, now())
        made = [one.made_at for one in seen.proposals if one.run and one.made_at]
        waits = sum(not one.stale for one in seen.waits)
        status = replace(status, inbox=waits, dreamt=max(made).date() if made else None)
    return status


def jobs_line(wrong: Sequence[JobStatus]) -> Shown:
    """The banner: the first of them, how many more, and where all is told; nothing while all are well."""
    if not wrong:
        return Shown("")
    first, more = wrong[0].sentence, f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    where = f"{key_for('health')} shows how to fix it, and `workbench jobs status`"
    return row_text(f"{first[:1].upper()}{first[1:]}{more}: {where}")


def budget_fact(memory: MemoryView) -> RowPart:
    """How full long-term memory is; a share of several hundred percent is said in times."""
    full = memory.used / memory.limit
    said = (
        f"{full:.0%} of budget".replace("%", " %") if full < _TIMES_FROM else f"{full:.1f} times its budget"
    )
    return RowPart(words(said), "warn" if full > 1 else "muted")


def header_facts(
    files: Iterable[MemoryFile], budget: RowPart | None, status: WorkspaceStatus, today: date
) -> list[RowPart]:
    """How much memory there is, what of it is in no commit, and when a dream made a page of it last."""
    kinds = [file.kind for file in files]
    facts = [RowPart(plural(len(kinds), "file"))] if kinds else []
    if status.entries:
        facts.append(RowPart(plural(status.entries, "entry", "entries")))
    if budget:
        facts.append(budget)
    if status.branch:
        facts.append(RowPart(row_text(status.branch)))
    if status.unsaved:
        facts.append(RowPart(words(f"{grouped(status.unsaved)} uncommitted"), "warn"))
    if status.dreamt:
        facts.append(RowPart(words(f"dream {age(status.dreamt, today)}")))
    return facts
