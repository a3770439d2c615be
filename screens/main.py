"""The main screen: it composes the panes and routes keys and messages. It decides nothing itself."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import Worker, WorkerState

from screens import messages as said
from screens.actions import Context, Place, bindings, by_id, hints
from screens.arrangement import Shape, arrange
from screens.clock import today
from screens.curating import Curating
from screens.following import Following
from screens.jumping import Jumping
from screens.moving import Command, Moving
from screens.panes.episodes import EpisodesPane
from screens.panes.graph import GraphPane
from screens.panes.logs import LogsPane
from screens.panes.memory import MemoryPane
from screens.panes.pane import FilePane, Pane
from screens.reading import Reading
from screens.rows import Row
from screens.searching import Searching
from screens.shown import Shown, row_text, words
from screens.widgets.entry_list import EntryList
from screens.widgets.lines import Banner, HintLine, TabLine, TitleLine
from screens.widgets.preview_pane import PreviewPane
from screens.widgets.search_overlay import SearchOverlay
from workbench.workspace.workspace import Workspace

_HISTORY_PAUSE_SECONDS = 0.25


class MainScreen(Screen[None]):
    """Four panes, the preview, the search over them, and one line of hints."""

    CSS_PATH = "main.tcss"
    AUTO_FOCUS = "#logs-list"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.PANE, Place.QUERY, Place.RESULTS)]

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.workspace = workspace
        self.panes: list[Pane] = [pane(today) for pane in (LogsPane, MemoryPane, EpisodesPane, GraphPane)]
        self.preview = PreviewPane()
        self.overlay = SearchOverlay()
        self.title_line = TitleLine(row_text(str(workspace.root)))
        self.banner, self.hint_line = Banner(), HintLine()
        self.tabs = TabLine([pane.NAME for pane in self.panes])
        self.current = self.zoom = 0
        self.reading_mode = False
        self.reading = Reading(workspace, self.post_message)
        self.following = Following(self, workspace)
        self.searching = Searching(self, self.overlay, self.following.engine)
        self.curating = Curating(self, workspace)
        self.jumping = Jumping(self)
        moving = Moving(self)
        self.commands: dict[str, Command] = {
            **moving.commands(),
            **self.curating.commands(),
            **self.jumping.commands(),
            **self.following.commands(),
            "search": self._open_search,
            "back": self._back,
            "help": lambda: self.app.push_help(),  # type: ignore[attr-defined]
            "palette": lambda: self.app.action_command_palette(),
            "quit": lambda: self.app.exit(),
        }
        self.toggle = moving.toggle

    def compose(self) -> ComposeResult:
        """Title, banner, tabs, panes, preview, hints, and the search over them."""
        yield self.title_line
        yield self.banner
        yield self.tabs
        with Container(id="panes"):
            yield from self.panes
        yield self.preview
        yield self.hint_line
        yield self.overlay
        yield Static("This terminal is too small: 40 x 12 is the least.", id="too-small", markup=False)

    def on_mount(self) -> None:
        """Paint first; read and start engines after that."""
        self.arrange()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.work(self.reading.refresh(), "refresh", exclusive=True)
        self.curating.begin()
        self.following.begin()

    # -- where the person is ---------------------------------------------------------------------

    @property
    def pane(self) -> Pane:
        """The current pane."""
        return self.panes[self.current]

    @property
    def here(self) -> EntryList:
        """The list that keys move in."""
        return self.overlay.hits if self.overlay.is_open else self.pane.list

    def context(self) -> Context:
        """What decides which actions are possible now."""
        place = Place.PANE
        if self.overlay.is_open:
            place = Place.QUERY if self.overlay.input.has_focus else Place.RESULTS
        return Context(
            place=place,
            pane=self.pane.NAME.lower(),
            row=self.here.row,
            marked=tuple(self.here.marked_rows()),
            refusal=self.curating.refusal,
            hits=len(self.overlay.hits.rows),
            zoom=self.zoom,
            reading=self.reading_mode,
            indexing=self.following.indexing,
        )

    def go_to_pane(self, index: int) -> None:
        """Make a pane the current one, and seen."""
        self.current = index
        self.arrange()
        self.pane.list.focus()
        self._row_changed(self.pane.list.row)

    def arrange(self) -> None:
        """Show what fits."""
        size = self.app.size
        plan = arrange(size.width, size.height, current=self.current, zoom=self.zoom, reading=self.reading_mode)
        for shape in Shape:
            self.set_class(plan.shape is shape, f"-{shape}")
        self.set_class(len(plan.panes) == 1, "-alone")
        self.set_class(self.reading_mode, "-reading")
        for at, pane in enumerate(self.panes):
            pane.display = at in plan.panes
            pane.set_class(at == self.current, "-current")
        self.tabs.display = plan.tabs
        self.tabs.show(self.current)
        self.preview.display = plan.preview
        self.show_hints()

    def show_hints(self) -> None:
        """Keep the hint line true."""
        self.hint_line.show(hints(self.context()))

    def marks_changed(self) -> None:
        """Marks change what actions apply to."""
        self.pane.caption()
        self.show_hints()

    # -- keys ------------------------------------------------------------------------------------

    def action_perform(self, action_id: str) -> None:
        """Do what a key, the palette or the mouse asked for, or say why not."""
        action, context = by_id()[action_id], self.context()
        if context.place not in action.places:
            return
        if reason := action.blocked(context):
            self.say(row_text(reason[:1].upper() + reason[1:]), severity="warning")
            return
        self.commands[action_id]()

    def _open_search(self) -> None:
        self.overlay.open()
        self.searching.draw()
        self.show_hints()

    def close_search(self) -> None:
        """Back to the panes; what was typed and found stays."""
        self.overlay.close()
        self.pane.list.focus()
        self._row_changed(self.pane.list.row)

    def _back(self) -> None:
        if self.overlay.is_open:
            self.close_search()
        elif self.reading_mode:
            self.read(on=False)
        elif self.here.marked:
            self.here.mark(set(self.here.marked), on=False)
            self.marks_changed()
        elif self.zoom:
            self.zoom = 0
            self.arrange()

    def read(self, *, on: bool) -> None:
        """Give the preview most of the screen, or take it back."""
        self.reading_mode = on
        self.arrange()

    # -- workers and what they say ---------------------------------------------------------------

    def work(self, work: Coroutine[Any, Any, None], group: str, *, exclusive: bool = False) -> None:
        """Start a worker; its exception becomes a toast."""
        self.run_worker(work, group=group, exclusive=exclusive, exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Show what went wrong in a worker."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            error = event.worker.error
            self.say(row_text(f"{type(error).__name__}: {error}"), title=words("Something failed"), severity="error")

    def say(self, text: Shown, *, title: Shown = Shown(""), severity: str = "information") -> None:  # noqa: B008
        """A toast."""
        seconds = 8.0 if severity == "error" else 5.0
        self.app.notify(text, title=title, severity=severity, timeout=seconds, markup=False)  # type: ignore[arg-type]

    def on_overview_read(self, message: said.OverviewRead) -> None:
        """The files are known, or changed."""
        logs, _, episodes, _ = self.panes
        assert isinstance(logs, LogsPane) and isinstance(episodes, EpisodesPane)
        logs.receive(message.overview)
        episodes.receive_overview(message.overview)
        self.following.files_read(message.changed)
        row = self.here.row
        if row and row.path in message.changed:
            self._row_changed(row)

    def on_memory_read(self, message: said.MemoryRead) -> None:
        """Long-term memory is here; what came from where can be marked."""
        for pane in self.panes:
            if isinstance(pane, MemoryPane):
                pane.receive(message.view)
            elif isinstance(pane, FilePane):
                pane.receive_promoted(message.view.promoted)
        self.show_hints()

    def on_summaries_read(self, message: said.SummariesRead) -> None:
        """Counts and first words."""
        self._pane(LogsPane).receive_summaries(message.summaries)

    def on_contents_read(self, message: said.ContentsRead) -> None:
        """The entries of an unfolded file."""
        for pane in self.panes:
            if isinstance(pane, FilePane) and pane.NAME == message.pane:
                pane.receive_contents(message.contents)
        self.jumping.arrived(message.contents)

    def on_episodes_read(self, message: said.EpisodesRead) -> None:
        """More episodes."""
        self._pane(EpisodesPane).receive(message.view)

    def on_graph_read(self, message: said.GraphRead) -> None:
        """More of the graph."""
        self._pane(GraphPane).receive(message.view)

    def on_preview_read(self, message: said.PreviewRead) -> None:
        """What the preview shows."""
        self.preview.show(message.preview)

    def on_history_read(self, message: said.HistoryRead) -> None:
        """What was done to it."""
        self.preview.show_history(message.key, message.lines)
