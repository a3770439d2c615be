"""Copying to the clipboard: through the terminal, which works over ssh and in tmux, and by programs."""

from __future__ import annotations

import asyncio
import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from screens.drawing.safe_text import EMPTY, Shown, grouped, plural, row_text, words

if TYPE_CHECKING:
    from textual.app import App
    from textual.worker import Worker

    from screens.main.screen import MainScreen

OSC52_BYTES = 74_994
"""What fits into the 100,000 characters of base64 that terminals commonly take."""
_SCREEN_CHUNK = 512
"""Characters that GNU screen hands on at a time."""
_SECONDS = 3.0


_TOOLS = (
    ("TMUX", ("tmux", "load-buffer", "-w", "-")),
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard", "-in")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")),
    ("WSL_DISTRO_NAME", ("clip.exe",)),
)
"""Programs that keep what they read from their input, by the variable of a session that has them."""


def osc52(text: str, environ: Mapping[str, str] = os.environ, *, through_tmux: bool = False) -> str:
    """The OSC 52 request that asks a terminal to keep ``text``; empty where the text is too long.

    By default tmux ignores this request, so that it is also asked by its own command (``tools``); with
    ``through_tmux``, the request is repeated wrapped for the terminal outside. GNU screen passes on wrapped
    ones.
    """
    data = text.encode("utf-8", "replace")
    if len(data) > OSC52_BYTES:
        return ""
    request = f"\x1b]52;c;{base64.b64encode(data).decode('ascii')}\x07"
    if through_tmux:
        return f"{request}\x1bPtmux;\x1b{request}\x1b\\"
    if environ.get("STY") and not environ.get("TMUX"):
        pieces = (request[at : at + _SCREEN_CHUNK] for at in range(0, len(request), _SCREEN_CHUNK))
        return "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)
    return request


def tools(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> list[tuple[str, ...]]:
    """The programs that keep text for this session, as argument lists."""
    commands = [command for variable, command in _TOOLS if environ.get(variable)]
    commands += [("pbcopy",)] if platform == "darwin" else []
    path = environ.get("PATH")
    return [command for command in commands if shutil.which(command[0], path=path) is not None]


def tmux_passes(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether tmux hands on what is wrapped for the terminal outside (``allow-passthrough``)."""
    if not environ.get("TMUX") or shutil.which("tmux", path=environ.get("PATH")) is None:
        return False
    asked = ("tmux", "show-options", "-pv", "-A", "allow-passthrough")
    try:
        answer = subprocess.run(asked, capture_output=True, timeout=_SECONDS, check=False, text=True)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.stdout.strip() in ("on", "all")


def keep(text: str, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Give ``text`` to every program that keeps it; the names of those that took it. Blocks for a moment."""
    data = text.encode("utf-8", "replace")
    took: list[str] = []
    for command in tools(environ):
        try:
            # The programs stay in the background to hand the text out: nothing of them may keep our streams.
            done = subprocess.run(
                command, input=data, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                timeout=_SECONDS, check=False, start_new_session=True,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            took.append(command[0])
            if command[0] != "tmux":
                break  # one clipboard of the desktop, by the first program that can
    return took


Severity = Literal["information", "warning"]


class CopyCommands:
    """The commands that put text where a person can paste it from."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen

    def action_copy_entry(self) -> None:
        """The entry's text."""
        row = self._screen.here.row
        if row:
            text = row.entry.text if row.entry else row.text
            copy(self._screen.app, text)

    def action_copy_path(self) -> None:
        """The entry's path and line."""
        row = self._screen.here.row
        if row and row.path:
            path = f"{row.root}/{row.path}" if row.workspace else row.path
            place = f"{path}:{row.line}"
            copy(self._screen.app, place, row_text(place))


def copy(app: App[Any], text: str, what: Shown = EMPTY) -> None:
    """Copy ``text`` every way there is; a toast says which ways those were, and ``what`` it is in words."""

    async def work() -> None:
        # Not public: ``copy_to_clipboard`` knows neither tmux nor GNU screen, nor what is too long.
        app._clipboard = text.encode("utf-8", "replace").decode("utf-8")  # what ctrl+v pastes here
        request = osc52(text)
        if request:
            through = await asyncio.to_thread(tmux_passes)
            if app._driver is not None:
                app._driver.write(osc52(text, through_tmux=through))
        took = await asyncio.to_thread(keep, text)
        size = len(text.encode("utf-8", "replace"))
        named = what or plural(len(text), "character")
        said, severity = told(named, sent=bool(request), took=took, size=size)
        app.notify(said, severity=severity, markup=False)

    _: Worker[None] = app.run_worker(work, group="copying", exit_on_error=False)


def told(what: Shown, *, sent: bool, took: list[str], size: int) -> tuple[Shown, Severity]:
    """What to say of it, and how severe that is."""
    ways = " and ".join((*(("the terminal (OSC 52)",) if sent else ()), *took))
    if sent:
        return words(f"Copied {what} through {ways}"), "information"
    most, has = grouped(OSC52_BYTES), grouped(size)
    limit = f"a terminal takes {most} bytes (OSC 52), this has {has}"
    if took:
        return words(f"Copied {what} through {ways} only: {limit}"), "warning"
    return words(f"Not copied: {limit}; enter opens the file here"), "warning"
