"""init and demo."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pexpect
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
    assert "would create a git repository" in shown.out
    assert not target.exists()
    assert run("init", str(target), "--template", template).code == 0
    assert (target / "MEMORY.md").is_file()
    assert git(target, "rev-list", "--count", "HEAD").strip() == "1"
    assert git(target, "status", "--porcelain") == ""
    again = run("init", str(target), "--template", template)
    assert "already there" in again.out
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
    operations = list(place.operations.walk())
    assert {"promote", "forget"} <= {operation.action for operation in operations}
    place.close()
    assert "is already there" in run("demo", str(target), "--no-open").err
    assert run("-w", str(target), "undo").code == 0


def test_the_demo_tells_where_an_entry_of_its_memory_came_from(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "demo"
    run("demo", str(target), "--no-open")
    lines = (target / "MEMORY.md").read_text().splitlines()
    at = next(number for number, line in enumerate(lines, 1) if "prefers async reviews" in line.lower())
    assert "<!-- wb: " not in lines[at - 1]
    shown = run("-w", str(target), "show", f"MEMORY.md:{at}", "--json").json
    path, _, line = shown["origin"]["source"].partition("#L")
    assert shown["text"] in (target / path).read_text().splitlines()[int(line) - 1]
    assert shown["origin"]["trust"] == "owner"


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
    assert run("init", folder, "--dry-run").out == "everything is already there\n"


def source_code(folder: Path) -> Path:
    """A repository of something else than memory."""
    (folder / "src").mkdir(parents=True)
    (folder / "src/app.py").write_text("print()\n")
    (folder / "AGENTS.md").write_text("# How to build\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "-c", "user.name=P", "-c", "user.email=p@localhost", "commit", "-qm", "code")
    return folder


def test_init_sets_up_the_folder_that_w_names(
    run: Run, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sandbox.snapshot()
    assert run("-w", str(tmp_path / "from within"), "init").code == 0
    monkeypatch.chdir(tmp_path)
    for name in (str(tmp_path / "first"), "second"):
        done = run("-w", name, "init")
        assert done.code == 0, done.err
        assert (Path(name) / "MEMORY.md").is_file()
    assert run("-w", str(tmp_path / "first"), "init", str(tmp_path / "first/../first")).code == 0
    assert sandbox.snapshot() == before
    assert not (tmp_path / "MEMORY.md").exists()


def test_init_refuses_two_different_folders(
    run: Run, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = run("-w", str(tmp_path / "one"), "init", str(tmp_path / "two"))
    assert refused.code == 2
    assert "only one can be set up" in refused.err
    assert not (tmp_path / "one").exists()
    assert not (tmp_path / "two").exists()
    monkeypatch.setenv("WORKBENCH_WORKSPACE", str(sandbox.root))
    assert run("init", str(tmp_path / "two")).code == 0  # what is typed goes before what is set
    assert (tmp_path / "two/MEMORY.md").is_file()


@pytest.mark.parametrize("below", ["", "docs/memory-to-be"])
def test_init_asks_before_it_adds_to_a_repository_of_something_else(
    run: Run, tmp_path: Path, below: str
) -> None:
    code = source_code(tmp_path / "code")
    target = code / below
    refused = run("init", str(target))
    assert refused.code == 2
    assert "2 other files" in refused.err
    assert "MEMORY.md" in refused.err
    assert "--yes" in refused.err
    assert git(code, "rev-list", "--count", "HEAD") == "1\n"
    assert git(code, "status", "--porcelain") == ""
    assert run("init", str(target), "--dry-run").code == 0
    for answer, added in (("n", False), ("y", True)):
        asked = pexpect.spawn(
            sys.executable, ["-m", "workbench", "init", str(target)], encoding="utf-8", timeout=60
        )
        asked.expect("add them")
        asked.sendline(answer)
        asked.expect(pexpect.EOF)
        asked.close()
        assert asked.exitstatus == int(not added)
        assert (target / "MEMORY.md").exists() is added
    assert run("-w", str(target), "undo").code == 0
    assert run("init", str(target), "--yes").code == 0
    assert (target / "MEMORY.md").is_file()
    assert run("init", str(target), "--template", "openclaw").code == 0  # it is memory by now


def test_init_adds_nothing_to_a_folder_of_claude_code(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / ".claude/projects/-home-you-project/memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Memory\n")
    done = run("init", str(folder))
    assert done.code == 0
    assert "workbench status --commit" in done.out
    assert sorted(path.name for path in folder.iterdir() if path.name != ".git") == ["MEMORY.md"]
    assert run("-w", str(folder), "status", "--commit").code == 0
    assert git(folder, "ls-files") == "MEMORY.md\n"
    assert run("init", str(folder)).out == "everything is already there\n"
