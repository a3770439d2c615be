"""The checks in a worker process: started on request, read line by line, ended when nobody waits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from textual.message import Message

from screens.drawing.safe_text import said_of
from screens.jobs.worker_client import WorkerClient
from workbench.errors import StoppedError, WorkbenchError, reason_of
from workbench.health.finding import CheckLabel, CheckResult

_GRACE_SECONDS = 1.0


@dataclass
class ChecksKnown(Message):
    """The checks that there are, in their order."""

    checks: list[CheckLabel]


@dataclass
class CheckStarted(Message):
    """A check began, the ``number``-th of ``of``."""

    id: str
    number: int
    of: int


@dataclass
class CheckFinished(Message):
    """A check has looked."""

    result: CheckResult


@dataclass
class Repaired(Message):
    """The doctor repaired something, or could not."""

    check: str
    said: str
    whole: bool


@dataclass
class ChecksEnded(Message):
    """The look is over; ``problem`` says why it did not come to its end."""

    problem: str = ""


class CheckJob:
    """Runs the checks once at a time; those that are requested meanwhile run next."""

    def __init__(self, root: Path, post: Callable[[Message], object]) -> None:
        self._root = root
        self._post = post
        self._client: WorkerClient | None = None
        self._wishes: list[Collection[str]] = []
        self._stopped = False
        self.running = False

    def wish(self, names: Collection[str] = ()) -> bool:
        """Ask for these checks, for all without a name; whether ``run`` has to be started for it."""
        self._wishes.append(names)
        if self.running:
            return False
        self.running, self._stopped = True, False
        return True

    async def run(self) -> None:
        """Look until no wish is left."""
        problem = ""
        try:
            while self._wishes and not problem and not self._stopped:
                wishes, self._wishes = self._wishes, []
                names = {name for wish in wishes for name in wish} if all(wishes) else ()
                problem = await self._ask({"checks": sorted(names)})
        finally:
            self.running = False
            self._wishes = []
        self._post(ChecksEnded("" if self._stopped else problem))

    async def repair(self, check: str) -> None:
        """Have the doctor repair what one of his checks finds."""
        if problem := await self._ask({"repair": check}, of=check):
            self._post(Repaired(check, problem, whole=False))

    async def stop(self) -> None:
        """End the look."""
        self._stopped = True
        self._wishes = []
        if self._client:
            await self._client.stop(_GRACE_SECONDS)

    async def _ask(self, wish: Mapping[str, object], of: str = "") -> str:
        """One process for one wish; why it did not come to its end, or nothing."""

        def hear(said: Mapping[str, Any]) -> None:
            if message := message_of({**said, "check": of}):
                self._post(message)

        client = WorkerClient("health", self._root, event=hear)
        if not of:
            self._client = client
        try:
            with suppress(StoppedError):
                await client.run(wish)
        except WorkbenchError as error:
            return ": ".join(said_of(error))
        except OSError as error:  # no process, or a pipe that broke
            return reason_of(error)
        return ""


_MESSAGES: Mapping[str, type[Message]] = {
    "checks": ChecksKnown,
    "begin": CheckStarted,
    "result": CheckFinished,
    "repaired": Repaired,
}


def message_of(said: Mapping[str, Any]) -> Message | None:
    """What a line of the process means; None where it is none of ours."""
    with suppress(KeyError, msgspec.ValidationError):
        return msgspec.convert(said, _MESSAGES[str(said.get("event"))])
    return None
