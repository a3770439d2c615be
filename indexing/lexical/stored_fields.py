"""What the lexical index gives back of an entry, as one line of text and back.

Fields stand between unit separators, the text last; each heading ends in a record separator. Far cheaper than
JSON, which matters at fifty thousand entries.
"""

from __future__ import annotations

from datetime import date

from indexing.document import Stamp, Stored, restored, storable
from indexing.facets import read_line
from workbench.memory.entry import Kind

_FIELD, _HEADING = "\x1f", "\x1e"
_FIELDS = 15


def write_body(entry: Stored, at: int) -> bytes:
    """The stored form of ``entry``, the ``at``-th of its file."""
    stamp = entry.stamp
    heading = "".join(title.replace(_FIELD, " ").replace(_HEADING, " ") + _HEADING for title in entry.heading)
    fields = (
        storable(entry.path),
        entry.kind.value,
        str(entry.date.toordinal() if entry.date else 0),
        str(entry.start_line),
        str(entry.end_line),
        entry.hash,
        str(entry.ordinal),
        str(at),
        str(stamp.size),
        str(stamp.ctime_ns),
        str(stamp.inode),
        stamp.digest + ("!" if stamp.racy else ""),
        heading,
        entry.facets.line(),
        entry.text,
    )
    return _FIELD.join(fields).encode("utf-8", "replace")


def read_body(line: bytes | None) -> tuple[Stored, int]:
    """The entry in ``line`` and its position in its file. Raises ValueError on anything else."""
    fields = (line or b"").decode().split(_FIELD, _FIELDS - 1)
    if len(fields) != _FIELDS:
        raise ValueError("it was made by another version of the program")
    (
        path,
        kind,
        day,
        first,
        last,
        digest,
        ordinal,
        at,
        size,
        ctime_ns,
        inode,
        content,
        heading,
        facets,
        text,
    ) = fields
    ordinal_day = int(day)
    entry = Stored(
        restored(path),
        Kind(kind),
        date.fromordinal(ordinal_day) if ordinal_day else None,
        int(first),
        int(last),
        tuple(heading.split(_HEADING)[:-1]),
        digest,
        int(ordinal),
        text,
        Stamp(int(size), int(ctime_ns), int(inode), content.rstrip("!"), content.endswith("!")),
        read_line(facets),
    )
    return entry, int(at)
