"""The server: a page, what it is made of, and a connection for each window. All of it from this machine."""

from __future__ import annotations

import asyncio
import contextlib
import html
import logging
from collections.abc import Awaitable, Callable
from importlib.resources import files
from pathlib import Path

from aiohttp import WSCloseCode, WSMsgType, web

from screens.serve.auth import HEADERS, new_token, refusal
from screens.serve.window import Visitor

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

    def __init__(self, root: Path, *, most: int = MOST, visitor: type[Visitor] = Visitor) -> None:
        self.token = new_token()
        self.port = 0
        self._host = "127.0.0.1"
        self.visitors: set[Visitor] = set()
        self._root = root
        self._most = most
        self._visitor = visitor
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
        site = web.TCPSite(self._runner, host, port)
        await site.start()
        sockets = self._runner.addresses
        self.port = int(sockets[0][1])

    async def stop(self) -> None:
        """End every window, and stop listening."""
        await asyncio.gather(*(visitor.end() for visitor in list(self.visitors)))
        if self._runner is not None:
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
        return web.Response(
            text=page.replace("{{socket}}", html.escape(socket, quote=True)), content_type="text/html"
        )

    async def _static(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name in _OWN:
            body = (files("screens.serve") / "content" / name).read_bytes()
            return web.Response(body=body, content_type=_OWN[name])
        if name not in _STATIC:
            raise web.HTTPNotFound
        body = (files("textual_serve") / "static" / name).read_bytes()
        return web.Response(body=body, content_type=_STATIC[name])

    async def _window(self, request: web.Request) -> web.StreamResponse:
        """One window, from its first screen until it is closed or the person leaves."""
        socket = web.WebSocketResponse(heartbeat=15, max_msg_size=_LARGEST_MESSAGE)
        await socket.prepare(request)
        if len(self.visitors) >= self._most:
            await socket.send_bytes(_FULL)
            await socket.close(code=WSCloseCode.TRY_AGAIN_LATER)
            return socket
        visitor = self._visitor(self._root, socket.send_bytes)
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
