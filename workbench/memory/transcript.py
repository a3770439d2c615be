"""Session transcripts: JSON lines as agents write them, read down to what a person and an agent said.

Reasoning, tool calls and what tools returned, system notes, encoded data and heartbeats are left out. Any
bytes are a transcript; nothing raises.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from typing import Any, Literal

from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.entry import Entry, Form, Kind, RelPath, Span, entry_hash
from workbench.memory.markdown import Document, numbered
from workbench.memory.model_window import fits, pieces
from workbench.memory.provenance import provenance
from workbench.memory.transcript_text import among_many, careful, clean

# -- the frame that an agent's program puts around the summary of a session --------------------------
# The frame speaks to the agent: go on, ask nobody. It is no part of what was said or done, and memory that
# holds it orders every later agent to do so.

_OPENING = "This session is being continued from a previous conversation"
_SENTENCES = re.compile(
    rf"{_OPENING}[^.:\n]{{0,200}}[.:]?"
    r"|The (?:conversation is summarized below|summary below covers[^.:\n]{0,120})[.:]",
    re.IGNORECASE,
)
_LINES = re.compile(
    r"(?:^|(?<=[.:!?\"”)] ))[ \t]*(?:(?:Please )?continue (?:with )?(?:the|our) conversation from where"
    r"|If you need specific details from before (?:the )?compaction"
    r"|Recent messages are preserved verbatim)[^\n]*",
    re.IGNORECASE | re.MULTILINE,
)
"""Each to the end of its line: what follows there goes on in the same voice."""
_LOOKED_AT = 400


def is_framed(text: str) -> bool:
    """Whether ``text`` is such a summary, though nothing else marks it as one."""
    return text[:_LOOKED_AT].lstrip().startswith(_OPENING)


def without_frame(text: str) -> str:
    """The summary alone."""
    return _LINES.sub("", _SENTENCES.sub("", text)).strip()


# -- turns and sessions ------------------------------------------------------------------------------
# Three forms of lines are read, mixed as they come:
#
#     {"type": "message", "timestamp": …, "message": {"role": "user", "content": …}}      OpenClaw, Clawdbot
#     {"type": "user", "sessionId": …, "timestamp": …, "message": {"role": …, …}}         Claude Code
#     {"role": "user", "content": …, "timestamp": …}                                      plain

MAX_LINE = 16_000_000
"""Bytes that one line may have; a longer one is counted as unreadable."""
_TITLE = 200

Record = Mapping[str, Any]
"""A line of JSON."""
Role = Literal["user", "assistant"]
_ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
}
_SPOKEN = frozenset({"message", "user", "assistant", "human", ""})
"""Types of lines that can hold a turn."""
_TEXT = frozenset({"text", "input_text", "output_text"})
_UNSAID = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage", "isVisibleInTranscriptOnly")
"""Marks of lines that a program wrote: its notes, talk with its helpers, summaries of older turns."""
_TITLES = (("customTitle", 3), ("aiTitle", 2), ("title", 2), ("summary", 1))

_EMPTY_WORDS = frozenset(
    {
        "HEARTBEAT_OK",
        "NO_REPLY",
        "ANNOUNCE_SKIP",
        "REPLY_SKIP",
        "No response requested.",
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
    }
)
_HEARTBEAT = "Read HEARTBEAT.md if it exists"
_CRON = "[cron:"
_MIRROR = "delivery-mirror"
_TOLD = {"route": ("sessionKey", "session_key"), "agent": ("agentId", "agent"), "user": ("userId", "user")}
"""What a line may tell of its session, each by its keys."""
_ORIGINS = ("origin", "source", "channel", "trigger")
_ABOUT = 200
"""Characters of a name that a file tells of itself."""
_MAX_ORIGINS = 16
# First as Claude Code, then as OpenClaw names them.
_USAGE = (
    "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens",
    "input", "cacheWrite", "cacheRead", "output",
)  # fmt: skip
_MAX_TOKENS = 1_000_000_000


@frozen_kw_only
class Turn:
    """What one side said at one time. ``line`` counts from 1; ``span`` are the bytes of that line."""

    line: int
    span: Span
    role: Role
    text: str
    when: datetime | None = None
    session: str = ""
    id: str = ""

    @property
    def said(self) -> str:
        """``User: …``: the words with who said them."""
        return f"{self.role.capitalize()}: {self.text}"


@frozen
class Compaction:
    """Where an agent summed up what was said before ``line``, to go on with less; its ``summary`` if told.

    ``last`` is the last line that is about it, ``end`` the byte at which that ends.
    """

    line: int
    last: int
    end: int
    summary: str = ""


@frozen
class About:
    """What a file tells of its session; empty where it says nothing.

    ``route`` is the key under which the agent's program keeps the session (``agent:main:main``), ``origin``
    the words that say where it came from. ``marks`` say what the turns themselves show: ``heartbeat`` where
    nobody but the clock asked, ``cron`` where a job did, ``delivered`` where an agent only passed it on,
    ``group`` where several people speak.
    """

    route: str = ""
    agent: str = ""
    user: str = ""
    origin: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()


@frozen
class Transcript:
    """What a file of JSON lines holds.

    ``bad`` are the numbers of lines that no program can read. ``unfinished``: the last line is still being
    written. ``lines`` counts all that end. ``end`` is the byte at which what could be read ends. ``tokens``
    is what the agent's context held at the last turn since a compaction that tells; 0 where none does.
    """

    session: str
    title: str
    turns: tuple[Turn, ...]
    bad: tuple[int, ...] = ()
    unfinished: bool = False
    lines: int = 0
    compactions: tuple[Compaction, ...] = ()
    about: About = About()
    end: int = 0
    tokens: int = 0


@frozen_kw_only
class Session:
    """The turns of one session between two compactions, or all of them where it was never compacted.

    ``source`` is the file as provenance names it, ``key`` the session's own name, ``cycle`` how often it was
    compacted before these turns. ``summary`` is what the agent wrote when it compacted them, if it did.
    """

    source: str
    key: str
    turns: tuple[Turn, ...]
    cycle: int = 0
    summary: str = ""
    title: str = ""
    agent: str = ""
    user: str = ""
    trust: str = "agent"

    @property
    def source_id(self) -> str:
        """``key:cycle``: the same turns make one episode, however often they are read."""
        return f"{self.key}:{self.cycle}"

    @property
    def started_at(self) -> datetime | None:
        """When the first turn that says so was said."""
        return next((turn.when for turn in self.turns if turn.when), None)

    @property
    def ended_at(self) -> datetime | None:
        """When the last turn that says so was said."""
        return next((turn.when for turn in reversed(self.turns) if turn.when), None)


def read_transcript(name: str, blocks: Iterable[bytes], *, start: int = 0, line: int = 0) -> Transcript:
    """The turns in a file that comes in ``blocks``; ``name`` is its session where no line tells one.

    A last line without its end that cannot be read is still being written. Never keeps more than one line,
    and the words that were said. Where the blocks begin later in the file, ``start`` is the byte at which
    they do, and ``line`` counts the lines before.
    """
    reader = _Reader(name, start, line)
    for data, size in _lines(blocks):
        reader.take(data, size)
    return reader.result()


def transcript_document(path: RelPath, transcript: Transcript) -> Document:
    """One entry for each turn, long ones in parts that fit the window, under the title of their session.

    Both sides stand under one heading, so that an answer is found by the words of its question too. The
    document has no bytes: nothing is ever written to a transcript.
    """
    entries = numbered(entry for turn in transcript.turns for entry in _entries(path, transcript, turn))
    return Document(path, Kind.TRANSCRIPT, b"", None, given=tuple(entries))


def _entries(path: RelPath, transcript: Transcript, turn: Turn) -> Iterable[Entry]:
    session = turn.session or transcript.session
    text = turn.said
    ranges = [(0, len(text))] if fits(text) else pieces(text)
    texts = [part for start, end in ranges if (part := text[start:end].strip())]
    for number, part in enumerate(texts, 1):
        yield Entry(
            path=path,
            kind=Kind.TRANSCRIPT,
            form=Form.QUOTE,
            span=turn.span,
            start_line=turn.line,
            end_line=turn.line,
            heading=(transcript.title, session) if transcript.title else (session,),
            date=turn.when.date() if turn.when else None,
            text=part,
            hash=entry_hash(part),
            part=number,
            parts=len(texts),
            provenance=provenance({"session": session}),
            block=turn.span,
        )


class _Reader:
    def __init__(self, name: str, start: int = 0, line: int = 0) -> None:
        self._name = name
        self._session = ""
        self._titles: dict[int, str] = {}
        self._of_leaf: dict[str, str] = {}
        self._ids: set[str] = set()
        self._turns: list[Turn] = []
        self._bad: list[int] = []
        self._unfinished = False
        self._number = line
        self._offset = start
        self._end = start
        self._compactions: list[Compaction] = []
        self._after = 0  # turns that were there when it was compacted last
        self._told = dict.fromkeys(_TOLD, "")
        self._origin: dict[str, None] = {}
        self._marks: Counter[str] = Counter()
        self._tokens = 0

    def take(self, line: bytes, size: int) -> None:
        """The next line, which has ``size`` bytes in the file."""
        span = Span(self._offset, self._offset + size)
        self._offset = span.end
        self._number += 1
        if size <= MAX_LINE and not line.strip():
            self._end = span.end
            return
        record = _record(line) if size <= MAX_LINE else None
        if record is None and not line.endswith(b"\n"):
            self._unfinished = True
            return
        self._end = span.end
        if record is None:
            self._bad.append(self._number)
        else:
            self._read(record, span)

    def result(self) -> Transcript:
        of_turns = [title for leaf, title in self._of_leaf.items() if leaf in self._ids]
        titles = [self._titles[weight] for weight in sorted(self._titles, reverse=True)] + of_turns[-1:]
        return Transcript(
            session=self._session or self._name,
            title=next(iter(titles), ""),
            turns=tuple(self._turns),
            bad=tuple(self._bad),
            unfinished=self._unfinished,
            lines=self._number - self._unfinished,
            compactions=tuple(self._compactions),
            about=self._about(),
            end=self._end,
            tokens=self._tokens,
        )

    def _read(self, record: Record, span: Span) -> None:
        kind, message = _word(record.get("type")), record.get("message")
        message = message if isinstance(message, dict) else record
        own = _word(record.get("sessionId"))
        self._note_about(record)
        self._note_compaction(record, message, kind, span.end)
        self._session = self._session or own or (_word(record.get("id")) if kind == "session" else "")
        if (uuid := _word(record.get("uuid"))) and kind in _SPOKEN:
            self._ids.add(uuid)
        if kind not in _SPOKEN:
            self._note_title(record, kind)
            return
        turn = _turn(record, message, self._number, span)
        if turn is not None:
            self._turns.append(replace(turn, session=own))
        self._marks.update(_marks(message, turn))
        if record.get("isSidechain") is not True:
            self._tokens = _tokens(message) or self._tokens

    def _note_about(self, record: Record) -> None:
        """What the first lines that tell something say of the session."""
        for name, keys in _TOLD.items():
            told = filter(None, (_name(record.get(key)) for key in keys))
            self._told[name] = self._told[name] or next(told, "")
        for key in _ORIGINS:
            value = record.get(key)
            words = value.values() if isinstance(value, dict) else (value,)
            if len(self._origin) < _MAX_ORIGINS:
                self._origin.update((word, None) for word in map(_name, words) if word)

    def _note_compaction(self, record: Record, message: Record, kind: str, end: int) -> None:
        """A boundary and the summary that follows it are one compaction.

        Older programs wrote a summary like a person's words, with no mark of it.
        """
        said = _said(message)
        framed = message.get("role") in ("user", "human") and is_framed(said)
        summed_up = record.get("isCompactSummary") is True or framed
        boundary = kind == "system" and record.get("subtype") == "compact_boundary"
        if not (kind == "compaction" or summed_up or boundary):
            return
        if message is record and not framed:
            said = _text(record.get("summary"))
        summary = without_frame(clean(said))
        last = self._compactions[-1] if self._compactions else None
        if summed_up and last and not last.summary and self._after == len(self._turns):
            self._compactions[-1] = replace(last, summary=summary, last=self._number, end=end)
            return
        self._after = len(self._turns)
        self._tokens = 0
        self._compactions.append(Compaction(self._number, self._number, end, summary))

    def _about(self) -> About:
        asked = [turn for turn in self._turns if turn.role == "user"]
        marks = [mark for mark in ("heartbeat", "delivered") if self._marks[mark] and not asked]
        if asked and all(turn.text.startswith(_CRON) for turn in asked):
            marks.append("cron")
        if self._marks["group"]:
            marks.append("group")
        return About(**self._told, origin=tuple(self._origin), marks=tuple(marks))

    def _note_title(self, record: Record, kind: str) -> None:
        """A summary names the turn that it sums up: files begin with those of other sessions."""
        if kind not in ("summary", "custom-title", "ai-title", "session"):
            return
        for name, weight in _TITLES:
            if title := " ".join(clean(_word(record.get(name))).split())[:_TITLE]:
                if kind == "summary" and (leaf := _word(record.get("leafUuid"))):
                    self._of_leaf[leaf] = title
                else:
                    self._titles[weight] = title
                return


def _lines(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Each line with its size in bytes; of one that is too long only its end."""
    kept: list[bytes] = []
    size = 0
    for block in blocks:
        start = 0
        while (end := block.find(b"\n", start) + 1) > 0:
            piece = block[start:end]
            size += len(piece)
            yield (b"".join((*kept, piece)) if size <= MAX_LINE else b"\n"), size
            kept, size, start = [], 0, end
        rest = block[start:]
        size += len(rest)
        if size <= MAX_LINE:
            kept.append(rest)
        else:
            kept.clear()
    if size:
        yield b"".join(kept), size


