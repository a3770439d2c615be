"""What the system tells of processes and open files, mostly by ``/proc``; without it nothing is known."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import signal
import time
from collections.abc import Collection, Iterator
from pathlib import Path

# -- who can still write into a file that was opened earlier -----------------------------------------

_MOUNTS = Path("/proc/self/mountinfo")
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_LOCAL = frozenset(
    {
        *("bcachefs", "btrfs", "ecryptfs", "exfat", "ext2", "ext3", "ext4", "f2fs", "hfsplus", "jfs"),
        *("msdos", "nilfs2", "ntfs", "ntfs3", "overlay", "ramfs", "reiserfs", "tmpfs", "ubifs", "udf"),
        *("vfat", "xfs", "zfs"),
    }
)
"""File systems that only this kernel writes to. Any other may be written from another machine."""


def has_writers(descriptor: int, path: Path) -> bool | None:
    """Whether the file behind ``descriptor``, opened at ``path`` for reading only, is open for writing.

    The kernel answers: it grants a read lease only while no process of any user or container has the file
    open for writing or mapped writable. The lease stays until ``descriptor`` is closed, and until then
    nobody can open the file for writing. None where that cannot be known: on a file system that other
    machines may write to, for a file of another user, or on a system without leases.
    """
    if not hasattr(fcntl, "F_SETLEASE") or not is_local(path):
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


def program_environment() -> dict[str, str]:
    """Our own environment, for a Python process that imports this program wherever it is started."""
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    own = os.fspath(Path(__file__).resolve().parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([own, *filter(None, paths)])}


def is_local(path: Path) -> bool:
    """Whether a path is known to lie on a file system that no other machine writes to."""
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
        return False
    return best[1] in _LOCAL


def boot_moment() -> tuple[str, float]:
    """Which start of the system this is, and the seconds since then: no change of the clock moves them."""
    return _boot(), time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@functools.cache
def _boot() -> str:
    with contextlib.suppress(OSError):
        return _BOOT.read_text(encoding="ascii").strip()
    return ""


# -- which processes live, and what they are at ------------------------------------------------------

_PROC = Path("/proc")
_GITS = ("git", "jgit", "tig", "lazygit", "gitui", "jj")


def alive(pid: int) -> bool:
    """Whether a process with this number lives, as far as it can be seen from here."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return _state(pid) != "Z"


def stopped(pid: int) -> bool:
    """Whether a process was halted, by ctrl+z or a debugger, and holds on to what it has."""
    return _state(pid) in ("T", "t")


def gits(folders: Collection[Path]) -> tuple[str, ...] | None:
    """The processes that may be a git at work in ``folders``, as ``git (process 12)``; None: not to be seen.

    Left out are those that only read, and those that are shown to be busy elsewhere: neither where they
    stand, nor their arguments, nor their environment name one of the folders.
    """
    found = []
    try:
        for pid in _all():
            name = _read(pid, "comm").decode("utf-8", "replace").strip()
            if name.startswith(_GITS) and _may_be_in(pid, folders):
                found.append(f"{name} (process {pid})")
    except OSError:
        return None
    return tuple(found)


def opened_by(path: Path) -> tuple[int, ...] | None:
    """The processes that have a file open; None when those of its owner cannot be seen from here."""
    try:
        wanted = path.stat()
        if wanted.st_uid != os.geteuid() and os.geteuid() != 0:
            return None
        return tuple(pid for pid in _all() if _has_open(pid, wanted))
    except OSError:
        return None


def _may_be_in(pid: int, folders: Collection[Path]) -> bool:
    try:
        where = Path(os.readlink(_PROC / str(pid) / "cwd"))
        arguments = (_PROC / str(pid) / "cmdline").read_bytes()
        said = arguments + (_PROC / str(pid) / "environ").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False  # it has ended
    except OSError:
        return True  # somebody else's: it cannot be told
    if b"\0cat-file\0" in arguments:
        return False
    return any(where.is_relative_to(folder) or os.fsencode(folder) in said for folder in folders)


def _read(pid: int, name: str) -> bytes:
    with contextlib.suppress(OSError):
        return (_PROC / str(pid) / name).read_bytes()
    return b""


def _all() -> Iterator[int]:
    return (int(name) for name in os.listdir(_PROC) if name.isdigit())


def _has_open(pid: int, wanted: os.stat_result) -> bool:
    folder = _PROC / str(pid) / "fd"
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            with contextlib.suppress(OSError):
                found = os.stat(folder / name)
                if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
                    return True
    return False


def _state(pid: int) -> str:
    fields = _read(pid, "stat").rpartition(b")")[2].split()
    return fields[0].decode() if fields else ""
