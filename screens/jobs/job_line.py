"""A line for each long work under way; no room is taken while there is none."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.screen import Screen

from screens.drawing.rows import RowPart
from screens.drawing.safe_text import grouped, row_text, words
from screens.jobs.progress import Stage, time_left
from screens.jobs.running_jobs import Work
from screens.widgets.parts_line import PartsLine

_MOST = 3


class WorkLine(PartsLine):
    """Shows them one beneath the other; the first one is that which a key stops."""

    def __init__(self) -> None:
        super().__init__(id="work")
        self.works: tuple[Work, ...] = ()
        self._stops = ""
        self.display = False

    def on_mount(self) -> None:
        """The screen may have been told before it was there."""
        toasts_above_work(self.screen)

    def tell(self, works: Sequence[Work], stops: str) -> None:
        """Show these; ``stops`` is the key that ends the first, empty where none does."""
        if (tuple(works), stops) == (self.works, self._stops):
            return
        lines = min(len(works), _MOST), min(len(self.works), _MOST)
        self.works, self._stops = tuple(works), stops
        self.display = bool(works)
        self.refresh(layout=lines[0] != lines[1])
        if lines[0] != lines[1] and self.is_attached:
            toasts_above_work(self.screen)
            toasts_above_work(self.app.screen)  # a dialog may stand over it

    def lines(self) -> list[Sequence[RowPart]]:
        """What is shown, line by line."""
        cells = self.size.width
        return [
            stage_parts(
                work.name,
                work.stage,
                stops=self._stops if not number else "",
                stopping=work.stopping,
                cells=cells,
            )
            for number, work in enumerate(self.works[:_MOST])
        ]

    def render(self) -> Text:
        """The lines in their tones."""
        return Text("\n", no_wrap=True).join(map(self.drawn, self.lines()))


def toasts_above_work(screen: Screen[object]) -> None:
    """Raise the toasts of ``screen`` over the lines of long work, its own or those that it stands over."""
    stack = screen.app.screen_stack
    under = stack[: stack.index(screen) + 1] if screen in stack else [screen]
    line = next((line for one in reversed(under) for line in one.query(WorkLine)), None)
    lines = min(len(line.works), _MOST) if line is not None else 0
    for rack in screen.query("ToastRack"):
        for number in range(1, _MOST + 1):
            rack.set_class(number == lines, f"-above-{number}")


BAR = 16
_SHORT_BAR = 6
_NARROW = 80
_SLOW = 10
"""Units a second below which a tenth of one makes a difference."""


def stage_parts(
    what: str, stage: Stage, *, stops: str = "", stopping: bool = False, cells: int = _NARROW
) -> Sequence[RowPart]:
    """The line for ``what`` is under way, in ``cells``; ``stops`` is what to press to end it.

    ``stopping``: that was pressed, and it goes on until it hears of it.
    """
    name = RowPart(row_text(f"{what}: {stage.phase}" if stage.phase else what), "accent")
    ends = " · stopping …" if stopping else f" · {stops} stops" if stops else ""
    if not stage.is_counted:
        return (name, RowPart(words(f" …{ends}"), "muted"))
    room = BAR if cells >= _NARROW else _SHORT_BAR
    filled = max(0, min(room, room * stage.done // stage.total))
    bar = RowPart(words(" " + "━" * filled), "good"), RowPart(words("╌" * (room - filled)), "faint")
    said = f" {grouped(stage.done)} of {grouped(stage.total)}"
    if stage.rate > 0:
        left = time_left(max(0, stage.total - stage.done) / stage.rate)
        said += f" · {_rate(stage.rate)}/s · {left}"
    return (name, *bar, RowPart(words(said + ends), "muted"))


def _rate(rate: float) -> str:
    return f"{rate:.1f}" if rate < _SLOW else grouped(round(rate))
