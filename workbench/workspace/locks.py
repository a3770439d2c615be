"""Locks that die with their holder."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

from workbench.errors import BusyError, disk_error

_RETRY_SECONDS = 0.02


@contextlib.contextmanager
def hold(path: Path, purpose: str, *, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock file ``path`` for the length of the block; others wait at most ``wait`` seconds.

    The lock is the operating system's (flock): it is gone when the holder dies, however it dies, so a
    file that is left behind means nothing. Raises BusyError naming the holder, and ReadOnlyError.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise disk_error(error) from error
    try:
        deadline = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise BusyError(
                        f"{holder(path)} holds {path.name}", hint="try again when it has finished"
                    ) from None
                time.sleep(_RETRY_SECONDS)
        note = json.dumps({"pid": os.getpid(), "purpose": purpose}).encode()
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, note, 0)
        try:
            yield
        finally:
            os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def holder(path: Path) -> str:
    """Who holds the lock, in words."""
    try:
        note = json.loads(path.read_bytes())
        return f"{note['purpose']} (process {note['pid']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
