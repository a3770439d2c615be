"""One action, one operation, one commit: whole or absent, and nobody else's work in it."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.workspaces import LOG, MEMORY_TEXT, Sandbox
from workbench.errors import (
    BusyError,
    ConflictError,
    NotCuratableError,
    RepositoryStateError,
    WriteFailedError,
)
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.operations.forget import plan_forget
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_redo, plan_undo
from workbench.repository.git_repository import FALLBACK_IDENTITY
from workbench.repository.objects import ReferenceMove
from workbench.workspace import files
from workbench.workspace.files import Files
from workbench.workspace.locks import hold
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.workspace import Workspace


def promote(sandbox: Sandbox, words: str = "async reviews", *, reason: str = "") -> Operation:
    address = sandbox.address(words)
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_promote(place, [address], reason=reason))


def undo(sandbox: Sandbox, operation: str | None = None) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_undo(place, operation))


def test_an_action_is_one_commit_with_trailers_and_a_clean_status(sandbox: Sandbox) -> None:
    operation = promote(sandbox, reason="she said so")
    message = sandbox.git("log", "-1", "--format=%B")
    for trailer in (
        f"Operation: {operation.id}",
        "Action: promote",
        f"Entry: {sandbox.address('async reviews')}",
        f"Source: {LOG}#L5",
        "Reason: she said so",
        "Actor: human",
    ):
        assert trailer in message.splitlines()
    assert sandbox.git("rev-list", "--count", "HEAD").strip() == "2"
    assert sandbox.git("status", "--porcelain") == ""
    assert sandbox.git("log", "-1", "--format=%an <%ae>").strip() == "Test Person <test@localhost>"
    sandbox.git("fsck", "--strict")


def test_the_commit_changes_only_its_own_path(sandbox: Sandbox) -> None:
    promote(sandbox)
    assert sandbox.git("diff", "--name-only", "HEAD~1", "HEAD").split() == ["MEMORY.md"]


def test_undo_brings_every_byte_back_and_redo_brings_it_again(sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    promote(sandbox)
    after = sandbox.snapshot()
    undo(sandbox)
    assert sandbox.snapshot() == before
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_redo(place))
    assert sandbox.snapshot() == after
    assert sandbox.git("status", "--porcelain") == ""


def test_several_operations_are_undone_newest_first_and_redone_in_reverse(sandbox: Sandbox) -> None:
    states = [sandbox.snapshot()]
    for words in ("async reviews", "staging port", "tantivy"):
        promote(sandbox, words)
        states.append(sandbox.snapshot())
    for state in reversed(states[:-1]):
        undo(sandbox)
        assert sandbox.snapshot() == state
    place = sandbox.workspace
    for state in states[1:]:
        place.operations.carry_out(lambda: plan_redo(place))
        assert sandbox.snapshot() == state


@pytest.mark.promise(
    "Undo",
    "undo late, twice, out of order, after a restart",
    "exact, byte for byte, if nobody wrote since",
)
def test_any_operation_is_undone_in_any_order_after_a_restart(sandbox: Sandbox) -> None:
    first = promote(sandbox, "async reviews")
    promote(sandbox, "staging port")
    sandbox.workspace.close()
    sandbox.workspace = Workspace.open(sandbox.root)
    undo(sandbox, first.id)
    memory = sandbox.read("MEMORY.md")
    assert b"async reviews" not in memory
    assert b"staging port" in memory


@pytest.mark.promise("Undo", "undo after edits by others", "newer text is never overwritten")
def test_undo_never_overwrites_newer_text(sandbox: Sandbox) -> None:
    operation = promote(sandbox)
    edited = sandbox.read("MEMORY.md").replace(b"async reviews", b"async reviews on Fridays")
    sandbox.write("MEMORY.md", edited)
    with pytest.raises(ConflictError, match="newer text"):
        undo(sandbox, operation.id)
    assert sandbox.read("MEMORY.md") == edited


def test_edits_found_on_disk_are_committed_as_external_first(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + "- written by the agent\n")
    promote(sandbox)
    assert "Actor: external" in sandbox.git("log", "-1", "--skip=1", "--format=%B")
    assert "written by the agent" not in sandbox.git("show", "HEAD")[:-1].split("@@", 2)[0]
    added = [line for line in sandbox.git("show", "--format=", "HEAD").splitlines() if line[:1] == "+"]
    assert len(added) == 2  # the file header and one item
    assert sandbox.git("status", "--porcelain") == ""


@pytest.mark.promise(
    "Git",
    "staged changes, a stash",
    "unchanged; the next plain commit keeps our change",
)
def test_what_the_person_has_staged_stays_staged_and_their_commit_keeps_ours(sandbox: Sandbox) -> None:
    sandbox.write("notes.txt", "staged work\n")
    sandbox.git("add", "notes.txt")
    promote(sandbox)
    assert sandbox.git("status", "--porcelain") == "A  notes.txt\n"
    sandbox.git("commit", "-q", "-m", "their own")
    assert b"async reviews" in sandbox.read("MEMORY.md")
    assert "async reviews" in sandbox.git("show", "HEAD:MEMORY.md")


@pytest.mark.promise(
    "Git",
    "a stale `index.lock`",
    "the action works and says that git's index was not refreshed; the next action refreshes it",
)
def test_a_stale_index_lock_stops_neither_action_nor_undo_and_is_said(sandbox: Sandbox) -> None:
    (sandbox.root / ".git/index.lock").touch()
    index = (sandbox.root / ".git/index").read_bytes()
    operation = promote(sandbox)
    assert any("index is locked" in note for note in operation.notes)
    undo(sandbox)
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    assert (sandbox.root / ".git/index").read_bytes() == index


@pytest.mark.parametrize("state", ["rebase-merge", "MERGE_HEAD", "CHERRY_PICK_HEAD"])
def test_an_unfinished_rebase_or_merge_refuses_with_its_name(sandbox: Sandbox, state: str) -> None:
    (sandbox.root / ".git" / state).touch()
    with pytest.raises(RepositoryStateError, match="in progress"):
        promote(sandbox)
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()


@pytest.mark.promise("Git", "a repository without commits", "the first commit is made")
def test_a_repository_without_commits_gets_its_first_one(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path / "w", repository=False)
    sandbox.git("init", "-q", "-b", "main")
    promote(sandbox)
    assert sandbox.git("rev-list", "--count", "HEAD").strip() == "2"  # external, then ours
    undo(sandbox)
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    sandbox.close()


@pytest.mark.promise(
    "Git", "no git identity is configured", "commits have an identity of the workbench's own"
)
def test_without_a_configured_identity_the_workbench_signs_with_its_own(
    sandbox: Sandbox, person: Path
) -> None:
    (person / ".gitconfig").unlink()
    promote(sandbox)
    assert sandbox.git("log", "-1", "--format=%an <%ae>").strip() == "{} <{}>".format(*FALLBACK_IDENTITY)


def test_a_workspace_below_the_top_of_its_repository_commits_its_own_paths(tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    sandbox = Sandbox(outer / "agent memory", repository=False)
    sandbox.root = outer
    sandbox.git("init", "-q", "-b", "main")
    sandbox.commit("start")
    sandbox.root = outer / "agent memory"
    promote(sandbox)
    assert sandbox.git("diff", "--name-only", "HEAD~1", "HEAD").strip() == "agent memory/MEMORY.md"
    assert sandbox.git("status", "--porcelain") == ""
    undo(sandbox)
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    sandbox.close()


def test_detached_head_and_sha256_and_worktree_repositories_take_commits(tmp_path: Path) -> None:
    detached = Sandbox(tmp_path / "detached")
    detached.git("checkout", "-q", "--detach")
    new_hash = Sandbox(tmp_path / "sha256", repository=False)
    new_hash.git("init", "-q", "--object-format=sha256", "-b", "main")
    new_hash.commit("start")
    main = Sandbox(tmp_path / "main")
    main.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "other")
    tree = Workspace.open(tmp_path / "tree")
    for place in (detached.workspace, new_hash.workspace, tree):
        before = place.read("MEMORY.md")
        address = next(e.address for e in place.document(LOG).entries if "async" in e.text)
        place.operations.carry_out(lambda: plan_promote(place, [address]))  # noqa: B023
        place.operations.carry_out(lambda: plan_undo(place))  # noqa: B023
        assert place.read("MEMORY.md") == before
        assert (
            place.history.commit(place.history.head() or pytest.fail("no commit")).trailer("Action") == "undo"
        )
        place.close()


def test_hostile_configuration_hooks_and_filters_never_run(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.write("notes.txt", "hashed again by any index update, for it is as new as the index\n")
    sandbox.commit("notes")
    canary = tmp_path / "canary"
    script = tmp_path / "evil.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\ncat\n')
    script.chmod(0o755)
    for key in (
        "core.fsmonitor", "core.editor", "core.pager", "core.sshCommand", "core.askPass", "gpg.program",
        "diff.external", "diff.x.textconv", "diff.x.command", "merge.x.driver", "filter.x.clean",
        "filter.x.smudge", "filter.x.process", "credential.helper", "uploadpack.packObjectsHook",
    ):  # fmt: skip
        sandbox.git("config", key, f"{script} {key}")
    sandbox.git("config", "commit.gpgsign", "true")
    sandbox.git("config", "log.showSignature", "true")
    hooks = sandbox.root / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("pre-commit", "post-commit", "commit-msg", "reference-transaction", "post-index-change",
                 "prepare-commit-msg", "post-checkout", "post-rewrite"):  # fmt: skip
        (hooks / name).write_text(script.read_text())
        (hooks / name).chmod(0o755)
    sandbox.write(".gitattributes", "*.txt filter=x\n*.md diff=x merge=x\n")
    first = promote(sandbox)
    place = sandbox.workspace
    address = sandbox.address("staging port")
    place.operations.carry_out(lambda: plan_forget(place, [address]))
    undo(sandbox, first.id)
    place.operations.carry_out(lambda: plan_redo(place))
    list(place.operations.walk())
    list(place.operations.walk(path=RelPath("MEMORY.md")))
    place.operations.edits(next(place.operations.walk()).commit)
    assert not canary.exists(), canary.read_text()


def test_control_characters_in_memory_never_reach_a_commit_message(sandbox: Sandbox) -> None:
    sandbox.write(LOG, "- evil \x1b]52;c;x\x07 \u202e text\n")
    address = sandbox.address("evil")
    sandbox.workspace.operations.carry_out(lambda: plan_forget(sandbox.workspace, [address]))
    message = sandbox.git("log", "-1", "--format=%B")
    assert "\x1b" not in message
    assert "\u202e" not in message
    assert "evil" in message


def test_a_failing_disk_leaves_the_old_text_and_a_retry_works(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: int, first: str, second: str) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(files, "swap", refuse)
        with pytest.raises(WriteFailedError, match="No space left"):
            promote(sandbox)
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    assert sorted(os.listdir(sandbox.root)) == [".git", ".workbench", "MEMORY.md", "episodes", "memory"]
    promote(sandbox)
    assert b"async reviews" in sandbox.read("MEMORY.md")


def test_of_two_files_both_change_or_neither(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sandbox.snapshot()
    swap = files.swap
    calls: list[str] = []

    def fail_at_second(folder: int, first: str, second: str) -> None:
        calls.append(second)
        if len(calls) == 2:
            raise OSError(5, "Input/output error")
        swap(folder, first, second)

    place = sandbox.workspace
    address = sandbox.address("release is on Friday", "episodes/2026/03/e1.md")
    with monkeypatch.context() as patch:
        patch.setattr(files, "swap", fail_at_second)
        with pytest.raises(WriteFailedError):
            place.operations.carry_out(lambda: plan_promote(place, [address]))
    assert sandbox.snapshot() == before
    place.operations.carry_out(lambda: plan_promote(place, [address]))
    assert b"promoted_at: " in sandbox.read("episodes/2026/03/e1.md")


def test_while_another_process_acts_the_answer_is_busy(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.workspace.transaction._LOCK_SECONDS", 0.05)
    place = sandbox.workspace
    lock = place.state_dir() / "operations.lock"
    with hold(lock, "a test"), pytest.raises(BusyError, match="a test"):
        promote(sandbox)


@pytest.mark.promise(
    "Two writers",
    "two workbenches at once",
    "all operations are recorded",
    by="two processes",
)
def test_two_workbenches_at_once_record_all_their_operations(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.workspace.transaction._LOCK_SECONDS", 120.0)  # nobody gives up
    sandbox.write(LOG, "".join(f"- line number {n}\n" for n in range(20)))
    sandbox.commit("lines")
    failures: list[BaseException] = []

    def work(numbers: range) -> None:
        place = Workspace.open(sandbox.root)
        try:
            for n in numbers:
                address = next(e.address for e in place.document(LOG).entries if e.text == f"line number {n}")
                place.operations.carry_out(lambda: plan_forget(place, [address]))  # noqa: B023
        except BaseException as error:
            failures.append(error)
        finally:
            place.close()

    threads = [threading.Thread(target=work, args=(range(a, a + 10),)) for a in (0, 10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sandbox.read(LOG) == b""
    actions = [o.action for o in sandbox.workspace.operations.walk()]
    assert actions.count("forget") == 20


def test_a_plain_commit_in_between_is_built_upon_not_reverted(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    real = place.history.move_references
    raced: list[bool] = []

    def lose_the_race(moves: Sequence[ReferenceMove], why: str) -> bool:
        if not raced:
            raced.append(True)
            sandbox.write("other.txt", "theirs\n")
            sandbox.git("add", "other.txt")
            sandbox.git("commit", "-q", "-m", "theirs", "--", "other.txt")
        return real(moves, why)

    place.history.move_references = lose_the_race  # type: ignore[method-assign]
    promote(sandbox)
    assert sandbox.git("show", "HEAD:other.txt") == "theirs\n"
    assert "async reviews" in sandbox.git("show", "HEAD:MEMORY.md")


def test_a_plan_that_changes_nothing_is_refused(sandbox: Sandbox) -> None:
    with pytest.raises(NotCuratableError):
        sandbox.workspace.operations.carry_out(lambda: Plan(action="x", summary="y", edits=()))


def test_a_new_file_in_a_new_folder_is_made_and_undone(sandbox: Sandbox) -> None:
    path = RelPath("memory/new folder/日本 note.md")
    place = sandbox.workspace
    edit = FileEdit(path, None, b"- hello\n")
    place.operations.carry_out(lambda: Plan(action="note", summary="hello", edits=(edit,)))
    assert Files(sandbox.root).read(path) == b"- hello\n"
    assert sandbox.git("status", "--porcelain") == ""
    undo(sandbox)
    assert not (sandbox.root / path).exists()
    assert sandbox.git("status", "--porcelain") == ""
