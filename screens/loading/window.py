"""A bounded part of a file, however large the file is, never through a link."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import NotMemoryError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Window:
    """The bytes ``start`` up to ``start + len(data)`` of a file of ``size`` bytes."""

    start: int
    data: bytes
    size: int


def read_window(root: Path, path: str, start: int, length: int) -> Window:
    """At most ``length`` bytes of a memory file from ``start`` on.

    Raises FileNotFoundError, and NotMemoryError for a link or anything that is not a regular file.
    """
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise NotMemoryError(path)
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            deeper = _open(part, _FOLDER, folder, path)
            os.close(folder)
            folder = deeper
        descriptor = _open(parts[-1], _FILE, folder, path)
    finally:
        os.close(folder)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotMemoryError(path)
        return Window(start, os.pread(descriptor, length, start), status.st_size)
    finally:
        os.close(descriptor)


def _open(name: str, flags: int, folder: int, path: str) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except (FileNotFoundError, PermissionError):
        raise
    except OSError as error:
        raise NotMemoryError(path) from error
