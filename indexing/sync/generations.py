"""Generations of the index: each is built aside, swapped in whole, and removed later."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal

import msgspec

from indexing.document import CHUNKER, NEIGHBOURS, SCHEMA
from indexing.storage import SpecialInIndexError, allowed, read_json, remove, set_aside, write_json
from workbench.errors import IndexUnavailableError, SpecialFileError
from workbench.frozen import frozen
from workbench.memory.entry import RelPath
from workbench.special_files import require_no_special_files
from workbench.workspace.layout import MemoryFile
from workbench.workspace.state_files import replace_state

CACHE_FILE = "embeddings.sqlite"
"""Where a workspace remembers the vectors of texts, in its state folder."""
FORMAT: Final = 3
RACY_NS = 2_000_000_000
"""A file changed less than this before a sync began may change again and keep its time stamp."""

CONTEXT_WEIGHT = 0.4
"""What each neighbour's text vector adds to an entry's; measured, flat between 0.3 and 0.5."""
_NAME = re.compile(r"gen-(\d{1,9})")
_UNREADABLE = "the index cannot be read"


class FileRecord(msgspec.Struct, array_like=True):
    """An indexed file as it was: size in bytes, ctime in nanoseconds, SHA-256, entries, vectors.

    ``vectors`` is 0 where there are none yet, else 1 and how many entries lack theirs, as none could be made
    of their text. Of a transcript also how many lines it had and the digest of its last bytes: they say
    whether it only grew. ``read_as`` is what its place and its name said of its entries; empty where an older
    version did not note it.
    """

    size: int
    ctime_ns: int
    inode: int
    sha256: str
    entries: int
    vectors: int = 0
    lines: int = 0
    tail: str = ""
    read_as: str = ""

    @property
    def lacking(self) -> int:
        """Entries whose text no vector could be made of; the others of the file have theirs."""
        return max(0, self.vectors - 1)

    def is_of(self, file: MemoryFile) -> bool:
        """Whether the stamp of ``file`` is the one that it had then."""
        return (self.size, self.ctime_ns, self.inode) == (file.size, file.ctime_ns, file.inode)


class Manifest(msgspec.Struct):
    """What one generation holds, written last: what it does not say was not done.

    ``words`` and ``model`` are the fingerprint: how words are indexed, and which model made the vectors
    (None: none yet). ``leftover`` names files whose vectors must still be removed. ``synced_ns`` is
    when the last sync began. ``shapes`` are those of the stores after the last sync.
    """

    words: str
    model: str | None = None
    dimension: int = 0
    synced_ns: int = 0
    files: dict[RelPath, FileRecord] = {}
    leftover: list[str] = []
    shapes: dict[str, dict[str, list[int]]] = {}
    format: Literal[3] = FORMAT

    @property
    def entries(self) -> int:
        """Entries in all files."""
        return sum(record.entries for record in self.files.values())

    @property
    def lacking(self) -> int:
        """Entries whose text no vector could be made of."""
        return sum(record.lacking for record in self.files.values())

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
    return f"schema {SCHEMA};chunker {CHUNKER};context {NEIGHBOURS}x{CONTEXT_WEIGHT}"


@frozen
class Generation:
    """One generation's place on disk. What may not be read raises RefusedError."""

    folder: Path

    @property
    def name(self) -> str:
        """``gen-N``."""
        return self.folder.name

    @property
    def number(self) -> int:
        """The N of ``gen-N``."""
        return int(self.name.removeprefix("gen-"))

    @property
    def lexical(self) -> Path:
        """Where tantivy keeps the words."""
        return self.folder / "lexical"

    @property
    def vectors(self) -> Path:
        """Where LanceDB keeps the vectors."""
        return self.folder / "vectors"

    def manifest(self) -> Manifest | None:
        """Its manifest, or None when it is missing or damaged."""
        with allowed(_UNREADABLE):
            raw = read_json(self.folder / "manifest.json")
        if not isinstance(raw, dict) or "format" not in raw:  # one that does not name its format is none
            return None
        try:
            found = msgspec.convert(raw, Manifest)
            "".join((*found.files, *found.leftover)).encode("utf-8", "surrogateescape")
        except ValueError:  # another form, or names that no file can have
            return None
        return found

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace its manifest. Raises OSError."""
        write_json(self.folder / "manifest.json", msgspec.to_builtins(manifest))

    def pending(self) -> list[str] | None:
        """The files that an unfinished sync may have touched; None when the last one finished."""
        path = self.folder / "pending.json"
        with allowed(_UNREADABLE):
            if not path.exists():
                return None
            found = read_json(path)
        return [str(name) for name in found] if isinstance(found, list) else []

    def announce(self, paths: Iterable[str]) -> None:
        """Note durably which files are about to be touched. Raises OSError."""
        write_json(self.folder / "pending.json", list(paths))

    def finish(self) -> None:
        """All that was announced is in the manifest."""
        remove(self.folder / "pending.json")

    def model(self) -> str | None:
        """The identity of the model that its vectors come from, or None while there are none."""
        with allowed(_UNREADABLE):
            found = read_json(self.folder / "model.json")
        return found if isinstance(found, str) else None

    def write_model(self, identity: str) -> None:
        """Say which model the vectors come from. Raises OSError."""
        write_json(self.folder / "model.json", identity)

    def set_aside(self, damaged: Path) -> None:
        """Take its folder, or one in it, out of use."""
        set_aside(damaged, self.folder.parent / "set-aside")

    def suspect(self) -> None:
        """A reader met damage: the next sync shall build anew. Never fails."""
        with contextlib.suppress(OSError):
            (self.folder / "suspect").touch()

    def suspected(self) -> bool:
        """Whether a reader met damage."""
        with allowed(_UNREADABLE):
            return (self.folder / "suspect").exists()


class Generations:
    """The generations in one state folder; readers take no lock. What may not be read raises RefusedError.

    ::

        .workbench/index/current          names the generation that is searched
        .workbench/index/gen-N/           lexical/  vectors/  manifest.json  pending.json
        .workbench/index/set-aside/       what could not be opened
    """

    def __init__(self, state_dir: Path) -> None:
        self.folder = state_dir / "index"

    def current(self) -> Generation | None:
        """The generation that is searched, or None when there is none.

        Raises SpecialInIndexError where a special file stands in its way: engines would wait for it.
        """
        try:
            require_no_special_files(self.folder)
        except SpecialFileError as error:
            raise SpecialInIndexError(error) from error
        try:
            with allowed(_UNREADABLE):
                name = (self.folder / "current").read_text(encoding="ascii").strip()
                exists = _NAME.fullmatch(name) and (self.folder / name).is_dir()
        except (OSError, UnicodeDecodeError):
            return None
        return Generation(self.folder / name) if exists else None

    def require_in_place(self) -> None:
        """Refuse to write where a link leads to. Raises IndexUnavailableError."""
        if self.folder.is_symlink():
            raise IndexUnavailableError(
                f"{self.folder} is a link, and the index would be written somewhere else",
                hint="remove the link and run `workbench reindex`; your files are not affected",
            )

    def unfinished(self) -> list[Generation]:
        """Generations newer than the current one, newest first: builds that were interrupted."""
        current = self.current()
        after = current.number if current else 0
        return sorted(
            (found for found in self._all() if found.number > after),
            key=lambda generation: -generation.number,
        )

    def begin(self) -> Generation:
        """A new, empty generation in a state folder that is there. Raises OSError."""
        # Made here, a folder that was removed under a sync would be one that git is not kept out of.
        self.folder.mkdir(exist_ok=True, mode=0o700)
        number = max((generation.number for generation in self._all()), default=0) + 1
        generation = Generation(self.folder / f"gen-{number}")
        generation.folder.mkdir(mode=0o700)
        return generation

    def publish(self, generation: Generation) -> None:
        """Make ``generation`` the one that is searched. Raises OSError."""
        replace_state(self.folder / "current", f"{generation.name}\n".encode("ascii"))

    def sweep(self, keep: Iterable[Generation]) -> None:
        """Remove all generations but these. A reader of another opens the current one at its next search."""
        kept = {generation.name for generation in keep}
        for generation in self._all():
            if generation.name not in kept:
                remove(generation.folder)

    def _all(self) -> list[Generation]:
        try:
            names = os.listdir(self.folder)
        except OSError:
            return []
        return [Generation(self.folder / name) for name in names if _NAME.fullmatch(name)]
