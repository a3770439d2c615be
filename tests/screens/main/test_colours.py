"""What is sent to terminals of few colours, or to people who want none: the very bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from screens import terminal
from tests.support.terminal import Terminal
from tests.support.workspaces import Sandbox

RUN = (
    "import sys; from workbench.workspace.workspace import Workspace; from screens.app import WorkbenchApp; "
    "WorkbenchApp(Workspace.open(sys.argv[1]), engines=False).run()"
)
SGR = re.compile(rb"\x1b\[([0-9;:]*)m")


class Colours(Terminal):
    """A terminal of some kind, and the colours that it was sent."""

    def __init__(self, workspace: Path, **environ: str) -> None:
        settings = str(workspace.parent / "settings.yaml")
        super().__init__(workspace, columns=100, lines=30, run=RUN, WORKBENCH_CONFIG=settings, **environ)

    def codes(self) -> list[list[int]]:
        """The numbers of every colour or style that was sent."""
        return [[int(part or 0) for part in re.split(rb"[;:]", said)] for said in SGR.findall(self.raw)]

    def row_of(self, words: str) -> int:
        return next(y for y, line in enumerate(self.screen.display) if words in line)

    def is_reversed(self, words: str) -> bool:
        """Whether the first place that says ``words`` is reversed, all of it."""
        if words not in self.text:
            return False  # it is being drawn
        y = self.row_of(words)
        x = self.screen.display[y].index(words)
        return all(self.screen.buffer[y][x + n].reverse for n in range(len(words)))


Opened = Callable[..., Colours]


@pytest.fixture
def open_in(sandbox: Sandbox) -> Iterator[Opened]:
    """The interface in a terminal of that environment, its panes filled."""
    made: list[Colours] = []

    def start(**environ: str) -> Colours:
        opened = Colours(sandbox.root, **environ)
        made.append(opened)
        opened.until(lambda text: "Likes tea" in text and "staging" in text, "the panes")
        return opened

    yield start
    for opened in made:
        opened.child.close(force=True)


def few(codes: list[list[int]]) -> bool:
    """Whether all of them are of the sixteen colours, the defaults, or no colours at all."""
    return not any(part in (38, 48) for code in codes for part in code)


@pytest.mark.promise(
    "The interface",
    "a terminal of 16 colours, or NO_COLOR",
    "only the terminal's own colours, with the cursor in reverse; with NO_COLOR no colour codes",
)
@pytest.mark.parametrize("term", ["xterm", "screen", "linux"])
def test_a_terminal_of_sixteen_colours_gets_no_others(open_in: Opened, term: str) -> None:
    opened = open_in(TERM=term)
    opened.child.send("jj")
    opened.until(
        lambda _: opened.is_reversed("We decided") or opened.is_reversed("The staging"), "the cursor"
    )
    assert few(opened.codes())
    assert any(30 <= part <= 37 or 90 <= part <= 97 for code in opened.codes() for part in code)


def test_the_terminals_own_theme_sends_sixteen_colours_also_where_there_are_more(
    open_in: Opened, sandbox: Sandbox
) -> None:
    (sandbox.root.parent / "settings.yaml").write_text("theme: ansi\n")
    opened = open_in(TERM="xterm-256color", COLORTERM="truecolor")
    opened.child.send("jj")
    opened.until(
        lambda _: opened.is_reversed("We decided") or opened.is_reversed("The staging"), "the cursor"
    )
    assert few(opened.codes())


def test_only_the_cursor_of_the_pane_with_the_focus_is_reversed(open_in: Opened) -> None:
    opened = open_in(TERM="xterm")
    opened.child.send("2G")
    opened.until(lambda _: opened.is_reversed("The project is called Atlas"), "the cursor of the second pane")
    opened.until(lambda _: not opened.is_reversed("Sat 14 Mar"), "only there")
    assert "▎" in opened.screen.display[opened.row_of("Sat 14 Mar")]
    opened.until(lambda text: "┏━ 2 Memory" in text and "╭─ 1 Logs" in text, "a heavy frame")


@pytest.mark.promise("The interface", "a terminal of 16 colours, or NO_COLOR")
def test_no_color_sends_no_colour_at_all(open_in: Opened) -> None:
    opened = open_in(TERM="xterm-256color", COLORTERM="truecolor", NO_COLOR="1")
    opened.child.send("2G ")
    opened.until(lambda text: "1 marked" in text, "the mark")
    assert opened.is_reversed("The project is called Atlas")
    assert "•" in opened.screen.display[opened.row_of("The project is called Atlas")]
    colours = {*range(30, 50), *range(90, 108)}
    assert not [code for code in opened.codes() if set(code) & colours]


def test_no_color_shows_where_one_writes(open_in: Opened) -> None:
    opened = open_in(TERM="xterm-256color", NO_COLOR="1")
    opened.child.send("/tea")
    opened.until(lambda text: "tea" in text.split("Search")[-1].splitlines()[1], "the question")
    y = opened.row_of("tea")
    opened.until(
        lambda _: any(cell.reverse for cell in opened.screen.buffer[y].values()), "the writing cursor"
    )


@pytest.mark.parametrize(
    ("environ", "sends"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, b"38;2;"),
        ({"TERM": "xterm-256color", "COLORTERM": "24bit"}, b"38;2;"),
        ({"TERM": "xterm-256color"}, b"38;5;"),
        ({"TERM": "screen-256color"}, b"38;5;"),
        ({"TERM": "tmux-256color"}, b"38;5;"),
    ],
    ids=lambda value: " ".join(value.values()) if isinstance(value, dict) else "",
)
def test_other_terminals_get_as_many_colours_as_they_say(
    open_in: Opened, environ: dict[str, str], sends: bytes
) -> None:
    opened = open_in(**environ)
    assert sends in opened.raw
    assert (b"38;2;" in opened.raw) == (sends == b"38;2;")


def test_a_terminal_is_known_by_its_description(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")
    assert terminal.colors() == 1 << 24
    monkeypatch.delenv("COLORTERM")
    monkeypatch.setenv("TERM", "a-terminal-that-nobody-knows")
    assert terminal.colors() in (8, 16, 256)  # curses reads one description in the life of a process


@pytest.mark.parametrize("term", ["dumb", "", "unknown"])
def test_a_terminal_that_cannot_move_its_cursor_is_refused_with_a_hint(
    monkeypatch: pytest.MonkeyPatch, term: str
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", term)
    said = terminal.problem() or ""
    assert "set TERM (TERM=xterm-256color fits most)" in said
    assert "workbench --help" in said
