"""What was done to an entry: read beside the actions, never in their way.

It has a thread and a view of the repository of its own, so that reading a long history does not keep a
promotion waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from textual.message import Message

from screens.messages import HistoryRead
from screens.shown import Shown, age, row_text
from screens.store import path_of
from workbench.errors import WorkbenchError
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

DEPTH = 200
"""How many of the newest operations are looked through."""
_LINES = 8


class Historian:
    """Answers what was done to an entry by posting ``HistoryRead``."""

    def __init__(self, root: Path, post: Callable[[Message], object]) -> None:
        self._root = root
        self._post = post
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="history")
        self._workspace: Workspace | None = None
        self._known: list[Operation] = []

    async def tell(self, key: str, address: str) -> None:
        """What was done to the entry at ``address``, newest first; nothing where there is no history."""
        loop = asyncio.get_running_loop()
        try:
            lines = await loop.run_in_executor(self._executor, self._lines, address)
        except (WorkbenchError, OSError):
            return
        self._post(HistoryRead(key, lines))

    def close(self) -> None:
        """Stop, and end git's helper process."""
        self._executor.submit(self._end)
        self._executor.shutdown(wait=True, cancel_futures=False)

    def _end(self) -> None:
        if self._workspace is not None:
            self._workspace.close()

    def _lines(self, address: str) -> tuple[Shown, ...]:
        path = path_of(address)
        newest = self._newest()
        about = [operation for operation in newest if is_about(operation, address)]
        touched = about or [operation for operation in newest if path in operation.paths]
        return tuple(history_line(operation) for operation in touched[:_LINES])

    def _newest(self) -> list[Operation]:
        """The newest operations; only those that came since the last time are read."""
        if self._workspace is None:
            self._workspace = Workspace.open(self._root)
        last = self._known[0].commit if self._known else None
        fresh: list[Operation] = []
        for operation in self._workspace.operations.walk():
            if operation.commit == last or len(fresh) >= DEPTH:
                break
            fresh.append(operation)
        else:
            last = None  # the whole history was walked: what was known is in it, or was rewritten
        self._known = with_undone([*fresh, *(self._known if last else ())][:DEPTH])
        return self._known


def with_undone(operations: list[Operation]) -> list[Operation]:
    """The operations, newest first, each knowing whether a later one took it back."""
    undone: set[str] = set()
    out = []
    for operation in operations:
        if operation.undoes and operation.id not in undone:
            undone.add(operation.undoes)
        out.append(replace(operation, undone=operation.id in undone))
    return out


def is_about(operation: Operation, address: str) -> bool:
    """Whether one of the operation's entries is this one, or one with the same words elsewhere."""
    digits = address.rpartition("#")[2]
    return any(entry == address or entry.rpartition("#")[2] == digits for entry in operation.entries)


def history_line(operation: Operation) -> Shown:
    """One operation in a line: how long ago, what, by whom, whether it was taken back."""
    when = age(operation.when.astimezone().date(), datetime.now().astimezone().date())
    undone = " (undone)" if operation.undone else ""
    return row_text(f"{when:>6}  {operation.summary} · {operation.actor}{undone}")
