"""How each job stands: when it ran last, how that ended, whether it is overdue, and what mends it."""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Literal

from workbench.jobs.runs import Job, JobRun, StepResult, is_kept, runs
from workbench.plural import duration
from workbench.workspace.locks import held

DAY = timedelta(days=1)
WEEK = timedelta(days=7)
"""What is waited for a clock that came once: nobody knows yet whether it comes daily or weekly."""
PATIENCE = 1.5
"""Times its usual distance after which a run that did not come is overdue."""
State = Literal["never", "running", "failing", "done", "stopped", "failed", "killed"]
_SAID: Mapping[State, str] = {
    "never": "was never run here",
    "running": "runs",
    "failing": "runs and meets errors",
    "done": "is done",
    "stopped": "was stopped",
    "failed": "failed",
    "killed": "was killed before its end",
}
_CLOCKS = "see whether its clock still runs (`systemctl --user list-timers`, `crontab -l`, `launchctl list`)"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStatus:
    """One job. ``failed`` are the steps whose last attempt failed; ``overdue`` says since when, or nothing.

    ``failing`` is one that runs and meets errors, ``killed`` one whose record has no end, and whose lock
    nobody holds.
    """

    job: Job
    state: State = "never"
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
            return f"the record of {title} cannot be read: whether it ran is not known"
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
            begins = f"`workbench {self.job.command}` does it now and begins a new one"
            return f"{begins}, `workbench jobs forget {self.job}` drops it"
        return self._mends() if self.wrong else ""

    def _mends(self) -> str:
        command = f"`workbench {self.job.command}`"
        if self.failed:
            steps = " ".join(f"--only {one.name}" for one in self.failed)
            return f"`workbench {self.job.command} {steps}` does it now, and says why"
        if self.state == "failing":
            if self.job is Job.REINDEX_WATCH:
                return "`workbench reindex` says why; it goes on by itself when that is mended"
            return f"end it, then `workbench {self.job.command} --once` says why"
        if self.state in ("failed", "killed"):
            return f"{command} does it now" + (", and says why" if self.state == "failed" else "")
        if self.state == "running":
            pid = self.last.pid if self.last else 0
            return f"if it hangs, end it (`kill {pid}`): the next run goes on where it stood"
        return f"{_CLOCKS}; {command} does it now, `workbench jobs forget {self.job}` if nobody wants it"

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
            "error": last.error if last else None,
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
        unread = not held_now and is_kept(state, job)
        return JobStatus(job=job, state="running" if held_now else "never", unread=unread)
    last, failed = every[-1], _failed(every)
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


def _state(last: JobRun, failed: Sequence[StepResult], *, held_now: bool) -> State:
    if held_now:
        return "failing" if last.state == "running" and last.error else "running"
    if last.state == "running":
        return "killed"
    return "failed" if last.state == "done" and failed else last.state


def _failed(every: Sequence[JobRun]) -> tuple[StepResult, ...]:
    """The steps whose last attempt failed: one that was not tried since did not mend itself."""
    latest = {step.name: step for run in every for step in run.steps}
    return tuple(step for step in latest.values() if step.state == "failed")


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
        return f"the last run is dated {duration(-waited)} ahead, by a clock that was wrong"
    if waited <= usual * PATIENCE:
        return ""
    what = "it has been running for" if held_now else "the last run was"
    return f"{what} {duration(waited)}{'' if held_now else ' ago'}"


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None
