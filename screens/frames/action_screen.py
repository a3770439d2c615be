"""The base of all screens: workers, keys that perform actions, and a layout that is painted whole."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, TypeVar

from textual.geometry import Size
from textual.screen import Screen, ScreenResultType
from textual.worker import Worker

from screens.actions.availability import Context, FocusContext
from screens.actions.registry import is_bound
from screens.drawing.safe_text import Row, lines_text, row_text, said_of
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from screens.app import WorkbenchApp
    from screens.widgets.entry_list import EntryList

Work = Callable[[], Coroutine[None, None, None]]
Command = Callable[[], None]
Answer = TypeVar("Answer")
_STEP = 3
"""Lines that the preview is scrolled by."""


class WorkingScreen(Screen[ScreenResultType]):
    """What fails in a worker does not end the program. Keys perform actions where the hands are."""

    @property
    def place(self) -> FocusContext:
        """Where the hands are: in the screen, or in a part of it in which keys mean something else."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A key counts where the hands are: elsewhere it may mean something else, or be text."""
        if action != "perform":
            return super().check_action(action, parameters)
        action_id, key = map(str, parameters)
        return is_bound(action_id, key, self.place)

    def ask(self, dialog: Screen[Answer], answered: Callable[[Answer], object]) -> None:
        """Show a dialog; ``answered`` hears of its answer, and nothing where it is left without one."""

        def closed(answer: Answer | None) -> None:
            if answer is not None:
                answered(answer)

        self.app.push_screen(dialog, closed)

    def work(self, work: Work, group: str, *, exclusive: bool = False) -> None:
        """Start a worker; a newer ``exclusive`` one of its ``group`` ends it."""
        _: Worker[None] = self.run_worker(work, group=group, exclusive=exclusive, exit_on_error=False)


class LaidOutScreen(WorkingScreen[None]):
    """A screen that paints everything that moved, also where somebody asked in between where it stands.

    Textual tells what has changed by comparing a new layout with the map of widgets that it keeps. When a
    widget is asked for its place while a change waits to be laid out, that map is made anew at once, and what
    is laid out next seems to change nothing: it is not painted, and whoever is shown by it never hears of it.
    Here the comparison is with the last layout that was painted.
    """

    app: WorkbenchApp

    def __init__(self, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self._laid_out = self._compositor._full_map
        self.commands: dict[str, Command] = {
            "down": lambda: self.here.move(1),
            "up": lambda: self.here.move(-1),
            "top": lambda: self.here.go(0),
            "bottom": lambda: self.here.go(len(self.here.rows) - 1),
            "half_down": lambda: self.here.page(0.5),
            "half_up": lambda: self.here.page(-0.5),
            "page_down": lambda: self.here.page(1),
            "page_up": lambda: self.here.page(-1),
            "preview_down": lambda: self.scroll_behind(_STEP),
            "preview_up": lambda: self.scroll_behind(-_STEP),
        }
        """Actions that are no method: several that are done alike, or those of another object."""

    @property
    def here(self) -> EntryList:
        """The list that keys move in."""
        raise NotImplementedError

    def context(self) -> Context:
        """What decides which actions are possible now."""
        raise NotImplementedError

    def awaits(self, action_id: str) -> bool:
        """Whether an action has to wait for what came of the one before."""
        return False

    def scroll_behind(self, lines: int) -> None:
        """Scroll what is behind the row under the cursor; the list keeps its place."""
        raise NotImplementedError

    def action_help(self) -> None:
        """Every key and what it does."""
        from screens.dialogs.dialog import HelpScreen  # noqa: PLC0415 - not before the first paint

        self.app.clear_notifications()
        self.app.push_screen(HelpScreen(self.context()))

    # Not public: where Textual should call it otherwise one day, layouts are painted as it paints them.
    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        self._compositor._full_map = self._laid_out
        super()._refresh_layout(size, scroll)
        self._laid_out = self._compositor._full_map

    def do(self, action_id: str) -> None:
        """Do what an action does here."""
        (self.commands.get(action_id) or getattr(self, f"action_{action_id}"))()

    def action_perform(self, action_id: str, _key: str = "") -> None:
        """Do what a key, the palette or the mouse asked for, or say why not."""
        raise NotImplementedError

    def action_unfold(self) -> None:
        """Show what is under the row, or go to the first of it."""
        row = self.here.row
        if row and row.fold:
            self.here.move(1)
        elif row and row.fold is False:
            self.set_fold(row, is_open=True)

    def action_fold(self) -> None:
        """Hide what is under the row, or go up to the row that it is under."""
        row = self.here.row
        if row and row.fold:
            self.set_fold(row, is_open=False)
        else:
            self.here.go_up()

    def set_fold(self, row: Row, *, is_open: bool) -> None:
        """Open or close a row."""
        raise NotImplementedError

    def action_mark(self) -> None:
        """Mark the row, or take its mark away, and move on."""
        rows = self.here
        if rows.row:
            rows.mark([rows.row.id], on=rows.row.id not in rows.marked)
            rows.move(1)
            self.marks_changed()

    def action_range(self) -> None:
        """Begin or end a range of marks."""
        if self.here.ranging:
            self.here.end_range(keep=True)
        else:
            self.here.begin_range()
        self.marks_changed()

    def action_mark_all(self) -> None:
        """Mark all rows, or none."""
        rows = self.here
        ids = {row.id for row in rows.rows if row.address and not row.inert}
        rows.mark(ids, on=not ids <= rows.marked)
        self.marks_changed()

    def marks_changed(self) -> None:
        """Marks change what actions apply to."""

    def on_entry_list_folded(self, message: EntryList.Folded) -> None:
        """A click on an arrow does what its key does."""
        self.action_perform("fold" if message.row.fold else "unfold")

    def say(self, *lines: str, severity: str = "information", title: str = "") -> None:
        """A toast of these lines; text of the workspace is made fit for it here."""
        seconds = 8.0 if severity == "error" else 5.0
        said, head = lines_text(lines), row_text(title)
        self.app.notify(said, title=head, severity=severity, timeout=seconds, markup=False)  # type: ignore[arg-type]

    def warn(self, *lines: str, title: str = "") -> None:
        """The same, of what somebody has to know."""
        self.say(*lines, severity="warning", title=title)

    def say_failure(self, error: BaseException, title: str = "") -> None:
        """A toast that says why something could not be read, or done."""
        severity = "warning" if isinstance(error, WorkbenchError) else "error"
        self.say(*said_of(error), severity=severity, title=title)

    def uncover(self) -> None:
        """Close what stands over this screen."""
        for above in reversed(self.app.screen_stack):
            if above is self:
                break
            above.dismiss()

    def action_palette(self) -> None:
        """All commands by name."""
        self.app.action_command_palette()

    def action_quit(self) -> None:
        """Leave the program."""
        self.app.exit()
