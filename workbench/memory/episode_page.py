"""The page of an episode as the workbench writes it: header, summary, and lines that name their turns.

What is read of a page is ``normal(page)``, whatever text it is made of: no value ends its line of the
header, no line ends its section.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice

from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.edit import as_item
from workbench.memory.episode import EpisodeHeader
from workbench.memory.escape import plain_line
from workbench.memory.frontmatter import (
    MOST_COUNTED,
    quoted_scalar,
    read_front_matter,
    scalar,
    scalars,
    set_front_matter,
)
from workbench.memory.provenance import TRUST, Provenance

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
    """The page as it is read back: words on one line, within bounds, moments in whole seconds of UTC."""
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
    for name in ("id", "source_id", "session", "source", "agent", "user"):
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
