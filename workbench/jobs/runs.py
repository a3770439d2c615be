"""The jobs by their names, a run of one from its beginning to its end, and how each job stands."""

from __future__ import annotations

import contextlib
import os
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from workbench.errors import BusyError, StoppedError
from workbench.frozen import frozen_kw_only
from workbench.plural import duration
from workbench.workspace.locks import held, hold
from workbench.workspace.state_files import read_state, write_state


class Job(StrEnum):
    """What runs by itself. The value names its lock and its records in ``.workbench/``."""

    NIGHTLY = "nightly"
    WATCH = "watch"
    REINDEX = "reindex"
    REINDEX_WATCH = "reindex-watch"

    @property
    def command(self) -> str:
        """What stands behind ``workbench`` to run it."""
        return _COMMANDS.get(self, self.value)

    @property
    def lasting(self) -> bool:
        """Whether it goes on until it is stopped, rather than coming to an end."""
        return self in (Job.WATCH, Job.REINDEX_WATCH)

    @property
    def called(self) -> str:
        """What it is called in a sentence."""
        return "the nightly run" if self is Job.NIGHTLY else self.command

    @property
    def lock(self) -> str:
        """The name of the lock file that its runs hold."""
        return f"{self.value}.lock"


_COMMANDS = {Job.NIGHTLY: "jobs run nightly", Job.REINDEX_WATCH: "reindex --watch"}


State = Literal["running", "done", "failed", "stopped"]
StepState = Literal["done", "nothing", "failed", "would"]


# -- the records of the last runs --------------------------------------------------------------------
# They are in ``.workbench/job-NAME.json``, which may be lost: then nothing is known. Kept are times, states,
# counts and classes of errors, never a word of memory. A message of an error may quote an entry, so only its
# class is kept, and nothing here takes a text that is not the name of a class, a step or a count.

KEPT = 20
"""Runs that are kept of each job."""
_MAX_BYTES = 400_000
_NAME = r"^[A-Za-z_][A-Za-z0-9_]{0,63}\Z"
Name = Annotated[str, Meta(pattern=_NAME)]
_Moment = Annotated[datetime, Meta(tz=True)]


def named(text: str) -> str:
    """``text`` where it is a plain name, else ``Error``: what is not a name could be anything."""
    return text if re.match(_NAME, text) else "Error"


class StepResult(Struct, frozen=True, kw_only=True):
    """What became of one step; ``error`` is the class of what went wrong in it."""

    name: Name = msgspec.field(name="step")
    state: StepState
    error: Name | None = None


class JobRun(Struct, frozen=True, kw_only=True):
    """One run. Times have a zone; ``ended`` is None while it runs, and of one that was killed.

    ``by_clock``: a clock started it, not a person. ``error`` is the class of what ended it, or, of a job that
    goes on, of what fails in it at present.
    """

    job: Job
    began: _Moment
    pid: int
    state: State = "running"
    ended: _Moment | None = None
    by_clock: bool = False
    steps: tuple[StepResult, ...] = ()
    counts: dict[Name, int] = {}
    error: Name | None = None

    @property
    def seconds(self) -> float | None:
        """How long it took, never below zero; None where its end is not known."""
        return max(0.0, (self.ended - self.began).total_seconds()) if self.ended else None


class _Book(Struct):
    """What such a file holds."""

    format: Literal[1]
    runs: list[Any]


def runs(state: Path, job: Job) -> tuple[JobRun, ...]:
    """The last runs, the newest at the end. What is no record is left out."""
    try:
        book = msgspec.convert(read_state(_book(state, job), _MAX_BYTES), _Book)
    except msgspec.ValidationError:
        return ()
    found = []
    for one in book.runs[-KEPT:]:
        with contextlib.suppress(TypeError, msgspec.ValidationError):
            found.append(msgspec.convert({**one, "job": job.value}, JobRun))
    return tuple(found)


def keep(state: Path, run: JobRun) -> None:
    """Write ``run`` down, in the place of what was kept of it before. Raises OSError.

    Only the holder of the job's lock may do so: the other runs are read and written again.
    """
    others = [one for one in runs(state, run.job) if (one.began, one.pid) != (run.began, run.pid)]
    write_state(_book(state, run.job), msgspec.to_builtins(_Book(1, [*others, run][-KEPT:])))


def forget(state: Path, job: Job) -> bool:
    """Keep nothing of the job any more: whether there was something. Raises OSError."""
    try:
        _book(state, job).unlink()
    except FileNotFoundError:
        return False
    return True


def _book(state: Path, job: Job) -> Path:
    return state / f"job-{job.value}.json"


