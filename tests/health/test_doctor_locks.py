"""Locks: ours die with their holder; one of git's is moved away when it is proven that nobody holds it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.health.conftest import Ward
from workbench import processes
from workbench.errors import BusyError
from workbench.health.finding import Finding
from workbench.workspace.locks import hold

Treat = Callable[..., list[Finding]]
HOLDER = """
import sys; from pathlib import Path
from workbench.workspace.locks import hold
with hold(Path(sys.argv[1]), "reindex"):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds a lock of ours."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def aged(path: Path, seconds: float = 7_200) -> Path:
    path.write_bytes(b"")
    then = time.time() - seconds
    os.utime(path, (then, then))
    return path


def test_a_living_holder_is_named_and_left_alone(ward: Ward) -> None:
    with holder(ward.state / "index.lock") as process:
        outcome = ward.outcomes("locks")["locks"]
        assert outcome.findings == ()
        assert f"index.lock is held by reindex (process {process.pid})" in outcome.seen
        assert ward.fix() == []
        with pytest.raises(BusyError), hold(ward.state / "index.lock", "test"):
            pass


def test_looking_at_a_lock_keeps_nobody_from_it(ward: Ward) -> None:
    ward.outcomes("locks")
    with hold(ward.state / "index.lock", "test"):
        ward.outcomes("locks")


@pytest.mark.promise(
    "Doctor",
    "a lock of ours whose holder is dead, stopped, or hangs",
    "ignored if the holder is dead, otherwise reported with what to do",
)
def test_the_lock_of_the_dead_is_free_and_its_note_is_wiped(ward: Ward, treated: Treat) -> None:
    with holder(ward.state / "index.lock") as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    (note,) = ward.outcomes("locks")["locks"].findings
    assert note.severity == "info"
    assert str(process.pid) in note.what
    assert "was released with it" in note.meaning
    treated("no longer runs")
    assert (ward.state / "index.lock").read_bytes() == b""


@pytest.mark.parametrize("note", [b'{"purpose": "\xff"}', b"[" * 1_000, b"[]", b'"\\ud800', b'{"pid": "x"}'])
def test_a_note_that_is_none_says_nothing_of_a_lock(ward: Ward, note: bytes) -> None:
    (ward.state / "index.lock").write_bytes(note)
    assert ward.findings("locks") == []
    with hold(ward.state / "index.lock", "test"):
        assert ward.outcomes("locks")["locks"].findings == ()


def test_a_note_with_one_field_of_another_kind_still_names_its_process(ward: Ward) -> None:
    with holder(ward.state / "index.lock") as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    note = ward.state / "index.lock"
    note.write_text(note.read_text().replace('"reindex"', "7"))
    (finding,) = ward.outcomes("locks")["locks"].findings
    assert str(process.pid) in finding.what


@pytest.mark.promise("Doctor", "a lock of ours whose holder is dead, stopped, or hangs")
def test_a_holder_that_is_stopped_is_a_finding_with_the_way_out(ward: Ward) -> None:
    with holder(ward.state / "operations.lock") as process:
        process.send_signal(signal.SIGSTOP)
        while not processes.stopped(process.pid):
            pass
        (finding,) = ward.findings("locks")
        process.send_signal(signal.SIGCONT)
    assert "stopped" in finding.what
    assert f"kill -CONT {process.pid}" in finding.do


def test_a_holder_since_long_ago_is_a_finding(ward: Ward) -> None:
    with holder(ward.state / "index.lock"):
        os.utime(ward.state / "index.lock", (time.time() - 90_000,) * 2)
        (finding,) = ward.findings("locks")
    assert "more than an hour" in finding.what


@pytest.mark.promise(
    "Doctor",
    "a stale lock of git's",
    "removed if no running git could hold it, nobody has it open and it is old; otherwise kept",
)
@pytest.mark.parametrize("name", ["index.lock", "HEAD.lock", "refs/heads/main.lock", "packed-refs.lock"])
def test_a_stale_lock_of_gits_is_moved_away_and_git_works_again(
    ward: Ward, treated: Treat, name: str
) -> None:
    lock = aged(ward.root / ".git" / name)
    (finding,) = ward.findings("git locks")
    assert str(lock) in finding.what
    assert "2 hours old" in finding.what
    assert "running git processes: none" in finding.what
    done = treated(str(lock))
    assert not lock.exists()
    assert "set-aside" in str(done[0].fixed)
    ward.sandbox.write("memory/2026-03-16.md", "- after\n")
    ward.sandbox.commit("git works")


def test_a_young_lock_is_told_and_kept(ward: Ward) -> None:
    lock = aged(ward.root / ".git/index.lock", 60)
    (finding,) = ward.findings("git locks")
    assert "younger than ten minutes" in finding.do
    assert ward.fix("git locks") == []
    assert lock.exists()


@pytest.mark.promise("Doctor", "a stale lock of git's")
def test_a_lock_that_a_process_has_open_is_kept(ward: Ward) -> None:
    lock = aged(ward.root / ".git/index.lock")
    with lock.open("rb"):
        (finding,) = ward.findings("git locks")
        assert f"process {os.getpid()} has it open" in finding.do
        assert ward.fix("git locks") == []
    assert lock.exists()


@pytest.mark.promise("Doctor", "a stale lock of git's")
@pytest.mark.parametrize("how", ["inside", "argument"])
def test_while_a_git_is_at_work_in_this_repository_no_lock_is_moved(
    ward: Ward, how: str, tmp_path: Path
) -> None:
    lock = aged(ward.root / ".git/index.lock")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    place = ["-C", str(ward.root)] if how == "inside" else [f"--git-dir={ward.root}/.git"]
    with subprocess.Popen(
        ["git", *place, "hash-object", "--stdin"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        cwd=elsewhere,
    ) as git:
        while b"hash-object" not in Path(f"/proc/{git.pid}/cmdline").read_bytes():
            pass  # it bears its name a moment before its arguments
        (finding,) = ward.findings("git locks")
        assert f"git (process {git.pid})" in finding.what
        assert ward.fix("git locks") == []
        assert git.stdin is not None
        git.stdin.close()
        git.wait()
    assert lock.exists()
    assert ward.fix("git locks")


def test_a_git_elsewhere_is_in_nobodys_way(ward: Ward, tmp_path: Path) -> None:
    lock = aged(ward.root / ".git/index.lock")
    other = tmp_path / "elsewhere"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    with subprocess.Popen(
        ["git", "hash-object", "--stdin"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=other, env={}
    ) as git:
        assert ward.fix("git locks")
        git.kill()
    assert not lock.exists()
