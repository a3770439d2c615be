"""The client of a worker process: starts a task, reads its progress and answer, and stops it at any time.

Parameters go to the process as one line of JSON, and it reports in lines of JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from screens.drawing.clock import now
from screens.drawing.safe_text import grouped
from screens.jobs.running_jobs import JobStage, RunningJob, RunningJobs
from workbench.errors import StoppedError, WorkbenchError
from workbench.processes import program_environment
from workbench.worker import TASKS, ended, killed_by

if TYPE_CHECKING:
    from screens.frames.overlay_screen import Services

_SHORT = 0.2
"""Seconds before which a rate would be a guess."""


class RateMeter:
    """Makes ``JobStage`` of the progress lines of a process; the rate is that of the current phase."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._phase: str | None = None
        self._since = 0.0
        self._first = 0

    def read(self, said: Mapping[str, Any]) -> JobStage | None:
        """The stage that a line tells of; None for one that tells of none."""
        phase, done, total = said.get("phase"), said.get("done", 0), said.get("total", 0)
        if not phase or not isinstance(done, int) or not isinstance(total, int):
            return None
        now = self._clock()
        if phase != self._phase:
            self._phase, self._since, self._first = phase, now, done
        seconds = now - self._since
        rate = (done - self._first) / seconds if seconds > _SHORT else 0.0
        return JobStage(str(phase), done, total, rate)


_LINE_LIMIT = 1 << 24
_INSIST_SECONDS = 1.0
GRACE_SECONDS = 10.0
"""What writes memory is let come to the end of what it has begun, when it is asked to stop."""

_SHORT_OF_MEMORY = "the system does this when it runs out of memory"
_COMMANDS = ("dream", "backup", "ingest", "reindex")
"""Tasks that are also a command of the same name."""


class TaskFailedError(WorkbenchError):
    """A task failed with this message; ``code`` is that of its error."""

    def __init__(self, message: str, *, hint: str = "", code: str = WorkbenchError.code) -> None:
        super().__init__(message, hint=hint)
        self.code = code


class WorkerClient:
    """Runs one task of ``workbench.worker`` on the workspace at ``root``."""

    def __init__(
        self,
        task: str,
        root: Path,
        *,
        progress: Callable[[JobStage], None] | None = None,
        event: Callable[[Mapping[str, Any]], None] | None = None,
        after: str = "",
    ) -> None:
        """``progress`` hears each stage, and ``event`` what else the task says before its end.

        ``after`` says what is left of it when it is killed, and how to go on.
        """
        self._task = task
        self._root = root
        self._what = TASKS[task].what
        self._progress = progress
        self._event = event
        self.after = after
        self._reached: JobStage | None = None
        self.reached_when_killed = ""
        """How far it was when it was stopped and ended without an answer; empty where it had done nothing."""
        self.child: Process | None = None
        self.stopped = False

    async def run(self, parameters: Mapping[str, object] | None = None) -> Mapping[str, Any]:
        """Do it, and what came of it. Raises StoppedError, TaskFailedError, OSError."""
        child = self.child = await start(self._task, self._root, parameters or {})
        try:
            assert child.stdin is not None
            child.stdin.close()
            if self.stopped:
                raise StoppedError(self._what)
            said = await self._answer(child)
            if said is None:
                raise self._ended(await child.wait())
            if said["event"] == "done":
                return said
            raise self._error(said)
        except ValueError as error:  # a line that is too long
            raise TaskFailedError(str(error)) from error
        finally:
            await stop(child)

    async def _answer(self, child: Process) -> Mapping[str, Any] | None:
        """The last word of the process; None where it ended without one."""
        meter = RateMeter()
        assert child.stdout is not None
        while line := await child.stdout.readline():
            said = event(line)
            if said.get("event") in ("done", "error"):
                return said
            if said.get("event") != "progress":
                if said and self._event is not None:
                    self._event(said)
            elif (stage := meter.read(said)) is not None:
                self._reached = stage
                if self._progress is not None:
                    self._progress(stage)
        return None

    async def stop(self, grace: float = GRACE_SECONDS) -> None:
        """End it: what it has done stays, and ``run`` says what that is, or raises StoppedError."""
        self.stopped = True
        await stop(self.child, grace)

    def _error(self, said: Mapping[str, Any]) -> WorkbenchError:
        code = str(said.get("code"))
        if self.stopped and code == StoppedError.code:
            return StoppedError(self._what)
        # One that somebody else asked to stop has heeded that, and what stays is the same as after a kill.
        hint = self.after if code == StoppedError.code else str(said.get("hint") or "")
        return TaskFailedError(str(said.get("message")), hint=hint, code=code)

    def _ended(self, status: int) -> WorkbenchError:
        """Why there is no answer. What was killed has no more to say, what failed says it as a command."""
        if self.stopped:
            self.reached_when_killed = self._counted if killed_by(status) else ""
            return StoppedError(self._what)
        said = f"{self._what} {ended(status)}"
        if not killed_by(status):
            hint = f"`workbench {self._task}` shows more" if self._task in _COMMANDS else ""
            return TaskFailedError(said, hint=hint)
        if self._counted:
            said = f"{said} with {self._counted}"
        short = _SHORT_OF_MEMORY if status == -signal.SIGKILL else ""
        return TaskFailedError(said, hint="; ".join(filter(None, (short, self.after))))

    @property
    def _counted(self) -> str:
        """How many are done, ``19 of 40 done (transcripts)``; empty where none is."""
        stage = self._reached
        if stage is None or not stage.done:
            return ""
        return f"{grouped(stage.done)} of {grouped(stage.total)} done ({stage.phase})"


