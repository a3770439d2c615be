"""Locks that die with their holder."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from workbench.errors import BusyError, disk_errors
from workbench.frozen import frozen
from workbench.special_files import read_regular, require_not_special

_RETRY_SECONDS = 0.02
_holding: list[Path] = []
_NOTE_BYTES = 1_000
_LEAST_SECONDS = 0.3
"""Whoever looks at a lock (``held``) takes it for an instant, which must refuse nobody."""


@frozen
class LockState:
    """A lock file as it is: whether somebody holds it, and what its last holder wrote into it."""

    held: bool = False
    pid: int = 0
    purpose: str = ""
    since: float = 0.0


@contextlib.contextmanager
def hold(path: Path, purpose: str, *, wait: float = 0.0, keep: bool = False) -> Iterator[LockState | None]:
    """Hold the lock file ``path`` for the length of the block; others wait ``wait`` seconds (0.3 at least).

    The lock is the operating system's (flock): it is gone when the holder dies, however it dies, so a
    file that is left behind means nothing; what a killed holder wrote into it is what the block is given.
    ``keep`` leaves that there for whoever holds the lock next. Raises BusyError naming the holder,
    ReadOnlyError, and SpecialFileError.
    """
    with disk_errors():
        require_not_special(path)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        deadline = time.monotonic() + max(wait, _LEAST_SECONDS)
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
        left = os.pread(descriptor, _NOTE_BYTES, 0)
        note = json.dumps({"pid": os.getpid(), "purpose": purpose, "since": time.time()}).encode()
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, note, 0)
        _holding.append(path)
        try:
            yield _held(left, busy=False) if left else None
        finally:
            _holding.remove(path)
            os.ftruncate(descriptor, 0)
            if keep and left:
                os.pwrite(descriptor, left, 0)
    finally:
        _let_go(descriptor)


def is_holding() -> bool:
    """Whether any thread of this process holds a lock now: it is writing."""
    return bool(_holding)


def holder(path: Path) -> str:
    """Who holds the lock, in words."""
    with contextlib.suppress(OSError, ValueError):
        note = _held(read_regular(path), busy=True)
        if note.pid:
            return f"{note.purpose} (process {note.pid})"
    return "another process"


def held(path: Path) -> LockState | None:
    """The state of a lock, taken for no longer than it takes to ask; None where there is no lock file.

    The lock is the operating system's (flock), so the file says nothing of itself: see ``hold``.
    Raises OSError where the file may not be opened.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        busy = False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            busy = True
        since = os.fstat(descriptor).st_mtime
        left = os.read(descriptor, _NOTE_BYTES) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    finally:
        _let_go(descriptor)
    return _held(left, busy=busy, since=since)


def _held(left: bytes, *, busy: bool, since: float = 0.0) -> LockState:
    note: dict[str, object] = {}
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(left)
        note = found if isinstance(found, dict) else {}
    pid, purpose, began = note.get("pid"), note.get("purpose"), note.get("since")
    return LockState(
        busy,
        pid if isinstance(pid, int) else 0,
        purpose if isinstance(purpose, str) else "",
        since or (began if isinstance(began, float) else 0.0),
    )


def _let_go(descriptor: int) -> None:
    """Closing alone would leave the lock to a child that another thread is starting, until it is started."""
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)
