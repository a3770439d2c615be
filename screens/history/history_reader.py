"""Readings of the history for the interface, off the event loop.

Each reader has its own thread and its own view of the repository, so that a long reading delays no operation.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from screens.drawing import clock
from screens.drawing.safe_text import Shown, age, row_text
from screens.loading.reader import WorkThread, path_of
from screens.loading.workspace_model import Stamp, file_stamp
from workbench.errors import UsageError, WorkbenchError
from workbench.frozen import frozen
from workbench.workspace.plan import Operation
from workbench.workspace.revisions import commit_at, local_day
from workbench.workspace.snapshot import PastWorkspace, SnapshotCommits, open_commit, stands_recorded
from workbench.workspace.workspace import Workspace

DEPTH = 200
"""How many of the newest operations are looked through for those on a whole page."""
_LINES = 8
_REMEMBERED = 256
_NEAR_DAYS = 300
"""Days from which on the month alone would be taken for another year's."""
T = TypeVar("T")
P = ParamSpec("P")


def day_shown(workspace: Workspace) -> Callable[[], date]:
    """A function that gives the day from which ages count: the day of a past moment, else today."""
    if not isinstance(workspace, PastWorkspace):
        return clock.today
    day = local_day(workspace.history.commit(workspace.commit).when)
    return lambda: day


class HistoryReader:
    """Reads what was done to an entry, and runs other readings of the history, in its thread."""

    def __init__(self, root: Path, today: Callable[[], date] = clock.today) -> None:
        """Ages count from ``today``."""
        self._root = root
        self._today = today
        self._thread = WorkThread("history")
        self._workspace: Workspace | None = None
        self._told = lru_cache(_REMEMBERED)(self._tell)

    async def run(
        self, work: Callable[Concatenate[Workspace, P], T], *args: P.args, **options: P.kwargs
    ) -> T:
        """``work`` done in this thread, on its own view of the workspace; cancelled after the end."""
        return await self._thread.run(lambda: work(self._opened(), *args, **options))

    async def lines(self, address: str) -> tuple[Shown, ...]:
        """What was done to the entry at ``address``, newest first; nothing where there is no history."""

        def read(workspace: Workspace) -> tuple[Shown, ...]:
            return self._told(address, workspace.history.head(), file_stamp(self._root / path_of(address)))

        try:
            return await self.run(read)
        except (WorkbenchError, OSError):
            return ()

    def close(self) -> None:
        """Stop, in the middle of a reading too, and end git's helper process."""
        if workspace := self._workspace:
            workspace.stop_reading()
        self._thread.close(wait=True)
        if workspace:
            workspace.close()

    def _opened(self) -> Workspace:
        if self._workspace is None:
            self._workspace = Workspace.open(self._root, anyhow=True)
        return self._workspace

    def _tell(self, address: str, head: str | None, touched: Stamp | None) -> tuple[Shown, ...]:
        """The newest steps, remembered for as long as neither the branch nor the file moves on."""
        return (entry_lines if "#" in address else page_lines)(self._opened(), address, self._today())


def entry_lines(workspace: Workspace, address: str, today: date) -> tuple[Shown, ...]:
    """The life of an entry, followed through moves, promotions and merges, newest first."""
    from workbench.history.lineage import lineage  # noqa: PLC0415 - not before the first paint

    steps = lineage(workspace, address)
    lines = [
        history_line(step.deed.when, step.deed.summary if step.deed.ours else f"{step.what}: {step.text}",
                     step.deed.actor, today, step.deed.reason)
        for step in steps[:_LINES]
    ]  # fmt: skip
    if len(steps) > _LINES:
        lines.append(row_text(f"        … and {len(steps) - _LINES} older"))
    return tuple(lines)


def page_lines(workspace: Workspace, path: str, today: date) -> tuple[Shown, ...]:
    """What was done to a whole page lately, newest first."""
    newest = islice(workspace.operations.walk(path=path_of(path)), DEPTH)
    touched = (one for one in newest if path in one.paths)
    return tuple(
        history_line(one.when, one.summary + (" (undone)" if one.undone else ""), one.actor, today)
        for one in islice(touched, _LINES)
    )


def history_line(when: datetime | None, what: str, who: str, today: date, why: str = "") -> Shown:
    """One step in a line: how long ago, what, by whom; a reason stands early, where it is not cut off."""
    if why:
        verb, _, about = what.partition(": ")
        what = f"{verb} ({why}): {about}"
    ago = age(when.astimezone().date(), today) if when else "now"  # no commit holds it yet
    return row_text(f"{ago:>6}  {what} · {who}")


