"""The story of the demo workspace: which files change in which commit, and the markup of its texts.

Nothing here writes a file or knows git. ``content/history.yaml`` holds the commits. Lines of the texts come
and go, and dates count back from today.

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

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

import yaml

from workbench.memory.entry import Entry, Kind
from workbench.memory.markdown import parse_document
from workbench.memory.names import RelPath

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
        for word, offset, clock_time in _LIFE.findall(line):
            moment = StoryTime(int(offset), clock_time or "18:00")
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


AGENT = ("agent", "agent@localhost")
OWNER = ("Tessa Marlowe", "tessa@example.org")
CLOCK = timedelta(hours=12)
"""How far the workspace's own clock is ahead of UTC, all year."""

_CURATED = "MEMORY.md"

_Content = Mapping[str, tuple[DatedLine, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoCommit:
    """One commit to make: ``files`` maps each path to its whole new content, None when deleted."""

    when: datetime
    author: tuple[str, str]
    message: str
    files: Mapping[str, bytes | None]


def demo_commits(today: date) -> tuple[DemoCommit, ...]:
    """The commits of the demo workspace, oldest first, the same for the same ``today``.

    The newest is of the evening before ``today`` in UTC, which is today's morning where the story
    plays: none lies in the future when ``today`` is the date in UTC.
    """
    content = _content()
    paths = {name: workspace_path(name, today) for name in content}
    marks = dict(found for name, path in paths.items() for found in find_marks(path, content[name], today))
    written: dict[str, bytes | None] = {}
    commits = []
    for said in yaml.safe_load((files(__package__) / "content" / "history.yaml").read_text("utf-8")):
        day, clock = said["at"].split("T")
        at = StoryTime(int(day), clock)
        changed = {
            path: data
            for name, path in paths.items()
            if path.startswith(tuple(said.get("scope", [""])))
            and (data := render(content[name], at, today, marks)) != written.get(path)
        }
        commits.append(
            DemoCommit(
                when=datetime.combine(
                    today + timedelta(days=at.day), time.fromisoformat(at.clock), tzinfo=UTC
                )
                - CLOCK,
                author=OWNER if said.get("author") == "owner" else AGENT,
                message=_message(said, changed.get(_CURATED), written.get(_CURATED), today),
                files=changed,
            )
        )
        written.update(changed)
    return tuple(commits)


@cache
def _content() -> _Content:
    """The lines of each content file, by its path below ``content/workspace``."""
    root = files(__package__) / "content" / "workspace"
    return {name: tuple(read_lines(name, file.read_text("utf-8"))) for name, file in _walk(root)}


def _walk(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir():
            yield from _walk(item, f"{prefix}{item.name}/")
        elif item.name.endswith((".md", ".yaml")):
            yield prefix + item.name, item


def _message(said: Mapping[str, str], now: bytes | None, then: bytes | None, today: date) -> str:
    """The message of a commit; of an operation with its trailers, on the one entry that comes or goes."""
    if "action" not in said:
        return "\n\n".join(filter(None, (said["subject"], said.get("body")))) + "\n"
    old, new = _entries(then), _entries(now)
    (entry,) = old.keys() ^ new.keys()
    address = f"{_CURATED}#{entry}"
    origin = new[entry].provenance if said["action"] == "promote" else None
    trailers = {
        "Operation": hashlib.sha256(f"{today} {said['at']} {address}".encode()).hexdigest()[:12],
        "Action": said["action"],
        "Entry": address,
        "Source": origin.source if origin else None,
        "Reason": said.get("reason"),
        "Actor": "human",
    }
    lines = "".join(f"{name}: {value}\n" for name, value in trailers.items() if value)
    return f"{said['action']}: {said['subject']}\n\n{lines}"


def _entries(data: bytes | None) -> dict[str, Entry]:
    document = parse_document(RelPath(_CURATED), data or b"", Kind.MEMORY)
    return {entry.hash: entry for entry in document.entries}
