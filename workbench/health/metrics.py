"""Figures of the jobs and the memory as a text file for Prometheus. It is a file: nothing is sent anywhere.

Times are seconds since 1970, durations seconds, shares of 1. The file holds no text of memory and no path:
its labels are the name of the workspace, of jobs and of steps, and ``id``, a digest of the workspace's
folder, which tells workspaces of one name apart.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from workbench.errors import UsageError, WorkbenchError, disk_errors
from workbench.frozen import frozen
from workbench.jobs.runs import JobStatus, runs, standings
from workbench.safety.terminal import visible_line
from workbench.workspace.registry import read_registry
from workbench.workspace.workspace import Workspace

SUFFIX = ".prom"
"""What the text collector of the node exporter reads."""
_ID_BYTES = 6
_HELP = {
    "files": "Memory files, those beside the workspace included.",
    "index_entries": "Entries in the index.",
    "index_stale_files": "Files that the index is behind by.",
    "index_entries_without_vector": "Entries without a vector, found by keyword only.",
    "index_usable": "1 where there is an index that answers.",
    "memory_budget_share": "Characters of MEMORY.md, as a share of its budget.",
    "proposals_pending": "Proposals that wait for a person.",
    "job_last_success_timestamp_seconds": "When a run ended well, or went well for the last time.",
    "job_last_failure_timestamp_seconds": "When a run failed the last time.",
    "job_last_start_timestamp_seconds": "When the last run began.",
    "job_last_duration_seconds": "How long the last run took that came to its end.",
    "job_failing": "1 if the job has a problem: failed, killed, overdue or reporting errors.",
    "job_running": "1 while the job runs, as of when this was written.",
    "job_step_failing": "1 for each step whose last attempt failed.",
}


Tell = Callable[..., None]
"""Puts one figure into the file: its name and value, and its labels beside those of the workspace."""


@frozen
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
                f"the name of a metrics file must end in {SUFFIX}: {path.name}",
                hint="Prometheus' textfile collector ignores others; nothing was written",
            )
        if not path.parent.is_dir():
            raise UsageError(
                f"there is no folder {path.parent} to write metrics into", hint="create it first"
            )
        if path.parent.resolve().is_relative_to(workspace.root):
            raise UsageError("metrics cannot be written into the workspace", hint="use a file outside of it")
        return cls(path, workspace)

    def write(self, now: datetime) -> None:
        """Put the figures of this moment there, whole or not at all. Raises WorkbenchError."""
        from prometheus_client import (  # noqa: PLC0415 - only for whoever wants figures
            CollectorRegistry,
            Gauge,
            write_to_textfile,
        )

        registry = CollectorRegistry()
        gauges: dict[str, Gauge] = {}
        own = {
            "workspace": visible_line(_name(self.workspace)),
            "id": hashlib.blake2b(os.fsencode(self.workspace.root), digest_size=_ID_BYTES).hexdigest(),
        }

        def tell(name: str, value: float, **labels: str) -> None:
            if name not in gauges:
                names = [*own, *labels]
                gauges[name] = Gauge(f"workbench_{name}", _HELP[name], names, registry=registry)
            gauges[name].labels(**own, **labels).set(value)

        for status in standings(self.workspace.state_path, now):
            if status.last is not None:
                _of_job(self.workspace, status, now, tell)
        _of_memory(self.workspace, now, tell)
        with disk_errors():
            write_to_textfile(str(self.path), registry)


def _of_job(workspace: Workspace, status: JobStatus, now: datetime, tell: Tell) -> None:
    """How the job stands, and the newest of each moment that its kept runs know."""
    job = status.job.value
    newest: dict[str, float] = {}
    for run in runs(workspace.state_path, status.job):
        newest["start_timestamp"] = run.began.timestamp()
        if run.state == "running":
            newest["failure_timestamp" if run.error else "success_timestamp"] = now.timestamp()
        if run.ended is None:
            continue
        if run.seconds is not None:
            newest["duration"] = run.seconds
        if run.state == "failed":
            newest["failure_timestamp"] = run.ended.timestamp()
        elif run.state == "done" or (run.job.lasting and not run.error):
            newest["success_timestamp"] = run.ended.timestamp()
    for what, value in newest.items():
        tell(f"job_last_{what}_seconds", value, job=job)
    tell("job_failing", status.wrong, job=job)
    tell("job_running", status.state in ("running", "failing"), job=job)
    for step in status.failed:
        tell("job_step_failing", 1.0, job=job, step=step.name)


def _of_memory(workspace: Workspace, now: datetime, tell: Tell) -> None:
    """Proposals, budget and index. What cannot be told is left out: an absent figure is no zero."""
    from indexing.sync.freshness import freshness  # noqa: PLC0415 - brings the engine
    from workbench.dreaming.proposals.budget import budget_of  # noqa: PLC0415
    from workbench.dreaming.proposals.inbox import pending  # noqa: PLC0415

    with contextlib.suppress(WorkbenchError, OSError):
        tell("proposals_pending", len(pending(workspace, now)))
    with contextlib.suppress(WorkbenchError, OSError):
        tell("memory_budget_share", budget_of(workspace).share)
    with contextlib.suppress(WorkbenchError, OSError):
        found = freshness(workspace)
        tell("files", found.files)
        usable = found.state in ("fresh", "stale")
        tell("index_usable", usable)
        if usable:
            tell("index_entries", found.entries)
            tell("index_stale_files", found.added + found.changed + found.removed)
            tell("index_entries_without_vector", found.pending)


def _name(workspace: Workspace) -> str:
    """The name that the person gave the workspace, else that of its folder."""
    with contextlib.suppress(UsageError):
        if known := read_registry().at(workspace.root):
            return known.name
    return workspace.root.name
