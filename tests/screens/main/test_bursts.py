"""Keys as fast as a terminal can send them: each acts on what its writer meant."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual import events
from textual.widgets import Input

from indexing.sync.run import reindex
from screens.main import key_queue
from screens.search import live_search
from tests.screens.interface import PATIENCE_SECONDS, Interface, opened
from tests.support.workspaces import LOG, Sandbox

OTHER = "memory/2026-03-10.md"
_CHARACTERS = {"slash": "/", "space": " "}


@pytest.fixture(autouse=True)
def waiting_patiently(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are held for as long as a busy machine may take to search."""
    monkeypatch.setattr(key_queue, "PATIENCE_SECONDS", PATIENCE_SECONDS)


@pytest.fixture
def indexed(sandbox: Sandbox) -> Sandbox:
    sandbox.write(
        OTHER, "# Day\n\n- walt one\n- walt two\n- walt three\n- mochi one\n- mochi two\n- mochi three\n"
    )
    sandbox.write("memory/2026-03-11.md", "# Day\n\n- is 九成九就好\n")
    sandbox.commit("more")
    reindex(sandbox.workspace, vectors=False)
    return sandbox


def send(interface: Interface, *keys: str) -> None:
    """All keys at once, with no pause in which anything could be answered."""
    driver: Any = interface.app._driver
    for key in keys:
        driver.send_message(events.Key(key, _CHARACTERS.get(key, key if len(key) == 1 else None)))


async def find(interface: Interface, query: str, count: int) -> None:
    await interface.press("slash")
    await interface.type(query)
    main = interface.main
    await interface.until(
        lambda: main.live_search.settled and len(main.overlay.hits.rows) >= count, f"hits of {query}"
    )


