"""Filling the panes: what to read when, each reading a worker that publishes what it read."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import TypeVar

from screens.drawing.rows import Row
from screens.loading.filter_scan import FilterScan
from screens.loading.snapshots import (
    Contents,
    Files,
    FilesChanged,
    FolderSeen,
    PreviewRead,
    QuarantineView,
    Stamp,
    SummariesRead,
    of_kind,
    stamp,
)
from screens.loading.store import Store
from screens.loading.work_thread import WorkThread
from screens.panes.filter import KeptFiles, MatchesRead
from screens.panes.pane import ContentsRead, Unfolded
from workbench.errors import WorkbenchError
from workbench.memory.entry import Kind
from workbench.workspace.layout import MemoryFile
from workbench.workspace.workspace import Workspace

PREVIEW_PAUSE_SECONDS = 0.02
_LOOK_BATCH = 32
_LOOK_FIRST = 2
"""Files that are looked through before the first rows are shown; twice as many each time after that."""
_SECTIONS = (Kind.MEMORY, Kind.EPISODE, Kind.ENTITY)
T = TypeVar("T")


class Reading:
    """Reads the workspace on request and publishes what it found."""

    def __init__(self, workspace: Workspace, publish: Callable[[object], object]) -> None:
        self.store = Store(workspace)
        self._scan = FilterScan(self.store)
        self._thread, self._preview_thread = WorkThread("reading"), WorkThread("preview")
        self._workspace = workspace
        self._tell = publish
        self.quiet = False
        """Whether nothing is published: the panes show memory as it was at another moment."""
        self._files: Files = {}
        self._first = self._there = True
        self._refreshing = self._again = False
        self._due: set[Kind] = set()
        self._set_aside: QuarantineView | None = QuarantineView()

    def anew(self) -> None:
        """Tell everything with the next refresh, whatever changed."""
        self._first, self._set_aside = True, None

    def _publish(self, event: object) -> None:
        if not self.quiet:
            self._tell(event)

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
                    await self._refresh_there()
        finally:
            self._refreshing = False

    async def _is_there(self) -> bool:
        """While the folder is gone (unmounted, renamed) nothing is read: what was shown stays."""
        there = await self._thread.run(partial(is_there, self._workspace, bool(self._files)))
        if there is not self._there:
            self._there = there
            self._publish(FolderSeen(there))
        return there

    async def _refresh_there(self) -> None:
        try:
            await self._refresh()
        except OSError:
            if await self._is_there():
                raise

    async def _refresh(self) -> None:
        files = await self._thread.run(self.store.files)
        changed = changed_paths(self._files, files)
        if changed or self._first:
            kind_of = self.store.workspace.layout.kind_of
            self._due |= set(_SECTIONS) if self._first else set(map(kind_of, changed))
            self._files, self._first = files, False
            self._publish(FilesChanged(files, changed))
        if Kind.MEMORY in self._due:
            self._publish(await self._thread.run(self.store.memory))
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
        try:
            view = await self._thread.run(self.store.quarantine)
        except (OSError, WorkbenchError):
            return  # a page that changes at this moment; the next look will find it
        if view != self._set_aside:
            self._set_aside = view
            self._publish(view)

    async def summaries(self, files: tuple[MemoryFile, ...]) -> None:
        """Sum files up, in view order, a few at a time."""
        for at in range(0, len(files), 8):
            batch = files[at : at + 8]
            self._publish(SummariesRead(await self._thread.run(partial(self.store.summaries, batch))))

    async def contents(self, pane: str, files: tuple[Unfolded, ...]) -> None:
        """Read the entries of files and make their rows, each as soon as it is there."""
        for unfolded in files:
            contents, rows = await self._thread.run(partial(self._contents, unfolded))
            self._publish(ContentsRead(pane, unfolded, contents, rows))

    async def look_through(self, wanted: KeptFiles) -> None:
        """Look for what a filter keeps, the first files first, until there is enough; a later one ends it."""
        due = wanted.due()
        done, at, size = len(wanted.files) - len(due), 0, _LOOK_FIRST
        while at < len(due):
            batch = due[at : at + size]
            found = await self._thread.run(partial(self._scan.kept_in, wanted, batch))
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
        self._publish(
            PreviewRead(await self._preview_thread.run(lambda: preview_of(self._workspace, row, reach)))
        )

    async def _steps(self, views: Iterator[T]) -> AsyncIterator[T]:
        """The views of a generator, each step in the reading thread, others let in between."""
        while (view := await self._thread.run(lambda: next(views, None))) is not None:
            yield view


def is_there(workspace: Workspace, known: bool) -> bool:
    """Whether the folder is what it was: ``known`` files do not all go together with the repository."""
    try:
        names = {item.name for item in os.scandir(workspace.root)}
    except OSError:
        return False
    return bool(names) or not known


def changed_paths(before: Files, after: Files) -> frozenset[str]:
    """The files that came, went, or have another stamp."""
    return frozenset(path for path, _ in _stamps(before) ^ _stamps(after))


def _stamps(files: Files) -> set[tuple[str, Stamp]]:
    return {(path, stamp(file)) for path, file in files.items()}
