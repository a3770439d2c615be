"""After a kill: exactly what was decided, once, and nothing that only claims to be it."""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.workspaces import EPISODE, MEMORY_TEXT, Sandbox
from workbench.errors import NotCuratableError, WriteFailedError
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.operations.forget import plan_forget
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_undo
from workbench.workspace import files
from workbench.workspace.files import Files
from workbench.workspace.journaled_swap import Journal
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.seal import Seal
from workbench.workspace.workspace import Workspace

SEAMS = [(os, "rename"), (os, "replace"), (os, "unlink"), (os, "fsync"), (os, "link"), (os, "write"),
         (files, "swap"), (files, "place")]  # fmt: skip


class KilledError(BaseException):
    """Stands for SIGKILL: nothing between it and the test may tidy up."""


def promote(sandbox: Sandbox, words: str = "staging port") -> Operation:
    address = sandbox.address(words)
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_promote(place, [address]))


def killed_at(
    monkeypatch: pytest.MonkeyPatch, moment: int, act: Callable[[], object], *, failing: int = 0
) -> bool:
    """Do ``act``, dead from its nth call that changes the disk on; whether it died.

    With ``failing``, that exchange (counted from 1) fails with an I/O error first.
    """
    calls, swaps = itertools.count(1), itertools.count(1)

    def dying(real: Callable[..., object], name: str) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            if next(calls) >= moment:
                raise KilledError
            if name == "swap" and next(swaps) == failing:
                raise OSError(5, "Input/output error")
            return real(*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        for module, name in SEAMS:
            patch.setattr(module, name, dying(getattr(module, name), name))
        try:
            act()
        except KilledError:
            return True
        except WriteFailedError:
            return False
    return False


def moments() -> Iterator[int]:
    yield from range(1, 200)


def test_killed_while_a_failed_operation_is_put_back_every_file_is_whole(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of three files fails, the first is being put back, and the process dies at every step."""
    other = "episodes/2026/03/e2.md"
    sandbox.write(other, sandbox.read(EPISODE).replace(b"e1", b"e2"))
    sandbox.commit("two")
    place = sandbox.workspace

    def plan() -> Plan:
        targets = [
            EPISODE,
            sandbox.address("staging port"),
            sandbox.address("project is called", "MEMORY.md"),
        ]
        return plan_forget(place, targets)

    before = sandbox.snapshot()
    after: dict[str, bytes | None] = dict(before)
    after.update({edit.path: edit.after for edit in plan().edits})
    whole = {path: data for path, data in after.items() if data is not None}
    covered = 0
    for moment in moments():
        died = killed_at(monkeypatch, moment, lambda: place.operations.carry_out(plan), failing=2)
        place.operations.recover()
        now = sandbox.snapshot()
        assert now in (before, whole), f"torn at {moment}"
        assert sandbox.git("status", "--porcelain") == "", f"uncommitted at {moment}"
        assert not [p for p in sandbox.root.rglob(".wb-*") if ".workbench" not in p.parts]
        assert not place.operations.conflicts()
        if not died:
            assert now == before
            break
        covered += 1
        if now == whole:
            place.operations.carry_out(lambda: plan_undo(place))
            assert sandbox.snapshot() == before
    assert covered >= 15


def note(sandbox: Sandbox, number: int) -> Plan:
    """A plan that adds a line to MEMORY.md."""
    text = sandbox.read("MEMORY.md")
    edit = FileEdit(RelPath("MEMORY.md"), text, text + f"- note {number}\n".encode())
    return Plan(action="note", summary="note", edits=(edit,))


@pytest.mark.promise(
    "Two writers",
    "a program keeps the old file open and writes later",
    "carried over exactly once, also across a kill",
    by="failpoint",
)
@pytest.mark.parametrize("also", ["nothing else", "the agent appends after", "the agent rewrites after"])
def test_late_bytes_are_carried_over_exactly_once_whenever_the_kill_comes(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, also: str
) -> None:
    place = sandbox.workspace
    covered = 0
    for moment in moments():
        token = f"late{moment}token"
        with (sandbox.root / "MEMORY.md").open("ab", buffering=0) as agent:
            place.operations.carry_out(lambda: note(sandbox, moment))  # noqa: B023
            agent.write(f"- {token}\n".encode())
        died = killed_at(monkeypatch, moment, place.operations.recover)
        if also == "the agent appends after":
            with (sandbox.root / "MEMORY.md").open("ab") as agent:
                agent.write(b"- more\n")
        elif also == "the agent rewrites after":
            text = sandbox.read("MEMORY.md")
            sandbox.write("MEMORY.md", b"# Rewritten\n\n" + text)
        for _ in range(2):
            place.operations.recover()
        assert sandbox.read("MEMORY.md").count(token.encode()) == 1, f"at {moment}"
        assert not place.operations.conflicts()
        if not died:
            break
        covered += 1
    assert covered >= 3


def test_an_append_in_the_moment_of_the_exchange_is_there_once_whenever_the_kill_comes(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = sandbox.workspace
    real = files.swap
    covered = 0
    for moment in moments():
        token = f"late{moment}token".encode()

        def late(folder: int, first: str, second: str, token: bytes = token) -> None:
            with (sandbox.root / "MEMORY.md").open("ab") as agent:
                agent.write(b"- " + token + b"\n")
            real(folder, first, second)

        with monkeypatch.context() as patch:
            patch.setattr(files, "swap", late)
            words = "async reviews" if moment % 2 else "tantivy"
            died = killed_at(monkeypatch, moment, lambda: promote(sandbox, words))  # noqa: B023
        with (sandbox.root / "MEMORY.md").open("ab") as agent:
            agent.write(b"- after the kill\n")
        for _ in range(2):
            place.operations.recover()
        assert sandbox.read("MEMORY.md").count(token) <= 1, f"doubled at {moment}"
        known = sandbox.read("MEMORY.md") + sandbox.git("log", "-p", "--text").encode()
        assert token in known or died
        if not died:
            break
        covered += 1
        memory = sandbox.workspace.memory_document()
        if any("async" in e.text or "tantivy" in e.text for e in memory.entries):
            place.operations.carry_out(lambda: plan_undo(place))
    assert covered >= 8


def kill_before_the_branch_moves(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> str:
    """A promotion whose files are written and whose commit no branch has; its operation's id."""

    def die(*_: object) -> bool:
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(sandbox.workspace.history, "move_references", die)
        with pytest.raises(KilledError):
            promote(sandbox)
    journal = json.loads((sandbox.root / ".workbench/journal.json").read_text())
    return str(journal["operation"])


@pytest.mark.parametrize("content", ["empty", "another change of the same file"])
def test_a_plain_commit_with_copied_lines_does_not_stand_for_the_real_operation(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    ours = kill_before_the_branch_moves(sandbox, monkeypatch)
    if content != "empty":
        blob = sandbox.root.with_name("other")
        blob.write_text(MEMORY_TEXT + "- forged\n")
        name = sandbox.git("hash-object", "-w", str(blob)).strip()
        sandbox.git("update-index", "--cacheinfo", f"100644,{name},MEMORY.md")
    sandbox.git("commit", "-q", "--allow-empty", "-m", f"forged\n\nOperation: {ours}\nAction: promote")
    sandbox.workspace.operations.recover()
    assert "staging port" in sandbox.git("show", "HEAD:MEMORY.md")
    assert "promote: The staging port" in sandbox.git("log", "-1", "--format=%s")
    assert sandbox.git("status", "--porcelain") == ""


def test_an_operation_that_was_amended_after_the_kill_is_not_recorded_twice(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "clear", die)
        with pytest.raises(KilledError):
            promote(sandbox)
    sandbox.git("commit", "-q", "--amend", "--no-edit", "--date", "2001-01-01T00:00:00Z")
    count = sandbox.git("rev-list", "--count", "HEAD")
    sandbox.workspace.operations.recover()
    assert sandbox.git("rev-list", "--count", "HEAD") == count
    assert not (sandbox.root / ".workbench/journal.json").exists()


def test_a_copied_name_does_not_hide_the_operation_that_has_it(sandbox: Sandbox) -> None:
    ours = promote(sandbox)
    sandbox.write("other.txt", "x\n")
    sandbox.git("add", "other.txt")
    sandbox.git("commit", "-qm", f"forged\n\nOperation: {ours.id}\nAction: promote\nActor: human")
    place = sandbox.workspace
    assert place.operations.find(ours.id).commit == ours.commit
    assert place.operations.find(ours.id[:6]).commit == ours.commit
    assert [o.summary for o in place.operations.walk()][:2] == ["forged", ours.summary]
    place.operations.carry_out(lambda: plan_undo(place, ours.id))
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()


def test_a_forged_undo_that_touches_nothing_of_an_operation_does_not_mark_it_undone(sandbox: Sandbox) -> None:
    ours = promote(sandbox)
    sandbox.git(
        "commit", "-q", "--allow-empty", "-m",
        f"forged\n\nOperation: 0123456789ab\nAction: undo\nUndoes: {ours.id}",
    )  # fmt: skip
    place = sandbox.workspace
    assert not place.operations.find(ours.id).undone
    place.operations.carry_out(lambda: plan_undo(place))
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    with pytest.raises(NotCuratableError):
        plan_undo(place, ours.id)


@pytest.mark.promise(
    "Writing",
    "power failure",
    "the journal is flushed before the first file is touched, and each new file before it is swapped in",
    by="order of calls recorded",
)
def test_the_journal_is_on_the_disk_before_the_first_file_is_touched_and_every_file_before_its_exchange(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    fsync, replace_, swap, write = os.fsync, os.replace, files.swap, Files.replace

    def name(descriptor: int) -> str:
        return Path(os.readlink(f"/proc/self/fd/{descriptor}")).name

    def seen_fsync(descriptor: int) -> None:
        events.append(f"fsync {name(descriptor)}")
        fsync(descriptor)

    def seen_replace(source: str, target: str) -> None:
        events.append(f"replace {Path(target).name}")
        replace_(source, target)

    def seen_swap(folder: int, first: str, second: str) -> None:
        events.append(f"swap {second}")
        swap(folder, first, second)

    def seen_write(self: Files, *arguments: object, **options: object) -> object:
        events.append("write")
        return write(self, *arguments, **options)  # type: ignore[arg-type]

    if not Path("/proc/self/fd").exists():
        pytest.skip("descriptors have no names here")
    sandbox.workspace.state_dir()
    Seal(sandbox.root).of({})  # the key is made once, by a person's first action
    monkeypatch.setattr(os, "fsync", seen_fsync)
    monkeypatch.setattr(os, "replace", seen_replace)
    monkeypatch.setattr(files, "swap", seen_swap)
    monkeypatch.setattr(Files, "replace", seen_write)
    promote(sandbox)
    first = events.index("write")
    journal = ["fsync journal.new", "replace journal.json", "fsync .workbench"]
    assert events[:first] == journal
    temporary, swapped, folder = events[first + 1 : first + 4]
    assert temporary.startswith("fsync .wb-")
    assert (swapped, folder) == ("swap MEMORY.md", "fsync workspace")


def test_git_flushes_every_object_and_ref_whatever_the_workspace_says(sandbox: Sandbox) -> None:
    sandbox.git("config", "core.fsync", "none")
    sandbox.git("config", "core.fsyncMethod", "writeout-only")
    carrier = Workspace.open(sandbox.root).history.carrier
    assert carrier.config("core.fsync") == "all"
    assert carrier.config("core.fsyncMethod") == "fsync"
    promote(sandbox)


@pytest.mark.promise(
    "Writing",
    "a folder cannot be flushed",
    "saved, with the note “durability unconfirmed”",
    by="fsync fails",
)
def test_a_folder_that_cannot_be_flushed_is_said_and_the_text_is_saved(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def refuse(descriptor: int) -> None:
        if Path(os.readlink(f"/proc/self/fd/{descriptor}")) == sandbox.root:
            raise OSError(5, "Input/output error")
        real(descriptor)

    if not Path("/proc/self/fd").exists():
        pytest.skip("descriptors have no names here")
    monkeypatch.setattr(os, "fsync", refuse)
    operation = promote(sandbox)
    assert "MEMORY.md is saved, durability unconfirmed" in operation.notes
    assert b"staging port" in sandbox.read("MEMORY.md")


def test_an_index_that_somebody_holds_for_a_moment_is_waited_for(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = sandbox.root / ".git/index.lock"
    lock.touch()
    waits: list[float] = []

    def released(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            lock.unlink()

    monkeypatch.setattr(time, "sleep", released)
    operation = promote(sandbox)
    assert len(waits) == 2
    assert operation.notes == ()
    assert sandbox.git("status", "--porcelain") == ""
