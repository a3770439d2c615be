"""Temporary folders: private, and removed afterwards, also after a kill.

Some hold a whole copy of the memory. The process that makes one holds a lock on it (flock, which goes with
its holder however that dies), so that whoever makes the next one, of whatever kind, can tell which a killed
process left behind, and removes them.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_PREFIX = "workbench-scratch-"
_YOUNG_SECONDS = 60.0
"""Age below which a folder stays: it may not be locked yet, and what a killed one began may still write."""


@contextlib.contextmanager
def scratch(kind: str) -> Iterator[Path]:
    """An empty folder that is gone at the end; ``kind`` is part of its name. Raises OSError.

    Where the file system knows no locks, what a killed one leaves there stays.
    """
    _sweep()
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{kind}-") as made, locked(Path(made)):
        yield Path(made)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Hold the lock on a folder, which leaves no file in it; False where its file system knows no locks.

    Raises BlockingIOError where somebody else holds it, and OSError where the folder cannot be opened.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        is_locked = True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:
            is_locked = False
        yield is_locked
    finally:
        os.close(descriptor)


def _sweep() -> None:
    """Take away what this user's killed processes left."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # it is in use, or not ours to take
            found = folder.lstat()
            old = time.time() - found.st_mtime > _YOUNG_SECONDS
            if not old or not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
                continue
            with locked(folder) as is_locked:
                if is_locked:
                    shutil.rmtree(folder)
