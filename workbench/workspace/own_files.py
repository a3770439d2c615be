"""Reading files of ours, in whose place anything may lie: an archive can hold links and pipes."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path


def read_own(path: Path) -> bytes:
    """A regular file of the state folder. ValueError, without waiting, for a link or a pipe in its place."""
    with open_own(path) as descriptor, os.fdopen(os.dup(descriptor), "rb") as file:
        return file.read()


@contextlib.contextmanager
def open_own(path: Path) -> Iterator[int]:
    """A descriptor of such a file, to read from. Raises as ``read_own`` does."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise ValueError(f"{path} is not a file") from error
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError(f"{path} is not a file")
        yield descriptor
    finally:
        os.close(descriptor)
