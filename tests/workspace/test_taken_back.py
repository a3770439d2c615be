"""An operation that cannot be finished is taken back, also where the disk gives nothing any more."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.workspaces import EPISODE, EPISODE_TEXT, LOG, MEMORY_TEXT, Sandbox
from workbench.errors import WorkbenchError, WriteFailedError
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.operations.forget import plan_forget
from workbench.operations.promote import plan_promote
from workbench.workspace import files
from workbench.workspace.files import Files
from workbench.workspace.journaled_swap import Journal
from workbench.workspace.late_writes import Displaced
from workbench.workspace.plan import Operation, Plan


class KilledError(BaseException):
    """Stands for SIGKILL: nothing between it and the test may tidy up."""


def promote(sandbox: Sandbox) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_promote(place, [sandbox.address("staging port")]))


def forget_two(sandbox: Sandbox) -> Plan:
    targets = [sandbox.address("staging port"), sandbox.address("project is called", "MEMORY.md")]
    return plan_forget(sandbox.workspace, targets)


def full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def left_beside(sandbox: Sandbox) -> list[str]:
    return [p.name for p in sandbox.root.rglob(".wb-*") if ".workbench" not in p.parts]


@pytest.mark.parametrize("place", ["the note", "the move"])
def test_a_file_that_cannot_be_kept_after_its_exchange_is_exchanged_back(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    with monkeypatch.context() as patch:
        owner: type = Displaced if place == "the note" else Files
        patch.setattr(owner, "_write_note" if place == "the note" else "rename", full)
        with pytest.raises(WriteFailedError, match="No space"):
            promote(sandbox)
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    assert left_beside(sandbox) == []
    promote(sandbox)
    assert sandbox.git("status", "--porcelain") == ""


def test_on_a_full_disk_the_files_before_the_one_that_failed_are_put_back(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sandbox.snapshot()
    real = files.swap
    calls: list[str] = []

    def swap(folder: int, first: str, second: str) -> None:
        calls.append(second)
        if len(calls) == 2:  # the disk is full from here on
            monkeypatch.setattr(os, "write", full)
            monkeypatch.setattr(Displaced, "_write_note", full)
            full()
        real(folder, first, second)

    place = sandbox.workspace
    with monkeypatch.context() as patch:
        patch.setattr(files, "swap", swap)
        with pytest.raises(WriteFailedError):
            place.operations.carry_out(lambda: forget_two(sandbox))
    monkeypatch.undo()
    assert sandbox.snapshot() == before
    assert left_beside(sandbox) == []
    place.operations.recover()
    assert sandbox.snapshot() == before
    assert sandbox.git("status", "--porcelain") == ""


def test_a_line_that_was_carried_over_is_there_once_when_the_file_is_put_back(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = files.swap
    calls: list[str] = []

    def swap(folder: int, first: str, second: str) -> None:
        calls.append(second)
        if len(calls) == 2:
            with (sandbox.root / LOG).open("ab") as agent:
                agent.write(b"- after the exchange\n")
            raise OSError(5, "Input/output error")
        if len(calls) == 1:
            with (sandbox.root / LOG).open("ab") as agent:
                agent.write(b"- in the moment of the exchange\n")
        real(folder, first, second)

    texts = {path: sandbox.read(path) for path in (LOG, "MEMORY.md")}
    edits = tuple(FileEdit(RelPath(path), data, b"# new\n" + data) for path, data in texts.items())
    with monkeypatch.context() as patch:
        patch.setattr(files, "swap", swap)
        with pytest.raises(WriteFailedError):
            sandbox.workspace.operations.carry_out(lambda: Plan(action="x", summary="x", edits=edits))
    sandbox.workspace.operations.recover()
    added = b"- in the moment of the exchange\n- after the exchange\n"
    assert sandbox.read(LOG) == texts[LOG] + added
    assert sandbox.read("MEMORY.md") == texts["MEMORY.md"]


def test_files_that_can_neither_be_finished_nor_taken_back_are_finished_by_the_next_action(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = files.swap
    calls: list[str] = []

    def swap(folder: int, first: str, second: str) -> None:
        calls.append(second)
        if len(calls) > 1:
            raise OSError(5, "Input/output error")
        real(folder, first, second)

    place = sandbox.workspace
    wanted = {edit.path: edit.after for edit in forget_two(sandbox).edits}
    with monkeypatch.context() as patch:
        patch.setattr(files, "swap", swap)
        with pytest.raises(WriteFailedError, match="could not be restored") as caught:
            place.operations.carry_out(lambda: forget_two(sandbox))
    assert "the next action finishes" in caught.value.hint
    place.operations.recover()
    assert {path: sandbox.read(path) for path in wanted} == wanted
    assert left_beside(sandbox) == []
    assert sandbox.git("status", "--porcelain") == ""


def test_killed_while_a_page_that_changed_is_put_back_its_new_text_returns(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page is moved aside to be removed, turns out to be rewritten, and the process dies."""
    rewritten = b"# the agent wrote this in the last moment\n"
    real = os.rename

    def rename(source: str, target: str, **folders: int) -> None:
        if source == "e1.md":
            sandbox.write(EPISODE, rewritten)
        real(source, target, **folders)

    def die(*_: object) -> None:
        raise KilledError

    place = sandbox.workspace
    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", rename)
        patch.setattr(files, "place", die)
        patch.setattr(Files, "_discard", staticmethod(die))
        with pytest.raises(KilledError):
            place.operations.carry_out(lambda: plan_forget(place, [EPISODE]))
    assert not (sandbox.root / EPISODE).exists()
    place.operations.recover()
    assert sandbox.read(EPISODE) == rewritten
    assert left_beside(sandbox) == []
    promote(sandbox)


