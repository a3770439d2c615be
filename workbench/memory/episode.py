"""Episodes: the summaries of sessions, which stand between the logs and long-term memory.

The workbench writes its own into ``episodes/``, with a header. The files that agents write of their sessions
have no header; their name and their first lines say what they are about.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import islice

from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.edit import as_item
from workbench.memory.entry import Entry, Kind, RelPath, stem_of, without_emphasis
from workbench.memory.escape import plain_line
from workbench.memory.frontmatter import (
    MOST_COUNTED,
    quoted_scalar,
    read_front_matter,
    scalar,
    scalars,
    set_front_matter,
)
from workbench.memory.markdown import Document
from workbench.memory.moment import dated_name
from workbench.memory.provenance import TRUST, Provenance, parse_day
from workbench.memory.sentences import MOST_READ, sentences
from workbench.memory.transcript_text import clean
from workbench.plural import plural

# -- which session the text of a file says it comes from ---------------------------------------------
# Front matter says it for the whole file. Logs of other tools say it in a heading or a list under it, and
# one file may hold several sessions one after the other:
#
#     # Session: 2026-03-14 10:00:00 UTC
#
#     - **Session Key**: agent:main:main
#     - **Session ID**: 0c9e2f

_KEYS = ("session", "session_id", "session_key")
_HEADING = re.compile(r"#{1,6}[ \t]+Session\b[ \t]*:?[ \t]*(?P<name>.*?)[ \t]*#*", re.IGNORECASE)
_NAMED_AS = re.compile(
    r"(?:[-*+][ \t]+)?(?:\*\*|__)?session (?:id|key)(?:\*\*|__)?[ \t]*:"
    r"[ \t]*(?:\*\*|__)?[ \t]*`?(?P<name>[^`]+?)`?",
    re.IGNORECASE,
)

_HEADER_FIELD = re.compile(r"\*\*[^*\n:]{1,30}(?:\*\*:|:\*\*)")


@frozen
class SessionBlock:
    """Lines ``first`` up to ``last`` (from 1, both included) speak of the session with these ``names``."""

    first: int
    last: int
    names: tuple[str, ...]


def session_blocks(document: Document) -> tuple[SessionBlock, ...]:
    """The sessions that a file is about, in order; the first begins with the file."""
    header = document.front_matter
    if header is not None and (own := tuple(filter(None, map(header.text, _KEYS)))):
        return (SessionBlock(1, len(document.line_starts), own),)
    found: list[tuple[int, list[str]]] = []
    for number, line in enumerate(document.data.decode("utf-8", "surrogateescape").split("\n"), 1):
        text = line.strip()
        if heading := _HEADING.fullmatch(text):
            found.append((number, [heading["name"]] if heading["name"] else []))
        elif field := _NAMED_AS.fullmatch(text):
            if not found:
                found.append((number, []))
            found[-1][1].append(field["name"].strip())
    starts = [1, *(number for number, _ in found[1:])]
    ends = [*(start - 1 for start in starts[1:]), len(document.line_starts)]
    return tuple(
        SessionBlock(first, last, tuple(names))
        for first, last, (_, names) in zip(starts, ends, found, strict=False)
    )


def is_session_field(entry: Entry) -> bool:
    """Whether an entry is a field of a session's header: its key, its id, where it came from."""
    return (
        len(entry.heading) == 1
        and entry.heading[0].casefold().startswith("session")
        and _HEADER_FIELD.match(entry.text) is not None
    )


def session_of(blocks: Sequence[SessionBlock], entry: Entry) -> str | None:
    """The session that an entry's file says it comes from; the id where the file names it several ways.

    ``blocks`` are those of the file.
    """
    at = bisect_right(blocks, entry.start_line, key=lambda block: block.first) - 1
    if at < 0 or entry.start_line > blocks[at].last or not blocks[at].names:
        return None
    return blocks[at].names[-1]


# -- what the header of an episode, or a file that an agent wrote, says of itself --------------------

FOLDER = "episodes/"
_FIELD = re.compile(r"(?:[-*+][ \t]+)?(?:\*\*)?[A-Za-z][\w -]{0,23}:?(?:\*\*)?:?[ \t]*\S*")
"""A line that says something of the session, and nothing that was said in it: ``- **Source**: telegram``."""
_TURN = re.compile(r"^(?P<role>user|human|assistant)\s?:\s", re.MULTILINE | re.IGNORECASE)
_ASIDE = re.compile(r"(?P<mark>[*_]+)\S.*\S(?P=mark)")
"""A line all in italics: what was done to the file, not what was said."""
_LEAST_SENTENCE = 16
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
    slug = named.slug.replace("-", " ") if named else ""
    names = next((block.names for block in session_blocks(document) if block.names), ())
    at = datetime.combine(named.day, named.time, UTC) if named and named.time else None
    return Episode(
        path=document.path,
        id=name,
        abstract=without_emphasis(_abstract(document, slug)),
        topics=(slug,) if slug else (),
        session=names[-1] if names else None,
        created_at=parse_day(day[0]) if day else None,
        started_at=at,
    )