def now() -> datetime:
    """This moment, with its zone."""
    return datetime.now().astimezone()


class ActiveRun:
    """A run that is under way: told what becomes of it, it keeps that at once.

    Where the disk takes no record, none is kept; the job goes on.
    """

    def __init__(self, state: Path, run: JobRun, clock: Callable[[], datetime]) -> None:
        self._state = state
        self._clock = clock
        self.run = run
        self._keep()

    def step(self, name: str, state: StepState, error: str = "") -> None:
        """A step is over. ``error`` is the class of what went wrong in it."""
        done = StepResult(name=named(name), state=state, error=named(error) if error else None)
        self._become(steps=(*self.run.steps, done))

    def tell(self, counts: Mapping[str, int], error: str = "") -> None:
        """How it stands now: its counts, in the place of those before, and what fails in it at present."""
        counted = {named(name): count for name, count in counts.items()}
        self._become(counts=counted, error=named(error) if error else None)

    def end(self, state: State, error: str = "") -> None:
        """It is over."""
        self._become(state=state, ended=self._clock(), error=named(error) if error else self.run.error)

    def _become(self, **changes: Any) -> None:
        run = replace(self.run, **changes)
        if run != self.run:
            self.run = run
            self._keep()

    def _keep(self) -> None:
        with contextlib.suppress(OSError):
            keep(self._state, self.run)


@contextlib.contextmanager
def running(
    state: Path, job: Job, *, by_clock: bool = False, clock: Callable[[], datetime] = now
) -> Iterator[ActiveRun]:
    """Run ``job`` in the block, as the only one of its kind in the workspace of the folder ``state``.

    The lock dies with its holder. A run that is killed leaves a record without an end, from which the next
    look tells that it was. Raises BusyError that names who runs, and ReadOnlyError.
    """
    with hold(state / job.lock, job.called):
        made = ActiveRun(state, JobRun(job=job, began=clock(), pid=os.getpid(), by_clock=by_clock), clock)
        try:
            yield made
        except (KeyboardInterrupt, GeneratorExit, BrokenPipeError, StoppedError):
            made.end("stopped")
            raise
        except BusyError:  # somebody else does what it would have done
            made.end("stopped", "BusyError")
            raise
        except BaseException as error:
            made.end("failed", type(error).__name__)
            raise
        if job.lasting:
            made.end("stopped")
        else:
            made.end("failed" if any(one.state == "failed" for one in made.run.steps) else "done")


# -- how each job stands: its last run, whether it is overdue, and what mends it ---------------------

DAY = timedelta(days=1)
WEEK = timedelta(days=7)
"""How long the next scheduled run is waited for after the first: it may be a daily or a weekly job."""
PATIENCE = 1.5
"""Times its usual distance after which a run that did not come is overdue."""
JobState = Literal["never", "running", "failing", "done", "stopped", "failed", "killed"]
_SAID: Mapping[JobState, str] = {
    "never": "has never run here",
    "running": "runs",
    "failing": "is running, with errors",
    "done": "is done",
    "stopped": "was stopped",
    "failed": "failed",
    "killed": "was killed before its end",
}
_CLOCKS = "check that its schedule is active (`systemctl --user list-timers`, `crontab -l`, `launchctl list`)"


