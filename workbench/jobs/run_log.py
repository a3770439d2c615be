"""The last runs of each job, in ``.workbench/job-NAME.json``. They may be lost: then nothing is known.

Kept are times, states, counts and classes of errors, never a word of memory. A message of an error may quote
an entry. So only its class is kept, and nothing here takes a text that is not the name of a class, a step or
a count.
"""

from __future__ import annotations

import contextlib
import re
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from workbench.jobs.names import Job
from workbench.workspace.state_files import read_state, write_state

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
