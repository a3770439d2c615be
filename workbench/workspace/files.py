"""The only place that writes a workspace file, by exchanging it with a new one in one step.

The displaced file is read again afterwards: bytes that another writer appended in between are carried over,
and any other change puts the other writer's version back and reports it. So of two writers neither loses a
line, and a kill at any moment leaves each file wholly old or wholly new. ARCHITECTURE.md has the protocol.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from workbench.config.read_only import require_more_than_looking
from workbench.errors import NotMemoryError, ReadOnlyError
from workbench.frozen import frozen
from workbench.memory.entry import RelPath
from workbench.workspace.declared_format import require_known_format

# -- two names of one folder change places in one step -----------------------------------------------

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
    if not call:
        return False
    if call(folder, os.fsencode(first), folder, os.fsencode(second), how) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), second)


@cache
def _system_call() -> Callable[[int, bytes, int, bytes, int], int] | None:
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    function = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if not function:
        return None
    function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    function.restype = ctypes.c_int
    return function  # type: ignore[no-any-return]


# -- reading and replacing files ---------------------------------------------------------------------

TEMPORARY_PREFIX = ".wb-"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


_OUT_OF_BOUNDS = frozenset({"", ".", "..", ".git", ".workbench"})


class ChangedError(Exception):
    """The file is not what the edit was planned on; the other writer's version stands.

    ``left`` names a file beside it that may still be written to or holds foreign text; its first bytes
    are ``known``, or None when all of it is foreign.
    """

    def __init__(self, path: str, left: str | None = None, known: bytes | None = None) -> None:
        super().__init__(path)
        self.path = path
        self.left = left
        self.known = known


@frozen
class WriteResult:
    """What became of a write: the bytes that were carried over, and whether a flush was confirmed.

    ``displaced`` names the file, beside the new one, that holds the replaced bytes: a writer that keeps
    the old file open still writes there, so it is swept again later.
    """

    carried: bytes
    durable: bool
    displaced: str | None


class Files:
    """Reads and replaces files below one root, never through a link."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, path: RelPath) -> bytes:
        """The bytes of a regular file. Raises FileNotFoundError, or NotMemoryError for anything else."""
        with self._folder(path) as (folder, name):
            return _read(folder, name, path)

    @contextlib.contextmanager
    def opened(self, path: RelPath) -> Iterator[int]:
        """A descriptor of a regular file, to read from. Raises as ``read`` does."""
        with self._folder(path) as (folder, name), _opened(folder, name, path, os.O_RDONLY) as descriptor:
            yield descriptor

    def read_or_none(self, path: RelPath) -> bytes | None:
        """As ``read``; None when there is no such file."""
        try:
            return self.read(path)
        except FileNotFoundError:
            return None

    def mode(self, path: RelPath) -> int | None:
        """The permission bits of a file, or None where there is none."""
        with contextlib.suppress(FileNotFoundError), self._folder(path) as (folder, name):
            return stat.S_IMODE(_stat(folder, name).st_mode)
        return None

    def replace(
        self,
        path: RelPath,
        before: bytes | None,
        after: bytes | None,
        *,
        temporary: str,
        mode: int | None = None,
    ) -> WriteResult:
        """Make the file ``after`` where it is ``before``; None stands for no file.

        ``temporary`` is a name, unused so far, in the same folder. What another writer added at the end
        of ``before`` is kept at the end of ``after``. A file that was there keeps its mode, its owner and
        its attributes; one that comes into being gets ``mode``, as far as the person's umask allows.
        Raises ChangedError when the file holds anything else, at the start or at the moment of the
        exchange, and OSError when the disk refuses; the file is then as it was.
        """
        with self._folder(path, make=after is not None) as (folder, name):
            _require_start(folder, name, path, before, after)
            if after is None:
                return self._remove(folder, name, path, before or b"", temporary)
            like = None if before is None else name
            _write_new(folder, temporary, after, 0o666 if mode is None else mode & 0o777, like)
            try:
                _require_start(folder, name, path, before, after)
                if before is None:
                    return self._create(folder, name, path, temporary)
                return self._exchange(folder, name, path, before, after, temporary)
            except BaseException as error:
                if not (isinstance(error, ChangedError) and error.left):
                    self._discard(folder, temporary, after)
                raise

    def append(self, path: RelPath, data: bytes) -> None:
        """Add ``data`` at the end of a file with one write, making the file when there is none."""
        require_more_than_looking()
        require_known_format(self.root)
        with self._folder(path, make=True) as (folder, name):
            _append(folder, name, path, data)

    def lay(self, path: RelPath, data: bytes, *, mode: int = 0o666) -> None:
        """A new file in a folder that is being filled; whoever lays many flushes them together.

        Raises FileExistsError where there is anything already.
        """
        with self._folder(path, make=True) as (folder, name):
            _write_new(folder, name, data, mode, None, flush=False)

    def lay_link(self, path: RelPath, target: bytes) -> None:
        """A new link with this text as its target, which is neither looked at nor followed."""
        with self._folder(path, make=True) as (folder, name):
            os.symlink(target, os.fsencode(name), dir_fd=folder)

    def swap_beside(self, path: RelPath, name: str) -> None:
        """Exchange a file with the file ``name`` in its folder, or give that its place when there is none."""
        with self._folder(path) as (folder, own):
            try:
                swap(folder, name, own)
            except FileNotFoundError:
                place(folder, name, own)

    def take_back(self, path: RelPath, name: str, after: bytes | None) -> bool:
        """Give the displaced file ``name`` its place back from ``after``; whether it has it.

        Needs no space on the disk but for what was added to ``after`` meanwhile, which follows at its end;
        ours then bears the name ``name``. A file that another writer rewrote, or made, stays.
        """
        with self._folder(path) as (folder, own):
            if after is None:
                with contextlib.suppress(FileExistsError):
                    place(folder, name, own)
                    return True
                return False
            try:
                ours = _swap_back(folder, own, path, after, name)
            except FileNotFoundError:  # deleted meanwhile
                return False
            if ours is None:
                swap(folder, name, own)
            return ours is not None

    def inode_beside(self, path: RelPath, name: str) -> int:
        """The inode number of the file ``name`` in the folder of ``path``. Raises FileNotFoundError."""
        with self._folder(path) as (folder, _):
            return _stat(folder, name).st_ino

    def is_same_file(self, path: RelPath, name: str) -> bool:
        """Whether ``name`` in the folder of ``path`` is the very same file under a second name."""
        with contextlib.suppress(FileNotFoundError), self._folder(path) as (folder, own):
            return os.path.samestat(_stat(folder, own), _stat(folder, name))
        return False

    def rename(self, path: RelPath, old: str, new_folder: Path, new: str) -> None:
        """Move the file ``old`` beside ``path`` into another folder of the same file system."""
        with self._folder(path) as (folder, _):
            os.rename(old, new_folder / new, src_dir_fd=folder)

    def fetch(self, path: RelPath, old_folder: Path, name: str) -> None:
        """Move the file ``name`` back from another folder into that of ``path``."""
        with self._folder(path) as (folder, _):
            os.rename(old_folder / name, name, dst_dir_fd=folder)

    def remove_beside(self, path: RelPath, name: str) -> None:
        """Remove the file ``name`` in the folder of ``path``."""
        with self._folder(path) as (folder, _), contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)

    def read_beside(self, path: RelPath, name: str) -> bytes | None:
        """The bytes of the file ``name`` in the folder of ``path``, or None."""
        with contextlib.suppress(FileNotFoundError), self._folder(path) as (folder, _):
            return _read(folder, name, path)
        return None

    def require_writable(self, path: RelPath) -> None:
        """Raise ReadOnlyError, with the reason, when ``path`` could not be replaced, or NotMemoryError."""
        target = self.root.joinpath(*_parts(path))
        folder = target.parent
        while not folder.exists() and folder != self.root:
            folder = folder.parent
        for place, needed in ((target, os.W_OK), (folder, os.W_OK | os.X_OK)):
            if place.exists() and not os.access(place, needed):
                raise ReadOnlyError(
                    f"{place} is read-only", hint="nothing was changed; make it writable and try again"
                )

    def _exchange(
        self, folder: int, name: str, path: RelPath, before: bytes, after: bytes, temporary: str
    ) -> WriteResult:
        try:
            swap(folder, temporary, name)
        except FileNotFoundError:  # deleted in the last moment
            raise ChangedError(path) from None
        try:
            displaced = _read(folder, temporary, path)
            carried = displaced[len(before) :] if displaced.startswith(before) else None
            if carried:
                _append(folder, name, path, carried)
        except BaseException:
            swap(folder, temporary, name)
            self._discard(folder, temporary, after + _read(folder, name, path)[len(before) :])
            raise
        if carried is None:  # rewritten in the last moment
            raise ChangedError(path, temporary, _swap_back(folder, name, path, after, temporary))
        return WriteResult(carried, _flush_folder(folder), temporary)

    @staticmethod
    def _create(folder: int, name: str, path: RelPath, temporary: str) -> WriteResult:
        try:
            place(folder, temporary, name)
        except FileExistsError:
            raise ChangedError(path) from None
        return WriteResult(b"", _flush_folder(folder), None)

    @staticmethod
    def _remove(folder: int, name: str, path: RelPath, before: bytes, temporary: str) -> WriteResult:
        try:
            os.rename(name, temporary, src_dir_fd=folder, dst_dir_fd=folder)
        except FileNotFoundError:
            raise ChangedError(path) from None
        try:
            changed = _read(folder, temporary, path) != before
        except BaseException:  # also when it was made a link in the last moment
            place(folder, temporary, name)
            raise
        if changed:
            try:
                place(folder, temporary, name)
            except FileExistsError:  # the other writer made a new one meanwhile: both are kept
                raise ChangedError(path, left=temporary) from None
            raise ChangedError(path)
        return WriteResult(b"", _flush_folder(folder), temporary)

    @staticmethod
    def _discard(folder: int, temporary: str, known: bytes) -> None:
        """Remove our temporary file, but only while it holds nothing but bytes that are elsewhere too."""
        with contextlib.suppress(OSError):
            if known.startswith(_read(folder, temporary, temporary)):
                os.unlink(temporary, dir_fd=folder)

    @contextlib.contextmanager
    def _folder(self, path: RelPath, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """A descriptor of the folder that ``path`` is in, reached without following any link."""
        parts = _parts(path)
        descriptor = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in parts[:-1]:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, dir_fd=descriptor)
                try:
                    deeper = os.open(part, _FOLDER, dir_fd=descriptor)
                except FileNotFoundError:
                    raise
                except OSError as error:  # a link, or a file where a folder should be
                    raise NotMemoryError(path) from error
                os.close(descriptor)
                descriptor = deeper
            yield descriptor, parts[-1]
        finally:
            os.close(descriptor)


