"""The words in the search box, parsed for display, and the completion of a condition that is being typed."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import date
from functools import lru_cache
from itertools import starmap

from indexing.query.question import FIELDS, Filters, Question, understand
from screens.drawing.safe_text import Lines, RowPart, grouped, piece, safe_piece
from workbench.frozen import frozen
from workbench.memory.entry import Kind
from workbench.memory.graph_types import IMPORTANCE
from workbench.memory.provenance import TRUST
from workbench.safety.terminal import in_place

_TOKEN = re.compile(r'-?(?:[a-z-]+:)?["“”][^"“”]*["“”]|\S+', re.IGNORECASE)


@frozen
class ParsedQuery:
    """``chips`` are the conditions in words, ``notes`` what was not understood.

    ``as_of`` names a moment of the past; ``wordless`` says that there is nothing to look for but conditions.
    """

    chips: tuple[RowPart, ...]
    notes: tuple[str, ...]
    as_of: str | None
    wordless: bool


@lru_cache(64)
def read(text: str, today: date) -> ParsedQuery:
    """What ``text`` means while somebody types it."""
    question = understand(text, today, prefix=True)
    wordless = bool(text.strip()) and not question.text.strip()
    return ParsedQuery(tuple(starmap(safe_piece, _chips(question))), question.notes, question.as_of, wordless)


def _chips(question: Question) -> Lines:
    if question.as_of:
        yield f"as of {question.as_of}", "warn"
    for phrase in (*question.phrases, *question.preferred):
        yield f"“{phrase}”", "match"
    for text in _conditions(question.within):
        yield text, "accent"
    for text in (*_conditions(question.without), *question.excluded):
        yield f"not {text}", "bad"


def _conditions(filters: Filters) -> list[str]:
    """Each condition in words, its values as a person would say them."""
    listed: dict[str, Iterable[str]] = {
        "kind": filters.kinds,
        "type": filters.types,
        "from": filters.sources,
        "path": filters.paths,
        "trust": filters.trusts,
        "of": [user or "nobody in particular" for user in filters.users],
    }
    said = [f"{name} {' or '.join(sorted(values))}" for name, values in listed.items() if values]
    if filters.since and filters.since == filters.until:
        said.append(f"on {filters.since}")
    else:
        said += [f"since {filters.since}"] if filters.since else []
        said += [f"until {filters.until}"] if filters.until else []
    if filters.pinned is not None:
        said.append("pinned" if filters.pinned else "not pinned")
    return said


@lru_cache(64)
def marked(text: str, today: date) -> tuple[tuple[int, int, str], ...]:
    """The parts of ``text`` that are conditions, as ranges: ``field``, ``phrase`` or ``not``."""
    ranges = []
    for found in _TOKEN.finditer(text):
        question = understand(found[0], today)
        if question.excluded or question.without:
            ranges.append((*found.span(), "not"))
        elif question.phrases or question.preferred:
            ranges.append((*found.span(), "phrase"))
        elif question.within or question.as_of:
            ranges.append((*found.span(), "field"))
    return tuple(ranges)


# -- completion of a condition: its name, its values, and days -----------------------------------

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


_TAKES = piece("→ takes it", "faint")
Values = Sequence[tuple[str, int]]
"""What a condition can be, each with the number of entries that have it; 0 where nobody counts them."""


@frozen
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
        if not whole:
            return "", ()
        name = whole.rsplit(maxsplit=1)[-1].lstrip("-")
        return whole, (piece(name, "accent"), _TAKES)
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
    if one:
        value, before = taken(one, found), text[: one.at]
        if value is None:
            return ""
        if one.quoted:
            return f'{before}{value}"'
        return f'{before}"{value}"' if re.search(r"[\s,]", value) else before + value
    if (begun := _NAME.search(text)) and len(begun[1]) >= _LEAST:
        fitting = [name for name in NAMES if name.startswith(begun[1].lower())]
        # A word that may just as well be a word is not finished for anybody before it could be nothing else.
        return f"{text}{fitting[0][len(begun[1]) :]}:" if len(fitting) == 1 else ""
    return ""


def taken(one: Unfinished, found: Values) -> str | None:
    """The first value that is offered and can be taken: it is not there already, and can be read and written.

    Nobody would know what they take with signs that are not seen, and no condition can say a quotation mark.
    """
    values = (value for value, _ in found if value != one.begun.lower() and in_place(value) == value)
    return next((value for value in values if '"' not in value), None)


def choices(one: Unfinished, found: Values) -> tuple[RowPart, ...]:
    """The values as they are shown under the line, the key that takes one of them right behind that one."""
    if [value for value, _ in found] == [one.begun.lower()]:
        return ()  # it is finished: what was understood is of more use
    if not found:
        nothing = one.name in KNOWN and one.begun
        return (safe_piece(f"{one.name}: nothing has “{one.begun}”"),) if nothing else ()
    parts = [piece(f"{one.name}:", "accent")]
    first = taken(one, found)
    for value, count in found:
        parts.append(safe_piece(f"{value} ({grouped(count)})" if count else value))
        if value == first:
            parts.append(_TAKES)
    return tuple(parts)
