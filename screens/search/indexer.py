"""Bringing the index up to date in a process of its own, one run at a time, the last wish kept."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import Process
from collections.abc import Callable
from dataclasses import replace

from textual.message import Message

from screens.actions.active import key_for
from screens.drawing.safe_text import Shown, row_text, words
from screens.jobs.progress import Meter, Stage
from screens.main.messages import IndexProgress
from screens.search import worker_process
from workbench.errors import BusyError
from workbench.workspace.exit_status import ended, killed_by
from workbench.workspace.workspace import Workspace

MODULE = "indexing.sync.worker"


class Indexer:
    """Runs ``indexing.sync.worker`` and reports its progress as ``IndexProgress``."""

    def __init__(self, workspace: Workspace, post: Callable[[Message], object]) -> None:
        self._workspace = workspace
        self._post = post
        self._child: Process | None = None
        self.running = False
        self._again = self._stopped = False

    def wish(self) -> bool:
        """Ask for a run; False when one is under way, which is then followed by another."""
        if self.running:
            self._again = True
            return False
        self.running, self._stopped = True, False
        return True

    async def run(self) -> None:
        """Run until no wish is left."""
        try:
            while True:
                self._again = False
                await self._once()
                if not self._again or self._stopped:
                    return
        finally:
            self.running = False

    async def stop(self) -> None:
        """End the run, and forget what was wished since; what it has stored stays, and the next goes on."""
        self._again, self._stopped = False, self.running
        await worker_process.stop(self._child)

    async def close(self) -> None:
        """The interface ends."""
        await self.stop()

    async def _once(self) -> None:
        try:
            root = self._workspace.root
            child = self._child = await worker_process.start(MODULE, root, with_input=False)
        except OSError as error:
            self._post(IndexProgress(None, searchable=False, problem=str(error.strerror)))
            return
        assert child.stdout is not None
        if self._stopped:
            await worker_process.stop(child)
        meter = Meter()
        problem, searchable = "", False
        while line := await child.stdout.readline():
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if not isinstance(said, dict):
                continue
            if said.get("event") == "error":
                problem = str(said.get("message", "unknown"))
            searchable = searchable or said.get("phase") in _SEARCHABLE
            if stage := meter.read(said):
                stage = replace(stage, phase=_NAMES.get(stage.phase, stage.phase))
                self._post(IndexProgress(stage_text(stage), searchable=searchable, stage=stage))
        status = await child.wait()
        if self._stopped:
            self._say_stopped()
            return
        if status == BusyError.exit_code:  # somebody else is at it: look again when they may be done
            self._post(IndexProgress(words("indexing: another process is at it"), searchable=searchable))
            self._again = True
            await asyncio.sleep(_BUSY_SECONDS)
            if self._stopped:
                self._say_stopped()
            return
        if status and not problem:
            problem = f"indexing {ended(status)}"
            if killed_by(status):
                problem += f"; what is indexed stays, {key_for('reindex')} goes on"
        self._post(IndexProgress(None, searchable=status == 0, problem=problem))

    def _say_stopped(self) -> None:
        problem = f"stopped; {key_for('reindex')} goes on"
        self._post(IndexProgress(None, searchable=False, problem=problem))


_SEARCHABLE = frozenset({"prepare", "embed", "store"})
"""Phases that come after the words are in."""
_BUSY_SECONDS = 3.0
_NAMES = {"scan": "looking", "prepare": "preparing the model", "embed": "meaning", "store": "storing"}


def stage_text(stage: Stage) -> Shown:
    """The stage in few words, for a line that has no room for a bar."""
    if stage.total <= 1:
        return row_text(f"indexing: {stage.phase}")
    return row_text(f"indexing: {stage.phase} {stage.done * 100 // stage.total} %")
