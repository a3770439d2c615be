"""The card of the flat copy: which files it is made of, and which version of the vector table they copy.

::

    flat/card.json          written last; what it does not name is not part of the copy
    flat/base-<N>.rows      all rows of version N of the table
    flat/later-<N>.rows     the rows of files that were written since

Whatever is missing, cut off, rewritten or another table's makes no copy at all: the table itself is read
then, and the next sync copies it anew. Reading a card needs the standard library alone.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path

from indexing.storage import read_json, write_json

INDEX_ROWS = 200_000
"""Up to here all vectors are compared with a question, exactly; the engine's index is no faster below."""

FORMAT = 1
CARD = "card.json"
_ENGINE_FOLDER = "entries.lance/_versions"
_NEWEST_FIRST = 2**64 - 1
"""The engine names version N by this minus N, or by N itself in tables that an older one began."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """A file that is never rewritten: its name, size in bytes and mtime in nanoseconds."""

    name: str
    size: int
    mtime_ns: int

    def holds(self, folder: Path) -> bool:
        """Whether the file is there as it was."""
        try:
            status = (folder / self.name).stat()
        except OSError:
            return False
        return (status.st_size, status.st_mtime_ns) == (self.size, self.mtime_ns)


@dataclass(frozen=True, slots=True)
class PartCard:
    """One file of rows, how many, and the SHA-256 of it all."""

    file: Stamp
    rows: int
    sha256: str


@dataclass(frozen=True, slots=True)
class FlatCopyCard:
    """A flat copy of ``table``, which is the engine's own file of that version.

    ``rewritten`` names the files (``document.file_key``) whose rows are in ``later``, no longer in ``base``.
    """

    dimension: int
    table: Stamp
    base: PartCard
    later: PartCard | None
    rewritten: tuple[str, ...]


def versions_folder(vectors: Path) -> Path:
    """Where the engine adds a file with every write."""
    return vectors / _ENGINE_FOLDER


def newest_version(vectors: Path) -> Stamp | None:
    """The engine's file of the newest version of the table; None when there is none. Loads no engine."""
    folder = versions_folder(vectors)
    try:
        name = max(filter(_number, os.listdir(folder)), key=_number, default=None)
        status = (folder / name).stat() if name else None
    except OSError:
        return None  # a folder that is just being tidied: whoever asks reads the table
    return Stamp(name, status.st_size, status.st_mtime_ns) if name and status else None


def _number(name: str) -> int:
    """The number of the version that one of the engine's files is about; 0 for other files."""
    written, _, end = name.partition(".")
    if end != "manifest" or not written.isdecimal():
        return 0
    number = int(written)
    return number if number < _NEWEST_FIRST // 2 else _NEWEST_FIRST - number


def write_card(flat: Path, card: FlatCopyCard) -> None:
    """Make ``card`` the one that counts. Raises OSError."""
    write_json(flat / CARD, {"format": FORMAT, **asdict(card)})


def fitting_card(flat: Path, vectors: Path) -> FlatCopyCard | None:
    """The card of the copy in ``flat`` if it is whole and one of the newest version of the table."""
    card = _read_card(flat)
    if card is None or card.table != newest_version(vectors):
        return None
    parts = [card.base, *([card.later] if card.later else [])]
    return card if all(part.file.holds(flat) for part in parts) else None


def _read_card(flat: Path) -> FlatCopyCard | None:
    try:
        raw = read_json(flat / CARD)
        if not isinstance(raw, dict) or raw["format"] != FORMAT:
            return None
        return FlatCopyCard(
            int(raw["dimension"]),
            Stamp(**raw["table"]),
            _part(raw["base"]),
            _part(raw["later"]) if raw["later"] else None,
            tuple(map(str, raw["rewritten"])),
        )
    except (OSError, KeyError, TypeError, ValueError, AttributeError):
        return None


def _part(raw: dict[str, object]) -> PartCard:
    file = raw["file"]
    if not isinstance(file, dict) or "/" in str(file["name"]):
        raise ValueError("a file of rows stands beside its card")
    return PartCard(Stamp(**file), int(str(raw["rows"])), str(raw["sha256"]))
