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


def write_state(path: Path, value: object) -> None:
    """Put ``value`` there, whole or not at all. Raises OSError."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}-{time.monotonic_ns()}")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            json.dump(value, file)
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
