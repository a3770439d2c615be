"""Small files of ours, in ``.workbench/`` and beside git's: replaced whole, for their owner's eyes."""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path

from workbench.special_files import read_regular


def read_state(path: Path, most: int) -> object | None:
    """The JSON in such a file; None where there is none, where it is no JSON, or over ``most`` bytes."""
    try:
        data = read_regular(path)
        return json.loads(data) if len(data) <= most else None
    except (OSError, ValueError, RecursionError):
        return None


def write_state(path: Path, value: object, *, fresh: Path | None = None, flush: bool = False) -> None:
    """Put ``value`` there as JSON, as ``replace_state`` does."""
    replace_state(path, json.dumps(value).encode("ascii"), fresh=fresh, flush=flush)


def replace_state(path: Path, data: bytes, *, fresh: Path | None = None, flush: bool = False) -> None:
    """Put ``data`` there, whole or not at all, with ``flush`` on the disk too. Raises OSError.

    It is written beside first: under the name ``fresh`` where only one writes at a time, so that what a kill
    leaves is known by its name.
    """
    beside = fresh or _beside(path)
    beside.unlink(missing_ok=True)
    try:
        _write_new(beside, data, flush=flush)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def make_once(path: Path, data: bytes, *, flush: bool = False) -> None:
    """Put ``data`` there for good, unless something is there already. Raises OSError."""
    beside = _beside(path)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        _write_new(beside, data, flush=flush)
        with contextlib.suppress(FileExistsError):
            os.link(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def flush_folder(folder: Path) -> None:
    """Have what was made, renamed or removed in a folder on the disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.{os.getpid()}-{time.monotonic_ns()}")


def _write_new(path: Path, data: bytes, *, flush: bool) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        if flush:
            file.flush()
            os.fsync(descriptor)
