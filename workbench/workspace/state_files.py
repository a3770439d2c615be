"""Small files of the state folder, ``.workbench/``: JSON, replaced whole, for their owner's eyes."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from workbench.special_files import read_regular


def read_state(path: Path, most: int) -> object | None:
    """What such a file holds; None where there is none, where it is no JSON, or over ``most`` bytes."""
    try:
        data = read_regular(path)
        return json.loads(data) if len(data) <= most else None
    except (OSError, ValueError, RecursionError):
        return None


def write_state(path: Path, value: object, *, fresh: Path | None = None, flush: bool = False) -> None:
    """Put ``value`` there, whole or not at all, with ``flush`` on the disk too. Raises OSError.

    It is written beside first: under the name ``fresh`` where only one writes at a time, so that what a kill
    leaves is known by its name.
    """
    beside = fresh or path.with_name(f"{path.name}.{os.getpid()}-{time.monotonic_ns()}")
    beside.unlink(missing_ok=True)
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            json.dump(value, file)
            if flush:
                file.flush()
                os.fsync(descriptor)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
