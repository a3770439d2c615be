"""The line that says that the panes show memory as it was: as of when, after what, and which keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Protocol

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.message import Message
from textual.widget import Widget

from screens.actions.active import key_for
from screens.drawing.rows import EMPTY
from screens.drawing.safe_text import Shown, row_text, words
from screens.history.revision_lookup import Where
from workbench.workspace.plan import Operation
from workbench.workspace.snapshot import PastWorkspace

_ROOM = 42
"""Cells that what is said keeps beside the keys."""


class Owner(Protocol):
    """Who is told what the thread found."""

    def found(self, wish: int, where: Where) -> None:
        """A moment is known."""

    def failed(self, wish: int, error: Exception) -> None:
        """It cannot be shown."""

    def working(self, wish: int, doing: Shown) -> None:
        """How far it is."""

    def laid_out(self, wish: int, place: PastWorkspace) -> None:
        """Its files can be read."""

    def offered(self, recent: list[Operation]) -> None:
        """The newest ones, to choose from."""


class MomentLine(Widget, can_focus=False):
    """Hidden while today's memory is shown. It hears what the thread found, and tells its ``owner``."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"line--mark", "line--when", "line--what", "line--keys"}

    class Found(Message):
        """The moment number ``step`` is known."""

        def __init__(self, step: int, where: Where) -> None:
            super().__init__()
            self.step = step
            self.where = where

    class Failed(Message):
        """The moment number ``step`` cannot be shown."""

        def __init__(self, step: int, error: Exception) -> None:
            super().__init__()
            self.step = step
            self.error = error

    class Working(Message):
        """How far it is."""

        def __init__(self, step: int, doing: Shown) -> None:
            super().__init__()
            self.step = step
            self.doing = doing

    class LaidOut(Message):
        """The files of a moment can be read."""

        def __init__(self, step: int, place: PastWorkspace) -> None:
            super().__init__()
            self.step = step
            self.place = place

    class Offered(Message):
        """The newest moments, to choose from."""

        def __init__(self, recent: list[Operation]) -> None:
            super().__init__()
            self.recent = recent

    def __init__(self, owner: Owner) -> None:
        super().__init__(id="moment")
        self._owner = owner
        self.when = self.what = self.doing = EMPTY
        self.display = False

    def show(self, when: Shown, what: Shown, doing: Shown = EMPTY) -> None:
        """Say it; ``doing`` while the panes do not show it yet."""
        self.when, self.what, self.doing = when, what, doing
        self.display = True
        self.refresh()

    def hide(self) -> None:
        """The panes show today's memory."""
        self.when = self.what = self.doing = EMPTY
        self.display = False

    def render(self) -> Text:
        """The line; keys as far as there is room for them, since the hints have them too."""
        width = self.size.width
        line = Text(no_wrap=True, overflow="crop")
        line.append(" ◷ ", self._tone("mark"))
        line.append(f"as of {self.when}" if self.when else "the past", self._tone("when"))
        if self.doing:
            line.append(f" · {self.doing}", self._tone("mark"))
        room = width - line.cell_len
        keys = ""
        for key in self._keys():
            if cell_len(keys + key) <= room - _ROOM:
                keys += key
        if self.what:
            said = Text(f" · {self.what}", self._tone("what"))
            said.truncate(max(0, room - cell_len(keys) - 2), overflow="ellipsis")
            line.append_text(said)
        line.append(" " * max(0, width - line.cell_len - cell_len(keys) - 1))
        line.append(keys, self._tone("keys"))
        return line

    @staticmethod
    def _keys() -> Iterator[str]:
        """The keys, the most useful ones first."""
        yield f"{key_for('past_older')} older {key_for('past_newer')} newer"
        yield f"  {key_for('back')} today"
        yield f"  {key_for('past_day_older')} {key_for('past_day_newer')} a day"
        yield f"  {key_for('past_at')} date"

    def on_moment_line_found(self, message: Found) -> None:
        """Hand it on."""
        self._owner.found(message.step, message.where)

    def on_moment_line_failed(self, message: Failed) -> None:
        """Hand it on."""
        self._owner.failed(message.step, message.error)

    def on_moment_line_working(self, message: Working) -> None:
        """Hand it on."""
        self._owner.working(message.step, message.doing)

    def on_moment_line_laid_out(self, message: LaidOut) -> None:
        """Hand it on."""
        self._owner.laid_out(message.step, message.place)

    def on_moment_line_offered(self, message: Offered) -> None:
        """Hand it on."""
        self._owner.offered(message.recent)

    def _tone(self, name: str) -> Style:
        return self.get_component_rich_style(f"line--{name}", partial=True)


def when_of(moment: Operation) -> Shown:
    """The moment as people say it: ``Sat 14 Mar 2026 10:00``."""
    when = moment.when.astimezone()
    return words(f"{when:%a} {when.day} {when:%b %Y %H:%M}")


def what_of(where: Where) -> Shown:
    """After what, by whom, and how far back that is."""
    moment = where.moment
    if moment is None:
        return EMPTY
    changes = f"{where.back} back" if where.back else "newest"
    return row_text(f"{changes} · after {moment.summary[:200]} · {moment.actor}")
