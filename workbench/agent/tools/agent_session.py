"""One agent's way in: who asks, what is open for it, and who may do what at the same time."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

from workbench.agent.federated_search import ReadOnlyMemberError, open_leader
from workbench.agent.search_service import SearchService
from workbench.agent.usage import Given, record_recalls
from workbench.errors import BusyError, NotCuratableError, WorkbenchError
from workbench.graph.model import Graph
from workbench.graph.read import GraphReader
from workbench.operations.operation_spec import OperationSpec
from workbench.workspace.late_lines import LateLines
from workbench.workspace.workspace import Workspace

_T = TypeVar("_T")
_PATIENCE = 60.0
"""Seconds that a call waits for its turn before it is told to come back."""

_LONGEST_PAUSE = 30.0
"""Seconds after a look for changed files from which on a search looks again, however long looking takes."""


class CallCancelledError(WorkbenchError):
    """Whoever called does not want an answer any more."""

    code = "cancelled"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool. Once ``cancelled`` is set, nothing is begun any more."""

    cancelled: threading.Event = field(default_factory=threading.Event)

    def go_on(self) -> None:
        """Raises CallCancelledError where nobody waits any more."""
        if self.cancelled.is_set():
            raise CallCancelledError("the call was cancelled before anything was done")


class AgentSession:
    """What one agent may do in one workspace. Safe from several threads; opens nothing heavy before its use.

    Searches take turns, as do readings of the graph and writes; each of the three goes on beside the others.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        agent: str,
        user: str = "",
        session_id: str = "",
        clock: Callable[[], datetime] = lambda: datetime.now(UTC).astimezone(),
    ) -> None:
        self.workspace = workspace
        self.leader = open_leader(workspace)
        self.agent = agent
        self.user = user
        self.session_id = session_id
        self.now = clock
        self.late = LateLines(workspace.root)
        self._graphs = {"": GraphReader(workspace)}
        if self.leader is not None:
            self._graphs["leader"] = GraphReader(self.leader)
        self._service: SearchService | None = None
        self._searching = threading.Lock()
        self._reading = threading.Lock()
        self._writing = threading.Lock()
        self._look_at = 0.0

    @property
    def by(self) -> str:
        """Who does what is done here, as records name it."""
        return f"agent:{self.agent}"

    @contextlib.contextmanager
    def searching(self, call: Call) -> Iterator[SearchService]:
        """The search, for one call at a time; opened by the first."""
        with self._turn(self._searching, call):
            if self._service is None:
                self._service = SearchService(
                    self.workspace, leader=self.leader, today=lambda: self.now().date()
                )
            self._catch_up(self._service)
            yield self._service

    @contextlib.contextmanager
    def writing(self, call: Call, operation: OperationSpec) -> Iterator[Workspace]:
        """The workspace, to do an operation to it, for one call at a time.

        Raises NotCuratableError for an operation that is not declared to be for agents, and
        ReadOnlyMemberError for members of a team.
        """
        if not operation.agents:
            raise NotCuratableError(f"agents cannot {operation.name}", hint="tell the person")
        if self.leader is not None:
            raise ReadOnlyMemberError
        with self._turn(self._writing, call):
            yield self.workspace

    def graphs(self, call: Call) -> tuple[tuple[str, Graph], ...]:
        """One's own graph as it is now, then the leader's, each with the mark of its scope."""
        with self._turn(self._reading, call):
            return tuple((mark, reader.read()) for mark, reader in self._graphs.items())

    def _catch_up(self, service: SearchService) -> None:
        """Index what changed, for a tenth of the time at most as long as a look takes few seconds.

        A look is at most ``_LONGEST_PAUSE`` seconds old when a search begins.
        """
        started = time.monotonic()
        if started < self._look_at:
            return
        from indexing.sync.freshness import catch_up  # noqa: PLC0415 - only who searches needs it

        service.catch_up(catch_up)
        took = time.monotonic() - started
        self._look_at = started + took + min(9 * took, _LONGEST_PAUSE)

    def record(self, given: list[Given], query: str, by: str) -> tuple[str, ...]:
        """Record what was given; what is to be said where that was not possible. Never raises."""
        problem = record_recalls(
            self.workspace, given, query=query, by=by, now=self.now(), user=self.user, session=self.session_id
        )
        return (problem,) if problem else ()

    def close(self, patience: float = 10.0) -> None:
        """Let a write that has begun end, for at most ``patience`` seconds, and end helper processes.

        No other write begins after that: the process may leave in the middle of it.
        """
        self._writing.acquire(timeout=patience)
        self.late.close()
        self.workspace.close()
        if self.leader is not None:
            self.leader.close()

    @contextlib.contextmanager
    def _turn(self, lock: threading.Lock, call: Call) -> Iterator[None]:
        call.go_on()
        if not lock.acquire(timeout=_PATIENCE):
            raise BusyError("too many calls at the same time", hint="call again in a moment")
        try:
            call.go_on()
            yield
        finally:
            lock.release()
