"""`workbench jobs run nightly` as it is called."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import EPISODE, Sandbox
from workbench.workspace.locks import hold

STEPS = ["prune", "context", "ingest", "decay", "dream", "backup"]


@pytest.fixture(autouse=True)
def words_only(person: Path) -> None:
    """No model: these tests are about something else."""
    (person / "settings.yaml").write_text("model: none\n")


@pytest.fixture
def context(sandbox: Sandbox) -> Path:
    """A context that was left some hours ago; the episode stays."""
    (sandbox.root / EPISODE).unlink()
    path = sandbox.write("workspace-context.md", "# Context\n\n- the pilot\n")
    sandbox.commit("evening")
    then = time.time() - 5 * 3600
    os.utime(path, (then, then))
    return path


def test_each_step_has_a_line_that_says_what_became_of_it(run: Run, context: Path) -> None:
    done = run("jobs", "run", "nightly", "--only", "prune", "--only", "context", "--only", "backup")
    assert done.code == 0, done.err
    assert [line.split()[0] for line in done.out.splitlines()] == ["prune", "context", "backup"]
    prune, cleared, backup = done.out.splitlines()
    assert "no episode has expired" in prune
    assert cleared.split()[1] == "done"
    assert "no backup yet" in backup
    assert "workbench backup DIR" in done.err
    assert context.read_text() == "# Context\n\n"


def test_json_has_every_step_and_what_undo_takes(run: Run, context: Path) -> None:
    said = run("jobs", "run", "nightly", "--json").json
    assert [step["step"] for step in said["steps"]] == STEPS
    (operation,) = [step["operation"] for step in said["steps"] if step["step"] == "context"]
    assert run("undo", operation).code == 0
    assert "the pilot" in context.read_text()


def test_a_dry_run_says_what_would_be_done_and_does_nothing(
    run: Run, sandbox: Sandbox, context: Path
) -> None:
    before, commits = context.read_bytes(), sandbox.git("log", "--oneline")
    said = run("jobs", "run", "nightly", "--dry-run", "--json").json
    assert said["dry_run"] is True
    assert {step["state"] for step in said["steps"]} <= {"would", "nothing"}
    assert [step["state"] for step in said["steps"] if step["step"] == "context"] == ["would"]
    assert (context.read_bytes(), sandbox.git("log", "--oneline")) == (before, commits)


def test_a_step_that_fails_is_said_and_the_others_are_done(
    run: Run, sandbox: Sandbox, context: Path, tmp_path: Path
) -> None:
    assert run("backup", "../kept").code == 0
    for path in (tmp_path / "kept").iterdir():
        path.unlink()
    (tmp_path / "kept").rmdir()
    (tmp_path / "kept").write_text("in the way")
    done = run("jobs", "run", "nightly", "--only", "context", "--only", "backup")
    assert done.code == 1
    assert [line.split()[:2] for line in done.out.splitlines()] == [["context", "done"], ["backup", "failed"]]


def test_a_night_beside_another_is_told_to_wait(run: Run, sandbox: Sandbox) -> None:
    with hold(sandbox.workspace.state_dir() / "nightly.lock", "another night"):
        assert run("jobs", "run", "nightly").code == 3


def test_a_language_model_that_cannot_be_used_stops_nothing(run: Run) -> None:
    done = run("jobs", "run", "nightly", "--only", "context", "--model", "qwen3:8b")
    assert done.code == 0
    assert "the language model cannot be used" in done.err
    assert "language model" not in run("jobs", "run", "nightly", "--only", "context", "--model", "none").err


def test_a_step_that_there_is_not_is_refused(run: Run) -> None:
    assert run("jobs", "run", "nightly", "--only", "dinner").code == 2
