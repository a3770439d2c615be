"""status and get, and where they look."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox


def test_get_gives_a_file_or_part_of_it(run: Run) -> None:
    assert run("get", LOG).out == LOG_TEXT
    part = run("get", LOG, "--from", "5", "--lines", "2", "--json").json
    assert part == {
        "path": LOG,
        "start_line": 5,
        "end_line": 6,
        "total_lines": 14,
        "text": "- **Sarah:** I prefer async reviews over meetings\n- The staging port is 8443",
    }
    assert run("get", LOG, "--from", "99").code == 2


def test_get_takes_addresses_and_sources_as_they_are_printed(run: Run, sandbox: Sandbox) -> None:
    wanted = "- The staging port is 8443"
    for target in (sandbox.address("staging port"), f"{LOG}#L6", f"{LOG}:6", f"{LOG}#L6-L6"):
        assert run("get", target).out.rstrip("\n") == wanted
    assert run("get", f"{LOG}#ffffffff").code == 2
    reversed_lines = run("get", f"{LOG}#L6-L5")
    assert (reversed_lines.code, reversed_lines.out) == (2, "")
    assert f"use {LOG}#L5-L6" in reversed_lines.err


@pytest.mark.parametrize("path", ["../x.md", "/etc/passwd", "notes.txt", "memory/none.md", ".git/config"])
def test_what_is_not_memory_is_refused(run: Run, sandbox: Sandbox, path: str) -> None:
    sandbox.write("notes.txt", "not memory")
    result = run("get", path, "--json")
    assert result.code == 2
    assert result.json["error"]["code"] == "not-memory"


def test_status_counts_files_and_the_budget(run: Run) -> None:
    report = run("status", "--json").json
    assert report["files"] == {"episode": 1, "log": 1, "memory": 1}
    assert report["budget"] == {"path": "MEMORY.md", "used": 92, "limit": 10000}
    assert report["index"]["state"] == "missing"
    assert "budget" in run("status").out


def test_status_says_when_both_memory_files_exist(run: Run, sandbox: Sandbox) -> None:
    sandbox.write("memory.md", "# other\n")
    assert any("both MEMORY.md and memory.md" in w for w in run("status", "--json").json["warnings"])


def test_the_nearest_workspace_is_found_from_below(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sandbox.root / "memory")
    assert run("status", "--json").json["workspace"] == str(sandbox.root)


def test_outside_any_workspace_it_says_what_to_do(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / ".git").mkdir()
    monkeypatch.chdir(empty)
    result = run("status")
    assert result.code == 2
    assert "workbench init" in result.err
    assert run("-w", str(tmp_path / "nowhere"), "status").code == 2


def test_without_git_reading_works_and_actions_say_so(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setenv("GIT_PYTHON_GIT_EXECUTABLE", "/nonexistent/git")
    import git

    monkeypatch.setattr(git.Git, "GIT_PYTHON_GIT_EXECUTABLE", "/nonexistent/git")
    assert "git was not found" in run("status").out
    result = run("promote", f"{LOG}#abcdef", "--json")
    assert result.code == 1
    assert result.json["error"]["code"] == "no-git"


def test_settings_that_are_wrong_name_the_file_and_the_key(run: Run, sandbox: Sandbox) -> None:
    for text, word in (
        ("exclude: [[a]]", "list of patterns"),
        ("model: /tmp/evil", "only your own"),
        ("excldue: [a]", "did you mean exclude?"),
        ("[1, 2", "YAML"),
        ("!!python/object/apply:os.system [x]", "YAML"),
    ):
        sandbox.write("workbench.yaml", text)
        result = run("status")
        assert result.code == 2
        assert word in result.err
    sandbox.write("workbench.yaml", "memory:\n  budget: 500\n")
    assert run("status", "--json").json["budget"]["limit"] == 500


def test_the_status_of_the_past_names_the_folder_and_the_moment(run: Run, sandbox: Sandbox) -> None:
    commit = sandbox.git("rev-parse", "HEAD").strip()
    sandbox.write(LOG, LOG_TEXT + "- later\n")
    sandbox.commit("later")
    told = run("--as-of", commit[:12], "status")
    assert told.out.startswith(f"{sandbox.root}\nas of      20")
    assert "backup" not in told.out
    assert run("status", "--json").json["as_of"] is None
    in_words = run("--as-of", "today", "status").out
    assert "as of      20" in in_words
    assert run("search", "port", "--mode", "lexical", "--as-of", "today").err.startswith("as of 20")


def test_each_command_is_listed_in_one_whole_line_at_80_columns(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for group in ((), ("graph",), ("proposals",), ("episodes",), ("import",), ("model",)):
        listed = run(*group, "--help").out.partition("--help")[2]
        assert [line for line in listed.splitlines() if line.endswith("...") or len(line) > 80] == [], group
