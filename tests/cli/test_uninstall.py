"""What `uninstall` removes, what it names, and what it never touches."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import platformdirs
import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import Sandbox
from workbench.workspace.seal import Seal

NAME = "memory-workbench"


def own() -> list[Path]:
    """The folders of the program, each with a file in it."""
    folders = [
        platformdirs.user_config_path(NAME), platformdirs.user_cache_path(NAME),
        platformdirs.user_state_path(NAME),
    ]  # fmt: skip
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "a file").write_text("ours")
    return folders


def files_of(sandbox: Sandbox) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sandbox.root.rglob("*") if path.is_file()}


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, person: Path) -> Path:
    """The person's home, with no variable that puts settings and caches elsewhere."""
    for variable in ("WORKBENCH_CONFIG", "WORKBENCH_CACHE", "XDG_STATE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    return person


def test_it_removes_what_the_program_wrote_and_leaves_memory(run: Run, sandbox: Sandbox, here: Path) -> None:
    folders = own()
    assert run("workspaces", "add", ".").code == 0
    Seal(sandbox.root).of({"a": 1})
    before = files_of(sandbox)
    listed = run("uninstall", "--dry-run")
    assert [line.split()[1] for line in listed.out.splitlines() if line.startswith("remove")] == [
        str(folder) for folder in folders
    ]
    assert all((folder / "a file").exists() for folder in folders)
    assert run("uninstall").code == 2  # nobody is there to be asked
    assert all((folder / "a file").exists() for folder in folders)
    done = run("uninstall", "--yes")
    assert done.code == 0
    assert not any(folder.exists() for folder in folders)
    assert files_of(sandbox) == before
    assert run("uninstall", "--yes", "--json").json["removes"] == []


def test_in_json_there_is_one_answer_whether_it_is_done_or_refused(run: Run, here: Path) -> None:
    folders = own()
    refused = run("uninstall", "--json")
    assert refused.code == 2
    assert refused.json["error"]["message"] == "nothing was removed"  # one document, or it could not be read
    assert str(folders[0]) in refused.err
    done = run("uninstall", "--yes", "--json")
    assert (done.code, done.json["removes"]) == (0, [str(folder) for folder in folders])
    assert not any(folder.exists() for folder in folders)


def test_a_linked_folder_is_unlinked_and_what_it_leads_to_stays(run: Run, here: Path, tmp_path: Path) -> None:
    config, *_ = own()
    shutil.move(config, tmp_path / "dotfiles")
    config.symlink_to(tmp_path / "dotfiles")
    assert run("uninstall", "--yes").code == 0
    assert not os.path.lexists(config)
    assert (tmp_path / "dotfiles" / "a file").exists()


def test_what_people_added_elsewhere_is_named_and_left_to_them(
    run: Run, sandbox: Sandbox, here: Path
) -> None:
    run("workspaces", "add", ".")
    hook = run("connect", "claude-code").out
    claude = here / ".claude" / "settings.json"
    claude.parent.mkdir(parents=True)
    claude.write_text(hook[hook.index("{") :])
    codex = here / ".codex" / "config.toml"
    codex.parent.mkdir(parents=True)
    codex.write_text('model = "x"\n' + run("connect", "codex").out)
    project = sandbox.root / ".mcp.json"
    project.write_text(run("connect", "mcp.json").out)
    editor = here / ".config" / "zed" / "settings.json"
    editor.parent.mkdir(parents=True, exist_ok=True)
    editor.write_text(json.dumps({"workbench.colorTheme": "Dark"}))
    (here / ".bashrc").write_text("alias ls='ls -l'\nsource <(workbench completion bash)\n")
    (here / ".config" / "systemd" / "user").mkdir(parents=True)
    timer = here / ".config" / "systemd" / "user" / "memory-workbench-nightly.service"
    timer.write_text(run("jobs", "print", "--systemd").out)
    named = run("uninstall", "--yes", "--json").json["by_hand"]
    lines = {
        where: [one["line"] for one in named if one["where"] == where]
        for where in {n["where"] for n in named}
    }
    assert set(lines) >= {str(path) for path in (claude, codex, project, timer, here / ".bashrc")}
    assert str(editor) not in lines
    assert lines[str(codex)] == [3]
    assert lines[str(here / ".bashrc")] == [2]
    for path in (claude, codex, project, timer):
        for line in lines[str(path)]:
            assert "workbench" in path.read_text().splitlines()[line - 1]


def test_a_workspace_among_its_folders_stays(run: Run, here: Path) -> None:
    inside = platformdirs.user_state_path(NAME) / "notes"
    (inside / "memory").mkdir(parents=True)
    (inside / "memory" / "2026-03-14.md").write_text("- The pump runs at night\n")
    own()
    assert run("workspaces", "add", str(inside)).code == 0
    assert run("uninstall", "--yes").code == 0
    assert (inside / "memory" / "2026-03-14.md").is_file()
    assert not (platformdirs.user_state_path(NAME) / "a file").exists()


def test_a_program_that_was_started_to_look_only_removes_nothing(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = own()
    monkeypatch.setenv("WORKBENCH_READ_ONLY", "1")
    assert run("uninstall", "--yes").code != 0
    assert all((folder / "a file").exists() for folder in folders)


def test_histories_of_memory_without_git_stay(
    run: Run, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where settings and data of a program have one folder, as on macOS."""
    monkeypatch.setenv("XDG_DATA_HOME", str(platformdirs.user_config_path()))
    notes = tmp_path / "notes"
    (notes / "memory").mkdir(parents=True)
    (notes / "memory" / "2026-03-14.md").write_text("- The pump runs at night\n- It is a thing to forget\n")
    hit, *_ = run("-w", notes, "search", "--mode", "lexical", "--json", "forget").json["hits"]
    assert run("-w", notes, "forget", hit["entry"]).code == 0
    own()
    histories = platformdirs.user_data_path(NAME) / "histories"
    assert f"stays    {histories}" in run("uninstall", "--dry-run").out
    assert run("uninstall", "--yes").code == 0
    assert not (platformdirs.user_config_path(NAME) / "a file").exists()
    assert histories.is_dir()
    assert len(list(histories.iterdir())) > 0
