"""Session summaries: the queue between the logs and long-term memory.

The workbench writes its own into ``episodes/``, with a header. The files that agents write of their sessions
have none; what they say of themselves is read from their name and their first lines.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from workbench.frozen import frozen_kw_only
from workbench.memory.entry import Kind, RelPath, stem_of, without_emphasis
from workbench.memory.escape import plain_line
from workbench.memory.markdown import Document, file_date
from workbench.memory.moment import dated_name
from workbench.memory.provenance import parse_day
from workbench.memory.sentences import MOST_READ, sentences
from workbench.memory.session_blocks import session_blocks
from workbench.memory.transcript_text import clean
from workbench.plural import plural

FOLDER = "episodes/"
_FIELD = re.compile(r"(?:[-*+][ \t]+)?(?:\*\*)?[A-Za-z][\w -]{0,23}:?(?:\*\*)?:?[ \t]*\S*")
"""A line that says something of the session, and nothing that was said in it: ``- **Source**: telegram``."""
_TURN = re.compile(r"^(?P<role>user|human|assistant)\s?:\s", re.MULTILINE | re.IGNORECASE)
_ASIDE = re.compile(r"(?P<mark>[*_]+)\S.*\S(?P=mark)")
"""A line all in italics: what was done to the file, not what was said."""
_LEAST_SENTENCE, _LONGEST_ABSTRACT = 16, 200
_STEM = 6
"""Letters of a word that a form of it shares."""
_NAMED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@frozen_kw_only
class EpisodeHeader:
    """What an episode says of itself, read or about to be written."""

    id: str
    abstract: str = ""
    topics: tuple[str, ...] = ()
    trust: str = "unknown"
    started_at: datetime | None = None
    ended_at: datetime | None = None
    turns: int = 0
    recall_count: int = 0
    last_recalled_at: datetime | None = None
    pinned: bool = False


@frozen_kw_only
class Episode(EpisodeHeader):
    """The front matter of one episode page. ``problem`` says why it could not be read."""

    path: RelPath
    session: str | None = None
    created_at: date | None = None
    expires_at: date | None = None
    promoted_at: date | None = None
    problem: str | None = None
    source_id: str | None = None
    source: str | None = None
    agent: str | None = None
    user: str | None = None

    def days_left(self, today: date) -> int | None:
        """Days until it expires: 0 on its last day, negative afterwards. None where it never does."""
        return None if self.pinned or self.expires_at is None else (self.expires_at - today).days


def is_session_file(document: Document) -> bool:
    """Whether an agent wrote a session down itself: without our header, and not where our episodes are."""
    return (
        document.kind is Kind.EPISODE
        and document.front_matter is None
        and not document.path.startswith(FOLDER)
    )


def read_episode(document: Document) -> Episode:
    """The episode in a page; fields that are missing or malformed are left at their defaults."""
    if is_session_file(document):
        return _session_file(document)
    header = document.header
    first = document.entries[0].title if document.entries else ""
    return Episode(
        path=document.path,
        id=header.text("id") or stem_of(document.path),
        abstract=header.text("l0_abstract") or first,
        topics=header.list("key_topics"),
        session=header.text("session"),
        trust=header.text("trust") or "unknown",
        created_at=header.day("created_at"),
        expires_at=header.day("expires_at"),
        promoted_at=header.day("promoted_at"),
        pinned=header.flag("pinned"),
        recall_count=header.count("recall_count"),
        source_id=header.text("source_id"),
        source=header.text("source"),
        agent=header.text("agent"),
        user=header.text("user"),
        started_at=header.moment("started_at"),
        ended_at=header.moment("ended_at"),
        last_recalled_at=header.moment("last_recalled_at"),
        turns=header.count("turns"),
        problem=header.problem if document.front_matter else "no front matter",
    )


def _session_file(document: Document) -> Episode:
    """A session as an agent wrote it down, by its name and its first lines; it never expires."""
    name = stem_of(document.path)
    named, day = dated_name(document.path), _NAMED.match(name)
    slug = named.slug.replace("-", " ") if named and named.slug else ""
    names = next((block.names for block in session_blocks(document) if block.names), ())
    at = datetime.combine(named.day, named.time, UTC) if named and named.time else None
    return Episode(
        path=document.path,
        id=name,
        abstract=without_emphasis(_abstract(document, slug)),
        topics=(slug,) if slug else (),
        session=names[-1] if names else None,
        created_at=parse_day(day[0]) if day else file_date(document.path, None),
        started_at=at,
    )


def _abstract(document: Document, slug: str) -> str:
    """The sentence that says what a session was about: the one with most words of its name.

    What the program put between the words counts for nothing. Where no sentence has any, it is the name,
    and without a name the person's first sentence.
    """
    body = document.text[:MOST_READ]
    marks = list(_TURN.finditer(body))
    ends = [mark.start() for mark in marks[1:]] + [len(body)] * bool(marks)
    said = [
        (mark["role"].casefold() != "assistant", one.text)
        for mark, end in zip(marks, ends, strict=True)
        for one in sentences(clean(body[mark.end() : end]))
        if len(one.text) >= _LEAST_SENTENCE and one.text[-1] not in ":："
    ]
    about = {word[:_STEM] for word in slug.casefold().split()}

    def worth(one: tuple[bool, str]) -> tuple[int, bool]:
        return sum(word in one[1].casefold() for word in about), one[0]

    if said:
        best = max(said, key=worth)
        return plain_line(best[1], _LONGEST_ABSTRACT) if worth(best)[0] or not slug else slug
    lines = (line.strip() for entry in document.entries for line in entry.text.splitlines())
    first = next((line for line in lines if line and not _FIELD.fullmatch(line)), "")
    return slug if slug and (marks or _ASIDE.fullmatch(first)) else first


def countdown(episode: Episode, today: date) -> str:
    """``expires in 12 days``: how long it has left, for a person."""
    if episode.pinned:
        return "pinned, never expires"
    left = episode.days_left(today)
    if left is None:
        return "no expiry date"
    if left == 0:
        return "expires today"
    days = plural(abs(left), "day")
    return f"expires in {days}" if left > 0 else f"expired {days} ago"
