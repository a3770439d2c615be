"""One task in a process of its own: asked in a line, telling in lines how far it is, stopped at any time."""

from __future__ import annotations

import json
import signal
from asyncio.subprocess import Process
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from screens.drawing.clock import now
from screens.drawing.safe_text import grouped
from screens.jobs.progress import Meter, Stage
from screens.search import worker_process
from workbench.errors import StoppedError, WorkbenchError
from workbench.workspace.exit_status import ended, killed_by

_GRACE_SECONDS = 10.0
"""What writes memory is let come to the end of what it has begun, when it is asked to stop."""

_SHORT_OF_MEMORY = "a system that is short of memory does so"


class Errand:
    """Runs ``python -m module ROOT``, which speaks as ``workbench.workspace.worker`` describes it."""

    def __init__(
        self, module: str, root: Path, what: str, told: Callable[[Stage], None], *, after: str
    ) -> None:
        """``what`` is done, in a word; ``told`` hears each stage.

        ``after`` says what is left of it when it is killed, and how to go on.
        """
        self._module = module
        self._root = root
        self._what = what
        self._told = told
        self.after = after
        self._reached: Stage | None = None
        self._answered = False
        self.child: Process | None = None
        self.stopped = False

    async def run(self, wish: Mapping[str, object]) -> Mapping[str, Any]:
        """Ask for ``wish``, and what came of it. Raises StoppedError, WorkbenchError, OSError."""
        child = self.child = await worker_process.start(self._module, self._root, with_input=True)
        meter = Meter()
        try:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(json.dumps({**wish, "now": now().isoformat()}).encode() + b"\n")
            child.stdin.close()
            if self.stopped:
                raise StoppedError(self._what)
            while line := await child.stdout.readline():
                said = event(line)
                if said.get("event") == "progress" and (stage := meter.read(said)) is not None:
                    self._reached = stage
                    self._told(stage)
                elif said.get("event") in ("done", "error"):
                    self._answered = True
                    if said["event"] == "error":
                        raise self._error(said)
                    return said
            status = await child.wait()
            if self.stopped:
                raise StoppedError(self._what)
            raise self._ended(status)
        finally:
            await worker_process.stop(child)

    async def stop(self, grace: float = _GRACE_SECONDS) -> None:
        """End it: what it has done stays, and ``run`` says what that is, or raises StoppedError."""
        self.stopped = True
        await worker_process.stop(self.child, grace)

    def _error(self, said: Mapping[str, Any]) -> WorkbenchError:
        if self.stopped and said.get("code") == StoppedError.code:
            return StoppedError(self._what)
        # One that somebody else asked to stop has heeded that, and what stays is the same as after a kill.
        hint = self.after if said.get("code") == StoppedError.code else str(said.get("hint") or "")
        return WorkbenchError(str(said.get("message")), hint=hint)

    def _ended(self, status: int) -> WorkbenchError:
        """Why there is no answer. What was killed has no more to say, what failed says it as a command."""
        said = f"{self._what} {ended(status)}"
        if not killed_by(status):
            return WorkbenchError(said, hint=f"`workbench {self._command}` says more")
        if self._counted:
            said = f"{said} with {self._counted}"
        short = f"{_SHORT_OF_MEMORY}; " if status == -signal.SIGKILL else ""
        return WorkbenchError(said, hint=f"{short}{self.after}")

    @property
    def reached_when_killed(self) -> str:
        """How far it was when it was ended without an answer; empty where it was not, or had done nothing."""
        child = self.child
        if self._answered:  # and ended on its way out, perhaps, by the signal that makes sure of it
            return ""
        killed = child is not None and child.returncode is not None and killed_by(child.returncode)
        return self._counted if killed else ""

    @property
    def _counted(self) -> str:
        """How many are done, ``19 of 40 done (transcripts)``; empty where none is."""
        stage = self._reached
        if stage is None or not stage.done:
            return ""
        return f"{grouped(stage.done)} of {grouped(stage.total)} done ({stage.phase})"

    @property
    def _command(self) -> str:
        return {"dreaming": "dream", "backing up": "backup"}.get(self._what, "ingest")


def event(line: bytes) -> Mapping[str, Any]:
    """What the process says; nothing for a line that a library of it says by itself."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
