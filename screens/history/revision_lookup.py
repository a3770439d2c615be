"""Where in its history a person looks at the memory: found off the event loop, in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from screens.drawing.clock import today
from screens.loading.reader import WorkThread
from workbench.errors import UsageError
from workbench.workspace.plan import Operation
from workbench.workspace.revisions import commit_at, local_day
from workbench.workspace.snapshot import Moments, PastWorkspace, open_commit, stands_recorded
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    pass

_AT_ONCE = 500
"""Commits that are looked at before it is asked whether somebody still waits."""
_LONGEST_LINE = 200_000
"""Commits whose places on the branch are known."""
T = TypeVar("T")


class OvertakenError(Exception):
    """Nobody waits for this any more."""


@dataclass(frozen=True, slots=True)
class Where:
    """A moment: memory as it was right after ``moment``, or today's where that is None.

    ``back`` counts the changes since then. ``limit`` says in words why the person did not get further.
    """

    moment: Operation | None
    back: int = 0
    limit: str = ""


class Timekeeper:
    """Steps through the moments of a memory and lays them out. What runs in its thread says so."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._thread = WorkThread("travelling")
        self._opened: Workspace | None = None
        self._moments: Moments | None = None
        self._index: int | None = None
        """The place in the list; of a moment that is not in it the place of the next older one."""
        self._beside: Operation | None = None
        self.looks: Callable[[int], None] = lambda commits: None
        """Hears how many commits were looked at, where that takes long; may raise OvertakenError."""

    async def run(self, work: Callable[[], T]) -> T:
        """``work`` done in the thread, after all that was asked for before."""
        return await self._thread.run(work)

    def close(self) -> None:
        """Stop, and end git's helper process; waits for what runs."""
        self._thread.finish(self.forget)

    # -- in the thread ---------------------------------------------------------------------------

    def forget(self) -> None:
        """Begin anew with the next step: the history may be another one by then."""
        if self._opened is not None:
            self._opened.close()
        self._opened = self._moments = self._index = self._beside = None

    def home(self) -> Where:
        """Today."""
        self._index = self._beside = None
        return Where(None)

    def step(self, by: int) -> Where:
        """``by`` moments further back, or forth where it is negative. Raises WorkbenchError."""
        if self._index is not None:
            return self._go(self._index + by - (self._beside is not None and by > 0))
        if by < 0:
            return self.home()
        return self._go(by - 1 + stands_recorded(self._workspace()))

    def day(self, by: int) -> Where:
        """The end of the day before that of the moment on which something changed, or of the one after it."""
        if self._index is None and by < 0:
            return self.home()
        at = self._index or 0
        known = self._list().known
        here = today() if self._index is None else local_day((self._beside or known[at]).when)
        if by > 0:
            while self._has(at) and local_day(known[at].when) >= here:
                at += 1
            return self._go(at)
        newer = [local_day(one.when) for one in known[:at]]
        later = [day for day in newer if day > here]
        return self._go(newer.index(later[-1])) if later else self.home()

    def at(self, when: str, today: date) -> Where:
        """A day, a month, an operation or a commit, as people write them."""
        from indexing.search.index_search import moment_named  # noqa: PLC0415 - only dates typed need it

        self._list()
        place = self._workspace()
        return self._to(place.operations.of(commit_at(place.history, moment_named(when, today)).id))

    def after(self, operation: Operation) -> Where:
        """Right after an operation."""
        self._list()
        return self._to(operation)

    def before(self, operation: Operation) -> Where:
        """Right before it. Raises UsageError for the first one of all."""
        self._list()
        commit = self._workspace().history.commit(operation.commit)
        if not commit.parents:
            raise UsageError(f"there is no state before {operation.id}", hint="it is the oldest commit")
        return self._to(self._workspace().operations.of(commit.parents[0]))

    def lay_out(self, moment: Operation, told: Callable[[int], None]) -> PastWorkspace:
        """The files of a moment. Raises WorkbenchError, and what ``told`` raises."""
        told(0)  # somebody may have gone on since
        place = self._workspace()
        return open_commit(place, place.history.commit(moment.commit), told)

    def recent(self, count: int) -> list[Operation]:
        """The newest moments."""
        self._list().read(count, most=_AT_ONCE)
        return self._list().known[:count]

    @property
    def looked_at(self) -> int:
        """How many commits were read so far."""
        return self._moments.looked_at if self._moments else 0

    def _workspace(self) -> Workspace:
        if self._opened is None:
            self._opened = Workspace.open(self._root, anyhow=True)
        return self._opened

    def _list(self) -> Moments:
        """The moments, read anew when a person leaves today and there are newer ones."""
        moments = self._moments
        if moments is None or (self._index is None and moments.head != self._workspace().history.head()):
            moments = self._moments = Moments(self._workspace())
            if moments.head is None:
                raise UsageError(
                    "this repository has no commits yet, so there is no earlier state",
                    hint="`workbench status --commit` creates the first one",
                )
        return moments

    def _has(self, index: int) -> bool:
        """Whether there is such a moment; reads on as far as needed."""
        moments = self._list()
        while len(moments.known) <= index and not moments.whole:
            moments.read(index + 1, most=_AT_ONCE)
            if len(moments.known) <= index and not moments.whole:
                self.looks(moments.looked_at)
        return index < len(moments.known)

    def _go(self, index: int) -> Where:
        if index < 0:
            return self.home()
        limit = "" if self._has(index) else "the history of this memory begins here"
        known = self._list().known
        if not known:
            raise UsageError(
                "no commit has touched this memory yet", hint="`workbench status --commit` creates the first"
            )
        self._index, self._beside = min(index, len(known) - 1), None
        return Where(known[self._index], self._index, limit)

    def _to(self, operation: Operation) -> Where:
        """The moment of an operation; it need not be one that changed memory, nor on this line.

        On the line its place tells what is newer, since clocks go wrong; beside it only the time can.
        """
        known = self._list().known
        line = self._workspace().history.first_parents(_LONGEST_LINE)
        places = {commit: place for place, (commit, _) in enumerate(line)}
        here = places.get(operation.commit)

        def is_newer(one: Operation) -> bool:
            return one.when >= operation.when if here is None else places.get(one.commit, -1) < here

        at = 0
        while self._has(at) and known[at].commit != operation.commit and is_newer(known[at]):
            at += 1
        if self._has(at) and known[at].commit == operation.commit:
            return self._go(at)
        self._index, self._beside = at, operation
        return Where(operation, at)
