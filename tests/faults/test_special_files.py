"""Named pipes and sockets where git or this program keeps a file: no command waits for one, `q` leaves."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pexpect
import psutil
import pytest

from indexing.sync.run import reindex
from tests.support import forked
from tests.support.terminal import Terminal
from tests.support.workspaces import LOG, Sandbox

HANGS_SECONDS = 120
"""A command takes less than a second; one that waits for a pipe waits for ever."""
SOON_SECONDS = 20
OF_GIT = (
    ".git", ".git/HEAD", ".git/config", ".git/config.worktree", ".git/packed-refs", ".git/shallow",
    ".git/index", ".git/commondir", ".git/info/exclude", ".git/info/grafts", ".git/info/attributes",
    ".git/logs/HEAD", ".git/logs/refs/heads/main", ".git/refs", ".git/refs/heads/main", ".git/objects",
    ".git/objects/pack", ".git/objects/info/alternates", ".git/objects/info/commit-graph",
)  # fmt: skip
OF_INDEX = (
    ".workbench/index", ".workbench/index/current", ".workbench/index/gen-1",
    ".workbench/index/gen-1/manifest.json", ".workbench/index/gen-1/lexical/meta.json",
)  # fmt: skip
OF_STATE = (
    ".workbench/.gitignore", ".workbench/operations.lock", ".workbench/reindex.lock", ".workbench/index.lock",
    ".workbench/journal.json", ".workbench/journal.new", ".workbench/drafts.json", ".workbench/searches.json",
    ".workbench/embeddings.sqlite", ".workbench/displaced", ".workbench/conflicts", ".workbench/past",
    ".workbench/job-reindex.json", ".workbench/backup.json",
)  # fmt: skip
OF_MEMORY = ("workbench.yaml", "_system/ledger", "_system/ledger/decisions-2026-03.jsonl")


@dataclass(frozen=True)
class Answer:
    code: int
    said: str


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A workspace with an index, which each test copies."""
    made = Sandbox(tmp_path_factory.mktemp("indexed") / "workspace")
    reindex(made.workspace, vectors=False)
    yield made
    made.close()


@pytest.fixture
def root(indexed: Sandbox, tmp_path: Path) -> Path:
    return Path(shutil.copytree(indexed.root, tmp_path / "workspace", symlinks=True))


def in_place_of(path: Path) -> Path:
    """Nothing is at ``path`` any more, and something can be made there."""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def answers(root: Path, address: str) -> dict[str, Answer]:
    """What each command says in ``root``; fails when one of them hangs."""
    commands = [
        ["get", LOG], ["search", "staging"], ["status"], ["log"], ["promote", address], ["undo"],
        ["status", "--commit"], ["doctor"], ["verify"], ["reindex", "--no-vectors"],
    ]  # fmt: skip
    return {name_of(command): answer(root, *command) for command in commands}


def answer(root: Path, *command: str) -> Answer:
    done = forked.run(*command, cwd=root, timeout=HANGS_SECONDS)
    said = (done.stdout + done.stderr).decode()
    assert "Traceback" not in said, said
    return Answer(done.returncode, said)


def name_of(command: list[str]) -> str:
    return command[-1] if command[-1] == "--commit" else command[0]


def require_named(answer: Answer, path: Path) -> None:
    assert answer.code != 0
    assert f"{path} is a " in answer.said or f"{path} is not a plain file" in answer.said
    assert "rm " in answer.said or "remove" in answer.said


@pytest.mark.promise(
    "Git",
    "a named pipe or a socket anywhere in `.git`",
    "every command that needs git reports it; reading and searching work",
)
@pytest.mark.parametrize("path", OF_GIT)
def test_a_pipe_in_a_repository_is_named_and_memory_can_be_read(
    root: Path, indexed: Sandbox, path: str
) -> None:
    pipe = in_place_of(root / path)
    os.mkfifo(pipe)
    said = answers(root, indexed.address("staging port"))
    for command in ("log", "promote", "undo", "--commit", "verify"):
        require_named(said[command], pipe)
    assert said["doctor"].code == 4
    assert str(pipe) in said["doctor"].said
    assert str(pipe) in said["status"].said
    assert said["get"].code == said["search"].code == said["reindex"].code == 0
    pipe.unlink()


@pytest.mark.promise(
    "Git",
    "a named pipe or a socket anywhere in `.workbench`",
    "nothing blocks; `status`, `verify` and `doctor` report it",
)
@pytest.mark.parametrize("path", OF_INDEX)
def test_a_pipe_in_the_index_is_named_and_all_else_works(root: Path, indexed: Sandbox, path: str) -> None:
    pipe = in_place_of(root / path)
    os.mkfifo(pipe)
    said = answers(root, indexed.address("staging port"))
    for command in ("search", "reindex", "verify"):
        require_named(said[command], pipe)
    for command in ("get", "status", "log", "promote", "undo", "--commit"):
        assert said[command].code == 0
    assert str(pipe) in said["status"].said
    assert said["doctor"].code == 4
    assert path in said["doctor"].said


@pytest.mark.promise("Git", "a named pipe or a socket anywhere in `.workbench`")
@pytest.mark.parametrize("path", OF_STATE)
def test_a_pipe_among_our_files_stops_nobody_without_being_named(
    root: Path, indexed: Sandbox, path: str
) -> None:
    pipe = in_place_of(root / path)
    os.mkfifo(pipe)
    said = answers(root, indexed.address("staging port"))
    assert path in said["status"].said
    assert said["get"].code == said["search"].code == said["log"].code == 0
    aside = path.replace("journal.json", "journal.refused")  # where an action puts what is no journal
    for name in said.keys() - {"undo"} if said["promote"].code else said:  # else there is nothing to undo
        assert said[name].code == 0 or path in said[name].said or aside in said[name].said
    assert said["doctor"].code == 4 or not (pipe.is_fifo() or (root / aside).is_fifo())


