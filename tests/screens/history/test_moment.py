"""The interface on memory as it was: it says so, it can be read, and nothing of it can be changed."""

from __future__ import annotations

import pytest

from screens.actions.registry import hints
from screens.app import WorkbenchApp
from tests.screens.interface import opened
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox
from workbench.workspace.snapshot import open_past


async def test_the_past_names_its_moment_is_read_and_refuses_every_action(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + "- Written later\n")
    sandbox.commit("later")
    past = open_past(sandbox.workspace, sandbox.git("rev-parse", "HEAD~1").strip())
    moment = past.moment.partition(" (")[0]
    async with opened(past, (60, 20)) as interface:
        await interface.until_shown(f"as of {moment}")
        await interface.until_shown(f"Memory as of {moment} is read-only")
        assert ".workbench" not in interface.text
        await interface.go_to("staging port")
        for key in ("d", "i", "x", "u"):
            interface.app.clear_notifications()
            await interface.press(key)
            await interface.until_said("is read-only")
        assert interface.app.screen is interface.main
        assert "Written later" not in str(interface.main.here.rows)
        await interface.until(lambda: interface.history, "its history up to then")
    assert sandbox.read(LOG) == (LOG_TEXT + "- Written later\n").encode()
    assert sandbox.git("log", "--format=%s").split("\n")[0] == "later"


@pytest.mark.parametrize("past", [False, True])
async def test_the_first_paint_hints_at_nothing_that_is_not_possible(sandbox: Sandbox, past: bool) -> None:
    sandbox.write(LOG, LOG_TEXT + "- Written later\n")
    sandbox.commit("later")
    head = sandbox.git("rev-parse", "HEAD~1").strip()
    shown = open_past(sandbox.workspace, head) if past else sandbox.workspace
    first = hints(WorkbenchApp(shown, engines=False).main.context())
    assert first
    async with opened(shown) as interface:
        await interface.go_to("staging port")
        if past:
            await interface.until_shown("is read-only")
        assert set(first) <= set(interface.main.hint_line.hints)
