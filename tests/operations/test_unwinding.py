"""Undo in any order: what two operations took from the same place returns as it stood."""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.support.workspaces import LOG, LOG_TEXT, Sandbox
from workbench.operations.forget import plan_forget
from workbench.operations.move import plan_move
from workbench.operations.undo import plan_redo, plan_undo
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

LINES = ("async reviews", "staging port", "tantivy")


def forget(sandbox: Sandbox, words: str) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_forget(place, [sandbox.address(words)]))


def move(sandbox: Sandbox, words: str) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(
        lambda: plan_move(place, [sandbox.address(words)], to="memory/x.md", section="X")
    )


def undo(sandbox: Sandbox, operation: Operation) -> None:
    place = Workspace.open(sandbox.root)
    place.operations.carry_out(lambda: plan_undo(place, operation.id))
    place.close()


@pytest.mark.promise("Undo", "undo late, twice, out of order, after a restart")
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_neighbours_return_in_their_order_whatever_is_undone_first(
    sandbox: Sandbox, order: tuple[int, ...]
) -> None:
    done = [forget(sandbox, words) for words in LINES]
    for number in order:
        undo(sandbox, done[number])
    assert sandbox.read(LOG).decode() == LOG_TEXT


@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_a_file_that_two_operations_made_goes_with_the_second_undo(
    sandbox: Sandbox, order: tuple[int, ...]
) -> None:
    done = [move(sandbox, words) for words in LINES[:2]]
    for number in order:
        undo(sandbox, done[number])
    assert sandbox.read(LOG).decode() == LOG_TEXT
    assert not (sandbox.root / "memory/x.md").exists()


def test_what_was_done_and_undone_in_between_changes_nothing(sandbox: Sandbox) -> None:
    first, second = (forget(sandbox, words) for words in LINES[:2])
    place = sandbox.workspace
    undo(sandbox, first)
    place.operations.carry_out(lambda: plan_redo(place))
    undo(sandbox, first)
    undo(sandbox, forget(sandbox, "tantivy"))
    undo(sandbox, second)
    assert sandbox.read(LOG).decode() == LOG_TEXT


@pytest.mark.promise("Undo", "undo after edits by others")
def test_what_another_writer_added_since_stays(sandbox: Sandbox) -> None:
    done = [forget(sandbox, words) for words in LINES[:2]]
    sandbox.write(LOG, sandbox.read(LOG) + b"- from the agent\n")
    for operation in done:
        undo(sandbox, operation)
    text = sandbox.read(LOG).decode()
    assert sorted(text.splitlines()) == sorted((LOG_TEXT + "- from the agent\n").splitlines())
