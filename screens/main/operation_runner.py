"""Carrying actions out: one thread, in the order of the keys, never on the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from textual.message import Message

from screens.drawing.rows import Row
from screens.loading.shown_revision import require_today
from screens.main.messages import Discarded, Done, Planned, Refused, SourceRead, StandsNow, WritableChecked
from screens.main.request import Request, allowed, plan_of
from workbench.config.read_only import require_more_than_looking
from workbench.errors import EntryNotFoundError, SecretFoundError, UsageError, WorkbenchError
from workbench.memory.entry import Entry
from workbench.memory.markdown import Document
from workbench.workspace.format import require_known_format
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.workspace import Workspace

T = TypeVar("T")


class Curator:
    """Plans and carries out what a person decides; answers with ``Done``, ``Planned`` or ``Refused``."""

    def __init__(self, workspace: Workspace, post: Callable[[Message], object]) -> None:
        self._workspace = workspace
        self._post = post
        self._begun: tuple[Document, Entry] | None = None
        """The entry that somebody edits, in its file as it was then."""
        self._refused_at = float("-inf")
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="curating")

    def close(self) -> None:
        """Let what has begun finish; drop the rest; end git's helper process."""
        self._executor.submit(self._workspace.close)
        self._executor.shutdown(wait=True)

    async def check_writable(self) -> None:
        """Finish what a killed process left, and say whether actions are possible at all."""
        try:
            self._post(WritableChecked(None, *await self._run(self._recover)))
        except WorkbenchError as error:
            self._post(WritableChecked(error))

    async def plan(self, request: Request, targets: tuple[Row, ...]) -> None:
        """Think an action through, to be shown first."""
        try:
            self._post(Planned(request, await self.planned(request), targets))
        except Exception as error:
            await self._refuse(request, error, targets)

    async def planned(self, request: Request) -> Plan:
        """The plan of a request. Raises what planning raises."""
        return await self._run(lambda: plan_of(self._workspace, request))

    async def carry_out(self, request: Request, targets: tuple[Row, ...] = ()) -> None:
        """Do it, as one operation."""
        asked = time.monotonic()
        try:
            operation = await self._run(lambda: self._do(request, asked))
        except Exception as error:
            await self._refuse(request, error, targets)
            return
        self._post(Done(operation, request, await self._run(self._conflicts)))

    async def stands_now(self, request: Request) -> None:
        """How the entry reads that was changed while a person wrote; the likest one in its place."""
        self._post(StandsNow(*await self._run(lambda: self._standing(request.addresses[0]))))

    async def source(self, request: Request, *, outside: bool = False) -> None:
        """The text of an entry as it stands in its file, to be edited."""
        try:
            text = await self._run(lambda: self._source(request))
        except Exception as error:
            self._post(Refused(request, error))
            return
        expected = text if request.action == "edit" else None
        self._post(SourceRead(replace(request, text=text, expected=expected), outside=outside))

    async def discard(self, kept: Path) -> None:
        """Take a conflict off the list; git keeps its text."""
        try:
            self._post(Discarded(*await self._run(lambda: self._drop(kept))))
        except Exception as error:
            self._post(Refused(Request(action="discard"), error))

    def _drop(self, kept: Path) -> tuple[str, int]:
        operations = self._workspace.operations
        waiting = operations.conflicts()
        if kept not in waiting:
            raise UsageError("that conflict is off the list already")
        return operations.discard(operations.conflict(waiting.index(kept) + 1)), self._conflicts()

    async def _refuse(self, request: Request, error: Exception, targets: tuple[Row, ...]) -> None:
        """Say why not; what needs a yes to be done after all comes with its plan."""
        plan: Plan | None = None
        secret: SecretFoundError | None = None
        agreed = allowed(request, error)
        if agreed is not None:
            try:
                plan = await self.planned(agreed)
                secret = await self._run(lambda: self._secret_in(plan))
            except Exception as second:
                agreed, error = None, second
        if agreed is not None and secret is not None:
            agreed = replace(agreed, allow_secrets=True)  # it is shown with the rest: one yes to all of it
        self._post(Refused(request, error, agreed=agreed, plan=plan, targets=targets, secret=secret))

    def _secret_in(self, plan: Plan) -> SecretFoundError | None:
        """The secrets that carrying ``plan`` out would stop at."""
        from workbench.workspace.secrets_gate import require_no_new_secret  # noqa: PLC0415

        history = self._workspace.history
        if not plan.allow_secrets:
            try:
                require_no_new_secret(
                    plan.edits, partial(history.blob, history.head()), brings_back=plan.brings_back
                )
            except SecretFoundError as found:
                return found
        return None

    def _do(self, request: Request, asked: float) -> Operation:
        if request.action in ("undo", "redo") and asked < self._refused_at:
            raise UsageError("what was to be done before it was refused, so that this would meet another one")
        try:
            return self._workspace.operations.carry_out(lambda: plan_of(self._workspace, request))
        except Exception:
            self._refused_at = time.monotonic()
            raise

    def _source(self, request: Request) -> str:
        from workbench.operations.edit import entry_source  # noqa: PLC0415 - not before the first paint
        from workbench.operations.merge import merged_source  # noqa: PLC0415 - not before the first paint

        if request.action == "merge":
            return merged_source(self._workspace, request.addresses)
        self._begun = document, entry = self._workspace.locate(request.addresses[0])
        return entry_source(document, entry)

    def _standing(self, address: str) -> tuple[str | None, str]:
        from workbench.history.text_similarity import counterpart  # noqa: PLC0415
        from workbench.operations.edit import entry_source  # noqa: PLC0415

        with contextlib.suppress(EntryNotFoundError):
            document, found = self._workspace.locate(address)
            return found.address, entry_source(document, found)
        if self._begun is None or self._begun[1].address != address:
            return None, ""
        before, entry = self._begun
        try:
            document = self._workspace.document(before.path)
        except FileNotFoundError:
            return None, ""
        now = counterpart(entry, before, document)
        if now is None:
            return None, ""
        self._begun = document, now
        return now.address, entry_source(document, now)

    def _recover(self) -> tuple[int, tuple[str, ...]]:
        require_today(self._workspace)
        require_more_than_looking()
        require_known_format(self._workspace.root)
        found = self._workspace.operations.recover()
        self._workspace.state_dir()  # where nothing was done yet, this tells whether anything can be
        self._workspace.history.require_committable()
        return self._conflicts(), found

    def _conflicts(self) -> int:
        return len(self._workspace.operations.conflicts())

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)
