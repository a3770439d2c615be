"""Accepting under a kill, a failing disk and other writers: it is whole or absent, and no line is lost."""

from __future__ import annotations

import contextlib
import multiprocessing
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.test_points import FLOOR, Record, killed, prepare, refused
from tests.support.actions import Action
from tests.support.failpoints import Fault
from tests.support.proposals import NOW, accept, book, entry, of_log, proposal, put
from tests.support.workspaces import EPISODE, Sandbox
from workbench.dreaming.proposals.decide import plan_accept, plan_decision, plan_of
from workbench.dreaming.proposals.inbox import pending, propose, read_book
from workbench.dreaming.proposals.policy import plan_apply
from workbench.errors import BusyError, NotCuratableError, ReadOnlyError, RepositoryStateError
from workbench.memory.entry import RelPath
from workbench.memory.proposal import Proposal
from workbench.operations.undo import plan_undo
from workbench.workspace.files import Files
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

pytestmark = [
    pytest.mark.promise(
        "From sessions to long-term memory",
        "an action is killed between the branch and the ledger, or two worktrees record at once",
        "both are updated or neither; no decision is lost or counted twice",
        by="failpoints, a late reference",
    ),
    pytest.mark.promise(
        "Dreaming and proposals",
        "accepting or rejecting is killed, or the disk fails, at any call",
        "it is complete or absent, and can be repeated",
        by="failpoint",
    ),
]


def several(place: Workspace) -> list[Proposal]:
    """One of each sort that long-term memory knows, from a log and an episode."""

    def at(words: str, path: str) -> str:
        return next(e.address for e in place.document(path).entries if words in e.text)

    log = "memory/2026-03-14.md"
    return [
        Proposal(
            key="a" * 16, action="add", text="The staging port is 8443", entries=(at("8443", log),), run="d1"
        ),
        Proposal(
            key="b" * 16,
            action="merge",
            text="Likes tea in the morning",
            target=at("Likes tea", "MEMORY.md"),
            entries=(at("on Friday", EPISODE),),
            run="d1",
        ),
        Proposal(key="c" * 16, action="archive", text="Atlas", target=at("Atlas", "MEMORY.md"), run="d1"),
    ]


def plan_several(place: Workspace) -> Plan:
    return plan_of(place, several(place), now=NOW)


def plan_reject_one(place: Workspace) -> Plan:
    return plan_decision(place, read_book(place), several(place)[:1], "rejected", now=NOW)


ACTIONS = (Action("accept", plan_several), Action("reject", plan_reject_one))


@pytest.mark.parametrize("action", ACTIONS, ids=str)
def test_killed_at_any_call_it_is_wholly_done_or_not_at_all(
    action: Action, tmp_path: Path, record_property: Record
) -> None:
    points = killed(prepare(action, tmp_path), tmp_path)
    assert len(points.calls) >= FLOOR
    record_property("failpoints", len(points.calls))


@pytest.mark.parametrize(
    "fault",
    [Fault.IO_ERROR, pytest.param(Fault.FULL, marks=pytest.mark.faults)],
    ids=lambda fault: fault.value,
)
def test_refused_by_the_disk_at_any_call_the_old_text_is_intact_and_a_retry_works(
    tmp_path: Path, record_property: Record, fault: Fault
) -> None:
    covered, wrong = refused(prepare(ACTIONS[0], tmp_path), tmp_path, fault)
    assert not wrong, "\n".join(wrong)
    record_property("failpoints", covered)


