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
from datetime import UTC, date, datetime, time, timedelta
from importlib.resources import files
from importlib.resources.abc import Traversable

import yaml

from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.entry import Entry, Kind, RelPath
from workbench.memory.file_edit import FileEdit
from workbench.memory.markdown import parse_document
from workbench.workspace.ledger import NAME
from workbench.workspace.plan import LedgerRecord
from workbench.workspace.short_marks import shortened_edit

_DATES_IN_NAMES = {
    "memory/": "%Y-%m-%d",
    "episodes/": "%Y/%m/",
    "_system/dreaming/": "%Y%m%d",
    "_system/archive/": "%Y-%m",
}
_DATED_NAME = re.compile(r"(?P<folder>[a-z_/]+/)day(?P<offset>[+-]\d+)(?P<rest>.*)")
_DAY = re.compile(r"\{day([+-]\d+)?(:weekday)?\}")
_LIFE = re.compile(r" *\{(from|until)([+-]?\d+(?:T\d\d:\d\d)?)\}")
_MARK = re.compile(r" *\{mark:([a-z0-9-]+)\}")
_REFERENCE = re.compile(r"\{((?:src|quote):[a-z0-9-]+)\}")
_CHARACTER = re.compile(r"\{U\+([0-9A-F]{4})\}")
_SECTION = re.compile(r"(?m)^## (\d\d:\d\d) .+$")

AGENT = ("agent", "agent@localhost")
OWNER = ("Tessa Marlowe", "tessa@example.org")
CLOCK = timedelta(hours=12)
"""How far the workspace's own clock is ahead of UTC, all year."""

_CURATED = RelPath("MEMORY.md")


@frozen
class DatedLine:
    """A line of a text, and from when up to when it is there, by the workspace's own clock."""

    text: str
    since: datetime
    until: datetime


@frozen_kw_only
class DemoCommit:
    """One commit to make: ``files`` maps each path to its whole new content, None when deleted.

    ``records`` are what the ledger knows of the short marks in it.
    """

    when: datetime
    author: tuple[str, str]
    message: str
    files: Mapping[str, bytes | None]
    records: tuple[LedgerRecord, ...]


def demo_commits(today: date) -> tuple[DemoCommit, ...]:
    """The commits of the demo workspace, oldest first, the same for the same ``today``.

    The newest is of the evening before ``today`` in UTC, which is today's morning where the story
    plays: none lies in the future when ``today`` is the date in UTC.
    """
    folder = files(__package__) / "content"
    content = dict(_read(name, file, today) for name, file in _walk(folder / "workspace"))
    references = _references(content, _moment("0T23:59", today))
    written: dict[str, bytes | None] = {}
    known: set[str] = set()
    commits = []
    for said in yaml.safe_load((folder / "history.yaml").read_text("utf-8")):
        at = _moment(said["at"], today)
        changed = {
            path: data
            for path, lines in content.items()
            if path.startswith(tuple(said.get("scope", [""])))
            and (data := _rendered(lines, at, references)) != written.get(path)
        }
        spelled_out = FileEdit(_CURATED, None, changed.get(_CURATED))
        curated, records = shortened_edit(spelled_out, lambda *_: None, Kind.MEMORY)
        new = [{**one.fields, NAME: one.fields["id"]} for one in records if one.fields["id"] not in known]
        known |= {one[NAME] for one in new}
        commits.append(
            DemoCommit(
                when=at.replace(tzinfo=UTC) - CLOCK,
                author=OWNER if said.get("author") == "owner" else AGENT,
                message=_message(said, changed.get(_CURATED), written.get(_CURATED), today),
                files={**changed, _CURATED: curated.after} if _CURATED in changed else changed,
                records=tuple(LedgerRecord("provenance", fields) for fields in new),
            )
        )
        written.update(changed)
    return tuple(commits)


def _walk(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir():
            yield from _walk(item, f"{prefix}{item.name}/")
        elif item.name.endswith((".md", ".yaml")):
            yield prefix + item.name, item


def _read(name: str, file: Traversable, today: date) -> tuple[str, list[DatedLine]]:
    """The path in the workspace of the content file ``name``, and its lines with their dates."""

    def dated(found: re.Match[str]) -> str:
        day = today + timedelta(days=int(found[1] or 0))
        return f"{day:%A}" if found[2] else day.isoformat()

    text = _DAY.sub(dated, file.read_text("utf-8"))
    text = _CHARACTER.sub(lambda found: chr(int(found[1], 16)), text)
    path, log_day = name, ""
    if found := _DATED_NAME.fullmatch(name):
        folder, offset, rest = found.groups()
        day = today + timedelta(days=int(offset))
        path = f"{folder}{day:{_DATES_IN_NAMES[folder]}}{rest}".replace("/-", "/")
        log_day = offset if folder == "memory/" else ""
    return path, list(_lines(text, log_day, today))


def _lines(text: str, log_day: str, today: date) -> Iterator[DatedLine]:
    """The lines of a text; ``log_day`` counts the day that it is the log of from today, empty for no log."""
    start = datetime.min
    if log_day:  # the title comes with the first section
        first = _SECTION.search(text)
        start = _moment(f"{log_day}T{first[1] if first else '00:00'}", today)
    for line in text.removesuffix("\n").split("\n"):
        if log_day and (section := _SECTION.match(line)):
            start = _moment(f"{log_day}T{section[1]}", today)
        since, until = start, datetime.max
        for word, said in _LIFE.findall(line):
            if word == "from":
                since = max(since, _moment(said, today))
            else:
                until = _moment(said, today)
        bare = _LIFE.sub("", line)
        if line.startswith("{") and not bare:  # it speaks for all lines below
            start = since
        else:
            yield DatedLine(bare, since, until)


def _moment(said: str, today: date) -> datetime:
    """``-12T21:40`` by the workspace's own clock, which shows 18:00 where no time is named."""
    offset, _, clock = said.partition("T")
    return datetime.combine(today + timedelta(days=int(offset)), time.fromisoformat(clock or "18:00"))


def _references(content: Mapping[str, list[DatedLine]], tonight: datetime) -> dict[str, str]:
    """What ``src:`` and ``quote:`` of each named line stand for in the finished workspace."""
    found = {}
    for path, lines in content.items():
        for number, line in enumerate(_alive(lines, tonight), 1):
            for name in _MARK.findall(line):
                found[f"src:{name}"] = f"{path}#L{number}"
                found[f"quote:{name}"] = _MARK.sub("", line).removeprefix("- ")
    return found


def _rendered(lines: list[DatedLine], at: datetime, references: Mapping[str, str]) -> bytes | None:
    """A file as it stood at that moment, or None when none of its lines was there yet."""
    kept = _alive(lines, at)
    if not kept:
        return None
    text = _MARK.sub("", "\n".join(kept) + "\n")
    return _REFERENCE.sub(lambda found: references[found[1]], text).encode("utf-8")


def _alive(lines: list[DatedLine], at: datetime) -> list[str]:
    kept = [line.text for line in lines if line.since <= at < line.until]
    while kept and not kept[-1]:
        kept.pop()
    return kept


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
        "Ledger": "provenance" if origin else None,
        "Reason": said.get("reason"),
        "Actor": "human",
    }
    lines = "".join(f"{name}: {value}\n" for name, value in trailers.items() if value)
    return f"{said['action']}: {said['subject']}\n\n{lines}"


def _entries(data: bytes | None) -> dict[str, Entry]:
    document = parse_document(_CURATED, data or b"", Kind.MEMORY)
    return {entry.hash: entry for entry in document.entries}
