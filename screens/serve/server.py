"""The web server of the interface: a page with its files, and a process and a connection for each window."""

from __future__ import annotations

import asyncio
import contextlib
import html
import json
import logging
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from pathlib import Path

from aiohttp import WSCloseCode, WSMsgType, web

from screens.serve.auth import HEADERS, new_token, refusal
from workbench.processes import program_environment

_GREETING = b"__GANGLION__\n"
_GREETED_WITHIN = 20
"""Lines that may come before the protocol begins."""
_GRACE_SECONDS = 5.0
_LARGEST = 1 << 24
_SIZES = range(1, 1001)
_MOST_WAITING = 1 << 20
"""Bytes that may wait to be read by the interface: what is said to one that does not listen is dropped."""


class BrowserSession:
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
        environment = {
            **program_environment(),
            "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver",
            "TEXTUAL_COLOR_SYSTEM": "truecolor",
            "TERM": "xterm-256color",
            "TERM_PROGRAM": "textual",
            "COLUMNS": str(width),
            "ROWS": str(height),
        }
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "screens.serve.window_process",
            os.fspath(self._root),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env=environment,
            start_new_session=True,
        )
        self._pumping = asyncio.create_task(self._pump(self._process))
        if self._ending:  # it was told to leave while it was being started
            await self._end()
            return
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await self._pumping

    async def _pump(self, process: Process) -> None:
        out = process.stdout
        assert out
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
            elif kind == b"M" and json.loads(payload)["type"] == "exit":
                return

    def hear(self, message: str) -> None:
        """Pass on what the window says; what is no part of the protocol is dropped. Waits for nothing."""
        try:
            said = json.loads(message)
        except (ValueError, RecursionError):
            return
        match said:
            case ["stdin", str(text), *_]:
                self._write(b"D", text.encode("utf-8", "replace"))
            case ["resize", {"width": width, "height": height}, *_]:
                if all(type(cells) is int and cells in _SIZES for cells in (width, height)):
                    self._tell({"type": "resize", "width": width, "height": height})
            case ["focus" | "blur" as kind, *_]:
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
        into = self._process.stdin if self._process else None
        if into is None or into.is_closing() or into.transport.get_write_buffer_size() > _MOST_WAITING:
            return
        into.write(kind + len(payload).to_bytes(4, "big") + payload)


def _signal(process: Process, number: signal.Signals) -> None:
    """To the interface and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


async def _drained(process: Process) -> None:
    """Wait for the end; what is still written is read, as nobody could end with a full pipe."""
    assert process.stdout
    while await process.stdout.read(1 << 16):
        pass
    await process.wait()


MOST = 4
"""Windows at a time: each is a process."""
_FULL = (
    b"\x1b[2J\x1b[H\r\n  There are as many windows open as may be.\r\n"
    b"  Close one of them, and load this page again.\r\n"
)
_LARGEST_MESSAGE = 1 << 20
_OWN = {"page.css": "text/css", "page.js": "text/javascript"}
_STATIC = {
    "js/textual.js": "text/javascript",
    "css/xterm.css": "text/css",
    "fonts/RobotoMono-VariableFont_wght.ttf": "font/ttf",
    "fonts/RobotoMono-Italic-VariableFont_wght.ttf": "font/ttf",
}
"""What the page is made of, of textual-serve's own; nothing else of it is handed out."""
_NOBODY = logging.getLogger("workbench.serving")
"""Hears what the library says of requests that it cannot read: their addresses may hold the token."""
_NOBODY.addHandler(logging.NullHandler())
_NOBODY.propagate = False
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """Serves the workspace at ``root`` to whoever has the token."""

    def __init__(self, root: Path, *, most: int = MOST) -> None:
        self.token = new_token()
        self.port = 0
        self._host = "127.0.0.1"
        self.visitors: set[BrowserSession] = set()
        self._root = root
        self._most = most
        self._runner: web.AppRunner | None = None

    @property
    def address(self) -> str:
        """What a person opens in their browser."""
        return f"http://{self._name}:{self.port}/{self.token}/"

    @property
    def _name(self) -> str:
        return f"[{self._host}]" if ":" in self._host else self._host

    async def start(self, host: str, port: int) -> None:
        """Listen. Raises OSError where the port is taken."""
        app = web.Application(middlewares=[self._guarded])
        app.router.add_get("/{token}/", self._page)
        app.router.add_get("/{token}/ws", self._window)
        app.router.add_get("/{token}/static/{name:.+}", self._static)
        self._host = host
        self._runner = web.AppRunner(app, access_log=None, logger=_NOBODY, shutdown_timeout=2.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        self.port = int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """End every window, and stop listening."""
        await asyncio.gather(*(visitor.end() for visitor in list(self.visitors)))
        if self._runner:
            await self._runner.cleanup()

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Every request, of whatever sort, shows its token first."""
        why = refusal(
            token=self.token,
            given=request.path.partition("/")[2].partition("/")[0],
            host=request.headers.get("Host", ""),
            origin=request.headers.get("Origin"),
            port=self.port,
            served=self._name,
        )
        if why is not None:
            return web.Response(status=403, text=f"Access denied: {why}.\n", headers=dict(HEADERS))
        try:
            answer = await handler(request)
        except web.HTTPException as error:
            return web.Response(status=error.status, text=f"{error.reason}\n", headers=dict(HEADERS))
        if not answer.prepared:
            answer.headers.update(HEADERS)
        return answer

    async def _page(self, request: web.Request) -> web.StreamResponse:
        page = (files("screens.serve") / "content" / "page.html").read_text("utf-8")
        socket = f"ws://{request.headers['Host']}/{self.token}/ws"
        return web.Response(text=page.replace("{{socket}}", html.escape(socket)), content_type="text/html")

    async def _static(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name in _OWN:
            file = files("screens.serve") / "content" / name
        elif name in _STATIC:
            file = files("textual_serve") / "static" / name
        else:
            raise web.HTTPNotFound
        return web.Response(body=file.read_bytes(), content_type=(_OWN | _STATIC)[name])

    async def _window(self, request: web.Request) -> web.StreamResponse:
        """One window, from its first screen until it is closed or the person leaves."""
        socket = web.WebSocketResponse(heartbeat=15, max_msg_size=_LARGEST_MESSAGE)
        await socket.prepare(request)
        if len(self.visitors) >= self._most:
            await socket.send_bytes(_FULL)
            await socket.close(code=WSCloseCode.TRY_AGAIN_LATER)
            return socket
        visitor = BrowserSession(self._root, socket.send_bytes)
        self.visitors.add(visitor)
        try:
            showing = asyncio.create_task(
                visitor.run(_cells(request, "width", 80), _cells(request, "height", 24))
            )
            showing.add_done_callback(lambda _: asyncio.ensure_future(socket.close()))
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    if message.data.startswith('["ping"'):
                        await socket.send_str(message.data.replace("ping", "pong", 1))
                    else:
                        visitor.hear(message.data)
            showing.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await showing
        finally:
            await visitor.end()
            self.visitors.discard(visitor)
        return socket


def _cells(request: web.Request, name: str, default: int) -> int:
    """A size that the window tells, within reason."""
    said = request.query.get(name, "")
    return max(1, min(int(said), 1000)) if said.isascii() and said.isdigit() and len(said) < 5 else default
