"""Carrying actions out: one thread, in the order of the keys, never on the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import TypeVar

from textual.message import Message

from screens.messages import Done, HistoryRead, Planned, Refused, WritableChecked
from screens.rows import Row
from screens.shown import Shown, age, row_text
from screens.store import path_of
from workbench.errors import WorkbenchError
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.workspace import Workspace

T = TypeVar("T")
_HISTORY_LINES = 8
_LOG_LIMIT = 60


class Curator:
    """Plans and carries out what a person decides; answers with ``Done``, ``Planned`` or ``Refused``."""

    def __init__(self, workspace: Workspace, post: Callable[[Message], object]) -> None:
        self._workspace = workspace
        self._post = post
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="curating")

    def close(self) -> None:
        """Let what has begun finish; drop the rest; end git's helper process."""
        self._executor.submit(self._workspace.close)
        self._executor.shutdown(wait=True)

    async def check_writable(self) -> None:
        """Finish what a killed process left, and say whether actions are possible at all."""
        try:
            await self._run(self._recover)
            self._post(WritableChecked(None))
        except WorkbenchError as error:
            self._post(WritableChecked(error))

    async def plan(self, action: str, targets: tuple[Row, ...]) -> None:
        """Think an action on many entries through, to be shown first."""
        addresses = tuple(row.address for row in targets if row.address)
        try:
            plan = await self._run(lambda: self._plan(action, addresses))
            self._post(Planned(plan, targets))
        except Exception as error:
            self._post(Refused(action, error))

    async def carry_out(self, action: str, addresses: tuple[str, ...] = ()) -> None:
        """Do it, as one operation."""
        try:
            operations = self._workspace.operations
            operation = await self._run(
                lambda: operations.carry_out(lambda: self._plan(action, addresses))
            )
            self._post(Done(operation))
        except Exception as error:
            self._post(Refused(action, error))

    async def history(self, key: str, address: str) -> None:
        """What was done to an entry, newest first; nothing where there is no history."""
        try:
            lines = await self._run(lambda: self._history_lines(address))
        except (WorkbenchError, OSError):
            return
        self._post(HistoryRead(key, lines))

    def _recover(self) -> None:
        self._workspace.operations.recover()

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    def _plan(self, action: str, addresses: tuple[str, ...]) -> Plan:
        from workbench import curation  # noqa: PLC0415 - not before the first paint

        if action == "promote":
            return curation.plan_promote(self._workspace, addresses)
        if action == "forget":
            return curation.plan_forget(self._workspace, addresses)
        if action == "undo":
            return curation.plan_undo(self._workspace)
        return curation.plan_redo(self._workspace)

    def _history_lines(self, address: str) -> tuple[Shown, ...]:
        path = path_of(address)
        touched = self._workspace.operations.log(limit=_LOG_LIMIT, path=path)
        about = [o for o in touched if _is_about(o, address)]
        return tuple(history_line(o) for o in (about or touched)[:_HISTORY_LINES])


def history_line(operation: Operation) -> Shown:
    """One operation in a line: how long ago, what, by whom, whether it was taken back."""
    when = age(operation.when.astimezone().date(), datetime.now().astimezone().date())
    undone = " (undone)" if operation.undone else ""
    return row_text(f"{when:>6}  {operation.summary} · {operation.actor}{undone}")


def _is_about(operation: Operation, address: str) -> bool:
    """Whether one of the operation's entries is this one, or this one's source."""
    digits = address.rpartition("#")[2]
    return any(entry == address or entry.rpartition("#")[2] == digits for entry in operation.entries)
