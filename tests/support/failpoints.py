"""Failpoints: every call that changes the disk is counted, and any one of them can fail.

A call is one of Python's own (``os.open`` that creates, ``os.write``, ``os.fsync``, ``os.rename``, ...), an
exchange of two files, or a git process that writes. What fails, and how, is a ``Fault``.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import errno
import io
import os
import signal
import stat
import subprocess
from collections.abc import Callable, Iterator
from enum import Enum
from functools import partial
from typing import Any

from workbench.workspace import files

_CALLS = ("write", "pwrite", "fsync", "rename", "replace", "link", "unlink", "remove", "mkdir", "rmdir",
          "ftruncate", "fchmod", "symlink")  # fmt: skip
_GROWING = ("write", "pwrite", "link", "mkdir", "symlink", "open", "git")
_WRITING_COMMANDS = frozenset(
    {"hash-object", "commit-tree", "update-ref", "update-index", "read-tree", "fast-import", "init",
     "write-tree", "mktree", "bundle", "symbolic-ref", "push", "fetch", "unpack-objects", "index-pack"}
)  # fmt: skip


class KilledError(BaseException):
    """Stands for SIGKILL: nothing between it and the test may tidy up."""


class Fault(Enum):
    """What happens at the chosen call."""

    NONE = "none"
    DEATH = "death"
    """This call and all later ones never happen: what a killed process leaves behind."""
    SIGKILL = "SIGKILL"
    """The process kills itself for real."""
    IO_ERROR = "EIO"
    """This one call is refused by the disk."""
    FULL = "ENOSPC"
    """This call is refused, and from then on every call that needs space."""


class Failpoints:
    """The calls that were seen, in order, and whether the fault has struck."""

    def __init__(self, fault: Fault, moment: int) -> None:
        self.fault = fault
        self.moment = moment
        self.calls: list[str] = []

    @property
    def struck(self) -> bool:
        """Whether the moment was reached."""
        return self.fault is not Fault.NONE and len(self.calls) >= self.moment

    def refusal(self, name: str, half: Callable[[], object] | None = None) -> OSError | None:
        """Count a call; the error with which it fails, or None. ``half`` does a part of it before a death."""
        self.calls.append(name)
        number = len(self.calls)
        if self.fault is Fault.NONE or number < self.moment:
            return None
        if self.fault in (Fault.DEATH, Fault.SIGKILL):
            if half is not None and number == self.moment:
                half()
            if self.fault is Fault.SIGKILL:
                os.kill(os.getpid(), signal.SIGKILL)
            raise KilledError(name)
        if number == self.moment:
            code = errno.EIO if self.fault is Fault.IO_ERROR else errno.ENOSPC
            return OSError(code, os.strerror(code))
        if self.fault is Fault.FULL and name.partition(" ")[0] in _GROWING:
            return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return None


@contextlib.contextmanager
def failing(fault: Fault, moment: int = 1) -> Iterator[Failpoints]:
    """In this block the ``moment``-th call that changes the disk fails."""
    points = Failpoints(fault, moment)
    replaced: list[tuple[object, str, object]] = []

    def replace(owner: object, name: str, wrapper: Callable[[Any], Any]) -> None:
        real = getattr(owner, name)
        replaced.append((owner, name, real))
        setattr(owner, name, wrapper(real))

    for name in _CALLS:
        replace(os, name, partial(_call, points, name))
    replace(os, "open", lambda real: _open(points, real))
    replace(io, "open", lambda real: _stream(points, real))
    replace(builtins, "open", lambda real: _stream(points, real))
    replace(files, "_rename", lambda real: _exchange(points, real))
    replace(subprocess.Popen, "__init__", lambda real: _process(points, real))
    try:
        yield points
    finally:
        for owner, name, real in replaced:
            setattr(owner, name, real)


def _call(points: Failpoints, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        half = None
        if name in ("write", "pwrite"):
            if not stat.S_ISREG(os.fstat(arguments[0]).st_mode):
                return real(*arguments, **options)  # a pipe to git is no disk

            def half() -> object:
                return real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2], *arguments[2:])

        error = points.refusal(name, half)
        if error is not None:
            raise error
        return real(*arguments, **options)

    return call


def _open(points: Failpoints, real: Callable[..., int]) -> Callable[..., int]:
    def call(path: Any, flags: int, *arguments: Any, **options: Any) -> int:
        if flags & os.O_CREAT and (error := points.refusal("open")) is not None:
            raise error
        return real(path, flags, *arguments, **options)

    return call


def _stream(points: Failpoints, real: Callable[..., Any]) -> Callable[..., Any]:
    def call(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        writes = set(mode) & set("wax+") and not isinstance(file, int)  # a pipe to a process is no disk
        if writes and (error := points.refusal("open")) is not None:
            raise error
        return real(file, mode, *arguments, **options)

    return call


def _exchange(points: Failpoints, real: Callable[..., bool]) -> Callable[..., bool]:
    def call(*arguments: Any) -> bool:
        if files._system_call() is None:
            return False
        if (error := points.refusal("renameat2")) is not None:
            ctypes.set_errno(error.errno or 0)
            raise error
        return real(*arguments)

    return call


def _process(points: Failpoints, real: Callable[..., None]) -> Callable[..., None]:
    def call(self: Any, args: Any, *arguments: Any, **options: Any) -> None:
        command = next((word for word in args if word in _WRITING_COMMANDS), None)
        if command is not None and (error := points.refusal(f"git {command}")) is not None:
            # What git itself says and does when its own write is refused.
            said = f"fatal: unable to write: {error.strerror}"
            args = ["sh", "-c", 'cat >/dev/null; echo "$0" >&2; exit 128', said]
        real(self, args, *arguments, **options)

    return call
