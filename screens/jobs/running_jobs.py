"""The long work under way in this interface, whoever started it, and its lines on every screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace

from rich.text import Text
from textual.screen import Screen

from screens.drawing.safe_text import RowPart, grouped, piece, safe_piece
from screens.widgets.lines import PartsLine

QUIET_SECONDS = 1.0
"""What nobody asked for is shown once it takes so long: panes do not move for a short look at the files."""
_LOADING_SECONDS = 10.0
"""As long as nothing is counted: nor do they move while the model is loaded for that look."""


@dataclass(frozen=True, slots=True)
class JobStage:
    """``done`` of ``total`` units of a phase, ``rate`` of them a second; 0 of 0 where none are counted."""

    phase: str
    done: int = 0
    total: int = 0
    rate: float = 0.0

    @property
    def is_counted(self) -> bool:
        """Whether it can be said how far it is."""
        return self.total > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningJob:
    """One job by its ``key``; ``name`` says what is done. ``asked``: a person started it, and waits for it.

    ``stopping``: it was asked to end, and does so when it next looks.
    """

    key: str
    name: str
    stage: JobStage
    stop: Callable[[], Coroutine[None, None, None]]
    asked: bool = True
    stopping: bool = False


class RunningJobs:
    """The jobs under way. ``moved`` is called when one begins, advances or ends."""

    def __init__(self, moved: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._moved = moved
        self._clock = clock
        self._known: dict[str, tuple[RunningJob, float]] = {}
        self._stopping: set[str] = set()

    def show(self, work: RunningJob) -> None:
        """It begins, or it is further now."""
        before = self._known.get(work.key)
        work = replace(work, stopping=work.key in self._stopping)
        since = self._clock()
        if before is not None and self._takes_long(before[0]):
            since = min(before[1], since - _LOADING_SECONDS)  # what has its line keeps it
        elif before is not None and before[0].stage.is_counted is work.stage.is_counted:
            since = before[1]
        self._known[work.key] = work, since
        self._moved()

    def gone(self, key: str) -> None:
        """It is over."""
        self._stopping.discard(key)
        if self._known.pop(key, None) is not None:
            self._moved()

    async def stop_first(self) -> None:
        """End the work that is named first; until it has ended it is shown as stopping."""
        if works := self.under_way:
            self._stopping.add(works[0].key)
            self.show(works[0])
            await works[0].stop()

    @property
    def under_way(self) -> tuple[RunningJob, ...]:
        """All of them: those that were asked for first, among these the newest."""
        newest = sorted(self._known.values(), key=lambda known: known[1], reverse=True)
        return tuple(work for work, _ in sorted(newest, key=lambda known: not known[0].asked))

    @property
    def seen(self) -> tuple[RunningJob, ...]:
        """Those that are worth a line: what somebody waits for, and what goes on for a while."""
        return tuple(work for work in self.under_way if work.asked or self._takes_long(work))

    def _takes_long(self, work: RunningJob) -> bool:
        quiet = QUIET_SECONDS if work.stage.is_counted else _LOADING_SECONDS
        return self._clock() - self._known[work.key][1] >= quiet


_MOST = 3


class WorkLine(PartsLine):
    """A line for each running job; the stop key ends the first. Takes no room while there is none."""

    def __init__(self) -> None:
        super().__init__(id="work")
        self.works: tuple[RunningJob, ...] = ()
        self._stops = ""
        self.display = False

    def on_mount(self) -> None:
        """The screen may have been told before it was there."""
        toasts_above_work(self.screen)

    def tell(self, works: Sequence[RunningJob], stops: str) -> None:
        """Show these; ``stops`` is the key that ends the first, empty where none does."""
        if (tuple(works), stops) == (self.works, self._stops):
            return
        resized = min(len(works), _MOST) != min(len(self.works), _MOST)
        self.works, self._stops = tuple(works), stops
        self.display = bool(works)
        self.refresh(layout=resized)
        if resized and self.is_attached:
            toasts_above_work(self.screen)
            toasts_above_work(self.app.screen)  # a dialog may stand over it

    def lines(self) -> list[Sequence[RowPart]]:
        """What is shown, line by line."""
        return [
            stage_parts(
                work.name,
                work.stage,
                stops=self._stops if work is self.works[0] else "",
                stopping=work.stopping,
                cells=self.size.width,
            )
            for work in self.works[:_MOST]
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
    what: str, stage: JobStage, *, stops: str = "", stopping: bool = False, cells: int = _NARROW
) -> Sequence[RowPart]:
    """The line for ``what`` is under way, in ``cells``; ``stops`` is what to press to end it.

    ``stopping``: that was pressed, and it goes on until it hears of it.
    """
    name = safe_piece(f"{what}: {stage.phase}" if stage.phase else what, "accent")
    ends = " · stopping …" if stopping else f" · {stops} stops" if stops else ""
    if not stage.is_counted:
        return (name, piece(f" …{ends}"))
    room = BAR if cells >= _NARROW else _SHORT_BAR
    filled = max(0, min(room, room * stage.done // stage.total))
    bar = piece(" " + "━" * filled, "good"), piece("╌" * (room - filled), "faint")
    said = f" {grouped(stage.done)} of {grouped(stage.total)}"
    if stage.rate > 0:
        left = time_left(max(0, stage.total - stage.done) / stage.rate)
        said += f" · {_rate(stage.rate)}/s · {left}"
    return (name, *bar, piece(said + ends))


def time_left(seconds: float) -> str:
    """How long something still takes, in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s left"
    return f"{round(seconds / 60)} min left"


def _rate(rate: float) -> str:
    return f"{rate:.1f}" if rate < _SLOW else grouped(round(rate))