def _abstract(document: Document, slug: str) -> str:
    """The sentence that says what a session was about: the one with most words of its name.

    What the program put between the words counts for nothing. Where no sentence has any, it is the name,
    and without a name the person's first sentence.
    """
    # What is before the first turn, then the role and the words of each.
    turns = _TURN.split(document.text[:MOST_READ])
    said = [
        (role.casefold() != "assistant", one.text)
        for role, words in zip(turns[1::2], turns[2::2], strict=True)
        for one in sentences(clean(words))
        if len(one.text) >= _LEAST_SENTENCE and one.text[-1] not in ":："
    ]
    about = {word[:_STEM] for word in slug.casefold().split()}

    def worth(one: tuple[bool, str]) -> tuple[int, bool]:
        return sum(word in one[1].casefold() for word in about), one[0]

    if said:
        best = max(said, key=worth)
        return plain_line(best[1], MOST_ABSTRACT) if worth(best)[0] or not slug else slug
    lines = (line.strip() for entry in document.entries for line in entry.text.splitlines())
    first = next((line for line in lines if line and not _FIELD.fullmatch(line)), "")
    return slug if slug and (len(turns) > 1 or _ASIDE.fullmatch(first)) else first


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


# -- the page as the workbench writes it: header, summary, and lines that name their turns -----------

MOST_ABSTRACT = 200
"""Characters of an abstract."""
MOST_TOPICS = 20
_MOST_VALUE, _MOST_SOURCE, _MOST_TOPIC = 300, 2_000, 80
_MOST_LINE, _MOST_LINES, _MOST_PLACES = 1_000, 500, 8
COMPACTION, EXTRACTION = "compaction", "extraction"
"""Who wrote a summary that no model wrote: the agent as it compacted the session, or the rules."""
_SECTIONS = (("Summary", "summary"), ("Facts", "facts"), ("Decisions", "decisions"), ("Open", "open"))
_TEXTS = ("id", "source_id", "session", "source", "agent", "user", "summary_by")
_MOMENTS = ("started_at", "ended_at", "created_at", "expires_at", "last_recalled_at", "promoted_at")
_COUNTS = ("turns", "recall_count")
_HASH = "body_hash"
_NULLS = ("null", "~")
"""Words that a header cannot tell from no value."""
_TURNS = re.compile(r"\s*\(turns? (\d{1,9}(?:, \d{1,9})*)\)\s*\Z")
_MOVED = re.compile(rb"\n  (<!-- wb: [^<>]*-->)(?=\n)")


@dataclass(frozen=True, slots=True, order=True)
class TurnRef:
    """Where something was said: the number of the turn in its session, and the line of the transcript.

    Both count from 1; line 0 is not known.
    """

    turn: int
    line: int = 0


@frozen
class EpisodeLine:
    """One line of the page, and where it was said.

    ``by_agent``: the agent said it and not the person. Known of the lines under a heading of their own, where
    it is known where they were said.
    """

    text: str
    places: tuple[TurnRef, ...] = ()
    by_agent: bool = False


@frozen_kw_only
class EpisodePage(EpisodeHeader):
    """All that a page says. ``summary_by`` is `compaction`, `extraction` or the name of a model."""

    source_id: str
    session: str = ""
    source: str = ""
    agent: str = ""
    user: str = ""
    created_at: datetime | None = None
    expires_at: datetime | None = None
    promoted_at: datetime | None = None
    summary_by: str = ""
    summary: tuple[EpisodeLine, ...] = ()
    facts: tuple[EpisodeLine, ...] = ()
    decisions: tuple[EpisodeLine, ...] = ()
    open: tuple[EpisodeLine, ...] = ()

    @property
    def lines(self) -> tuple[EpisodeLine, ...]:
        """Those of all sections."""
        return (*self.summary, *self.facts, *self.decisions, *self.open)


def render_page(page: EpisodePage) -> bytes:
    """The bytes of the page; text that does not fit its place is made to (see ``normal``)."""
    page = normal(page)
    body = "".join(_body(page))
    header = "".join(f"{key}: {value}\n" for key, value in _header(page, _digest(body.encode())))
    return f"---\n{header}---\n{body}".encode()


def normal(page: EpisodePage) -> EpisodePage:
    """The page as it is read back: words on one line, within bounds, moments in whole seconds of UTC.

    So no value can end its line of the header, and no line its section, whatever text the page is made of.
    """
    values: dict[str, object] = {name: _value(getattr(page, name)) for name in _TEXTS}
    values["source"] = _value(page.source, _MOST_SOURCE)
    values |= {name: _moment(getattr(page, name)) for name in _MOMENTS}
    values |= {name: min(max(0, getattr(page, name)), MOST_COUNTED - 1) for name in _COUNTS}
    for _, name in _SECTIONS:
        lines = (line for line in map(_line, getattr(page, name)) if line.text)
        values[name] = tuple(islice(lines, _MOST_LINES))
    topics = (plain_line(topic, _MOST_TOPIC) for topic in page.topics)
    return replace(
        page,
        abstract=_settled(page.abstract, lambda text: _value(plain_line(text, MOST_ABSTRACT))),
        topics=tuple(dict.fromkeys(filter(None, topics)))[:MOST_TOPICS],
        trust=page.trust if page.trust in TRUST else "unknown",
        **values,  # type: ignore[arg-type]
    )


