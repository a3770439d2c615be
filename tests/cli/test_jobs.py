"""`workbench jobs` as it is called."""

from __future__ import annotations

import plistlib
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import Sandbox
from workbench.jobs.runs import Job, keep
from workbench.jobs.runs import JobRun as Kept


def keep_one(sandbox: Sandbox, job: Job, state: str, *, hours: float = 1.0) -> None:
    began = datetime.now().astimezone() - timedelta(hours=hours)
    ended = None if state == "running" else began + timedelta(seconds=5)
    keep(
        sandbox.workspace.state_dir(),
        Kept(job=job, began=began, ended=ended, pid=1, state=state, by_clock=True),  # type: ignore[arg-type]
    )


def test_print_gives_the_template_of_each_form_and_installs_nothing(run: Run, sandbox: Sandbox) -> None:
    unit = run("jobs", "print", "--systemd").out
    assert "ExecStart=" in unit
    assert "OnCalendar=" in unit
    assert " jobs run nightly --log" in run("jobs", "print", "--cron").out
    assert (
        plistlib.loads(run("jobs", "print", "--launchd").out.encode())["Label"] == "memory-workbench.nightly"
    )
    assert not list(sandbox.root.glob("*.service"))
    assert not (sandbox.root / ".workbench").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("print", "dinner"),
        ("print", "nightly", "--cron"),
        ("print", "--cron", "--at", "03:30"),
        ("forget", "dinner"),
        ("jobs", "run", "nightly", "--cron"),
    ],
)
def test_a_job_that_cannot_be_is_refused(run: Run, arguments: tuple[str, ...]) -> None:
    result = run("jobs", *arguments)
    assert (result.code, result.out) == (2, "")


def test_status_of_jobs_that_never_ran_is_nothing_wrong(run: Run, sandbox: Sandbox) -> None:
    done = run("jobs", "status")
    assert done.code == 0
    assert [line.split("  ")[0] for line in done.out.splitlines()] == [job.command for job in Job]
    assert run("jobs", "status", "--json").json["ok"] is True
    assert not (sandbox.root / ".workbench").exists()


def test_status_says_when_how_and_what_mends_it(run: Run, sandbox: Sandbox, person: Path) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    assert run("jobs", "run", "nightly", "--only", "decay", "--log").code == 0
    done = run("jobs", "status")
    assert (done.code, "by the clock · done after" in done.out) == (0, True)
    keep_one(sandbox, Job.REINDEX, "failed")
    keep_one(sandbox, Job.WATCH, "running")
    keep_one(sandbox, Job.REINDEX_WATCH, "stopped", hours=100)
    done = run("jobs", "status")
    assert done.code == 4
    assert "→ `workbench reindex` runs it now and reports why" in done.out
    assert "watch was killed before its end" in done.out
    assert "reindex --watch is overdue: the last run was 4 days ago" in done.out
    said = run("jobs", "status", "--json")
    assert said.code == 4
    wrong = {job["job"]: job["state"] for job in said.json["jobs"] if job["wrong"]}
    assert wrong == {"reindex": "failed", "watch": "killed", "reindex-watch": "stopped"}


def test_what_is_forgotten_is_not_overdue(run: Run, sandbox: Sandbox) -> None:
    keep_one(sandbox, Job.NIGHTLY, "done", hours=300)
    assert run("jobs", "status").code == 4
    assert "are forgotten" in run("jobs", "forget", "nightly").err
    assert run("jobs", "status").code == 0
    assert "no runs are recorded" in run("jobs", "forget", "nightly").err
