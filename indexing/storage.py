"""Small files of the index: written wholly or not at all, set aside when damaged."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import time
from pathlib import Path

_KEPT_ASIDE = 2


def write_json(path: Path, value: object) -> None:
    """``value`` at ``path``, wholly or not at all, durably. Raises OSError."""
    data = json.dumps(value, separators=(",", ":")).encode()
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


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
