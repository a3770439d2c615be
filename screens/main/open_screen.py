"""The screens over the panes: what a key opens, and what they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from screens.actions.keys import key_for
from screens.frames.overlay_screen import OverlayScreen, Services
from screens.jobs.running_jobs import RunningJobs
from screens.jobs.user_jobs import IngestJob
from screens.loading.workspace_model import OperationCompleted, OperationRefused
from screens.main.operation_commands import OperationCommands
from screens.search.engine import IndexChanged
from screens.search.recent import InputHistory
from workbench.memory.entry import Kind
from workbench.workspace.plan import Operation

if TYPE_CHECKING:
    from textual.timer import Timer

    from screens.loading.workspace_model import GraphView
    from screens.main.screen import MainScreen

_FOLLOW_SECONDS = 1.0


class ScreenOpener:
    """Opens these screens, and keeps what they show true. Each is imported when it is opened."""

    def __init__(self, screen: MainScreen, operations: OperationCommands) -> None:
        self._screen = screen
        self._operations = operations
        self._messages: InputHistory | None = None
        """What was typed where one sees what an agent is given."""
        self._due: Timer | None = None
        self.services = Services(
            workspace=screen.workspace,
            history_reader=operations.history_reader,
            do=operations.carry_out,
            allows=operations.allows,
            ask=operations.ask,
            refusal=lambda: screen.time_travel.refusal or operations.refusal,
            go_to=self._go_to,
            travel=self._travel,
            show_dialog=screen.show_dialog,
            discard=operations.discard,
            drafts=screen.drafts,
            changed=self._changed,
            edit=screen.edit_commands.edit,
            reindex=screen.index_monitor.action_reindex,
            indexing=lambda: screen.index_monitor.indexing,
            works=RunningJobs(self.show_works),
        )
        self._ingest_job = IngestJob.of(self.services)

    @property
    def why(self) -> dict[str, str]:
        """Why another workspace cannot be opened now, work cannot be stopped, or begun again."""
        refused = self._screen.app.switching.why_not
        why = dict.fromkeys(("workspaces", "everywhere"), refused) if refused else {}
        if not self.services.works.under_way:
            why["stop_work"] = "no long job is running"
        if self._screen.index_monitor.indexing:
            why["reindex"] = "the index is already being brought up to date"
        if self._ingest_job.running:
            why["ingest"] = f"an ingest is running: {key_for('stop_work')} stops it"
        return why

    def action_stop_work(self) -> None:
        """End the long work that is named first."""
        self._screen.work(self.services.works.stop_first, "stop work")

    def action_ingest(self) -> None:
        """Choose what is to be ingested."""
        self._ingest_job.ask(self._screen)

    def show_works(self) -> None:
        """Show the long work under way, on whichever screen is looked at."""
        works = self.services.works.seen
        self._screen.show_works(works)
        for screen in self._shown():
            screen.show_works(works)

    def reload(self) -> None:
        """Something was done to the memory: what is shown is not as it was."""
        for screen in self._shown():
            screen.reload()

    def done(self, event: OperationCompleted) -> None:
        """What was asked for is done."""
        for screen in self._shown():
            screen.done(event.request)
            screen.reload()

    def refused(self, event: OperationRefused) -> None:
        """Nothing came of it: whoever waits for it waits no more."""
        for screen in self._shown():
            screen.refused(event.request)

    def follow(self) -> None:
        """Files changed on the disk: what is open follows, once a second where somebody writes on and on."""
        if self._due is None and len(self._screen.app.screen_stack) > 1:
            self._due = self._screen.set_timer(_FOLLOW_SECONDS, self._follow)

    def index_changed(self, event: IndexChanged) -> None:
        """The index has what was written."""
        if event.text is None:
            self.follow()

    def _follow(self) -> None:
        self._due = None
        for screen in self._shown():
            screen.files_changed()

    def graph_read(self, view: GraphView) -> None:
        """The pages of the graph were read again: whoever shows them follows."""
        for screen in self._shown():
            screen.graph_read(view)

    def _shown(self) -> list[OverlayScreen]:
        """The screens that are open over the panes."""
        stack = self._screen.app.screen_stack  # where the program is left, they end one after another
        return [screen for screen in stack if isinstance(screen, OverlayScreen) and screen.is_running]

    def _open(self, screen: OverlayScreen) -> None:
        screen.show_works(self.services.works.seen)
        self._screen.show_dialog(screen)

    def action_operations(self) -> None:
        """What was done to memory."""
        from screens.history.operations import OperationsScreen  # noqa: PLC0415

        self._open(OperationsScreen(self.services))

    def action_recent(self) -> None:
        """What was written lately."""
        from screens.history.recent import RecentScreen  # noqa: PLC0415

        self._open(RecentScreen(self.services))

    def action_entry_log(self) -> None:
        """What was done to this entry."""
        from screens.history.operations import OperationsScreen  # noqa: PLC0415

        row = self._screen.here.row
        if row is not None and row.path is not None:
            self._open(OperationsScreen(self.services, row.path, row.address or ""))

    def action_blame(self) -> None:
        """Who wrote the file, line by line."""
        from screens.history.blame import BlameScreen  # noqa: PLC0415

        row = self._screen.here.row
        if row is not None and row.path is not None:
            self._open(
                BlameScreen(
                    self.services,
                    lambda: self._operations.history_reader,  # in the past that of the moment
                    row.path,
                    row.line,
                )
            )

    def action_conflicts(self) -> None:
        """What other writers left in no file."""
        from screens.history.conflicts import ConflictsScreen  # noqa: PLC0415

        self._open(ConflictsScreen(self.services))

    def action_review(self) -> None:
        """What dreams propose."""
        from screens.review.review import ReviewScreen  # noqa: PLC0415

        self._open(ReviewScreen(self.services))

    def action_graph_view(self) -> None:
        """The graph around the entity under the cursor."""
        from screens.graph.neighbourhood import GraphScreen  # noqa: PLC0415

        row = self._screen.here.row
        file = self._screen.files.get(row.path or "") if row and not row.workspace else None
        at = file.path if file and file.kind is Kind.ENTITY else ""
        view = self._screen.graph.view
        self._open(GraphScreen(self.services, view, at))

    def action_agent_view(self) -> None:
        """What an agent is given."""
        from screens.context.screen import AgentScreen  # noqa: PLC0415

        self._messages = self._messages or InputHistory()
        self._open(AgentScreen(self.services, self._screen.index_monitor.engine, self._messages))

    def action_health(self) -> None:
        """How the workspace stands."""
        from screens.health.overview import HealthScreen  # noqa: PLC0415

        self._open(HealthScreen(self.services))

    def action_settings(self) -> None:
        """Settings and keys."""
        from screens.settings.overview import SettingsScreen  # noqa: PLC0415

        self._open(SettingsScreen(self.services))

    def action_edit_keys(self) -> None:
        """The keys, in an editor."""
        app = self._screen.app
        app.keying.edit(app)
        self.reload()

    def action_workspaces(self) -> None:
        """Another workspace."""
        self._screen.app.switching.offer()

    def action_explain_hit(self) -> None:
        """Why this hit is here."""
        from screens.search.explanation_screen import ExplanationScreen  # noqa: PLC0415

        searching = self._screen.live_search
        screen = ExplanationScreen(searching.index, left=lambda: searching.explain(None))
        self._screen.show_dialog(screen)
        searching.explain(screen.answered)

    def _go_to(self, address: str) -> None:
        self._screen.uncover()
        self._screen.navigation.to(address)

    def _travel(self, operation: Operation, before: bool) -> None:
        self._screen.uncover()
        self._screen.time_travel.to(operation, before=before)

    async def close(self) -> None:
        """End what screens left going."""
        for kept in self.services.kept.values():
            await kept.close()

    def _changed(self) -> None:
        self._screen.refresh_files()
        self.reload()
