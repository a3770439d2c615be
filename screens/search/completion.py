"""How a condition that somebody types goes on: its name, the values it can have, the days it can name."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date

from indexing.query.filters import FIELDS
from screens.drawing.rows import RowPart, piece
from screens.drawing.safe_text import grouped, row_text
from workbench.memory.entry import Kind
from workbench.memory.graph_page import IMPORTANCE
from workbench.memory.provenance import TRUST
from workbench.safety.terminal import in_place

SHOWN = 8
"""Values that are offered at a time."""
NAMES = (*FIELDS, "as-of")
"""What can stand before a colon."""
VALUES: dict[str, tuple[str, ...]] = {
    "kind": tuple(map(str, Kind)),
    "type": tuple(IMPORTANCE),
    "trust": (*TRUST, "trusted", "untrusted"),
    "pinned": ("yes", "no"),
}
_NAME = re.compile(r"(?<!\S)-?([a-z][a-z-]+)$", re.IGNORECASE)
_LEAST = 2
"""Letters of a word from which on it may be the name of a field."""
KNOWN = frozenset({"type", "from", "path", "user"})
"""Conditions whose values are those that the entries have."""
_DAYS = frozenset({"since", "until", "as-of"})
_OPEN = re.compile(
    r'(?<!\S)-?(?P<name>[a-z-]+):(?:(?:"[^"]*"|[^\s",]+),)*(?:"(?P<quoted>[^"]*)|(?P<plain>[^\s",]*))$',
    re.IGNORECASE,
)


Values = Sequence[tuple[str, int]]
"""What a condition can be, each with the number of entries that have it; 0 where nobody counts them."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A condition at the end of a text: its name, what there is of its value, and where that begins."""

    name: str
    begun: str
    at: int
    quoted: bool


async def offer(
    text: str, today: date, known: Callable[[str, str, int], Awaitable[Values]]
) -> tuple[str, tuple[RowPart, ...]]:
    """``text`` as the key at its end makes it (empty where it does nothing), and what is shown of that.

    ``known`` answers the values that entries have for a name, given how they begin and how many are wanted.
    """
    one = unfinished(text)
    if one is None:
        whole = going_on(text, ())
        return whole, named(whole)
    found: Values = offered(one, today)
    if one.name in KNOWN:
        found = await known(one.name, one.begun, SHOWN) or found
    return going_on(text, found), choices(one, found)


def unfinished(text: str) -> Unfinished | None:
    """The condition that somebody is typing at the end of ``text``."""
    found = _OPEN.search(text)
    if found is None or (name := found["name"].lower()) not in KNOWN | _DAYS | VALUES.keys():
        return None
    part = "plain" if found["quoted"] is None else "quoted"
    return Unfinished(name, found[part], found.start(part), part == "quoted")


def offered(one: Unfinished, today: date) -> Values:
    """The values that do not depend on what is in memory."""
    start = one.begun.lower()
    fixed = days(today) if one.name in _DAYS else VALUES.get(one.name, ())
    return [(value, 0) for value in fixed if value.startswith(start)][:SHOWN]


def days(today: date) -> tuple[str, ...]:
    """Days worth offering: in words, and in figures."""
    near = ("today", "yesterday", "last-week", "2w")
    return (*near, f"{today:%Y-%m}", f"{today:%Y}", "last-month", "last-year")


def going_on(text: str, found: Values) -> str:
    """``text`` as the key at its end makes it; empty where the key does nothing."""
    one = unfinished(text)
    if one is not None:
        value = taken(one, found)
        return "" if value is None else finished(text, one, value)
    if (begun := _NAME.search(text)) and len(begun[1]) >= _LEAST:
        fitting = [name for name in NAMES if name.startswith(begun[1].lower())]
        # A word that may just as well be a word is not finished for anybody before it could be nothing else.
        return f"{text}{fitting[0][len(begun[1]) :]}:" if len(fitting) == 1 else ""
    return ""


def finished(text: str, one: Unfinished, value: str) -> str:
    """``text`` with its last condition finished, in quotes where the value needs them."""
    before = text[: one.at]
    if one.quoted:
        return f'{before}{value}"'
    return f'{before}"{value}"' if re.search(r"[\s,]", value) else before + value


def taken(one: Unfinished, found: Values) -> str | None:
    """The first value that is offered and can be taken: it is not there already, and can be read and written.

    Nobody would know what they take with signs that are not seen, and no condition can say a quotation mark.
    """
    values = (value for value, _ in found if value != one.begun.lower() and in_place(value) == value)
    return next((value for value in values if '"' not in value), None)


def named(whole: str) -> tuple[RowPart, ...]:
    """The name of a condition that is begun, with the key that takes it; nothing where none is."""
    if not whole:
        return ()
    name = whole.rsplit(maxsplit=1)[-1].lstrip("-")
    return (piece(name, "accent"), piece("→ takes it", "faint"))


def choices(one: Unfinished, found: Values) -> tuple[RowPart, ...]:
    """The values as they are shown under the line, the key that takes one of them right behind that one."""
    if [value for value, _ in found] == [one.begun.lower()]:
        return ()  # it is finished: what was understood is of more use
    if not found:
        nothing = one.name in KNOWN and one.begun
        return (RowPart(row_text(f"{one.name}: nothing has “{one.begun}”"), "muted"),) if nothing else ()
    parts = [piece(f"{one.name}:", "accent")]
    first = taken(one, found)
    for value, count in found:
        parts.append(RowPart(row_text(f"{value} ({grouped(count)})" if count else value), "muted"))
        if value == first:
            parts.append(piece("→ takes it", "faint"))
    return tuple(parts)
