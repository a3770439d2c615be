"""Which operation is taken back, and what was taken back by hand already."""

from __future__ import annotations

from functools import partial
from itertools import permutations

import pytest

from tests.support.workspaces import EPISODE, EPISODE_TEXT, LOG, Sandbox
from workbench.errors import (
    AmbiguousOperationError,
    ConflictError,
    NotCuratableError,
    OperationNotFoundError,
)
from workbench.operations.edit import plan_edit
from workbench.operations.forget import plan_forget
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Operation

OTHER = "episodes/2026/03/e2.md"


def forget(sandbox: Sandbox, *addresses: str) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_forget(place, addresses))


@pytest.mark.parametrize("prefix", ["", "a", "abc", "HEAD", "0000dead", "../x"])
def test_a_name_that_is_too_short_or_unknown_names_no_operation(sandbox: Sandbox, prefix: str) -> None:
    done = forget(sandbox, sandbox.address("staging port"))
    for name in (prefix, done.id[: len(prefix)] if len(prefix) < 4 else prefix):
        with pytest.raises(OperationNotFoundError, match="operation"):
            plan_undo(sandbox.workspace, name)


def test_four_digits_of_the_operation_or_its_commit_are_enough(sandbox: Sandbox) -> None:
    done = forget(sandbox, sandbox.address("staging port"))
    for name in (done.id, done.id[:4], done.commit[:4].upper(), done.commit):
        assert sandbox.workspace.operations.find(name).id == done.id


def test_a_prefix_that_fits_several_operations_is_refused_with_the_candidates(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = iter(["abcd11111111", "abcd22222222"])
    monkeypatch.setattr("workbench.workspace.transaction.secrets.token_hex", lambda _: next(ids))
    first = forget(sandbox, sandbox.address("staging port"))
    second = forget(sandbox, sandbox.address("tantivy"))
    with pytest.raises(AmbiguousOperationError) as several:
        plan_undo(sandbox.workspace, "abcd")
    assert first.id in several.value.hint
    assert second.id in several.value.hint
    assert plan_undo(sandbox.workspace, "abcd1").undoes == first.id


def test_a_page_that_was_restored_by_hand_is_no_obstacle_for_the_others(sandbox: Sandbox) -> None:
    sandbox.write(OTHER, EPISODE_TEXT.replace("e1", "e2"))
    sandbox.commit("two")
    before = sandbox.snapshot()
    done = forget(sandbox, EPISODE, OTHER)
    sandbox.write(EPISODE, EPISODE_TEXT)
    plan = plan_undo(sandbox.workspace, done.id)
    assert [edit.path for edit in plan.edits] == [OTHER]
    sandbox.workspace.operations.carry_out(lambda: plan)
    assert sandbox.snapshot() == before


def test_what_was_undone_by_hand_altogether_is_said_to_be_gone(sandbox: Sandbox) -> None:
    (sandbox.root / "MEMORY.md").unlink()
    sandbox.commit("no memory")
    place = sandbox.workspace
    address = sandbox.address("staging port", LOG)
    place.operations.carry_out(lambda: plan_promote(place, [address]))
    (sandbox.root / "MEMORY.md").unlink()
    with pytest.raises(NotCuratableError, match="already gone"):
        plan_undo(place)


def test_what_returns_does_not_part_an_entry_that_was_rewritten_since(sandbox: Sandbox) -> None:
    sandbox.write(LOG, "- one\n  continued\n- two\n")
    done = forget(sandbox, sandbox.address("two"))
    sandbox.write(LOG, "- one\n  continued otherwise\n")
    sandbox.workspace.operations.carry_out(lambda: plan_undo(sandbox.workspace, done.id))
    assert sandbox.read(LOG) == b"- one\n  continued otherwise\n- two\n"


def test_undo_that_would_make_one_entry_of_two_is_refused(sandbox: Sandbox) -> None:
    sandbox.write(LOG, "first\n")
    place, address = sandbox.workspace, sandbox.address("first")
    done = place.operations.carry_out(lambda: plan_edit(place, address, "first\n***\n"))
    sandbox.write(LOG, "first\n***\nsecond\n")
    with pytest.raises(ConflictError, match="merge with"):
        place.operations.carry_out(lambda: plan_undo(place, done.id))
    assert sandbox.read(LOG) == b"first\n***\nsecond\n"


@pytest.mark.parametrize("words", permutations(["First", "Second", "Third"], 2), ids=" ".join)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_paragraphs_that_were_forgotten_return_in_any_order(
    sandbox: Sandbox, words: tuple[str, ...], is_reversed: bool
) -> None:
    sandbox.write("MEMORY.md", "# Memory\n\nFirst of all\n\nSecond to none\n\nThird time lucky\n")
    sandbox.commit("paragraphs")
    before = sandbox.snapshot()
    done = [forget(sandbox, sandbox.address(word, "MEMORY.md")) for word in words]
    place = sandbox.workspace
    for operation in done[:: -1 if is_reversed else 1]:
        place.operations.carry_out(partial(plan_undo, place, operation.id))
    assert sandbox.snapshot() == before
