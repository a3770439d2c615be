"""The ledger: nothing that was written to it is lost, whoever writes beside us, and nobody else writes it."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import shutil
import subprocess
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.ledgers import forge, made
from tests.support.workspaces import Sandbox
from workbench.errors import OutsideWorkspaceError, UsageError, WorkbenchError
from workbench.operations.undo import plan_redo, plan_undo
from workbench.repository.objects import ReferenceMove
from workbench.workspace.plan import Operation, Plan, ledger_records
from workbench.workspace.workspace import Workspace

MARCH = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
APRIL = datetime(2026, 4, 2, 12, 0, tzinfo=UTC)
OLD = "_system/ledger/decisions-2026-03.jsonl"


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    """A workspace without a repository."""
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    return Workspace.open(tmp_path)


def decide(sandbox: Sandbox, key: str) -> Operation:
    """An operation that only adds a decision."""
    records = ledger_records("decisions", [{"key": key, "decision": "rejected"}], MARCH)
    plan = Plan(action="reject", summary=key, records=records)
    return sandbox.workspace.operations.carry_out(lambda: plan)


def decided(workspace: Workspace) -> list[str]:
    return [record["key"] for record in workspace.ledger.read("decisions")]


def show(sandbox: Sandbox, book: str) -> list[str]:
    """A book as a person reads it with git."""
    return sandbox.git("show", f"{sandbox.workspace.ledger.reference}:{book}.jsonl").splitlines()


# -- what happens, without a repository and with one -----------------------------------------------


def test_records_come_back_in_order_with_their_time(place: Workspace) -> None:
    place.ledger.append("recalls", [{"entry": "a"}, {"entry": "b"}], MARCH)
    place.ledger.append("recalls", [{"entry": "c", "at": "2026-03-01T00:00:00+00:00"}], APRIL)
    assert [record["entry"] for record in place.ledger.read("recalls")] == ["a", "b", "c"]
    first, *_, last = place.ledger.read("recalls")
    assert first["at"] == "2026-03-14T12:00:00+00:00"
    assert last["at"] == "2026-03-01T00:00:00+00:00"


def test_nothing_is_written_among_the_persons_files(sandbox: Sandbox) -> None:
    sandbox.workspace.ledger.append("recalls", [{"n": 1}], MARCH)
    decide(sandbox, "k1")
    sandbox.workspace.ledger.fold()
    assert sandbox.git("status", "--short") == ""
    assert not (sandbox.root / "_system").exists()


def test_nothing_to_write_writes_nothing(place: Workspace) -> None:
    place.ledger.append("recalls", [], MARCH)
    assert list(place.ledger.read("recalls")) == []
    assert not (place.root / ".workbench").exists()


@pytest.mark.promise(
    "From sessions to long-term memory",
    "a file of the ledger has torn or foreign lines",
    "they are counted and skipped; all others are used",
)
def test_a_torn_line_costs_itself_and_no_other(place: Workspace) -> None:
    place.ledger.append("recalls", [{"n": 1}], MARCH)
    with (place.root / ".workbench/ledger/pending.jsonl").open("ab") as file:
        file.write(b'{"n": 2, "cut')
    place.ledger.append("recalls", [{"n": 3}], MARCH)
    assert [record["n"] for record in place.ledger.read("recalls")] == [1, 3]
    assert sum(page.bad for page in place.ledger.pages("recalls")) == 1


@pytest.mark.parametrize(
    "line",
    [b"\xff\xfe", b"[1, 2]", b"null", b'{"a": NaN', b"[" * 100_000, b'{"a": "' + b"x" * 1_000_001 + b'"}'],
    ids=["bytes", "list", "null", "number", "depth", "length"],
)
def test_a_line_that_is_no_record_is_counted(place: Workspace, line: bytes) -> None:
    path = place.root / "_system/ledger/skips-2026-03.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"n": 1}\n' + line + b'\n{"n": 2}\n')
    (page,) = place.ledger.pages("skips")
    assert ([record["n"] for record in page.records], page.bad) == ([1, 2], 1)


def test_text_of_any_kind_stays_one_line(sandbox: Sandbox) -> None:
    hostile = 'a\nb\r\u2028"}\x00\x1b[31m\ud800'
    sandbox.workspace.ledger.append("skips", [{"why": hostile}], MARCH)
    sandbox.workspace.ledger.fold()
    (line,) = show(sandbox, "skips")
    assert line.isascii()
    (record,) = sandbox.workspace.ledger.read("skips")
    assert record["why"] == hostile


@pytest.mark.promise(
    "From sessions to long-term memory",
    "an action is killed between the branch and the ledger, or two worktrees record at once",
)
def test_what_is_folded_counts_once_and_can_be_read_with_git(sandbox: Sandbox) -> None:
    ledger = sandbox.workspace.ledger
    ledger.append("recalls", [{"n": 1}], MARCH)
    pending = sandbox.root / ".workbench/ledger/pending.jsonl"
    kept = pending.read_bytes()
    ledger.fold()
    assert [json.loads(line)["n"] for line in show(sandbox, "recalls")] == [1]
    pending.write_bytes(kept)  # as a kill between the two leaves it
    assert [record["n"] for record in ledger.read("recalls")] == [1]
    ledger.fold()
    assert len(show(sandbox, "recalls")) == 1


def test_a_book_that_has_grown_goes_on_in_another_file(sandbox: Sandbox) -> None:
    ledger = sandbox.workspace.ledger
    for part in range(4):
        ledger.append("skips", [{"n": part * 100 + n, "why": "x" * 1_000} for n in range(100)], MARCH)
        ledger.fold()
    assert len([page for page in ledger.pages("skips") if page.records]) > 1
    assert [record["n"] for record in ledger.read("skips")] == list(range(400))


def _write(root: str, name: str) -> None:
    place = Workspace.open(root)
    for number in range(100):
        records = [{"who": name, "n": number}, {"who": name, "n": number + 1000}]
        place.ledger.append("recalls", records, MARCH)
        if number % 25 == 0:
            place.ledger.fold()
    place.close()


@pytest.mark.parametrize("repository", [True, False])
def test_several_programs_write_at_once_and_no_record_is_lost(tmp_path: Path, repository: bool) -> None:
    made = Sandbox(tmp_path / "workspace", repository=repository)
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(str(made.root), f"w{n}")) for n in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    records = [(record["who"], record["n"]) for record in made.workspace.ledger.read("recalls")]
    assert len(records) == len(set(records)) == 800
    assert sum(page.bad for page in made.workspace.ledger.pages("recalls")) == 0
    made.close()


def test_a_decision_is_never_merely_appended(place: Workspace) -> None:
    with pytest.raises(ValueError, match="parts of operations"):
        place.ledger.append("decisions", [{"key": "k1"}], MARCH)
    pending = place.root / ".workbench/ledger/pending.jsonl"
    pending.parent.mkdir(parents=True)
    pending.write_text('{"book": "decisions", "key": "k1", "decision": "rejected"}\n')
    assert decided(place) == []


def test_a_ledger_that_is_a_link_out_is_neither_read_nor_written(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "recalls-2026-03.jsonl").write_text(json.dumps({"n": 1}) + "\n")
    root = tmp_path / "root"
    (root / "_system").mkdir(parents=True)
    (root / ".workbench").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n")
    (root / "_system/ledger").symlink_to(outside)
    (root / ".workbench/ledger").symlink_to(outside)
    place = Workspace.open(root)
    with pytest.raises((OutsideWorkspaceError, WorkbenchError)):
        place.ledger.append("recalls", [{"n": 2}], MARCH)
    with pytest.raises((OutsideWorkspaceError, WorkbenchError)):
        list(place.ledger.read("recalls"))
    assert (outside / "recalls-2026-03.jsonl").read_text() == '{"n": 1}\n'
    assert sorted(path.name for path in outside.iterdir()) == ["recalls-2026-03.jsonl"]


# -- what is decided -------------------------------------------------------------------------------


def test_a_decision_is_a_part_of_an_operation_and_goes_and_comes_with_its_undo(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    head = sandbox.git("rev-parse", "HEAD^{tree}")
    operation = decide(sandbox, "k1")
    decide(sandbox, "k2")
    assert decided(place) == ["k1", "k2"]
    assert sandbox.git("rev-parse", "HEAD^{tree}") == head
    for _ in range(2):
        place.operations.carry_out(lambda: plan_undo(place, operation.id))
        assert decided(place) == ["k2"]
        assert [o.undone for o in place.operations.walk() if o.id == operation.id] == [True]
        with pytest.raises(WorkbenchError, match="already undone"):
            plan_undo(place, operation.id)
        place.operations.carry_out(lambda: plan_redo(place, operation.id))
        assert decided(place) == ["k1", "k2"]
        assert [o.undone for o in place.operations.walk() if o.id == operation.id] == [False]


def test_a_decision_holds_where_git_ignores_everything_of_the_systems(sandbox: Sandbox) -> None:
    sandbox.write(".gitignore", "_system/\n")
    sandbox.commit("ignore")
    decide(sandbox, "k1")
    assert decided(sandbox.workspace) == ["k1"]


def test_a_record_that_is_too_long_is_refused_and_nothing_is_changed(sandbox: Sandbox) -> None:
    head = sandbox.git("rev-parse", "HEAD")
    with pytest.raises(UsageError, match="1,000,000 are the most") as refused:
        decide(sandbox, "k" * 1_000_000)
    assert "several smaller actions" in refused.value.hint
    with pytest.raises(UsageError):
        sandbox.workspace.ledger.append("skips", [{"why": "x" * 1_000_000}], MARCH)
    assert sandbox.git("rev-parse", "HEAD") == head
    assert list(sandbox.workspace.ledger.read("skips")) == []
    decide(sandbox, "k1")
    assert decided(sandbox.workspace) == ["k1"]


def test_a_decision_outlives_the_history_that_it_was_made_in(sandbox: Sandbox) -> None:
    decide(sandbox, "k1")
    sandbox.git("checkout", "-q", "--orphan", "squashed")
    sandbox.git("commit", "-q", "-m", "all in one")
    sandbox.git("branch", "-q", "-D", "main")
    assert decided(sandbox.workspace) == ["k1"]


def test_worktrees_share_a_ledger_and_other_folders_have_their_own(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.write("other/MEMORY.md", "# Memory\n")
    sandbox.commit("a second workspace")
    decide(sandbox, "k1")
    sandbox.git("worktree", "add", "-q", str(tmp_path / "tree"))
    tree = Workspace.open(tmp_path / "tree")
    assert decided(tree) == ["k1"]
    plan = Plan(action="reject", summary="k2", records=ledger_records("decisions", [{"key": "k2"}], MARCH))
    tree.operations.carry_out(lambda: plan)
    assert decided(sandbox.workspace) == ["k1", "k2"]
    other = Workspace.open(sandbox.root / "other")
    assert decided(other) == []
    for workspace in (tree, other):
        workspace.close()


@pytest.mark.promise(
    "From sessions to long-term memory",
    "an action is killed between the branch and the ledger, or two worktrees record at once",
)
def test_two_operations_at_once_keep_both_decisions(sandbox: Sandbox, tmp_path: Path) -> None:
    """The second one is planned, and its commit of the ledger made, before the first moves the reference."""
    sandbox.git("worktree", "add", "-q", str(tmp_path / "tree"))
    tree = Workspace.open(tmp_path / "tree")
    move = tree.ledger.adding(ledger_records("decisions", [{"key": "k2"}], MARCH), "00112233aabb")
    assert move is not None
    assert move.new is not None
    decide(sandbox, "k1")
    assert tree.history.move_references([move], "late") is False
    tree.ledger.include(move.new)
    assert sorted(decided(sandbox.workspace)) == ["k1", "k2"]
    tree.close()


@pytest.mark.promise(
    "From sessions to long-term memory",
    "a server stores recalls while an action is prepared",
    "no git object is lost",
    by="a second thread",
)
def test_what_one_thread_stores_does_not_hang_on_what_another_gathers(sandbox: Sandbox) -> None:
    """As where a server folds recalls while an action, which fails in the end, is being prepared."""
    place, history = sandbox.workspace, sandbox.workspace.history
    moves: list[ReferenceMove | None] = []

    def add() -> None:
        records = ledger_records("decisions", [{"key": "k1"}], MARCH)
        moves.append(place.ledger.adding(records, "00112233aabb"))

    with contextlib.suppress(KeyboardInterrupt), history.gathering():
        history.store(b"of the action")
        thread = threading.Thread(target=add)
        thread.start()
        thread.join()
        raise KeyboardInterrupt
    (move,) = moves
    assert move is not None
    assert history.move_references([move], "recalls")
    assert decided(place) == ["k1"]
    assert "missing" not in sandbox.git("fsck")


# -- what came from elsewhere ----------------------------------------------------------------------


def clone(sandbox: Sandbox, target: Path, *options: str) -> Workspace:
    subprocess.run(["git", "clone", "-q", *options, sandbox.root, target], check=True, capture_output=True)
    return Workspace.open(target)


def test_a_fresh_clone_has_no_ledger_and_nothing_fails(sandbox: Sandbox, tmp_path: Path) -> None:
    decide(sandbox, "k1")
    fresh = clone(sandbox, tmp_path / "clone")
    assert decided(fresh) == []
    assert fresh.ledger.foreign() == ()
    fresh.close()


@pytest.mark.promise(
    "From sessions to long-term memory",
    "the ledger is missing (a fresh clone, a squashed history), or came from elsewhere",
)
def test_a_ledger_that_was_fetched_counts_for_nothing_until_it_is_confirmed(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    decide(sandbox, "k1")
    fresh = clone(sandbox, tmp_path / "clone")
    reference = fresh.ledger.reference
    subprocess.run(["git", "-C", fresh.root, "fetch", "-q", "origin", f"{reference}:{reference}"], check=True)
    assert decided(fresh) == []
    (found,) = fresh.ledger.foreign()
    assert (found.reference, len(found.records)) == (reference, 1)
    plan = Plan(action="reject", summary="k2", records=ledger_records("decisions", [{"key": "k2"}], MARCH))
    fresh.operations.carry_out(lambda: plan)
    assert decided(fresh) == ["k2"]  # what is decided here does not make the rest count
    assert [len(one.records) for one in fresh.ledger.foreign()] == [1]
    assert fresh.ledger.confirm(fresh.ledger.foreign()) == 1
    assert sorted(decided(fresh)) == ["k1", "k2"]
    assert fresh.ledger.foreign() == ()
    fresh.close()


def test_confirming_a_whole_ledger_keeps_it(sandbox: Sandbox, tmp_path: Path) -> None:
    decide(sandbox, "k1")
    fresh = clone(sandbox, tmp_path / "clone", "--mirror")
    fresh.close()
    shutil.move(tmp_path / "clone", tmp_path / "mirrored.git")
    subprocess.run(
        ["git", "-C", sandbox.root, "push", "-q", tmp_path / "mirrored.git", "refs/*:refs/*"], check=True
    )
    again = tmp_path / "again"
    subprocess.run(["git", "clone", "-q", tmp_path / "mirrored.git", again], check=True, capture_output=True)
    place = Workspace.open(again)
    reference = place.ledger.reference
    subprocess.run(["git", "-C", again, "fetch", "-q", "origin", f"{reference}:{reference}"], check=True)
    place.ledger.confirm(place.ledger.foreign())
    assert decided(place) == ["k1"]
    place.close()


@pytest.mark.promise(
    "From sessions to long-term memory",
    "a ledger from elsewhere reuses names of records, or another one is fetched while it is being reviewed",
    "exactly what was shown is accepted",
)
def test_what_is_shown_of_a_ledger_from_elsewhere_is_what_is_taken_over(sandbox: Sandbox) -> None:
    """A record may be called as one of another book, or of the same; none hides behind another."""
    ledger = sandbox.workspace.ledger
    decide(sandbox, "k1")
    forged = {
        "decisions": ['{"record": "a", "key": "x"}', '{"record": "a", "key": "y"}', "torn"],
        "skips": ['{"record": "a", "why": "harmless"}'],
    }
    forge(sandbox, "fetched/origin", forged)
    found = ledger.foreign()
    shown = [(one.book, dict(one.fields)) for ledger in found for one in ledger.records]
    assert ledger.confirm(found) == len(shown) == 2
    assert ("decisions", {"record": "a", "key": "x"}) in shown
    assert decided(sandbox.workspace) == ["k1", "x"]
    assert [record["why"] for record in ledger.read("skips")] == ["harmless"]
    assert [json.loads(line).get("key") for line in show(sandbox, "decisions")] == ["k1", "x"]


@pytest.mark.promise(
    "From sessions to long-term memory",
    "a ledger from elsewhere reuses names of records, or another one is fetched while it is being reviewed",
)
@pytest.mark.parametrize("name", ["ledger", "fetched/origin"])
def test_what_is_fetched_after_it_was_shown_is_not_taken_over(sandbox: Sandbox, name: str) -> None:
    ledger = sandbox.workspace.ledger
    forge(sandbox, name, {"decisions": ['{"record": "a", "key": "seen"}']})
    found = ledger.foreign()
    forge(sandbox, name, {"decisions": ['{"record": "b", "key": "unseen"}']})
    assert ledger.confirm(found) == 1
    assert decided(sandbox.workspace) == ["seen"]
    (left,) = ledger.foreign()
    assert [one.fields["key"] for one in left.records] == ["unseen"]


def test_a_ledger_that_came_twice_is_confirmed_once(sandbox: Sandbox) -> None:
    """As where it was put aside, and is fetched under its own name again."""
    ledger = sandbox.workspace.ledger
    commit = forge(sandbox, "ledger", {"decisions": ['{"record": "a", "key": "k1"}']})
    sandbox.git("update-ref", ledger.reference.removesuffix("ledger") + f"fetched/{commit}", commit)
    sandbox.git("update-ref", ledger.reference.removesuffix("ledger") + "fetched/origin", commit)
    assert ledger.confirm(ledger.foreign()) == 1
    assert decided(sandbox.workspace) == ["k1"]
    assert ledger.foreign() == ()


def test_what_was_confirmed_is_a_parent_and_vouches_for_nothing_else(sandbox: Sandbox) -> None:
    """The place it came from takes ours without force, and what is built on it is as foreign as before."""
    ledger = sandbox.workspace.ledger
    commit = forge(sandbox, "fetched/origin", {"decisions": ['{"record": "a", "key": "k1"}']})
    decide(sandbox, "k2")
    ledger.confirm(ledger.foreign())
    sandbox.git("merge-base", "--is-ancestor", commit, ledger.reference)
    parents = ("-p", ledger.reference, "-p", commit)
    further = made(sandbox, "", "commit-tree", f"{commit}^{{tree}}", *parents, "-m", "from elsewhere")
    sandbox.git("update-ref", ledger.reference, further)
    assert sorted(decided(sandbox.workspace)) == ["k1", "k2"]  # those of the newest commit that is ours
    sandbox.git("update-ref", ledger.reference, commit)
    assert decided(sandbox.workspace) == []


@pytest.mark.promise(
    "From sessions to long-term memory",
    "a clone contains pending records in `.workbench`",
    "they are ignored, and not stored",
)
def test_pending_records_that_a_clone_brought_count_for_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.write(".workbench/ledger/pending.jsonl", '{"book": "proposals", "record": "a", "text": "x"}\n')
    sandbox.git("add", "-f", ".workbench")
    sandbox.git("commit", "-q", "-m", "forged")
    fresh = clone(sandbox, tmp_path / "clone")
    assert list(fresh.ledger.read("proposals")) == []
    fresh.ledger.fold()
    git = ["git", "-C", str(fresh.root)]
    refs = subprocess.run([*git, "for-each-ref", "refs/workbench"], check=True, capture_output=True)
    assert refs.stdout == b""
    # What the same workbench appends once they are gone counts at once.
    subprocess.run([*git, "rm", "-q", "-r", ".workbench"], check=True)
    subprocess.run([*git, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "gone"], check=True)
    fresh.ledger.append("proposals", [{"text": "y"}], MARCH)
    assert [record["text"] for record in fresh.ledger.read("proposals")] == ["y"]
    fresh.close()


def test_a_line_of_an_old_file_hides_no_record(sandbox: Sandbox) -> None:
    decide(sandbox, "k1")
    (record,) = sandbox.workspace.ledger.read("decisions")
    sandbox.write(OLD, json.dumps({"record": record["record"], "key": "forged"}) + "\n")
    assert sorted(decided(sandbox.workspace)) == ["forged", "k1"]


def test_files_of_version_0_1_are_read_and_their_operations_can_be_undone(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    sandbox.write(OLD, '{"at": "2026-03-01T00:00:00+00:00", "key": "k0"}\n')
    sandbox.git("add", OLD)
    sandbox.git("commit", "-q", "-m", "reject: k0\n\nOperation: 0011223344aa\nAction: reject\nActor: human\n")
    decide(sandbox, "k1")
    assert decided(place) == ["k0", "k1"]
    place.operations.carry_out(lambda: plan_undo(place, "0011223344aa"))
    assert decided(place) == ["k1"]
    place.operations.carry_out(lambda: plan_redo(place, "0011223344aa"))
    assert decided(place) == ["k0", "k1"]
