"""What the system tells of processes, through ``/proc``: where it has none, nothing is proven."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from workbench.open_files import file_system

_PROC = Path("/proc")
_GITS = ("git", "jgit", "tig", "lazygit", "gitui", "jj")
_DISTANT = ("nfs", "cifs", "smb", "9p", "fuse", "afs", "ceph", "gluster", "lustre", "virtiofs", "vboxsf")
"""File systems on which another machine may be at work; what is seen here proves nothing then."""


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


def is_local(path: Path) -> bool:
    """Whether a path is known to lie on a file system that no other machine writes to."""
    found = file_system(path)
    return bool(found) and not found.startswith(_DISTANT)


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
