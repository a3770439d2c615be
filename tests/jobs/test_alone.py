"""Two runs of a job never overlap: with real processes, started at the same instant, and killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest

from tests.support import forked
from tests.support.workspaces import Sandbox
from workbench.jobs.runs import Job, standing

pytestmark = [
    pytest.mark.promise(
        "From sessions to long-term memory",
        "a job is killed",
        "the next run works, and reports the kill",
        by="SIGKILL",
    ),
]

PROJECT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 60.0
GATED = """
import sys
from workbench.jobs import nightly
from workbench.cli import main

def gate(night):
    sys.stderr.write("inside\\n")
    sys.stdin.readline()
    return nightly.StepOutcome(step="prune", state="done", said="")

nightly.STEPS["prune"] = gate
main()
"""
"""The nightly run, with a first step that waits to be told to go on."""

Process = subprocess.Popen[str]


@pytest.fixture(autouse=True)
def words_only(person: Path) -> None:
    (person / "sessions").mkdir()
    (person / "settings.yaml").write_text(f"model: none\ntranscripts: ['{person}/sessions']\n")


def start(sandbox: Sandbox, job: Job) -> Process:
    program = ("-c", GATED) if job is Job.NIGHTLY else ("-m", "workbench")
    only = ("--only", "prune") if job is Job.NIGHTLY else ()
    command = [sys.executable, *program, "-w", str(sandbox.root), *job.command.split(), "--log", *only]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=PROJECT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


@contextmanager
def started(sandbox: Sandbox, job: Job, count: int) -> Iterator[list[Process]]:
    every = [start(sandbox, job) for _ in range(count)]
    try:
        yield every
    finally:
        for one in every:
            if one.poll() is None:
                one.kill()
            one.communicate()


def until(condition: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def state(sandbox: Sandbox, job: Job) -> str:
    return standing(sandbox.root / ".workbench", job, datetime.now().astimezone()).state


@pytest.mark.promise(
    "From sessions to long-term memory",
    "two runs of a job begin at the same instant",
    "one runs, the other names it and exits with 3",
    by="real processes",
)
@pytest.mark.parametrize("job", [Job.NIGHTLY, Job.WATCH, Job.REINDEX_WATCH])
def test_of_two_at_the_same_instant_one_runs_and_the_other_says_who(sandbox: Sandbox, job: Job) -> None:
    with started(sandbox, job, 2) as every:
        until(lambda: any(one.poll() is not None for one in every), "one of two leaves")
        (refused,) = [one for one in every if one.poll() is not None]
        (runs,) = [one for one in every if one is not refused]
        said = refused.communicate()[1]
        assert refused.returncode == 3, said
        assert f"{job.called} (process {runs.pid})" in said
        assert runs.poll() is None
        until(lambda: state(sandbox, job) == "running", "the other one runs")

        runs.send_signal(signal.SIGKILL)  # it leaves no lock behind, and a record that says what became of it
        runs.communicate()
        assert state(sandbox, job) == "killed"
        left = {name for name in os.listdir(sandbox.root / ".workbench") if name.startswith(f"job-{job}.")}
        assert left == {f"job-{job}.json"}

        with started(sandbox, job, 1) as (third,):
            until(lambda: state(sandbox, job) == "running", "a third one runs")
            if job is Job.NIGHTLY:
                _, said = third.communicate("go on\n", timeout=PATIENCE_SECONDS)
            else:
                third.send_signal(signal.SIGTERM)
                _, said = third.communicate(timeout=PATIENCE_SECONDS)
            assert third.returncode == 0, said
        assert state(sandbox, job) == ("done" if job is Job.NIGHTLY else "stopped")


def test_other_jobs_of_the_workspace_are_in_nobodys_way(sandbox: Sandbox) -> None:
    with started(sandbox, Job.WATCH, 1) as (_,), started(sandbox, Job.REINDEX_WATCH, 1) as (_,):
        until(lambda: state(sandbox, Job.WATCH) == "running", "watch runs")
        until(lambda: state(sandbox, Job.REINDEX_WATCH) == "running", "reindex --watch runs")
        until((sandbox.root / ".workbench/index/current").exists, "there is an index")
        job = ["jobs", "run", "nightly", "--only", "decay"]
        assert forked.run("-w", sandbox.root, *job, cwd=PROJECT).returncode == 0


def test_another_workspace_is_in_nobodys_way(sandbox: Sandbox, tmp_path: Path) -> None:
    other = Sandbox(tmp_path / "other")
    with started(sandbox, Job.NIGHTLY, 1), started(other, Job.NIGHTLY, 1):
        until(lambda: state(sandbox, Job.NIGHTLY) == "running", "the first")
        until(lambda: state(other, Job.NIGHTLY) == "running", "the second")
    other.close()