@frozen_kw_only
class JobStatus:
    """One job. ``failed`` are the steps whose last attempt failed; ``overdue`` says since when, or nothing.

    ``failing`` is one that runs and meets errors, ``killed`` one whose record has no end, and whose lock
    nobody holds.
    """

    job: Job
    state: JobState = "never"
    last: JobRun | None = None
    failed: tuple[StepResult, ...] = ()
    overdue: str = ""
    unread: bool = False
    """Whether there is a record that cannot be read: what became of its runs is not known."""

    @property
    def wrong(self) -> bool:
        """Whether somebody should look at it."""
        return self.state in ("failing", "failed", "killed") or bool(self.overdue) or self.unread

    @property
    def sentence(self) -> str:
        """What is wrong, or how it stands, without a mark at the end."""
        title = self.job.called
        if self.unread:
            return f"the record of {title} cannot be read: whether it ran is unknown"
        if self.failed:
            steps = ", ".join(f"{one.name} ({one.error})" if one.error else one.name for one in self.failed)
            return f"{title} failed at {steps}"
        if self.overdue and self.state != "failed":
            return f"{title} is overdue: {self.overdue}"
        error = f" ({self.last.error})" if self.last and self.last.error else ""
        return f"{title} {_SAID[self.state]}{error}"

    @property
    def line(self) -> str:
        """When, what became of it and how long it took, for a table."""
        if self.unread:
            return "its record cannot be read"
        if self.last is None:
            return "it runs" if self.state == "running" else "never"
        took = "" if self.last.seconds is None else f" after {duration(self.last.seconds)}"
        began = f"{self.last.began.astimezone():%Y-%m-%d %H:%M}"
        by = "by the clock" if self.last.by_clock else "by hand"
        over = "overdue, " if self.overdue else ""
        return f"{began} {by} · {over}{self.state}{took}"

    @property
    def mends(self) -> str:
        """What to do; empty while nothing is wrong."""
        if self.unread:
            begins = f"`workbench {self.job.command}` runs it now and starts a new record"
            return f"{begins}, `workbench jobs forget {self.job}` removes it"
        return self._mends() if self.wrong else ""

    def _mends(self) -> str:
        command = f"`workbench {self.job.command}`"
        if self.failed:
            steps = " ".join(f"--only {one.name}" for one in self.failed)
            return f"`workbench {self.job.command} {steps}` runs it now and reports why"
        if self.state == "failing":
            if self.job is Job.REINDEX_WATCH:
                return "`workbench reindex` reports why; it continues when that is fixed"
            return f"end it, then `workbench {self.job.command} --once` says why"
        if self.state in ("failed", "killed"):
            return f"{command} runs it now" + (" and reports why" if self.state == "failed" else "")
        if self.state == "running":
            pid = self.last.pid if self.last else 0
            return f"if it hangs, end it (`kill {pid}`): the next run continues where it stopped"
        return f"{_CLOCKS}; {command} runs it now, `workbench jobs forget {self.job}` if it is not needed"

    def as_json(self) -> dict[str, object]:
        """The same for programs."""
        last = self.last
        return {
            "job": self.job.value,
            "state": self.state,
            "wrong": self.wrong,
            "overdue": self.overdue or None,
            "began": _iso(last.began if last else None),
            "ended": _iso(last.ended if last else None),
            "seconds": round(last.seconds, 3) if last and last.seconds is not None else None,
            "by_clock": last.by_clock if last else False,
            "error": last and last.error,
            "failed_steps": [{"step": one.name, "error": one.error} for one in self.failed],
            "counts": last.counts if last else {},
            "next": self.mends or None,
        }


def standings(state: Path, now: datetime) -> tuple[JobStatus, ...]:
    """Every job of the workspace whose folder ``.workbench`` is ``state``. Writes nothing, raises nothing."""
    return tuple(standing(state, job, now) for job in Job)


def standing(state: Path, job: Job, now: datetime) -> JobStatus:
    """One job."""
    held_now, every = _held(state, job), runs(state, job)
    if not held_now and every and every[-1].state == "running":  # killed, if it did not begin or end just now
        held_now, every = _held(state, job), runs(state, job)
    if not every:
        unread = not held_now and _book(state, job).exists()
        return JobStatus(job=job, state="running" if held_now else "never", unread=unread)
    last = every[-1]
    # A step that failed, and was not tried since, did not mend itself.
    latest = {step.name: step for run in every for step in run.steps}
    failed = tuple(step for step in latest.values() if step.state == "failed")
    return JobStatus(
        job=job,
        state=_state(last, failed, held_now=held_now),
        last=last,
        failed=failed,
        overdue=_overdue(every, now, held_now=held_now),
    )


def _held(state: Path, job: Job) -> bool:
    with contextlib.suppress(OSError):
        found = held(state / job.lock)
        return found is not None and found.held
    return False


def _state(last: JobRun, failed: Sequence[StepResult], *, held_now: bool) -> JobState:
    if held_now:
        return "failing" if last.state == "running" and last.error else "running"
    if last.state == "running":
        return "killed"
    return "failed" if last.state == "done" and failed else last.state


def _overdue(every: Sequence[JobRun], now: datetime, *, held_now: bool) -> str:
    """Since when it is overdue. A job that no clock ever started is awaited by nobody."""
    clocked = [run.began for run in every if run.by_clock]
    last = every[-1]
    if not clocked or (held_now and last.job.lasting):
        return ""
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(clocked)]
    unknown = DAY if held_now or last.job.lasting else WEEK
    usual = max(DAY.total_seconds(), statistics.median(gaps)) if gaps else unknown.total_seconds()
    waited = (now - (last.ended or last.began if last.job.lasting else last.began)).total_seconds()
    if waited < -DAY.total_seconds():
        return f"the last run is dated {duration(-waited)} in the future, because the clock was wrong"
    if waited <= usual * PATIENCE:
        return ""
    what = "it has been running for" if held_now else "the last run was"
    return f"{what} {duration(waited)}{'' if held_now else ' ago'}"


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None
