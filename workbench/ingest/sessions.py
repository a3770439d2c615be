"""Transcripts as sessions: what is new in a file, in parts, and how far each transcript was read."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated, Any, Literal

import msgspec

from indexing.sync.sources import TAIL, blocks, tail_digest
from workbench.config.settings import Settings
from workbench.frozen import frozen, frozen_kw_only
from workbench.ingest.transcript_files import SessionRoute, TranscriptFile, opened, route_of, routed
from workbench.memory.transcript import About, Compaction, Session, Transcript, Turn, read_transcript
from workbench.workspace.workspace import Workspace

# -- how far a transcript was read -------------------------------------------------------------------

Purpose = Literal["flush", "episode"]
"""What was read for: facts that go into a log, or the episodes of completed sessions."""
Count = Annotated[int, msgspec.Meta(ge=0)]


@frozen_kw_only
class Checkpoint:
    """How far a transcript was read for one purpose, and what has to be known to go on from there.

    ``kind`` is the purpose. ``head`` and ``digest`` are digests: of the first line, and of the last bytes
    before ``offset``. ``line``
    counts the lines before it. ``session`` is the session there, ``cycle`` how often it was compacted
    before; ``messages``, ``bytes`` and ``tokens`` are those since, ``first`` the lines before that, and
    ``flushed`` says whether its facts were saved since. ``until`` is when the last turn was said, ISO 8601,
    or empty. ``memories`` counts what came of the part that ends here.
    """

    kind: Purpose
    source: str
    head: str
    digest: str
    offset: Count
    line: Count
    session: str = ""
    cycle: Count = 0
    messages: Count = 0
    bytes: Count = 0
    tokens: Count = 0
    first: Count = 0
    flushed: bool = False
    until: str = ""
    memories: Count = 0

    def as_record(self) -> dict[str, Any]:
        """As the ledger keeps it."""
        always = ("digest", "memories", "offset", "line")
        return {name: value for name, value in asdict(self).items() if value or name in always}


@frozen
class ResumePoint:
    """Where reading goes on: at a checkpoint, whose ``offset`` and ``line`` are 0 for what was never read.

    ``rewritten`` is the newest checkpoint of a file that was cut or written anew since: what stood before it
    is no longer there, so that turns up to its ``until`` were read already, wherever they stand now.
    """

    at: Checkpoint
    rewritten: Checkpoint | None


class Checkpoints:
    """All checkpoints of one purpose, by the first line of their files, the oldest first.

    They are records of the ledger. A transcript is known by its first line, not by its name: renamed, moved
    or copied it is the same. A checkpoint counts while the bytes before it are still what they were; of a
    file that was cut or written anew an earlier one counts, or none, and then it is read from there. A
    checkpoint is noted after what was read has been written, so a kill between the two costs reading it once
    more, never a gap; what is written then knows what stands there already.
    """

    def __init__(self, purpose: Purpose, found: Iterable[Checkpoint] = ()) -> None:
        self.purpose = purpose
        self._of: dict[str, list[Checkpoint]] = defaultdict(list)
        for one in found:
            self._of[one.head].append(one)

    @classmethod
    def read(cls, workspace: Workspace, purpose: Purpose) -> Checkpoints:
        """Those that the ledger holds; records that are none are passed over."""
        records = (record for record in workspace.ledger.read("ingested") if record.get("kind") == purpose)
        return cls(purpose, filter(None, map(checkpoint, records)))

    def note(self, workspace: Workspace, one: Checkpoint, now: datetime) -> None:
        """Write one into the ledger. Raises as appending to the ledger does."""
        workspace.ledger.append("ingested", [one.as_record()], now)
        self._of[one.head].append(one)

    def resume(self, file: TranscriptFile, descriptor: int) -> ResumePoint | None:
        """Where reading a file goes on, of its ``size`` bytes; None while its first line is being written.

        Several may begin with the same line (a title, a prompt), so only a checkpoint under the file's own
        path says that it was written anew.
        """
        head = head_digest(descriptor, file.size)
        if head is None:
            return None
        known = self._of[head]
        own = [one for one in known if one.source == file.told]
        last = own[-1] if own else None
        for one in sorted(known, key=lambda one: (-one.offset, one.source != file.told)):
            if one.offset <= file.size and tail_at(descriptor, one.offset) == one.digest:
                same = last if last and (last.offset, last.digest) == (one.offset, one.digest) else one
                # A last line that had no end yet goes on, and counts once.
                is_cut = one.offset and one.line and os.pread(descriptor, 1, one.offset - 1) != b"\n"
                at = replace(same, source=file.told, line=one.line - bool(is_cut), memories=0)
                return ResumePoint(at, last if last != same else None)
        anew: dict[str, Any] = {"source": file.told, "digest": "", "offset": 0, "line": 0}
        if last:
            unread = replace(last, messages=0, bytes=0, tokens=0, first=0, memories=0, **anew)
            return ResumePoint(unread, last)
        name = f"{session_name(file.stem)}-{head[:6]}"
        if known:  # another file begins with the same line
            name += "-" + tail_digest(file.told.encode("utf-8", "surrogateescape"))[:6]
        return ResumePoint(Checkpoint(kind=self.purpose, head=head, session=name, **anew), None)


def checkpoint(record: Mapping[str, Any]) -> Checkpoint | None:
    """The checkpoint in a record of the ledger, or None when it is none."""
    try:
        return msgspec.convert(record, Checkpoint)
    except msgspec.ValidationError:
        return None


def head_digest(descriptor: int, size: int) -> str | None:
    """What a file is known by: the digest of its first line, of at most 4,096 bytes of it.

    None while there is less than that of it. A last line may lack its end, so that is no part of it.
    """
    start = os.pread(descriptor, min(TAIL, size), 0)
    line, end, _ = start.lstrip().partition(b"\n")
    whole = bool(end) or len(start) == TAIL or line.rstrip().endswith(b"}")
    return tail_digest(line.rstrip(b"\r")) if line and whole else None


def tail_at(descriptor: int, offset: int) -> str:
    """The digest of the last 4,096 bytes before ``offset``."""
    start = max(0, offset - TAIL)
    return tail_digest(os.pread(descriptor, offset - start, start))


# -- when a session is taken up, and when its facts are saved before it is compacted -----------------

USER_MESSAGES = 15
"""New messages of the person after which a session is taken up."""
INTERVAL_SECONDS = 120.0
"""How long a few new messages wait at most."""
LEAST_MESSAGES = 5
"""New messages that are worth it then."""
BATCH = 50
"""Messages that are taken up at a time."""
QUIET_SECONDS = 300.0
"""After how long without a word a session counts as completed."""
NEARLY_FULL = 0.85
"""Share of the context window from which an agent may compact at any moment."""
RESERVE_TOKENS = 20_000
SOFT_TOKENS = 4_000
"""What OpenClaw keeps free for an answer, and how far before that it flushes."""
BYTES_A_TOKEN = 4


def take_up(
    settings: Settings,
    *,
    user_messages: int = 0,
    messages: int = 0,
    size: int = 0,
    lines: int = 0,
    quiet: float = 0.0,
    waited: float = 0.0,
    compacted: bool = False,
) -> str | None:
    """Why what is new of a session is taken up now; None while it may wait.

    ``size`` (in bytes) and ``lines`` are those of the file. Times are in seconds: ``quiet`` since the last
    word, ``waited`` since the first that is new.
    """
    reasons = (
        ("compacted", compacted),
        ("messages", user_messages >= USER_MESSAGES),
        ("bytes", size >= settings.transcript_bytes),
        ("lines", lines >= settings.transcript_lines),
        ("quiet", size > 0 and quiet >= QUIET_SECONDS),
        ("interval", messages >= LEAST_MESSAGES and waited >= INTERVAL_SECONDS),
    )
    return next((why for why, holds in reasons if holds), None)


def nearly_full(messages: int, tokens: int, settings: Settings) -> str | None:
    """Why a session of so many messages and tokens may be compacted at any moment; None where it may not yet.

    Both count from the last compaction on. A window that is smaller than what is kept free has only the share
    to go by.
    """
    if messages > settings.flush_messages:
        return "messages"
    if tokens >= NEARLY_FULL * settings.context_window:
        return "window"
    soft = settings.context_window - RESERVE_TOKENS - SOFT_TOKENS
    return "reserve" if 0 < soft <= tokens else None


def estimated_tokens(size: int) -> int:
    """What ``size`` bytes of transcript come to where it tells no count: four bytes a token.

    The JSON around the words makes this too many, the prompts that no transcript holds too few; a text in
    a script of several bytes a letter has up to twice as many. It is asked for only where nothing is told.
    """
    return size // BYTES_A_TOKEN


def quiet_seconds(changed: float, now: datetime) -> float:
    """How long nobody wrote a file that changed at ``changed`` (seconds since 1970), by this clock.

    A file from the future is as quiet as one from the past: whoever writes now would leave the time of now.
    """
    return abs(now.astimezone(UTC).timestamp() - changed)


# -- what is new in a transcript ---------------------------------------------------------------------

_ODD = re.compile(r"[^A-Za-z0-9_.:@+]+")
_NAME = 120
_AHEAD_SECONDS = 86_400.0
"""How far a transcript's times may be ahead of the file's, and still be believed."""
_WORDS = re.compile(r"[\w-]+")


@frozen
class SessionPart:
    """A session's part, and the checkpoint at its end.

    A part is what stands between two cuts: a compaction, another session in the same file, or the place up to
    which it was read before. Its cycle is how often the session was compacted before. It holds only what was
    said. ``closed``: the agent compacted after it, or went on with another session.
    """

    session: Session
    closed: bool
    checkpoint: Checkpoint


@frozen_kw_only
class TranscriptReading:
    """What is new in a transcript: its parts in order, and the checkpoint at the end of what was read.

    ``excluded`` says why nothing of it is to be kept, or is empty. ``bad`` are the numbers of lines that
    cannot be read.
    """

    file: TranscriptFile
    transcript: Transcript
    parts: tuple[SessionPart, ...]
    end: Checkpoint
    start: ResumePoint
    excluded: str = ""

    @property
    def bad(self) -> tuple[int, ...]:
        """Lines that no program can read."""
        return self.transcript.bad


def read_new(
    file: TranscriptFile,
    checkpoints: Checkpoints,
    *,
    exclude: Sequence[str] = (),
    user: str = "",
    whole: bool = False,
) -> TranscriptReading | None:
    """What came to a transcript since it was read last; None when nothing did that can be read yet.

    ``whole``: a session that goes on is read from where its agent compacted last, so that its part is all of
    it. At most ``file.size`` bytes are looked at: what is written meanwhile waits. Raises as ``opened``.
    """
    with opened(file.path) as descriptor:
        start = checkpoints.resume(file, descriptor)
        if start is None or start.at.offset == file.size:
            return None
        first = _beginning(start, whole=whole)
        data = blocks(descriptor, file.size, first.offset)
        transcript = read_transcript(first.session, data, start=first.offset, line=first.line)
        if transcript.end <= start.at.offset:
            return None
        if start.rewritten:
            transcript = _without_those_read(transcript, start.rewritten, file)
        route = route_of(file, transcript.session)
        if transcript.about.route and not route.key:
            route = routed(transcript.about.route, transcript.about.origin, agent=route.agent)
        about = Session(
            source=file.name,
            key="",
            turns=(),
            title=transcript.title,
            agent=transcript.about.agent or route.agent,
            user=user or transcript.about.user or route.user,
            trust="external" if route.many or "group" in transcript.about.marks else "agent",
        )
        parts, end = _parted(about, transcript, first, descriptor)
    return TranscriptReading(
        file=file,
        transcript=transcript,
        parts=tuple(parts),
        end=end,
        start=start,
        excluded=why_excluded(transcript.about, route, exclude),
    )


def session_name(key: str) -> str:
    """A session's key as a name that is safe in a heading, a comment and a file's name."""
    return _ODD.sub("-", key)[:_NAME].strip("-") or "session"


def why_excluded(about: About, route: SessionRoute, words: Sequence[str]) -> str:
    """Why a session is not read for memory: which of ``words`` its key, origin or turns bear; else empty."""
    places = (
        ("its key is", (about.route, route.key)),
        ("it comes from", (*about.origin, *route.origin)),
        ("its turns are of", about.marks),
    )
    for word in words:
        for said, values in places:
            for value in values:
                if word.casefold() in map(str.casefold, _WORDS.findall(value)):
                    return f"excluded ({word}): {said} {value}"
    return ""


def _beginning(start: ResumePoint, *, whole: bool) -> Checkpoint:
    """Where reading begins, as a checkpoint.

    Of a file that was written anew, what is left to read is a cycle of its own, as the last one has its
    episode already.
    """
    first, last = start.at, start.rewritten
    if last:
        return replace(first, cycle=last.cycle + bool(last.messages))
    if whole and first.messages:
        since = first.offset - first.bytes
        return replace(first, offset=since, line=first.first, messages=0, bytes=0, tokens=0)
    return first


def _parted(
    about: Session, transcript: Transcript, first: Checkpoint, descriptor: int
) -> tuple[list[SessionPart], Checkpoint]:
    """The parts of what was read that hold turns, and the checkpoint at its end."""
    new = not (first.messages or first.cycle)  # its header may have told a name that no turn repeats
    at = replace(first, session=session_name(transcript.session)) if new else first
    parts = []
    for turns, offset, line, summary, closed in _pieces(transcript):
        session = None
        if turns:
            key = session_name(turns[0].session or transcript.session)
            if key != at.session and (at.messages or at.cycle):
                at = replace(_closed(at), cycle=0, until="")
            session = replace(about, key=key, turns=turns, cycle=at.cycle, summary=summary)
            until = session.ended_at.isoformat() if session.ended_at else at.until
            at = replace(at, session=key, messages=at.messages + len(turns), until=until)
        at = _reached(at, offset, line, transcript, descriptor)
        at = _closed(at) if closed else at
        if session is not None:
            parts.append(SessionPart(session, closed, at))
    return parts, _reached(at, transcript.end, transcript.lines, transcript, descriptor)


def _reached(at: Checkpoint, offset: int, line: int, transcript: Transcript, descriptor: int) -> Checkpoint:
    length = at.bytes + offset - at.offset
    told = transcript.tokens if offset == transcript.end else 0
    tokens = told or max(at.tokens, estimated_tokens(length))
    tail = tail_at(descriptor, offset)
    return replace(at, digest=tail, offset=offset, line=line, bytes=length, tokens=tokens)


def _closed(at: Checkpoint) -> Checkpoint:
    """The agent compacted here, or went on with another session: the next cycle begins."""
    cycle = at.cycle + bool(at.messages)
    return replace(at, cycle=cycle, messages=0, bytes=0, tokens=0, first=at.line, flushed=False)


def _pieces(transcript: Transcript) -> Iterator[tuple[tuple[Turn, ...], int, int, str, bool]]:
    """The turns between two cuts; none where it was compacted again, or of what was read before.

    With them come the byte and the line at which they end, the summary of a compaction, and whether a cut
    follows.
    """
    turns = transcript.turns
    cuts: list[tuple[int, Compaction | None]] = [
        (number, None)
        for number, (turn, after) in enumerate(pairwise(turns), 1)
        if turn.session != after.session
    ]
    lines = [turn.line for turn in turns]
    cuts += ((bisect_left(lines, one.line), one) for one in transcript.compactions)
    first = 0
    for number, cut in sorted(cuts, key=lambda cut: cut[0]):
        if cut is not None:
            yield turns[first:number], cut.end, cut.last, cut.summary, True
        elif first < number:
            yield turns[first:number], turns[number - 1].span.end, turns[number - 1].line, "", True
        first = number
    if first < len(turns):
        yield turns[first:], transcript.end, transcript.lines, "", False


def _without_those_read(transcript: Transcript, last: Checkpoint, file: TranscriptFile) -> Transcript:
    """A file that was written anew: turns from before the last one that was read are not read again.

    Only where they tell when they were said, and no clock was ahead; others are read again, and what writes
    knows them.
    """
    try:
        until = datetime.fromisoformat(last.until)
    except ValueError:
        return transcript
    if until.timestamp() > file.changed + _AHEAD_SECONDS:
        return transcript
    kept = tuple(turn for turn in transcript.turns if turn.when is None or turn.when >= until)
    return replace(transcript, turns=kept)
