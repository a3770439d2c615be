"""A run is taken back whole: after a restart, after later edits, and when it was accepted in parts."""

from __future__ import annotations

import pytest

from tests.support.proposals import NOW, RUN, accept, entry, of_log, put
from tests.support.workspaces import Sandbox
from workbench.dreaming.proposals.inbox import pending
from workbench.dreaming.proposals.policy import plan_apply
from workbench.dreaming.proposals.runs import find_run, preview_rollback, roll_back, runs, shared_notes
from workbench.errors import NotCuratableError, UsageError
from workbench.operations.edit import plan_edit
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_redo, plan_undo
from workbench.workspace.workspace import Workspace


def test_a_run_that_was_applied_is_taken_back_after_a_restart(sandbox: Sandbox) -> None:
    one, two = of_log(sandbox, "staging port"), of_log(sandbox, "tantivy")
    put(sandbox, one, two)
    before = sandbox.snapshot()
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_apply(place, [one, two], now=NOW))
    place.close()
    fresh = Workspace.open(sandbox.root)
    done = roll_back(fresh, RUN)
    assert (len(done.undone), done.refused) == (1, ())
    assert sandbox.snapshot() == before
    assert pending(fresh, NOW) == (one, two)
    fresh.close()


def test_a_run_that_was_accepted_in_parts_is_taken_back_whole_the_newest_first(sandbox: Sandbox) -> None:
    one, two = of_log(sandbox, "staging port"), of_log(sandbox, "tantivy")
    put(sandbox, one, two)
    before = sandbox.snapshot()
    first, second = accept(sandbox, one.key), accept(sandbox, two.key)
    (run,) = runs(sandbox.workspace)
    assert [operation.id for operation in run.operations] == [second.id, first.id]
    done = roll_back(sandbox.workspace, RUN[:4])
    assert [undo.undoes for undo in done.undone] == [second.id, first.id]
    assert sandbox.snapshot() == before


def test_other_work_that_was_done_since_stays(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    accept(sandbox, one.key)
    place = sandbox.workspace
    place.operations.carry_out(
        lambda: plan_promote(place, [sandbox.address("tantivy")], section="Project Facts")
    )
    sandbox.write("MEMORY.md", sandbox.read("MEMORY.md") + b"- by hand\n")
    assert not roll_back(place, RUN).refused
    text = sandbox.read("MEMORY.md")
    assert b"staging port" not in text
    assert b"tantivy" in text
    assert b"by hand" in text


def test_what_was_rewritten_since_stays_and_the_rest_of_the_run_goes(sandbox: Sandbox) -> None:
    one, two = of_log(sandbox, "staging port"), of_log(sandbox, "tantivy")
    put(sandbox, one, two)
    first = accept(sandbox, one.key)
    accept(sandbox, two.key)
    place = sandbox.workspace
    address = entry(sandbox, "staging port", "MEMORY.md").address
    place.operations.carry_out(lambda: plan_edit(place, address, "- The staging port is 9443 by now\n"))
    plan, staying = preview_rollback(place, RUN)
    diff = plan.diff()
    assert [operation.id for operation, _ in staying] == [first.id]
    assert "-- We decided to use tantivy" in diff
    done = roll_back(place, RUN)
    assert len(done.undone) == 1
    ((operation, why),) = done.refused
    assert operation.id == first.id
    assert "newer text" in why.message
    assert b"9443 by now" in sandbox.read("MEMORY.md")
    assert b"tantivy" not in sandbox.read("MEMORY.md")
    assert pending(place, NOW) == (two,)


def test_a_run_that_is_taken_back_can_be_done_again(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    accept(sandbox, one.key)
    after = sandbox.snapshot()
    place = sandbox.workspace
    roll_back(place, RUN)
    with pytest.raises(NotCuratableError, match="already undone"):
        roll_back(place, RUN)
    place.operations.carry_out(lambda: plan_redo(place))
    assert sandbox.snapshot() == after
    roll_back(place, RUN)
    assert pending(place, NOW) == (one,)


def test_an_undo_that_a_person_made_counts_as_taken_back(sandbox: Sandbox) -> None:
    one, two = of_log(sandbox, "staging port"), of_log(sandbox, "tantivy")
    put(sandbox, one, two)
    place = sandbox.workspace
    accept(sandbox, one.key)
    place.operations.carry_out(lambda: plan_undo(place))
    accept(sandbox, two.key)
    assert len(find_run(place, RUN).operations) == 2
    assert len(roll_back(place, RUN).undone) == 1


def test_an_operation_that_two_runs_share_says_so(sandbox: Sandbox) -> None:
    one, two = of_log(sandbox, "staging port"), of_log(sandbox, "tantivy", run="another-run")
    put(sandbox, one, two)
    accept(sandbox, one.key, two.key)
    (note,) = shared_notes(sandbox.workspace, RUN)
    assert "holds proposals of another-run too" in note
    roll_back(sandbox.workspace, "another-run")
    assert pending(sandbox.workspace, NOW) == (one, two)


def test_an_unknown_run_and_one_of_which_nothing_was_accepted_are_told_apart(sandbox: Sandbox) -> None:
    with pytest.raises(UsageError, match="there is no run"):
        roll_back(sandbox.workspace, "d999")
    put(sandbox, of_log(sandbox, "staging port"))
    with pytest.raises(NotCuratableError, match="nothing of run"):
        roll_back(sandbox.workspace, RUN)
    with pytest.raises(UsageError, match="there is no run"):
        find_run(sandbox.workspace, RUN[:3])


def test_a_plain_commit_that_names_a_run_is_none_of_it(sandbox: Sandbox) -> None:
    put(sandbox, of_log(sandbox, "staging port"))
    sandbox.write("MEMORY.md", "# Other\n")
    sandbox.commit(f"theirs\n\nRun: {RUN}")
    assert find_run(sandbox.workspace, RUN).operations == ()
