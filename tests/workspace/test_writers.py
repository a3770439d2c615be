"""An agent that writes in the worst moment: both its words and ours survive, or we say so."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.workspaces import EPISODE, LOG, MEMORY_TEXT, Sandbox
from workbench.errors import NotMemoryError, WriteFailedError
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.operations.forget import plan_forget
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_undo
from workbench.workspace import files
from workbench.workspace.plan import Operation, Plan, ledger_records
from workbench.workspace.transaction import Operations


class KilledError(BaseException):
    """Stands for SIGKILL."""


def promote(sandbox: Sandbox, words: str = "staging port", path: str = LOG) -> Operation:
    address = sandbox.address(words, path)
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_promote(place, [address]))


def at_swap(
    monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[], None], *, after: bool = False
) -> None:
    """Do ``act`` right before (or after) the nth exchange of two files."""
    real, calls = files.swap, []

    def swap(folder: int, first: str, second: str) -> None:
        calls.append(second)
        if len(calls) == number and not after:
            act()
        real(folder, first, second)
        if len(calls) == number and after:
            act()

    monkeypatch.setattr(files, "swap", swap)


def die() -> None:
    raise KilledError


def everything(sandbox: Sandbox) -> bytes:
    """Every byte on disk below the workspace, git's own files left out."""
    return b"\n".join(
        p.read_bytes() for p in sandbox.root.rglob("*") if p.is_file() and ".git" not in p.parts
    )


