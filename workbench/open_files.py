"""Whether any process can still write into a file that it opened earlier."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import signal
import time
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_LOCAL = frozenset(
    {"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "jfs", "overlay", "ramfs", "tmpfs", "xfs", "zfs"}
)
"""File systems that only this kernel writes to. Any other may be written from another machine."""


def has_writers(descriptor: int, path: Path) -> bool | None:
    """Whether the file behind ``descriptor``, opened at ``path`` for reading only, is open for writing.

    The kernel answers: it grants a read lease only while no process of any user or container has the file
    open for writing or mapped writable. The lease stays until ``descriptor`` is closed, and until then
    nobody can open the file for writing. None where that cannot be known: on a file system that other
    machines may write to, for a file of another user, or on a system without leases.
    """
    if not hasattr(fcntl, "F_SETLEASE") or file_system(path) not in _LOCAL:
        return None
    try:
        # Whoever opens the file meanwhile waits until it is closed here; the signal that tells us of them
        # would end the process, so one that is ignored by default takes its place.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except BlockingIOError:
        return True
    except OSError:
        return None
    return False


def file_system(path: Path) -> str:
    """The type of the file system that ``path`` is on, as mount(8) calls it; empty where it is not known."""
    best = ("", "")
    try:
        target = os.path.realpath(path)
        for line in _MOUNTS.read_text(errors="surrogateescape").splitlines():
            before, _, after = line.partition(" - ")
            mount = before.split()[4].encode("utf-8", "surrogateescape").decode("unicode_escape")
            inside = target == mount or target.startswith(mount.rstrip("/") + "/")
            if inside and len(mount) >= len(best[0]):
                best = (mount, after.split()[0])
    except (OSError, ValueError, IndexError):
        return ""
    return best[1]


def boot_moment() -> tuple[str, float]:
    """Which start of the system this is, and the seconds since then: no change of the clock moves them."""
    return _boot(), time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@functools.cache
def _boot() -> str:
    with contextlib.suppress(OSError):
        return _BOOT.read_text(encoding="ascii").strip()
    return ""