def _parts(path: RelPath) -> list[str]:
    """The names on the way to ``path``; NotMemoryError for one that leads out, or into git or our folder."""
    parts = path.split("/")
    if "\0" in path or any(part.casefold() in _OUT_OF_BOUNDS for part in parts):
        raise NotMemoryError(path)
    return parts


@contextlib.contextmanager
def _opened(folder: int, name: str, path: str, flags: int) -> Iterator[int]:
    """A descriptor of a regular file; links, pipes, devices and sockets are refused without waiting."""
    try:
        descriptor = os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644, dir_fd=folder)
    except FileNotFoundError:
        raise
    except PermissionError as error:
        raise ReadOnlyError(f"{path} cannot be opened: {error.strerror}") from error
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR, errno.ENODEV):
            raise NotMemoryError(path) from error
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotMemoryError(path)
        yield descriptor
    finally:
        os.close(descriptor)


def _read(folder: int, name: str, path: str) -> bytes:
    with _opened(folder, name, path, os.O_RDONLY) as descriptor:
        chunks = []
        while chunk := os.read(descriptor, 1 << 20):
            chunks.append(chunk)
        return b"".join(chunks)


def _append(folder: int, name: str, path: str, data: bytes) -> None:
    with _opened(folder, name, path, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as descriptor:
        _write_all(descriptor, data)
        os.fsync(descriptor)


def _swap_back(folder: int, own: str, path: str, after: bytes, name: str) -> bytes | None:
    """Give the file ``name`` the place of ours; what was added to ours meanwhile follows at its end.

    The bytes of ours, which is called ``name`` then; None where another writer rewrote it.
    """
    swap(folder, name, own)
    ours = _read(folder, name, path)
    if not ours.startswith(after):
        return None
    if ours != after:
        _append(folder, own, path, ours[len(after) :])
    return ours


def _require_start(folder: int, name: str, path: str, before: bytes | None, after: bytes | None) -> None:
    """The file must be what was planned on; lines added at its end since then will be carried over."""
    now: bytes | None = None
    with contextlib.suppress(FileNotFoundError):
        now = _read(folder, name, path)
    grown = before is not None and now is not None and after is not None and now.startswith(before)
    if now != before and not grown:
        raise ChangedError(path)


def _stat(folder: int, name: str) -> os.stat_result:
    return os.stat(name, dir_fd=folder, follow_symlinks=False)


def _write_new(
    folder: int, name: str, data: bytes, mode: int, like: str | None, *, flush: bool = True
) -> None:
    """A new file with these bytes, with the standing of the file ``like``; without one it gets of
    ``mode`` what the person's umask gives."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, 0o600 if like else mode, dir_fd=folder)
    try:
        if like:
            with _opened(folder, like, like, os.O_RDONLY) as source:
                _copy_standing(source, descriptor)
        _write_all(descriptor, data)
        if flush:
            os.fsync(descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(descriptor)


def _copy_standing(source: int, target: int) -> None:
    """Give a new file the mode of another one, and its owner, group and attributes where we may.

    An agent that runs as somebody else must be able to go on writing to its file.
    """
    had = os.fstat(source)
    for owner, group in ((-1, had.st_gid), (had.st_uid, -1)):
        with contextlib.suppress(OSError):
            os.fchown(target, owner, group)
    os.fchmod(target, stat.S_IMODE(had.st_mode))  # after the owner, whose change takes bits away
    with contextlib.suppress(OSError):
        for attribute in os.listxattr(source) if hasattr(os, "listxattr") else ():
            with contextlib.suppress(OSError):
                os.setxattr(target, attribute, os.getxattr(source, attribute))


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _flush_folder(folder: int) -> bool:
    """Whether the folder's own change is known to be on the disk."""
    try:
        os.fsync(folder)
    except OSError:
        return False
    return True
