"""The controllers of the main screen and the events that each hears, loaded after the first paint."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from screens.history.time_travel import TimeTravel
from screens.loading.reader import WorkspaceReader
from screens.loading.workspace_model import (
    EpisodesView,
    FilesChanged,
    FolderSeen,
    GraphView,
    MemoryView,
    OperationCompleted,
    OperationRefused,
    PreviewRead,
    QuarantineView,
    SummariesRead,
    WorkspaceStatus,
)
from screens.main.copy import CopyCommands
from screens.main.destination import DestinationCommands
from screens.main.edit_entry import EditCommands
from screens.main.index_monitor import IndexMonitor
from screens.main.navigation import FindTarget, Navigation, RelatedEntries, commands_of
from screens.main.open_screen import ScreenOpener
from screens.main.operation_commands import OperationCommands
from screens.main.status_monitor import SettingsWatch, StatusMonitor
from screens.panes.pane import ContentsRead, MatchesRead
from screens.search.engine import (
    IndexChanged,
    MeaningChanged,
    MomentChanged,
    SearchAnswered,
    SearchFailed,
)
from screens.search.live_search import LiveSearch

if TYPE_CHECKING:
    from screens.main.screen import MainScreen


def load(screen: MainScreen, *, engines: bool) -> None:
    """Give ``screen`` its controllers, and subscribe them to the events that they hear."""
    workspace = screen.workspace
    screen.reader = WorkspaceReader(workspace, screen.model.publish)
    screen.index_monitor = IndexMonitor(screen, workspace, engines=engines)
    screen.live_search = LiveSearch(screen, screen.overlay, screen.index_monitor.engine)
    screen.operations = OperationCommands(screen, workspace)
    screen.edit_commands = EditCommands(screen, screen.operations)
    screen.destinations = DestinationCommands(screen, screen.operations)
    screen.time_travel = TimeTravel(screen, workspace)
    screen.status_monitor = StatusMonitor(screen)
    screen.screen_opener = ScreenOpener(screen, screen.operations)
    screen.settings_watch = SettingsWatch(screen, workspace)
    screen.navigation = Navigation(screen)
    screen.find = FindTarget(screen)
    screen.related = RelatedEntries(screen)
    screen.commands |= {
        "mark": screen.action_mark,
        "fold": screen.action_fold,
        "unfold": screen.action_unfold,
        **{f"pane_{pane.id}": partial(screen.go_to_pane, at) for at, pane in enumerate(screen.panes)},
        "down": lambda: screen.find.move(1),
        "up": lambda: screen.find.move(-1),
        **screen.operations.commands(),
        **commands_of(
            screen.pane_layout,
            screen.edit_commands,
            screen.destinations,
            screen.screen_opener,
            CopyCommands(screen),
            screen.navigation,
            screen.find,
            screen.related,
            screen.index_monitor,
        ),
        **screen.live_search.commands(),
        **screen.time_travel.commands(),
    }
    screen.time_travel.follow_hand(screen.commands)
    _subscribe(screen)


def _subscribe(screen: MainScreen) -> None:
    """Who hears of what; of one thing in this order."""
    hear, live_search = screen.model.subscribe, screen.live_search
    index_monitor, screen_opener = screen.index_monitor, screen.screen_opener
    logs, episodes, graph = screen.logs, screen.episodes, screen.graph
    hear(FilesChanged, screen.files_changed)
    hear(FolderSeen, screen.folder_seen)
    hear(SummariesRead, logs.receive_summaries)
    hear(MatchesRead, screen.matches_read)
    hear(QuarantineView, logs.receive_quarantine)
    hear(PreviewRead, lambda event: screen.preview.show(event.preview))
    hear(ContentsRead, logs.receive_contents, episodes.receive_contents, screen.navigation.arrived)
    hear(MemoryView, logs.receive_memory, episodes.receive_memory, screen.memory.receive)
    hear(EpisodesView, episodes.receive)
    hear(GraphView, graph.receive, screen_opener.graph_read)
    for kind in (FilesChanged, ContentsRead, MemoryView, EpisodesView, GraphView, QuarantineView):
        hear(kind, screen.drawn)
    hear(SearchAnswered, live_search.answered, lambda _: screen.show_hints())
    hear(SearchFailed, live_search.failed)
    hear(MomentChanged, live_search.moment)
    hear(MeaningChanged, live_search.meaning, index_monitor.meaning)
    hear(IndexChanged, index_monitor.progress, live_search.index_changed, screen_opener.index_changed)
    hear(WorkspaceStatus, screen.status_monitor.read)
    hear(OperationCompleted, lambda _: screen.status_monitor.look())
    for part in (screen.edit_commands, screen_opener, screen.operations):
        hear(OperationCompleted, part.done)
        hear(OperationRefused, part.refused)
