"""What was done to memory: read beside the actions, never in their way.

It has a thread and a view of the repository of its own, so that reading a long history does not keep a
promotion waiting.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date, datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TypeVar

from screens.drawing.clock import today as this_day
from screens.drawing.safe_text import Shown, age, row_text
from screens.loading.reader import WorkThread
from screens.loading.store import path_of
from workbench.errors import WorkbenchError
from workbench.workspace.revisions import local_day
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

DEPTH = 200
"""How many of the newest operations are looked through for those on a whole page."""
_LINES = 8
_REMEMBERED = 256
_NEAR_DAYS = 300
"""Days from which on the month alone would be taken for another year's."""
T = TypeVar("T")


def day_shown(workspace: Workspace) -> Callable[[], date]:
    """Answers the day from which ages count: that of the moment, else today."""
    if not isinstance(workspace, PastWorkspace):
        return this_day
    day = local_day(workspace.history.commit(workspace.commit).when)
    return lambda: day


class Historian:
    """Answers what was done to an entry; runs other readings of the history."""

    def __init__(self, root: Path, today: Callable[[], date] = this_day) -> None:
        """Ages count from ``today``."""
        self._root = root
        self._today = today
        self._thread = WorkThread("history")
        self._workspace: Workspace | None = None
        self._told = lru_cache(_REMEMBERED)(self._tell)

    async def run(self, work: Callable[[Workspace], T]) -> T:
        """``work`` done in this thread, on its own view of the workspace; cancelled after the end."""
        return await self._thread.run(lambda: work(self._opened()))

    async def lines(self, address: str) -> tuple[Shown, ...]:
        """What was done to the entry at ``address``, newest first; nothing where there is no history."""

        def read(workspace: Workspace) -> tuple[Shown, ...]:
            return self._told(address, workspace.history.head(), _touched(self._root / path_of(address)))

        try:
            return await self.run(read)
        except (WorkbenchError, OSError):
            return ()

    def close(self) -> None:
        """Stop, in the middle of a reading too, and end git's helper process."""
        if (workspace := self._workspace) is not None:
            workspace.stop_reading()
        self._thread.close(wait=True)
        if workspace is not None:
            workspace.close()

    def _opened(self) -> Workspace:
        if self._workspace is None:
            self._workspace = Workspace.open(self._root, anyhow=True)
        return self._workspace

    def _tell(self, address: str, head: str | None, touched: int) -> tuple[Shown, ...]:
        """The newest steps, remembered for as long as neither the branch nor the file moves on."""
        return (entry_lines if "#" in address else page_lines)(self._opened(), address, self._today())


def entry_lines(workspace: Workspace, address: str, today: date) -> tuple[Shown, ...]:
    """The life of an entry, followed through moves, promotions and merges, newest first."""
    from workbench.history.lineage import lineage  # noqa: PLC0415 - not before the first paint

    steps = lineage(workspace, address)
    lines = [
        history_line(step.deed.when, step.deed.summary if step.deed.ours else f"{step.what}: {step.text}",
                     step.deed.actor, today, step.deed.reason)
        for step in steps[:_LINES]
    ]  # fmt: skip
    if len(steps) > _LINES:
        lines.append(row_text(f"        … and {len(steps) - _LINES} older"))
    return tuple(lines)


def page_lines(workspace: Workspace, path: str, today: date) -> tuple[Shown, ...]:
    """What was done to a whole page lately, newest first."""
    newest = islice(workspace.operations.walk(path=path_of(path)), DEPTH)
    touched = (operation for operation in newest if path in operation.paths)
    return tuple(
        history_line(
            operation.when,
            operation.summary + (" (undone)" if operation.undone else ""),
            operation.actor,
            today,
        )
        for operation in islice(touched, _LINES)
    )


def history_line(when: datetime | None, what: str, who: str, today: date, why: str = "") -> Shown:
    """One step in a line: how long ago, what, by whom; a reason stands early, where it is not cut off."""
    if why:
        verb, _, about = what.partition(": ")
        what = f"{verb} ({why}): {about}"
    return row_text(f"{ago(when, today):>6}  {what} · {who}")


def ago(when: datetime | None, today: date | None = None) -> Shown:
    """How long ago a moment was; ``now`` for what no commit holds yet."""
    if when is None:
        return Shown("now")
    return age(when.astimezone().date(), today or this_day())


def day_or_time(when: datetime | None) -> Shown:
    """When something was done: the time of today, else the day; ``now`` for what no commit holds yet.

    As ``15:13``, ``9 Mar``, ``2024-03``: never wider than seven cells.
    """
    if when is None:
        return Shown("now")
    local, today = when.astimezone(), this_day()
    if local.date() == today:
        return Shown(f"{local:%H:%M}")
    near = abs((today - local.date()).days) < _NEAR_DAYS
    return Shown(f"{local.day} {local:%b}" if near else f"{local:%Y-%m}")


def _touched(path: Path) -> int:
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0
