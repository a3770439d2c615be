"""The folder that a backup is restored into for a trial: private, and gone afterwards, also after a kill.

It holds a whole copy of the memory. Who makes one holds a lock on it (flock, which goes with its holder
however that dies), so that the next trial can tell what a killed one left behind, and takes it away.
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

_PREFIX = "workbench-check-"
_YOUNG_SECONDS = 60.0
"""Age below which a folder stays: it may not be locked yet, and what a killed one began may still write."""


@contextlib.contextmanager
def trial() -> Iterator[Path]:
    """An empty folder that is gone at the end. Raises OSError where none can be made."""
    _sweep()
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as place, _locked(Path(place)):
        yield Path(place)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _sweep() -> None:
    """Take away what killed trials of this user left."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # it is in use, or not ours to take
            found = folder.lstat()
            old = time.time() - found.st_mtime > _YOUNG_SECONDS
            if old and stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
                with _locked(folder):
                    shutil.rmtree(folder)
