"""What acts on the main screen, and who hears of what: loaded behind the first paint."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from screens.history.time_travel import Travelling
from screens.loading.model import (
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
from screens.loading.reader import Reading
from screens.main.copy import Copying
from screens.main.destination import Targeting
from screens.main.edit_entry import Editing
from screens.main.index_monitor import Following
from screens.main.movement import FindTarget, Moving, commands_of, list_commands, mark_commands
from screens.main.navigation import Jumping
from screens.main.open_screen import Opening
from screens.main.operation_keys import Curating
from screens.main.related import Relating
from screens.main.status_monitor import Configuring, Overseeing
from screens.panes.pane import ContentsRead, MatchesRead
from screens.search.engine import (
    Answered,
    IndexChanged,
    MeaningChanged,
    MeaningFailed,
    MomentChanged,
    WordsFailed,
)
from screens.search.live_search import Searching

if TYPE_CHECKING:
    from screens.main.screen import MainScreen


def load(screen: MainScreen, *, engines: bool) -> None:
    """Give ``screen`` what acts on it, and subscribe it all."""
    workspace = screen.workspace
    screen.reading = Reading(workspace, screen.model.publish)
    screen.following = Following(screen, workspace, engines=engines)
    screen.searching = Searching(screen, screen.overlay, screen.following.engine)
    screen.curating = Curating(screen, workspace)
    screen.editing = Editing(screen, screen.curating)
    screen.targeting = Targeting(screen, screen.curating)
    screen.travelling = Travelling(screen, workspace)
    screen.overseeing = Overseeing(screen, workspace.today)
    screen.opening = Opening(screen, screen.curating)
    screen.configuring = Configuring(screen, workspace)
    screen.jumping = Jumping(screen)
    screen.finding = FindTarget(screen)
    screen.relating = Relating(screen)
    screen.commands = {
        **list_commands(lambda: screen.here),
        **mark_commands(lambda: screen.here, screen.marks_changed),
        **{f"pane_{pane.id}": partial(screen.go_to_pane, at) for at, pane in enumerate(screen.panes)},
        **screen.curating.commands(),
        **commands_of(
            *(
                Moving(screen),
                screen.laying,
                screen.curating,
                screen.editing,
                screen.targeting,
                screen.opening,
            ),
            *(Copying(screen), screen.jumping, screen.finding, screen.relating, screen.following),
        ),
        **screen.searching.commands(),
        **screen.travelling.commands(),
    }
    screen.travelling.follow_hand(screen.commands)
    _subscribe(screen)


def _subscribe(screen: MainScreen) -> None:
    """Who hears of what; of one thing in this order."""
    hear, searching = screen.model.subscribe, screen.searching
    following, opening = screen.following, screen.opening
    logs, episodes, graph = screen.logs, screen.episodes, screen.graph
    hear(FilesChanged, screen.files_changed)
    hear(FolderSeen, screen.folder_seen)
    hear(SummariesRead, logs.receive_summaries)
    hear(MatchesRead, screen.matches_read)
    hear(QuarantineView, logs.receive_quarantine)
    hear(PreviewRead, lambda event: screen.preview.show(event.preview))
    hear(ContentsRead, logs.receive_contents, episodes.receive_contents, screen.jumping.arrived)
    hear(MemoryView, logs.receive_memory, episodes.receive_memory, screen.memory.receive)
    hear(EpisodesView, episodes.receive)
    hear(GraphView, graph.receive, opening.graph_read)
    for kind in (FilesChanged, ContentsRead, MemoryView, EpisodesView, GraphView, QuarantineView):
        hear(kind, screen.drawn)
    hear(Answered, searching.answered, lambda _: screen.show_hints())
    hear(WordsFailed, searching.failed)
    hear(MeaningFailed, searching.missed)
    hear(MomentChanged, searching.moment)
    hear(MeaningChanged, searching.meaning, following.meaning)
    hear(IndexChanged, following.progress, searching.index_changed, opening.index_changed)
    hear(WorkspaceStatus, screen.overseeing.read)
    hear(OperationCompleted, lambda _: screen.overseeing.look())
    for part in (screen.editing, opening, screen.curating):
        hear(OperationCompleted, part.done)
        hear(OperationRefused, part.refused)
