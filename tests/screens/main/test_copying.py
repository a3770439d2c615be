"""Copying: by the terminal first, through tmux too, by programs that are there, and said which."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from screens import terminal
from screens.drawing.safe_text import words
from screens.main import copy
from screens.main.copy import told
from tests.screens.interface import opened
from tests.support.workspaces import Sandbox

ROOT = Path(terminal.__file__).parent.parent
RUN = (
    "import sys; from workbench.workspace.workspace import Workspace; from screens.start import run; "
    "run(Workspace.open(sys.argv[1]))"
)
PATIENCE_SECONDS = 60.0


def decoded(request: str) -> bytes:
    return base64.b64decode(request.removeprefix("\x1b]52;c;").removesuffix("\x07"), validate=True)


def test_a_terminal_is_asked_to_keep_any_text() -> None:
    for text in ("plain", "会議 🎉", "a\nb\x1b]52;c;evil\x07"):
        assert decoded(copy.osc52(text, {})) == text.encode()
    assert decoded(copy.osc52("\udc80", {})) == b"?"


def test_more_than_a_terminal_takes_is_not_sent() -> None:
    assert len(copy.osc52("x" * copy.OSC52_BYTES, {})) <= 100_000 + 8
    assert copy.osc52("x" * (copy.OSC52_BYTES + 1), {}) == ""


def test_gnu_screen_hands_on_what_is_wrapped_in_pieces() -> None:
    request = copy.osc52("word " * 400, {"STY": "1.pts"})
    pieces = [piece.removeprefix("\x1bP") for piece in request.split("\x1b\\")[:-1]]
    assert max(map(len, pieces)) <= 512
    assert decoded("".join(pieces)) == b"word " * 400


IN_SCREEN = """
import sys
from screens.main.copy import osc52
print(osc52(sys.argv[1]), end="", flush=True)
input()
"""


def test_gnu_screen_itself_hands_it_on_to_the_terminal_around_it() -> None:
    if (screen := shutil.which("screen")) is None:
        pytest.skip("GNU screen is not there")
    text = "words in several pieces 🎉 " * 60
    with tempfile.TemporaryDirectory(prefix="screen-") as folder:  # of a short name: there is a socket in it
        environ = {**os.environ, "SCREENDIR": folder, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
        for name in ("STY", "TMUX"):
            environ.pop(name, None)
        child = pexpect.spawn(
            screen, ["-c", "/dev/null", sys.executable, "-c", IN_SCREEN, text], env=environ,
            use_poll=True, timeout=PATIENCE_SECONDS, dimensions=(30, 100), encoding="utf-8",
        )  # fmt: skip
        try:
            child.expect(r"(\x1b\]52;c;[^\x1b\x07]+\x07)")
            assert isinstance(child.match, re.Match)
            assert decoded(str(child.match[1])) == text.encode()
            child.send("\r")
            child.expect(pexpect.EOF)
        finally:
            child.close(force=True)


def test_tmux_hands_on_what_is_wrapped_where_it_may() -> None:
    request = copy.osc52("tea", {"TMUX": "x"}, through_tmux=True)
    plain = copy.osc52("tea", {"TMUX": "x"})
    assert request == f"{plain}\x1bPtmux;\x1b{plain}\x1b\\"


@pytest.fixture
def programs(tmp_path: Path) -> Callable[..., dict[str, str]]:
    """Programs that write what they read, and how they were called, into files of their names."""

    def make(*names: str, exit_code: int = 0) -> dict[str, str]:
        for name in names:
            program = tmp_path / name
            program.write_text(
                f'#!/bin/sh\necho "$@" > {program}.called\n/bin/cat > {program}.kept\nexit {exit_code}\n'
            )
            program.chmod(0o755)
        return {"PATH": str(tmp_path)}

    return make


def test_the_desktops_clipboard_is_one_program(
    programs: Callable[..., dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = programs("wl-copy", "xclip", "xsel", "tmux") | {"DISPLAY": ":0", "WAYLAND_DISPLAY": "w"}
    monkeypatch.setenv("PATH", environ["PATH"])
    assert copy.keep("-n $(touch evil) `x`", environ) == ["wl-copy"]
    assert (tmp_path / "wl-copy.kept").read_text() == "-n $(touch evil) `x`"
    assert (tmp_path / "wl-copy.called").read_text() == "\n"
    assert not (tmp_path / "xclip.kept").exists()
    assert copy.keep("tea", environ | {"TMUX": "x"}) == ["tmux", "wl-copy"]
    assert (tmp_path / "tmux.called").read_text() == "load-buffer -w -\n"


@pytest.mark.parametrize(
    ("there", "display", "took", "called"),
    [
        (("wl-copy",), "WAYLAND_DISPLAY", "wl-copy", ""),
        (("xclip", "xsel"), "DISPLAY", "xclip", "-selection clipboard -in"),
        (("xsel",), "DISPLAY", "xsel", "--clipboard --input"),
        (("clip.exe",), "WSL_DISTRO_NAME", "clip.exe", ""),
    ],
)
def test_each_program_is_called_as_it_wants_to_be(
    programs: Callable[..., dict[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    there: tuple[str, ...],
    display: str,
    took: str,
    called: str,
) -> None:
    environ = programs(*there)
    monkeypatch.setenv("PATH", environ["PATH"])
    assert copy.keep("tea 🍵\n", environ) == []
    assert copy.keep("tea 🍵\n", environ | {display: ":0"}) == [took]
    assert (tmp_path / f"{took}.kept").read_text() == "tea 🍵\n"
    assert (tmp_path / f"{took}.called").read_text() == f"{called}\n"
    assert len(list(tmp_path.glob("*.kept"))) == 1


def test_where_one_program_fails_the_next_one_is_asked(
    programs: Callable[..., dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs("wl-copy", "xclip", exit_code=1)
    environ = programs("xsel") | {"DISPLAY": ":0", "WAYLAND_DISPLAY": "w"}
    monkeypatch.setenv("PATH", environ["PATH"])
    assert copy.keep("tea", environ) == ["xsel"]
    assert (tmp_path / "xclip.kept").read_text() == "tea"


def test_a_program_that_fails_is_not_said_to_have_copied(
    programs: Callable[..., dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = programs("xclip", exit_code=1) | {"DISPLAY": ":0"}
    monkeypatch.setenv("PATH", environ["PATH"])
    assert copy.keep("tea", environ) == []


def test_without_a_display_no_program_is_asked(programs: Callable[..., dict[str, str]]) -> None:
    environ = programs("wl-copy", "xclip", "pbcopy")
    assert copy.tools(environ, "linux") == []
    assert copy.tools(environ, "darwin") == [("pbcopy",)]


@pytest.mark.parametrize(
    ("sent", "took", "says", "severity"),
    [
        (True, [], "Copied 3 characters through the terminal (OSC 52)", "information"),
        (True, ["tmux", "xclip"], "(OSC 52) and tmux and xclip", "information"),
        (
            False,
            ["xclip"],
            "through xclip only: a terminal takes 74,994 bytes (OSC 52), this has 80,000",
            "warning",
        ),
        (False, [], "Not copied: a terminal takes 74,994 bytes", "warning"),
    ],
)
def test_it_is_said_which_way_it_was_copied(sent: bool, took: list[str], says: str, severity: str) -> None:
    said = told(words("3 characters"), sent=sent, took=took, size=80_000)
    assert says in said[0]
    assert said[1] == severity


@pytest.mark.promise(
    "The interface", "a text too long for OSC 52", "it is not sent, and the message names the limit"
)
async def test_an_entry_that_is_too_long_is_not_copied_and_said(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TMUX", "STY", "DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(copy, "OSC52_BYTES", 10)
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("y")
        await interface.until_said("Not copied: a terminal takes 10 bytes")


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """A tmux server of its own."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not there")
    environ = {**os.environ, "TMUX_TMPDIR": str(tmp_path), "TERM": "xterm-256color"}
    environ.pop("TMUX", None)

    def ask(*arguments: str) -> str:
        command = ("tmux", "-L", "copying", "-f", "/dev/null", *arguments)
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=False).stdout

    yield ask
    ask("kill-server")


