"""What one generation of the index holds, written last: what it does not say was not done."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from indexing.document import CHUNKER, NEIGHBOURS
from indexing.storage import read_json, write_json
from workbench.memory.names import RelPath

FORMAT = 3
RACY_NS = 2_000_000_000
"""A file changed less than this before a sync began may change again and keep its time stamp."""

CONTEXT_WEIGHT = 0.4
"""What each neighbour's text vector adds to an entry's; measured, flat between 0.3 and 0.5."""


@dataclass(slots=True)
class FileRecord:
    """An indexed file as it was: size in bytes, ctime in nanoseconds, SHA-256, entries, vectors done.

    Of a transcript also how many lines it had and the digest of its last bytes: they say whether it only
    grew.
    """

    size: int
    ctime_ns: int
    inode: int
    sha256: str
    entries: int
    vectors: bool = False
    lines: int = 0
    tail: str = ""
    lacking: int = 0
    """Entries whose text no vector could be made of; the others of the file have theirs."""


@dataclass(slots=True)
class Manifest:
    """The books of one generation.

    ``words`` and ``model`` are the fingerprint: how words are indexed, and which model made the vectors
    (None: none yet). ``leftover`` names files whose vectors must still be removed. ``synced_ns`` is
    when the last sync began. ``shapes`` are those of the stores after the last sync.
    """

    words: str
    model: str | None = None
    dimension: int = 0
    synced_ns: int = 0
    files: dict[RelPath, FileRecord] = field(default_factory=dict)
    leftover: list[str] = field(default_factory=list)
    shapes: dict[str, dict[str, list[int]]] = field(default_factory=dict)

    @property
    def entries(self) -> int:
        """Entries in all files."""
        return sum(record.entries for record in self.files.values())

    @property
    def lacking(self) -> int:
        """Entries whose text no vector could be made of."""
        return sum(record.lacking for record in self.files.values() if record.vectors)

    @property
    def pending(self) -> int:
        """Entries without a vector."""
        return sum(record.entries for record in self.files.values() if not record.vectors)

    @property
    def fingerprint(self) -> str:
        """Both parts of the fingerprint in one line."""
        return f"{self.words};{self.model or 'no vectors'};{self.dimension}"


def words_fingerprint() -> str:
    """How words are indexed by this version of the program."""
    from indexing.lexical.schema import SCHEMA  # noqa: PLC0415 - imports tantivy

    return f"schema {SCHEMA};chunker {CHUNKER};context {NEIGHBOURS}x{CONTEXT_WEIGHT}"


def read_manifest(path: Path) -> Manifest | None:
    """The manifest at ``path``, or None when there is none or it is damaged."""
    raw = read_json(path)
    try:
        if not isinstance(raw, dict) or raw["format"] != FORMAT:
            return None
        files = {RelPath(name): _record(*values) for name, values in raw["files"].items()}
        return Manifest(
            str(raw["words"]),
            raw["model"],
            int(raw["dimension"]),
            int(raw["synced_ns"]),
            files,
            list(raw["leftover"]),
            dict(raw["shapes"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _record(
    size: int,
    ctime_ns: int,
    inode: int,
    sha256: str,
    entries: int,
    vectors: int,
    lines: int = 0,
    tail: str = "",
) -> FileRecord:
    """A line of the books; ``vectors`` is 0 for none, 1 for all, 1 + n for all but n."""
    lacking = max(0, int(vectors) - 1)
    return FileRecord(size, ctime_ns, inode, sha256, entries, bool(vectors), lines, tail, lacking)


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write ``manifest`` wholly or not at all. Raises OSError."""
    write_json(
        path,
        {
            "format": FORMAT,
            "words": manifest.words,
            "model": manifest.model,
            "dimension": manifest.dimension,
            "synced_ns": manifest.synced_ns,
            "files": {
                name: [
                    *(f.size, f.ctime_ns, f.inode, f.sha256, f.entries, int(f.vectors) + f.lacking),
                    *((f.lines, f.tail) if f.tail else ()),
                ]
                for name, f in manifest.files.items()
            },
            "leftover": manifest.leftover,
            "shapes": manifest.shapes,
        },
    )