async def test_forgetting_right_after_typing_takes_the_hit_of_what_was_typed(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await find(interface, "walt", 3)
        send(interface, "ctrl+u", *"mochi", "tab", "j", "j", "d")
        await interface.until_said("Forgotten")
        assert interface.main.overlay.input.value == "mochi"
    text = indexed.read(OTHER).decode()
    assert text.count("walt") == 3
    assert text.count("mochi") == 2


async def test_moving_and_opening_right_after_typing_wait_for_the_hits(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        send(interface, "slash", *"walt", "tab", "j", "j")
        await interface.until(lambda: interface.main.overlay.hits.cursor == 2, "the third hit")
        send(interface, "tab", "ctrl+u", *"mochi", "enter", "d")
        await interface.until_said("Forgotten")
        assert not interface.main.overlay.is_open
    text = indexed.read(OTHER).decode()
    assert text.count("walt") == 3
    assert text.count("mochi") == 2


async def test_what_is_not_answered_in_time_is_refused(
    indexed: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(indexed.workspace) as interface:
        await find(interface, "walt", 3)
        monkeypatch.setattr(key_queue, "PATIENCE_SECONDS", 0.2)
        monkeypatch.setattr(live_search.LiveSearch, "_put", lambda self, question: None)
        send(interface, *"zer", "tab", "d")
        await interface.until_said("Still searching")
        assert len(interface.main.overlay.hits.rows) >= 3  # they stay to be seen
    assert indexed.read(OTHER).decode().count("walt") == 3


async def test_forgetting_right_after_a_step_takes_the_hit_that_is_stepped_to(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await interface.go_to("staging port")
        await find(interface, "mochi", 3)
        second = interface.main.overlay.hits.rows[1].text
        await interface.press("escape")
        send(interface, "n", "d")
        await interface.until_said("Forgotten")
    assert second not in indexed.read(OTHER).decode()
    assert b"staging port" in indexed.read(LOG)


async def test_a_step_that_fails_drops_the_keys_behind_it(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await interface.go_to("staging port")
        await find(interface, "mochi", 3)
        await interface.press("escape")
        indexed.write(OTHER, "# Day\n\n- something else\n")
        send(interface, "n", "d")
        await interface.until_said("has changed since")
        send(interface, "question_mark")  # keys are handled in order: help opens after whatever came before
        await interface.until_shown("Unfold a row")
        assert "Forgotten" not in interface.toasts
    assert b"staging port" in indexed.read(LOG)


async def test_wide_characters_are_whole_over_the_frames_of_panes(indexed: Sandbox) -> None:
    async with opened(indexed.workspace, (140, 40)) as interface:
        await find(interface, "九", 1)
        await interface.until_shown("九成九就好")
        # The frame of a pane beneath would cut the wide character that stands over it.
        assert not any(pane.visible for pane in interface.main.panes)
        await interface.press("escape")
        await interface.until_shown("1 Logs")
        assert interface.main.panes[0].list.has_focus


async def test_typing_anew_begins_at_the_best_hit(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await find(interface, "walt", 3)
        await interface.press("down", "down", "escape")
        await find(interface, "walt", 3)
        await interface.until(lambda: interface.main.overlay.hits.cursor == 0, "the best hit")


async def test_no_more_than_two_toasts_and_none_twice(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        for text in ("one", "one", "two", "three", "three"):
            interface.app.notify(text, markup=False)
            await interface.until_said(text)
        assert [note.message for note in interface.app._notifications] == ["two", "three"]


async def test_what_was_done_is_not_said_any_more_once_it_is_undone(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("d")
        await interface.until_said("Forgotten")
        await interface.press("u")
        await interface.until_said("Undone")
        assert "Forgotten" not in interface.toasts
        await interface.press("U")
        await interface.until_said("Redone")
        assert "Undone" not in interface.toasts


async def test_esc_right_after_typing_takes_away_all_that_was_typed(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        main = interface.main
        send(interface, "f", *"mochi", "escape", "G")
        await interface.until(lambda: main.here.cursor == len(main.here.rows) - 1, "the last of all rows")
        assert main.pane.filter is None
        assert main.pane.line.value == ""
        send(interface, "g", "F", *"walt", "escape", "j")
        await interface.until(lambda: main.pane.list.has_focus and main.here.cursor, "the next row")
        assert main.find.line.value == ""


async def test_one_key_twice_acts_on_two_rows_that_are_seen(sandbox: Sandbox) -> None:
    page = "memory/2026-03-15.md"
    sandbox.write(page, "# Day\n\n- the same\n- tea\n- coffee\n- the same\n- water\n")
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("the same")
        send(interface, "d", "d")
        await interface.until(lambda: b"tea" not in sandbox.read(page), "the second one")
    assert sandbox.read(page).decode() == "# Day\n\n- coffee\n- the same\n- water\n"


async def test_undo_right_after_what_is_refused_takes_nothing_else_back(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("d")
        await interface.until_said("Forgotten")
        await interface.go_to("We decided")
        sandbox.write(LOG, sandbox.read(LOG).replace(b"We decided", b"They decided"))
        send(interface, "d", "u")
        await interface.until_said("Not done: undo")
        assert b"staging" not in sandbox.read(LOG)
        await interface.press("u")
        await interface.until_shown("Undo “forget: The staging port is 8443”?")
        await interface.press("y")
        await interface.until_said("Undone")
    assert b"staging" in sandbox.read(LOG)


async def test_keys_behind_the_one_that_leaves_are_nobodys(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        send(interface, "q", "j", "slash", "d", "escape", *"abc")
        await interface.until(lambda: not interface.app.is_running, "it ended")


@pytest.mark.parametrize("opens", ["question_mark", "colon", "S"])
async def test_keys_behind_esc_are_for_what_stands_below_the_screen_that_was_left(
    sandbox: Sandbox, opens: str
) -> None:
    async with opened(sandbox.workspace) as interface:
        main = interface.main
        await interface.go_to("staging port")
        await interface.press("space")
        send(interface, opens, "escape", "f", *"abc")
        await interface.until(lambda: main.pane.line.value == "abc", "the filter, with every letter")
        assert main.is_active
        assert main.pane.list.marked | main.pane.list.out_of_sight, "esc was not for the marks"


async def test_keys_behind_esc_in_help_are_for_the_screen_below_it(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("S")
        await interface.until_shown("memory_budget")
        below = interface.app.screen
        send(interface, "question_mark", "escape", "question_mark", "escape", "slash", *"theme")
        await interface.until(
            lambda: interface.app.screen is below and below.query_one("#narrow", Input).value == "theme",
            "the filter of the settings, with every letter",
        )


async def test_what_leaves_waits_for_no_esc(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(sandbox.workspace) as interface:
        monkeypatch.setattr(type(interface.app), "on_key", lambda *_: asyncio.sleep(20), raising=False)
        send(interface, "escape", "ctrl+q")
        await interface.until(lambda: not interface.app.is_running, "it ended")
