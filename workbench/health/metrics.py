"""Figures of the jobs and the memory as a text file for Prometheus. It is a file: nothing is sent anywhere.

Times are seconds since 1970, durations seconds, shares of 1. The file holds no text of memory and no path:
its labels are the name of the workspace, of jobs and of steps, and ``id``, a digest of the workspace's
folder, which tells workspaces of one name apart.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import UsageError, disk_error
from workbench.health.finding import Figure
from workbench.health.subject import CheckSubject
from workbench.jobs.job_status import standing
from workbench.jobs.names import Job
from workbench.jobs.run_log import runs
from workbench.safety.terminal import visible
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.registry import read_registry
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

SUFFIX = ".prom"
"""What the text collector of the node exporter reads."""
_ID_BYTES = 6
_MEASURED = ("inbox", "budget", "sync")
"""The checks that count something."""
_LATEST = {
    "success": ("last_success_timestamp_seconds", "When a run ended well, or went well for the last time."),
    "failure": ("last_failure_timestamp_seconds", "When a run failed the last time."),
    "began": ("last_start_timestamp_seconds", "When the last run began."),
    "seconds": ("last_duration_seconds", "How long the last run took that came to its end."),
}


@dataclass(frozen=True, slots=True)
class MetricsFile:
    """Where the figures of one workspace are written."""

    path: Path
    workspace: Workspace

    @classmethod
    def at(cls, name: str, workspace: Workspace) -> MetricsFile:
        """The file ``name``. Raises UsageError where it could not, or must not, be written."""
        path = Path(name).expanduser().absolute()
        if path.suffix != SUFFIX:
            raise UsageError(
                f"a file of metrics ends in {SUFFIX}, and {path.name} does not",
                hint="the text collector of Prometheus reads no other; nothing was written",
            )
        if not path.parent.is_dir():
            raise UsageError(f"there is no folder {path.parent} to write metrics into", hint="make it first")
        if path.parent.resolve().is_relative_to(workspace.root):
            raise UsageError(
                "metrics do not belong into the workspace", hint="name a file in a folder outside of it"
            )
        return cls(path, workspace)

    def write(self, now: datetime) -> None:
        """Put the figures of this moment there, whole or not at all. Raises WorkbenchError."""
        from prometheus_client import write_to_textfile  # noqa: PLC0415 - only for whoever wants figures

        try:
            write_to_textfile(str(self.path), figures(self.workspace, now))
        except OSError as error:
            raise disk_error(error) from error


def figures(workspace: Workspace, now: datetime) -> CollectorRegistry:
    """All gauges. What cannot be told is left out: an absent figure is no zero."""
    from prometheus_client import CollectorRegistry, Gauge  # noqa: PLC0415

    registry = CollectorRegistry()
    name = visible(_name(workspace), one_line=True)
    identity = hashlib.blake2b(os.fsencode(workspace.root), digest_size=_ID_BYTES).hexdigest()

    def gauge(metric: str, what: str, values: Iterable[tuple[dict[str, str], float]]) -> None:
        known = list(values)
        if known:
            labels = ("workspace", "id", *known[0][0])
            made = Gauge(f"workbench_{metric}", what, labels, registry=registry)
            for label, value in known:
                made.labels(name, identity, *label.values()).set(value)

    _jobs(workspace.root / STATE_DIR, now, gauge)
    for figure in _memory(workspace, now):
        gauge(figure.name, figure.help, [({}, figure.value)])
    return registry


def _name(workspace: Workspace) -> str:
    """The name that the person gave the workspace, else that of its folder."""
    with contextlib.suppress(UsageError):
        if known := read_registry().at(workspace.root):
            return known.name
    return workspace.root.name


_Gauge = Callable[[str, str, Iterable[tuple[dict[str, str], float]]], None]


def _jobs(state: Path, now: datetime, gauge: _Gauge) -> None:
    latest: dict[str, list[tuple[dict[str, str], float]]] = {what: [] for what in _LATEST}
    wrong, under_way, steps = [], [], []
    for job in Job:
        stands, label = standing(state, job, now), {"job": job.value}
        if stands.last is None:
            continue
        wrong.append((label, float(stands.wrong)))
        under_way.append((label, float(stands.state in ("running", "failing"))))
        steps += [({**label, "step": one.name}, 1.0) for one in stands.failed]
        for what, value in _times(state, job, now).items():
            latest[what].append((label, value))
    for what, (metric, told) in _LATEST.items():
        gauge(f"job_{metric}", told, latest[what])
    gauge("job_failing", "1 where the job is not well: failed, killed, overdue or meeting errors.", wrong)
    gauge("job_running", "1 while the job runs, as of when this was written.", under_way)
    gauge("job_step_failing", "1 for each step whose last attempt failed.", steps)


def _times(state: Path, job: Job, now: datetime) -> dict[str, float]:
    """The newest of each that the kept runs know."""
    found: dict[str, float] = {}
    for run in runs(state, job):
        found["began"] = run.began.timestamp()
        if run.state == "running":
            found["failure" if run.error else "success"] = now.timestamp()
        if run.ended is None:
            continue
        if run.seconds is not None:
            found["seconds"] = run.seconds
        if run.state == "failed":
            found["failure"] = run.ended.timestamp()
        elif run.state == "done" or (run.job.lasting and not run.error):
            found["success"] = run.ended.timestamp()
    return found


def _memory(workspace: Workspace, now: datetime) -> Iterable[Figure]:
    """What the checks count that are over in a moment."""
    from workbench.health.checks import CHECKS, look_at  # noqa: PLC0415 - the checks bring the engines

    place = CheckSubject(workspace, moment=now)
    for check in CHECKS:
        if check.name in _MEASURED:
            yield from look_at(check, place).figures
