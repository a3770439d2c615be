"""The interface served for real: pages, refusals, windows with a process each, and their end."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from pathlib import Path

import aiohttp
import pytest

from screens.serve import server as serving
from screens.serve import server as visiting
from screens.serve.auth import HEADERS
from screens.serve.server import Server
from tests.screens.serve.conftest import PATIENCE_SECONDS, Window, until
from tests.support.workspaces import LOG, Sandbox

PORT = "staging port is 8443"


def running(server: Server) -> list[int]:
    """The processes of the windows."""
    return [one._process.pid for one in server.visitors if one._process is not None]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_the_page_and_all_that_it_is_made_of_come_from_here(
    server: Server, client: aiohttp.ClientSession
) -> None:
    async with client.get(server.address) as answer:
        page = await answer.text()
        assert answer.status == 200
        assert {name: answer.headers[name] for name in HEADERS} == dict(HEADERS)
    linked = [one for one in re.findall(r'(?:src|href)="([^"]+)"', page) if not one.startswith("data:")]
    assert len(linked) == 4
    assert all("//" not in one for one in linked)
    async with client.get(server.address + "static/page.css") as answer:
        linked += [f"static/{one}" for one in re.findall(r'url\("([^"]+)"\)', await answer.text())]
    for one in linked:
        async with client.get(server.address + one) as answer:
            assert answer.status == 200, one
            assert await answer.read()


@pytest.mark.promise("In a browser", "DNS rebinding, a foreign page, a missing token")
@pytest.mark.parametrize("path", ["", "wrong/", "wrong/ws", "wrong/static/page.js", "//", "%2e%2e/"])
async def test_nothing_is_given_without_the_token(
    server: Server, client: aiohttp.ClientSession, path: str
) -> None:
    async with client.get(f"http://127.0.0.1:{server.port}/{path}") as answer:
        assert answer.status == 403
        assert "has no token" in await answer.text()


@pytest.mark.promise(
    "In a browser",
    "garbage or unusual requests on the port",
    "refused, and their addresses are not logged",
)
@pytest.mark.parametrize(
    "line",
    ["OPTIONS * HTTP/1.1", "CONNECT {host} HTTP/1.1", "GET http://x.example HTTP/1.1", "GET {token} HTTP/9"],
)
async def test_odd_requests_are_refused_and_their_addresses_told_to_nobody(
    server: Server, line: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    host = f"127.0.0.1:{server.port}"
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    said = f"{line.format(host=host, token=server.token)}\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    writer.write(said.encode())
    answer = await asyncio.wait_for(reader.read(), PATIENCE_SECONDS)
    writer.close()
    assert answer.split()[1] in (b"400", b"403")
    assert not caplog.records
    assert capfd.readouterr().err == ""


@pytest.mark.promise(
    "In a browser",
    "DNS rebinding, a foreign page, a missing token",
    "refused, and no process is started",
)
@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"Host": "127.0.0.1"}, {"Origin": "http://evil.example"}]
)
async def test_pages_and_windows_are_refused_to_names_and_pages_from_elsewhere(
    server: Server, client: aiohttp.ClientSession, headers: dict[str, str]
) -> None:
    async with client.get(server.address, headers=headers) as answer:
        assert answer.status == 403
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await client.ws_connect(server.address + "ws", headers=headers)
    assert refused.value.status == 403
    assert not server.visitors


async def test_a_window_needs_the_token_too(server: Server, client: aiohttp.ClientSession) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await client.ws_connect(f"http://127.0.0.1:{server.port}/wrong/ws")


@pytest.mark.parametrize(
    "name", ["../server.py", "js/../../server.py", "images/background.png", "..%2fvisit.py"]
)
async def test_no_other_file_is_handed_out(server: Server, client: aiohttp.ClientSession, name: str) -> None:
    async with client.get(server.address + "static/" + name) as answer:
        assert answer.status in (403, 404)


@pytest.mark.promise(
    "In a browser",
    "a browser window is closed, or its process is killed",
    "the other one ends too",
)
async def test_a_window_draws_hears_keys_acts_and_ends_with_its_process(
    server: Server, client: aiohttp.ClientSession, sandbox: Sandbox
) -> None:
    async with client.ws_connect(server.address + "ws?width=140&height=40") as socket:
        window = Window(socket)
        await window.until("Memory Workbench")
        await window.until(PORT)
        await window.press("?")
        await window.until("type to filter")
        await window.press("\x1b")
        await socket.send_json(["resize", {"width": 100, "height": 30}])
        await socket.send_json(["ping", "7"])
        for rubbish in (
            "[]",
            "x",
            "[1]",
            '["stdin", 7]',
            '["resize", {"width": -1}]',
            "[[" * 5000,
        ):
            await socket.send_str(rubbish)
        await socket.send_json(["resize", {"width": 9.0, "height": True}])
        await window.press("@")
        await window.until("start")
        (pid,) = running(server)
        assert alive(pid)
    await until(lambda: not server.visitors)
    assert not alive(pid)


@pytest.mark.promise(
    "In a browser",
    "the process of a window hangs",
    "it is ended within ten seconds after its tab or the server",
)
async def test_a_window_whose_process_hangs_is_given_up(
    server: Server, client: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visiting, "_GRACE_SECONDS", 0.2)
    async with client.ws_connect(server.address + "ws") as socket:
        await Window(socket).until("Memory")
        (pid,) = running(server)
        os.kill(pid, signal.SIGSTOP)
        for _ in range(5):
            await socket.send_json(["stdin", "j" * 500_000])
    await until(lambda: not server.visitors)
    assert not alive(pid)


async def test_windows_that_are_opened_and_closed_at_once_take_no_room(
    server: Server, client: aiohttp.ClientSession
) -> None:
    for _ in range(4):
        socket = await client.ws_connect(server.address + "ws")
        await until(lambda: running(server))
        await socket.close()
    await until(lambda: not server.visitors)


async def test_leaving_closes_the_window(server: Server, client: aiohttp.ClientSession) -> None:
    async with client.ws_connect(server.address + "ws") as socket:
        window = Window(socket)
        await window.until("Memory")
        await window.press("q")
        await window.until_closed()
    await until(lambda: not server.visitors)


@pytest.mark.promise("In a browser", "too many windows", "refused with a message, and no process is started")
async def test_more_windows_than_may_be_are_told_so_and_start_nothing(
    server: Server, client: aiohttp.ClientSession
) -> None:
    first = await client.ws_connect(server.address + "ws")
    second = await client.ws_connect(server.address + "ws")
    await until(lambda: len(running(server)) == 2)
    third = Window(await client.ws_connect(server.address + "ws"))
    await third.until("as many windows open as may be")
    await third.until_closed()
    assert len(server.visitors) == 2
    await first.close()
    await second.close()
    await until(lambda: not server.visitors)


@pytest.mark.promise("In a browser", "a browser window is closed, or its process is killed")
async def test_a_process_that_is_killed_closes_its_window(
    server: Server, client: aiohttp.ClientSession
) -> None:
    async with client.ws_connect(server.address + "ws") as socket:
        window = Window(socket)
        await window.until("Memory")
        os.kill(running(server)[0], signal.SIGKILL)
        await window.until_closed()
    await until(lambda: not server.visitors)


async def test_stopping_ends_every_window(sandbox: Sandbox, client: aiohttp.ClientSession) -> None:
    made = Server(sandbox.root)
    await made.start("127.0.0.1", 0)
    socket = await client.ws_connect(made.address + "ws")
    await Window(socket).until("Memory")
    (pid,) = running(made)
    await made.stop()
    assert not alive(pid)
    await socket.close()


async def test_a_window_that_is_stopped_while_it_starts_leaves_no_process(sandbox: Sandbox) -> None:
    drawn: list[bytes] = []

    async def draw(data: bytes) -> None:
        drawn.append(data)

    visitor = visiting.BrowserSession(sandbox.root, draw)
    showing = asyncio.create_task(visitor.run(80, 24))
    await asyncio.sleep(0)
    await visitor.end()
    await asyncio.wait_for(showing, PATIENCE_SECONDS)
    assert visitor._process is not None
    assert visitor._process.returncode is not None
    assert not drawn


async def test_to_look_only_shows_memory_and_writes_nothing(
    server: Server, client: aiohttp.ClientSession, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_READ_ONLY", "1")
    before = sandbox.read(LOG)
    async with client.ws_connect(server.address + "ws?width=140&height=40") as socket:
        window = Window(socket)
        await window.until("running read-only")
        await window.until(PORT)
        await window.press("jd")
        await window.press("?")
        await window.until("type to filter")
    await until(lambda: not server.visitors)
    assert sandbox.read(LOG) == before
    assert sandbox.git("log", "--format=%s").split() == ["start"]


async def test_the_command_prints_an_address_that_works_and_ends_on_a_signal(
    sandbox: Sandbox, client: aiohttp.ClientSession
) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "workbench", "-w", str(sandbox.root), "serve", "--port", "0", "--read-only",
        stdout=asyncio.subprocess.PIPE, cwd=Path(serving.__file__).parents[2],
    )  # fmt: skip
    assert process.stdout is not None
    address = (await process.stdout.readline()).decode().strip()
    async with client.get(address) as answer:
        assert answer.status == 200
    async with client.ws_connect(address + "ws?width=140&height=40") as socket:
        await Window(socket).until("running read-only")
    process.terminate()
    assert await asyncio.wait_for(process.wait(), PATIENCE_SECONDS) == 0
