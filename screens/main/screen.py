"""The main screen: it composes the panes and routes keys and messages. It decides nothing itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.events import Click, Key, Paste, ScreenResume
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from screens.actions.availability import TYPED, only_read
from screens.actions.keymap import KeyMap
from screens.actions.keys import active, key_for
from screens.actions.registry import SCREEN_NAMES, Context, FocusContext, bindings, by_id, hints
from screens.drawing.clock import today
from screens.drawing.safe_text import Row, row_text, words
from screens.frames.action_screen import Answer, LaidOutScreen
from screens.jobs.running_jobs import RunningJob, WorkLine
from screens.loading.workspace_model import (
    FilesChanged,
    FolderSeen,
    MemoryView,
    WorkspaceModel,
    moment_of,
    titled,
)
from screens.main.drafts import Drafts
from screens.main.key_queue import KeyQueue
from screens.main.layout import PaneLayout, PanesFrame
from screens.panes.episodes import EpisodesPane
from screens.panes.graph import GraphPane
from screens.panes.logs import LogsPane
from screens.panes.memory import MemoryPane
from screens.panes.pane import MatchesRead, Pane
from screens.widgets.entry_list import EntryList, LineView
from screens.widgets.lines import Banner, HintLine, LanguageInput, NarrowLine, TabLine, TitleLine
from screens.widgets.preview_pane import DetailLine, PreviewPane
from screens.widgets.search_overlay import SearchOverlay
from workbench.workspace.layout import MemoryFile
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.history.time_travel import TimeTravel
    from screens.loading.reader import WorkspaceReader
    from screens.main.destination import DestinationCommands
    from screens.main.edit_entry import EditCommands
    from screens.main.index_monitor import IndexMonitor
    from screens.main.navigation import FindTarget, Navigation, RelatedEntries
    from screens.main.open_screen import ScreenOpener
    from screens.main.operation_commands import OperationCommands
    from screens.main.status_monitor import SettingsWatch, StatusMonitor
    from screens.search.live_search import LiveSearch

_LOOK_AGAIN_SECONDS = 2.0
_REST_SECONDS = 0.4
_TO_HITS = ("next_hit", "previous_hit", "explain_hit")
_NEWER = ("past_newer", "past_day_newer")
_TRAVELS = ("past_older", "past_day_older", "past_at", *_NEWER)
_TOO_LARGE = DetailLine(
    words("history"), words("not looked up: this file is larger than what the panes read")
)


class MainScreen(LaidOutScreen):
    """Four panes, the preview, the search over them, and one line of hints."""

    # Loaded by ``controllers`` behind the first paint.
    reader: WorkspaceReader
    index_monitor: IndexMonitor
    live_search: LiveSearch
    operations: OperationCommands
    edit_commands: EditCommands
    destinations: DestinationCommands
    time_travel: TimeTravel
    status_monitor: StatusMonitor
    screen_opener: ScreenOpener
    settings_watch: SettingsWatch
    navigation: Navigation
    find: FindTarget
    related: RelatedEntries

    AUTO_FOCUS = "#logs-list"
    # What has the focus is drawn by the widgets themselves: no need to paint the whole screen for it.
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(
            FocusContext.PANE,
            FocusContext.FILTER,
            FocusContext.FIND,
            FocusContext.QUERY,
            FocusContext.RESULTS,
        )
    ]

    def __init__(
        self,
        workspace: Workspace,
        perform: Callable[[Key | Paste], Awaitable[None]],
        *,
        engines: bool = True,
        at: str = "",
    ) -> None:
        """``at`` is the address to begin on, once the files have been read."""
        super().__init__()
        self.workspace = workspace
        self._at = at
        self.model = WorkspaceModel(self.call_later)
        self.logs, self.memory = LogsPane(self._day), MemoryPane(self._day)
        self.episodes, self.graph = EpisodesPane(self._day), GraphPane(self._day)
        self.panes: list[Pane] = [self.logs, self.memory, self.episodes, self.graph]
        self.pairs = [Container(*self.panes[at : at + 2], classes="pair") for at in (0, 2)]
        self.preview = PreviewPane()
        self.overlay = SearchOverlay()
        self.title_line = TitleLine(row_text(titled(workspace)))
        self.banner, self.hint_line, self.work_line = Banner(), HintLine(), WorkLine()
        self._hinted: tuple[Context, KeyMap | None] | None = None
        """What the hints that are shown were made of."""
        self.tabs = TabLine([pane.NAME for pane in self.panes])
        self.strip = TabLine(tuple(SCREEN_NAMES.values()), id="screens")
        self.pane_layout = PaneLayout(self)
        self.frame = PanesFrame(*self.pairs, resized=self.pane_layout.cover_panes)
        self.ready = False
        """Whether what acts was loaded; until then keys wait, and nothing is shown but empty panes."""
        self._engines = engines
        self.drafts = Drafts(workspace)
        self.key_queue = KeyQueue(self, perform)

    def drawn(self, event: object) -> None:
        """A pane shows something else: there may be more room, or less, and what keys wait for."""
        if isinstance(event, FilesChanged | MemoryView):
            self.status_monitor.tell_facts()
        if isinstance(event, MemoryView) and self.overlay.is_open:
            self.live_search.draw()  # hits are marked that stand in long-term memory now
        self.pane_layout.lay_out()
        self.key_queue.release()

    def _day(self) -> date:
        """The day of the memory that is shown."""
        return self.time_travel.today() if self.ready else today()

    def compose(self) -> ComposeResult:
        """Title, banner, tabs, panes, preview, hints. What is hidden at first is mounted behind that."""
        self.pane_layout.lay_out()  # first, so that what is composed is given its styles once
        yield self.title_line
        yield self.strip
        yield self.banner
        yield self.tabs
        yield Container(self.frame, self.preview, id="body")
        yield self.work_line
        yield self.hint_line

    def on_mount(self) -> None:
        """Paint first; load what acts, read and start engines after that."""
        self.call_after_refresh(self._begin)

    def on_screen_resume(self, event: ScreenResume) -> None:
        """It was given its styles just now, when it was composed."""
        event.refresh_styles = event.refresh_styles and self.ready

    async def _begin(self) -> None:
        if not self.is_attached:
            return  # the person left again
        from screens.main import controllers  # noqa: PLC0415 - the first paint shows nothing of it

        controllers.load(self, engines=self._engines)
        await asyncio.gather(
            self.mount(self.time_travel.line, before=self.banner),
            self.mount(self.find.line, before=self.work_line),
            self.mount(self.overlay),
        )
        if not self.is_attached:
            return
        self.ready = True
        self.show_hints()
        self.key_queue.release()
        self.work(self._read_first, "refresh")
        self.operations.begin()
        self.index_monitor.begin()
        self.status_monitor.begin()
        self.settings_watch.begin()
        self.live_search.begin()

    async def _read_first(self) -> None:
        await self.reader.refresh()
        if self._at:
            self.call_later(self.navigation.to, self._at)  # behind what was read
        else:
            self.call_later(self._first_pane)

    def _first_pane(self) -> None:
        """Begin where there is something, unless the person is elsewhere already."""
        filled = next((at for at, pane in enumerate(self.panes) if not pane.vacant), 0)
        if self.current == 0 and filled and self.place is FocusContext.PANE:
            self.go_to_pane(filled)

    async def end(self) -> None:
        """End children and threads; wait for an action that is being written."""
        if not self.ready:
            return
        await self.time_travel.close()
        await self.index_monitor.close()
        await self.screen_opener.close()
        self.reader.close()
        await asyncio.to_thread(self.operations.close)

    def name_it(self) -> None:
        """The workspace has a name now, or another one."""
        self.title_line.place = row_text(titled(self.workspace))

    # -- where the person is ---------------------------------------------------------------------

    @property
    def current(self) -> int:
        """Which pane is the current one, from 0."""
        return self.pane_layout.current

    @property
    def pane(self) -> Pane:
        """The current pane."""
        return self.panes[self.current]

    @property
    def here(self) -> EntryList:
        """The list that keys move in."""
        return self.overlay.hits if self.overlay.is_open else self.pane.list

    @property
    def place(self) -> FocusContext:
        """Where the person's hands are."""
        if not self.ready:
            return FocusContext.PANE
        if self.find.filtering:
            return FocusContext.FILTER
        if self.find.finding:
            return FocusContext.FIND
        if not self.overlay.is_open:
            return FocusContext.PANE
        return FocusContext.QUERY if self.focused is self.overlay.input else FocusContext.RESULTS

    @property
    def memory_view(self) -> MemoryView:
        """Long-term memory as it was read last."""
        return self.memory.view

    @property
    def files(self) -> Mapping[str, MemoryFile]:
        """All memory files, by path."""
        return self.logs.files

    def context(self) -> Context:
        """What decides which actions are possible now."""
        if not self.ready:
            return Context(place=self.place, refusal=moment_of(self.workspace) or None, why=self._why())
        return Context(
            place=self.place,
            row=self.here.row,
            marked=tuple(self.here.marked_rows()),
            refusal=self.time_travel.refusal or self.operations.refusal,
            why={
                **self.time_travel.why,
                **self.live_search.why,
                **self.screen_opener.why,
                **self.operations.why,
                **self._why(),
            },
        )

    def _why(self) -> dict[str, str]:
        """What stands in the way of going back: to another level, in time, and to hits."""
        why: dict[str, str] = {}
        finding, away = self.ready and self.find.on, self.ready and self.time_travel.away
        within = self.here.marked or self.here.ranging or self.pane.filter or finding
        if self.place is FocusContext.PANE and not (
            within or self.pane_layout.reading or self.pane_layout.zoom or away
        ):
            why["back"] = ""  # there is no level to go back to, which is not worth a toast
        if not finding and not (self.ready and self.live_search.count):
            why |= dict.fromkeys(_TO_HITS, f"search first: {key_for('search')}")
        if moment_of(self.workspace):
            why |= dict.fromkeys(
                _TRAVELS, "this was started with --as-of and stays there: restart without it"
            )
        elif not away:
            here = f"this is today's memory: {key_for('past_older')} goes back in time"
            why |= dict.fromkeys(_NEWER, here)
        return why

    def go_to_pane(self, index: int) -> None:
        """Make a pane the current one, and seen."""
        self.pane_layout.current = index
        self.pane_layout.lay_out()
        self.set_focus(self.pane.list)
        self.row_changed(self.pane.list.row)

    def set_fold(self, row: Row, *, is_open: bool) -> None:
        """Open or close a row of the current pane."""
        self.pane.folds.set(row.id, is_open)
        self.pane.rebuild()

    def show_hints(self) -> None:
        """Keep hints and strip true: it is asked for at every turn, and mostly nothing has changed."""
        now = self.context(), active()
        if now != self._hinted:
            self._hinted = now
            self.hint_line.hints = hints(now[0])
        if self.ready:
            self.status_monitor.show_waiting(typing=now[0].place in TYPED)

    def show_works(self, works: Sequence[RunningJob]) -> None:
        """Show the long work that is under way, over the hints."""
        self.work_line.tell(works, key_for("stop_work"))

    def marks_changed(self) -> None:
        """Marks change what actions apply to."""
        self.pane.caption()
        self.show_hints()

    # -- keys ------------------------------------------------------------------------------------

    def action_perform(self, action_id: str, _key: str = "") -> None:
        """Do what a key, the palette or the mouse asked for, or say why not."""
        if not self.ready:
            return
        stale = self.key_queue.stale(action_id)  # the mouse and the palette cannot be held
        reason = self.key_queue.why if stale else by_id()[action_id].reason(self.context())
        if self.operations.allows(action_id, reason):
            self.do(action_id)

    def show_dialog(self, dialog: Screen[Answer], answered: Callable[[Answer], object] | None = None) -> None:
        """Show a screen over this one; the keys pressed until it is there are for it.

        ``answered`` hears of its answer, and nothing where it is left without one.
        """

        def closed(answer: Answer | None) -> None:
            self.key_queue.opened()
            if answered is not None and answer is not None:
                answered(answer)

        self.key_queue.opens()
        self.app.clear_notifications()  # they tell of what was done before, and would hide a part of this
        self.app.push_screen(dialog, closed)
        dialog.call_after_refresh(self.key_queue.opened)

    def action_search(self) -> None:
        """Search everything."""
        self._show_search(self.overlay.input)

    def action_switch(self) -> None:
        """Between the line that is searched with and its hits."""
        overlay = self.overlay
        self.set_focus(overlay.hits if self.focused is overlay.input else overlay.input)

    def show_hits(self) -> None:
        """Back to what was found."""
        self._show_search(self.overlay.hits)

    def _show_search(self, focused: Widget) -> None:
        self.overlay.open()
        self.add_class("-searching")
        self.set_focus(focused)
        self.live_search.draw()
        self.show_hints()
        self.call_after_refresh(self.pane_layout.cover_panes)

    def action_help(self) -> None:
        """How to ask while one searches, else every key and what it does."""
        if self.place is FocusContext.QUERY:
            from screens.search.explanation_screen import LanguageScreen  # noqa: PLC0415 - not before the first paint

            self.show_dialog(LanguageScreen(), lambda _: super(MainScreen, self).action_help())
        else:
            super().action_help()

    def scroll_behind(self, lines: int) -> None:
        """Scroll the preview; the list keeps its place."""
        self.preview.scroll_by(lines)

    def close_search(self) -> None:
        """Back to the panes; what was typed and found stays."""
        self.hide_search()
        self.go_to_pane(self.current)

    def hide_search(self) -> None:
        """Show the panes again."""
        if self.overlay.is_open:
            self.live_search.closed(self.overlay.input.value)
        self.overlay.display = False
        self.remove_class("-searching")

    def action_back(self) -> None:
        """One level back."""
        if self.here.ranging:
            self.here.end_range(keep=False)
            self.marks_changed()
        elif (
            self.overlay.is_open
            and self.pane_layout.reading
            and self.here.row
            and self.navigation.is_read_in_place(self.here.row)
        ):
            self.pane_layout.read(on=False)
        elif self.overlay.is_open:
            self.close_search()
        elif self.find.back():
            return
        elif self.pane_layout.reading:
            self.pane_layout.read(on=False)
            self.row_changed(self.here.row)
        elif self.here.marked:
            self.here.unmark()
            self.marks_changed()
        elif self.pane.filter:
            self.pane.clear_filter()
        elif self.pane_layout.zoom:
            self.pane_layout.set_zoom(0)
        elif self.time_travel.away:
            self.time_travel.home()

    # -- work ------------------------------------------------------------------------------------

    def on_click(self, event: Click) -> None:
        """What was refused before somebody clicked at something else is not what an undo may be meant for."""
        if isinstance(event.widget, (LineView, TabLine)):  # no hint, which is a key, and no toast
            self.forget_refusal()

    def forget_refusal(self) -> None:
        """The person went on to something else: the next undo is for what was done."""
        if self.ready:
            self.operations.forget_refusal()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Show what went wrong in a worker."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            self.say_failure(event.worker.error, "Something failed")
            if event.worker.group == "contents":
                self.navigation.failed()

    # -- what is read ----------------------------------------------------------------------------

    def refresh_files(self) -> None:
        """Read what changed on disk."""
        self.time_travel.look_again()
        self.work(self.reader.refresh, "refresh")

    def look_again(self) -> None:
        """Files may have changed: read them, and what was in the way of actions may be gone too."""
        self.refresh_files()
        if self.operations.refusal:
            self.operations.begin()

    def files_changed(self, event: FilesChanged) -> None:
        """Files are not as they were."""
        self.logs.receive(event.files)
        self.episodes.files = event.files
        self.graph.receive_files(event.files)
        if not self.time_travel.away:
            self.index_monitor.files_read(event.paths)
        if event.paths:
            self.edit_commands.files_changed(event.paths)
            self.screen_opener.follow()
            self.status_monitor.look()
        row = self.here.row
        if row and row.path in event.paths:
            self.row_changed(row)

    def matches_read(self, event: MatchesRead) -> None:
        """The logs were looked through."""
        self.logs.receive_matches(event)
        if not self.logs.settling:
            self.key_queue.release()

    def folder_seen(self, event: FolderSeen) -> None:
        """The folder went, or came back. One of the past is no loss: it is laid out again."""
        if self.time_travel.away and not event.there:
            return
        self.operations.there(there=event.there)
        if event.there:
            self.row_changed(self.here.row)
        else:
            self.set_timer(_LOOK_AGAIN_SECONDS, self._look_for_folder)
        self.show_hints()

    def _look_for_folder(self) -> None:
        self.refresh_files()
        if self.operations.gone:
            self.set_timer(_LOOK_AGAIN_SECONDS, self._look_for_folder)

    def row_changed(self, row: Row | None) -> None:
        """Show what there is to know of the row under the cursor."""
        self.show_hints()
        if not self.ready:
            return
        wide = self.pane_layout.reading or self.find.on
        self.work(partial(self.reader.preview, row, wide=wide), "preview", exclusive=True)
        self.related.leave()
        if row is not None and row.address and only_read(row) is None:
            self.work(partial(self._rest_on, row), "resting", exclusive=True)
        else:
            self.workers.cancel_group(self, "resting")

    async def _rest_on(self, row: Row) -> None:
        """Tell what is looked up only once the cursor rests on an entry, where its file is soon read."""
        file = self.files.get(row.path or "")
        if file is not None and self.reader.is_large(file):
            await asyncio.sleep(_REST_SECONDS)  # the preview is of this row by then
            self.related.leave(known=row.id)
            self.preview.show_beneath(row.id, history=[_TOO_LARGE])
            return
        await asyncio.gather(self.operations.history(row), self.related.tell(row))

    # -- what widgets say ------------------------------------------------------------------------

    @on(Pane.Wanted)
    def _wanted(self, message: Pane.Wanted) -> None:
        reader = self.reader

        async def read() -> None:
            await message.read(reader)

        self.work(read, message.group, exclusive=message.exclusive)

    @on(Pane.FilterChanged)
    def _filter_changed(self) -> None:
        self.pane_layout.lay_out()
        self.key_queue.release()

    @on(NarrowLine.Changed, "#find")
    def _sought(self, message: NarrowLine.Changed) -> None:
        self.find.typed(message.value)

    @on(PreviewPane.Followed)
    def _followed(self, message: PreviewPane.Followed) -> None:
        self.navigation.to(message.address)

    @on(EntryList.Moved)
    def _moved(self, message: EntryList.Moved) -> None:
        if message.entry_list is self.here:
            self.row_changed(message.row)

    @on(EntryList.Opened)
    def _opened(self, message: EntryList.Opened) -> None:
        self.action_perform("open")

    @on(LanguageInput.Changed, "#query")
    def _typed(self, message: LanguageInput.Changed) -> None:
        self.live_search.typed(message.value)

    @on(TabLine.Chosen)
    def _tab_chosen(self, message: TabLine.Chosen) -> None:
        if message.tabs is self.strip:
            self.action_perform(list(SCREEN_NAMES)[message.index])
        else:
            self.go_to_pane(message.index)

    def on_descendant_focus(self) -> None:
        """A click into a pane makes it the current one."""
        if self.ready:
            self.find.hide_lines()
        for at, pane in enumerate(self.panes):
            if pane.list.has_focus and at != self.current:
                self.pane_layout.current = at
                self.pane_layout.lay_out()
                self.row_changed(pane.list.row)
        self.show_hints()

    def on_resize(self) -> None:
        """Show what fits now; what was typed and marked stays."""
        self.pane_layout.lay_out()
        if self.ready:
            self.call_after_refresh(
                self.pane_layout.cover_panes
            )  # the panes may have moved and kept their size
            self.live_search.draw()