@pytest.mark.promise("The interface", "tmux refuses OSC 52", "the text is put into tmux's own buffer")
@pytest.mark.parametrize("setting", ["external", "on", "off"])
def test_in_tmux_the_text_is_in_its_buffer_whatever_its_settings(
    setting: str, sandbox: Sandbox, tmux: Callable[..., str], person: Path
) -> None:
    # As a person's own configuration would, before anything runs in it.
    started = (
        "new-session",
        "-d",
        "-x",
        "100",
        "-y",
        "30",
        "-e",
        f"PYTHONPATH={ROOT}",
        "-e",
        f"HOME={person}",
    )
    tmux(
        "set-option",
        "-s",
        "set-clipboard",
        setting,
        ";",
        *started,
        sys.executable,
        "-c",
        RUN,
        str(sandbox.root),
    )
    tmux("set-option", "-s", "set-clipboard", setting)
    assert tmux("show-options", "-sv", "set-clipboard").strip() == setting

    def until(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            assert time.monotonic() < deadline, tmux("capture-pane", "-p")
            time.sleep(0.05)

    until(lambda: "Likes tea" in tmux("capture-pane", "-p"))
    tmux("send-keys", "2")
    tmux("send-keys", "G")
    tmux("send-keys", "y")
    until(lambda: "Copied" in tmux("capture-pane", "-p"))
    assert tmux("show-buffer") == "The project is called Atlas"
    tmux("send-keys", "q")
