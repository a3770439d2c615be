"""Whatever is undone can be done again, by its own name or by that of its undo, in any order."""

from __future__ import annotations

import pytest

from tests.support.workspaces import LOG, Sandbox
from workbench.errors import NotCuratableError
from workbench.operations.forget import plan_forget
from workbench.operations.undo import plan_redo, plan_undo
from workbench.workspace.plan import Operation


def forget(sandbox: Sandbox, words: str) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_forget(place, [sandbox.address(words)]))


def undo(sandbox: Sandbox, operation: Operation) -> Operation:
    return sandbox.workspace.operations.carry_out(lambda: plan_undo(sandbox.workspace, operation.id))


def redo(sandbox: Sandbox, operation: Operation) -> Operation:
    return sandbox.workspace.operations.carry_out(lambda: plan_redo(sandbox.workspace, operation.id))


def test_an_older_undo_is_taken_back_while_a_newer_one_stands(sandbox: Sandbox) -> None:
    port, search = forget(sandbox, "staging port"), forget(sandbox, "tantivy")
    undo(sandbox, port)
    undo(sandbox, search)
    redo(sandbox, port)
    assert b"staging port" not in sandbox.read(LOG)
    assert b"tantivy" in sandbox.read(LOG)
    undo(sandbox, port)
    assert b"staging port" in sandbox.read(LOG)
    redo(sandbox, port)
    assert b"staging port" not in sandbox.read(LOG)


def test_the_undo_may_be_named_itself(sandbox: Sandbox) -> None:
    back = undo(sandbox, forget(sandbox, "tantivy"))
    redo(sandbox, back)
    assert b"tantivy" not in sandbox.read(LOG)
    with pytest.raises(NotCuratableError, match="already redone"):
        plan_redo(sandbox.workspace, back.id)


def test_what_stands_has_nothing_to_be_done_again(sandbox: Sandbox) -> None:
    operation = forget(sandbox, "tantivy")
    with pytest.raises(NotCuratableError, match="is not undone"):
        plan_redo(sandbox.workspace, operation.id)


def test_to_undo_an_undo_is_a_redo(sandbox: Sandbox) -> None:
    port = forget(sandbox, "staging port")
    again = undo(sandbox, undo(sandbox, port))
    assert (again.action, again.summary.partition(":")[0]) == ("redo", "redo")
    assert b"staging port" not in sandbox.read(LOG)
    with pytest.raises(NotCuratableError, match="nothing to redo"):
        plan_redo(sandbox.workspace)
    assert undo(sandbox, again).action == "undo"
    assert redo(sandbox, port).action == "redo"
    assert b"staging port" not in sandbox.read(LOG)
    assert plan_undo(sandbox.workspace).undoes == port.id
