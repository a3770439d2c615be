"""A server on this machine, on a workspace of its own, and a window that speaks to it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable

import aiohttp
import pytest

from screens.serve.server import Server
from tests.support.workspaces import Sandbox

PATIENCE_SECONDS = 60.0
_CONTROL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)")


def plain(drawn: str) -> str:
    """What was drawn, without its colours and moves."""
    return _CONTROL.sub("", drawn)


class Window:
    """What a browser's window does, without the browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.drawn = ""

    @property
    def text(self) -> str:
        """All that was ever drawn, without its colours and moves."""
        return plain(self.drawn)

    async def until(self, words: str) -> None:
        """Wait until these words were drawn."""

        async def read() -> None:
            while words not in self.text:
                message = await self.socket.receive()
                assert message.type not in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED), self.text
                if message.type is aiohttp.WSMsgType.BINARY:
                    self.drawn += message.data.decode("utf-8", "replace")

        await asyncio.wait_for(read(), PATIENCE_SECONDS)

    async def press(self, keys: str) -> None:
        await self.socket.send_json(["stdin", keys])

    async def until_closed(self) -> None:
        async def read() -> None:
            async for _ in self.socket:
                pass

        await asyncio.wait_for(read(), PATIENCE_SECONDS)


async def until(condition: Callable[[], object]) -> None:
    """Wait until it holds."""

    async def look() -> None:
        while not condition():
            await asyncio.sleep(0.02)

    await asyncio.wait_for(look(), PATIENCE_SECONDS)


@pytest.fixture
async def server(sandbox: Sandbox) -> AsyncIterator[Server]:
    """Listening on a free port."""
    made = Server(sandbox.root, most=2)
    await made.start("127.0.0.1", 0)
    yield made
    await made.stop()


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    """Somebody on this machine."""
    async with aiohttp.ClientSession() as session:
        yield session
