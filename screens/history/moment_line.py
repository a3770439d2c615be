"""The line that says that the panes show memory as it was: as of when, after what, and which keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.widget import Widget

from screens.actions.active import key_for
from screens.drawing.rows import EMPTY
from screens.drawing.safe_text import Shown, row_text, words
from screens.history.revision_lookup import Where
from workbench.workspace.plan import Operation

_ROOM = 42
"""Cells that what is said keeps beside the keys."""


class MomentLine(Widget, can_focus=False):
    """Hidden while today's memory is shown."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"line--mark", "line--when", "line--what", "line--keys"}

    def __init__(self) -> None:
        super().__init__(id="moment")
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
