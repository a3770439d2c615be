"""What a terminal is really sent while memory is hostile: nothing that memory could make it do."""

from __future__ import annotations

import re

import pytest

from indexing.sync.run import reindex
from tests.screens.main.test_faults import ended
from tests.screens.test_untrusted import EVIL, hostile
from tests.support.terminal import Terminal
from tests.support.workspaces import Sandbox

__all__ = ["hostile"]

_CONTROL = re.compile(
    rb"\x1b\[(?P<csi>[0-?]*[ -/]*[@-~])"  # a control sequence
    rb"|\x1b(?P<string>[\]PX^_])"  # what begins a string: a title, a clipboard, a colour, a device's own
    rb"|\x1b(?P<other>[^\[])"
    rb"|(?P<c0>[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f])"
)
_OWN = re.compile(
    rb"(?:(?:0|1|2|3|4|7|9|2[1-9]|[34]8;[0-9;]+|39|49)(?:;|(?=m)))*m"  # looks; no colour by its number alone
    rb"|[0-9;]*[HJKABCDGd]|\?[0-9;]+[hl]|\?[0-9;]+\$p|[>=<]?[0-9;]*u|[0-9]* q|[0-9;]*t|[0-9]*[nc]"
)
"""What Textual writes, in one way or another: looks, places, and modes."""
_POINTER = re.compile(rb"\x1b\]22;(?:default|pointer|text)\x07")
"""The shape of the mouse's pointer, of a few that Textual names: the one string that is sent."""
_UNSEEN = re.compile("[\x80-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")

SCREENS = (
    ("@", "History"),
    ("R", "Relations"),
    ("W", "Message"),
    ("H", "Health"),
    ("D", "Dream"),
    ("S", "Settings"),
    ("?", "type to filter"),
)


def injected(raw: bytes) -> list[bytes]:
    """What no program of ours writes."""
    raw = _POINTER.sub(b"", raw)
    found = []
    for match in _CONTROL.finditer(raw):
        if match["csi"] is None or _OWN.fullmatch(match["csi"]) is None:
            found.append(raw[match.start() : match.end() + 16])
    unseen = _UNSEEN.search(raw.decode("utf-8", "replace"))
    return [*found, unseen[0].encode()] if unseen else found


@pytest.mark.parametrize(
    "text", [EVIL, "\x1b[31m", "\x1b[2;31m", "\x07", "\x1bc", "\x9b31m", "\u202e", "\x1b]0;x\x1b\\"]
)
def test_what_is_looked_for_is_found_where_it_is(text: str) -> None:
    assert injected(b"\x1b[1;38;5;12m\x1b[4;7H" + text.encode() + b"\x1b[0m")


def test_no_screen_sends_a_hostile_memory_to_the_terminal(hostile: Sandbox) -> None:
    reindex(hostile.workspace, vectors=False)
    terminal = Terminal(hostile.root, columns=180, lines=44)
    terminal.until(lambda text: "log [/ [@click" in text and "memory [/" in text, "the panes")
    for pane in "1234":
        terminal.keys(f"{pane}jjj")
        terminal.until(lambda text: "[@click=app.quit]" in text, f"pane {pane}")
    terminal.keys("1/quit")
    terminal.until(lambda text: "Search" in text and "1/" in text, "hits")
    terminal.keys("\x1b")
    terminal.until(lambda text: "─ Search" not in text, "the panes again")
    for key, words in SCREENS:
        terminal.keys(key)
        terminal.until(lambda text, words=words: words in text, f"the screen of {key}")  # type: ignore[misc]
        terminal.keys("jj")
        if key == "W":
            terminal.keys("\x1b")  # out of the line that a message is written in
            terminal.until(lambda text: "type a message" in text, "the parts")
        terminal.keys("\x1b")
        terminal.until(lambda text: "1 Logs" in text and "4 Graph" in text, f"back from {key}")
    terminal.keys("q")
    raw = ended(terminal)
    assert "␛]52;c;aGk=␇".encode() in raw  # it was shown, as itself
    assert injected(raw) == []
    assert terminal.child.exitstatus == 0