@pytest.mark.parametrize("path", OF_MEMORY)
def test_a_pipe_among_settings_and_ledger_stops_nobody(root: Path, indexed: Sandbox, path: str) -> None:
    pipe = in_place_of(root / path)
    os.mkfifo(pipe)
    for answer in answers(root, indexed.address("staging port")).values():
        assert answer.code == 0 or path in answer.said


def test_a_pipe_in_place_of_the_state_folder_is_named(root: Path, indexed: Sandbox) -> None:
    pipe = in_place_of(root / ".workbench")
    os.mkfifo(pipe)
    said = answers(root, indexed.address("staging port"))
    for command in ("promote", "undo", "--commit", "reindex", "verify"):
        require_named(said[command], pipe)
    assert said["get"].code == said["log"].code == 0


def test_a_socket_is_named_like_a_pipe(root: Path, indexed: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (".git/HEAD", ".workbench/index/current"):
        place = in_place_of(root / path)
        monkeypatch.chdir(place.parent)  # the whole path may be too long for a socket
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(place.name)
    said = answers(root, indexed.address("staging port"))
    assert f"{root}/.git/HEAD is a socket" in said["promote"].said
    assert f"{root}/.workbench/index/current is a socket" in said["search"].said


def test_the_socket_of_gits_own_file_system_watcher_is_in_nobodys_way(
    root: Path, indexed: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / ".git")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("fsmonitor--daemon.ipc")
        assert answers(root, indexed.address("staging port"))["promote"].code == 0


@pytest.mark.parametrize("path", ["HEAD", "refs/heads/main", "objects/info/commit-graph"])
def test_a_link_to_a_pipe_is_no_way_around(root: Path, indexed: Sandbox, tmp_path: Path, path: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    link = in_place_of(root / ".git" / path)
    link.symlink_to(tmp_path / "pipe")
    require_named(answers(root, indexed.address("staging port"))["promote"], link)


def test_a_pipe_among_borrowed_objects_and_in_the_folder_of_a_worktree_is_named(
    root: Path, indexed: Sandbox, tmp_path: Path
) -> None:
    worktree, lent = tmp_path / "worktree", tmp_path / "lent" / "objects"
    subprocess.run(["git", "-C", root, "worktree", "add", "-q", worktree], check=True)
    shutil.copytree(root / ".git" / "objects", lent)
    (root / ".git" / "objects" / "info" / "alternates").write_text(f"{lent}\n")
    assert answers(worktree, indexed.address("staging port"))["promote"].code == 0
    os.mkfifo(lent / "pack" / "pack-1.idx")
    require_named(answers(worktree, indexed.address("staging port"))["log"], lent / "pack" / "pack-1.idx")
    (lent / "pack" / "pack-1.idx").unlink()
    pipe = root / ".git" / "worktrees" / "worktree" / "gitdir"
    pipe.unlink()
    os.mkfifo(pipe)
    require_named(answers(worktree, indexed.address("staging port"))["log"], pipe)


@pytest.mark.promise("Git", "a named pipe or a socket anywhere in `.git`")
def test_a_pipe_in_place_of_an_object_ends_the_git_that_waits_for_it(root: Path, indexed: Sandbox) -> None:
    tree = indexed.git("rev-parse", "HEAD^{tree}").strip()
    pipe = in_place_of(root / ".git" / "objects" / tree[:2] / tree[2:])
    os.mkfifo(pipe)
    require_named(answer(root, "log"), pipe)


def test_the_doctor_removes_pipes(root: Path) -> None:
    pipes = [root / ".workbench/drafts.json", root / ".workbench/index/current"]
    for pipe in pipes:
        os.mkfifo(in_place_of(pipe))
    answer(root, "doctor", "--fix")
    assert not any(pipe.is_fifo() for pipe in pipes)


@pytest.mark.promise(
    "Git",
    "a background process of the interface hangs",
    "`q` still quits the interface and ends the processes it started",
)
def test_q_leaves_whatever_waits_behind_the_interface(root: Path, tmp_path: Path) -> None:
    """A pipe that is neither git's nor ours, which only git opens: nothing can be known of it beforehand."""
    os.mkfifo(tmp_path / "pipe")
    with (root / ".git" / "config").open("a") as config:
        config.write(f"[include]\n\tpath = {tmp_path / 'pipe'}\n")
    terminal = Terminal(root)
    terminal.until(lambda text: "Likes tea" in text, "the panes")
    interface = psutil.Process(terminal.child.pid)

    def waits(_: str) -> bool:
        return any("git" in child.name() for child in interface.children(recursive=True))

    terminal.until(waits, "a git that waits")
    children = interface.children(recursive=True)
    terminal.keys("q")
    terminal.child.expect(pexpect.EOF, timeout=SOON_SECONDS)
    left = bytes(terminal.child.before or b"")
    terminal.child.close()
    assert terminal.child.exitstatus == 0
    assert left is not None
    assert b"\x1b[?1049l" in left  # the terminal is as it was before
    _, alive = psutil.wait_procs(children, timeout=SOON_SECONDS)
    assert alive == []
