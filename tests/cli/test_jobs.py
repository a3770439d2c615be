"""`workbench jobs` as it is called."""

from __future__ import annotations

import os
import plistlib
import shlex
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import Sandbox
from workbench.jobs.names import Job
from workbench.jobs.run import JobRun as Kept
from workbench.jobs.run_log import keep


def keep_one(sandbox: Sandbox, job: Job, state: str, *, hours: float = 1.0) -> None:
    began = datetime.now().astimezone() - timedelta(hours=hours)
    ended = None if state == "running" else began + timedelta(seconds=5)
    keep(
        sandbox.workspace.state_dir(),
        Kept(job=job, began=began, ended=ended, pid=1, state=state, by_clock=True),  # type: ignore[arg-type]
    )


def test_print_says_what_starts_this_program_for_this_workspace(run: Run, sandbox: Sandbox) -> None:
    unit = run("jobs", "print", "--systemd", "--at", "4:05")
    assert unit.code == 0
    assert "OnCalendar=*-*-* 04:05:00" in unit.out
    line = run("jobs", "print", "--cron").out
    words = shlex.split(line.split(" ", 5)[5].replace("\\%", "%"))
    assert words[1:] == ["-w", str(sandbox.root.resolve()), "nightly", "--log"]
    assert os.access(words[0], os.X_OK)
    assert Path(words[0]).name == "workbench"
    assert f'ExecStart="{words[0]}"' in unit.out
    agent = plistlib.loads(run("jobs", "print", "reindex", "--launchd").out.encode())
    assert agent["ProgramArguments"] == [words[0], "-w", words[2], "reindex", "--watch", "--log"]
    assert not list(sandbox.root.glob("*.service"))
    assert not (sandbox.root / ".workbench").exists()


def test_what_follows_is_started_with_the_machine(run: Run) -> None:
    for job in ("watch", "reindex"):
        assert run("jobs", "print", job, "--cron").out.startswith("@reboot ")
        assert "WantedBy=default.target" in run("jobs", "print", job, "--systemd").out
    assert run("jobs", "print", "reindex", "--cron", "--at", "04:00").out.startswith("0 4 * * * ")


def test_a_file_for_figures_is_part_of_the_job(run: Run, tmp_path: Path) -> None:
    line = run("jobs", "print", "--cron", "--metrics", str(tmp_path / "a b.prom")).out
    assert shlex.split(line)[-2:] == ["--metrics", str(tmp_path / "a b.prom")]
    assert run("jobs", "print", "--metrics", str(tmp_path / "x.txt")).code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("print", "--at", "25:00"),
        ("print", "dinner"),
        ("print", "watch", "--at", "03:30"),
        ("print", "--cron", "--at", "3"),
        ("print", "--cron", "--systemd"),
        ("print", "watch", "--launchd", "--systemd"),
        ("forget", "dinner"),
        ("nightly", "--cron"),
    ],
)
def test_a_job_that_cannot_be_is_refused(run: Run, arguments: tuple[str, ...]) -> None:
    result = run("jobs", *arguments)
    assert (result.code, result.out) == (2, "")


def test_of_two_forms_neither_is_printed_and_both_are_named(run: Run) -> None:
    refused = run("jobs", "print", "--cron", "--systemd")
    assert refused.out == ""
    assert "one form at a time, and --systemd and --cron were asked for" in refused.err


def test_status_of_jobs_that_never_ran_is_nothing_wrong(run: Run, sandbox: Sandbox) -> None:
    done = run("jobs", "status")
    assert done.code == 0
    assert [line.split("  ")[0] for line in done.out.splitlines()] == [job.command for job in Job]
    assert run("jobs", "status", "--json").json["ok"] is True
    assert not (sandbox.root / ".workbench").exists()


def test_status_says_when_how_and_what_mends_it(run: Run, sandbox: Sandbox, person: Path) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    assert run("nightly", "--only", "decay", "--log").code == 0
    done = run("jobs", "status")
    assert (done.code, "by the clock · done after" in done.out) == (0, True)
    keep_one(sandbox, Job.REINDEX, "failed")
    keep_one(sandbox, Job.WATCH, "running")
    keep_one(sandbox, Job.REINDEX_WATCH, "stopped", hours=100)
    done = run("jobs", "status")
    assert done.code == 4
    assert "→ `workbench reindex` does it now, and says why" in done.out
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
    assert "nothing was kept" in run("jobs", "forget", "nightly").err