@pytest.mark.promise(
    "Dreaming and proposals",
    "an agent appends to MEMORY.md while something is accepted or promoted",
    "no line lost",
    by="a writer beside",
)
@pytest.mark.parametrize("moment", ["before the exchange", "after the exchange"])
def test_lines_that_an_agent_appends_meanwhile_survive(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    real = Files.replace
    wrote: list[str] = []

    def replace(self: Files, path: str, *arguments: object, **options: object) -> object:
        def append() -> None:
            if path not in wrote:
                wrote.append(path)
                with (sandbox.root / path).open("ab") as file:
                    file.write(b'{"key": "theirs"}\n' if path.endswith("jsonl") else b"- theirs\n")

        if moment == "before the exchange" and (sandbox.root / path).exists():
            append()
        done = real(self, path, *arguments, **options)  # type: ignore[arg-type]
        if moment == "after the exchange":
            append()
        return done

    monkeypatch.setattr(Files, "replace", replace)
    accept(sandbox, one.key)
    monkeypatch.undo()
    assert b"staging port" in sandbox.read("MEMORY.md")
    assert b"- theirs\n" in sandbox.read("MEMORY.md")
    assert pending(sandbox.workspace, NOW) == ()


@pytest.mark.promise(
    "Dreaming and proposals",
    "an agent appends to MEMORY.md while something is accepted or promoted",
)
@pytest.mark.parametrize("text", [b"", b"# Memory\n", None])
def test_a_line_that_comes_between_two_looks_of_the_plan_survives(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, text: bytes | None
) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    if text is None:
        (sandbox.root / "MEMORY.md").unlink()
    else:
        sandbox.write("MEMORY.md", text)
    sandbox.commit("start anew")
    real = Files.read
    wrote: list[str] = []

    def read(self: Files, path: RelPath) -> bytes:
        try:
            return real(self, path)
        finally:
            if path == "MEMORY.md" and len(wrote) < 3:
                wrote.append(f"- theirs {len(wrote)}\n")
                with (sandbox.root / path).open("a") as file:
                    file.write(wrote[-1])

    monkeypatch.setattr(Files, "read", read)
    accept(sandbox, one.key)
    monkeypatch.undo()
    assert len(wrote) == 3
    text_now = sandbox.read("MEMORY.md").decode()
    assert [line for line in wrote if text_now.count(line) != 1] == []
    assert "staging port" in text_now


def test_a_memory_that_is_rewritten_while_it_is_planned_is_planned_anew(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    place = sandbox.workspace
    times = 0

    def planner() -> Plan:
        nonlocal times
        plan = plan_accept(place, [one.key], now=NOW)
        times += 1
        if times == 1:
            sandbox.write("MEMORY.md", "# Anew\n\n- other words\n")
        return plan

    place.operations.carry_out(planner)
    assert times == 2
    assert b"- other words" in sandbox.read("MEMORY.md")
    assert b"staging port" in sandbox.read("MEMORY.md")


def _dream(root: str, seed: int, start: Callable[[], object]) -> None:
    place = Workspace.open(root)
    mine = [
        Proposal(key=f"{seed:08x}{number:08x}", action="add", text=f"Fact {seed} {number}", run=f"run-{seed}")
        for number in range(20)
    ]
    shared = [Proposal(key=f"{number:016x}", action="add", text=f"Shared {number}") for number in range(20)]
    start()
    for one, other in zip(mine, shared, strict=True):
        propose(place, [one, other], NOW)
    place.close()


@pytest.mark.promise(
    "Dreaming and proposals",
    "two dreams, two applies at once",
    "nothing is lost, and each claim is kept once",
    by="processes",
)
def test_two_dreams_at_once_lose_no_proposal_and_tear_no_line(sandbox: Sandbox) -> None:
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(2)
    both = [context.Process(target=_dream, args=(str(sandbox.root), seed, barrier.wait)) for seed in (1, 2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
        assert one.exitcode == 0
    waits = pending(sandbox.workspace, NOW)
    assert len(waits) == len({one.key for one in waits}) == 60
    assert len(book(sandbox, "proposals")) >= 60  # json.loads of every line


def _apply(root: str, start: Callable[[], object]) -> None:
    place = Workspace.open(root)
    ones = pending(place, NOW)
    start()
    with contextlib.suppress(BusyError, NotCuratableError):  # the other one was first
        place.operations.carry_out(lambda: plan_apply(place, ones, now=NOW))
    place.close()


@pytest.mark.promise("Dreaming and proposals", "two dreams, two applies at once")
def test_two_runs_that_are_applied_at_once_keep_each_claim_once(sandbox: Sandbox) -> None:
    put(sandbox, of_log(sandbox, "staging port"), of_log(sandbox, "tantivy"))
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(2)
    both = [context.Process(target=_apply, args=(str(sandbox.root), barrier.wait)) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
        assert one.exitcode == 0
    text = sandbox.read("MEMORY.md")
    assert text.count(b"- The staging port") == text.count(b"- We decided to use tantivy") == 1
    assert [one["decision"] for one in book(sandbox, "decisions")] == ["accepted", "accepted"]
    assert sum(o.action == "dream" for o in sandbox.workspace.operations.walk()) == 1


def test_where_no_history_can_be_kept_proposals_wait_and_nothing_is_accepted(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path / "plain")
    sandbox.git("config", "core.bare", "true")
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    before = sandbox.snapshot()
    with pytest.raises(RepositoryStateError, match="is a bare repository"):
        accept(sandbox, one.key)
    assert sandbox.snapshot() == before
    assert pending(sandbox.workspace, NOW) == (one,)
    sandbox.close()


def test_a_ledger_that_may_not_be_written_is_said(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Files, path: str, data: bytes) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Files, "append", refuse)
    with pytest.raises(ReadOnlyError, match="Read-only file system"):
        put(sandbox, of_log(sandbox, "staging port"))


def test_everything_is_taken_back_in_any_order_with_files_copied_elsewhere(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """The ledger, the page and memory hold no state of this machine: a copy of the folder knows all of it."""
    one, two = of_log(sandbox, "staging port"), of_log(sandbox, "tantivy")
    put(sandbox, one, two)
    before = sandbox.snapshot()
    first = accept(sandbox, one.key)
    accept(sandbox, two.key)
    shutil.copytree(sandbox.root, tmp_path / "copy")
    place = Workspace.open(tmp_path / "copy")
    place.operations.carry_out(lambda: plan_undo(place, first.id))
    assert pending(place, NOW) == (one,)
    place.operations.carry_out(lambda: plan_undo(place))
    assert {file.path: place.read(file.path) for file in place.scan()} == before
    place.close()


def test_a_merge_target_that_moves_between_look_and_accept_is_found_again(sandbox: Sandbox) -> None:
    target = entry(sandbox, "Atlas", "MEMORY.md")
    one = proposal("It ships in spring", action="merge", target=target.address)
    put(sandbox, one)
    sandbox.write("MEMORY.md", b"# On top\n\n- new\n\n" + sandbox.read("MEMORY.md"))
    accept(sandbox, one.key)
    assert "ships in spring" in entry(sandbox, "Atlas", "MEMORY.md").text
