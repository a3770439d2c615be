"""Time travel: the panes, the preview and the search show memory as it was, and nothing can be changed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.text import Text

from screens.actions.keys import key_for
from screens.dialogs.dialog import ChooseScreen, as_typed
from screens.drawing.clock import today
from screens.drawing.safe_text import (
    EMPTY,
    Row,
    RowPart,
    Shown,
    grouped,
    row_text,
    safe_piece,
    sentence,
    words,
)
from screens.frames.action_screen import Command
from screens.history.history_reader import (
    HistoryReader,
    MomentTarget,
    RevisionStepper,
    SupersededError,
    day_shown,
)
from screens.loading.reader import WorkspaceReader
from screens.widgets.entry_list import EntryList
from screens.widgets.lines import Line
from workbench.workspace.plan import Operation
from workbench.workspace.revisions import local_day
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.main.screen import MainScreen


REST_SECONDS = 0.2
"""How long a person stays on a moment before its files are laid out."""
_OFFERED = 200
_MOVES = frozenset(
    {
        "down", "up", "top", "bottom", "half_down", "half_up", "page_down", "page_up", "fold", "unfold",
        "open", "next_hit", "previous_hit", "origin", "mark",
    }
)  # fmt: skip
_ROOM = 42
"""Cells that what is said keeps beside the keys."""
ROOMS = ("review", "graph_view", "agent_view", "health", "conflicts")
"""Screens of today's memory, which would speak of another one than the panes."""


class MomentLine(Line, can_focus=False):
    """Hidden while today's memory is shown."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line--mark", "line--when", "line--what", "line--keys"}

    def __init__(self) -> None:
        super().__init__(id="moment")
        self.when = self.what = self.doing = EMPTY
        self.display = False

    def show(self, when: Shown = EMPTY, what: Shown = EMPTY, doing: Shown = EMPTY) -> None:
        """Say it, ``doing`` while the panes do not show it yet; nothing once they show today's memory."""
        self.when, self.what, self.doing = when, what, doing
        self.display = bool(when or doing)
        self.refresh()

    def render(self) -> Text:
        """The line; keys as far as there is room for them, since the hints have them too."""
        width = self.size.width
        line = Text(no_wrap=True, overflow="crop").append(" ◷ ", self.tone("mark"))
        line.append(f"as of {self.when}" if self.when else "the past", self.tone("when"))
        line.append(f" · {self.doing}" if self.doing else "", self.tone("mark"))
        room = width - line.cell_len
        keys = ""
        for key in (  # the most useful ones first
            f"{key_for('past_older')} older {key_for('past_newer')} newer",
            f"  {key_for('back')} today",
            f"  {key_for('past_day_older')} {key_for('past_day_newer')} a day",
            f"  {key_for('past_at')} date",
        ):
            if cell_len(keys + key) <= room - _ROOM:
                keys += key
        if self.what:
            said = Text(f" · {self.what}", self.tone("what"))
            said.truncate(max(0, room - cell_len(keys) - 2), overflow="ellipsis")
            line.append_text(said)
        line.append(" " * max(0, width - line.cell_len - cell_len(keys) - 1))
        line.append(keys, self.tone("keys"))
        return line


def when_of(moment: Operation) -> Shown:
    """The moment as people say it: ``Sat 14 Mar 2026 10:00``."""
    when = moment.when.astimezone()
    return words(f"{when:%a} {when.day} {when:%b %Y %H:%M}")


