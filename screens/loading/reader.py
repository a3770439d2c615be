"""The reader of the panes: it reads files when they change or are asked for, and publishes what it found.

Files are read in one thread, so that their caches need no lock, and the preview in another.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache, partial
from pathlib import Path
from sys import getsizeof
from typing import Generic, ParamSpec, TypeVar

from screens.drawing.safe_text import Row
from screens.loading.workspace_model import (
    DOUBTED,
    Contents,
    EpisodesView,
    Files,
    FilesChanged,
    FilteredEntries,
    FolderSeen,
    GraphView,
    MemoryView,
    PreviewRead,
    Promoted,
    QuarantineView,
    Stamp,
    SummariesRead,
    Summary,
    of_kind,
    promoted_in,
    stamp,
    trust_of,
)
from screens.panes.entry_rows import is_header, title_of
from screens.panes.pane import ContentsRead, Filter, KeptFiles, MatchesRead, Subject, Unfolded, iso, states_of
from workbench.errors import WorkbenchError, reason_of
from workbench.memory.entry import Entry, Kind, RelPath
from workbench.memory.episode import Episode, read_episode
from workbench.memory.frontmatter import read_front_matter
from workbench.memory.graph_page import Entity, read_entity
from workbench.memory.markdown import Document, parse_document
from workbench.memory.moment import dated_name
from workbench.repository.git_repository import History
from workbench.workspace.agent_load import load_states
from workbench.workspace.files import Files as FileAccess
from workbench.workspace.layout import QUARANTINE, MemoryFile
from workbench.workspace.workspace import Workspace

MOST_BYTES = 24_000_000
"""Of all that is remembered; files beyond that are parsed each time."""
_EACH_BYTES = 200
"""Of an entry, beside its words."""
_WRITTEN = {
    "pinned": ("pinned=",),
    **{level: ("trust=", level) for level in ("owner", "agent", "external")},
}
"""What stands in the bytes of a file where an entry has this state."""


@dataclass(frozen=True, slots=True)
class Digest:
    """The part of an entry that a filter looks at, in lower case; hash and line tell if it was promoted."""

    subject: Subject
    hash: str
    line: int


class FilterScan:
    """Finds the entries that a filter keeps, in the store's thread; remembers at most ``most`` bytes.

    A file is parsed only where the filter may keep something. For a file that was parsed before, the
    remembered ``Digest`` of each entry decides. For any other, its bytes must have all words, and what states
    are written with.
    """

    def __init__(self, store: Store, most: int = MOST_BYTES) -> None:
        self._store = store
        self._known: dict[str, tuple[Stamp, tuple[Digest, ...], int]] = {}
        self._room = most

    def kept_in(self, wanted: KeptFiles, files: Iterable[MemoryFile]) -> dict[str, FilteredEntries]:
        """What is kept of each of these files; of what cannot be read, nothing."""
        asked, promoted = wanted.wanted, wanted.promoted
        return {} if asked is None else {file.path: self._kept(asked, promoted, file) for file in files}

    def _kept(self, asked: Filter, promoted: Promoted, file: MemoryFile) -> FilteredEntries:
        version, known, _ = self._known.get(file.path, (None, (), 0))
        remembered = version == stamp(file)
        if remembered:
            may_hold = any(keeps(asked, one, file.path, promoted) for one in known)
        else:
            may_hold = self._may_hold(asked, file)
        if not may_hold:
            return FilteredEntries(stamp(file))
        contents = self._store.contents(file)
        if not remembered and contents.problem is None:
            self._remember(file, contents.entries)
        entries = tuple(e for e in contents.entries if keeps(asked, digest_of(e), file.path, promoted))
        return FilteredEntries(stamp(file), entries, len(contents.entries), contents.left_out)

    def _remember(self, file: MemoryFile, entries: Iterable[Entry]) -> None:
        *_, size = self._known.pop(file.path, (None, (), 0))
        self._room += size
        made = tuple(digest_of(entry) for entry in entries)
        size = sum(getsizeof(one.subject.text) + _EACH_BYTES for one in made)
        if size <= self._room:
            self._known[file.path] = stamp(file), made, size
            self._room -= size

    def _may_hold(self, asked: Filter, file: MemoryFile) -> bool:
        """Whether every word stands somewhere in the file, and what the states are written with."""
        parts = {part for word in asked.wanted("word") for part in word.split()}
        written = [_WRITTEN[state] for state in asked.wanted("state") if state in _WRITTEN]
        if not parts and not written:
            return True
        try:
            data = read_window(self._store.workspace.root, file.path, 0, READ_LIMIT).data
        except _UNREADABLE:
            return False
        text = f"{file.path}\n{data.decode('utf-8', 'replace')}".casefold()
        return all(part in text for part in parts) and all(_is_written(said, text) for said in written)


def _is_written(said: tuple[str, ...], text: str) -> bool:
    field, *value = said
    return field in text and ("%" in text or all(one in text for one in value))  # a value may be quoted


def keeps(asked: Filter, digest: Digest, path: str, promoted: Promoted) -> bool:
    """Whether a filter keeps an entry of the file ``path``."""
    subject = digest.subject
    if asked.asks_for("promoted", "unpromoted"):
        known = promoted.has(digest.hash, path, digest.line)
        subject = replace(subject, states={*subject.states, "promoted" if known else "unpromoted"})
    return asked.keeps(subject)


def digest_of(entry: Entry) -> Digest:
    """What is remembered of an entry: file, headings and words; pinned, how far trusted; its day."""
    text = " ".join((entry.path, *entry.heading, *entry.text.split())).casefold()
    trust = entry.provenance.trust if entry.provenance else "unknown"
    named = dated_name(entry.path)
    states, days = _shared(entry.pinned, trust, named.day if named else None, entry.date)
    return Digest(Subject(text, states, days), entry.hash, entry.start_line)


@lru_cache(4096)
def _shared(pinned: bool, trust: str, *days: date | None) -> tuple[frozenset[str], tuple[str, ...]]:
    """States and days: the same objects for all entries that have these, of which there are many."""
    return states_of(("pinned", pinned), (trust, True)), iso(*days)


T = TypeVar("T")
P = ParamSpec("P")


class WorkThread:
    """A thread for one kind of work, started with the first piece of it."""

    def __init__(self, name: str) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._closed = False

    async def run(self, work: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """What ``work`` answers, or raises; who asks after the end is cancelled."""
        if self._closed:
            raise asyncio.CancelledError
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, partial(work, *args, **options))

    def close(self, *, wait: bool = False) -> None:
        """Do no more than what has begun."""
        self._closed = True
        self._executor.shutdown(wait=wait, cancel_futures=True)

    def finish(self, last: Callable[[], object]) -> None:
        """Do what was asked for and ``last`` of all this, and wait for it."""
        self._executor.submit(last)
        self._executor.shutdown(wait=True)


PREVIEW_PAUSE_SECONDS = 0.02
_LOOK_BATCH = 32
_LOOK_FIRST = 2
"""Files that are looked through before the first rows are shown; twice as many each time after that."""
_SECTIONS = (Kind.MEMORY, Kind.EPISODE, Kind.ENTITY)


class WorkspaceReader:
    """Reads the workspace on request and publishes what it found."""

    def __init__(self, workspace: Workspace, publish: Callable[[object], object]) -> None:
        self._workspace = workspace
        self._open_store()
        self._thread, self._preview_thread = WorkThread("reading"), WorkThread("preview")
        self._tell = publish
        self.quiet = False
        """Whether nothing is published: the panes show memory as it was at another moment."""
        self._files: Files = {}
        self._first = self._there = True
        self._refreshing = self._again = False
        self._due: set[Kind] = set()
        self._set_aside: QuarantineView | None = QuarantineView()

    def _open_store(self) -> None:
        self.store = Store(self._workspace)
        self._scan = FilterScan(self.store)

    def anew(self) -> None:
        """Tell everything with the next refresh, whatever changed."""
        self._first, self._set_aside = True, None

    def _publish(self, event: object) -> None:
        if not self.quiet:
            self._tell(event)

    @staticmethod
    def is_large(file: MemoryFile) -> bool:
        """Whether a pane shows its beginning only: to parse all of it takes hundreds of megabytes."""
        return file.size > READ_LIMIT

    def close(self) -> None:
        """Stop reading; what waits is dropped."""
        self._thread.close()
        self._preview_thread.close()

    async def refresh(self) -> None:
        """Scan, then read again what changed; what an interrupted refresh left is still due.

        Asked for while one is under way, it is done once more after that: an operation and the watcher that
        sees it do not make each other begin anew.
        """
        self._again = True
        if self._refreshing:
            return
        self._refreshing = True
        try:
            while self._again:
                self._again = False
                if await self._is_there():
                    try:
                        await self._refresh()
                    except OSError:
                        if self._there and await self._is_there():
                            raise
        finally:
            self._refreshing = False

    async def _is_there(self) -> bool:
        """While the folder is gone (unmounted, renamed) nothing is read: what was shown stays."""
        there = await self._thread.run(is_there, self._workspace, bool(self._files))
        if there is not self._there:
            self._there = there
            if there:  # what could not be read while it was gone may come back with the same stamp
                self._open_store()
            self._publish(FolderSeen(there))
        return there

    async def _read(self, work: Callable[[], T]) -> T:
        """What ``work`` found. Raises FileNotFoundError where the folder went meanwhile: no answer."""
        found = await self._thread.run(work)
        if not await self._is_there():
            raise FileNotFoundError(self._workspace.root)
        return found

    async def _refresh(self) -> None:
        files = await self._read(self.store.files)
        changed = changed_paths(self._files, files)
        if changed or self._first:
            kind_of = self.store.workspace.layout.kind_of
            self._due |= set(_SECTIONS) if self._first else set(map(kind_of, changed))
            self._files, self._first = files, False
            self._publish(FilesChanged(files, changed))
        if Kind.MEMORY in self._due:
            self._publish(await self._read(self.store.memory))
            self._due.discard(Kind.MEMORY)
        await self._quarantine()
        for kind, views in ((Kind.EPISODE, self.store.episodes), (Kind.ENTITY, self.store.graph)):
            if kind in self._due:
                async for view in self._steps(views(of_kind(files, kind))):
                    self._publish(view)
                    if self._again:
                        return
                self._due.discard(kind)

    async def _quarantine(self) -> None:
        """What is set aside: not among the memory files, so it is looked at each time."""
        with contextlib.suppress(*_UNREADABLE):  # a page that changes now: the next look will find it
            view = await self._read(self.store.quarantine)
            if view != self._set_aside:
                self._set_aside = view
                self._publish(view)

    async def summaries(self, files: tuple[MemoryFile, ...]) -> None:
        """Sum files up, in view order, a few at a time."""
        for at in range(0, len(files), 8):
            batch = files[at : at + 8]
            self._publish(SummariesRead(await self._thread.run(self.store.summaries, batch)))

    async def contents(self, pane: str, files: tuple[Unfolded, ...]) -> None:
        """Read the entries of files and make their rows, each as soon as it is there."""
        for unfolded in files:
            contents, rows = await self._thread.run(self._contents, unfolded)
            self._publish(ContentsRead(pane, unfolded, contents, rows))

    async def look_through(self, wanted: KeptFiles) -> None:
        """Look for what a filter keeps, the first files first, until there is enough; a later one ends it."""
        due = wanted.due()
        done, at, size = len(wanted.files) - len(due), 0, _LOOK_FIRST
        while at < len(due):
            batch = due[at : at + size]
            found = await self._thread.run(self._scan.kept_in, wanted, batch)
            at, size = at + len(batch), min(2 * size, _LOOK_BATCH)
            self._publish(MatchesRead(wanted, found, done + at))
            if wanted.full:
                break

    def _contents(self, unfolded: Unfolded) -> tuple[Contents, tuple[Row, ...]]:
        contents = self.store.contents(unfolded.file)
        return contents, unfolded.rows(contents)

    async def preview(self, row: Row | None, *, wide: bool = False) -> None:
        """What the preview shows, after the cursor has rested for a moment; ``wide`` for whoever reads it."""
        from screens.loading.preview import NEAR, WIDE, preview_of  # noqa: PLC0415 - not before the first paint

        await asyncio.sleep(PREVIEW_PAUSE_SECONDS)
        reach = WIDE if wide else NEAR
        self._publish(PreviewRead(await self._preview_thread.run(preview_of, self._workspace, row, reach)))

    async def _steps(self, views: Iterator[T]) -> AsyncIterator[T]:
        """The views of a generator, each step in the reading thread, others let in between."""
        while (view := await self._read(lambda: next(views, None))) is not None:
            yield view


def is_there(workspace: Workspace, known: bool) -> bool:
    """Whether the folder is what it was: ``known`` files do not all go together with the repository."""
    try:
        return bool(os.listdir(workspace.root)) or not known
    except OSError:
        return False


def changed_paths(before: Files, after: Files) -> frozenset[str]:
    """The files that came, went, or have another stamp."""
    stamps, now = ({path: stamp(file) for path, file in files.items()} for files in (before, after))
    return frozenset(path for path, _ in stamps.items() ^ now.items())


READ_LIMIT = 1_000_000
"""Bytes of one file that a pane parses; what is left out is counted and said."""
SUMMARY_LIMIT = 256_000
"""Bytes that are read for a row's count and first words; a larger file's count is a floor."""
_LOOKED_AT = 20
"""Entries of a file among which its first words are looked for."""
_BATCH = 40
"""Pages that are read before the first of them are shown."""
_UNREADABLE = (OSError, WorkbenchError)


class Store:
    """The memory as the panes need it, cached by each file's stamp."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._summaries = _Pages(self._summary)
        self._episodes = _Pages(self._episode)
        self._entities = _Pages(self._entity)

    def files(self) -> Mapping[str, MemoryFile]:
        """All memory files as they are on disk now, by path."""
        return {file.path: file for file in self.workspace.scan()}

    def memory(self) -> MemoryView:
        """Long-term memory, and what it says of where its entries came from."""
        document = self.workspace.memory_document()
        files = self.workspace.scan()
        characters = len(document.data.decode("utf-8", "replace"))
        loads = [
            (one.used, one.limit, one.unit)
            for one in load_states(self.workspace, files)
            if one.path == document.path or document.path.startswith(f"{one.path.rstrip('/')}/")
        ]
        budget = (characters, self.workspace.memory_budget, "characters")
        used, limit, unit = max(budget, *loads, key=lambda one: one[0] / one[1]) if loads else budget
        return MemoryView(
            path=document.path,
            entries=document.entries,
            headings=tuple(heading.path for heading in document.headings),
            heading_lines=tuple(heading.first + 1 for heading in document.headings),
            used=used,
            limit=limit,
            unit=unit,
            promoted=promoted_in(document.entries),
            deleted=not document.data and self._is_deleted(document.path),
            is_unknown=bool(files) and not document.data and self._is_unknown(document.path),
        )

    def _is_unknown(self, path: RelPath) -> bool:
        agent = self.workspace.layout.agent_of(path)
        return agent is not None and not agent.makes_memory

    def _is_deleted(self, path: RelPath) -> bool:
        if os.path.lexists(self.workspace.root / path):
            return False
        try:
            with contextlib.closing(History.open(self.workspace.root)) as history:
                return history.blob_id(history.head(), path) is not None
        except WorkbenchError:  # no git: nobody knows
            return False

    def quarantine(self) -> QuarantineView:
        """What is set aside; nothing is read where nothing is."""
        if not (self.workspace.root / QUARANTINE).is_dir():
            return QuarantineView()
        from workbench.operations.quarantine import quarantined  # noqa: PLC0415 - not before the first paint

        return QuarantineView(tuple(quarantined(self.workspace)))

    def summaries(self, files: Iterable[MemoryFile]) -> dict[str, Summary]:
        """Each file in a few words, by its path."""
        return {file.path: self._summaries.of(file) for file in files}

    def contents(self, file: MemoryFile, limit: int = READ_LIMIT) -> Contents:
        """The entries of one file, up to ``limit`` bytes of it, cut at the end of a line."""
        try:
            window = read_window(self.workspace.root, file.path, 0, limit)
        except _UNREADABLE as error:
            return Contents(file.path, stamp(file), (), problem=reason_of(error))
        data = window.data
        if window.size > len(data):
            data = data[: data.rfind(b"\n") + 1] or data
        document = self.workspace.parsed(file.path, data)
        return Contents(file.path, stamp(file), document.entries, left_out=window.size - len(data))

    def episodes(self, files: Sequence[MemoryFile]) -> Iterator[EpisodesView]:
        """The episodes of ``files``, in growing views."""
        return (EpisodesView(found, len(files)) for found in self._episodes.growing(files))

    def graph(self, files: Sequence[MemoryFile]) -> Iterator[GraphView]:
        """The entities of ``files``, in growing views."""
        return (GraphView(found, len(files)) for found in self._entities.growing(files))

    def _episode(self, file: MemoryFile) -> Episode:
        """One episode by its front matter alone; its body only where that says nothing."""
        try:
            data = self._data(file)
        except _UNREADABLE as error:
            name = file.path.rpartition("/")[2]
            return Episode(path=file.path, id=name, abstract=name, problem=reason_of(error))
        episode = read_episode(Document(file.path, file.kind, data, read_front_matter(data)))
        return episode if episode.abstract else read_episode(parse_document(file.path, data, file.kind))

    def _entity(self, file: MemoryFile) -> Entity:
        try:
            return read_entity(parse_document(file.path, self._data(file), file.kind))
        except _UNREADABLE as error:
            name = file.path.rpartition("/")[2]
            return Entity(path=file.path, id=name, name=name, type="concept", problem=reason_of(error))

    def _summary(self, file: MemoryFile) -> Summary:
        contents = self.contents(file, limit=SUMMARY_LIMIT)
        entries = contents.entries
        titles = [title_of(entry) for entry in entries[:_LOOKED_AT]] or [contents.problem or ""]
        trusts = set(map(trust_of, entries))
        return Summary(
            count=len(entries),
            first=next((title for title in titles if not is_header(title)), titles[0]),
            hashes=tuple(entry.hash for entry in entries),
            lines=tuple(entry.start_line for entry in entries),
            partial=contents.left_out > 0,
            trust=next((trust for trust in DOUBTED if trust in trusts), ""),
        )

    def _data(self, file: MemoryFile) -> bytes:
        return read_window(self.workspace.root, file.path, 0, READ_LIMIT).data


