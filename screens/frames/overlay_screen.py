"""A screen over the panes: its keys, its hints, its workers, and what it says when something fails."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.worker import Worker

from screens.actions.active import key_for
from screens.actions.availability import Context, FocusContext
from screens.actions.registry import by_id, hints
from screens.dialogs.help import HelpScreen
from screens.drawing.full_repaint import LaidOutScreen
from screens.drawing.rows import Row, Tone
from screens.drawing.safe_text import Shown, row_text
from screens.frames.navigation import ways
from screens.jobs.job_line import WorkLine
from screens.jobs.running_jobs import Work
from screens.loading.snapshots import GraphView
from screens.main.movement import Command
from screens.main.request import Request
from screens.widgets.lines import HintLine
from workbench.errors import WorkbenchError

FAILED = "failed:"
"""How the ids of rows begin that say what went wrong."""


class OverScreen(LaidOutScreen):
    """Commands by action id, done by keys and the palette. Subclasses say what is seen."""

    PLACE: ClassVar[FocusContext]
    LEAVES: ClassVar[str]
    """The action that opened the screen closes it too."""
    STOPS: ClassVar[str] = ""
    """The action that stops long work here; none, for most."""
    SHOWN_ABOVE: ClassVar[str] = ""
    """The work that the screen shows itself, by its key."""

    def __init__(self) -> None:
        super().__init__(classes="browse")
        self.hint_line = HintLine()
        self.work_line = WorkLine()
        self.commands: dict[str, Command] = {
            **ways(self),
            "back": self.back,
            "help": self._help,
            self.LEAVES: self.leave,
        }

    def compose(self) -> ComposeResult:
        """The body, the long work under way, and the keys under it."""
        yield from self.compose_body()
        yield self.work_line
        yield self.hint_line

    def compose_body(self) -> ComposeResult:
        """What is between the top of the screen and its last line."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Say what can be done."""
        self.show_hints()

    # -- what subclasses say ---------------------------------------------------------------------

    def context(self) -> Context:
        """What decides which actions are possible now."""
        return Context(place=self.PLACE)

    def reload(self) -> None:
        """Something was done to the memory: read again what is shown."""

    def files_changed(self) -> None:
        """Somebody else wrote, or the index has what they wrote: whoever reads cheaply reads again."""
        self.reload()

    def done(self, request: Request) -> None:
        """This was carried out; ``reload`` follows."""

    def refused(self, request: Request) -> None:
        """This was not carried out; why is said."""

    def graph_read(self, view: GraphView) -> None:
        """The pages of the graph were read, or read again."""

    def back(self) -> None:
        """One level back; here that is out."""
        self.leave()

    def show_works(self, works: Sequence[Work]) -> None:
        """Show the long work that is under way."""
        stops = key_for(self.STOPS) if self.STOPS else ""
        self.work_line.tell([work for work in works if work.key != self.SHOWN_ABOVE], stops)

    # -- keys ------------------------------------------------------------------------------------

    def action_perform(self, action_id: str, _key: str = "") -> None:
        """Do it, or say why not."""
        if action_id == self.LEAVES:
            self.leave()
            return
        reason = by_id()[action_id].reason(self.context())
        if reason is None:
            self.commands[action_id]()
        elif reason:
            self.app.notify(row_text(reason[:1].upper() + reason[1:]), severity="warning", markup=False)

    def show_hints(self) -> None:
        """Keep the hint line true."""
        self.hint_line.show(hints(self.context()))

    def leave(self) -> None:
        """Back to where the person came from."""
        self.dismiss()

    def _help(self) -> None:
        self.app.push_screen(HelpScreen(self.context()))

    # -- work ------------------------------------------------------------------------------------

    def work(
        self, work: Callable[[], Coroutine[None, None, None]], group: str, *, exclusive: bool = False
    ) -> None:
        """Start a worker, which says itself what goes wrong in it."""
        _: Worker[None] = self.run_worker(work, group=group, exclusive=exclusive, exit_on_error=False)

    def failed(self, error: Exception) -> list[Row]:
        """Why there is nothing to be seen, and what to do about it, as rows."""
        known = isinstance(error, WorkbenchError)
        lines: tuple[str | None, ...] = (
            (error.message, error.hint)
            if isinstance(error, WorkbenchError)
            else (f"{type(error).__name__}: {error}",)
        )
        tone: Tone = "warn" if known else "bad"
        shown: list[Shown] = [row_text(line) for line in lines if line]
        return [Row(f"{FAILED}{n}", line, tone=tone) for n, line in enumerate(shown)]
