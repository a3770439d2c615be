"""A model hub on the loopback interface: as much of the hub's protocol as its own client asks for."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub:
    """Serves folders as models by their names; ``asked`` holds every request line.

    ``broken`` is a status that every request is answered with; a file in ``cut`` ends halfway; one in
    ``changed`` has other bytes than the hub says.
    """

    def __init__(self, models: dict[str, Path]) -> None:
        self.models = models
        self.asked: list[str] = []
        self.broken = 0
        self.cut: set[str] = set()
        self.changed: set[str] = set()
        self.address = ""


@contextlib.contextmanager
def serving(models: dict[str, Path]) -> Iterator[Hub]:
    """A running hub."""
    hub = Hub(models)

    class Handler(_Handler):
        served = hub

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    served: Hub

    def do_HEAD(self) -> None:
        self._respond(body=False)

    def do_GET(self) -> None:
        self._respond(body=True)

    def log_message(self, format: str, *args: object) -> None:
        self.served.asked.append(format % args)

    def _respond(self, *, body: bool) -> None:
        path = unquote(urlsplit(self.path).path)
        if self.served.broken:
            self._send(self.served.broken, b"{}", body=body)
            return
        for name, folder in self.served.models.items():
            if path in (f"/api/models/{name}", f"/api/models/{name}/revision/main"):
                self._send_json({"id": name, "modelId": name, "sha": COMMIT, "siblings": []}, body=body)
                return
            if path == f"/api/models/{name}/tree/{COMMIT}":
                self._send_json([_entry(folder, file) for file in _files(folder)], body=body)
                return
            if path.startswith(f"/{name}/resolve/"):
                self._send_file(folder, path.removeprefix(f"/{name}/resolve/").partition("/")[2], body=body)
                return
        self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"}, body=body)

    def _send_file(self, folder: Path, name: str, *, body: bool) -> None:
        data = (folder / name).read_bytes()
        tag = _tag(folder, folder / name)
        if name in self.served.changed:
            data = bytes(len(data))
        headers = {"ETag": f'"{tag}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
        status = 200
        asked = self.headers.get("Range", "")
        size = len(data)
        if asked.startswith("bytes=") and body:
            start = int(asked.removeprefix("bytes=").partition("-")[0])
            status, data = 206, data[start:]
            headers["Content-Range"] = f"bytes {start}-{size - 1}/{size}"
        self._send(status, data, headers, body=body, cut=name in self.served.cut)

    def _send_json(self, value: object, *, body: bool) -> None:
        self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json"}, body=body)

    def _send(
        self,
        status: int,
        data: bytes,
        headers: dict[str, str] | None = None,
        *,
        body: bool,
        cut: bool = False,
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if body:
            self.wfile.write(data[: len(data) // 2] if cut else data)
        self.close_connection = cut or not body


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _tag(folder: Path, path: Path) -> str:
    """Large files are known by their SHA-256, others by their git object id."""
    data = path.read_bytes()
    if path.suffix == ".safetensors":
        return hashlib.sha256(data).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _entry(folder: Path, path: Path) -> dict[str, object]:
    tag, size = _tag(folder, path), path.stat().st_size
    entry: dict[str, object] = {
        "type": "file",
        "path": path.relative_to(folder).as_posix(),
        "size": size,
        "oid": tag[:40],
    }
    if path.suffix == ".safetensors":
        entry["lfs"] = {"oid": tag, "size": size, "pointerSize": 134}
    return entry