def test_recovery_never_overwrites_what_was_rewritten_after_the_kill(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        at_swap(patch, 1, die)
        with pytest.raises(KilledError):
            promote(sandbox)
    rewritten = (
        "# Memory\n\n- the agent wrote all of this anew, and it is longer than what was there before\n"
    )
    sandbox.write("MEMORY.md", rewritten)
    sandbox.commit("by the agent")
    head = sandbox.git("rev-parse", "HEAD")
    sandbox.workspace.operations.recover()
    assert sandbox.read("MEMORY.md").decode() == rewritten
    assert sandbox.git("rev-parse", "HEAD") == head
    assert sandbox.git("status", "--porcelain") == ""


def two_files(sandbox: Sandbox) -> Plan:
    """A decision about words in two files."""
    edits = tuple(
        FileEdit(RelPath(path), sandbox.read(path), sandbox.read(path) + b"- added\n")
        for path in ("MEMORY.md", LOG)
    )
    records = ledger_records("decisions", [{"key": "k1"}], datetime.now(UTC))
    return Plan(action="accept", summary="two", edits=edits, records=records)


def decide(sandbox: Sandbox) -> Operation:
    return sandbox.workspace.operations.carry_out(lambda: two_files(sandbox))


def killed_before_the_branch_moves(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, act: Callable[[Sandbox], Operation]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sandbox.workspace.history, "move_references", lambda *_: die())
        with pytest.raises(KilledError):
            act(sandbox)


def decided(sandbox: Sandbox) -> list[str]:
    return [record["key"] for record in sandbox.workspace.ledger.read("decisions")]


@pytest.mark.promise(
    "From sessions to long-term memory",
    "an action was killed, and one of its files is rewritten before it is finished",
    "its decisions do not count, but the recorded origin of its text does",
    by="a kill before the branch moves",
)
def test_a_decision_counts_only_where_all_of_its_files_could_be_finished(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_before_the_branch_moves(sandbox, monkeypatch, decide)
    sandbox.write(LOG, "# rewritten by the agent\n")
    sandbox.workspace.operations.recover()
    assert b"- added" in sandbox.read("MEMORY.md")
    assert decided(sandbox) == []
    message = sandbox.git("log", "-1", "--format=%B")
    assert "Action: accept" in message
    assert "Ledger:" not in message


def test_a_decision_counts_where_its_files_could_be_finished(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_before_the_branch_moves(sandbox, monkeypatch, decide)
    sandbox.workspace.operations.recover()
    assert decided(sandbox) == ["k1"]
    assert "Ledger: decisions" in sandbox.git("log", "-1", "--format=%B")


@pytest.mark.promise(
    "From sessions to long-term memory",
    "an action was killed, and one of its files is rewritten before it is finished",
)
def test_where_words_came_from_is_known_though_the_rest_of_their_file_was_rewritten_after_the_kill(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_before_the_branch_moves(sandbox, monkeypatch, promote)
    text = sandbox.read("MEMORY.md").decode()
    sandbox.write("MEMORY.md", text.replace("# Memory\n", "# My memory\n"))
    place = sandbox.workspace
    place.operations.recover()
    (port,) = (entry for entry in place.memory_document().entries if "staging port" in entry.text)
    assert port.field("src") == f"{LOG}#L6"
    promote(sandbox, "async reviews")


@pytest.mark.promise(
    "From sessions to long-term memory",
    "git has lost the records of an action that was killed",
    "the action is finished without them, with a note",
)
@pytest.mark.parametrize("is_recorded", [False, True])
def test_records_that_git_has_lost_block_no_action_and_that_is_said(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, is_recorded: bool
) -> None:
    killed_before_the_branch_moves(sandbox, monkeypatch, decide)
    journal = json.loads((sandbox.root / ".workbench/journal.json").read_text())
    if is_recorded:  # by hand: the ledger did not move with it
        sandbox.git("update-ref", "HEAD", journal["commit"])
    (sandbox.root / ".git/objects" / journal["ledger"][:2] / journal["ledger"][2:]).unlink()
    done = promote(sandbox)
    (note,) = (note for note in done.notes if journal["operation"] in note)
    assert "lost" in note
    assert decided(sandbox) == []
    assert b"- added" in sandbox.read("MEMORY.md")
    recorded = sandbox.git("log", "-1", "--skip=1", "--format=%B")
    assert f"Operation: {journal['operation']}" in recorded
    assert ("Ledger:" in recorded) == is_recorded


def test_a_kill_between_the_two_swaps_of_a_conflict_keeps_the_agents_version(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        real = files.swap
        calls: list[str] = []

        def swap(folder: int, first: str, second: str) -> None:
            calls.append(second)
            if len(calls) == 1:
                sandbox.write("MEMORY.md", "# rewritten by the agent\n")
            if len(calls) == 2:
                raise KilledError
            real(folder, first, second)

        patch.setattr(files, "swap", swap)
        with pytest.raises(KilledError):
            promote(sandbox)
    sandbox.workspace.operations.recover()
    assert sandbox.read("MEMORY.md") == b"# rewritten by the agent\n"
    assert not list(sandbox.root.glob(".wb-*"))


def test_a_line_that_cannot_be_carried_over_returns_with_the_old_file(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def agent() -> None:
        with (sandbox.root / "MEMORY.md").open("a") as file:
            file.write("- late\n")

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        at_swap(patch, 1, agent)
        patch.setattr(files, "_append", full)
        with pytest.raises(WriteFailedError):
            promote(sandbox)
    assert sandbox.read("MEMORY.md").decode() == MEMORY_TEXT + "- late\n"
    assert not list(sandbox.root.glob(".wb-*"))
    promote(sandbox)
    assert sandbox.read("MEMORY.md").count(b"- late\n") == 1


def test_a_deleted_page_returns_when_the_next_file_of_the_operation_fails(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = "episodes/2026/03/e2.md"
    sandbox.write(other, "---\nid: e2\n---\n- two\n")
    sandbox.commit("two")
    before = sandbox.snapshot()
    real = files.Files._remove

    def remove(folder: int, name: str, *rest: object) -> object:
        if name == "e2.md":
            raise OSError(5, "Input/output error")
        return real(folder, name, *rest)  # type: ignore[arg-type]

    place = sandbox.workspace
    with monkeypatch.context() as patch:
        patch.setattr(files.Files, "_remove", staticmethod(remove))
        with pytest.raises(WriteFailedError):
            place.operations.carry_out(lambda: plan_forget(place, [EPISODE, other]))
    assert sandbox.snapshot() == before
    assert sandbox.git("status", "--porcelain") == ""


@pytest.mark.promise(
    "Names, encodings, paths, clocks",
    "a file that becomes a link during an action",
    "the whole operation is refused",
)
def test_a_file_that_became_a_link_stops_the_whole_operation_and_blocks_no_other(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = sandbox.read("MEMORY.md")
    saved = sandbox.read(EPISODE)
    outside = tmp_path / "outside.md"
    outside.write_bytes(b"outside")

    def become_link() -> None:
        (sandbox.root / EPISODE).unlink()
        (sandbox.root / EPISODE).symlink_to(outside)

    with monkeypatch.context() as patch:
        at_swap(patch, 1, become_link, after=True)
        with pytest.raises(NotMemoryError):
            promote(sandbox, "release is on Friday", EPISODE)
    assert sandbox.read("MEMORY.md") == before
    assert outside.read_bytes() == b"outside"
    (sandbox.root / EPISODE).unlink()
    sandbox.write(EPISODE, saved)
    promote(sandbox)


def test_a_first_memory_file_is_made_once_whenever_the_kill_comes(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sandbox.root / "MEMORY.md").unlink()
    sandbox.commit("none yet")
    monkeypatch.setattr(files, "_system_call", lambda: None)  # link and unlink: two steps
    with monkeypatch.context() as patch:
        real = os.unlink

        def unlink(path: str, **place: int) -> None:
            die() if place else real(path)

        patch.setattr(os, "unlink", unlink)
        with pytest.raises(KilledError):
            promote(sandbox)
    for _ in range(3):
        sandbox.workspace.operations.recover()
        assert sandbox.read("MEMORY.md").count(b"staging port") == 1
    assert not list(sandbox.root.glob(".wb-*"))


def test_a_writer_that_rewrites_the_file_it_holds_open_finds_its_text_kept(sandbox: Sandbox) -> None:
    with (sandbox.root / "MEMORY.md").open("r+b", buffering=0) as agent:
        promote(sandbox)
        agent.truncate(0)
        agent.write(b"TOKEN by an agent that held the file open\n")
    promote(sandbox, "async reviews")
    (kept,) = sandbox.workspace.operations.conflicts()
    assert kept.text() == b"TOKEN by an agent that held the file open\n"


def test_text_is_kept_under_the_longest_name_that_a_file_can_have(sandbox: Sandbox) -> None:
    long = f"memory/2026-03-01-{'記' * 76}.md"
    sandbox.write(long, "- one of a long name\n- another\n")
    sandbox.commit("long")
    with (sandbox.root / long).open("r+b", buffering=0) as agent:
        first = sandbox.address("one of a long name", long)
        sandbox.workspace.operations.carry_out(lambda: plan_forget(sandbox.workspace, [first]))
        agent.truncate(0)
        agent.write(b"TOKEN by an agent that held the file open\n")
    promote(sandbox)
    (kept,) = sandbox.workspace.operations.conflicts()
    assert kept.text() == (b"TOKEN by an agent that held the file open\n")


def test_a_clock_that_steps_back_ends_no_watch(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    with (sandbox.root / "MEMORY.md").open("ab", buffering=0) as agent:
        promote(sandbox)
        now = time.time()
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda: now - 3600 * 24)
            sandbox.workspace.operations.recover()
        agent.write(b"- late\n")
    sandbox.workspace.operations.recover()
    assert sandbox.read("MEMORY.md").endswith(b"- late\n")


def test_a_file_deleted_in_the_last_moment_is_planned_on_anew(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_swap(monkeypatch, 1, (sandbox.root / "MEMORY.md").unlink)
    promote(sandbox)
    assert sandbox.read("MEMORY.md").startswith(b"- The staging port")


@pytest.mark.promise(
    "Two writers",
    "the agent commits at the same moment",
    "our commit is made on top of it; nothing is reverted or duplicated",
    by="a commit at the seam",
)
def test_a_line_that_the_agent_commits_meanwhile_is_neither_reverted_nor_doubled(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Operations._replace_all

    def agent_commits(self: Operations, *arguments: object) -> object:
        with (sandbox.root / "MEMORY.md").open("a") as file:
            file.write("- committed by the agent\n")
        sandbox.git("commit", "-qam", "agent")
        return real(self, *arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Operations, "_replace_all", agent_commits)
        promote(sandbox)
    assert sandbox.git("show", "HEAD:MEMORY.md").encode() == sandbox.read("MEMORY.md")
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_undo(place))
    assert sandbox.read("MEMORY.md").decode() == MEMORY_TEXT + "- committed by the agent\n"
