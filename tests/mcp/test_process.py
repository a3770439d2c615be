"""The server as a process: it speaks only the protocol, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters

from tests.support.workspaces import LOG, Sandbox
from workbench.graph.drafts import MemoryDraft
from workbench.graph.write import plan_store

Server = Callable[..., StdioServerParameters]
PATIENCE = 60
"""Seconds after which a process that should have ended is held to live on."""
HELLO: tuple[dict[str, Any], ...] = (
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)


def asking(number: int, name: str, arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


@contextlib.contextmanager
def started(parameters: StdioServerParameters) -> Iterator[subprocess.Popen[bytes]]:
    """The server with bare pipes; killed at the end if it is still there."""
    process = subprocess.Popen(
        [parameters.command, *parameters.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], **(parameters.env or {})},
        cwd=parameters.cwd,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def said(process: subprocess.Popen[bytes], *messages: Any) -> None:
    assert process.stdin is not None
    for message in messages:
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        process.stdin.write(line + b"\n")
    process.stdin.flush()


def answers(process: subprocess.Popen[bytes], count: int) -> dict[Any, dict[str, Any]]:
    """The next ``count`` lines of stdout, each JSON, by id."""
    assert process.stdout is not None
    lines = [json.loads(process.stdout.readline()) for _ in range(count)]
    return {line.get("id"): line for line in lines}


def descendants(pid: int) -> list[int]:
    """The processes that ``pid`` started, and those that they started."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [found for child in map(int, children) for found in (child, *descendants(child))]


def test_stdout_is_the_protocol_and_stderr_holds_no_memory(server: Server, served: Sandbox) -> None:
    with started(server()) as process:
        said(
            process,
            *HELLO,
            asking(1, "memory_get", {"path": LOG}),
            asking(2, "memory_search", {"query": "port"}),
        )
        found = answers(process, 3)
        out, err = process.communicate(timeout=PATIENCE)
        assert found.keys() == {0, 1, 2}
        assert out == b""
        assert b"8443" not in err
        assert process.returncode == 0


def test_the_server_ends_when_its_stdin_does(server: Server) -> None:
    with started(server()) as process:
        said(process, *HELLO)
        answers(process, 1)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0


def test_the_server_ends_before_anybody_said_anything(server: Server) -> None:
    with started(server()) as process:
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0


def test_a_write_that_has_begun_when_the_client_goes_is_whole_or_absent(
    server: Server, served: Sandbox
) -> None:
    with started(server(agent_writes="store")) as process:
        stores = [
            asking(n, "memory_graph_store", {"text": f"Fact {n}", "entity": "Sarah Chen"})
            for n in range(1, 6)
        ]
        said(process, *HELLO, *stores)
        answers(process, 2)  # the handshake, and the first of them
        process.communicate(timeout=PATIENCE)
    page = served.read("graph/person/sarah-chen.md").decode()
    stored = sum(f"Fact {n}\n" in page for n in range(1, 6))
    done = [operation for operation in served.workspace.operations.walk() if operation.actor == "agent"]
    assert stored == len(done) >= 1
    assert served.git("status", "--porcelain", "graph").strip() == ""


@pytest.mark.promise(
    "Agents",
    "the client is killed or leaves, or signals arrive",
    "the server and its processes end, no lock stays, operations are complete",
    by="real processes",
)
def test_a_client_that_is_killed_leaves_no_server_and_no_lock_behind(server: Server, served: Sandbox) -> None:
    parameters = server(agent_writes="store")
    client = subprocess.Popen(
        [sys.executable, "-m", "tests.mcp.abiding_client", str(served.root)],
        stdout=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], **(parameters.env or {})},
        cwd=parameters.cwd,
    )
    try:
        assert client.stdout is not None
        assert client.stdout.readline() == b"ready\n"
        family = descendants(client.pid)
        assert family
        watched = [os.pidfd_open(pid) for pid in family]
    finally:
        client.send_signal(signal.SIGKILL)
        client.communicate()
    for descriptor in watched:
        ended, _, _ = select.select([descriptor], [], [], PATIENCE)
        assert ended, "a process outlives the client that it served"
        os.close(descriptor)
    place = served.workspace
    draft = MemoryDraft(text="Written afterwards", entity="Sarah Chen")
    from datetime import UTC, datetime

    operation = place.operations.carry_out(lambda: plan_store(place, draft, now=datetime.now(UTC)))
    assert operation.paths


