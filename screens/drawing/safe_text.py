"""Text that may be drawn: proven, by its type, to have passed ``visible`` exactly once."""

from __future__ import annotations

import re
from datetime import date
from typing import NewType

from workbench.errors import WorkbenchError
from workbench.safety.terminal import visible

Shown = NewType("Shown", str)
"""Text without anything a terminal would obey."""

_LOOSE = re.compile("\u200d+(?=\\s|$)")
_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
_UNMEASURED = re.compile(
    f"[\ufe0e\ufe0f]|\u200d+(?=[{_EMOJI}])|(?<=[{_EMOJI}])(?:[\ufe0e\ufe0f]*[\U0001f3fb-\U0001f3ff])"
)
"""What makes one sign of several, or a narrow sign wide: terminals disagree on how many cells that takes."""
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
ROW_LIMIT = 600
"""Characters of a row that can ever be seen; what follows is not even looked at."""


def row_text(text: str) -> Shown:
    """Workspace text for one row of a list, a title or a toast."""
    return _joined(visible(text[:ROW_LIMIT], one_line=True).strip())


def line_text(text: str) -> Shown:
    """One line of a file, tabs expanded, its blanks kept."""
    return _joined(visible(text.rstrip("\r\n").expandtabs(4), one_line=True))


def _joined(text: str) -> Shown:
    """As signs that take as many cells in every terminal as are counted for them here.

    Form selectors, skin tones and joiners between emoji are left out, and a flag is its two letters: `⚠️` is
    one cell to xterm and tmux, two to kitty and to Rich, and what is painted over it leaves letters behind or
    bends the frame. A joiner that joins nothing goes too: a blank behind it would count as no cell.
    """
    if text.isascii():
        return Shown(text)
    text = _FLAG.sub(lambda found: chr(ord(found[0]) - 0x1F1E6 + ord("A")), _UNMEASURED.sub("", text))
    return Shown(_LOOSE.sub("", text))


def said_of(error: Exception) -> list[str]:
    """What went wrong, and what to do about it where that is known."""
    if isinstance(error, WorkbenchError):
        return [line for line in (error.message, error.hint) if line]
    return [str(error)]


def words(text: str) -> Shown:
    """The program's own words, which are literals or numbers and never come from a file."""
    return Shown(text)


def grouped(number: int) -> Shown:
    """A number with narrow gaps between its thousands: ``9 412``."""
    return Shown(f"{number:,}".replace(",", " "))


def age(day: date, today: date) -> Shown:
    """How long ago a day was, short: ``today``, ``3d``, ``5w``, ``8mo``, ``2y``; ahead: ``in 3d``."""
    days = (today - day).days
    if days == 0:
        return Shown("today")
    span = abs(days)
    if span < 14:
        text = f"{span}d"
    elif span < 70:
        text = f"{span // 7}w"
    elif span < 730:
        text = f"{span // 30}mo"
    else:
        text = f"{span // 365}y"
    return Shown(text if days > 0 else f"in {text}")


def days_until(day: date, today: date) -> Shown:
    """How far ahead a day is, in words: ``today``, ``tomorrow``, ``in 12 days``, ``3 days ago``."""
    days = (day - today).days
    near = {0: "today", 1: "tomorrow", -1: "yesterday"}
    if days in near:
        return Shown(near[days])
    return Shown(f"in {days} days" if days > 0 else f"{-days} days ago")


def plural(number: int, one: str, many: str = "") -> Shown:
    """``1 entry``, ``3 entries``."""
    return Shown(f"{grouped(number)} {one if number == 1 else many or one + 's'}")


def of_all(done: int, total: int, what: str) -> str:
    """How far something is, short: ``216/715 files``; empty once it is done."""
    return f"{grouped(done)}/{grouped(total)} {what}" if done < total else ""
