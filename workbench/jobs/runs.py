"""The jobs by their names, a run of one from its beginning to its end, and the record of the last runs.

A run is alone in its workspace. The record of each job, ``.workbench/job-NAME.json``, may be lost: then
nothing is known. Kept are times, states, counts and classes of errors, never a word of memory. A message of
an error may quote an entry. So only its class is kept, and nothing here takes a text that is not the name of
a class, a step or a count.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from workbench.errors import BusyError, StoppedError
from workbench.workspace.locks import hold
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


def is_kept(state: Path, job: Job) -> bool:
    """Whether there is a record of the job, be it readable or not."""
    return _book(state, job).exists()


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


class Running:
    """A run that is under way: told what becomes of it, it keeps that at once.

    Where the disk takes no record, none is kept; the job goes on.
    """

    def __init__(self, state: Path, run: JobRun, clock: Callable[[], datetime]) -> None:
        self._state = state
        self._clock = clock
        self.run = run

    def step(self, name: str, state: StepState, error: str = "") -> None:
        """A step is over. ``error`` is the class of what went wrong in it."""
        done = StepResult(name=named(name), state=state, error=named(error) if error else None)
        self._become(replace(self.run, steps=(*self.run.steps, done)))

    def tell(self, counts: Mapping[str, int], error: str = "") -> None:
        """How it stands now: its counts, in the place of those before, and what fails in it at present."""
        counted = {named(name): count for name, count in counts.items()}
        self._become(replace(self.run, counts=counted, error=named(error) if error else None))

    def end(self, state: State, error: str = "") -> None:
        """It is over."""
        known = named(error) if error else self.run.error
        self._become(replace(self.run, state=state, ended=self._clock(), error=known))

    def _become(self, run: JobRun) -> None:
        if run != self.run:
            self.run = run
            self.keep()

    def keep(self) -> None:
        """Write it down as it is."""
        with contextlib.suppress(OSError):
            keep(self._state, self.run)


@contextlib.contextmanager
def running(
    state: Path, job: Job, *, by_clock: bool = False, clock: Callable[[], datetime] = now
) -> Iterator[Running]:
    """Run ``job`` in the block, as the only one of its kind in the workspace of the folder ``state``.

    The lock dies with its holder. A run that is killed leaves a record without an end, from which the next
    look tells that it was. Raises BusyError that names who runs, and ReadOnlyError.
    """
    with hold(state / job.lock, job.called):
        made = Running(state, JobRun(job=job, began=clock(), pid=os.getpid(), by_clock=by_clock), clock)
        made.keep()
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
