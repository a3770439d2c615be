"""Dreaming from the interface: in a process of its own, which goes on while the person looks elsewhere."""

from __future__ import annotations

import json
import time
from asyncio.subprocess import Process
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from screens.drawing.clock import now
from screens.frames.desk import Desk
from screens.search import children
from workbench.consolidation.dreaming.outcome import Outcome, explanation_from_json, outcome_from_json
from workbench.consolidation.dreaming.result import Explanation
from workbench.errors import StoppedError, WorkbenchError

_MODULE = "workbench.consolidation.dreaming.apart"


@dataclass(frozen=True, slots=True)
class Stage:
    """How far a dream is: ``done`` of ``total`` units of a phase, so many of them a second."""

    phase: str
    done: int = 0
    total: int = 0
    rate: float = 0.0


class Dreamer:
    """At most one dream at a time. ``told`` hears when anything changes; what came of the last one stays."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._child: Process | None = None
        self._stopped = False
        self.stage: Stage | None = None
        """How far the dream under way is; None while there is none."""
        self.outcome: Outcome | None = None
        self.error: Exception | None = None
        self.told: Callable[[], None] = _nobody
        self.explained: dict[str, Explanation] = {}

    @property
    def running(self) -> bool:
        """Whether a dream is under way."""
        return self.stage is not None

    async def dream(self) -> None:
        """Dream once, and keep what came of it. Raises nothing: ``error`` says what went wrong."""
        self.stage, self.error, self._stopped = Stage("starting"), None, False
        self._child = None
        self.told()
        try:
            said = await self._ask({"do": "dream"}, self._moved_on)
            self.outcome = outcome_from_json(said["outcome"])
            self.explained = {}
        except Exception as error:
            self.error = StoppedError("dreaming") if self._stopped else error
        finally:
            self.stage = None
        self.told()

    async def stop(self) -> None:
        """End the dream under way; nothing of it is written."""
        self._stopped = True
        await children.stop(self._child)

    async def close(self) -> None:
        """The program ends."""
        await self.stop()

    async def explain(self, what: str) -> Explanation:
        """Why a claim is, or is not, proposed: by key, address or words. Raises WorkbenchError, OSError."""
        if what not in self.explained:
            said = await self._ask({"do": "explain", "what": what}, None)
            try:
                self.explained[what] = explanation_from_json(said["explanation"])
            except (KeyError, TypeError, ValueError) as error:
                raise WorkbenchError("dreaming gave no answer") from error
        return self.explained[what]

    async def _ask(
        self, wanted: Mapping[str, str], moved: Callable[[Mapping[str, Any]], None] | None
    ) -> Mapping[str, Any]:
        """The last word of a process that is asked for something."""
        child = await children.start(_MODULE, self._root, with_input=True)
        if moved is not None:
            self._child = child
        try:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(json.dumps({**wanted, "now": now().isoformat()}).encode() + b"\n")
            child.stdin.close()
            if moved is not None and self._stopped:
                raise StoppedError("dreaming")
            while line := await child.stdout.readline():
                said = _event(line)
                if said.get("event") == "progress" and moved is not None:
                    moved(said)
                elif said.get("event") == "error":
                    raise WorkbenchError(str(said.get("message")), hint=str(said.get("hint")))
                elif said.get("event") == "done":
                    return dict(said)
            status = await child.wait()
            raise WorkbenchError(f"dreaming ended with status {status}", hint="`workbench dream` says more")
        finally:
            await children.stop(child)

    def _moved_on(self, said: Mapping[str, Any]) -> None:
        phase, done, total = str(said.get("phase")), int(said.get("done", 0)), int(said.get("total", 0))
        before, clock = self.stage, time.monotonic()
        if before is None or before.phase != phase:
            self._since, self._first = clock, done
        seconds = clock - self._since
        rate = (done - self._first) / seconds if seconds > _SHORT else 0.0
        self.stage = Stage(phase, done, total, rate)
        self.told()

    _since = 0.0
    _first = 0


def dreamer_of(desk: Desk) -> Dreamer:
    """The one of this interface: it is found again, with what it does, when the screen is opened again."""
    kept = desk.kept.setdefault("dreamer", Dreamer(desk.workspace.root))
    assert isinstance(kept, Dreamer)
    return kept


_SHORT = 0.2
"""Seconds before which a rate would be a guess."""


def _event(line: bytes) -> Mapping[str, Any]:
    """What the process says; nothing for a line that a library of it says by itself."""
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _nobody() -> None:
    """Nobody listens."""
