"""One run of a job, as it is kept: times, states, counts and classes of errors, never a word of memory.

A message of an error may quote an entry. So only its class is kept, and nothing here takes a text that is not
the name of a class, a step or a count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast, get_args

from workbench.jobs.names import Job

State = Literal["running", "done", "failed", "stopped"]
StepState = Literal["done", "nothing", "failed", "would"]
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_MOST = 40
"""Steps, and counts, of one run."""


def named(text: str) -> str:
    """``text`` where it is a plain name, else ``Error``: what is not a name could be anything."""
    return text if _NAME.fullmatch(text) else "Error"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """What became of one step; ``error`` is the class of what went wrong in it."""

    name: str
    state: StepState
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRun:
    """One run. Times have a zone; ``ended`` is None while it runs, and of one that was killed.

    ``by_clock``: a clock started it, not a person. ``error`` is the class of what ended it, or, of a job that
    goes on, of what fails in it at present.
    """

    job: Job
    began: datetime
    pid: int
    state: State = "running"
    ended: datetime | None = None
    by_clock: bool = False
    steps: tuple[StepResult, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    error: str = ""

    @property
    def seconds(self) -> float | None:
        """How long it took, never below zero; None where its end is not known."""
        return max(0.0, (self.ended - self.began).total_seconds()) if self.ended else None

    def as_json(self) -> dict[str, object]:
        """The run as it is kept; ``run_from_json`` reads it."""
        return {
            "began": self.began.isoformat(),
            "ended": self.ended.isoformat() if self.ended else None,
            "pid": self.pid,
            "state": self.state,
            "by_clock": self.by_clock,
            "steps": [
                {"step": one.name, "state": one.state, "error": one.error or None} for one in self.steps
            ],
            "counts": dict(self.counts),
            "error": self.error or None,
        }


def run_from_json(job: Job, raw: Mapping[str, Any]) -> JobRun:
    """The run that ``as_json`` wrote. Raises KeyError, TypeError or ValueError for what is none."""
    if raw["state"] not in get_args(State):
        raise ValueError("no state of a run")
    return JobRun(
        job=job,
        began=datetime.fromisoformat(raw["began"]).astimezone(),
        ended=datetime.fromisoformat(raw["ended"]).astimezone() if raw["ended"] is not None else None,
        pid=int(raw["pid"]),
        state=cast("State", raw["state"]),
        by_clock=raw["by_clock"] is True,
        steps=tuple(_step(one) for one in raw["steps"][:_MOST]),
        counts=tuple((named(name), int(count)) for name, count in list(raw["counts"].items())[:_MOST]),
        error=named(raw["error"]) if raw["error"] else "",
    )


def _step(raw: Mapping[str, Any]) -> StepResult:
    if raw["state"] not in get_args(StepState):
        raise ValueError("no state of a step")
    error = named(raw["error"]) if raw["error"] else ""
    return StepResult(name=named(raw["step"]), state=cast("StepState", raw["state"]), error=error)