class TimeTravel:
    """Owns what the main screen reads while it is in the past, and gives today's back.

    The main screen stays, and reads another folder. Its titles change with every key, but a moment is laid
    out as files only once the person rests on it; the last few stay on disk.
    """

    def __init__(self, screen: MainScreen, workspace: Workspace) -> None:
        self._screen = screen
        self.line = MomentLine()
        self._tell = screen.call_later
        """Has what the thread found shown in its turn."""
        self._begun = day_shown(workspace)
        self._keeper = RevisionStepper(workspace.today)
        self._where = MomentTarget(None)
        self._place: PastWorkspace | None = None
        self._shown = MomentTarget(None)
        self._today: tuple[WorkspaceReader, HistoryReader] | None = None
        self._wish = self._journey = 0
        """The number of the newest key, and of the time since today's memory was left."""
        self._anchors: dict[str, str] = {}
        self._touched: set[str] = set()
        self._marks: list[tuple[EntryList, set[str]]] = []
        """What was marked when today's memory was left."""
        self._ending: set[asyncio.Task[None]] = set()
        self.away = False
        """Whether the person is on the way in the past, though the panes may not show it yet."""

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        return {
            "past_older": lambda: self._go(lambda: self._keeper.step(1)),
            "past_newer": lambda: self._go(lambda: self._keeper.step(-1)),
            "past_day_older": lambda: self._go(lambda: self._keeper.day(1)),
            "past_day_newer": lambda: self._go(lambda: self._keeper.day(-1)),
            "past_at": self._choose,
        }

    @property
    def refusal(self) -> str | None:
        """Why nothing can be done to what is shown, or None."""
        when = self.line.when
        if not self.away:
            return None
        return f"this is memory as of {when or 'another day'}: {key_for('back')} goes back to today's"

    @property
    def why(self) -> dict[str, str]:
        """What stands in the way of actions that are no writing, by their ids."""
        return dict.fromkeys(ROOMS, self.refusal or "") if self.away else {}

    def today(self) -> date:
        """The day of the memory that is shown, from which ages and countdowns count."""
        return local_day(self._shown.moment.when) if self._shown.moment else self._begun()

    def to(self, operation: Operation, *, before: bool = False) -> None:
        """Show memory as it was right after an operation, or right before it."""
        self._go(partial(self._keeper.before if before else self._keeper.after, operation))

    def home(self) -> None:
        """Show today's memory."""
        self._wish += 1
        self._restore()

    def follow_hand(self, commands: dict[str, Command]) -> None:
        """Hear of the keys that move the cursor: from then on it stays where the person put it."""

        def heard(command: Command) -> None:
            if self.away:
                self._touched.add(self._screen.pane.NAME)
                self._screen.pane.give_up()
            command()

        for action in _MOVES & commands.keys():
            commands[action] = partial(heard, commands[action])

    def look_again(self) -> None:
        """Lay the moment out once more where somebody who looked at others removed it."""
        if self._place and not self._place.root.is_dir():
            self._work(partial(self._lay_out, self._shown, self._wish), self._wish)

    async def close(self) -> None:
        """End what was begun."""
        self._wish += 1
        self._journey += 1
        self._give_back()
        await asyncio.gather(*self._ending, asyncio.to_thread(self._keeper.end))

    # -- finding the moment ----------------------------------------------------------------------

    def _go(self, move: Callable[[], MomentTarget]) -> None:
        self._wish += 1
        if not self.away:
            self.away = True
            self.line.show(doing=words("looking …"))
            self._screen.show_hints()
        self._work(partial(self._travel, move, self._wish, self._journey), self._wish)

    def _work(self, work: Callable[[], Awaitable[None]], wish: int) -> None:
        """Say why nothing came of ``work``, in its turn; nothing where nobody waits for it."""

        async def run() -> None:
            try:
                await work()
            except SupersededError:
                return
            except Exception as error:
                self._tell(self._failed, wish, error)

        self._screen.work(run, "travel")

    async def _travel(self, move: Callable[[], MomentTarget], wish: int, journey: int) -> None:
        """Show the title at once, and the files when the person rests on it."""

        def looks(commits: int) -> None:
            if journey != self._journey:
                raise SupersededError
            self._tell(self._working, wish, words(f"looking through {grouped(commits)} commits …"))

        def found() -> MomentTarget:
            self._keeper.looks = looks
            return move()

        where = await self._keeper.run(found)
        self._tell(self._found, wish, where)
        await asyncio.sleep(REST_SECONDS)
        if not self._is_shown(where):
            await self._lay_out(where, wish)

    def _is_shown(self, where: MomentTarget) -> bool:
        one, other = self._shown.moment, where.moment
        return one is not None and other is not None and one.commit == other.commit

    def _found(self, wish: int, where: MomentTarget) -> None:
        if not self.away:
            return
        self._where = where
        if where.limit:
            self._screen.warn(sentence(where.limit))
        self._title(where, EMPTY if self._is_shown(where) else words("…"))
        if where.moment is None and wish == self._wish:
            self._restore()

    def _failed(self, wish: int, error: Exception) -> None:
        """Say why, and stay with what is shown."""
        if wish != self._wish:
            return
        self._screen.say_failure(error, "Cannot go back in time")
        shown = self._shown.moment
        if shown is None:
            self._restore()
        else:
            self._where = self._shown
            self._title(self._shown)
        self._screen.work(partial(self._begin_anew, shown), "travel")

    async def _begin_anew(self, shown: Operation | None) -> None:
        """The history may be another one: read it again, from where the person stands."""
        await self._keeper.run(self._keeper.forget)
        if shown:
            await self._keeper.run(self._keeper.after, shown)

    def _working(self, wish: int, doing: Shown) -> None:
        """Say how far it is."""
        if wish == self._wish and self.away:
            self.line.show(self.line.when, self.line.what, doing)

    # -- showing it ------------------------------------------------------------------------------

    async def _lay_out(self, where: MomentTarget, wish: int) -> None:
        """Write the files of a moment, and have them shown, unless somebody has gone on."""

        def told(files: int) -> None:
            if wish != self._wish:
                raise SupersededError
            if files:
                self._tell(self._working, wish, words(f"writing out {grouped(files)} files …"))

        if wish == self._wish and where.moment:
            self._tell(self._working, wish, words("reading …"))
            place = await self._keeper.run(self._keeper.lay_out, where.moment, told)
            self._tell(self._laid_out, wish, place)

    def _laid_out(self, wish: int, place: PastWorkspace) -> None:
        """The panes show it from now on."""
        if wish != self._wish:
            return
        screen = self._screen
        self._hold_on()
        if self._today is None:
            self._today = screen.reader, screen.operations.history_reader
            screen.reader.quiet = True
            lists = [screen.overlay.hits, *(pane.list for pane in screen.panes)]
            self._marks = [(one, one.marked | one.out_of_sight) for one in lists]
        else:
            self._end_past()
        self._place, self._shown = place, self._where
        screen.reader = WorkspaceReader(place, screen.model.publish)
        day = self.today()
        screen.operations.history_reader = HistoryReader(place.root, lambda: day)
        self._title(self._where)
        self._show(place)

    def _restore(self) -> None:
        """Today's memory again, read anew where it changed meanwhile."""
        self._journey += 1
        self.away = False
        self._where = self._shown = MomentTarget(None)
        self.line.show()
        self._screen.work(partial(self._keeper.run, self._keeper.home), "travel")  # type: ignore[arg-type]
        if self._today:
            self._hold_on()
            self._give_back()
            for one, known in self._marks:  # what was marked in the past is not to be acted on today
                one.mark(one.marked - known, on=False)
                one.out_of_sight &= known
            self._show(None)
            self._anchors.clear()
        self._screen.show_hints()

    def _show(self, place: PastWorkspace | None) -> None:
        screen = self._screen
        screen.reader.anew()
        for pane in screen.panes:
            pane.begin_anew()
            if anchor := self._anchors.get(pane.NAME):
                pane.follow(anchor)
        screen.live_search.look_at(place)
        screen.work(screen.reader.refresh, "refresh")
        screen.show_hints()

    def _give_back(self) -> None:
        if self._today:
            self._end_past()
            self._screen.reader, self._screen.operations.history_reader = self._today
            self._screen.reader.quiet = False
            self._today = self._place = None

    def _end_past(self) -> None:
        """Let go of a moment: its threads, and git's helper process, without waiting for them here."""
        reading, history_reader = self._screen.reader, self._screen.operations.history_reader
        reading.quiet = True
        reading.close()
        task = asyncio.create_task(asyncio.to_thread(history_reader.close))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def _title(self, where: MomentTarget, doing: Shown = EMPTY) -> None:
        if moment := where.moment:
            back = f"{where.back} back" if where.back else "newest"
            what = row_text(f"{back} · after {moment.summary[:200]} · {moment.actor}")
            self.line.show(when_of(moment), what, doing)
            self._screen.show_hints()

    def _hold_on(self) -> None:
        """Remember the entry under each cursor until the person moves it; for a while it may not be there."""
        for pane in self._screen.panes:
            kept, row = self._anchors.get(pane.NAME), pane.list.row
            there = any(row.id == kept for row in pane.list.rows)
            if row and (kept is None or there or pane.NAME in self._touched):
                self._anchors[pane.NAME] = row.id
        self._touched.clear()

    # -- choosing a day --------------------------------------------------------------------------

    def _choose(self) -> None:
        self._screen.key_queue.opens()  # keys that follow are for the dialog
        self._screen.work(self._offer, "travel")

    async def _offer(self) -> None:
        try:
            recent = await self._keeper.run(self._keeper.recent, _OFFERED)
        except Exception as error:
            self._screen.key_queue.opened()
            self._tell(self._failed, self._wish, error)
        else:
            self._tell(self._offered, recent)

    def _offered(self, recent: list[Operation]) -> None:
        """Let the person choose, or type when."""
        by_commit = {operation.commit: operation for operation in recent}

        def chosen(answer: str) -> None:
            if operation := by_commit.get(answer):  # type: ignore[call-overload]
                self.to(operation)
            else:
                self._go(lambda: self._keeper.at(answer, today()))

        rows = [moment_row(one) for one in recent]
        title = "Memory as of … (2026-03-14, last march, an operation)"
        placeholder = "type to narrow, or a day in words"
        dialog = ChooseScreen(title, rows, as_typed("typed:"), placeholder=placeholder)
        self._screen.show_dialog(dialog, chosen)


def moment_row(operation: Operation) -> Row:
    """A moment to choose: when, after what, by whom."""
    when, who = RowPart(when_of(operation)), safe_piece(operation.actor)
    return Row(operation.commit, row_text(operation.summary), lead=(when,), tail=(who,))
