"""A stage in a line: what is done, a bar, how much of how much, how fast, and how long still."""

from __future__ import annotations

from collections.abc import Sequence

from screens.drawing.rows import RowPart
from screens.drawing.safe_text import grouped, row_text, words
from screens.jobs.progress import Stage, time_left

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
    if stage.total <= 1:
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
