"""record, backup, restore and verify as they are called."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import LOG, Sandbox


@pytest.fixture(autouse=True)
def words_only(person: Path) -> None:
    """No model: these tests are about something else."""
    (person / "settings.yaml").write_text("model: none\n")


def test_a_commit_of_what_was_written_is_said_in_one_line(run: Run, sandbox: Sandbox) -> None:
    sandbox.write("memory/new.md", "- new\n")
    done = run("status", "--commit")
    assert (done.code, done.out.startswith("committed 1 file as operation ")) == (0, True)
    assert run("status", "--commit").out == "nothing to commit: the last commit has everything\n"
    assert run("status", "--commit", "--json").json == {"operation": None}


def test_backup_is_repeated_without_a_target_and_shown_in_status(
    run: Run, sandbox: Sandbox, tmp_path: Path
) -> None:
    nowhere = run("backup")
    assert nowhere.code == 2
    assert "workbench backup DIR" in nowhere.err
    assert "backup     none yet" in run("status").out
    sandbox.write("memory/new.md", "- new\n")
    first = run("backup", "../chain")
    assert first.code == 0
    assert "committed 1 file as operation" in first.out
    assert "full backup: " in first.out
    assert "byte for byte the same" in first.out
    sandbox.write(LOG, "- changed\n")
    planned = run("backup", "--dry-run").out
    assert "would commit 1 uncommitted file first\nwould write an incremental bundle" in planned
    again = run("backup", "--json").json
    assert (again["wrote"], again["kind"], again["target"]) == (
        "incremental",
        "folder",
        str(tmp_path / "chain"),
    )
    assert run("backup").out.startswith("nothing new")
    assert "0 operations since" in run("status").out
    assert run("status", "--json").json["last_backup"]["operations_since"] == 0


def test_a_backup_is_restored_to_an_empty_folder(run: Run, sandbox: Sandbox, tmp_path: Path) -> None:
    run("backup", "../chain")
    done = run("restore", "../chain", "../out")
    assert done.code == 0
    assert (tmp_path / "out" / LOG).read_bytes() == sandbox.read(LOG)
    again = run("restore", "../chain", "../out", "--json")
    assert (again.code, again.json["error"]["code"]) == (2, "usage")
    (tmp_path / "chain" / "memory-0001-full.bundle").write_bytes(b"x")
    broken = run("restore", "../chain", "../other", "--json")
    assert (broken.code, broken.json["error"]["code"]) == (1, "backup")
    assert not (tmp_path / "other").exists()


def test_a_remote_backup_says_where_it_went(run: Run, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "r.git")], check=True)
    done = run("backup", "../r.git", "--check")
    assert done.code == 0
    assert "sent: " in done.out
    assert str(tmp_path / "r.git") in done.err


def test_restore_says_clearly_which_of_its_two_meanings_is_meant(run: Run, sandbox: Sandbox) -> None:
    assert "--at WHEN" in run("restore", "../chain").err
    both = run("restore", LOG, "../out", "--at", "2026-03-14")
    assert (both.code, "no DIR" in both.err) == (2, True)
    sandbox.write(LOG, "- changed\n")
    sandbox.commit("changed")
    first = sandbox.git("rev-parse", "HEAD~1").strip()
    before = sandbox.git("show", f"HEAD~1:{LOG}").encode()
    assert run("restore", LOG, "--at", first).code == 0
    assert sandbox.read(LOG) == before


def test_verify_answers_with_lines_or_with_flaws_and_code_four(run: Run, sandbox: Sandbox) -> None:
    assert run("reindex", "--no-vectors").code == 0
    sound = run("verify")
    assert sound.code == 0, sound.out
    assert all(line.endswith(": sound") for line in sound.out.splitlines())
    assert run("verify", "--json").json["ok"] is True
    sandbox.write("memory/.wb-x.tmp", "- left\n")
    wanting = run("verify")
    assert wanting.code == 4
    assert "stray: memory/.wb-x.tmp" in wanting.out
    found = run("verify", "--json")
    assert (found.code, found.json["ok"]) == (4, False)
    (flaw,) = [flaw for check in found.json["checks"] for flaw in check["flaws"]]
    assert flaw["kind"] == "stray"


def test_verify_says_stale_for_an_index_that_is_behind(run: Run, sandbox: Sandbox) -> None:
    run("reindex", "--no-vectors")
    sandbox.write("memory/new.md", "- new\n")
    done = run("verify", "--json")
    assert done.code == 4
    assert [f["kind"] for check in done.json["checks"] for f in check["flaws"]] == ["stale"]


def test_an_empty_name_is_no_place_and_not_the_last_one(run: Run, sandbox: Sandbox, tmp_path: Path) -> None:
    assert run("backup", str(tmp_path / "chain")).code == 0
    sandbox.write("memory/later.md", "- later\n")
    assert run("backup", "").code == 2
    assert run("backup", "--json").json["wrote"] == "incremental"
