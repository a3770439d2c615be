"""A backup made from the interface: what `workbench backup` does, in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.worker import Worker

from screens.actions.active import key_for
from screens.drawing.rows import RowPart
from screens.drawing.safe_text import Shown, grouped, plural, row_text, said_of, words
from screens.frames.services import Desk
from screens.jobs.path_prompt import PathScreen, absolute
from screens.jobs.running_jobs import WorkerJob
from workbench.backup.bundles import remembered
from workbench.errors import StoppedError, WorkbenchError

if TYPE_CHECKING:
    from textual.app import App


class BackupJob(WorkerJob):
    """Makes backups, one at a time; a backup that is not whole is none."""

    TASK = "backup"
    NAME = "Backing up"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.workspace.root, desk.works)
        self._desk = desk

    def begin(self, app: App[None], *, elsewhere: bool = False) -> None:
        """Make one where the last one is; where there is none, or ``elsewhere``, ask for a place first."""
        self._work(app, partial(self._begin, app, elsewhere))

    async def _begin(self, app: App[None], elsewhere: bool) -> None:
        last = None if elsewhere else await self._desk.historian.run(remembered)
        if last is not None:
            await self._run("")
            return

        def answered(text: str | None) -> None:
            if text:
                self._work(app, partial(self._run, text))

        title = words("Back up to: a folder on another disk, a .bundle file, or a git remote")
        app.push_screen(PathScreen(title, "/media/disk/memory", partial(judged, self._root)), answered)

    async def _run(self, target: str) -> None:
        if self.running:
            return
        after = f"what was begun counts as none, the backup before does; {key_for('back_up')} makes one anew"
        try:
            said = await self.run_task({"target": os.path.expanduser(target)}, after=after)
        except StoppedError:
            self._desk.say(words("The backup was stopped; the previous one is kept"), "warning")
        except (WorkbenchError, OSError) as error:
            self._desk.say(row_text(f"No backup: {' · '.join(said_of(error))}"), "warning")
        else:
            self._desk.say(made(said), "information")
            self._desk.changed()

    def _work(self, app: App[None], work: partial[Any]) -> None:
        _: Worker[None] = app.run_worker(work, group=self.TASK, exit_on_error=False)


def backup_job_of(desk: Desk) -> BackupJob:
    """The one of this interface."""
    kept = desk.kept.setdefault(BackupJob.TASK, BackupJob(desk))
    assert isinstance(kept, BackupJob)
    return kept


def judged(root: Path, text: str) -> RowPart:
    """What a place for a backup is, in words; of the tone ``bad`` where it can be none."""
    if not text:
        return RowPart(words("another disk keeps it when this one fails"), "muted")
    if "://" in text or ("@" in text and ":" in text):
        return RowPart(words("a git remote: enter sends what is new there"), "good")
    path = absolute(text, Path("/"))
    bad = ""
    if path == root or root in path.parents:
        bad = "this is inside the memory: it would be lost together with it"
    elif path.suffix != ".bundle" and path.exists() and not path.is_dir():
        bad = "this is a file: name a folder, or a file that ends in .bundle"
    if bad:
        return RowPart(words(bad), "bad")
    if path.suffix == ".bundle":
        return RowPart(words("one file that holds everything"), "good")
    there = "a folder: enter adds what is new since the last backup there"
    return RowPart(
        words(there if path.is_dir() else "a folder that is made, or a remote of this repository"), "good"
    )


def made(said: Mapping[str, Any]) -> Shown:
    """What was made, and how it was proven."""
    target, wrote = str(said.get("target")), str(said.get("wrote"))
    if not wrote:
        return row_text(f"Nothing is new: {target} holds everything")
    lines = [f"Backed up to {target}" + (f" ({wrote})" if wrote != "sent" else "")]
    if isinstance(compared := said.get("compared"), int):
        lines.append(f"restored and compared: {grouped(compared)} files are the same")
    if recorded := said.get("recorded"):
        files = plural(recorded, "file") if isinstance(recorded, int) else f"{recorded} files"
        lines.append(f"recorded {files} first")
    return Shown("\n".join(row_text(line) for line in (*lines, *map(str, said.get("notes") or ()))))
