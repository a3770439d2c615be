"""Session transcripts: JSON lines as agents write them, down to what a person and an agent said.

Three forms are read, line by line and mixed as they come::

    {"type": "message", "timestamp": …, "message": {"role": "user", "content": …}}      OpenClaw, Clawdbot
    {"type": "user", "sessionId": …, "timestamp": …, "message": {"role": …, …}}         Claude Code
    {"role": "user", "content": …, "timestamp": …}                                      plain

Only words count: reasoning, tool calls and what tools returned, system notes, encoded data and heartbeats are
left out. Any bytes are a transcript; nothing raises.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from workbench.memory.entry import Entry, Form, Kind, Span, entry_hash
from workbench.memory.markdown import Document
from workbench.memory.names import RelPath
from workbench.memory.provenance import provenance
from workbench.memory.window import fits, pieces

MAX_LINE = 16_000_000
"""Bytes that one line may have; a longer one is counted as unreadable."""
MAX_TURN = 200_000
"""Characters of one turn that are kept: more is a file that was pasted, and not what anybody said."""
_TITLE = 200

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

_TAG = re.compile(
    r"<(system-reminder|local-command-\w+|command-\w+|bash-\w+|task-notification|(?:antml:)?think(?:ing)?)>"
)
_DATA = re.compile(r"(?:data:[\w/+.-]{1,80};base64,)?(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{256,}={0,2}")
_METADATA = re.compile(
    r"^[^\n]{0,80}\(untrusted[^)\n]{0,60}\):[ \t]*\n```[^\n]*\n.*?(?:^```[ \t]*$|\Z)\n?",
    re.MULTILINE | re.DOTALL,
)
_DIRECTIVE = re.compile(
    r"\[\[(?:reply_to|audio_as)[^\]\n]{0,80}\]\]|^\[message_id: [^\]\n]{0,80}\][ \t]*$", re.MULTILINE
)
_EVENT = re.compile(r"^System: \[[^\n]*(?:\n|\Z)", re.MULTILINE)
_EMPTY_WORDS = frozenset(
    {"HEARTBEAT_OK", "NO_REPLY", "ANNOUNCE_SKIP", "REPLY_SKIP", "No response requested."}
)
_HEARTBEAT = "Read HEARTBEAT.md if it exists"
_CARELESS = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a file of JSON lines holds.

    ``bad`` are the numbers of lines that no program can read. ``unfinished``: the last line is still being
    written. ``lines`` counts all that end.
    """

    session: str
    title: str
    turns: tuple[Turn, ...]
    bad: tuple[int, ...] = ()
    unfinished: bool = False
    lines: int = 0


def read_transcript(name: str, blocks: Iterable[bytes]) -> Transcript:
    """The turns in a file that comes in ``blocks``; ``name`` is its session where no line tells one.

    A last line without its end that cannot be read is still being written. Never keeps more than one line,
    and the words that were said.
    """
    reader = _Reader(name)
    for line, size in _lines(blocks):
        reader.take(line, size)
    return reader.result()


def transcript_document(path: RelPath, transcript: Transcript) -> Document:
    """One entry for each turn, long ones in parts that fit the window, under the title of their session.

    Both sides stand under one heading, so that an answer is found by the words of its question too. The
    document has no bytes: nothing is ever written to a transcript.
    """
    entries: list[Entry] = []
    seen: Counter[str] = Counter()
    for turn in transcript.turns:
        for entry in _entries(path, transcript, turn):
            seen[entry.hash] += 1
            entries.append(replace(entry, ordinal=seen[entry.hash]))
    return Document(path, Kind.TRANSCRIPT, b"", None, (), tuple(entries), (0,))


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
    def __init__(self, name: str) -> None:
        self._name = name
        self._session = ""
        self._titles: dict[int, str] = {}
        self._of_leaf: dict[str, str] = {}
        self._ids: set[str] = set()
        self._turns: list[Turn] = []
        self._bad: list[int] = []
        self._unfinished = False
        self._number = 0
        self._offset = 0

    def take(self, line: bytes, size: int) -> None:
        """The next line, which has ``size`` bytes in the file."""
        span = Span(self._offset, self._offset + size)
        self._offset = span.end
        self._number += 1
        if size <= MAX_LINE and not line.strip():
            return
        record = _record(line) if size <= MAX_LINE else None
        if record is None and not line.endswith(b"\n"):
            self._unfinished = True
        elif record is None:
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
        )

    def _read(self, record: Mapping[str, Any], span: Span) -> None:
        kind = _word(record.get("type"))
        own = _word(record.get("sessionId"))
        self._session = self._session or own or (_word(record.get("id")) if kind == "session" else "")
        if (uuid := _word(record.get("uuid"))) and kind in _SPOKEN:
            self._ids.add(uuid)
        if kind not in _SPOKEN:
            self._note_title(record, kind)
            return
        turn = _turn(record, self._number, span)
        if turn is not None:
            self._turns.append(replace(turn, session=own))

    def _note_title(self, record: Mapping[str, Any], kind: str) -> None:
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


def _record(line: bytes) -> Mapping[str, Any] | None:
    """The object that a line is, or None."""
    try:
        found = json.loads(line.decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _turn(record: Mapping[str, Any], number: int, span: Span) -> Turn | None:
    """The turn in one line, or None where nobody said anything."""
    message = record.get("message")
    if not isinstance(message, dict):
        message = record if isinstance(record.get("role"), str) else {}
    role = _ROLES.get(_word(message.get("role")) or _word(record.get("type")))
    told = message.get("provenance")
    elsewhere = isinstance(told, dict) and told.get("kind") in ("inter_session", "internal_system")
    repeated = message.get("model") == "delivery-mirror"
    if role is None or elsewhere or repeated or any(record.get(mark) is True for mark in _UNSAID):
        return None
    text = clean(_text(message.get("content", message.get("text"))))
    if not text or text in _EMPTY_WORDS or (role == "user" and text.startswith(_HEARTBEAT)):
        return None
    when = _when(record.get("timestamp")) or _when(message.get("timestamp"))
    name = _word(record.get("uuid")) or _word(record.get("id"))
    return Turn(line=number, span=span, role=role, text=text, when=when, id=name)


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


def clean(text: str) -> str:
    """What was said in ``text``: no notes that programs put between the words, and no encoded data."""
    text = _CARELESS.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))
    text = _without_tagged(text)
    for noise in (_METADATA, _DIRECTIVE, _EVENT):
        text = noise.sub("", text)
    text = _DATA.sub("[data]", text).strip()
    return text if len(text) <= MAX_TURN else text[:MAX_TURN] + "\n…"


def _without_tagged(text: str) -> str:
    """``text`` without what stands between tags of programs; a tag that nothing closes is somebody's word."""
    out: list[str] = []
    at = 0
    unclosed: set[str] = set()
    while found := _TAG.search(text, at):
        tag = found[1]
        end = -1 if tag in unclosed else text.find(f"</{tag}>", found.end())
        if end < 0:
            unclosed.add(tag)
            out.append(text[at : found.end()])
            at = found.end()
        else:
            out.append(text[at : found.start()])
            at = end + len(tag) + 3
    return "".join((*out, text[at:]))


def _when(value: object) -> datetime | None:
    """A moment as ISO 8601 or as seconds or milliseconds since 1970; in UTC where no zone is told."""
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value)
            return found if found.tzinfo else found.replace(tzinfo=UTC)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""
