"""The model of the workspace: readers publish frozen snapshots and events to it, and panes subscribe."""

from __future__ import annotations

import contextlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from screens.drawing.safe_text import Row, Spans
from workbench.config.read_only import require_more_than_looking
from workbench.errors import ReadOnlyError, SecretFoundError, WorkbenchError
from workbench.memory.entry import Entry, Kind, hash_of, place_of
from workbench.memory.provenance import Provenance
from workbench.workspace.layout import MemoryFile
from workbench.workspace.registry import read_registry
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.main.request import Request
    from workbench.jobs.runs import JobStatus
    from workbench.memory.episode import Episode  # noqa: F401 - named in a base class
    from workbench.memory.graph_page import Entity  # noqa: F401
    from workbench.operations.quarantine import SetAside
    from workbench.workspace.plan import Operation, Plan

T = TypeVar("T")


class WorkspaceModel:
    """Hands what is published to its subscribers, one after the other, on the event loop.

    The views of ``snapshots`` are published as they are.
    """

    def __init__(self, call_later: Callable[..., object]) -> None:
        """``call_later`` calls a function on the event loop, behind the keys before it; from any thread."""
        self._call_later = call_later
        self._subscribers: defaultdict[type, list[Callable[[Any], object]]] = defaultdict(list)

    def subscribe(self, kind: type[T], *heard: Callable[[T], object]) -> None:
        """Call ``heard`` with each event of this very class, behind those who subscribed before."""
        self._subscribers[kind] += heard

    def publish(self, event: object) -> None:
        """Tell the subscribers soon. From any thread."""
        self._call_later(self._tell, event)

    def _tell(self, event: object) -> None:
        for heard in self._subscribers[type(event)]:
            heard(event)


@dataclass(frozen=True, slots=True)
class OperationCompleted:
    """An operation was carried out; so many conflicts wait since then.

    ``shown`` are the entries that the pane had when it was asked for: files may have been read again since.
    """

    operation: Operation
    request: Request
    conflicts: int
    shown: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationRefused:
    """An operation was refused, or failed; with ``agreed`` and its ``plan`` where a yes is all it needs.

    ``secret``: what else the yes is to, where the plan would put a secret into git's history.
    """

    request: Request
    error: Exception
    targets: tuple[Row, ...] = ()
    agreed: Request | None = None
    plan: Plan | None = None
    secret: SecretFoundError | None = None


def moment_of(workspace: Workspace) -> str:
    """The moment as people say it: ``2026-03-14 10:00``; empty for today's memory."""
    return workspace.moment.partition(" (")[0]


def require_writable(workspace: Workspace) -> None:
    """Raises ReadOnlyError for the past, and for a program that may not write."""
    if moment := moment_of(workspace):
        raise ReadOnlyError(
            f"memory as of {moment} is read-only",
            hint="start without --as-of for current memory",
        )
    require_more_than_looking()


def home_relative(path: Path) -> str:
    """A path as people say it: ``~/notes`` below their home."""
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):  # elsewhere, or a person without a home
        return str(path)


def titled(workspace: Workspace) -> str:
    """Whose memory it is by its name, and where; of the past first as of when, since the end is cut off."""
    root, moment = workspace.today, moment_of(workspace)
    place = home_relative(root)
    with contextlib.suppress(WorkbenchError):  # the list cannot be read: it is a workspace all the same
        if known := read_registry().at(root):
            place = f"{known.name} · {place}"
    return f"as of {moment} · {place}" if moment else place


Stamp = tuple[int, int, int]
"""Size, time of change and inode: the same stamp, the same bytes (until a reconcile says otherwise)."""


def stamp(file: MemoryFile) -> Stamp:
    """The stamp of a file."""
    return file.size, file.ctime_ns, file.inode


def file_stamp(path: Path) -> Stamp | None:
    """Changes when the file is written or replaced; None where there is none to be looked at."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


@dataclass(frozen=True, slots=True)
class Promoted:
    """What stands in long-term memory already, by the entry's hash and by the place it came from."""

    hashes: frozenset[str] = frozenset()
    places: frozenset[tuple[str, int]] = frozenset()

    def holds(self, entry: Entry) -> bool:
        """Whether ``entry`` was promoted."""
        return self.has(entry.hash, entry.path, entry.start_line)

    def has(self, digits: str, path: str, line: int) -> bool:
        """Whether the words with this hash were promoted, or what stood at this place."""
        return digits in self.hashes or (path, line) in self.places


