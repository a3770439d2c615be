"""One task in a process of its own: asked in a line, telling in lines how far it is, stopped at any time."""

from __future__ import annotations

import json
from asyncio.subprocess import Process
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from screens.drawing.clock import now
from screens.search import children
from screens.working.stage import Meter, Stage
from workbench.errors import StoppedError, WorkbenchError

_GRACE_SECONDS = 10.0
"""What writes memory is let come to the end of what it has begun, when it is asked to stop."""


class Errand:
    """Runs ``python -m module ROOT``, which speaks as ``workbench.workspace.apart`` describes it."""

    def __init__(self, module: str, root: Path, what: str, told: Callable[[Stage], None]) -> None:
        """``what`` is done, in a word; ``told`` hears each stage."""
        self._module = module
        self._root = root
        self._what = what
        self._told = told
        self.child: Process | None = None
        self.stopped = False

    async def run(self, wish: Mapping[str, object]) -> Mapping[str, Any]:
        """Ask for ``wish``, and what came of it. Raises StoppedError, WorkbenchError, OSError."""
        child = self.child = await children.start(self._module, self._root, with_input=True)
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
                    self._told(stage)
                elif said.get("event") == "error":
                    raise self._error(said)
                elif said.get("event") == "done":
                    return said
            status = await child.wait()
            if self.stopped:
                raise StoppedError(self._what)
            raise WorkbenchError(
                f"{self._what} ended with status {status}", hint=f"`workbench {self._command}` says more"
            )
        finally:
            await children.stop(child)

    async def stop(self, grace: float = _GRACE_SECONDS) -> None:
        """End it: what it has done stays, and ``run`` says what that is, or raises StoppedError."""
        self.stopped = True
        await children.stop(self.child, grace)

    def _error(self, said: Mapping[str, Any]) -> WorkbenchError:
        if self.stopped and said.get("code") == StoppedError.code:
            return StoppedError(self._what)
        return WorkbenchError(str(said.get("message")), hint=str(said.get("hint") or ""))

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