class _Pages(Generic[T]):
    """What files say, read once for each version of a file."""

    def __init__(self, read: Callable[[MemoryFile], T]) -> None:
        self._read = read
        self._kept: dict[str, tuple[Stamp, T]] = {}

    def of(self, file: MemoryFile) -> T:
        """What one page says."""
        kept = self._kept.get(file.path)
        if kept is None or kept[0] != stamp(file):
            kept = self._kept[file.path] = stamp(file), self._read(file)
        return kept[1]

    def growing(self, files: Sequence[MemoryFile]) -> Iterator[tuple[T, ...]]:
        """What is known of ``files``, again and again until all is, so that the first can be shown at once.

        What was known before is there each time, as it was: nothing that is shown goes and comes again.
        """
        read, show_at = 0, _BATCH
        for file in files:
            before = self._kept.get(file.path)
            self.of(file)
            if self._kept[file.path] is not before:
                read += 1
                if read == show_at:
                    show_at *= 2  # all of it is shown each time: with steady steps that would be quadratic
                    yield self._known(files)
        yield self._known(files)

    def _known(self, files: Iterable[MemoryFile]) -> tuple[T, ...]:
        return tuple(self._kept[file.path][1] for file in files if file.path in self._kept)


def path_of(address: str) -> RelPath:
    """The file that an address points into; an address may be a path alone."""
    return RelPath(address.rpartition("#")[0] or address)


@dataclass(frozen=True, slots=True)
class FileWindow:
    """The bytes ``start`` up to ``start + len(data)`` of a file of ``size`` bytes."""

    start: int
    data: bytes
    size: int


def offset_of_line(root: Path, path: str, line: int) -> int:
    """The byte with which a line begins, from 1 on; the end of a file that has fewer lines."""
    at, missing = 0, line - 1
    with FileAccess(root).opened(RelPath(path)) as descriptor:
        while missing > 0 and (block := os.pread(descriptor, READ_LIMIT, at)):
            ends = block.count(b"\n")
            if ends >= missing:
                return at + len(b"\n".join(block.split(b"\n", missing)[:missing])) + 1
            at, missing = at + len(block), missing - ends
    return at


def read_window(root: Path, path: str, start: int, length: int) -> FileWindow:
    """At most ``length`` bytes of a memory file from ``start`` on. Raises as ``Files.read`` does."""
    with FileAccess(root).opened(RelPath(path)) as descriptor:
        return FileWindow(start, os.pread(descriptor, length, start), os.fstat(descriptor).st_size)
