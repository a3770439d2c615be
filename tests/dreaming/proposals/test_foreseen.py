"""A workspace as it would be: plans made on it add up, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.workspaces import EPISODE, LOG, Sandbox
from workbench.dreaming.proposals.overlay import OverlayWorkspace
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.operations.archive import plan_archive
from workbench.operations.forget import plan_forget
from workbench.operations.merge import plan_merge
from workbench.operations.move import plan_move
from workbench.operations.promote import plan_promote
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace


def at(place: Workspace, words: str, path: str = "MEMORY.md") -> str:
    return next(e.address for e in place.document(path).entries if words in e.text)


def test_plans_made_one_on_the_other_are_one_plan_and_do_the_same_as_one_by_one(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    foreseen = OverlayWorkspace(place)
    before = sandbox.snapshot()
    steps: tuple[Callable[[Workspace], Plan], ...] = (
        lambda w: plan_promote(w, [at(w, "staging port", LOG)]),
        lambda w: plan_merge(w, [at(w, "staging port"), at(w, "Atlas")]),
        lambda w: plan_archive(w, [at(w, "tea")]),
        lambda w: plan_move(w, [at(w, "weather", LOG)], to="memory/weather.md"),
        lambda w: plan_forget(w, [EPISODE]),
    )
    for step in steps:
        foreseen.lay_plan(step(foreseen))
    assert sandbox.snapshot() == before
    assert "memory/weather.md" in [file.path for file in foreseen.scan()]
    assert EPISODE not in [file.path for file in foreseen.scan()]
    expected = foreseen.document("MEMORY.md").entries
    place.operations.carry_out(lambda: Plan(action="all", summary="all", edits=foreseen.edits()))
    now = place.document("MEMORY.md").entries
    assert [entry.address for entry in now] == [entry.address for entry in expected]
    assert not (sandbox.root / EPISODE).exists()
    assert sum(o.action == "all" for o in place.operations.walk()) == 1


def test_an_edit_that_was_planned_on_something_else_is_refused(sandbox: Sandbox) -> None:
    foreseen = OverlayWorkspace(sandbox.workspace)
    with pytest.raises(ValueError, match="a different text"):
        foreseen.lay(FileEdit(RelPath("MEMORY.md"), b"other", b"new"))


def test_what_is_tried_on_a_copy_leaves_the_first_as_it_was(sandbox: Sandbox) -> None:
    foreseen = OverlayWorkspace(sandbox.workspace)
    other = foreseen.copy()
    other.lay_plan(plan_archive(other, [at(other, "tea")]))
    assert "tea" in foreseen.memory_document().data.decode()
    assert foreseen.edits() == ()
    assert len(other.edits()) == 2


def test_what_was_changed_and_changed_back_is_no_edit(sandbox: Sandbox) -> None:
    foreseen = OverlayWorkspace(sandbox.workspace)
    data = sandbox.read("MEMORY.md")
    foreseen.lay(FileEdit(RelPath("MEMORY.md"), data, b"new"))
    foreseen.lay(FileEdit(RelPath("MEMORY.md"), b"new", data))
    foreseen.lay(FileEdit(RelPath("new.md"), None, b"x"))
    foreseen.lay(FileEdit(RelPath("new.md"), b"x", None))
    assert foreseen.edits() == ()
