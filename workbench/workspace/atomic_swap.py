"""Two names of one folder change places in one step."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import sys
from collections.abc import Callable
from functools import cache

_RENAME_EXCHANGE = 2  # linux/fs.h; RENAME_SWAP of macOS' renameatx_np has the same value
_RENAME_NOREPLACE = 4 if sys.platform == "darwin" else 1  # RENAME_EXCL there
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
ASIDE = ".aside"
"""What is added to the name of a file while another one is linked beside it."""


def swap(folder: int, first: str, second: str) -> None:
    """Exchange the files ``first`` and ``second`` of the open folder; both must exist.

    Where the system has no exchange, ``second`` is linked aside and replaced: the names still never
    stop existing, only the displaced file may be reached under two names for a moment.
    """
    if _rename(folder, first, second, _RENAME_EXCHANGE):
        return
    aside = first + ASIDE
    os.link(second, aside, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    try:
        os.rename(first, second, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(aside, dir_fd=folder)
        raise
    try:
        os.rename(aside, first, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.rename(aside, second, src_dir_fd=folder, dst_dir_fd=folder)
        raise


def place(folder: int, name: str, target: str) -> None:
    """Rename ``name`` to ``target``. Raises FileExistsError when that exists already."""
    if _rename(folder, name, target, _RENAME_NOREPLACE):
        return
    os.link(name, target, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    os.unlink(name, dir_fd=folder)


def _rename(folder: int, first: str, second: str, how: int) -> bool:
    """Whether the system could do it; False where it has no such call."""
    call = _system_call()
    if call is None:
        return False
    if call(folder, os.fsencode(first), folder, os.fsencode(second), how) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), second)


@cache
def _system_call() -> Callable[[int, bytes, int, bytes, int], int] | None:
    library = ctypes.CDLL(None, use_errno=True)
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    function = getattr(library, name, None)
    if function is None:
        return None
    function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    function.restype = ctypes.c_int
    return function  # type: ignore[no-any-return]
