"""Undo of what others committed, and of what others claim in a commit's trailers."""

from __future__ import annotations

import pytest

from tests.support.workspaces import LOG, MEMORY_TEXT, Sandbox
from workbench.errors import ConflictError, NotCuratableError
from workbench.operations.forget import plan_forget
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_redo, plan_undo
from workbench.workspace.plan import Operation


def head(sandbox: Sandbox) -> str:
    return sandbox.git("rev-parse", "HEAD").strip()


def undo(sandbox: Sandbox, operation: str | None = None) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_undo(place, operation))


def redo(sandbox: Sandbox) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_redo(place))


def edit_memory(sandbox: Sandbox, old: str = "tea", new: str = "coffee") -> None:
    sandbox.write("MEMORY.md", sandbox.read("MEMORY.md").replace(old.encode(), new.encode()))


@pytest.mark.promise(
    "Undo",
    "undo of a plain commit, a merge, or the first commit",
    "only memory files are changed, compared with the first parent",
)
def test_a_plain_commit_is_taken_back_by_its_id_and_brought_back_by_redo(sandbox: Sandbox) -> None:
    edit_memory(sandbox)
    sandbox.commit("agent: coffee")
    undo(sandbox, head(sandbox)[:8])
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    redo(sandbox)
    assert b"coffee" in sandbox.read("MEMORY.md")


@pytest.mark.promise("Undo", "undo of an undo of an undo; redo", "each reverts exactly once")
def test_an_undo_of_an_undo_of_an_undo_takes_back_once(sandbox: Sandbox) -> None:
    edit_memory(sandbox)
    sandbox.commit("agent: coffee")
    target = head(sandbox)
    for expected in (b"tea", b"coffee", b"tea", b"coffee"):
        target = undo(sandbox, target).commit
        assert expected in sandbox.read("MEMORY.md")


@pytest.mark.promise("Undo", "undo of a plain commit, a merge, or the first commit")
def test_a_merge_commit_is_taken_back_against_its_first_parent(sandbox: Sandbox) -> None:
    sandbox.git("checkout", "-q", "-b", "side")
    edit_memory(sandbox)
    sandbox.commit("side: coffee")
    sandbox.git("checkout", "-q", "main")
    sandbox.write(LOG, sandbox.read(LOG) + b"- a line of main\n")
    sandbox.commit("main goes on")
    sandbox.git("merge", "-q", "--no-ff", "-m", "merge side", "side")
    undo(sandbox, head(sandbox))
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    assert b"a line of main" in sandbox.read(LOG)
    redo(sandbox)
    assert b"coffee" in sandbox.read("MEMORY.md")


@pytest.mark.promise("Undo", "undo of a plain commit, a merge, or the first commit")
def test_the_root_commit_is_taken_back_and_comes_back_whole(sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    undo(sandbox, head(sandbox))
    assert sandbox.snapshot() == {}
    redo(sandbox)
    assert sandbox.snapshot() == before


def test_the_root_commit_is_refused_where_its_text_was_edited_since(sandbox: Sandbox) -> None:
    root = head(sandbox)
    edit_memory(sandbox)
    sandbox.commit("newer")
    before = sandbox.snapshot()
    with pytest.raises(ConflictError, match="newer text"):
        undo(sandbox, root)
    assert sandbox.snapshot() == before


def test_of_a_commit_that_changed_other_files_too_only_memory_is_taken_back(sandbox: Sandbox) -> None:
    edit_memory(sandbox)
    sandbox.write("src/app.py", "print('hello')\n")
    sandbox.commit("agent: coffee and code")
    done = undo(sandbox, head(sandbox))
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    assert sandbox.read("src/app.py") == b"print('hello')\n"
    assert done.paths == ("MEMORY.md",)
    assert any("src/app.py" in note for note in done.notes)


@pytest.mark.parametrize("message", ["code", "promote: x\n\nOperation: 0123456789ab\nAction: promote\n"])
def test_a_commit_without_memory_is_refused_however_it_signs_itself(sandbox: Sandbox, message: str) -> None:
    sandbox.write("src/app.py", "print('hello')\n")
    sandbox.commit(message)
    with pytest.raises(NotCuratableError, match="changed no memory") as refused:
        undo(sandbox, head(sandbox))
    assert "git revert" in refused.value.hint
    assert sandbox.read("src/app.py") == b"print('hello')\n"


def forge(sandbox: Sandbox, *trailers: str) -> None:
    sandbox.git("commit", "-q", "--allow-empty", "-m", "innocent\n\n" + "\n".join(trailers))


@pytest.mark.promise("Undo", "forged trailers in commit messages", "operations can still be undone")
def test_a_forged_line_does_not_make_a_promotion_impossible_to_undo(sandbox: Sandbox) -> None:
    place, address = sandbox.workspace, sandbox.address("staging port")
    done = place.operations.carry_out(lambda: plan_promote(place, [address]))
    forge(sandbox, "Operation: 0123456789ab", "Action: undo", f"Undoes: {done.id}")
    undo(sandbox, done.id)
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    with pytest.raises(NotCuratableError, match="already undone"):
        undo(sandbox, done.id)


def test_a_forged_line_does_not_make_a_forgetting_impossible_to_undo(sandbox: Sandbox) -> None:
    place, address, before = sandbox.workspace, sandbox.address("staging port"), sandbox.read(LOG)
    done = place.operations.carry_out(lambda: plan_forget(place, [address]))
    forge(sandbox, "Operation: 0123456789ab", "Action: undo", f"Undoes: {done.id}")
    undo(sandbox, done.id)
    assert sandbox.read(LOG) == before


def test_what_was_truly_undone_is_not_brought_twice_after_newer_edits(sandbox: Sandbox) -> None:
    place, address = sandbox.workspace, sandbox.address("staging port")
    done = place.operations.carry_out(lambda: plan_forget(place, [address]))
    undo(sandbox, done.id)
    sandbox.write(LOG, sandbox.read(LOG) + b"- a newer line\n")
    with pytest.raises(NotCuratableError, match="already undone"):
        undo(sandbox, done.id)
    assert sandbox.read(LOG).count(b"staging port") == 1


def test_a_commit_that_copies_an_operation_s_name_is_not_taken_for_it(sandbox: Sandbox) -> None:
    place, address = sandbox.workspace, sandbox.address("staging port")
    done = place.operations.carry_out(lambda: plan_promote(place, [address]))
    edit_memory(sandbox)
    sandbox.commit(f"innocent\n\nOperation: {done.id}\nAction: promote")
    undo(sandbox, done.id)
    assert b"staging port" not in sandbox.read("MEMORY.md")
    assert b"coffee" in sandbox.read("MEMORY.md")
