"""An S3 server on loopback, and a proxy before it whose connections can be cut."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import socket
import struct
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import boto3
from moto.server import ThreadedMotoServer

from indexing.many_workspaces.table import Location, place_of

BUCKET = "fleet"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "an-access-key", "AWS_SECRET_ACCESS_KEY": "a-secret-access-key"}
_RESET = struct.pack("ii", 1, 0)
_BLOCK = 65_536


@dataclass(slots=True)
class Cut:
    """Which request loses its connection, ``after`` how many like it; ``late``: once the server has it."""

    words: re.Pattern[bytes]
    after: int = 0
    late: bool = False


class Proxy:
    """Hands connections on to ``port`` and counts requests by method; ``cut`` resets all connections once."""

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._cuts: list[Cut] = []
        self.cuts = 0
        self.requests: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, words: bytes, *, after: int = 0, late: bool = False) -> None:
        """Reset all connections at a request whose first line fits ``words``."""
        with self._lock:
            self._cuts.append(Cut(re.compile(words), after, late))

    def close(self) -> None:
        self._server.close()
        self._reset()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._server.accept()
                try:
                    server = socket.create_connection(self._target)
                except OSError:
                    client.close()
                    continue
                with self._lock:
                    self._open |= {client, server}
                for one, other, asks in ((client, server, True), (server, client, False)):
                    threading.Thread(target=self._pump, args=(one, other, asks), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, asks: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(_BLOCK):
                self.bytes["sent" if asks else "received"] += len(data)
                cut = self._cut_by(data) if asks else None
                if cut is not None and cut.late:
                    self._lose_answer(data)
                if cut is not None:
                    self._reset()
                    return
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def _lose_answer(self, data: bytes) -> None:
        """Have the server do what is asked, on a connection that nobody listens to."""
        with socket.create_connection(self._target) as server:
            server.sendall(data)
            server.settimeout(20)
            server.recv(_BLOCK)

    def _cut_by(self, data: bytes) -> Cut | None:
        head = data.partition(b"\r\n")[0]
        if not head.endswith(b"HTTP/1.1"):
            return None
        with self._lock:
            self.requests[head.partition(b" ")[0].decode()] += 1
            for cut in self._cuts:
                if not cut.words.match(head):
                    continue
                if cut.after:
                    cut.after -= 1
                    continue
                self._cuts.remove(cut)
                self.cuts += 1
                return cut
            return None

    def _reset(self) -> None:
        with self._lock:
            sockets, self._open = self._open, set()
        for one in sockets:
            with contextlib.suppress(OSError):
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            with contextlib.suppress(OSError):
                one.close()


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket of the server, and the proxy before it."""

    proxy: Proxy

    def place(self, name: str) -> Location:
        """A place in the bucket, reached through the proxy."""
        options = (
            f"endpoint=http://127.0.0.1:{self.proxy.port}",
            "allow_http=true",
            "aws_region=us-east-1",
            "timeout=20s",
        )
        return place_of(f"s3://{BUCKET}/{name}", options)


@contextlib.contextmanager
def bucket() -> Iterator[Bucket]:
    """A server with an empty bucket; credentials are in the environment as long as it runs."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    before = {name: os.environ.get(name) for name in CREDENTIALS}
    os.environ.update(CREDENTIALS)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        _, port = server.get_host_and_port()
        client = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        proxy = Proxy(port)
        try:
            yield Bucket(proxy)
        finally:
            proxy.close()
    finally:
        server.stop()
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
