"""Reading git objects through one long-lived ``cat-file --batch`` process."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from workbench.errors import RepositoryStateError


class ObjectReader:
    """Gives the bytes of objects by their full names, of any object format.

    Only names made of hexadecimal digits, and ``HEAD``, are ever sent, so no path can break the protocol.
    """

    def __init__(self, start: Callable[[], Any]) -> None:
        self._start = start
        self._process: Any = None  # GitPython's handle, which ends the process when it is dropped

    def read(self, name: str, kind: str) -> bytes:
        """The object ``name``. Raises RepositoryStateError when it is missing or of another kind."""
        header = self._ask(name) or self._ask(name)  # a reader that was killed is started again
        found = header.split()
        if len(found) != 3:
            raise RepositoryStateError(
                f"git has no object {name}", hint="the repository may be damaged: git fsck"
            )
        size = int(found[2])
        data: bytes = self._process.stdout.read(size)
        self._process.stdout.read(1)
        if found[1].decode() != kind or len(data) != size:
            raise RepositoryStateError(f"{name} is a {found[1].decode()}, not a {kind}")
        return data

    def resolve(self, revision: str) -> str | None:
        """The full name of what a revision means at this moment, or None when it means nothing."""
        found = (self._ask(revision) or self._ask(revision)).split()
        if len(found) != 3:
            return None
        self._process.stdout.read(int(found[2]) + 1)
        return str(found[0].decode())

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            for stream in (process.stdin, process.stdout, process.stderr):
                with contextlib.suppress(BrokenPipeError):  # what was not sent is of no use now
                    stream.close()
            process.proc.wait()

    def _ask(self, name: str) -> bytes:
        """The header line for ``name``; empty when the process is gone."""
        if self._process is None:
            self._process = self._start()
        try:
            self._process.stdin.write(name.encode() + b"\n")
            self._process.stdin.flush()
            header: bytes = self._process.stdout.readline()
        except BrokenPipeError:
            header = b""
        if not header:
            self.close()
        return header