@dataclass(frozen=True, slots=True)
class Summary:
    """A file in one row: how many entries, its first words, how many of them are promoted."""

    count: int
    first: str
    hashes: tuple[str, ...]
    lines: tuple[int, ...]
    partial: bool = False
    trust: str = ""
    """The least trust of an entry in it, where that is less than the owner's or the agent's."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The entries of one file; ``left_out`` counts the bytes that were too many to be read."""

    path: str
    stamp: Stamp
    entries: tuple[Entry, ...]
    left_out: int = 0
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class FilteredEntries:
    """The entries of one file that a filter keeps, of ``count``; ``left_out`` bytes were not looked at."""

    stamp: Stamp
    entries: tuple[Entry, ...] = ()
    count: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class MemoryView:
    """MEMORY.md: its entries, and how much of what limit it comes nearest to it uses, in which unit.

    That is its budget, or what its agent loads.
    """

    path: str
    entries: tuple[Entry, ...] = ()
    headings: tuple[tuple[str, ...], ...] = ()
    heading_lines: tuple[int, ...] = ()
    used: int = 0
    limit: int = 0
    unit: str = "characters"
    promoted: Promoted = field(default_factory=Promoted)
    deleted: bool = False
    """Whether there is no such file, though the newest commit has it."""
    is_unknown: bool = False
    """Whether there is other memory, no such file, and no agent is known that would load one."""


Files = Mapping[str, MemoryFile]
"""Every memory file, by path."""


def of_kind(files: Files, *kinds: Kind) -> list[MemoryFile]:
    """The files of these kinds, by path."""
    return [file for file in files.values() if file.kind in kinds]


@dataclass(frozen=True, slots=True)
class QuarantineView:
    """What is set aside, by file."""

    things: tuple[SetAside, ...] = ()


@dataclass(frozen=True)
class PagesView(Generic[T]):
    """The pages of one kind that could be read so far, and how many there are."""

    pages: tuple[T, ...] = ()
    total: int = 0


class EpisodesView(PagesView["Episode"]):
    """The episodes."""


class GraphView(PagesView["Entity"]):
    """The entities."""


@dataclass(frozen=True, slots=True)
class PreviewLine:
    """One line of a file in the preview; ``role`` is front, context, entry, or note; ``cut``: in part."""

    number: int | None
    text: str
    role: str
    cut: bool = False
    spans: Spans = ()


@dataclass(frozen=True, slots=True)
class Preview:
    """An entry in its surroundings. Every text is already fit to be drawn."""

    key: str
    where: str
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    lines: tuple[PreviewLine, ...]
    focus: int = 0
    """Index of the first line of the entry."""
    partial: bool = False
    """Whether the file holds more than these lines."""


@dataclass(frozen=True, slots=True)
class FilesChanged:
    """The list of files was read; ``paths`` names those that are not as they were."""

    files: Files
    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class WorkspaceStatus:
    """Entries in the index, proposals that wait, git's branch, files in no commit, jobs that failed.

    ``dreamt`` is the day of the last dream that proposed anything.
    """

    entries: int = 0
    inbox: int = 0
    branch: str = ""
    unsaved: int = 0
    jobs: tuple[JobStatus, ...] = ()
    dreamt: date | None = None


@dataclass(frozen=True, slots=True)
class FolderSeen:
    """The folder of the workspace is gone, or there again."""

    there: bool


@dataclass(frozen=True, slots=True)
class SummariesRead:
    """Days and notes were summed up, by path."""

    summaries: Mapping[str, Summary]


@dataclass(frozen=True, slots=True)
class PreviewRead:
    """What the preview shows was read; None where there is nothing to show."""

    preview: Preview | None


# -- where an entry came from --------------------------------------------------------------------

DOUBTED = ("quarantined", "external")
"""Trust that gives reason to look twice, the least of it first."""


def trust_of(entry: Entry) -> str:
    """How far an entry says that it is to be trusted; empty where it says nothing."""
    return entry.provenance.trust if entry.provenance else ""


class SourceOrigin(NamedTuple):
    """One source: its file, the first line of the words there, and their hash where it is known."""

    path: str
    line: int
    digits: str | None = None


def origins_of(said: Provenance) -> tuple[SourceOrigin, ...]:
    """The sources that can be gone to, in the order in which they are named.

    An entry that was merged names several sources. Hashes are paired with sources in order, and left out
    where their numbers differ.
    """
    sources, hashes = said.all("src"), hashes_of(said)
    paired = len(sources) == len(hashes)
    found = []
    for at, source in enumerate(sources):
        if place := place_of(source):
            found.append(SourceOrigin(*place, hashes[at] if paired else None))
    return tuple(found)


def hashes_of(said: Provenance) -> tuple[str, ...]:
    """The hashes of the words that it was made of, without the file and the ordinal that may stand there."""
    return tuple(map(hash_of, said.all("entry")))


def promoted_in(entries: Iterable[Entry]) -> Promoted:
    """What these entries of long-term memory were promoted from.

    A place counts where its words have no hash: a line that moved is still found by one.
    """
    hashes: set[str] = set()
    places: set[tuple[str, int]] = set()
    for entry in entries:
        if entry.provenance is not None:
            hashes.update(hashes_of(entry.provenance))
            places.update((o.path, o.line) for o in origins_of(entry.provenance) if o.digits is None)
    return Promoted(frozenset(hashes), frozenset(places))
