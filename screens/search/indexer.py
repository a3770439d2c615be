"""Bringing the index up to date in a process of its own, one run at a time, the last wish kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from screens.actions.active import key_for
from screens.drawing.safe_text import Shown, row_text, words
from screens.jobs.progress import Stage
from screens.jobs.worker_client import TaskFailedError, WorkerClient
from screens.search.events import IndexChanged
from workbench.errors import BusyError, StoppedError
from workbench.workspace.workspace import Workspace


class Indexer:
    """Runs the task ``reindex`` and publishes its progress as ``IndexChanged``."""

    def __init__(self, workspace: Workspace, publish: Callable[[object], None]) -> None:
        self._workspace = workspace
        self._publish = publish
        self._client: WorkerClient | None = None
        self._searchable = False
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
        if self._client is not None:
            await self._client.stop(_GRACE_SECONDS)

    async def _once(self) -> None:
        after = f"what is indexed stays, {key_for('reindex')} goes on"
        client = self._client = WorkerClient(
            "reindex", self._workspace.root, progress=self._moved, after=after
        )
        client.stopped = self._stopped
        self._searchable = False
        problem = ""
        try:
            await client.run()
        except StoppedError:
            self._say_stopped()
            return
        except TaskFailedError as error:
            if error.code == BusyError.code:  # somebody else is at it: look again when they may be done
                await self._wait_for_other()
                return
            problem = f"{error}; {after}" if error.hint.endswith(after) else str(error)
        except OSError as error:
            problem = str(error.strerror or error)
        self._publish(IndexChanged(text=None, searchable=not problem, problem=problem))

    async def _wait_for_other(self) -> None:
        told = words("indexing: another process is running")
        self._publish(IndexChanged(text=told, searchable=self._searchable))
        self._again = True
        await asyncio.sleep(_BUSY_SECONDS)
        if self._stopped:
            self._say_stopped()

    def _moved(self, stage: Stage) -> None:
        self._searchable = self._searchable or stage.phase in _SEARCHABLE
        stage = replace(stage, phase=_NAMES.get(stage.phase, stage.phase))
        self._publish(IndexChanged(text=stage_text(stage), searchable=self._searchable, stage=stage))

    def _say_stopped(self) -> None:
        problem = f"stopped; {key_for('reindex')} goes on"
        self._publish(IndexChanged(text=None, searchable=False, problem=problem))


_SEARCHABLE = frozenset({"prepare", "embed"})
"""Phases that come after the words are in."""
_BUSY_SECONDS = 3.0
_GRACE_SECONDS = 1.0
_NAMES = {"scan": "scanning", "prepare": "preparing the model", "embed": "embedding"}


def stage_text(stage: Stage) -> Shown:
    """The stage in few words, for a line that has no room for a bar."""
    if stage.total <= 1:
        return row_text(f"indexing: {stage.phase}")
    return row_text(f"indexing: {stage.phase} {stage.done * 100 // stage.total} %")
