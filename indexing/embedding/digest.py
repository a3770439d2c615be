"""SHA-256 of large files, remembered by size, mtime and inode so that a start does not hash them again."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

from indexing.embedding.port import cache_dir
from indexing.storage import read_json, write_json

_REMEMBER_BYTES = 1_000_000
_MAX_REMEMBERED = 200


def file_digest(path: Path) -> str:
    """The SHA-256 of ``path`` in hexadecimal. Raises OSError when it cannot be read."""
    status = path.stat()
    if status.st_size < _REMEMBER_BYTES:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    stamp = [status.st_size, status.st_mtime_ns, status.st_ino]
    known = _known()
    name = os.path.realpath(path)
    match known.get(name):
        case [seen, str(digest)] if seen == stamp:
            return digest
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    known[name] = [stamp, digest]
    _remember(dict(list(known.items())[-_MAX_REMEMBERED:]))
    return digest


def _memory() -> Path:
    return cache_dir() / "digests.json"


def _known() -> dict[str, object]:
    try:
        known = read_json(_memory())
    except PermissionError:
        return {}
    return known if isinstance(known, dict) else {}


def _remember(known: dict[str, object]) -> None:
    # A cache that cannot be written costs time, nothing else.
    with contextlib.suppress(OSError):
        cache_dir().mkdir(parents=True, exist_ok=True, mode=0o700)
        write_json(_memory(), known)
