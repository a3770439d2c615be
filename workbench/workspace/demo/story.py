"""The story of the demo workspace: which files change in which commit, counted back from today.

Nothing here writes a file or knows git. The texts and their markup are described in ``markup.py``;
``content/history.yaml`` holds the commits that do not follow from the logs.
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
from typing import Any

import yaml

from workbench.memory.entry import Entry, Kind
from workbench.memory.markdown import parse_document
from workbench.memory.names import RelPath
from workbench.memory.provenance_comment import with_comments_in_place
from workbench.workspace.demo.markup import (
    DatedLine,
    StoryTime,
    find_marks,
    log_day,
    read_lines,
    render,
    workspace_path,
)
from workbench.workspace.layout import kind_of

AGENT = ("agent", "agent@localhost")
OWNER = ("Tessa Marlowe", "tessa@example.org")
CLOCK = timedelta(hours=12)
"""How far the workspace's own clock is ahead of UTC, all year."""

_CURATED = "MEMORY.md"
_COMMENTED = ("graph/", _CURATED)
_DAY_ENDS = "19:00"
_SUBJECT_LENGTH = 72

_Content = Mapping[str, tuple[DatedLine, ...]]
_Changes = Mapping[str, bytes | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoCommit:
    """One commit to make: ``files`` maps each path to its whole new content, None when deleted."""

    when: datetime
    author: tuple[str, str]
    message: str
    files: Mapping[str, bytes | None]


@dataclass(frozen=True, slots=True)
class _Planned:
    """A commit before its files are known: those that begin with ``scope`` and changed."""

    at: StoryTime
    author: tuple[str, str] = AGENT
    scope: tuple[str, ...] = ("",)
    action: str = "log"
    subject: str = ""
    note: str = ""


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
    for plan in _plans(content):
        changed = {
            path: data
            for name, path in paths.items()
            if path.startswith(plan.scope)
            and (data := _in_place(path, render(content[name], plan.at, today, marks))) != written.get(path)
        }
        message = _message(plan, changed, written, today)
        when = _when(plan.at, message, today)
        commits.append(DemoCommit(when=when, author=plan.author, message=message, files=changed))
        written.update(changed)
    return tuple(commits)


@cache
def _in_place(path: str, data: bytes | None) -> bytes | None:
    """The file with each comment where today's format has it; in the texts they stand behind the words."""
    if data is None or not path.startswith(_COMMENTED):
        return data
    return with_comments_in_place(parse_document(RelPath(path), data, kind_of(path)))


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


def _plans(content: _Content) -> list[_Planned]:
    """Every commit to make, oldest first: those of the days, and those of the history."""
    source = files(__package__) / "content" / "history.yaml"
    history = yaml.safe_load(source.read_text("utf-8"))
    clocks: dict[int, list[str]] = {}
    for name, lines in content.items():
        if (day := log_day(name)) is not None:
            clocks.setdefault(day, []).extend(line.section for line in lines if line.section)
    plans = [_planned(item) for item in history["commits"]]
    for day, times in clocks.items():
        plans.append(_Planned(StoryTime(day, _day_ends(day, max(times)))))
        if day in history["two_log_commits"]:
            middle = sorted(times)[(len(times) - 1) // 2]
            plans.append(_Planned(StoryTime(day, _soon_after(middle))))
    return sorted(plans, key=lambda plan: plan.at)


def _planned(item: Mapping[str, Any]) -> _Planned:
    day, clock = item["at"].split("T")
    return _Planned(
        at=StoryTime(int(day), clock),
        author=AGENT if item.get("author") == "agent" else OWNER,
        scope=tuple(item.get("scope", [_CURATED])),
        action=item.get("action", ""),
        subject=item["subject"],
        note=item.get("reason") or item.get("body", ""),
    )


def _day_ends(day: int, last: str) -> str:
    """A day is closed when what was learnt from it is written too; today is still open."""
    return _soon_after(last) if day == 0 else max(_DAY_ENDS, _soon_after(last))


def _soon_after(clock: str) -> str:
    later = datetime.combine(date.min, time.fromisoformat(clock)) + timedelta(minutes=4)
    return later.strftime("%H:%M")


def _when(at: StoryTime, message: str, today: date) -> datetime:
    second = int(_digest(message), 16) % 60
    clock = time.fromisoformat(at.clock).replace(second=second, tzinfo=UTC)
    return datetime.combine(today + timedelta(days=at.day), clock) - CLOCK


def _message(plan: _Planned, changed: _Changes, before: _Changes, today: date) -> str:
    if plan.action == "log":
        return _log_message(changed, before)
    if plan.action:
        return _curation_message(plan, changed, before, today)
    return "\n\n".join(part for part in (plan.subject, plan.note) if part) + "\n"


def _curation_message(plan: _Planned, changed: _Changes, before: _Changes, today: date) -> str:
    """The message of an operation on the one entry that comes or goes, with its trailers."""
    old, new = _entries(before[_CURATED]), _entries(changed[_CURATED])
    (entry,) = old.keys() ^ new.keys()
    address = f"{_CURATED}#{entry}"
    origin = new[entry].provenance if plan.action == "promote" else None
    trailers = {
        "Operation": _digest(f"{today} {plan.at} {address}"),
        "Action": plan.action,
        "Entry": address,
        "Source": origin.source if origin else None,
        "Reason": plan.note,
        "Actor": "human",
    }
    lines = "".join(f"{name}: {value}\n" for name, value in trailers.items() if value)
    return f"{plan.action}: {plan.subject}\n\n{lines}"


def _log_message(changed: _Changes, before: _Changes) -> str:
    """What was written about, and which other files came of it."""
    topics, also = [], []
    for path, data in changed.items():
        sections = _sections(data)
        topics += [item for item in sections if item not in _sections(before.get(path))]
        if not sections:
            also.append(f"- {path}\n")
    named = [topic for _, topic in sorted(topics) if topic != "stand-up"]
    subject = "log: " + ", ".join(named)
    if len(subject) > _SUBJECT_LENGTH:
        subject = subject[: _SUBJECT_LENGTH + 1].rpartition(", ")[0]
    return subject + "\n" + ("\nAlso:\n" + "".join(also) if also else "")


def _sections(data: bytes | None) -> list[tuple[str, str]]:
    """Time and topic of each section of a log."""
    return re.findall(r"(?m)^## (\d\d:\d\d) (.+)$", (data or b"").decode("utf-8"))


def _entries(data: bytes | None) -> dict[str, Entry]:
    document = parse_document(RelPath(_CURATED), data or b"", Kind.MEMORY)
    return {entry.hash: entry for entry in document.entries}


def _digest(text: str) -> str:
    """Twelve hexadecimal digits, the same for the same text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
