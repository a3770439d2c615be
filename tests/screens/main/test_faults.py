"""What happens to a terminal and to the ground under the feet: the interface lives, or ends cleanly."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pexpect
import pytest
from textual import events

from screens.dialogs.editor import WritingScreen
from screens.loading.reader import WorkspaceReader
from screens.loading.workspace_model import FilesChanged, FolderSeen
from screens.main.layout import PaneShape
from tests.screens.interface import opened
from tests.support.terminal import PATIENCE_SECONDS, Terminal
from tests.support.workspaces import EPISODE, EPISODE_TEXT, LOG, LOG_TEXT, Sandbox
from workbench.workspace.layout import QUARANTINE
from workbench.workspace.state_files import drafts


def state_of(pid: int) -> str:
    """The letter that the system has for what a process does: T for stopped."""
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0]


def wait_for(terminal: Terminal, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, terminal.text
        terminal.read(0.05)


def ended(terminal: Terminal) -> bytes:
    """Wait for the end; all that was written."""
    terminal.child.expect(pexpect.EOF, timeout=PATIENCE_SECONDS)
    left = terminal.child.before
    terminal.child.close()
    assert isinstance(left, bytes)
    return terminal.raw + left


def hang_up(terminal: Terminal) -> None:
    """Close the terminal, and wait until the program has noticed."""
    pid = terminal.child.pid
    assert pid is not None
    below = terminal.child.ptyproc  # type: ignore[attr-defined]  # the types do not know of it
    below.fileobj.close()  # whose descriptor it is: the number may soon be another's
    below.closed = terminal.child.closed = True
    deadline = time.monotonic() + PATIENCE_SECONDS
    while terminal.child.isalive():
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            raise AssertionError("it went on without a terminal")
        time.sleep(0.05)


@pytest.mark.promise("The interface", "hundreds of resizes while somebody types", "no typed text is lost")
def test_resizes_by_the_hundred_lose_nothing_that_is_typed(sandbox: Sandbox) -> None:
    terminal = Terminal(sandbox.root)
    terminal.until(lambda text: "Likes tea" in text, "the panes")
    terminal.keys("/")
    terminal.until(lambda text: "Search" in text, "the search")
    typed = "staging port is 8443 of atlas"
    for at in range(200):
        columns, lines = 60 + at % 90, 16 + at % 30
        terminal.child.setwinsize(lines, columns)
        if at % 7 == 0:
            terminal.keys(typed[at // 7 : at // 7 + 1])
        terminal.read(0.002)
    terminal.screen.resize(36, 120)
    terminal.child.setwinsize(36, 120)
    terminal.until(lambda text: typed in text, "every letter, in order")
    terminal.keys("\x1b")
    terminal.until(lambda text: "1 Logs" in text and "Likes tea" in text, "the panes again")


@pytest.mark.promise(
    "The interface",
    "the program is suspended and resumed",
    "the terminal is released, and painted again",
)
def test_suspended_and_resumed_the_screen_is_as_before(sandbox: Sandbox) -> None:
    terminal = Terminal(sandbox.root)
    terminal.until(lambda text: "Likes tea" in text, "the panes")
    pid = terminal.child.pid
    assert pid is not None
    os.kill(pid, signal.SIGTSTP)
    wait_for(terminal, lambda: state_of(pid) == "T")
    terminal.drain()
    assert b"\x1b[?1049l" in terminal.raw  # the shell has its screen back
    terminal.screen.reset()
    seen = len(terminal.raw)
    os.kill(pid, signal.SIGCONT)
    terminal.until(lambda text: "1 Logs" in text and "Likes tea" in text, "painted again")
    assert b"\x1b[?1049h" in terminal.raw[seen:]
    terminal.keys("jj")
    terminal.until(lambda text: f"{LOG}:6" in text, "keys do something")
    terminal.keys("q")
    ended(terminal)


@pytest.mark.parametrize(("key", "shown"), [("?", "type to filter"), (".", "Preview which action?")])
def test_ctrl_z_stops_it_in_a_dialog_too(sandbox: Sandbox, key: str, shown: str) -> None:
    terminal = Terminal(sandbox.root)
    terminal.until(lambda text: "Likes tea" in text and "8443" in text, "the panes")
    pid = terminal.child.pid
    assert pid is not None
    terminal.keys("jj")
    terminal.until(lambda text: f"{LOG}:6" in text, "the entry")
    terminal.keys(key)
    terminal.until(lambda text: shown in text, "the dialog")
    terminal.keys("\x1a")
    wait_for(terminal, lambda: state_of(pid) == "T")
    terminal.drain()  # what it painted before is not what it paints when it goes on
    terminal.screen.reset()
    os.kill(pid, signal.SIGCONT)
    terminal.until(lambda text: shown in text, "the dialog again")
    os.kill(pid, signal.SIGTERM)
    ended(terminal)


@pytest.mark.promise("The interface", "the program is suspended while it paints", "it stops every time")
def test_suspended_in_the_middle_of_painting_it_stops_every_time(sandbox: Sandbox) -> None:
    terminal = Terminal(sandbox.root)
    terminal.until(lambda text: "Likes tea" in text, "the panes")
    pid = terminal.child.pid
    assert pid is not None
    for at in range(15):
        terminal.keys("jkjk")
        terminal.read(0.01 * (at % 5))
        os.kill(pid, signal.SIGTSTP)
        wait_for(terminal, lambda: state_of(pid) == "T")
        terminal.drain(0.01)
        terminal.screen.reset()
        os.kill(pid, signal.SIGCONT)
        # Before it has its terminal again, the system drops what would stop a program without a shell.
        terminal.until(lambda text: "1 Logs" in text, "painted again")
    terminal.keys("q")
    ended(terminal)


@pytest.mark.promise(
    "The interface",
    "stopped by SIGSTOP, and continued",
    "the terminal is set up again, and read by one reader",
)
def test_stopped_unasked_it_takes_its_terminal_anew_and_reads_it_once(sandbox: Sandbox) -> None:
    terminal = Terminal(sandbox.root)
    terminal.until(lambda text: "Likes tea" in text and "8443" in text, "the panes")
    pid = terminal.child.pid
    assert pid is not None
    for _ in range(3):
        os.kill(pid, signal.SIGSTOP)
        wait_for(terminal, lambda: state_of(pid) == "T")
        terminal.drain()
        terminal.screen.reset()
        os.kill(pid, signal.SIGCONT)
        terminal.until(lambda text: "1 Logs" in text and "Likes tea" in text, "painted again")
    terminal.keys("jj")
    terminal.until(lambda text: f"{LOG}:6" in text, "each key once")
    terminal.keys("q")
    ended(terminal)
    assert terminal.child.exitstatus == 0


@pytest.mark.promise("The interface", "SIGTERM", "the terminal is released")
def test_sigterm_gives_the_terminal_back(sandbox: Sandbox) -> None:
    terminal = Terminal(sandbox.root)
    terminal.until(lambda text: "Likes tea" in text, "the panes")
    assert terminal.child.pid is not None
    os.kill(terminal.child.pid, signal.SIGTERM)
    written = ended(terminal)
    assert b"\x1b[?1049l" in written
    assert b"\x1b[?25h" in written


@pytest.mark.promise(
    "The interface", "the terminal is closed", "the program ends; a running operation is complete"
)
def test_a_closed_terminal_ends_it_and_its_operation_is_whole(sandbox: Sandbox) -> None:
    sandbox.git("config", "user.name", "Test Person")
    sandbox.git("config", "user.email", "test@localhost")
    terminal = Terminal(sandbox.root)
    terminal.until(lambda text: "Likes tea" in text and "8443" in text, "the panes")
    terminal.keys("jj")
    terminal.until(lambda text: f"{LOG}:6" in text, "the entry")
    terminal.keys("d")
    hang_up(terminal)
    whole = LOG_TEXT.replace("- The staging port is 8443\n", "")
    assert sandbox.read(LOG) in (LOG_TEXT.encode(), whole.encode())
    newest = sandbox.git("log", "--format=%s", "-1")
    assert newest.startswith("forget: ") == (sandbox.read(LOG) == whole.encode())


@pytest.mark.promise(
    "The interface",
    "the terminal is closed, or ctrl+c is pressed twice, while text is being written",
    "the text is offered again at the next edit",
)
def test_what_was_typed_outlives_a_closed_terminal(sandbox: Sandbox) -> None:
    terminal = Terminal(sandbox.root)
    terminal.until(lambda text: "Likes tea" in text and "8443" in text, "the panes")
    terminal.keys("jj")
    terminal.until(lambda text: f"{LOG}:6" in text, "the entry")
    terminal.keys("i")
    terminal.until(lambda text: "ctrl+o" in text, "the dialog")
    terminal.keys(" since Tuesday")
    terminal.until(lambda text: "8443 since Tuesday" in text, "the words")
    hang_up(terminal)
    assert sandbox.read(LOG) == LOG_TEXT.encode()
    again = Terminal(sandbox.root)
    again.until(lambda text: "Likes tea" in text and "8443" in text, "the panes")
    again.keys("jj")
    again.until(lambda text: f"{LOG}:6" in text, "the entry")
    again.keys("i")
    again.until(lambda text: "8443 since Tuesday" in text, "the words again")
    again.keys("\x03")
    again.until(lambda text: "again quits; what" in text, "it is said")
    again.keys("\x03\x03")  # the second asks anew where the first came long ago: the third leaves
    ended(again)
    assert list(drafts(sandbox.workspace.cache_dir()).values()) == [
        "- The staging port is 8443 since Tuesday"
    ]


@pytest.mark.promise(
    "The interface",
    "the workspace vanishes while it is open",
    "a message says so; the last state stays, actions are refused; it can come back",
)
async def test_a_workspace_that_vanishes_is_said_and_comes_back(sandbox: Sandbox) -> None:
    away = sandbox.root.with_name("away")
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("staging port")
        head = sandbox.git("rev-parse", "HEAD")
        sandbox.root.rename(away)
        interface.main.refresh_files()
        await interface.until_shown("This folder does not exist")
        assert "staging port" in interface.text  # what was read last stays
        await interface.go_to("staging port")
        await interface.press("d")
        await interface.until_said("does not exist now")
        away.rename(sandbox.root)
        interface.main.refresh_files()
        await interface.until(lambda: not interface.main.banner.display, "back")
        await interface.until(lambda: "staging port" in str(interface.main.preview.shown), "read again")
        assert sandbox.git("rev-parse", "HEAD") == head
        assert sandbox.read(LOG) == LOG_TEXT.encode()


@pytest.mark.parametrize("read", ["files", "memory", "quarantine", "episodes", "graph"])
async def test_what_is_read_while_the_workspace_vanishes_is_not_shown(sandbox: Sandbox, read: str) -> None:
    away = sandbox.root.with_name("away")
    sandbox.write(f"{QUARANTINE}/memory/2026-03-01.md", "- Set aside\n")
    pages = {EPISODE: EPISODE_TEXT, "graph/entities/atlas.md": "---\nname: Atlas\ntype: project\n---\n"}
    for path, text in pages.items():
        sandbox.write(path, text)
    said: list[object] = []
    reading = WorkspaceReader(sandbox.workspace, said.append)
    work = getattr(reading.store, read)

    def vanishing(*files: object) -> object:
        sandbox.root.rename(away)
        return work(*files)

    try:
        await reading.refresh()
        before, said[:] = tuple(said), ()
        reading.anew()
        setattr(reading.store, read, vanishing)
        await reading.refresh()
        assert said.pop() == FolderSeen(there=False)
        shown = [one for one in said if not isinstance(one, FilesChanged)]
        assert all(one in before for one in shown)
        away.rename(sandbox.root)
        await reading.refresh()
        left = [one for one in before if one not in said]
        assert left == [one for one in before if isinstance(one, FilesChanged)]
    finally:
        reading.close()


@pytest.mark.promise(
    "The interface", "an exception in a worker", "a message is shown; the interface continues"
)
async def test_an_exception_in_a_worker_is_said_and_the_interface_lives(sandbox: Sandbox) -> None:
    async def fails() -> None:
        raise RuntimeError("[/] broke \x1b[31m")

    async with opened(sandbox.workspace) as interface:
        interface.main.work(fails, "a test")
        await interface.until_said("RuntimeError: [/] broke")
        assert "\x1b" not in interface.toasts
        await interface.press("2")
        await interface.until(lambda: interface.main.current == 1, "keys do something")


@pytest.mark.promise(
    "The interface", "the terminal is too small", "a message says so; after a resize everything is as before"
)
async def test_too_small_a_terminal_says_so_and_comes_back_as_it_was(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, (80, 24)) as interface:
        await interface.go_to("staging port")
        await interface.press("space", "f")
        await interface.type("port")
        await interface.pilot.resize_terminal(39, 11)
        await interface.until_shown("too small")
        await interface.pilot.resize_terminal(80, 24)
        await interface.until_shown("only port")
        assert interface.main.has_class(f"-{PaneShape.PAIR}")
        assert interface.main.pane.line.value == "port"
        assert len(interface.main.pane.list.marked) == 1


@pytest.mark.promise(
    "The interface",
    "a key is pressed in a terminal that is too small",
    "it does nothing, except ctrl+c and q",
)
async def test_in_too_small_a_terminal_no_screen_is_drawn_and_no_key_acts(sandbox: Sandbox) -> None:
    head = sandbox.git("rev-parse", "HEAD")
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        for key in ("", "D", "R", "W", "S", "question_mark", "i", "slash"):
            if key:
                await interface.press(key)
                opened_ = f"{key} opened something"
                await interface.until(
                    lambda: interface.main.overlay.is_open or interface.app.screen is not interface.main,
                    opened_,
                )
            under = interface.app.screen
            for size in ((1, 1), (60, 11), (39, 10)) if key == "D" else ((39, 10),):
                await interface.pilot.resize_terminal(*size)
            await interface.until_shown("terminal is too small")
            assert not any(sign in interface.text for sign in "─│▎")
            await interface.press("d", "u", "x", "escape", "enter", *("q" if key else ""))
            interface.app.post_message(events.Paste("pasted"))
            await interface.pilot.pause()
            await interface.pilot.resize_terminal(80, 24)
            await interface.until(lambda: "too small" not in interface.text, "it is large enough")
            assert interface.app.screen is under
            if isinstance(under, WritingScreen):
                assert under.text == "- The staging port is 8443"
            if under is not interface.main:
                under.dismiss()
                await interface.until(lambda: interface.main.is_active, f"closed: {key}")
        assert interface.main.overlay.input.value == ""
        assert sandbox.git("rev-parse", "HEAD") == head
        await interface.press("escape")
        await interface.pilot.resize_terminal(39, 10)
        await interface.until_shown("terminal is too small")
        await interface.press("q")
        await interface.until(lambda: interface.app._exit, "q leaves")


async def test_a_screen_that_comes_in_too_small_a_terminal_is_covered(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, (39, 10)) as interface:
        await interface.until_shown("terminal is too small")
        interface.main.action_perform("settings")
        await interface.until(lambda: interface.app.screen is not interface.main, "opened")
        await interface.until_shown("terminal is too small")
        await interface.pilot.resize_terminal(80, 24)
        await interface.until_shown("Settings")
        assert "too small" not in interface.text
