"""Esc and a key right behind it, which a terminal sends as one, are two keys where that one means nothing."""

from __future__ import annotations

from typing import Any

import pexpect
import pytest
from textual import events

from indexing.sync.run import reindex
from screens.actions.key_file import key_file_path
from screens.dialogs.editor import WritingScreen
from screens.driver import KeyParser
from tests.screens.interface import Interface, opened
from tests.screens.main.test_bursts import send
from tests.support.terminal import PATIENCE_SECONDS, Terminal
from tests.support.workspaces import LOG, Sandbox


def together(interface: Interface, key: str, character: str | None) -> None:
    """One key, as Textual makes it of what a terminal sends."""
    driver: Any = interface.app._driver
    driver.send_message(events.Key(key, character))


@pytest.mark.parametrize("place", ["@", "H", "R", "S"])
async def test_whoever_leaves_a_screen_and_goes_on_at_once_loses_neither_key(
    sandbox: Sandbox, place: str
) -> None:
    async with opened(sandbox.workspace) as interface:
        main = interface.main
        await interface.press("at" if place == "@" else place)
        await interface.until(lambda: interface.app.screen is not main, "another screen")
        together(interface, "alt+3", "3")
        await interface.until(lambda: main.is_active and main.current == 2, "the panes, and the third")


