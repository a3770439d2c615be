"""The frame of the screens over the panes: a list, details of the row under the cursor, keys and hints."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input

from screens.actions.availability import Context, FocusContext
from screens.actions.keys import key_for, types_a_character
from screens.actions.registry import SCREEN_NAMES, bindings, by_id, hints
from screens.drawing.safe_text import Folds, Row, Tone, line_rows, lines_text, row_text, said_of
from screens.frames.action_screen import LaidOutScreen
from screens.history.history_reader import HistoryReader
from screens.jobs.running_jobs import RunningJob, RunningJobs, WorkLine
from screens.jobs.worker_client import WorkerJob
from screens.loading.workspace_model import GraphView
from screens.main.drafts import Drafts
from screens.main.request import Request
from screens.widgets.entry_list import ChangeList, EntryList
from screens.widgets.lines import HintLine, NarrowLine
from workbench.errors import WorkbenchError
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

Found = TypeVar("Found")
_PAUSE_SECONDS = 0.03
BESIDE_FROM = 110
"""Columns from which what is behind a row stands beside the list, where a screen wants that."""


class OverlayScreen(LaidOutScreen):
    """A list of rows and the details of the one under the cursor. Subclasses give both, and their keys.

    Its methods ``action_<id>`` do what keys and the palette ask for.
    """

    PLACES: ClassVar[Sequence[FocusContext]] = ()
    """Where its keys mean something; the hands are in the first unless ``place`` says otherwise."""
    LEAVES: ClassVar[str]
    """The action that opened the screen closes it too."""
    STOPS: ClassVar[str] = ""
    """The action that stops long work here; none, for most."""
    SHOWN_ABOVE: ClassVar[str] = ""
    """The work that the screen shows itself, by its key."""
    BESIDE: ClassVar[bool] = True
    """Whether there is more to read behind a row than beside the others: then it stands to the right."""

    SIDES: ClassVar[bool] = False
    """Whether two texts are read behind a row, to stand beside each other."""

    def __init__(self, services: Services, title: str) -> None:
        super().__init__(classes="browse")
        self.services = services
        self.history_reader = services.history_reader
        self.list = EntryList(empty="reading …", id="browse-list")
        self.behind = ChangeList(id="browse-behind")
        self.hint_line = HintLine()
        self.work_line = WorkLine()
        self.folds = Folds()
        self.list_frame = Vertical(id="browse-top")
        self.entitle(title)
        self._reading = False
        self.commands |= {
            **{room: partial(self.go, room) for room in (*SCREEN_NAMES, "recent")},
        }

    def __init_subclass__(cls, **options: bool) -> None:
        """Bind the keys of its places."""
        cls.BINDINGS = [*bindings(*cls.PLACES)]
        super().__init_subclass__(**options)

    def compose(self) -> ComposeResult:
        """The list in its frame, what is behind it in another, the long work under way, and the keys."""
        yield from self.compose_over()
        with Container(id="browse-body"):
            with self.list_frame:
                yield from self.compose_list()
            with Vertical(id="browse-below"):
                yield from self.compose_behind()
        yield self.work_line
        yield self.hint_line

    def compose_over(self) -> ComposeResult:
        """What stands over both frames; nothing, for most."""
        yield from ()

    def compose_list(self) -> ComposeResult:
        """The list, and what stands over and under it."""
        yield self.list

    def compose_behind(self) -> ComposeResult:
        """What stands behind."""
        yield self.behind

    def on_mount(self) -> None:
        """Ready to move; say what can be done, and read."""
        self.begins_in.focus()
        self.lay_out(update=False)  # a screen that begins is given its styles anyway
        self.show_hints()
        self.reload()

    def on_resize(self) -> None:
        """Beside or beneath, as there is room."""
        self.lay_out()

    def lay_out(self, *, update: bool = True) -> None:
        """Beside or beneath, as there is room."""
        self.set_class(self.BESIDE and self.app.size.width >= BESIDE_FROM, "-beside", update=update)

    # -- what subclasses say ---------------------------------------------------------------------

    @property
    def place(self) -> FocusContext:
        """Where the hands are: in the screen, or in a part of it in which keys mean something else."""
        return self.PLACES[0]

    @property
    def begins_in(self) -> Widget:
        """What has the focus at first."""
        return self.list

    @property
    def here(self) -> EntryList:
        """The list that keys move in."""
        return self.list

    @property
    def row(self) -> Row | None:
        """The row of the list that the cursor is on."""
        return self.list.row

    def context(self) -> Context:
        """What decides which actions are possible now."""
        return Context(
            place=self.place,
            row=self.list.row,
            refusal=self.services.refusal(),
            why=self.why(),
        )

    def why(self) -> Mapping[str, str]:
        """What stands in the way of actions, by their ids."""
        return {}

    def reload(self) -> None:
        """Something was done to the memory: read again what is shown."""

    def draw(self) -> None:
        """Make the rows of what is known, and show them."""

    async def read_behind(self, row: Row) -> Any:
        """What is behind ``row``, as ``show_behind`` takes it: rows, for most. Raises any exception."""
        raise NotImplementedError

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
        """Out of reading, else out."""
        if self._reading:
            self.read()
        else:
            self.dismiss()

    def action_undo(self) -> None:
        """Undo the last operation."""
        self.carry_out(Request(action="undo"))

    def action_redo(self) -> None:
        """Redo what was last undone."""
        self.carry_out(Request(action="redo"))

    def carry_out(self, request: Request) -> None:
        """Have it done as one operation."""
        self.services.do(request)

    def show_works(self, works: Sequence[RunningJob]) -> None:
        """Show the long work that is under way."""
        stops = key_for(self.STOPS) if self.STOPS else ""
        self.work_line.tell([work for work in works if work.key != self.SHOWN_ABOVE], stops)

    # -- keys ------------------------------------------------------------------------------------

    def action_perform(self, action_id: str, _key: str = "") -> None:
        """Do it, or say why not."""
        if action_id == self.LEAVES:
            self.dismiss()
        elif self.services.allows(action_id, by_id()[action_id].reason(self.context())):
            self.do(action_id)

    def go(self, room: str) -> None:
        """Open a screen over this one; back to it where it is open below already: none is open twice."""
        stack = self.app.screen_stack
        known = [one for one in stack if isinstance(one, OverlayScreen) and room == one.LEAVES]
        if known:
            known[-1].uncover()
        else:
            self.app.main.action_perform(room)

    def action_open(self) -> None:
        """Read what is behind the row, or fold it where it is a heading."""
        row = self.list.row
        if row is not None and row.fold is not None and not row.address:
            self.set_fold(row, is_open=not row.fold)
        else:
            self.read()

    def set_fold(self, row: Row, *, is_open: bool) -> None:
        """Open or close a row."""
        self.folds.set(row.id, is_open)
        self.draw()

    def scroll_behind(self, lines: int) -> None:
        """Scroll what is behind; the list keeps its place."""
        self.behind.jump(self.behind.scroll_offset.y + lines)

    def read(self) -> None:
        """Give what is behind most of the room, or take it back."""
        self._reading = not self._reading
        self.set_class(self._reading, "-reading")

    def show_hints(self) -> None:
        """Keep the hint line true."""
        self.hint_line.hints = hints(self.context())

    # -- the list --------------------------------------------------------------------------------

    def show_rows(self, rows: Sequence[Row], *, go_to: str | None = None, empty: str = "") -> None:
        """Show these, or say that there is nothing; the cursor stays unless it is to ``go_to`` a row."""
        self.list.empty = empty
        self.list.show(rows, go_to=go_to)
        self.set_class(not rows, "-empty")
        self.show_place()
        self.show_hints()

    def fails(self, error: Exception) -> None:
        """Say why there is nothing to be seen, whole, in the place of the rows."""
        self.show_rows((), empty=lines_text(said_of(error)))

    def on_entry_list_moved(self, message: EntryList.Moved) -> None:
        """Show what is behind the row under the cursor, once it rests."""
        if message.entry_list is self.list:
            self.show_place()
            self.show_hints()
            self.look_behind()

    def on_entry_list_opened(self, message: EntryList.Opened) -> None:
        """A double click does what enter does."""
        if message.entry_list is self.list and not self._reading:
            self.action_perform("open")

    def entitle(self, title: str) -> None:
        """What is listed, on the frame."""
        self.list_frame.border_title = Content(row_text(title))

    def show_place(self) -> None:
        """Where the cursor is, on the frame."""
        self.list_frame.border_subtitle = Content(self.list.place)

    # -- what is behind --------------------------------------------------------------------------

    def look_behind(self) -> None:
        """Read what is behind the row under the cursor, which may be otherwise now."""
        row = self.list.row
        if row is None:
            self.nothing_behind()
            return

        async def read() -> Any:
            await asyncio.sleep(_PAUSE_SECONDS)
            return await self.read_behind(row)

        self.load_behind(read)

    def load_behind(self, read: Callable[[], Awaitable[Any]]) -> None:
        """Show what is read behind the row under the cursor, or why not, unless the cursor goes on."""
        row_id = self.list.row and self.list.row.id

        async def run() -> Callable[[], None]:
            try:
                return partial(self.show_behind, await read())
            except Exception as error:
                return partial(self.nothing_behind, error)

        def show(told: Callable[[], None]) -> None:
            if row_id == (self.list.row and self.list.row.id):
                told()

        self.load(run, show, "behind")

    def nothing_behind(self, error: Exception | None = None) -> None:
        """The list is empty; or what is behind the row could not be read, and why."""
        rows = failure_rows(error) if error else ()
        self.show_behind((rows, ()) if self.SIDES else rows)
        self.behind.empty = ""

    def show_behind(self, told: Any) -> None:
        """Show these rows below, from their beginning."""
        self.behind.empty = "nothing to show"
        self.behind.show(told, go_to=told[0].id if told else None)
        self.behind.jump(0)

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

    def go_to_first(self, places: Sequence[str], gone: str, *, line: str = "") -> None:
        """Leave for the first of these that is there now (see ``standing``), or say that it is ``gone``."""

        def arrive(address: str | None) -> None:
            if address is None:
                self.warn(gone)
            else:
                self.services.go_to(address)

        find = partial(self.history_reader.run, standing, places, line)
        self.load(find, arrive, "going", failed=self.say_failure)


def standing(workspace: Workspace, places: Iterable[str], line: str = "") -> str | None:
    """The first of these addresses, paths and lines (``path#L12``) that is there now; None where none is.

    Where ``line`` is given, the entry of a file that has this line is preferred to the file.
    """
    for place in places:
        path, _, at = place.rpartition("#")
        number = at.removeprefix("L").partition("-")[0]
        with contextlib.suppress(WorkbenchError, FileNotFoundError):
            if path and at.startswith("L") and number.isdecimal() and workspace.layout.holds(path):
                there = workspace.document(path).at_line(int(number))
                return there.address if there else path
            if path and not workspace.layout.may_curate(place):
                return workspace.find(place).address
            bare = line.strip().lstrip("-*+ ")
            entries = workspace.document(place).entries
            return next((entry.address for entry in entries if bare and bare in entry.text), place)
    return None


def failure_rows(error: Exception) -> list[Row]:
    """Why there is nothing to be seen, and what to do about it."""
    tone: Tone = "warn" if isinstance(error, WorkbenchError) else "bad"
    return line_rows((line, tone) for line in said_of(error))


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What every screen over the panes works with; nothing of it is a widget."""

    workspace: Workspace
    """For its settings and root. What touches the disk is read by ``history_reader``, off the event loop."""
    history_reader: HistoryReader
    """Runs readings in a thread of its own: ``await history_reader.run(work, …)``."""
    do: Callable[[Request], None]
    """Carry it out as one operation, in the order of the keys; a toast says what was done, or why not.

    When it was done, ``reload`` of every open screen is called.
    """
    allows: Callable[[str, str | None], bool]
    """Whether the key of an action does something; else says the reason why not.

    An undo right behind one that was to write shows first what it would undo.
    """
    ask: Callable[..., None]
    """Show what a request would do, the rows that it is about over the diff, and do it on a yes."""
    refusal: Callable[[], str | None]
    """Why nothing can be written here, or None."""
    go_to: Callable[[str], None]
    """Leave all screens and put the cursor of the panes on this address (``path#hash``) or path."""
    travel: Callable[[Operation, bool], None]
    """Leave all screens and show the memory as it was right after an operation, or before it where True."""
    show_dialog: Callable[..., None]
    """Show a dialog over a screen, and give its answer to a function; keys until it is there are for it."""
    discard: Callable[[Path], None]
    """Take the conflict whose text is kept here off the list."""
    drafts: Drafts
    """What was typed and left unsaved."""
    changed: Callable[[], None]
    """Something was done to the memory beside ``do``: read it again, here and in the panes."""
    edit: Callable[[str], None]
    """Open the entry at this address in the dialog to write in."""
    reindex: Callable[[], None]
    """Bring the index up to date, as `r` in the panes does."""
    indexing: Callable[[], bool]
    """Whether it is being brought up to date."""
    works: RunningJobs
    """The long work that is under way, which every screen shows in its last lines."""
    kept: dict[str, WorkerJob] = field(default_factory=dict, compare=False)
    """What a screen wants to find again when it is opened the next time, by its name."""


_TYPING = frozenset({"down", "up", "page_down", "page_up", "back", "help", "palette"})
"""What keys that are no text do while the filter is typed."""


class NarrowScreen(OverlayScreen):
    """An OverlayScreen whose rows are filtered by what is typed after ``/``. Subclasses say how."""

    def __init__(self, services: Services, title: str, placeholder: str) -> None:
        super().__init__(services, title)
        self.input = NarrowLine(placeholder, id="narrow", select_on_focus=True)

    def compose_list(self) -> ComposeResult:
        """The list under the line to type in."""
        yield self.input
        yield self.list

    def narrowed(self) -> None:
        """Show only what ``self.input`` asks for."""
        self.draw()

    # -- where the hands are ---------------------------------------------------------------------

    @property
    def typing(self) -> bool:
        """Whether keys are text."""
        return self.focused is self.input

    @property
    def here(self) -> EntryList:
        """The list that keys move in."""
        return self.behind if self.focused is self.behind else self.list

    @property
    def line(self) -> Row | None:
        """The line under the cursor of what is behind, while a person goes through that."""
        return self.behind.row if self.here is self.behind else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While the filter is typed, keys are text."""
        if action != "perform" or not self.typing:
            return super().check_action(action, parameters)
        action_id, key = map(str, parameters)
        return action_id in _TYPING and not types_a_character(key)

    def action_back(self) -> None:
        """Out of the filter, out of what is behind, out of reading, else out."""
        if self.typing or (self.input.value and self.here is self.list and not self._reading):
            self.input.value = ""
            self.input.display = False
            self.set_focus(self.list)
        elif self.here is self.behind:
            self.set_focus(self.list)
        else:
            super().action_back()

    def action_narrow(self) -> None:
        """Type what to filter by."""
        self.input.display = True
        self.set_focus(self.input)

    def action_other_side(self) -> None:
        """Between the list and what is behind its row."""
        self.set_focus(self.behind if self.here is self.list else self.list)
        self.show_hints()

    @on(Input.Changed, "#narrow")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.narrowed()

    @on(Input.Submitted, "#narrow")
    def _submitted(self) -> None:
        self.set_focus(self.list)