def is_as_written(data: bytes) -> bool:
    """Whether nobody has changed the body of a page since the workbench wrote it. Its header may have.

    A migration moves comments below their lines, which changes nothing that the page says.
    """
    header = read_front_matter(data)
    if header is None:
        return False
    body = data[header.body :]
    return header.text(_HASH) in (_digest(body), _digest(_MOVED.sub(rb" \1", body)))


def with_recalls(data: bytes, count: int, last: datetime | None) -> bytes:
    """The page with its recalls as they are known now; untouched where they were known, or cannot be said."""
    header = read_front_matter(data)
    if header is None or header.problem or count <= header.count("recall_count"):
        return data
    data = set_front_matter(data, "recall_count", str(count))
    return set_front_matter(data, "last_recalled_at", moment_text(last)) if last else data


def moment_text(moment: datetime) -> str:
    """``2026-03-14T09:26:53Z``"""
    return moment.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def split_turns(text: str) -> tuple[str, tuple[int, ...]]:
    """A line of an episode without its ``(turn 19)``, and the turns that this names."""
    found = _TURNS.search(text[-200:])
    if found is None:
        return text, ()
    return text[: len(text) - len(found[0])], tuple(map(int, found[1].split(", ")))


def _header(page: EpisodePage, digest: str) -> Iterator[tuple[str, str]]:
    moments = {name: moment_text(at) if (at := getattr(page, name)) else "null" for name in _MOMENTS}
    for name in _TEXTS[:-1]:
        if value := getattr(page, name):
            yield name, scalar(value)
    yield from ((name, moments[name]) for name in _MOMENTS[:4])
    yield "l0_abstract", quoted_scalar(page.abstract)
    yield "key_topics", scalars(page.topics)
    yield "turns", str(page.turns)
    yield "recall_count", str(page.recall_count)
    yield from ((name, moments[name]) for name in _MOMENTS[4:])
    yield "pinned", "true" if page.pinned else "false"
    yield "trust", page.trust
    if page.summary_by:
        yield "summary_by", scalar(page.summary_by)
    yield _HASH, digest


def _body(page: EpisodePage) -> Iterator[str]:
    """The summary as one paragraph, which is one entry; of each other section every line is an item."""
    if page.summary:
        yield "\n## Summary\n\n"
        places = [place for line in page.summary for place in line.places]
        comment = _comment(page.source, places)
        yield "\n".join(_with_turns(line) for line in page.summary) + f" {comment}".rstrip() + "\n"
    for title, name in _SECTIONS[1:]:
        lines: tuple[EpisodeLine, ...] = getattr(page, name)
        if lines:
            yield f"\n## {title}\n\n"
        for line in lines:
            comment = _comment(page.source, line.places, by_agent=line.by_agent)
            yield as_item(_with_turns(line), comment)


def _with_turns(line: EpisodeLine) -> str:
    if not line.places:
        return line.text
    numbers = ", ".join(str(place.turn) for place in line.places)
    return f"{line.text} (turn{'s' if len(line.places) > 1 else ''} {numbers})"


def _comment(source: str, places: Sequence[TurnRef], *, by_agent: bool = False) -> str:
    """Where it was said, for whoever follows it, and that not the person did; nothing for unknown lines."""
    if not source or not places or not all(place.line for place in places):
        return ""
    where = tuple(("src", f"{source}#L{place.line}") for place in places)
    return Provenance((*where, *((("trust", "agent"),) if by_agent else ()))).render()


def _line(line: EpisodeLine) -> EpisodeLine:
    text = _settled(line.text, lambda words: split_turns(plain_line(words, _MOST_LINE))[0])
    wanted = sorted(
        {place.turn: place for place in reversed(line.places) if 0 < place.turn < MOST_COUNTED}.values()
    )
    places = (replace(place, line=place.line if 0 < place.line < MOST_COUNTED else 0) for place in wanted)
    return EpisodeLine(text, tuple(islice(places, _MOST_PLACES)), line.by_agent)


def _settled(text: str, step: Callable[[str], str]) -> str:
    """``text`` after as many steps as change something; each makes it shorter."""
    while (after := step(text)) != text:
        text = after
    return text


def _value(text: str, most: int = _MOST_VALUE) -> str:
    """A word of the header: what does not print is a blank in it."""
    text = "".join(character if character.isprintable() else " " for character in text[:most]).strip()
    return "" if text in _NULLS else text


def _moment(moment: datetime | None) -> datetime | None:
    if moment is None:
        return None
    try:
        return (
            (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).replace(microsecond=0)
        )
    except OverflowError:  # before the first or after the last year in UTC
        return None


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:12]
