"""Bringing the index up to date in a process of its own, one run at a time, the last wish kept."""

from __future__ import annotations

import asyncio
import json
import time
from asyncio.subprocess import Process
from collections.abc import Callable
from typing import Any

from textual.message import Message

from screens.drawing.shown import Shown, grouped, row_text, words
from screens.main.messages import IndexProgress
from screens.search import children
from workbench.errors import BusyError
from workbench.workspace.workspace import Workspace


class Indexer:
    """Runs ``indexing.sync.bulk`` and reports its progress as ``IndexProgress``."""

    def __init__(self, workspace: Workspace, post: Callable[[Message], object]) -> None:
        self._workspace = workspace
        self._post = post
        self._child: Process | None = None
        self.running = False
        self._again = False

    def wish(self) -> bool:
        """Ask for a run; False when one is under way, which is then followed by another."""
        if self.running:
            self._again = True
            return False
        self.running = True
        return True

    async def run(self) -> None:
        """Run until no wish is left."""
        try:
            while True:
                self._again = False
                await self._once()
                if not self._again:
                    return
        finally:
            self.running = False

    async def close(self) -> None:
        """End the run; what it has stored so far stays."""
        await children.stop(self._child)

    async def _once(self) -> None:
        try:
            root = self._workspace.root
            child = self._child = await children.start("indexing.sync.bulk", root, with_input=False)
        except OSError as error:
            self._post(IndexProgress(None, searchable=False, problem=str(error.strerror)))
            return
        assert child.stdout is not None
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
            if text := meter.read(said):
                self._post(IndexProgress(text, searchable=searchable))
        status = await child.wait()
        if status == BusyError.exit_code:  # somebody else is at it: look again when they may be done
            self._post(IndexProgress(words("indexing: another process is at it"), searchable=searchable))
            self._again = True
            await asyncio.sleep(_BUSY_SECONDS)
            return
        if status and not problem:
            problem = f"indexing ended with status {status}"
        self._post(IndexProgress(None, searchable=status == 0, problem=problem))


_SEARCHABLE = frozenset({"prepare", "embed", "store"})
"""Phases that come after the words are in."""
_BUSY_SECONDS = 3.0
_NAMES = {"scan": "looking", "prepare": "preparing the model", "embed": "meaning", "store": "storing"}


class Meter:
    """Progress lines in words: how much, how fast, how long still."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._phase = ""
        self._since = clock()
        self._first = 0

    def read(self, said: dict[str, Any]) -> Shown | None:
        """The line for the status, or None when there is nothing to say."""
        phase, done, total = str(said.get("phase", "")), said.get("done"), said.get("total")
        if not phase:
            return None
        name = _NAMES.get(phase, phase)
        if phase != self._phase:
            self._phase, self._since = phase, self._clock()
            self._first = done if isinstance(done, int) else 0
        if not (isinstance(done, int) and isinstance(total, int) and total > 1):
            return row_text(f"indexing: {name}")
        text = f"indexing: {name} {done * 100 // total} %"
        seconds = self._clock() - self._since
        rate = (done - self._first) / seconds if seconds > 0.5 else 0.0
        if rate > 0:
            text += f" · {grouped(round(rate))}/s · {time_left((total - done) / rate)}"
        return row_text(text)


def time_left(seconds: float) -> str:
    """How long something still takes, in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s left"
    return f"{round(seconds / 60)} min left"
