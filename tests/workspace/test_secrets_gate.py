"""No secret enters git's history unseen; what is there already is never in the way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.workspaces import EPISODE, LOG, LOG_TEXT, Sandbox
from workbench.errors import SecretFoundError
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.operations.forget import plan_forget
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_redo, plan_undo
from workbench.workspace.plan import Operation, Plan

TOKEN = "ghp_" + "q7Zk2Vx9Lm4T" * 3
LINE = f"- the deploy token is {TOKEN}\n"


def objects(sandbox: Sandbox) -> str:
    """Every object that git holds, reachable or not."""
    return sandbox.git("cat-file", "--batch-all-objects", "--batch", "--unordered")


def do(sandbox: Sandbox, planner: Callable[[], Plan]) -> Operation:
    return sandbox.workspace.operations.carry_out(planner)


def forget(sandbox: Sandbox, words: str, path: str = LOG) -> Operation:
    address = sandbox.address(words, path)
    return do(sandbox, lambda: plan_forget(sandbox.workspace, [address]))


def replaced(path: str, before: bytes, after: bytes, *, allow: bool = False, action: str = "edit") -> Plan:
    edit = FileEdit(RelPath(path), before, after)
    return Plan(action=action, summary="an edit", edits=(edit,), allow_secrets=allow)


def test_a_secret_found_on_disk_is_not_committed_with_an_action_on_another_entry(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + LINE)
    before, head = sandbox.snapshot(), sandbox.git("rev-parse", "HEAD")
    with pytest.raises(SecretFoundError) as refused:
        forget(sandbox, "staging port")
    line = LOG_TEXT.count("\n") + 1
    assert f"{LOG}:{line}: GitHub token ghp_…" in refused.value.message
    assert "store a secret in git" in refused.value.message
    assert "nothing was recorded" in refused.value.message
    assert "editor" in refused.value.hint
    assert "--allow-secret" in refused.value.hint
    assert TOKEN not in refused.value.message + refused.value.hint
    assert sandbox.snapshot() == before
    assert sandbox.git("rev-parse", "HEAD") == head
    assert TOKEN not in objects(sandbox)


def test_deleting_the_line_in_an_editor_leaves_no_trace(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + LINE)
    with pytest.raises(SecretFoundError):
        forget(sandbox, "deploy token")
    sandbox.write(LOG, LOG_TEXT)
    forget(sandbox, "staging port")
    assert TOKEN not in objects(sandbox)


def test_a_secret_that_an_edit_would_bring_is_refused(sandbox: Sandbox) -> None:
    with pytest.raises(SecretFoundError, match=r"MEMORY\.md:") as refused:
        do(sandbox, lambda: replaced("MEMORY.md", memory(sandbox), memory(sandbox) + LINE.encode()))
    assert "remove it" in refused.value.hint
    assert TOKEN not in objects(sandbox)


def memory(sandbox: Sandbox) -> bytes:
    return sandbox.read("MEMORY.md")


def test_with_the_persons_word_it_is_recorded_as_it_is(sandbox: Sandbox) -> None:
    after = memory(sandbox) + LINE.encode()
    do(sandbox, lambda: replaced("MEMORY.md", memory(sandbox), after, allow=True))
    assert memory(sandbox) == after
    assert TOKEN in sandbox.git("show", "HEAD:MEMORY.md")


def test_a_recorded_secret_is_never_in_the_way_of_another_action(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + LINE)
    sandbox.commit("the agent's own commit")
    forget(sandbox, "staging port")
    assert TOKEN.encode() in sandbox.read(LOG)


def test_promoting_a_recorded_secret_would_spread_it_so_it_is_refused(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + LINE)
    sandbox.commit("the agent's own commit")
    address = sandbox.address("deploy token")
    with pytest.raises(SecretFoundError, match=r"MEMORY\.md:"):
        do(sandbox, lambda: plan_promote(sandbox.workspace, [address], allow_flagged=True))


def test_a_recorded_secret_may_move_between_the_files_of_an_operation(sandbox: Sandbox) -> None:
    """Setting a secret aside, or archiving it, makes nothing worse."""
    sandbox.write(LOG, LOG_TEXT + LINE)
    sandbox.commit("the agent's own commit")
    moved = Plan(
        action="quarantine",
        summary="set aside",
        edits=(
            FileEdit(RelPath(LOG), sandbox.read(LOG), LOG_TEXT.encode()),
            FileEdit(RelPath("_system/quarantine/a.md"), None, f"{LINE[:-1]} <!-- wb: id=q1 -->\n".encode()),
        ),
    )
    operation = do(sandbox, lambda: moved)
    assert operation.notes == ()


def test_forgetting_a_recorded_secret_works_and_says_that_it_is_still_in_the_history(
    sandbox: Sandbox,
) -> None:
    sandbox.write(LOG, LOG_TEXT + LINE)
    sandbox.commit("the agent's own commit")
    operation = forget(sandbox, "deploy token")
    (note,) = operation.notes
    assert "still in git's history" in note
    assert "docs/purge.md" in note
    assert TOKEN not in note
    assert TOKEN.encode() not in sandbox.read(LOG)


@pytest.mark.parametrize(("count", "more"), [(2, ""), (7, " and 2 more are still")])
def test_all_secrets_of_an_entry_are_told_of_in_one_note(sandbox: Sandbox, count: int, more: str) -> None:
    tokens = [f"npm_{'q7Zk2Vx9Lm4T8Rw3Np' * 2}"[:38] + f"K{n}" for n in range(count)]
    sandbox.write(LOG, LOG_TEXT + f"- the keys are {' and '.join(tokens)}\n")
    sandbox.commit("the agent's own commit")
    (note,) = forget(sandbox, "the keys are").notes
    assert note.count("npm token") == min(count, 5)
    assert more in note
    assert "are still in git's history" in note
    assert "docs/purge.md of Memory Workbench" in note
    assert not any(token in note for token in tokens)


def test_undo_and_redo_bring_back_what_the_history_holds(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + LINE)
    sandbox.commit("the agent's own commit")
    forget(sandbox, "deploy token")
    do(sandbox, lambda: plan_undo(sandbox.workspace))
    assert sandbox.read(LOG).decode() == LOG_TEXT + LINE
    do(sandbox, lambda: plan_redo(sandbox.workspace))
    assert sandbox.read(LOG).decode() == LOG_TEXT


def test_a_restore_brings_back_what_the_history_holds(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + LINE)
    sandbox.commit("the agent's own commit")
    forget(sandbox, "deploy token")
    old, now = (LOG_TEXT + LINE).encode(), sandbox.read(LOG)
    do(sandbox, lambda: replaced(LOG, now, old, action="restore"))
    assert sandbox.read(LOG) == old


def test_an_undo_does_not_carry_a_fresh_secret_along(sandbox: Sandbox) -> None:
    forget(sandbox, "staging port")
    sandbox.write(LOG, sandbox.read(LOG) + LINE.encode())
    with pytest.raises(SecretFoundError):
        do(sandbox, lambda: plan_undo(sandbox.workspace))
    assert TOKEN not in objects(sandbox)


def test_no_secret_is_told_in_a_commits_message(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + LINE)
    sandbox.commit("the agent's own commit")
    address = sandbox.address("deploy token")
    operation = do(
        sandbox, lambda: plan_forget(sandbox.workspace, [address], reason=f"{TOKEN} is changed by now")
    )
    message = sandbox.git("log", "-1", "--format=%B")
    assert TOKEN not in message
    assert "Reason: ghp_…" in message
    assert TOKEN[8:20] not in operation.summary + operation.reason


def test_recording_what_others_wrote_passes_the_same_gate(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + LINE)
    found = {RelPath(LOG): sandbox.read(LOG)}
    operations = sandbox.workspace.operations
    with pytest.raises(SecretFoundError):
        operations.record(lambda head: found if sandbox.git("diff", "HEAD") else {})
    assert TOKEN not in objects(sandbox)
    operations.record(lambda head: found if sandbox.git("diff", "HEAD") else {}, allow_secrets=True)
    assert TOKEN in sandbox.git("show", f"HEAD:{LOG}")


def test_many_secrets_are_counted_and_the_first_are_named(sandbox: Sandbox) -> None:
    lines = "".join(
        f"- key {n}: npm_{chr(65 + n) * 2}{'q7Zk2Vx9Lm4T8Rw3Np' * 2}\n"[:-3] + "\n" for n in range(9)
    )
    sandbox.write(LOG, LOG_TEXT + lines)
    with pytest.raises(SecretFoundError, match="and 4 more") as refused:
        forget(sandbox, "staging port")
    assert refused.value.message.count("npm token") == 5


def test_an_episode_that_is_promoted_is_looked_at_like_any_other_file(sandbox: Sandbox) -> None:
    sandbox.write(EPISODE, sandbox.read(EPISODE) + LINE.encode())
    address = sandbox.address("release is on Friday", EPISODE)
    with pytest.raises(SecretFoundError, match=EPISODE):
        do(sandbox, lambda: plan_promote(sandbox.workspace, [address]))
