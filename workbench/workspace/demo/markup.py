"""The markup of the demo's texts: lines that come and go, dates that count back from today.

The texts are package data under ``content/``; ``content/workspace/`` mirrors a workspace. Besides
Markdown, which is left alone (other braces too), they may hold:

========================  ==================================================================
``{day-12}``              that date in ISO form; ``{day}`` is today, ``{day+5}`` in five days
``{day-12:weekday}``      its English weekday
``{from-12}``             at a line's end: it is there from that day on, ``{until-4}`` up to it.
                          ``{from-12T21:40}`` names the time too, which is 18:00 otherwise.
                          Alone on a line it speaks for all lines below
``{mark:tides}``          at a line's end: names the line
``{src:tides}``           where the named line stands: ``memory/2026-03-14.md#L12``
``{quote:tides}``         its words, without the list marker
``{U+200B}``              that character, for text that is hidden on purpose
========================  ==================================================================

A file named ``day-12-slug.md`` gets its date for a name, in the form of its folder. A section
``## HH:MM topic`` of a log is there from that time of its day on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FOLDERS = {
    "memory/": "memory/%Y-%m-%d",
    "episodes/": "episodes/%Y/%m/",
    "_system/dreaming/": "_system/dreaming/%Y%m%d",
    "_system/archive/": "_system/archive/%Y-%m",
}
_DATED_NAME = re.compile(r"(?P<folder>[a-z_/]+/)day(?P<offset>[+-]\d+)(?P<rest>.*)")
_DAY = re.compile(r"\{day([+-]\d+)?(:weekday)?\}")
_LIFE = re.compile(r" *\{(from|until)([+-]?\d+)(?:T(\d\d:\d\d))?\}")
_MARK = re.compile(r" *\{mark:([a-z0-9-]+)\}")
_REFERENCE = re.compile(r"\{(src|quote):([a-z0-9-]+)\}")
_CHARACTER = re.compile(r"\{U\+([0-9A-F]{4})\}")
_SECTION = re.compile(r"## (\d\d:\d\d) .+")


class StoryTime(NamedTuple):
    """A time ``HH:MM`` of the workspace's own clock, on a day counted from today."""

    day: int
    clock: str


_ALWAYS, _NEVER, _TONIGHT = StoryTime(-10_000, "00:00"), StoryTime(10_000, "00:00"), StoryTime(0, "23:59")


@dataclass(frozen=True, slots=True)
class DatedLine:
    """A line of a text, and from when up to when it is there."""

    text: str
    since: StoryTime
    until: StoryTime


@dataclass(frozen=True, slots=True)
class Mark:
    """A named line: where it stands in the finished workspace, and its words."""

    src: str
    quote: str


def read_lines(name: str, text: str) -> Iterator[DatedLine]:
    """The lines of the content file ``name``."""
    written = text.removesuffix("\n").split("\n")
    day = log_day(name)
    start = _ALWAYS
    if day is not None:  # the title comes with the first section
        start = StoryTime(day, next(filter(None, map(_section, written)), "00:00"))
    for line in written:
        if day is not None and (clock := _section(line)):
            start = StoryTime(day, clock)
        since, until = start, _NEVER
        for word, offset, time in _LIFE.findall(line):
            moment = StoryTime(int(offset), time or "18:00")
            since, until = (max(since, moment), until) if word == "from" else (since, moment)
        bare = _LIFE.sub("", line)
        if line.startswith("{") and not bare:
            start = since
        else:
            yield DatedLine(bare, since, until)


def log_day(name: str) -> int | None:
    """The day that a content file is the log of, counted from today; None for all other files."""
    found = _DATED_NAME.fullmatch(name)
    return int(found["offset"]) if found and found["folder"] == "memory/" else None


def workspace_path(name: str, today: date) -> str:
    """The path in the workspace of the content file ``name``."""
    found = _DATED_NAME.fullmatch(name)
    if found is None:
        return name
    day = today + timedelta(days=int(found["offset"]))
    folder = day.strftime(_FOLDERS[found["folder"]])
    return folder + (found["rest"].removeprefix("-") if folder.endswith("/") else found["rest"])


def find_marks(path: str, lines: tuple[DatedLine, ...], today: date) -> Iterator[tuple[str, Mark]]:
    """The named lines of the file at ``path``, as it stands in the finished workspace."""
    for number, line in enumerate(_alive(lines, _TONIGHT), 1):
        for key in _MARK.findall(line):
            words = _dated(_MARK.sub("", line), today).removeprefix("- ")
            yield key, Mark(f"{path}#L{number}", words)


def render(
    lines: tuple[DatedLine, ...], at: StoryTime, today: date, marks: Mapping[str, Mark]
) -> bytes | None:
    """A file as it stood at that moment, or None when none of its lines was there yet."""
    kept = _alive(lines, at)
    if not kept:
        return None
    text = _MARK.sub("", "\n".join(kept) + "\n")
    text = _REFERENCE.sub(lambda found: str(getattr(marks[found[2]], found[1])), text)
    text = _CHARACTER.sub(lambda found: chr(int(found[1], 16)), _dated(text, today))
    return text.encode("utf-8")


def _section(line: str) -> str | None:
    found = _SECTION.fullmatch(line)
    return found[1] if found else None


def _alive(lines: tuple[DatedLine, ...], at: StoryTime) -> list[str]:
    kept = [line.text for line in lines if line.since <= at < line.until]
    while kept and not kept[-1]:
        kept.pop()
    return kept


def _dated(text: str, today: date) -> str:
    def replaced(found: re.Match[str]) -> str:
        day = today + timedelta(days=int(found[1] or 0))
        return _WEEKDAYS[day.weekday()] if found[2] else day.isoformat()

    return _DAY.sub(replaced, text)