def _record(line: bytes) -> Record | None:
    """The object that a line is, or None."""
    try:
        found = json.loads(line.decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _turn(record: Record, message: Record, number: int, span: Span) -> Turn | None:
    """The turn in one line, or None where nobody said anything."""
    if message is record and not isinstance(record.get("role"), str):
        return None
    role = _ROLES.get(_word(message.get("role")) or _word(record.get("type")))
    told = message.get("provenance")
    elsewhere = isinstance(told, dict) and told.get("kind") in ("inter_session", "internal_system")
    repeated = message.get("model") == _MIRROR
    if role is None or elsewhere or repeated or any(record.get(mark) is True for mark in _UNSAID):
        return None
    said = _said(message)
    text = clean(said)
    if (
        not text
        or text in _EMPTY_WORDS
        or (role == "user" and (is_framed(said) or text.startswith(_HEARTBEAT)))
    ):
        return None
    when = _when(record.get("timestamp")) or _when(message.get("timestamp"))
    name = _word(record.get("uuid")) or _word(record.get("id"))
    return Turn(line=number, span=span, role=role, text=text, when=when, id=name)


def _marks(message: Record, turn: Turn | None) -> Iterator[str]:
    """What a line shows beside words: a clock that asked, an agent that passed something on, a group."""
    if turn is not None:
        if turn.role == "user" and among_many(_said(message)):
            yield "group"
    elif message.get("model") == _MIRROR:
        yield "delivered"
    elif _ROLES.get(_word(message.get("role"))) == "user":
        said = clean(_said(message)[:_ABOUT])
        if said.startswith(_HEARTBEAT):
            yield "heartbeat"


def _tokens(message: Record) -> int:
    """What an agent's answer says that it and its context came to, in tokens; 0 where it does not."""
    usage = message.get("usage")
    if not isinstance(usage, dict):
        return 0
    counts = (usage.get(name) for name in _USAGE)
    return sum(n for n in counts if isinstance(n, int) and not isinstance(n, bool) and 0 < n < _MAX_TOKENS)


def _said(message: Record) -> str:
    return _text(message.get("content", message.get("text")))


def _name(value: object) -> str:
    """A name that a file tells, as one short line."""
    return " ".join(careful(_word(value)[:_ABOUT]).split())


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = (
        block if isinstance(block, str) else block.get("text")
        for block in blocks
        if isinstance(block, str) or (isinstance(block, dict) and block.get("type") in _TEXT)
    )
    return "\n\n".join(text for text in texts if isinstance(text, str))


def _when(value: object) -> datetime | None:
    """A moment as ISO 8601 or as seconds or milliseconds since 1970; in UTC where no zone is told."""
    found = None
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value)
            found = found if found.tzinfo else found.replace(tzinfo=UTC)
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
            found = datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return found if found and MINYEAR < found.year < MAXYEAR else None  # others are not told in each zone


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""
