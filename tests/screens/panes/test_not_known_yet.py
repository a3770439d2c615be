"""What a pane says where no rows are: that it reads or looks, and only after that that there are none."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import date

import pytest
from textual.app import App, ComposeResult
from textual.widget import Widget

from screens.loading.workspace_model import (
    EpisodesView,
    Files,
    FilteredEntries,
    GraphView,
    MemoryView,
    Promoted,
    SummariesRead,
    Summary,
    stamp,
)
from screens.panes.episodes import EpisodesPane
from screens.panes.graph import GraphPane
from screens.panes.logs import LogsPane
from screens.panes.memory import MemoryPane
from screens.panes.pane import READING, MatchesRead, Pane
from workbench.memory.entry import Kind, RelPath
from workbench.memory.episode import Episode
from workbench.memory.moment import dated_name
from workbench.workspace.layout import MemoryFile

PROMOTED = Promoted(frozenset({"a"}))


class Showing(App[None]):
    """One pane and nothing that reads anything."""

    def __init__(self, pane: Widget) -> None:
        super().__init__()
        self._pane = pane

    def compose(self) -> ComposeResult:
        yield self._pane


@asynccontextmanager
async def shown(kind: Callable[[Callable[[], date]], Pane]) -> AsyncIterator[Pane]:
    pane = kind(lambda: date(2026, 3, 20))
    async with Showing(pane).run_test():
        yield pane


def days(count: int) -> Files:
    paths = [RelPath(f"memory/2026-03-{day:02}.md") for day in range(1, count + 1)]
    return {
        path: MemoryFile(path=path, kind=Kind.LOG, size=1, ctime_ns=1, inode=1, named=dated_name(path))
        for path in paths
    }


@pytest.mark.parametrize("kind", [LogsPane, MemoryPane, EpisodesPane, GraphPane])
async def test_nothing_is_called_empty_before_it_was_read(kind: type[Pane]) -> None:
    async with shown(kind) as pane:
        pane.rebuild()
        assert pane.list.empty == READING
        pane.narrow("jonas")
        assert pane.list.empty == READING


async def test_what_was_promoted_is_known_before_the_episodes_are() -> None:
    async with shown(EpisodesPane) as pane:
        assert isinstance(pane, EpisodesPane)
        pane.receive_memory(MemoryView("MEMORY.md", promoted=PROMOTED))
        assert pane.list.empty == READING
        pane.receive(EpisodesView())
        assert pane.list.empty.startswith("no episodes yet")


async def test_what_was_read_and_is_empty_is_called_so() -> None:
    async with shown(MemoryPane) as pane:
        assert isinstance(pane, MemoryPane)
        pane.receive(MemoryView("MEMORY.md"))
        assert pane.list.empty.startswith("MEMORY.md is empty")


async def test_a_filter_that_has_not_looked_at_all_files_does_not_say_that_nothing_fits() -> None:
    async with shown(LogsPane) as pane:
        assert isinstance(pane, LogsPane)
        files = days(20)
        pane.receive(files)
        summaries = {p: Summary(1, "x", (), ()) for p in files}
        pane.receive_summaries(SummariesRead(summaries))
        pane.narrow("jonas")
        assert pane.list.empty == "looking …\n0/20 files so far"
        nothing = {path: FilteredEntries(stamp(file)) for path, file in list(files.items())[:12]}
        pane.receive_matches(MatchesRead(pane.kept, nothing, 12))
        assert pane.list.empty == "looking …\n12/20 files so far"
        assert str(pane.border_subtitle) == "12/20 files · "
        pane.receive_matches(MatchesRead(pane.kept, {}, 20))
        assert pane.list.empty.startswith("no entry matches the filter")
        assert str(pane.border_subtitle) == ""


async def test_a_filter_of_pages_that_are_still_read_says_how_many_were() -> None:
    async with shown(EpisodesPane) as pane:
        assert isinstance(pane, EpisodesPane)
        pane.narrow("jonas")
        one = Episode(path=RelPath("episodes/2026/03/e1.md"), id="e1", abstract="another")
        pane.receive(EpisodesView((one,), 300))
        assert pane.list.empty == "looking …\n1/300 pages so far"
        pane.receive(EpisodesView((one,), 1))
        assert pane.list.empty.startswith("no entry matches the filter")
    async with shown(GraphPane) as pane:
        assert isinstance(pane, GraphPane)
        pane.narrow("jonas")
        pane.receive(GraphView((), 300))
        assert pane.list.empty == "looking …\n0/300 pages so far"
