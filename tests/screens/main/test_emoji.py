"""Emoji of several signs, whose width terminals do not agree on: the same screen in each of them."""

from __future__ import annotations

import pyte
import pytest
from pyte import screens as pyte_screens

from tests.screens.main.test_faults import ended
from tests.support.terminal import Terminal
from tests.support.workspaces import LOG, Sandbox

COLUMNS, LINES = 120, 36
WORDS = (
    "⚠️ careful with the gateway",
    "❤️ the gateway is loved",
    "1️⃣ first gateway, 2️⃣ second gateway",
    "🏳️‍🌈 gateway of colours",
    "👨‍👩‍👧 family at the gateway",
    "👍🏽 the gateway is fine",
    "🇩🇪 gateway in Berlin, ©️ and ℹ️",
    "☕️ coffee at the gateway ☕︎",
)


@pytest.fixture
def with_emoji(sandbox: Sandbox) -> Sandbox:
    sandbox.write(LOG, "# 2026-03-14\n\n" + "".join(f"- {line}\n" for line in WORDS))
    sandbox.commit("emoji")
    return sandbox


def painted(raw: bytes, selector_cells: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The screen of a terminal to which a form selector takes that many cells."""
    plain = pyte_screens.wcwidth
    with monkeypatch.context() as patch:
        patch.setattr(
            pyte_screens, "wcwidth", lambda sign: selector_cells if sign == "\ufe0f" else plain(sign)
        )
        screen = pyte.Screen(COLUMNS, LINES)
        pyte.ByteStream(screen).feed(raw)
        return [screen_line.rstrip() for screen_line in screen.display]


def test_what_search_painted_over_emoji_is_gone_when_it_closes(
    with_emoji: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal(with_emoji.root, columns=COLUMNS, lines=LINES)
    terminal.until(lambda text: "coffee at the gateway" in text, "the panes")
    terminal.keys("/gateway of")
    terminal.until(lambda text: "─ Search" in text and "gateway of" in text, "the search")
    terminal.keys("\x1b")
    terminal.until(lambda text: "─ Search" not in text, "the panes again")
    terminal.drain()
    raw = terminal.raw
    terminal.keys("q")
    ended(terminal)
    old, new = painted(raw, 0, monkeypatch), painted(raw, 1, monkeypatch)
    assert old == new
    framed = [line for line in old if "gateway" in line and line.startswith("│")]
    assert len(framed) >= len(WORDS)
    for line in framed:
        assert line.endswith("│")
        assert sum(max(0, pyte_screens.wcwidth(sign)) for sign in line) == COLUMNS
