"""Carrying actions out: one thread, in the order of the keys, never on the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from textual.message import Message

from screens.messages import Done, Planned, Refused, WritableChecked
from screens.rows import Row
from workbench.errors import WorkbenchError
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.workspace import Workspace

T = TypeVar("T")


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
            self._post(Done(await self._run(lambda: self._do(action, addresses))))
        except Exception as error:
            self._post(Refused(action, error))

    def _do(self, action: str, addresses: tuple[str, ...]) -> Operation:
        return self._workspace.operations.carry_out(lambda: self._plan(action, addresses))

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
