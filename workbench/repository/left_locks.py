"""Locks of git's that nobody holds any more: which are proven to be, and which of them were ours."""

from __future__ import annotations

import contextlib
import re
import shlex
import time
from collections.abc import Sequence
from pathlib import Path

from workbench import processes

_LONGEST_SECONDS = 60.0
"""What may lie between the beginning of an action and the last lock that its git takes."""
_YOUNG_SECONDS = 5.0
"""A lock is this long in nobody's hands before a person is told to remove it."""
_BY_HAND = "if no git is running, remove the stale .lock file that it names"
_NAMED = re.compile(r"'([^'\n]+\.lock)'")


def remove_left_locks(folders: Sequence[Path], names: Sequence[str], since: float) -> None:
    """Take away the locks that a killed action of ours, begun at ``since``, left.

    ``folders`` are where git may be at work, the first of which hold the lock files ``names``. A lock is ours
    when it came while that action ran; it goes only when no git that could hold it lives.
    """
    found = [path for folder in folders for name in names if _came(path := folder / name, since)]
    if not found or processes.gits(folders) != ():
        return
    for path in found:
        if processes.opened_by(path) == () and processes.is_local(path):
            with contextlib.suppress(OSError):
                path.unlink()


def way_out(reason: str, folders: Sequence[Path]) -> str:
    """What a person can do about the lock file that git names in ``reason``."""
    named = _NAMED.search(reason)
    if named is None:
        return _BY_HAND
    lock = Path(named[1])
    gits, users = processes.gits(folders), processes.opened_by(lock)
    if gits:
        return f"{gits[0]} is at work here: try again when it has ended"
    if gits is None or users is None or users or not processes.is_local(lock):
        return _BY_HAND
    with contextlib.suppress(OSError):
        if time.time() - lock.stat().st_mtime >= _YOUNG_SECONDS:
            return (
                f"no git runs here and nobody has it open, so it was left behind: rm {shlex.quote(str(lock))}"
            )
    return _BY_HAND


def _came(path: Path, since: float) -> bool:
    try:
        return since <= path.lstat().st_mtime + 0.01 and path.lstat().st_mtime <= since + _LONGEST_SECONDS
    except OSError:
        return False
