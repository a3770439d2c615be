"""init and demo."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import Sandbox
from workbench.workspace.workspace import Workspace


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize("template", ["plain", "openclaw", "goclaw"])
def test_init_makes_a_repository_and_one_undoable_commit(run: Run, tmp_path: Path, template: str) -> None:
    target = tmp_path / "new workspace"
    shown = run("init", str(target), "--template", template, "--dry-run")
    assert "would make a git repository" in shown.out
    assert not target.exists()
    assert run("init", str(target), "--template", template).code == 0
    assert (target / "MEMORY.md").is_file()
    assert git(target, "rev-list", "--count", "HEAD").strip() == "1"
    assert git(target, "status", "--porcelain") == ""
    again = run("init", str(target), "--template", template)
    assert "there already" in again.out
    assert run("-w", str(target), "undo").code == 0
    assert not (target / "MEMORY.md").exists()


def test_init_leaves_what_is_there_alone(run: Run, sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    assert run("init", "--template", "openclaw").code == 0
    after = sandbox.snapshot()
    assert {path: after[path] for path in before} == before
    assert "AGENTS.md" in after


def test_demo_is_a_workspace_with_its_history_and_a_clean_status(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "demo"
    assert run("demo", str(target), "--no-open").code == 0
    assert int(git(target, "rev-list", "--count", "HEAD")) > 40
    assert git(target, "status", "--porcelain") == ""
    git(target, "fsck", "--strict")
    place = Workspace.open(target)
    operations = place.operations.log()
    assert {"promote", "forget"} <= {operation.action for operation in operations}
    place.close()
    assert "is there already" in run("demo", str(target), "--no-open").err
    assert run("-w", str(target), "undo").code == 0


def test_every_curation_of_the_demo_can_be_undone(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "demo"
    run("demo", str(target), "--no-open")
    for row in run("-w", str(target), "log", "-n", "200", "--json").json:
        if row["action"] in ("promote", "forget"):
            assert run("-w", str(target), "undo", row["operation"], "--dry-run").code == 0


def test_demo_never_writes_into_a_folder_with_other_things(run: Run, sandbox: Sandbox) -> None:
    result = run("demo", str(sandbox.root), "--no-open")
    assert result.code == 2
    assert "not empty" in result.err


def test_init_with_dry_run_says_so_when_nothing_is_missing(run: Run, tmp_path: Path) -> None:
    folder = str(tmp_path / "new")
    assert run("init", folder).code == 0
    assert run("init", folder, "--dry-run").out == "everything is there already\n"