@pytest.mark.parametrize("moment", [1, 2, 3])
def test_where_the_system_has_no_exchange_a_kill_at_any_of_its_steps_is_recovered(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    calls: list[str] = []

    def dying(real: Callable[..., None]) -> Callable[..., None]:
        def call(*arguments: object, **options: object) -> None:
            if "src_dir_fd" in options:
                calls.append(str(arguments[0]))
                if len(calls) >= moment:
                    raise KilledError
            real(*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(files, "_system_call", lambda: None)
        patch.setattr(os, "link", dying(os.link))
        patch.setattr(os, "rename", dying(os.rename))
        patch.setattr(os, "unlink", dying(os.unlink))
        patch.setattr(Files, "_discard", staticmethod(lambda *_: None))
        with pytest.raises(KilledError):
            promote(sandbox)
    with monkeypatch.context() as patch:
        patch.setattr(files, "_system_call", lambda: None)
        sandbox.workspace.operations.recover()
    assert b"staging port" in sandbox.read("MEMORY.md")
    assert left_beside(sandbox) == []
    assert sandbox.git("status", "--porcelain") == ""


@pytest.mark.parametrize("instead", ["a link", "a folder", "a folder that is a link"])
def test_a_file_that_became_something_else_after_the_kill_blocks_no_other(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, instead: str
) -> None:
    def die(*_: object) -> bool:
        raise KilledError

    place = sandbox.workspace
    with monkeypatch.context() as patch:
        patch.setattr(place.history, "move_references", die)
        with pytest.raises(KilledError):
            place.operations.carry_out(lambda: plan_forget(place, [sandbox.address("release is", EPISODE)]))
    path = sandbox.root / EPISODE
    path.unlink()
    if instead == "a link":
        path.symlink_to("/dev/null")
    elif instead == "a folder":
        path.mkdir()
    else:
        path.parent.rmdir()
        path.parent.symlink_to(sandbox.root / "memory")
    promote(sandbox)
    assert b"staging port" in sandbox.read("MEMORY.md")


@pytest.mark.parametrize("leave", [("switch", "-q", "other"), ("reset", "-q", "--hard", "HEAD^")])
def test_an_operation_that_the_person_left_behind_after_a_kill_is_not_done_again(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, leave: tuple[str, ...]
) -> None:
    """Killed when all but the journal was done; then they go to another branch, or take the commit back."""

    def die(*_: object) -> None:
        raise KilledError

    sandbox.git("branch", "other")
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "clear", die)
        with pytest.raises(KilledError):
            promote(sandbox)
    sandbox.git(*leave)
    head = sandbox.git("rev-parse", "HEAD")
    sandbox.workspace.operations.recover()
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    assert sandbox.git("rev-parse", "HEAD") == head
    assert sandbox.git("status", "--porcelain") == ""


@pytest.mark.parametrize("left", [b"", b"*", None])
def test_our_folder_stays_out_of_git_also_when_its_first_writing_was_cut_short(
    sandbox: Sandbox, left: bytes | None
) -> None:
    ignore = sandbox.workspace.state_dir() / ".gitignore"
    ignore.unlink()
    if left is not None:
        ignore.write_bytes(left)
    promote(sandbox)
    sandbox.git("add", "-A")
    assert sandbox.git("status", "--porcelain") == ""
    assert ignore.read_bytes() == b"*\n"


def test_a_revert_after_the_kill_stays_reverted_in_the_persons_index_too(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "clear", die)
        with pytest.raises(KilledError):
            promote(sandbox)
    sandbox.git("revert", "--no-edit", "HEAD")
    sandbox.workspace.operations.recover()
    assert sandbox.git("status", "--porcelain") == ""
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()


def test_an_index_that_is_locked_when_recovery_comes_follows_when_it_is_free(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> str:
        raise KilledError

    place = sandbox.workspace
    with monkeypatch.context() as patch:
        patch.setattr(place.history, "refresh_index", die)
        with pytest.raises(KilledError):
            promote(sandbox)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    lock = sandbox.root / ".git/index.lock"
    lock.touch()
    place.operations.recover()
    lock.unlink()
    assert sandbox.git("status", "--porcelain") == "MM MEMORY.md\n"
    place.operations.recover()
    assert sandbox.git("status", "--porcelain") == ""


def test_an_operation_that_is_recorded_is_not_said_to_have_failed(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "clear", full)
        operation = promote(sandbox)
    sandbox.workspace.operations.recover()
    assert [o.id for o in list(sandbox.workspace.operations.walk())[:1]] == [operation.id]
    assert not (sandbox.root / ".workbench/journal.json").exists()


def test_a_kill_after_the_commit_of_external_edits_leaves_nothing_that_a_plain_commit_reverts(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> str:
        raise KilledError

    place = sandbox.workspace
    sandbox.write("MEMORY.md", MEMORY_TEXT + "- of the agent\n")
    with monkeypatch.context() as patch:
        patch.setattr(place.history, "refresh_index", die)
        with pytest.raises(KilledError):
            promote(sandbox)
    assert sandbox.git("log", "-1", "--format=%s") == "external: MEMORY.md\n"
    place.operations.recover()
    assert sandbox.git("status", "--porcelain") == ""
    assert sandbox.read("MEMORY.md") == (MEMORY_TEXT + "- of the agent\n").encode()


@pytest.mark.parametrize("how", ["it cannot be read", "it is a link now"])
def test_a_page_that_cannot_be_removed_is_where_it_was(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    path = sandbox.root / EPISODE
    real = os.rename

    def rename(source: str, target: str, **folders: int) -> None:
        if source == "e1.md" and how == "it is a link now":
            path.unlink()
            path.symlink_to("elsewhere")
        real(source, target, **folders)
        if source == "e1.md" and how == "it cannot be read":
            monkeypatch.setattr(os, "read", full)

    place = sandbox.workspace
    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", rename)
        with pytest.raises(WorkbenchError):
            place.operations.carry_out(lambda: plan_forget(place, [EPISODE]))
    monkeypatch.undo()
    if how == "it is a link now":
        assert os.readlink(path) == "elsewhere"
    else:
        assert path.read_bytes() == EPISODE_TEXT.encode()
    assert left_beside(sandbox) == []


def test_a_memory_folder_on_another_file_system_is_named_and_stays_as_it_is(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def elsewhere(*_: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    with monkeypatch.context() as patch:
        patch.setattr(Files, "rename", elsewhere)
        with pytest.raises(WriteFailedError, match="another file system"):
            promote(sandbox)
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    assert left_beside(sandbox) == []


def test_two_processes_may_make_the_state_folder_in_the_same_instant(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sandbox.root / ".workbench"
    shutil.rmtree(path, ignore_errors=True)
    looked = Path.is_dir

    def made_just_after_the_look(self: Path) -> bool:
        found = looked(self)
        if self == path and not found:
            path.mkdir(mode=0o700)
        return found

    monkeypatch.setattr(Path, "is_dir", made_just_after_the_look)
    assert sandbox.workspace.state_dir() == path
