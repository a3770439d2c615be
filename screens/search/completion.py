"""How a condition that somebody types goes on: its name, the values it can have, the days it can name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from screens.drawing.rows import RowPart
from screens.drawing.safe_text import grouped, row_text, words
from screens.search.parsed_query import VALUES, continued
from workbench.safety.terminal import in_place

SHOWN = 8
"""Values that are offered at a time."""
KNOWN = frozenset({"type", "from", "path", "user"})
"""Conditions whose values are those that the entries have."""
_DAYS = frozenset({"since", "until", "as-of"})
_OPEN = re.compile(
    r'(?<!\S)-?(?P<name>[a-z-]+):(?:(?:"[^"]*"|[^\s",]+),)*(?:"(?P<quoted>[^"]*)|(?P<plain>[^\s",]*))$',
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A condition at the end of a text: its name, what there is of its value, and where that begins."""

    name: str
    begun: str
    at: int
    quoted: bool


def unfinished(text: str) -> Unfinished | None:
    """The condition that somebody is typing at the end of ``text``."""
    found = _OPEN.search(text)
    if found is None or (name := found["name"].lower()) not in KNOWN | _DAYS | VALUES.keys():
        return None
    quoted = found["quoted"] is not None
    part = "quoted" if quoted else "plain"
    return Unfinished(name, found[part], found.start(part), quoted)


def offered(one: Unfinished, today: date) -> tuple[tuple[str, int], ...]:
    """The values that do not depend on what is in memory, without counts (0)."""
    start = one.begun.lower()
    fixed = days(today) if one.name in _DAYS else VALUES.get(one.name, ())
    return tuple((value, 0) for value in fixed if value.startswith(start))[:SHOWN]


def days(today: date) -> tuple[str, ...]:
    """Days worth offering: in words, and in figures."""
    return (
        "today",
        "yesterday",
        "last-week",
        "2w",
        f"{today:%Y-%m}",
        f"{today:%Y}",
        "last-month",
        "last-year",
    )


def finished(text: str, one: Unfinished, value: str) -> str:
    """``text`` with its last condition finished, in quotes where the value needs them."""
    if one.quoted:
        return f'{text[: one.at]}{value}"'
    return f'{text[: one.at]}"{value}"' if re.search(r"[\s,]", value) else text[: one.at] + value


def taken(one: Unfinished, found: Sequence[tuple[str, int]]) -> str | None:
    """The first value that is offered and can be taken: it is not there already, and can be read and written.

    Nobody would know what they take with signs that are not seen, and no condition can say a quotation mark.
    """
    values = (value for value, _ in found)
    fit = (value for value in values if value != one.begun.lower() and in_place(value) == value)
    return next((value for value in fit if '"' not in value), None)


def going_on(text: str, found: Sequence[tuple[str, int]]) -> str:
    """``text`` as the key at its end makes it; empty where the key does nothing."""
    one = unfinished(text)
    if one is None:
        return continued(text)
    value = taken(one, found)
    return "" if value is None else finished(text, one, value)


def named(whole: str) -> tuple[RowPart, ...]:
    """The name of a condition that is begun, with the key that takes it; nothing where none is."""
    if not whole:
        return ()
    name = whole.rsplit(maxsplit=1)[-1].lstrip("-")
    return (RowPart(words(name), "accent"), RowPart(words("→ takes it"), "faint"))


def choices(one: Unfinished, found: Sequence[tuple[str, int]]) -> tuple[RowPart, ...]:
    """The values as they are shown under the line, the key that takes one of them right behind that one."""
    if [value for value, _ in found] == [one.begun.lower()]:
        return ()  # it is finished: what was understood is of more use
    if not found:
        nothing = one.name in KNOWN and one.begun
        return (RowPart(row_text(f"{one.name}: nothing has “{one.begun}”"), "muted"),) if nothing else ()
    parts = [RowPart(words(f"{one.name}:"), "accent")]
    first = taken(one, found)
    for value, count in found:
        parts.append(RowPart(row_text(f"{value} ({grouped(count)})" if count else value), "muted"))
        if value == first:
            parts.append(RowPart(words("→ takes it"), "faint"))
    return tuple(parts)