async def test_keys_behind_the_two_stay_behind_them(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        main = interface.main
        await interface.press("at")
        await interface.until(lambda: interface.app.screen is not main, "the operations")
        together(interface, "alt+f", "f")
        send(interface, *"abc")
        await interface.until(lambda: main.pane.line.value == "abc", "the filter, with every letter")
        assert main.is_active


async def test_a_line_is_left_and_what_follows_is_a_key(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        await interface.type("port")
        together(interface, "alt+shift+g", "G")
        rows = interface.main.panes[0].list
        await interface.until(lambda: not interface.main.overlay.is_open, "the search is closed")
        await interface.until(lambda: rows.cursor == len(rows.rows) - 1 > 0, "the last row")
        assert interface.main.overlay.input.value == "port"


async def test_a_sign_of_the_keyboard_is_typed(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        together(interface, "pound_sign", "£")
        await interface.until(lambda: interface.main.overlay.input.value == "£", "the sign")


async def test_a_key_with_alt_that_means_something_stays_one(sandbox: Sandbox) -> None:
    key_file_path().write_text('[keys]\nsettings = ["alt+m"]\n')
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("space")
        together(interface, "alt+m", "m")
        await interface.until_shown("Settings")
        assert len(interface.main.pane.list.marked) == 1  # esc would have taken it away


async def test_a_terminal_that_tells_alt_from_esc_is_believed(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        together(interface, "alt+j", None)
        await interface.type("x")
        await interface.until(lambda: interface.main.overlay.input.value == "x", "typed")
        assert interface.main.overlay.is_open


async def test_what_is_written_is_not_left_by_a_key_with_alt(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("i")
        await interface.until(lambda: isinstance(interface.app.screen, WritingScreen), "the box")
        together(interface, "alt+l", "l")
        send(interface, "x")
        screen = interface.app.screen
        assert isinstance(screen, WritingScreen)
        await interface.until(lambda: screen.text.endswith("x"), "still written in")
        assert interface.app.screen is screen


def test_a_terminal_sends_both_at_once(sandbox: Sandbox) -> None:
    terminal = Terminal(sandbox.root)
    terminal.until(lambda text: "Likes tea" in text, "the panes")
    terminal.keys("S")
    terminal.until(lambda text: "Settings" in text and "1 Logs" not in text, "the settings")
    terminal.keys("\x1b3")
    terminal.until(lambda text: "1 Logs" in text, "the panes again")
    terminal.keys("f")
    terminal.until(lambda text: "waiting, expiring" in text, "the filter of the third pane")
    terminal.keys("\x1bq")
    terminal.child.expect(pexpect.EOF, timeout=PATIENCE_SECONDS)
    terminal.child.close()
    assert terminal.child.exitstatus == 0


ONE = [("\x1b/", "alt+slash", "/"), ("\x1b\r", "alt+enter", "\r"), ("\x1b ", "alt+space", " "),
       ("\x1bf", "alt+f", "f"), ("\x1bG", "alt+shift+g", "G"), ("\x1bP", "alt+shift+p", "P"),
       ("\x1b\x04", "alt+ctrl+d", "\x04"), ("\x1b3", "alt+3", "3"), ("\x1b", "escape", "\x1b"),
       ("/", "slash", "/"), ("\r", "enter", "\r"), ("\x1b[1;5C", "ctrl+right", None)]  # fmt: skip


@pytest.mark.parametrize(("sent", "key", "character"), ONE)
def test_a_key_behind_esc_keeps_its_name(sent: str, key: str, character: str | None) -> None:
    parser = KeyParser()
    heard = [*parser.feed(sent), *parser.feed("")]
    assert [(one.key, one.character) for one in heard if isinstance(one, events.Key)] == [(key, character)]


def test_what_follows_at_once_is_not_waited_for() -> None:
    heard = KeyParser().feed("\x1b/abc\x1b[A\x1b?\x1b\x1b ")
    keys = [one.key for one in heard if isinstance(one, events.Key)]
    assert keys == ["alt+slash", "a", "b", "c", "up", "alt+question_mark", "escape", "alt+space"]


@pytest.mark.parametrize(("key", "sign"), [("alt+slash", "/"), ("alt+space", " "), ("alt+enter", "\r")])
async def test_a_sign_enter_and_space_behind_esc_are_keys_of_the_panes(
    sandbox: Sandbox, key: str, sign: str
) -> None:
    async with opened(sandbox.workspace) as interface:
        main = interface.main
        await interface.go_to("staging port")
        await interface.press("f")
        await interface.until(lambda: main.pane.line.has_focus, "the filter")
        together(interface, key, sign)
        done = {
            "/": lambda: main.overlay.is_open,
            " ": lambda: len(main.here.marked) == 1,
            "\r": lambda: main.pane_layout.reading,
        }[sign]
        await interface.until(done, f"esc and {key}")
        assert main.pane.line.value == ""


async def test_moving_by_words_in_a_line_stays_that(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        await interface.type("staging port")
        line = interface.main.overlay.input
        together(interface, "alt+b", "b")
        await interface.until(lambda: line.cursor_position == len("staging "), "a word back")
        assert interface.main.overlay.is_open


async def test_a_new_line_is_written_by_enter_behind_esc(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("i")
        await interface.until(lambda: isinstance(interface.app.screen, WritingScreen), "the box")
        screen = interface.app.screen
        assert isinstance(screen, WritingScreen)
        together(interface, "alt+enter", "\r")
        send(interface, "x")
        await interface.until(lambda: screen.text.endswith("\nx"), "a line more")


def test_a_terminal_sends_a_sign_behind_esc_at_once(sandbox: Sandbox) -> None:
    reindex(sandbox.workspace, vectors=False)
    terminal = Terminal(sandbox.root)
    terminal.until(lambda text: "Likes tea" in text and "8443" in text, "the panes")
    terminal.keys("jj")
    terminal.until(lambda text: f"{LOG}:6" in text, "the cursor on an entry")
    terminal.keys("S")
    terminal.until(lambda text: "Settings" in text and "1 Logs" not in text, "the settings")
    terminal.keys("\x1b/")
    terminal.until(lambda text: "─ Search" in text, "the search over the panes")
    terminal.keys("staging")
    terminal.until(lambda text: "2026-03-14.md:6" in text, "the hit")
    terminal.keys("\x1b ")
    terminal.until(lambda text: "─ Search" not in text and "1 marked" in text, "a row is marked")
    terminal.keys("\x1bf")
    terminal.until(lambda text: "1 marked" not in text, "no mark any more, and the filter")
    terminal.keys("tantivy")
    terminal.until(lambda text: "tantivy" in text, "the filter")
    terminal.child.close(force=True)