GARBAGE = (
    b"not json",
    b"\xff\xfe\x00",
    b"{}",
    b"[]",
    b'{"jsonrpc":"2.0","id":5}',
    b'{"jsonrpc":"2.0","id":6,"method":"no/such"}',
    b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":7}}',
    b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"memory_get","arguments":[1]}}',
    b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":'
    b'{"name":"memory_get","arguments":{"path":"memory/\\ud800.md"}}}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}',
    b"[" * 100_000,
    b'{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"'
    + b"x" * 5_000_000
    + b'"}}}',
)


@pytest.mark.promise(
    "Agents",
    "garbage, arguments of 5 MB, deep JSON, invalid UTF-8",
    "it is refused, and the next call is answered",
)
def test_whatever_a_client_sends_the_next_call_is_answered(server: Server) -> None:
    with started(server()) as process:
        said(process, *HELLO)
        assert process.stdout is not None
        for number, line in enumerate(GARBAGE, 1_000):
            said(process, line, asking(number, "memory_get", {"path": LOG}))
            while (answer := json.loads(process.stdout.readline())).get("id") != number:
                pass
            assert "8443" in answer["result"]["content"][0]["text"], line[:80]


REFUSED: tuple[tuple[bytes, int | None, int], ...] = (
    (b'{"jsonrpc":"2.0","id":1,"method":"ping"', 1, -32700),
    (b"not json", None, -32700),
    (b'{"jsonrpc":"2.0","id":01,"method":"ping"}', None, -32700),
    ('{"jsonrpc":"2.0","id":\u0663,"method":"ping"}'.encode(), None, -32700),
    (b'{"jsonrpc":"2.0","id":"a\tb","method":"ping"}', None, -32700),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"', None, -32700),
    (b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"id": 7, "x": ', None, -32700),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":4}', 4, -32600),
    (b"[]", None, -32600),
)


def test_every_line_that_cannot_be_read_is_answered(server: Server) -> None:
    with started(server()) as process:
        said(process, *HELLO)
        answers(process, 1)
        for line, number, code in REFUSED:
            said(process, line)
            ((named, answer),) = answers(process, 1).items()
            assert (named, answer["error"]["code"]) == (number, code), line


def test_a_request_with_half_an_emoji_is_answered(server: Server, served: Sandbox) -> None:
    """JavaScript cuts text between the two halves of a character, and sends what is left of it."""
    ask = b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory_graph_store","arguments":'
    with started(server()) as process:
        said(process, *HELLO, ask + rb'{"text":"concert \ud83c of \ud83c\udfb5 in C:\\ud83c"}}}')
        stored = answers(process, 2)[3]["result"]
    assert stored["structuredContent"]["status"] == "proposed"
    assert [one["text"] for one in served.workspace.ledger.read("proposals")] == [
        "concert \ufffd of \U0001f3b5 in C:\\ud83c"
    ]


def test_nothing_heavy_is_loaded_before_it_is_asked_for(server: Server) -> None:
    parameters = server()
    watch = (
        "import sys, workbench.agent.mcp_server; "
        "sys.exit(', '.join({'torch', 'lancedb', 'numpy', 'onnxruntime', 'textual', 'jsonschema'}"
        " & set(sys.modules)) or None)"
    )
    done = subprocess.run(
        [sys.executable, "-c", watch],
        env=parameters.env,
        cwd=parameters.cwd,
        capture_output=True,
        check=False,
    )
    assert done.stderr.decode() == ""
    assert done.returncode == 0


@pytest.mark.promise("Agents", "the client is killed or leaves, or signals arrive")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_server_and_leaves_operations_whole(
    server: Server, served: Sandbox, number: signal.Signals
) -> None:
    with started(server(agent_writes="store")) as process:
        stores = [
            asking(n, "memory_graph_store", {"text": f"Fact {n}", "entity": "Sarah Chen"})
            for n in range(1, 9)
        ]
        said(process, *HELLO, *stores)
        answers(process, 2)
        process.send_signal(number)
        assert process.wait(PATIENCE) == 128 + number
    page = served.read("graph/person/sarah-chen.md").decode()
    stored = sum(f"Fact {n}\n" in page for n in range(1, 9))
    done = [operation for operation in served.workspace.operations.walk() if operation.actor == "agent"]
    assert stored == len(done) >= 1
    assert served.git("status", "--porcelain", "graph").strip() == ""
