"""One browser window: its process, and what goes to and fro between the two."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

_HOME = Path(__file__).resolve().parents[2]
_GREETING = b"__GANGLION__\n"
_GREETED_WITHIN = 20
"""Lines that may come before the protocol begins."""
_GRACE_SECONDS = 5.0
_LARGEST = 1 << 24
_SIZES = range(1, 1001)
_MOST_WAITING = 1 << 20
"""Bytes that may wait to be read by the interface: what is said to one that does not listen is dropped."""


class Visitor:
    """Runs the interface for one window; ``send`` gets what the window draws."""

    def __init__(self, root: Path, send: Callable[[bytes], Awaitable[None]]) -> None:
        self._root = root
        self._send = send
        self._process: Process | None = None
        self._pumping: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._greeted = False
        """Whether the interface is there; before that it has nothing to finish."""

    async def run(self, width: int, height: int) -> None:
        """Show the interface in so many cells; returns when it has ended."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "screens.serve.window_process",
            os.fspath(self._root),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env=_environment(os.environ, width, height),
            start_new_session=True,
        )
        self._pumping = asyncio.create_task(self._pump(self._process))
        if self._ending is not None:  # it was told to leave while it was being started
            await self._end()
            return
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await self._pumping

    async def _pump(self, process: Process) -> None:
        out = process.stdout
        assert out is not None
        for _ in range(_GREETED_WITHIN):
            line = await out.readline()
            if line == _GREETING:
                self._greeted = True
                break
            if not line:
                return
        while True:
            kind = await out.readexactly(1)
            size = int.from_bytes(await out.readexactly(4), "big")
            if size > _LARGEST:
                return
            payload = await out.readexactly(size)
            if kind == b"D":
                await self._send(payload)
            elif kind == b"M" and _said(payload).get("type") == "exit":
                return

    def hear(self, message: str) -> None:
        """Pass on what the window says; what is no part of the protocol is dropped. Waits for nothing."""
        try:
            said = json.loads(message)
            kind, told = said[0], said[1] if len(said) > 1 else None
        except (ValueError, RecursionError, TypeError, LookupError):
            return
        if kind == "stdin" and isinstance(told, str):
            self._write(b"D", told.encode("utf-8", "replace"))
        elif kind == "resize" and isinstance(told, Mapping):
            width, height = told.get("width"), told.get("height")
            if all(type(cells) is int and cells in _SIZES for cells in (width, height)):
                self._tell({"type": "resize", "width": width, "height": height})
        elif kind in ("focus", "blur"):
            self._tell({"type": kind})

    async def end(self) -> None:
        """Have the interface leave: what it is writing is finished first. Insist where it does not.

        Whoever asks again waits for the same end.
        """
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        process, pumping = self._process, self._pumping
        if process is None or pumping is None:
            return
        pumping.cancel()
        await asyncio.wait([pumping])
        if self._greeted:
            self._tell({"type": "quit"})
        else:
            _signal(process, signal.SIGTERM)
        for insist in (signal.SIGTERM, signal.SIGKILL):
            try:
                await asyncio.wait_for(_drained(process), _GRACE_SECONDS)
            except TimeoutError:
                _signal(process, insist)
            else:
                return
        await process.wait()

    def _tell(self, said: Mapping[str, object]) -> None:
        self._write(b"M", json.dumps(said).encode())

    def _write(self, kind: bytes, payload: bytes) -> None:
        into = self._process.stdin if self._process is not None else None
        if into is None or into.is_closing() or into.transport.get_write_buffer_size() > _MOST_WAITING:
            return
        into.write(kind + len(payload).to_bytes(4, "big") + payload)


def _signal(process: Process, number: signal.Signals) -> None:
    """To the interface and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


async def _drained(process: Process) -> None:
    """Wait for the end; what is still written is read, as nobody could end with a full pipe."""
    assert process.stdout is not None
    while await process.stdout.read(1 << 16):
        pass
    await process.wait()


def _said(payload: bytes) -> Mapping[str, object]:
    try:
        said = json.loads(payload)
    except ValueError:
        return {}
    return said if isinstance(said, Mapping) else {}


def _environment(own: Mapping[str, str], width: int, height: int) -> dict[str, str]:
    """What the interface needs to know of the window that it draws in."""
    paths = [os.fspath(_HOME), *filter(None, own.get("PYTHONPATH", "").split(os.pathsep))]
    return {
        **own,
        "PYTHONPATH": os.pathsep.join(paths),
        "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver",
        "TEXTUAL_COLOR_SYSTEM": "truecolor",
        "TERM": "xterm-256color",
        "TERM_PROGRAM": "textual",
        "COLUMNS": str(width),
        "ROWS": str(height),
    }
