"""Small files of the index, written atomically, and the errors of its engines, turned into ours.

A refusal by the operating system (permissions, a full or read-only disk, too many open files) is no damage:
nothing is set aside for it.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from workbench.errors import IndexUnavailableError, SpecialFileError
from workbench.workspace.state_files import replace_state

_KEPT_ASIDE = 2


def write_json(path: Path, value: object) -> None:
    """``value`` at ``path``, wholly or not at all, durably. Raises OSError."""
    replace_state(path, json.dumps(value, separators=(",", ":")).encode(), flush=True)


def read_json(path: Path) -> object | None:
    """What ``path`` holds, or None when it is missing or damaged. Raises PermissionError."""
    try:
        value: object = json.loads(path.read_bytes())
    except PermissionError:
        raise
    except (OSError, ValueError, RecursionError):
        return None
    return value


def set_aside(path: Path, into: Path) -> None:
    """Move what is damaged to ``into``; only the newest few are kept. What cannot be moved is removed."""
    not_a_link(into)
    with contextlib.suppress(OSError):
        into.mkdir(exist_ok=True, mode=0o700)
        os.rename(path, into / f"{time.time_ns()}-{path.name}")
    if path.exists():
        remove(path)
    with contextlib.suppress(OSError):
        for older in sorted(into.iterdir())[:-_KEPT_ASIDE]:
            remove(older)


def set_aside_here(path: Path) -> None:
    """Move what is damaged out of the way, beside where it was; the newest is kept for whoever wants to look.

    Raises OSError.
    """
    os.rename(path, path.with_name(f"{path.name}.damaged-{time.time_ns()}"))
    for older in sorted(path.parent.glob(f"{path.name}.damaged-*"))[:-1]:
        remove(older)


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it, as far as possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def not_a_link(path: Path) -> None:
    """Remove ``path`` if it is a link: nothing here makes any, and what it leads to is not ours."""
    with contextlib.suppress(OSError):
        if path.is_symlink():
            path.unlink()


def link_in(folder: Path) -> str:
    """The path, from ``folder``, of a link in it or of itself (``.``); empty where all of it is in place."""
    if folder.is_symlink():
        return "."
    for place, folders, names in os.walk(folder):
        for name in (*folders, *names):
            if os.path.islink(path := os.path.join(place, name)):
                return os.path.relpath(path, folder)
    return ""


def shape(folder: Path) -> dict[str, list[int]]:
    """Size in bytes and mtime in nanoseconds of every file below ``folder`` that engines never rewrite.

    Index segments are immutable: a different shape means that something else was at them.
    """
    out: dict[str, list[int]] = {}
    for place, _, names in os.walk(folder):
        for name in names:
            if name.startswith(".") or name.endswith(".lock"):
                continue
            path = os.path.join(place, name)
            with contextlib.suppress(OSError):
                status = os.stat(path)
                out[os.path.relpath(path, folder)] = [status.st_size, status.st_mtime_ns]
    return out


# -- errors ------------------------------------------------------------------------------------------

REINDEX_HINT = "run `workbench reindex`; it sets damaged files aside and rebuilds them"
UNWRITABLE = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM}
_REFUSALS = UNWRITABLE | _NO_ROOM
_CODE = re.compile(r"\(os error (\d+)\)|\bcode: (\d+)")


class RefusedError(IndexUnavailableError):
    """The operating system refused access; the index itself may be whole. ``reason`` is an ``errno``.

    The message has the system's own words.
    """

    def __init__(self, what: str, reason: int) -> None:
        super().__init__(
            f"{what}: {os.strerror(reason)}",
            hint="nothing is damaged: "
            + (
                "start the program in a UTF-8 locale (LC_ALL=C.UTF-8), which its folder's name needs"
                if reason == errno.EILSEQ
                else "correct the permissions or free resources, and try again"
            ),
        )
        self.reason = reason


class SpecialInIndexError(RefusedError):
    """A named pipe, a socket or a device stands in the index; whoever opens it could wait for ever."""

    def __init__(self, found: SpecialFileError) -> None:
        IndexUnavailableError.__init__(self, found.message, hint=found.hint)
        self.reason = errno.EINVAL


@contextlib.contextmanager
def engine(what: str) -> Iterator[None]:
    """Turn any failure of an engine, a Rust panic too, into IndexUnavailableError naming ``what``."""
    try:
        yield
    except IndexUnavailableError:
        raise
    except BaseException as error:
        panic = type(error).__name__ == "PanicException"  # derives from BaseException in pyo3
        if panic or isinstance(error, Exception):
            raise _unavailable(what, error) from error
        raise


@contextlib.contextmanager
def allowed(what: str) -> Iterator[None]:
    """Turn a PermissionError into RefusedError naming ``what``; other errors pass."""
    try:
        yield
    except PermissionError as error:
        raise RefusedError(what, error.errno or errno.EACCES) from error


def _unavailable(what: str, error: BaseException) -> IndexUnavailableError:
    code = _refusal(error)
    if code:
        return RefusedError(what, code)
    reason = str(error).partition("\n")[0][:200] or type(error).__name__
    return IndexUnavailableError(f"{what}: {reason}", hint=REINDEX_HINT)


def _refusal(error: BaseException) -> int:
    """The ``errno`` of a refusal, 0 for anything else. The engines tell it in their text only."""
    if isinstance(error, OSError) and error.errno in _REFUSALS:
        return error.errno
    if isinstance(error, UnicodeEncodeError):  # a path that this locale cannot write
        return errno.EILSEQ
    codes = (int(bracketed or named) for bracketed, named in _CODE.findall(str(error)))
    return next((code for code in codes if code in _REFUSALS), 0)
