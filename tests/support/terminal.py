"""The interface as a child on a pseudo-terminal: keys in, screen lines and bytes out."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pexpect
import ptyprocess
import pyte

from screens import terminal
from tests.support import forked

ROOT = Path(terminal.__file__).parent.parent
RUN = (
    "import faulthandler, signal, sys; faulthandler.register(signal.SIGUSR1); "
    "from workbench.workspace.workspace import Workspace; from screens.start import run; "
    "sys.exit(run(Workspace.open(sys.argv[1])))"
)
PATIENCE_SECONDS = 60.0
_LAST_BYTES = 2_000
_TRACE_SECONDS = 2.0


class _Process(ptyprocess.PtyProcess):  # type: ignore[misc]  # it has no types
    """A process on a terminal, which is no child of this one: how it ends is told by what forked it."""

    terminated: bool

    def __init__(self, child: forked.Child, terminal: int) -> None:
        super().__init__(child.pid, terminal)
        self._child = child

    def isalive(self) -> bool:
        if not self.terminated and self._child.has_ended():
            with self._child:
                code = self._child.wait()
            self.terminated = True
            if code < 0:
                self.signalstatus = -code
            else:
                self.exitstatus = code
        return not self.terminated


class _Forked(pexpect.spawn):  # type: ignore[type-arg]  # it has none where it runs
    """Python with ``-c`` and what that means, forked from a process that has loaded the interface."""

    def _spawnpty(
        self, args: list[str], *, env: dict[str, str], dimensions: tuple[int, int], **_: Any
    ) -> _Process:
        ours, theirs = os.openpty()
        termios.tcsetwinsize(theirs, dimensions)
        folder = Path.cwd()
        child = forked.start(
            *args[2:], module="-c", cwd=folder, env=env, out=theirs, err=theirs, terminal=theirs
        )
        os.close(theirs)
        return _Process(child, ours)


class Terminal:
    """A child on a terminal of some kind, the bytes that it wrote, and the screen that a person would see."""

    def __init__(
        self, workspace: Path, *, columns: int = 120, lines: int = 36, run: str = RUN, **environ: str
    ):
        """What ``run`` does is forked from a process that has it loaded; empty for the program itself."""
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self._over = False
        self.raw = b""
        plain = {"TERM": "xterm-256color", "PATH": "/usr/bin:/bin:/usr/local/bin", "PYTHONPATH": str(ROOT),
                 "HOME": str(workspace.parent), "LANG": "C.UTF-8"}  # fmt: skip
        settings = workspace.parent / ".config" / "memory-workbench" / "settings.yaml"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text("model: none\n")  # else each of them prepares the embedding model behind its back
        start: Any = _Forked if run else pexpect.spawn
        self.child: _Forked = start(
            sys.executable,
            [*(("-c", run) if run else ("-m", "workbench", "-w")), str(workspace)],
            use_poll=True,  # a run of all tests has more descriptors open than select knows
            dimensions=(lines, columns),
            env={**plain, **environ},
        )

    def until(self, condition: Callable[[str], bool], what: str) -> None:
        """Wait for a screen that is as described; where it never comes, what the child does is told."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition(self.text):
            if self._over or time.monotonic() > deadline:
                raise AssertionError(f"never came: {what}\n{self._state()}")
            self.read(0.2)

    def read(self, seconds: float) -> None:
        """Take in what is written within that time."""
        try:
            data = bytes(self.child.read_nonblocking(65536, timeout=seconds))
        except pexpect.TIMEOUT:
            return
        except pexpect.EOF:
            self._over = True
            return
        self.raw += data
        self._stream.feed(data)

    def drain(self, quiet: float = 0.2) -> None:
        """Take in all that waits to be read, of a stopped child: until nothing comes for that long."""
        seen = -1
        while seen != len(self.raw):
            seen = len(self.raw)
            self.read(quiet)

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def keys(self, keys: str) -> None:
        self.child.send(keys)

    def _state(self) -> str:
        """The screen, the end of what was written, and where the child stands, or how it ended."""
        shown = "\n".join(line for line in self.text.splitlines() if line.strip())
        written = self.raw[-_LAST_BYTES:]
        self.raw = b""
        if not self._over and self.child.pid is not None:
            os.kill(self.child.pid, signal.SIGUSR1)  # where each of its threads is: see RUN
            deadline = time.monotonic() + _TRACE_SECONDS
            while time.monotonic() < deadline:
                self.read(0.2)
        with contextlib.suppress(pexpect.ExceptionPexpect):  # killed, but not gone in time
            self.child.close(force=True)
        how = f"ended: {self.child.exitstatus}, signal {self.child.signalstatus}" if self._over else "it runs"
        asked = _plain(self.raw)
        return f"{shown}\n--- {how}; it wrote last:\n{_plain(written)}\n--- asked where it is:\n{asked}"


def _plain(data: bytes) -> str:
    return data.decode(errors="backslashreplace").replace("\x1b", "ESC").replace("\r\n", "\n")
