"""A screen over the panes: its keys, its hints, its workers, and what it says when something fails.

The ways out of a screen over the panes: to another one, to all commands, and out of the program.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from textual.app import ComposeResult
from textual.screen import Screen

from screens.actions.active import key_for
from screens.actions.availability import Context, FocusContext
from screens.actions.registry import SCREEN_NAMES, by_id, hints, is_bound
from screens.dialogs.help import HelpScreen
from screens.drawing.full_repaint import LaidOutScreen
from screens.drawing.safe_text import Row, line_rows, row_text
from screens.frames.services import Desk
from screens.jobs.running_jobs import Work, WorkLine
from screens.loading.snapshots import GraphView
from screens.main.movement import Command
from screens.main.request import Request
from screens.widgets.lines import HintLine
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from screens.app import WorkbenchApp


def ways(screen: Screen[Any]) -> dict[str, Command]:
    """The commands by action id, for a screen that lies over the panes."""
    return {
        **{room: partial(go, screen, room) for room in (*SCREEN_NAMES, "recent")},
        "palette": lambda: screen.app.action_command_palette(),  # noqa: PLW0108 - it has no app yet
        "quit": lambda: screen.app.exit(),  # noqa: PLW0108
    }


def go(screen: Screen[Any], room: str) -> None:
    """Open a room over ``screen``; back to it where it is open below already, so that none is open twice."""

    app = cast("WorkbenchApp", screen.app)
    known = [one for one in app.screen_stack if isinstance(one, OverScreen) and room == one.LEAVES]
    if not known:
        app.main.action_perform(room)
        return
    for above in reversed(app.screen_stack):
        if above is known[-1]:
            break
        above.dismiss()


Found = TypeVar("Found")


class OverScreen(LaidOutScreen):
    """Its methods ``action_<id>`` do what keys and the palette ask for. Subclasses say what is seen."""

    PLACE: ClassVar[FocusContext]
    LEAVES: ClassVar[str]
    """The action that opened the screen closes it too."""
    STOPS: ClassVar[str] = ""
    """The action that stops long work here; none, for most."""
    SHOWN_ABOVE: ClassVar[str] = ""
    """The work that the screen shows itself, by its key."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(classes="browse")
        self.desk = desk
        self.hint_line = HintLine()
        self.work_line = WorkLine()
        self.commands: dict[str, Command] = ways(self)
        """Actions that are not a method: several that are done alike, or those of another object."""

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

    @property
    def place(self) -> FocusContext:
        """Where the hands are: in the screen, or in a part of it in which keys mean something else."""
        return self.PLACE

    def context(self) -> Context:
        """What decides which actions are possible now."""
        return Context(place=self.place, refusal=self.desk.refusal(), why=self.why())

    def why(self) -> Mapping[str, str]:
        """What stands in the way of actions, by their ids."""
        return {}

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

    def action_back(self) -> None:
        """One level back; here that is out."""
        self.leave()

    def action_help(self) -> None:
        """Every key and what it does."""
        self.app.push_screen(HelpScreen(self.context()))

    def action_undo(self) -> None:
        """Undo the last operation."""
        self.desk.do(Request(action="undo"))

    def action_redo(self) -> None:
        """Redo what was last undone."""
        self.desk.do(Request(action="redo"))

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
        if self.desk.allows(action_id, by_id()[action_id].reason(self.context())):
            (self.commands.get(action_id) or getattr(self, f"action_{action_id}"))()

    def show_hints(self) -> None:
        """Keep the hint line true."""
        self.hint_line.show(hints(self.context()))

    def leave(self) -> None:
        """Back to where the person came from."""
        self.dismiss()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A key counts where the hands are: elsewhere it may mean something else, or be text."""
        if action != "perform":
            return super().check_action(action, parameters)
        action_id, key = map(str, parameters)
        return is_bound(action_id, key, self.place)

    # -- work ------------------------------------------------------------------------------------

    def load(
        self,
        read: Callable[[], Awaitable[Found]],
        show: Callable[[Found], object],
        group: str,
        *,
        failed: Callable[[Exception], object] | None = None,
        exclusive: bool = True,
    ) -> None:
        """Read, then ``show`` what came of it; a newer ``exclusive`` reading of its ``group`` ends this one.

        What comes of it is shown in its turn among the keys and messages of the screen.
        """

        async def run() -> None:
            try:
                found = await read()
            except Exception as error:
                self.call_later(failed or self.fails, error)
            else:
                self.call_later(show, found)

        self.work(run, group, exclusive=exclusive)

    def fails(self, error: Exception) -> None:
        """Say why there is nothing to be seen."""
        self.say_failure(error)

    def say_failure(self, error: Exception) -> None:
        """A toast that says why something could not be read, or done."""
        said = ". ".join(row.text for row in failure_rows(error))
        self.desk.say(row_text(said), "warning" if isinstance(error, WorkbenchError) else "error")


def failure_rows(error: Exception) -> list[Row]:
    """Why there is nothing to be seen, and what to do about it."""
    if isinstance(error, WorkbenchError):
        return line_rows([(error.message, "warn"), (error.hint, "warn")])
    return line_rows([(f"{type(error).__name__}: {error}", "bad")])
