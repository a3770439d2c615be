"""Session summaries: the queue between the logs and long-term memory."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from datetime import date

from workbench.memory.markdown import Document
from workbench.memory.names import RelPath
from workbench.memory.provenance import parse_day


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """The front matter of one episode page. ``problem`` says why it could not be read."""

    path: RelPath
    id: str
    abstract: str
    topics: tuple[str, ...] = ()
    session: str | None = None
    trust: str = "unknown"
    created_at: date | None = None
    expires_at: date | None = None
    promoted_at: date | None = None
    pinned: bool = False
    recall_count: int = 0
    problem: str | None = None


def read_episode(document: Document) -> Episode:
    """The episode in a page; fields that are missing or malformed are left at their defaults."""
    header = document.front_matter
    name = document.path.rpartition("/")[2].removesuffix(".md")
    first = document.entries[0].title if document.entries else ""
    if header is None or header.problem:
        return Episode(
            path=document.path,
            id=name,
            abstract=first,
            problem=header.problem if header else "no front matter",
        )
    recalls = 0
    with contextlib.suppress(ValueError):
        recalls = int(header.text("recall_count") or 0)
    return Episode(
        path=document.path,
        id=header.text("id") or name,
        abstract=header.text("l0_abstract") or first,
        topics=header.list("key_topics"),
        session=header.text("session"),
        trust=header.text("trust") or "unknown",
        created_at=parse_day(header.text("created_at")),
        expires_at=parse_day(header.text("expires_at")),
        promoted_at=parse_day(header.text("promoted_at")),
        pinned=header.flag("pinned"),
        recall_count=recalls,
    )
