"""What a kill leaves behind is swept, or named with the way out; too few open files are said."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Run, run
from tests.support.workspaces import MEMORY_TEXT, Sandbox
from workbench.errors import RepositoryStateError
from workbench.operations.promote import plan_promote
from workbench.workspace.locks import LockState, hold
from workbench.workspace.plan import Operation

__all__ = ["run"]
PROJECT = Path(__file__).resolve().parents[2]
KILLED = """
import os, signal, sys
from pathlib import Path
from workbench.operations.promote import plan_promote
from workbench.repository.git_repository import History
from workbench.workspace.workspace import Workspace
root, address, *locks = sys.argv[1:]
def move(self, *arguments):
    for lock in locks:
        Path(root, lock).touch()
    os.kill(os.getpid(), signal.SIGKILL)
History.move_references = move
place = Workspace.open(root)
place.operations.carry_out(lambda: plan_promote(place, [address]))
"""
LOCKS = (".git/HEAD.lock", ".git/refs/heads/main.lock", ".git/index.lock")


def killed_with(sandbox: Sandbox, *locks: str) -> None:
    """An action that is killed while its git has these locks."""
    subprocess.run(
        [sys.executable, "-c", KILLED, sandbox.root, sandbox.address("staging port"), *locks],
        env={**os.environ, "PYTHONPATH": str(PROJECT)}, capture_output=True, check=False,
    )  # fmt: skip
    assert all((sandbox.root / lock).exists() for lock in locks)


def promote(sandbox: Sandbox, words: str) -> Operation:
    place, address = sandbox.workspace, sandbox.address(words)
    return place.operations.carry_out(lambda: plan_promote(place, [address]))


@pytest.mark.promise(
    "Git",
    "git's locks are left by an action that was killed",
    "removed by the next action, if no running git could hold them",
)
@pytest.mark.parametrize("locks", [LOCKS[:1], LOCKS[1:2], LOCKS], ids=str)
def test_locks_that_a_killed_action_left_are_in_nobodys_way(
    sandbox: Sandbox, run: Run, locks: tuple[str, ...]
) -> None:
    killed_with(sandbox, *locks)
    run("verify")  # takes the same lock, and forgets nothing of who died with it
    assert promote(sandbox, "use tantivy").notes == ()
    assert not any((sandbox.root / lock).exists() for lock in locks)
    subjects = sandbox.git("log", "--format=%s").splitlines()
    assert [line.partition(":")[0] for line in subjects[:2]] == ["promote", "promote"]
    assert sandbox.git("status", "--porcelain") == ""


def test_a_lock_that_was_there_before_the_killed_action_stays(sandbox: Sandbox) -> None:
    killed_with(sandbox, ".git/HEAD.lock")
    lock = sandbox.root / ".git/HEAD.lock"
    os.utime(lock, (time.time() - 30,) * 2)
    with pytest.raises(RepositoryStateError):
        promote(sandbox, "use tantivy")
    assert lock.exists()


@pytest.mark.promise("Git", "git's locks are left by an action that was killed")
def test_a_lock_stays_while_a_git_lives_that_may_hold_it(sandbox: Sandbox) -> None:
    killed_with(sandbox, ".git/HEAD.lock")
    with subprocess.Popen(
        ["git", "-C", sandbox.root, "hash-object", "--stdin"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as git:
        with pytest.raises(RepositoryStateError) as caught:
            promote(sandbox, "use tantivy")
        assert f"git (process {git.pid}) is running here" in caught.value.hint
        assert (sandbox.root / ".git/HEAD.lock").exists()
        git.communicate(b"")


@pytest.mark.promise("Git", "a stale lock of the branch")
def test_a_lock_that_nobody_holds_is_named_with_the_way_out_at_once(sandbox: Sandbox) -> None:
    lock = sandbox.root / ".git/HEAD.lock"
    lock.touch()
    os.utime(lock, (time.time() - 30,) * 2)
    with pytest.raises(RepositoryStateError, match=r"HEAD\.lock") as caught:
        promote(sandbox, "staging port")
    assert caught.value.hint.endswith(f"so it is stale: rm {lock}")
    assert lock.exists()
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()


def test_a_note_that_a_kill_left_half_written_is_no_flaw_and_goes_with_the_next_action(
    sandbox: Sandbox, run: Run
) -> None:
    left = sandbox.workspace.state_dir() / "journal.new"
    left.write_text('{"operation": "01')
    verified = run("verify")
    assert verified.code == 0
    promote(sandbox, "staging port")
    assert not left.exists()


@pytest.mark.parametrize(
    ("note", "pid", "purpose", "since"),
    [
        ('{"pid": 12, "since": 5.0}', 12, "", 5.0),
        ('{"pid": 12, "purpose": "reindex", "since": "x"}', 12, "reindex", 0.0),
        ('{"pid": "a", "purpose": "reindex", "since": 7.5}', 0, "reindex", 7.5),
        ('{"pid": "12", "purpose": null, "since": 1.5}', 0, "", 1.5),
        ('["pid", "purpose", "since"]', 0, "", 0.0),
        ("[" * 900, 0, "", 0.0),
    ],
)
def test_of_the_note_in_a_lock_that_is_left_each_field_counts_that_can_be_read(
    tmp_path: Path, note: str, pid: int, purpose: str, since: float
) -> None:
    lock = tmp_path / "index.lock"
    lock.write_text(note)
    with hold(lock, "reindex") as left:
        assert left == LockState(False, pid, purpose, since)


@pytest.mark.promise("Git", "at most eight open files are allowed", "a message says what to do; no traceback")
@pytest.mark.parametrize("command", ["status", "log", "undo", "verify"])
def test_too_few_open_files_are_said_without_a_traceback(sandbox: Sandbox, command: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f'ulimit -n 8 && exec "$PYTHON" -m workbench {command}'],
        cwd=sandbox.root, env={**os.environ, "PYTHON": sys.executable, "PYTHONPATH": str(PROJECT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Too many open files" in done.stderr
    assert "ulimit -n" in done.stderr