def day_or_time(when: datetime | None) -> Shown:
    """When something was done: the time of today, else the day; ``now`` for what no commit holds yet.

    As ``15:13``, ``9 Mar``, ``2024-03``: never wider than seven cells.
    """
    if when is None:
        return Shown("now")
    local, today = when.astimezone(), clock.today()
    if local.date() == today:
        return Shown(f"{local:%H:%M}")
    near = abs((today - local.date()).days) < _NEAR_DAYS
    return Shown(f"{local.day} {local:%b}" if near else f"{local:%Y-%m}")


# -- the moments of a memory, for time travel ----------------------------------------------------

_AT_ONCE = 500
"""Commits that are looked at before it is asked whether somebody still waits."""
_LONGEST_LINE = 200_000
"""Commits whose places on the branch are known."""


class SupersededError(Exception):
    """A newer request took the place of this one, and nobody waits for its answer."""


@frozen
class MomentTarget:
    """A moment: memory as it was right after ``moment``, or today's where that is None.

    ``back`` counts the changes since then. ``limit`` says in words why the person did not get further.
    """

    moment: Operation | None
    back: int = 0
    limit: str = ""


class RevisionStepper(WorkThread):
    """Steps through the moments of a memory and lays them out. What runs in its thread says so."""

    def __init__(self, root: Path) -> None:
        super().__init__("travelling")
        self._root = root
        self._opened: Workspace | None = None
        self._moments: SnapshotCommits | None = None
        self._index: int | None = None
        """The place in the list; of a moment that is not in it the place of the next older one."""
        self._beside: Operation | None = None
        self.looks: Callable[[int], None] = lambda commits: None
        """Hears how many commits were looked at, where that takes long; may raise SupersededError."""

    def end(self) -> None:
        """Stop, and end git's helper process; waits for what runs."""
        self.finish(self.forget)

    # -- in the thread ---------------------------------------------------------------------------

    def forget(self) -> None:
        """Begin anew with the next step: the history may be another one by then."""
        if self._opened:
            self._opened.close()
        self._opened = self._moments = self._index = self._beside = None

    def home(self) -> MomentTarget:
        """Today."""
        self._index = self._beside = None
        return MomentTarget(None)

    def step(self, by: int) -> MomentTarget:
        """``by`` moments further back, or forth where it is negative. Raises WorkbenchError."""
        if self._index is not None:
            return self._go(self._index + by - (self._beside is not None and by > 0))
        if by < 0:
            return self.home()
        return self._go(by - 1 + stands_recorded(self._workspace()))

    def day(self, by: int) -> MomentTarget:
        """The end of the day before that of the moment on which something changed, or of the one after it."""
        if self._index is None and by < 0:
            return self.home()
        at = self._index or 0
        known = self._list().known
        here = clock.today() if self._index is None else local_day((self._beside or known[at]).when)
        if by > 0:
            while self._has(at) and local_day(known[at].when) >= here:
                at += 1
            return self._go(at)
        newer = [local_day(one.when) for one in known[:at]]
        later = [day for day in newer if day > here]
        return self._go(newer.index(later[-1])) if later else self.home()

    def at(self, when: str, today: date) -> MomentTarget:
        """A day, a month, an operation or a commit, as people write them."""
        from indexing.search.index_search import moment_named  # noqa: PLC0415 - only dates typed need it

        self._list()
        place = self._workspace()
        return self.after(place.operations.of(commit_at(place.history, moment_named(when, today)).id))

    def after(self, operation: Operation) -> MomentTarget:
        """The moment right after an operation; it need not be one that changed memory, nor on this line.

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
        return MomentTarget(operation, at)

    def before(self, operation: Operation) -> MomentTarget:
        """Right before it. Raises UsageError for the first one of all."""
        commit = self._workspace().history.commit(operation.commit)
        if not commit.parents:
            raise UsageError(f"there is no state before {operation.id}", hint="it is the oldest commit")
        return self.after(self._workspace().operations.of(commit.parents[0]))

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

    def _list(self) -> SnapshotCommits:
        """The moments, read anew when a person leaves today and there are newer ones."""
        moments = self._moments
        if moments is None or (self._index is None and moments.head != self._workspace().history.head()):
            moments = self._moments = SnapshotCommits(self._workspace())
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

    def _go(self, index: int) -> MomentTarget:
        if index < 0:
            return self.home()
        limit = "" if self._has(index) else "the history of this memory begins here"
        known = self._list().known
        if not known:
            raise UsageError(
                "no commit has touched this memory yet", hint="`workbench status --commit` creates the first"
            )
        self._index, self._beside = min(index, len(known) - 1), None
        return MomentTarget(known[self._index], self._index, limit)
