"""The main screen: it composes the panes and routes keys and messages. It decides nothing itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import partial
from pathlib import Path
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.events import Key
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import Worker, WorkerState

from screens import messages as said
from screens.actions import ACTIONS, Context, Place, bindings, by_id, hints, is_bound
from screens.browsing import Browsing
from screens.clock import today
from screens.context import only_read
from screens.copying import Copying
from screens.curating import Curating
from screens.editing import Editing
from screens.following import Following
from screens.help import HelpScreen
from screens.holding import Holding
from screens.jumping import Jumping
from screens.laying import Laying
from screens.moment import moment_of, place_of
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
from screens.snapshots import MemoryView
from screens.targeting import Targeting
from screens.widgets.entry_list import EntryList
from screens.widgets.lines import Banner, HintLine, TabLine, TitleLine
from screens.widgets.preview_pane import PreviewPane
from screens.widgets.search_overlay import SearchOverlay
from workbench.workspace.layout import MemoryFile
from workbench.workspace.workspace import Workspace

_P = TypeVar("_P", bound=Pane)
_R = TypeVar("_R")


class MainScreen(Screen[None]):
    """Four panes, the preview, the search over them, and one line of hints."""

    AUTO_FOCUS = "#logs-list"
    # What has the focus is drawn by the widgets themselves: no need to paint the whole screen for it.
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.PANE, Place.QUERY, Place.RESULTS)]

    def __init__(
        self, workspace: Workspace, perform: Callable[[Key], Awaitable[None]], *, engines: bool = True
    ) -> None:
        super().__init__()
        self.workspace = workspace
        self.panes: list[Pane] = [pane(today) for pane in (LogsPane, MemoryPane, EpisodesPane, GraphPane)]
        self.preview = PreviewPane()
        self.overlay = SearchOverlay()
        self.title_line = TitleLine(row_text(titled(workspace)))
        self.banner, self.hint_line = Banner(), HintLine()
        self.tabs = TabLine([pane.NAME for pane in self.panes])
        self.laying = Laying(self)
        self.reading = Reading(workspace, self.post_message)
        self.following = Following(self, workspace, engines=engines)
        self.searching = Searching(self, self.overlay, self.following.engine)
        self.curating = Curating(self, workspace)
        self.editing = Editing(self, self.curating)
        self.targeting = Targeting(self, self.curating)
        self.browsing = Browsing(self, self.curating)
        self.jumping = Jumping(self)
        self.holding = Holding(self, perform)
        moving = Moving(self)
        self.commands: dict[str, Command] = {
            **moving.commands(),
            **self.laying.commands(),
            **self.curating.commands(),
            **self.editing.commands(),
            **self.targeting.commands(),
            **self.browsing.commands(),
            **Copying(self).commands(),
            **self.jumping.commands(),
            **self.following.commands(),
            "search": self._open_search,
            "back": self._back,
            "help": self._help,
            "palette": self._palette,
            "quit": self._quit,
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
        self.laying.lay_out()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.work(self.reading.refresh, "refresh", exclusive=True)
        self.curating.begin()
        self.following.begin()

    # -- where the person is ---------------------------------------------------------------------

    @property
    def current(self) -> int:
        """Which pane is the current one, from 0."""
        return self.laying.current

    @property
    def pane(self) -> Pane:
        """The current pane."""
        return self.panes[self.current]

    @property
    def here(self) -> EntryList:
        """The list that keys move in."""
        return self.overlay.hits if self.overlay.is_open else self.pane.list

    @property
    def place(self) -> Place:
        """Where the person's hands are."""
        if not self.overlay.is_open:
            return Place.PANE
        return Place.QUERY if self.focused is self.overlay.input else Place.RESULTS

    @property
    def memory_view(self) -> MemoryView:
        """Long-term memory as it was read last."""
        return self._pane(MemoryPane).view

    @property
    def files(self) -> Mapping[str, MemoryFile]:
        """All memory files, by path."""
        return self._pane(LogsPane).overview.files

    def context(self) -> Context:
        """What decides which actions are possible now."""
        return Context(
            place=self.place,
            pane=self.pane.NAME.lower(),
            row=self.here.row,
            marked=tuple(self.here.marked_rows()),
            refusal=self.curating.refusal,
            hits=len(self.overlay.hits.rows),
            zoom=self.laying.zoom,
            reading=self.laying.reading,
            indexing=self.following.indexing,
            ranging=self.here.ranging,
            conflicts=self.curating.conflicts,
        )

    def go_to_pane(self, index: int) -> None:
        """Make a pane the current one, and seen."""
        self.laying.current = index
        self.laying.lay_out()
        self.set_focus(self.pane.list)
        self._row_changed(self.pane.list.row)

    def show_hints(self) -> None:
        """Keep the hint line true."""
        self.hint_line.show(hints(self.context()))

    def marks_changed(self) -> None:
        """Marks change what actions apply to."""
        self.pane.caption()
        self.show_hints()

    # -- keys ------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """One key may mean different things in different places: only those of this place count."""
        if action != "perform":
            return True
        action_id, key = map(str, parameters)
        return is_bound(action_id, key, self.place)

    def action_perform(self, action_id: str, _key: str = "") -> None:
        """Do what a key, the palette or the mouse asked for, or say why not."""
        if self.holding.stale(action_id):  # the mouse and the palette cannot be held
            self.say(self.holding.why, severity="warning")
            return
        reason = by_id()[action_id].blocked(self.context())
        if reason is None:
            self.commands[action_id]()
        elif reason:
            self.say(row_text(reason[:1].upper() + reason[1:]), severity="warning")

    def show_dialog(self, dialog: Screen[_R], answered: Callable[[_R | None], None] | None = None) -> None:
        """Show a screen over this one; the keys pressed until it is there are for it."""

        def closed(answer: _R | None) -> None:
            self.holding.opened()
            if answered is not None:
                answered(answer)

        self.holding.opens()
        self.app.clear_notifications()  # they tell of what was done before, and would hide a part of this
        self.app.push_screen(dialog, closed)
        dialog.call_after_refresh(self.holding.opened)

    def _open_search(self) -> None:
        self.overlay.open()
        self.add_class("-searching")
        self.set_focus(self.overlay.input)
        self.searching.draw()
        self.show_hints()
        self.call_after_refresh(self.laying.cover_panes)

    def _help(self) -> None:
        if self.place is Place.QUERY:
            from screens.language_help import LanguageScreen  # noqa: PLC0415 - not before the first paint

            self.show_dialog(LanguageScreen(), lambda more: self._keys() if more else None)
        else:
            self._keys()

    def _keys(self) -> None:
        context = self.context()
        reasons = {
            action.id: reason
            for action in ACTIONS
            if context.place in action.places and (reason := action.blocked(context))
        }
        self.app.clear_notifications()
        self.app.push_screen(HelpScreen(reasons))

    def _palette(self) -> None:
        self.app.action_command_palette()

    def _quit(self) -> None:
        self.app.exit()

    def close_search(self) -> None:
        """Back to the panes; what was typed and found stays."""
        self.hide_search()
        self.set_focus(self.pane.list)
        self._row_changed(self.pane.list.row)

    def hide_search(self) -> None:
        """Show the panes again."""
        self.overlay.close()
        self.remove_class("-searching")

    def _back(self) -> None:
        if self.here.ranging:
            self.here.end_range(keep=False)
            self.marks_changed()
        elif self.overlay.is_open and self.laying.reading and self.here.row and only_read(self.here.row):
            self.laying.read(on=False)
        elif self.overlay.is_open:
            self.close_search()
        elif self.laying.reading:
            self.laying.read(on=False)
        elif self.here.marked:
            self.here.mark(set(self.here.marked), on=False)
            self.marks_changed()
        elif self.laying.zoom:
            self.laying.set_zoom(0)

    # -- workers and what they say ---------------------------------------------------------------

    def work(
        self, work: Callable[[], Coroutine[None, None, None]], group: str, *, exclusive: bool = False
    ) -> None:
        """Start a worker; its exception becomes a toast."""
        _: Worker[None] = self.run_worker(work, group=group, exclusive=exclusive, exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Show what went wrong in a worker."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            error = event.worker.error
            text = row_text(f"{type(error).__name__}: {error}")
            self.say(text, title=words("Something failed"), severity="error")
            if event.worker.group == "contents":
                self.jumping.failed()

    def say(self, text: Shown, *, title: Shown = Shown(""), severity: str = "information") -> None:  # noqa: B008
        """A toast."""
        seconds = 8.0 if severity == "error" else 5.0
        self.app.notify(text, title=title, severity=severity, timeout=seconds, markup=False)  # type: ignore[arg-type]

    def on_overview_read(self, message: said.OverviewRead) -> None:
        """The files are known, or changed."""
        self._pane(LogsPane).receive(message.overview)
        self._pane(EpisodesPane).receive_overview(message.overview)
        self.following.files_read(message.changed)
        row = self.here.row
        if row and row.path in message.changed:
            self._row_changed(row)

    def on_quarantine_read(self, message: said.QuarantineRead) -> None:
        """What is set aside."""
        self._pane(LogsPane).receive_quarantine(message.view)

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
            if isinstance(pane, FilePane) and message.pane == pane.NAME:
                pane.receive_contents(message.unfolded, message.contents, message.rows)
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

    def on_answered(self, message: said.Answered) -> None:
        """Hits."""
        self.searching.answered(message)
        self.show_hints()

    def on_words_failed(self, message: said.WordsFailed) -> None:
        """No hits, and why."""
        self.searching.failed(message)

    def on_meaning_failed(self, message: said.MeaningFailed) -> None:
        """No hits by meaning, and why."""
        self.searching.missed(message)

    def on_moment_changed(self, message: said.MomentChanged) -> None:
        """How far the index of a moment of the past is."""
        self.searching.moment(message)

    def on_meaning_changed(self, message: said.MeaningChanged) -> None:
        """The meaning half came or went."""
        self.searching.meaning(message)
        self.following.meaning(message)

    def on_index_progress(self, message: said.IndexProgress) -> None:
        """How far the index is."""
        self.following.progress(message)
        self.searching.building(message.text)
        if message.searchable or message.text is None:
            self.searching.ask_again()

    def on_files_changed(self) -> None:
        """Look again; what was in the way of actions may be gone too."""
        self.refresh_files()
        if self.curating.refusal:
            self.curating.begin()

    def on_sources_changed(self) -> None:
        """The index follows what is searched beside the workspace."""
        self.following.sources_changed()

    def on_polling(self, message: said.Polling) -> None:
        """Say why changes show later than usual."""
        self.say(row_text(message.reason), severity="warning")

    def refresh_files(self) -> None:
        """Read what changed on disk."""
        self.work(self.reading.refresh, "refresh", exclusive=True)

    def on_writable_checked(self, message: said.WritableChecked) -> None:
        """What can be done here."""
        self.curating.writable(message)

    def on_planned(self, message: said.Planned) -> None:
        """Ask first."""
        self.curating.planned(message)

    def on_source_read(self, message: said.SourceRead) -> None:
        """Let the person write."""
        self.editing.source_read(message)

    def on_stands_now(self, message: said.StandsNow) -> None:
        """An entry changed under what somebody writes."""
        self.editing.stands_now(message)

    def on_discarded(self, message: said.Discarded) -> None:
        """A conflict is dealt with."""
        self.curating.discarded(message)
        self.browsing.done()

    def on_done(self, message: said.Done) -> None:
        """Say it, and show it."""
        self.editing.done(message)
        self.browsing.done()
        self.curating.done(message)

    def on_refused(self, message: said.Refused) -> None:
        """Say why."""
        self.editing.refused(message)
        self.curating.refused(message)

    # -- what widgets say ------------------------------------------------------------------------

    @on(LogsPane.SummariesWanted)
    def _summaries_wanted(self, message: LogsPane.SummariesWanted) -> None:
        self.work(partial(self.reading.summaries, message.files), "summaries")

    @on(FilePane.Wanted)
    def _contents_wanted(self, message: FilePane.Wanted) -> None:
        self.work(partial(self.reading.contents, message.pane.NAME, message.files), "contents")

    @on(EntryList.Moved)
    def _moved(self, message: EntryList.Moved) -> None:
        if message.entry_list is self.here:
            self._row_changed(message.row)

    @on(EntryList.Opened)
    def _opened(self, message: EntryList.Opened) -> None:
        self.action_perform("open")

    @on(SearchOverlay.Typed)
    def _typed(self, message: SearchOverlay.Typed) -> None:
        self.searching.typed(message.text)

    @on(TabLine.Chosen)
    def _tab_chosen(self, message: TabLine.Chosen) -> None:
        self.go_to_pane(message.index)

    def on_descendant_focus(self) -> None:
        """A click into a pane makes it the current one."""
        for at, pane in enumerate(self.panes):
            if pane.list.has_focus and at != self.current:
                self.laying.current = at
                self.laying.lay_out()
                self._row_changed(pane.list.row)
        self.show_hints()

    def on_resize(self) -> None:
        """Show what fits now; what was typed and marked stays."""
        self.laying.lay_out()
        self.call_after_refresh(self.laying.cover_panes)
        self.searching.draw()

    def _row_changed(self, row: Row | None) -> None:
        self.show_hints()
        self.work(partial(self.reading.preview, row), "preview", exclusive=True)
        if row is not None and row.address and only_read(row) is None:
            self.work(partial(self.curating.history, row), "history", exclusive=True)

    def _pane(self, kind: type[_P]) -> _P:
        return next(pane for pane in self.panes if isinstance(pane, kind))


def titled(workspace: Workspace) -> str:
    """Where the memory is; of the past first as of when, since the end is cut off where it is narrow."""
    place, moment = home_relative(place_of(workspace)), moment_of(workspace)
    return f"as of {moment} · {place}" if moment else place


def home_relative(path: Path) -> str:
    """A path as people say it: ``~/notes`` below their home."""
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):  # elsewhere, or a person without a home
        return str(path)
