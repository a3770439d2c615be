"""What workers tell the main screen, handed to the part of it that shows it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from textual.worker import Worker, WorkerState

from screens.actions.availability import only_read
from screens.drawing.full_repaint import LaidOutScreen
from screens.drawing.rows import Row
from screens.drawing.safe_text import Shown, row_text, words
from screens.main import messages as said
from screens.main.job_monitor import jobs_line
from screens.main.related import related_fact, related_lines
from screens.panes.episodes import EpisodesPane
from screens.panes.graph import GraphPane
from screens.panes.logs import LogsPane
from screens.panes.memory import MemoryPane
from screens.panes.pane import FilePane, Pane
from screens.widgets.entry_list import EntryList
from screens.widgets.preview_pane import Beneath, PreviewPane

if TYPE_CHECKING:
    from screens.history.time_travel import Travelling
    from screens.loading.reader import Reading
    from screens.main.edit_entry import Editing
    from screens.main.find import FindTarget
    from screens.main.index_monitor import Following
    from screens.main.key_queue import Holding
    from screens.main.layout import Laying
    from screens.main.navigation import Jumping
    from screens.main.open_screen import Opening
    from screens.main.operation_keys import Curating
    from screens.main.related import Relating
    from screens.search.live_search import Searching

_P = TypeVar("_P", bound=Pane)
_LOOK_AGAIN_SECONDS = 2.0


class Listening(LaidOutScreen):
    """A screen that works off the event loop and hears what came of it. It decides nothing itself."""

    panes: list[Pane]
    preview: PreviewPane
    reading: Reading
    following: Following
    searching: Searching
    travelling: Travelling
    curating: Curating
    editing: Editing
    opening: Opening
    jumping: Jumping
    laying: Laying
    finding: FindTarget
    relating: Relating
    holding: Holding

    @property
    def here(self) -> EntryList:
        """The list that keys move in."""
        raise NotImplementedError

    def show_hints(self) -> None:
        """Keep the hint line true."""
        raise NotImplementedError

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

    def withdraw(self, text: Shown) -> None:
        """Take away the toast that says this."""
        app: Any = self.app  # a ``WorkbenchApp``, which imports this room
        app.withdraw_toast(text)

    def on_overview_read(self, message: said.OverviewRead) -> None:
        """The files are known, or changed."""
        self.pane_of(LogsPane).receive(message.overview)
        self.pane_of(EpisodesPane).receive_overview(message.overview)
        if not self.travelling.away:
            self.following.files_read(message.changed)
        if message.changed:
            self.opening.follow()
        row = self.here.row
        if row and row.path in message.changed:
            self.row_changed(row)

    def on_workspace_there(self, message: said.WorkspaceThere) -> None:
        """The folder went, or came back. One of the past is no loss: it is laid out again."""
        if self.travelling.away and not message.there:
            return
        self.curating.there(there=message.there)
        if message.there:
            self.row_changed(self.here.row)
        else:
            self.set_timer(_LOOK_AGAIN_SECONDS, self._look_again)
        self.show_hints()

    def _look_again(self) -> None:
        self.refresh_files()
        if self.curating.gone:
            self.set_timer(_LOOK_AGAIN_SECONDS, self._look_again)

    def on_quarantine_read(self, message: said.QuarantineRead) -> None:
        """What is set aside."""
        self.pane_of(LogsPane).receive_quarantine(message.view)

    def on_memory_read(self, message: said.MemoryRead) -> None:
        """Long-term memory is here; what came from where can be marked."""
        for pane in self.panes:
            if isinstance(pane, MemoryPane):
                pane.receive(message.view)
            elif isinstance(pane, FilePane):
                pane.receive_promoted(message.view.promoted)
        self.holding.release()
        self.show_hints()

    def on_summaries_read(self, message: said.SummariesRead) -> None:
        """Counts and first words."""
        self.pane_of(LogsPane).receive_summaries(message.summaries)

    def on_contents_read(self, message: said.ContentsRead) -> None:
        """The entries of an unfolded file."""
        for pane in self.panes:
            if isinstance(pane, FilePane) and message.pane == pane.NAME:
                pane.receive_contents(message.unfolded, message.contents, message.rows)
        self.jumping.arrived(message.contents)
        self.holding.release()

    def on_episodes_read(self, message: said.EpisodesRead) -> None:
        """More episodes."""
        self.pane_of(EpisodesPane).receive(message.view)
        self.holding.release()

    def on_graph_read(self, message: said.GraphRead) -> None:
        """More of the graph."""
        self.pane_of(GraphPane).receive(message.view)
        self.holding.release()
        self.opening.graph_read(message.view)

    def on_preview_read(self, message: said.PreviewRead) -> None:
        """What the preview shows."""
        self.preview.show(message.preview)

    def on_history_read(self, message: said.HistoryRead) -> None:
        """What was done to it."""
        lines = tuple(Beneath(words("history"), line) for line in message.lines)
        self.preview.show_beneath(message.key, {"history": lines})

    def on_belonging_read(self, message: said.BelongingRead) -> None:
        """What belongs to it, and who recalled it."""
        if message.recalled is not None:
            self.preview.show_beneath(message.key, {"facts": message.recalled})
        if message.related is not None:
            self.preview.show_beneath(message.key, {"related": related_lines(message.related)})
            self.preview.add_fact(message.key, related_fact(message.related))

    def on_kept_read(self, message: said.KeptRead) -> None:
        """What a filter keeps."""
        self.pane_of(LogsPane).receive_kept(message.wanted, message.found, message.looked)
        if not self.pane_of(LogsPane).settling:
            self.holding.release()

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
        """Semantic search became ready, or went away."""
        self.searching.meaning(message)
        self.following.meaning(message)

    def on_index_progress(self, message: said.IndexProgress) -> None:
        """How far the index is."""
        self.following.progress(message)
        self.searching.building(message.text)
        if message.searchable or message.text is None:
            self.searching.ask_again()
        if message.text is None:
            self.opening.follow()

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
        self.travelling.look_again()
        self.work(self.reading.refresh, "refresh")

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

    def on_jobs_read(self, message: said.JobsRead) -> None:
        """A job that a clock runs is not well, or all are."""
        self.curating.jobs_stand(jobs_line(message.wrong))

    def on_discarded(self, message: said.Discarded) -> None:
        """A conflict is dealt with."""
        self.curating.discarded(message)
        self.opening.done()

    def on_done(self, message: said.Done) -> None:
        """Say it, and show it."""
        self.editing.done(message)
        self.opening.done(message.request)
        self.curating.done(message)

    def on_refused(self, message: said.Refused) -> None:
        """Say why."""
        self.editing.refused(message)
        self.opening.refused(message.request)
        self.curating.refused(message)

    def row_changed(self, row: Row | None) -> None:
        """Show what there is to know of the row under the cursor."""
        self.show_hints()
        wide = self.laying.reading or self.finding.on
        self.work(partial(self.reading.preview, row, wide=wide), "preview", exclusive=True)
        self.relating.leave()
        if row is not None and row.address and only_read(row) is None:
            self.work(partial(self._rest_on, row), "resting", exclusive=True)
        else:
            self.workers.cancel_group(self, "resting")

    async def _rest_on(self, row: Row) -> None:
        """Tell what is looked up only once the cursor rests on an entry."""
        await asyncio.gather(self.curating.history(row), self.relating.tell(row))

    def pane_of(self, kind: type[_P]) -> _P:
        """The pane of this sort."""
        return next(pane for pane in self.panes if isinstance(pane, kind))
