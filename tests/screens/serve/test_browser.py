"""The interface in a real browser, spoken to by its devtools; skipped where there is none on the machine."""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from screens.serve.server import Server
from tests.screens.serve.conftest import PATIENCE_SECONDS, plain, until

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium on this machine")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server",
    "--remote-debugging-port=0", "--window-size=1200,800",
)  # fmt: skip


class Page:
    """A page of the browser, what it asked for and what came through its connection."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.asked_for: list[str] = []
        self.errors: list[str] = []
        self.drawn = ""
        self._listening = asyncio.create_task(self._listen())

    async def do(self, method: str, **parameters: object) -> dict[str, Any]:
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        return await asyncio.wait_for(answer, PATIENCE_SECONDS)

    async def evaluate(self, code: str) -> object:
        said = await self.do("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        return said["result"].get("value")

    async def press(self, key: str) -> None:
        await self.do("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
        await self.do("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def _listen(self) -> None:
        async for message in self._socket:
            said = message.json()
            if answer := self._answers.pop(said.get("id", 0), None):
                answer.set_result(said.get("result", {}))
            told = said.get("params", {})
            match said.get("method"):
                case "Network.requestWillBeSent":
                    self.asked_for.append(told["request"]["url"])
                case "Network.webSocketFrameReceived":
                    frame = told["response"]
                    if frame["opcode"] == 2:
                        self.drawn += base64.b64decode(frame["payloadData"]).decode("utf-8", "replace")
                case "Log.entryAdded" if told["entry"]["level"] == "error":
                    self.errors.append(told["entry"]["text"])
                case "Runtime.exceptionThrown":
                    self.errors.append(str(told["exceptionDetails"]))


@pytest.fixture
async def page(tmp_path: Path, client: aiohttp.ClientSession) -> AsyncIterator[Page]:
    """A page of a browser with a profile of its own, and a folder for what it leaves when it is killed.

    That one has a short name, because a browser makes a socket in it.
    """
    profile = tmp_path / "profile"
    leavings = tempfile.mkdtemp(prefix="browser-")
    process = await asyncio.create_subprocess_exec(
        str(BROWSER), *FLAGS, f"--user-data-dir={profile}", "about:blank",
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
        env={**os.environ, "TMPDIR": leavings},
    )  # fmt: skip
    try:
        port_file = profile / "DevToolsActivePort"
        await until(lambda: port_file.is_file() and port_file.read_text().count("\n"))
        port = port_file.read_text().split("\n")[0]
        async with client.get(f"http://127.0.0.1:{port}/json/list") as answer:
            target = next(one for one in await answer.json() if one["type"] == "page")
        async with client.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0) as socket:
            made = Page(socket)
            for domain in ("Network", "Page", "Runtime", "Log"):
                await made.do(f"{domain}.enable")
            yield made
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        shutil.rmtree(leavings, ignore_errors=True)


async def test_it_draws_itself_hears_keys_and_asks_nobody_else(server: Server, page: Page) -> None:
    await page.do("Page.navigate", url=server.address)
    await until(lambda: "staging port" in plain(page.drawn))
    assert await page.evaluate("document.title") == "Memory Workbench"
    assert await page.evaluate("document.body.classList.contains('-first-byte')") is True
    await page.press("?")
    await until(lambda: "type to filter" in plain(page.drawn))
    ours = f"127.0.0.1:{server.port}/{server.token}/"
    asked = [url for url in page.asked_for if not url.startswith("data:")]
    assert len(asked) >= 5
    assert all(url.split("://")[1].startswith(ours) for url in asked), asked
    assert await page.evaluate("document.fonts.check('15px \"Roboto Mono\"')") is True
    assert page.errors == []
    await page.do("Page.navigate", url="about:blank")
    await until(lambda: not server.visitors)


async def test_copying_reaches_the_clipboard_of_the_browser(server: Server, page: Page) -> None:
    await page.do("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    await page.do("Page.navigate", url=server.address)
    await until(lambda: "staging port" in plain(page.drawn))
    await page.do("Page.bringToFront")
    await page.press("j")
    await page.press("y")
    await until(lambda: "\x1b]52;" in page.drawn)
    told = page.drawn.partition("\x1b]52;c;")[2].partition("\a")[0]
    copied = base64.b64decode(told).decode()
    assert copied
    assert await page.evaluate("navigator.clipboard.readText()") == copied
