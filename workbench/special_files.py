"""Refusal of named pipes, sockets and devices in the place of a file or folder of git's or of ours.

A program that opens one may wait for ever, and an unpacked archive can bring one along. So files of ours are
opened by ``read_regular``, which never waits. Those that others open (git, the engines of the index) are
looked at before: ``require_no_special_files`` for ``.workbench`` and ``require_regular_repository`` for
``.git``.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from workbench.errors import ReadOnlyError, SpecialFileError

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_WATCHER = "fsmonitor--daemon.ipc"
_MOST_BYTES = 64 * 1024
"""Bytes that are read of a file in which git keeps the way to a folder."""
_NOT_GITS = frozenset({"objects", "workbench"})
"""What is looked at by itself, and the folder of ours, in which git opens nothing."""
_LOOSE_OBJECTS = frozenset(f"{number:02x}" for number in range(256))


def read_regular(path: Path, most: int = -1) -> bytes:
    """The bytes of a regular file, at most so many if it is said how many.

    Raises ValueError, without waiting, for a link or a special file.
    """
    with open_regular(path) as descriptor, os.fdopen(os.dup(descriptor), "rb") as file:
        return file.read(most)


@contextlib.contextmanager
def open_regular(path: Path) -> Iterator[int]:
    """A descriptor of a regular file, to read from. Raises as ``read_regular`` does."""
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


def kind_of_special(path: Path | str) -> str:
    """What a special file is, ``a named pipe``; empty for all that may be opened, and where there is nothing.

    A link counts as what it leads to. git's own file system watcher listens on a socket, which nobody reads.
    """
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return ""
    if stat.S_ISSOCK(found.st_mode) and os.fspath(path).endswith(_WATCHER):
        return ""
    if stat.S_ISCHR(found.st_mode) and found.st_rdev == os.stat(os.devnull).st_rdev:
        return ""  # an empty file, for all who read it
    return _KINDS.get(stat.S_IFMT(found.st_mode), "")


def special_files(folder: Path, *, leave_out: frozenset[str] = frozenset()) -> Iterator[Path]:
    """The special files at and below ``folder``. Folders directly in it that are left out are not entered."""
    if kind_of_special(folder):
        yield folder
        return
    seen: set[tuple[int, int]] = set()
    left = [folder]
    while left:
        place = left.pop()
        try:
            at = os.stat(place)
            entries = sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError:
            continue
        if (at.st_dev, at.st_ino) in seen:  # links can lead round in a ring
            continue
        seen.add((at.st_dev, at.st_ino))
        for entry in entries:
            if entry.is_file(follow_symlinks=False):
                continue
            if _is_folder(entry):
                if place != folder or entry.name not in leave_out:
                    left.append(place / entry.name)
            elif kind_of_special(entry.path):
                yield place / entry.name


def special_file_error(path: Path) -> SpecialFileError:
    """What is said of a special file."""
    return SpecialFileError(path, kind_of_special(path))


def require_not_special(path: Path) -> None:
    """Raise SpecialFileError where ``path`` is a special file."""
    if kind_of_special(path):
        raise special_file_error(path)


def make_folder(path: Path) -> None:
    """Make a folder of ours where it is not there; a link in its place would lead out of the workspace.

    Raises ReadOnlyError, SpecialFileError, and OSError.
    """
    if path.is_symlink():
        raise ReadOnlyError(
            f"{path} is a link, and its files must stay in the workspace",
            hint="remove the link; the folder is created again",
        )
    require_not_special(path)
    path.mkdir(mode=0o700, exist_ok=True)  # another process may make it in the same instant


def require_no_special_files(folder: Path, *, leave_out: frozenset[str] = frozenset()) -> None:
    """Raise SpecialFileError for a special file at or below ``folder``."""
    for path in special_files(folder, leave_out=leave_out):
        raise special_file_error(path)


def require_regular_repository(folder: Path, *, loose_objects: bool = False) -> None:
    """Raise SpecialFileError where git, started in ``folder``, would open a special file of its own.

    That is all in ``.git``, also where it is a file that leads elsewhere, in the folder that worktrees share,
    and in those that objects are borrowed from. Loose objects, of which there may be very many, are looked at
    only if asked for.
    """
    leave_out = frozenset() if loose_objects else _LOOSE_OBJECTS
    left, seen = [_git_dir(folder)], set()
    while left:
        place = left.pop()
        if place is None or place in seen:
            continue
        seen.add(place)
        if place.name == "objects":
            require_no_special_files(place, leave_out=leave_out)
            left += [place / line for line in _lines(place / "info" / "alternates")]
        else:
            require_no_special_files(place, leave_out=_NOT_GITS)
            left += [place / line for line in _lines(place / "commondir")[:1]]
            if os.path.lexists(place / "objects"):
                left.append(place / "objects")


def _git_dir(folder: Path) -> Path | None:
    """What ``.git`` of the nearest folder upwards is or names; a bare repository is its own."""
    for place in (folder, *folder.parents):
        found = place / ".git"
        require_not_special(found)
        if found.is_file():
            named = next(iter(_lines(found)), "")
            return place / named.removeprefix("gitdir:").strip() if named.startswith("gitdir:") else None
        if found.is_dir():
            return found
        if os.path.lexists(place / "HEAD") and os.path.lexists(place / "objects"):
            return place
    return None


def _lines(path: Path) -> list[str]:
    try:
        return os.fsdecode(read_regular(path)[:_MOST_BYTES]).splitlines()
    except (OSError, ValueError):
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
