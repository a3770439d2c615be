"""The story of the demo workspace: which files change in which commit, counted back from today.

Nothing here writes a file or knows git. The texts and their markup are described in ``markup.py``;
``content/history.yaml`` holds the commits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import yaml

from workbench.memory.entry import Entry, Kind
from workbench.memory.markdown import parse_document
from workbench.memory.names import RelPath
from workbench.workspace.demo.markup import (
    DatedLine,
    StoryTime,
    find_marks,
    read_lines,
    render,
    workspace_path,
)

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
