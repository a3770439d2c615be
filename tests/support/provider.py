"""A provider of embeddings on the loopback interface: speaks OpenAI's API, and misbehaves when it is told to.

What a text becomes depends on nothing but its words, so that answers can be compared.
"""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from tests.support.hashing import HashingEmbedder


@dataclass(frozen=True, slots=True)
class Reply:
    """Another answer than the right one. ``body`` None is the right one, with this status and headers.

    ``cut`` ends the connection after so many bytes, ``reset`` at once and hard; ``drip`` sends a byte at a
    time until the client leaves.
    """

    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    reset: bool = False
    drip: bool = False


def refused(status: int, message: str = "", **headers: str) -> Reply:
    """An error as OpenAI words it; underscores in the names of headers stand for dashes."""
    body = json.dumps({"error": {"message": message, "type": "error"}}).encode()
    return Reply(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came: path, headers by their names in lower case, and what was in it."""

    path: str
    headers: dict[str, str]
    body: Any
    texts: tuple[str, ...]


Rule = Callable[[Asked], Reply | None]


class Provider:
    """What the server does. ``queue`` holds answers for the next requests, then ``rule`` is asked, if any.

    ``chat`` says what a conversation is answered with. ``spoil`` may change the list of vectors of an answer
    before it is sent. ``together`` makes every request wait until so many are there at once; ``most``
    is how many ever were.
    """

    def __init__(self, dimension: int = 16) -> None:
        self.dimension = dimension
        self.asked: list[Asked] = []
        self.queue: list[Reply | None] = []
        self.rule: Rule | None = None
        self.spoil: Callable[[list[Any], Asked], list[Any]] | None = None
        self.chat: Callable[[Asked], str] = lambda _: "Yes."
        self.packed = False
        self.backwards = False
        self.together = 1
        self.most = 0
        self.address = ""
        self._there = 0
        self._changed = threading.Condition()
        self.left = threading.Event()
        """Set when the server ends: whoever holds a connection open lets it go."""

    @property
    def openai(self) -> str:
        """The endpoint for ``openai``."""
        return f"{self.address}/v1"

    @property
    def gemini(self) -> str:
        """The endpoint for ``gemini``."""
        return f"{self.address}/v1beta/openai"

    @property
    def texts(self) -> list[str]:
        """All texts that ever came, in the order of the requests."""
        return [text for asked in self.asked for text in asked.texts]

    def vectors(self, texts: tuple[str, ...]) -> list[list[float]]:
        """What those texts become; not of length 1, as nobody promises that."""
        return [
            [3.0 * x for x in row] for row in HashingEmbedder(dimension=self.dimension).embed(texts).tolist()
        ]

    def enter(self) -> None:
        """One more request is being answered; wait for the others if that was asked for."""
        with self._changed:
            self._there += 1
            self.most = max(self.most, self._there)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self.most >= self.together, timeout=10)

    def leave(self) -> None:
        """It has been answered."""
        with self._changed:
            self._there -= 1


@contextlib.contextmanager
def providing(dimension: int = 16) -> Iterator[Provider]:
    """A running provider."""
    made = Provider(dimension)

    class Handler(_Handler):
        provider = made

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

        def handle_error(self, *_: object) -> None:
            """A client that left is no news."""

    server = Server(("127.0.0.1", 0), Handler)
    made.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.left.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    provider: Provider
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        body = json.loads(data)
        asked = Asked(
            self.path, {k.lower(): v for k, v in self.headers.items()}, body, tuple(_texts(self.path, body))
        )
        provider = self.provider
        provider.asked.append(asked)
        provider.enter()
        try:
            reply = provider.queue.pop(0) if provider.queue else None
            if reply is None and provider.rule is not None:
                reply = provider.rule(asked)
            self._send(reply or Reply(), asked)
        finally:
            provider.leave()

    def do_GET(self) -> None:
        self.provider.asked.append(
            Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, None, ())
        )
        self._send(Reply(404, b"{}"), self.provider.asked[-1])

    def log_message(self, format: str, *args: object) -> None:
        """Requests are kept, not printed."""

    def _send(self, reply: Reply, asked: Asked) -> None:
        if reply.reset:
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
            self.close_connection = True
            return
        body = self._right(asked) if reply.body is None else reply.body
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if reply.drip:
            for byte in body:
                if self.provider.left.wait(0.02):
                    break
                self.wfile.write(bytes([byte]))
        elif reply.cut is not None:
            self.wfile.write(body[: reply.cut])
        else:
            self.wfile.write(body)
        self.close_connection = reply.drip or reply.cut is not None

    def _right(self, asked: Asked) -> bytes:
        provider = self.provider
        if asked.path.endswith("/chat/completions"):
            return completion(provider.chat(asked))
        rows: list[Any] = list(provider.vectors(asked.texts))
        if provider.spoil is not None:
            rows = provider.spoil(rows, asked)
        items = [
            {"object": "embedding", "index": at, "embedding": self._shown(row)} for at, row in enumerate(rows)
        ]
        if provider.backwards:
            items.reverse()
        return json.dumps({"object": "list", "data": items, "model": asked.body.get("model")}).encode()

    def _shown(self, row: Any) -> Any:
        if not self.provider.packed:
            return row
        return base64.b64encode(np.asarray(row, "<f4").tobytes()).decode()


def completion(text: object, *, finish: str = "stop") -> bytes:
    """An answer of the chat API."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return json.dumps(
        {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    ).encode()


def _texts(path: str, body: Any) -> list[str]:
    if path.endswith("/chat/completions"):
        return [message["content"] for message in body["messages"]]
    return list(body["input"])
