"""The last runs of each job, in ``.workbench/job-NAME.json``. They may be lost: then nothing is known."""

from __future__ import annotations

import contextlib
from pathlib import Path

from workbench.jobs.names import Job
from workbench.jobs.run import JobRun, run_from_json
from workbench.workspace.state_files import read_state, write_state

KEPT = 20
"""Runs that are kept of each job."""
_FORMAT = 1
_MAX_BYTES = 400_000


def runs(state: Path, job: Job) -> tuple[JobRun, ...]:
    """The last runs, the newest at the end. What is no record is left out."""
    raw = read_state(_book(state, job), _MAX_BYTES)
    if not isinstance(raw, dict) or raw.get("format") != _FORMAT or not isinstance(raw.get("runs"), list):
        return ()
    found = []
    for one in raw["runs"][-KEPT:]:
        with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError, OverflowError):
            found.append(run_from_json(job, one))
    return tuple(found)


def keep(state: Path, run: JobRun) -> None:
    """Write ``run`` down, in the place of what was kept of it before. Raises OSError.

    Only the holder of the job's lock may do so: the other runs are read and written again.
    """
    others = [one for one in runs(state, run.job) if (one.began, one.pid) != (run.began, run.pid)]
    every = [*others, run][-KEPT:]
    write_state(_book(state, run.job), {"format": _FORMAT, "runs": [one.as_json() for one in every]})


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
