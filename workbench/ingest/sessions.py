"""Transcripts as sessions: what is new in a file, cut where the agent compacted, without what nobody said.

A part is what stands between two cuts: a compaction, another session in the same file, or the place up to
which it was read before. Its cycle is how often the session was compacted before.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from indexing.sync.sources import tail_digest
from workbench.ingest.checkpoints import Checkpoint, Checkpoints, Resumed, tail_at
from workbench.ingest.session_index import Route, route_of, routed
from workbench.ingest.transcript_files import TranscriptFile, blocks, opened
from workbench.ingest.triggers import estimated_tokens
from workbench.memory.transcript import About, Compaction, Session, Transcript, Turn, read_transcript

_ODD = re.compile(r"[^A-Za-z0-9_.:@+]+")
_NAME = 120
_AHEAD_SECONDS = 86_400.0
"""How far a transcript's times may be ahead of the file's, and still be believed."""
_WORDS = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPart:
    """A session's part, and the checkpoint at its end.

    ``closed``: the agent compacted after it, or went on with another session.
    """

    session: Session
    closed: bool
    checkpoint: Checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is new in a transcript: its parts in order, and the checkpoint at the end of what was read.

    ``excluded`` says why nothing of it is to be kept, or is empty. ``bad`` are the numbers of lines that
    cannot be read.
    """

    file: TranscriptFile
    transcript: Transcript
    parts: tuple[SessionPart, ...]
    end: Checkpoint
    start: Resumed
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
) -> Reading | None:
    """What came to a transcript since it was read last; None when nothing did that can be read yet.

    ``whole``: a session that goes on is read from where its agent compacted last, so that its part is all of
    it. At most ``file.size`` bytes are looked at: what is written meanwhile waits. Raises as ``opened``.
    """
    with opened(file.path) as descriptor:
        start = checkpoints.resume(file, descriptor)
        if start is None or start.offset == file.size:
            return None
        first = _beginning(start, file, whole=whole)
        data = blocks(descriptor, first.offset, file.size)
        transcript = read_transcript(first.session, data, start=first.offset, line=first.line)
        if transcript.end <= start.offset:
            return None
        tails = {offset: tail_at(descriptor, offset) for offset in _ends(transcript)}
    if start.rewritten and start.last:
        transcript = _without_those_read(transcript, start.last, file)
    route = _route(file, transcript)
    about = Session(
        source=file.name,
        key="",
        turns=(),
        title=transcript.title,
        agent=transcript.about.agent or route.agent,
        user=user or transcript.about.user or route.user,
        trust="external" if route.many or "group" in transcript.about.marks else "agent",
    )
    parts, end = _parted(about, transcript, first, tails)
    return Reading(
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


def why_excluded(about: About, route: Route, words: Sequence[str]) -> str:
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


def _beginning(start: Resumed, file: TranscriptFile, *, whole: bool) -> Checkpoint:
    """Where reading begins, as a checkpoint.

    Of a file that was written anew, what is left to read is a cycle of its own, as the last one has its
    episode already.
    """
    known = start.at or start.last
    if known is None:
        name = f"{session_name(file.stem)}-{start.head[:6]}"
        if start.others:
            name += "-" + tail_digest(file.told.encode("utf-8", "surrogateescape"))[:6]
        return Checkpoint(
            purpose=start.purpose, source=file.told, head=start.head, tail="", offset=0, line=0, session=name
        )
    first = replace(known, source=file.told, line=start.line, memories=0)
    if start.at is None:
        first = replace(first, tail="", offset=0, line=0, messages=0, bytes=0, tokens=0, first=0)
    if start.rewritten and start.last:
        return replace(first, cycle=start.last.cycle + bool(start.last.messages))
    if whole and first.messages:
        since = first.offset - first.bytes
        return replace(first, offset=since, line=first.first, messages=0, bytes=0, tokens=0)
    return first


def _parted(
    about: Session, transcript: Transcript, first: Checkpoint, tails: Mapping[int, str]
) -> tuple[list[SessionPart], Checkpoint]:
    """The parts of what was read that hold turns, and the checkpoint at its end."""
    new = not (first.messages or first.cycle)  # its header may have told a name that no turn repeats
    at = replace(first, session=session_name(transcript.session)) if new else first
    parts = []
    for piece in _pieces(transcript):
        session = None
        if piece.turns:
            key = session_name(piece.turns[0].session or transcript.session)
            if key != at.session and (at.messages or at.cycle):
                at = replace(_closed(at), cycle=0, until="")
            session = replace(about, key=key, turns=piece.turns, cycle=at.cycle, summary=piece.summary)
            until = session.ended_at.isoformat() if session.ended_at else at.until
            at = replace(at, session=key, messages=at.messages + len(piece.turns), until=until)
        at = _reached(at, piece.offset, piece.line, transcript, tails)
        at = _closed(at) if piece.closed else at
        if session is not None:
            parts.append(SessionPart(session=session, closed=piece.closed, checkpoint=at))
    return parts, _reached(at, transcript.end, transcript.lines, transcript, tails)


def _reached(
    at: Checkpoint, offset: int, line: int, transcript: Transcript, tails: Mapping[int, str]
) -> Checkpoint:
    length = at.bytes + offset - at.offset
    told = transcript.tokens if offset == transcript.end else 0
    tokens = told or max(at.tokens, estimated_tokens(length))
    return replace(at, tail=tails[offset], offset=offset, line=line, bytes=length, tokens=tokens)


def _closed(at: Checkpoint) -> Checkpoint:
    """The agent compacted here, or went on with another session: the next cycle begins."""
    cycle = at.cycle + bool(at.messages)
    return replace(at, cycle=cycle, messages=0, bytes=0, tokens=0, first=at.line, flushed=False)


@dataclass(frozen=True, slots=True)
class _Piece:
    turns: tuple[Turn, ...]
    offset: int
    line: int
    summary: str = ""
    closed: bool = False


def _pieces(transcript: Transcript) -> Iterator[_Piece]:
    """The turns between two cuts; none where it was compacted again, or of what was read before."""
    cuts: list[tuple[int, str, Compaction | None]] = []
    own = None
    for number, turn in enumerate(transcript.turns):
        if own is not None and turn.session != own:
            cuts.append((number, "", None))
        own = turn.session
    lines = [turn.line for turn in transcript.turns]
    for compaction in transcript.compactions:
        cuts.append((bisect_left(lines, compaction.line), compaction.summary, compaction))
    first = 0
    for number, summary, cut in sorted(cuts, key=lambda cut: cut[0]):
        turns = transcript.turns[first:number]
        if cut is not None:
            yield _Piece(turns, cut.end, cut.last, summary, closed=True)
        elif turns:
            yield _Piece(turns, turns[-1].span.end, turns[-1].line, closed=True)
        first = number
    if first < len(transcript.turns):
        yield _Piece(transcript.turns[first:], transcript.end, transcript.lines)


def _ends(transcript: Transcript) -> set[int]:
    ends = {transcript.end, *(compaction.end for compaction in transcript.compactions)}
    turns = transcript.turns
    ends.update(one.span.end for one, after in pairwise(turns) if one.session != after.session)
    return ends


def _route(file: TranscriptFile, transcript: Transcript) -> Route:
    found = route_of(file, transcript.session)
    if transcript.about.route and not found.key:
        return routed(transcript.about.route, transcript.about.origin, agent=found.agent)
    return found


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
