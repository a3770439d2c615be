"""Carrying operations out: one thread, in the order of the keys, never on the event loop."""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from screens.drawing.rows import Row
from screens.loading.model import OperationRefused
from screens.loading.shown_revision import require_today
from screens.loading.work_thread import WorkThread
from screens.main.request import Request, allowed, plan_of
from workbench.config.read_only import require_more_than_looking
from workbench.errors import EntryNotFoundError, SecretFoundError, UsageError
from workbench.memory.entry import Entry
from workbench.memory.markdown import Document
from workbench.workspace.declared_format import require_known_format
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.workspace import Workspace


class OperationRunner:
    """Plans and carries out what a person decides. Its methods raise what the work in its thread raises."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._begun: tuple[Document, Entry] | None = None
        """The entry that somebody edits, in its file as it was then."""
        self._refused_at = float("-inf")
        self._thread = WorkThread("curating")

    def close(self) -> None:
        """Let what has begun finish; drop the rest; end git's helper process."""
        self._thread.finish(self._workspace.close)

    async def recover(self) -> tuple[int, tuple[str, ...]]:
        """Finish what a killed process left: how many conflicts wait, and what a person should know of it.

        Raises WorkbenchError where nothing can be written here.
        """
        return await self._thread.run(self._recover)

    async def planned(self, request: Request) -> Plan:
        """The plan of a request."""
        return await self._thread.run(lambda: plan_of(self._workspace, request))

    async def carry_out(self, request: Request) -> tuple[Operation, int]:
        """Do it, as one operation; so many conflicts wait since then."""
        asked = time.monotonic()
        return await self._thread.run(lambda: self._do(request, asked)), await self._thread.run(
            self._conflicts
        )

    async def refusal(
        self, request: Request, error: Exception, targets: tuple[Row, ...] = ()
    ) -> OperationRefused:
        """Why ``error`` refuses it; what needs a yes to be done after all comes with its plan."""
        plan: Plan | None = None
        secret: SecretFoundError | None = None
        agreed = allowed(request, error)
        if agreed is not None:
            try:
                plan = await self.planned(agreed)
                secret = await self._thread.run(lambda: self._secret_in(plan))
            except Exception as second:
                agreed, error = None, second
        if agreed is not None and secret is not None:
            agreed = replace(agreed, allow_secrets=True)  # it is shown with the rest: one yes to all of it
        return OperationRefused(
            request=request, error=error, targets=targets, agreed=agreed, plan=plan, secret=secret
        )

    async def source(self, request: Request) -> Request:
        """The request with the text of its entry as it stands in its file, to be edited."""
        text = await self._thread.run(lambda: self._source(request))
        return replace(request, text=text, expected=text if request.action == "edit" else None)

    async def current_source(self, address: str) -> tuple[str | None, str]:
        """Where the entry stands that was changed while a person wrote, and how it reads; None: nowhere."""
        return await self._thread.run(lambda: self._current_source(address))

    async def discard(self, kept: Path) -> tuple[str, int]:
        """Take a conflict off the list; git keeps its text in this object, and so many are left."""
        return await self._thread.run(lambda: self._discard(kept))

    # -- in the thread ---------------------------------------------------------------------------

    def _discard(self, kept: Path) -> tuple[str, int]:
        operations = self._workspace.operations
        waiting = operations.conflicts()
        if kept not in waiting:
            raise UsageError("that conflict is off the list already")
        return operations.discard(operations.conflict(waiting.index(kept) + 1)), self._conflicts()

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

    def _current_source(self, address: str) -> tuple[str | None, str]:
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