def event(line: bytes) -> Mapping[str, Any]:
    """What the process says; nothing for a line that a library of it says by itself."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def program(task: str) -> list[str]:
    """The arguments of Python that do ``task``."""
    return ["-m", "workbench.worker", task]


async def start(task: str, root: Path, parameters: Mapping[str, object]) -> Process:
    """A process that does ``task``, with its parameters written.

    ``-P`` keeps the current folder, which may be the workspace, from being searched for modules.
    """
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        *program(task),
        os.fspath(root),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        limit=_LINE_LIMIT,
        env=program_environment(),
        start_new_session=True,
    )
    assert child.stdin is not None
    child.stdin.write(json.dumps({**parameters, "now": now().isoformat()}).encode() + b"\n")
    return child


async def stop(process: Process | None, grace: float = _INSIST_SECONDS) -> None:
    """End a child: ask, wait for ``grace`` seconds, then insist."""
    if process is None or process.returncode is not None:
        return
    # Not process.terminate(): it polls, and so takes the exit status away from asyncio's own watcher.
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), grace)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        await process.wait()


_LEAVING_SECONDS = 2.0


class WorkerJob:
    """A task of ``workbench.worker`` that a person starts: one run at a time, wherever they look."""

    TASK: ClassVar[str]
    NAME: ClassVar[str]
    """What is done, as it is shown."""
    GRACE: ClassVar[float] = GRACE_SECONDS
    """What it may take to come to an end when it is stopped."""

    def __init__(self, root: Path, works: RunningJobs) -> None:
        self.root = root
        self._works = works
        self._client: WorkerClient | None = None
        self.running = False

    @classmethod
    def of(cls, services: Services) -> Self:
        """The one of this interface: it is found again, with what it does, when a screen is opened again."""
        kept = services.kept.setdefault(cls.TASK, cls(services.workspace.root, services.works))
        assert isinstance(kept, cls)
        return kept

    async def close(self) -> None:
        """The program ends: what is done by then stays."""
        if self._client is not None:
            await self._client.stop(_LEAVING_SECONDS)

    async def stop(self) -> None:
        """End the run; what is done by then stays."""
        if self._client is not None:
            await self._client.stop(self.GRACE)

    async def run_task(self, parameters: Mapping[str, object], *, after: str) -> Mapping[str, Any]:
        """Do the task, shown among the works; raises what the client raises, which ``after`` is for."""
        self.running = True
        self._client = WorkerClient(self.TASK, self.root, progress=self._moved, after=after)
        self._moved(JobStage("starting"))
        try:
            return await self._client.run(parameters)
        finally:
            self.running = False
            self._works.gone(self.TASK)

    def _moved(self, stage: JobStage) -> None:
        self._works.show(RunningJob(key=self.TASK, name=self.NAME, stage=stage, stop=self.stop))
