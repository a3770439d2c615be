"""What the lexical index gives back of an entry, as one line of JSON and back."""

from __future__ import annotations

import json
from datetime import date

from indexing.document import Stamp, Stored, restored, storable
from workbench.memory.entry import Kind


def write_body(entry: Stored, at: int) -> bytes:
    """The stored form of ``entry``, the ``at``-th of its file."""
    stamp = entry.stamp
    row = [
        storable(entry.path),
        str(entry.kind),
        entry.date.toordinal() if entry.date else 0,
        entry.start_line,
        entry.end_line,
        list(entry.heading),
        entry.hash,
        entry.ordinal,
        entry.text,
        [stamp.size, stamp.mtime_ns, stamp.inode, stamp.digest, int(stamp.racy)],
        at,
    ]
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()


def read_body(line: bytes | None) -> tuple[Stored, int]:
    """The entry in ``line`` and its position in its file. Raises ValueError on anything else."""
    if line is None:
        raise ValueError("an entry without a body")
    path, kind, day, first, last, heading, digest, ordinal, text, stamp, at = json.loads(line)
    size, mtime_ns, inode, content, racy = stamp
    entry = Stored(
        restored(path),
        Kind(kind),
        date.fromordinal(day) if day else None,
        first,
        last,
        tuple(heading),
        digest,
        ordinal,
        text,
        Stamp(size, mtime_ns, inode, content, bool(racy)),
    )
    return entry, at
