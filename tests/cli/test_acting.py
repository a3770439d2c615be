"""promote, forget, undo, redo, log and show from the command line."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import LOG, Sandbox


def test_promote_undo_redo_and_log_tell_one_story(run: Run, sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    done = run("promote", sandbox.address("staging port"), "--reason", "we always ask", "--json")
    assert done.code == 0
    assert set(done.json) >= {"operation", "commit", "entries", "diff"}
    assert "+- The staging port is 8443" in done.json["diff"]
    assert done.json["commit"] == sandbox.git("rev-parse", "HEAD").strip()
    assert run("undo").code == 0
    assert sandbox.snapshot() == before
    assert run("redo", "--json").json["undoes"]
    rows = run("log", "--json").json
    assert [row["action"] for row in rows] == ["redo", "undo", "promote", "commit"]
    assert [row["undone"] for row in rows] == [False, True, False, False]
    assert rows[2]["reason"] == "we always ask"
    shown = run("show", done.json["operation"][:6])
    assert "reason: we always ask" in shown.out
    assert "+- The staging port is 8443" in shown.out
    assert "promote: The staging port" in run("log", "MEMORY.md").out


def test_forget_with_dry_run_prints_the_diff_and_changes_nothing(run: Run, sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    shown = run("forget", sandbox.address("staging port"), "--dry-run")
    assert shown.out.splitlines()[:2] == [f"--- a/{LOG}", f"+++ b/{LOG}"]
    assert "-- The staging port is 8443" in shown.out
    assert sandbox.snapshot() == before
    assert sandbox.git("rev-list", "--count", "HEAD").strip() == "1"


@pytest.mark.parametrize("action", ["promote", "forget", "undo"])
def test_an_unknown_entry_or_operation_is_wrong_usage_with_a_hint(run: Run, action: str) -> None:
    target = "0000dead" if action == "undo" else f"{LOG}#0000dead"
    result = run(action, target, "--json")
    assert result.code == 2
    assert set(result.json["error"]) == {"code", "message", "hint"}
    assert run(action, target).err.startswith("workbench: ")


def test_a_locked_workspace_is_busy(run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.workspace.locks import hold

    monkeypatch.setattr("workbench.workspace.transaction._LOCK_SECONDS", 0.01)
    with hold(sandbox.workspace.state_dir() / "operations.lock", "another action"):
        result = run("promote", sandbox.address("staging port"))
    assert result.code == 3
    assert "another action" in result.err


def test_a_conflict_fails_and_says_which_text_is_in_the_way(run: Run, sandbox: Sandbox) -> None:
    run("promote", sandbox.address("staging port"))
    sandbox.write("MEMORY.md", sandbox.read("MEMORY.md").replace(b"8443", b"9000"))
    result = run("undo")
    assert result.code == 1
    assert "newer text" in result.err


def test_wrong_options_are_wrong_usage(run: Run) -> None:
    assert run("promote").code == 2
    assert run("promote", "--json").json["error"]["code"] == "usage"
    assert run("nonsense").code == 2


def test_escape_sequences_never_reach_the_terminal(run: Run, sandbox: Sandbox) -> None:
    sandbox.write(LOG, "- evil \x1b]52;c;aGk=\x07 \x9b31m \u202e [/ [@click=app.quit]\n")
    sandbox.commit("evil")
    for arguments in (
        ("promote", sandbox.address("evil"), "--dry-run"),
        ("promote", sandbox.address("evil"), "--json"),
        ("log",),
        ("show", "HEAD"),
        ("log", "--json"),
    ):
        result = run(*arguments)
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(result.out + result.err)


@pytest.mark.parametrize(
    ("begin", "said", "kept", "one"),
    [
        ("The greenhouse", "needs water at noon in summer", "number {} was painted", "Water boils at noon"),
        ("温室", "夏天中午要浇水", "第{}间刷过漆", "夏天中午喝水"),
    ],
    ids=["English", "Chinese"],
)
def test_all_that_stands_under_a_heading_says_what_belongs_there(
    run: Run, sandbox: Sandbox, begin: str, said: str, kept: str, one: str
) -> None:
    told = [f"- {begin} {said}, {n}" for n in range(3)]
    since = [f"- {kept.format(n)}" for n in range(10)]
    garden = "\n".join((*told, *since))
    sandbox.write("MEMORY.md", f"# Memory\n\n## Kitchen\n\n- {one}\n\n## Garden\n\n{garden}\n")
    sandbox.write(LOG, f"- {begin} {said}, also in May\n")
    assert run("promote", sandbox.address(said)).code == 0
    kitchen, _, garden = sandbox.read("MEMORY.md").decode().partition("## Garden")
    assert "May" in garden
    assert "May" not in kitchen
