"""Candidates: what logs, notes and episodes say, block by block, each with the place where it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import partial

from workbench.dreaming.normalisation import without_frame
from workbench.dreaming.proposals.suspicious import SuspiciousLine
from workbench.dreaming.result import OnProgress, SkippedClaims, unheard
from workbench.errors import WorkbenchError
from workbench.frozen import frozen
from workbench.memory.claims import claim_key
from workbench.memory.entry import Entry, Form, Kind
from workbench.memory.episode import (
    FOLDER,
    SessionBlock,
    read_episode,
    session_blocks,
    session_of,
    split_turns,
)
from workbench.memory.markdown import Document
from workbench.memory.model_window import MOST_PARTS, word_pieces
from workbench.memory.origin import ALLOWED, Origin, OriginReader, names_of, turns_in
from workbench.memory.sentences import sentences
from workbench.memory.transcript_text import clean
from workbench.safety.prompt_injection import suspicion
from workbench.workspace.layout import ARCHIVE, MemoryFile
from workbench.workspace.workspace import Workspace, owner_name_of

# -- blocks that a program wrote and may write again, between marks that begin and end them ----------

_MARK = re.compile(
    rb"<!--[ \t]*(?:(?P<first>begin|start|end|stop)[ \t:_-]+)?(?P<name>[A-Za-z0-9_.:/ -]{2,80}?)"
    rb"(?:[ \t:_-]+(?P<last>begin|start|end|stop))?[ \t]*-->",
    re.IGNORECASE,
)
_BEGINS = (b"begin", b"start")


def generated_lines(data: bytes) -> tuple[tuple[int, int], ...]:
    """The ranges of lines (from 1, both ends included) that generated blocks take in a file.

    They stand between ``<!-- openclaw:dreaming:light:start -->`` … ``<!-- openclaw:dreaming:light:end -->``
    and the like of other tools (`BEGIN`/`END`, `begin`/`end`). They are output, never a source. A block that
    is not closed goes on to the end of the file: what may be output is none of it taken.
    """
    if b"<!--" not in data:
        return ()
    found: list[tuple[int, int]] = []
    open_: dict[bytes, int] = {}
    number, at = 1, 0
    for mark in _MARK.finditer(data):
        number += data.count(b"\n", at, mark.start())
        at = mark.start()
        word = (mark["first"] or mark["last"] or b"").lower()
        name = b" ".join(mark["name"].lower().split())
        if word in _BEGINS:
            open_.setdefault(name, number)
        elif word and name in open_:
            found.append((open_.pop(name), number))
    last = data.count(b"\n") + 1
    found += ((first, last) for first in open_.values())
    return tuple(sorted(found))


def is_generated(ranges: Sequence[tuple[int, int]], line: int) -> bool:
    """Whether ``line`` is in one of the ranges, which may hold one another."""
    return any(first <= line <= last for first, last in ranges)


# -- what may be promoted ----------------------------------------------------------------------------

SOURCES = frozenset({Kind.LOG, Kind.NOTE, Kind.EPISODE})
"""Kinds of files whose entries may be promoted; graph pages are long-term memory already."""
_ASIDE = frozenset({"archive", "archives"})
"""Folders of notes that were laid aside."""
_DREAMERS = frozenset({"dreaming", "dream"})
_FACTUAL = frozenset({"facts", "decisions"})
"""Headings of an episode under which its facts stand."""
_STOPS = (".", "!", "。", "！")
_PROSE = (Form.ITEM, Form.PARAGRAPH)
_EVERY = 500
"""Entries that are read between two words about it."""
MOST_TOKENS = 160
"""Word pieces that a claim may have; of a longer block each sentence is one."""


@frozen
class Mention:
    """One place at which a claim is made. Lines count from 1, both ends included.

    ``entry`` is the address of the entry there, ``context`` its whole text, ``heading`` the last one above
    it. ``day`` is the day it speaks of, or was written. ``session`` is the name its file gives, if any.
    """

    key: str
    text: str
    heading: str
    kind: Kind
    path: str
    first: int
    last: int
    entry: str
    context: str
    day: date
    session: str
    origin: Origin
    whole: bool = False
    """Whether the claim is all that its entry says."""
    item: bool = False
    """Whether it is an item of a list."""
    spoken: bool = False
    """Whether it is a sentence of a conversation, as a flush or an episode of ours quotes it."""

    @property
    def source(self) -> str:
        """``path#L12-L14``, or ``path#L12`` for one line."""
        span = f"L{self.first}" if self.first == self.last else f"L{self.first}-L{self.last}"
        return f"{self.path}#{span}"

    @property
    def trusted(self) -> bool:
        """Whether it is from the owner or their agent."""
        return self.origin in (Origin.OWNER, Origin.AGENT)


@dataclass(slots=True)
class CandidateScan:
    """What was read: the mentions, and what could not be read or is suspicious.

    What a text states is worked out once, however often it is repeated.
    """

    today: date
    skips: SkippedClaims
    owner: frozenset[str]
    mentions: list[Mention] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    suspicious: list[SuspiciousLine] = field(default_factory=list)
    _claims: dict[str, tuple[Origin, tuple[_Claim, ...]]] = field(default_factory=dict)
    """The claims of each text that is not suspicious, and the origin for which that was found."""

    def read(self, document: Document, changed: date, pulse: Callable[[], None]) -> None:
        """Read one document; ``pulse`` is called now and then."""
        blocks, generated = session_blocks(document), generated_lines(document.data)
        origins = OriginReader(document, owner=self.owner)
        is_episode = document.kind is Kind.EPISODE
        left = read_episode(document).days_left(self.today) if is_episode else None
        why = "of an episode that has expired" if left is not None and left < 0 else ""
        if document.header.text("by") in _DREAMERS:
            why = "dream output"
        factual = is_episode and any(map(_is_factual, document.entries))
        for number, entry in enumerate(document.entries, 1):
            if number % _EVERY == 0:
                pulse()
            day = entry.date or changed
            if reason := why or self._why_not(entry, day, generated, factual=factual):
                self.skips.add(reason, entry.text)
            else:
                self.mentions += self._of(document, entry, day, blocks, origins)

    def _why_not(
        self, entry: Entry, day: date, generated: tuple[tuple[int, int], ...], *, factual: bool
    ) -> str:
        """Why an entry is no source; empty where it may be one."""
        ends = filter(None, map(entry.origin.day, ("valid_until", "expires_at")))
        why = ""
        if entry.form not in _PROSE:
            why = f"no prose: {entry.form.value}"
        elif entry.part > MOST_PARTS:
            why = f"beyond the first {MOST_PARTS} parts of a very long line"
        elif is_generated(generated, entry.start_line):
            why = "in a block that a program generates"
        elif day > self.today:
            why = f"dated in the future: {day}"
        elif factual and not _is_factual(entry):
            why = "not among the facts and decisions of its episode"
        elif entry.field("by") in _DREAMERS:
            why = "dream output"
        elif entry.field("superseded_by") or any(end < self.today for end in ends):
            why = "over"
        return why

    def _of(
        self,
        document: Document,
        entry: Entry,
        day: date,
        blocks: tuple[SessionBlock, ...],
        origins: OriginReader,
    ) -> Iterator[Mention]:
        turns = ((0, entry.text),) if entry.kind is Kind.NOTE else tuple(turns_in(entry.text))
        listed = len(self.suspicious)
        for start, text in turns:
            said = origins.said(entry, text)
            origin, known = said.origin, self._claims.get(text)
            if known and known[0] is origin and len(turns) == 1:
                continue
            if why := suspicion(clean(said.words) if len(turns) > 1 else said.words, origin):
                line = min(entry.end_line, entry.start_line + entry.text.count("\n", 0, start))
                place = f"{document.path}#L{line}"
                self.suspicious.append(SuspiciousLine(text, place, entry.address, origin, why))
                self.skips.add(f"suspicious: {why}", entry.text)
        if len(self.suspicious) > listed:
            return
        if len(turns) > 1:  # most of it is talk; what is worth keeping of a session its episode says
            self.skips.add("turns of a conversation: `workbench ingest` makes an episode of them", entry.text)
            return
        if not ALLOWED[origin].proposed:
            self.skips.add("of unknown origin", entry.text)
            return
        if known is None:
            words = split_turns(said.words)[0] if entry.kind is Kind.EPISODE else said.words
            known = self._claims[entry.text] = origin, tuple(_claims(words, whole=entry.parts == 1))
        own = entry.field("session")
        for claim in known[1]:
            if claim.tokens > MOST_TOKENS:
                self.skips.add(f"too long: {claim.tokens} tokens of {MOST_TOKENS}", claim.text)
                continue
            first = entry.start_line if claim.whole else min(entry.end_line, entry.start_line + claim.above)
            lines = entry.end_line - first if claim.whole else claim.text.count("\n")
            last = min(entry.end_line, first + lines) if lines else first
            yield Mention(
                key=claim.key,
                text=claim.text,
                heading=entry.heading[-1] if entry.heading else "",
                kind=document.kind,
                path=document.path,
                first=first,
                last=last,
                entry=entry.address,
                # Of a text that stands in many files one copy is enough.
                context=claim.text if claim.text == entry.text else entry.text,
                day=day,
                session=own or session_of(blocks, entry) or "",
                origin=origin,
                whole=claim.whole,
                item=entry.form is Form.ITEM,
                spoken=own is not None or entry.path.startswith(FOLDER),
            )


def candidates(
    workspace: Workspace, today: date, skips: SkippedClaims, *, tell: OnProgress = unheard
) -> CandidateScan:
    """All mentions, file by file, each read once; what was left out goes to ``skips``.

    That is what is never a source: dream output, generated blocks, the archive, what is over, what is no
    prose, what nobody is known to have said. Whether a block is worth keeping is for the salience model.
    """
    every = workspace.scan()
    why_not = why_no_sources(every)
    files = [file for file in every if file.path not in why_not]
    if not files:
        for note in (file.path for file in every if file.kind is Kind.NOTE):
            skips.add(why_not[note], note)
    found = CandidateScan(today, skips, names_of(owner_name_of(workspace)))
    for number, file in enumerate(files):
        pulse = partial(tell, "reading", number, len(files))
        pulse()
        try:
            document = workspace.document(file.path)
        except (OSError, WorkbenchError):
            found.unread.append(file.path)
            continue
        # What names no day is as old as the last change of its file, by the file system.
        changed = min(today, datetime.fromtimestamp(file.ctime_ns / 1e9, UTC).date())
        found.read(document, changed, pulse)
    return found


def why_no_sources(files: Sequence[MemoryFile]) -> dict[str, str]:
    """Why nothing of a file becomes a claim, by the paths of those of which that is so."""
    # A note stays where it is read and searched; what a day says would be lost below the days after it.
    has_days = any(file.kind in (Kind.LOG, Kind.EPISODE) for file in files)
    found: dict[str, str] = {}
    for file in files:
        if file.kind not in SOURCES:
            found[file.path] = f"a file of the kind {file.kind.value} is no source"
        elif file.kind is Kind.NOTE and _is_aside(file):
            found[file.path] = (
                "a template, or a note outside the memory folders or in an archive, is no source"
            )
        elif file.kind is Kind.NOTE and has_days:
            found[file.path] = "notes are read only where there are no logs and episodes"
    return found


def _is_aside(note: MemoryFile) -> bool:
    """Whether a note is no source for the place where it lies; one beside the memory is code's, mostly."""
    folders = note.path.split("/")[:-1]
    is_archived = note.path.startswith(ARCHIVE) or not _ASIDE.isdisjoint(map(str.casefold, folders))
    return not folders or note.is_template or is_archived


@frozen
class _Claim:
    """A claim in a text: ``above`` lines of the text stand before it."""

    key: str
    text: str
    above: int
    tokens: int
    whole: bool = False


def _claims(text: str, *, whole: bool) -> Iterator[_Claim]:
    """The claims of a ``whole`` block: all of it where it is short enough, else its sentences.

    Of a part of a block only sentences that come to their end are any.
    """
    if whole and _tokens(text) <= MOST_TOKENS:
        if words := without_frame(text):
            yield _Claim(claim_key(words), words, 0, _tokens(words), whole=True)
        return
    for sentence in sentences(text):
        words = without_frame(sentence.text)
        tokens = _tokens(words)
        if words and (whole or words.endswith(_STOPS) or tokens > MOST_TOKENS):
            yield _Claim(claim_key(words), words, text.count("\n", 0, sentence.start), tokens)


def _tokens(text: str) -> int:
    return len(text) if len(text) <= MOST_TOKENS else word_pieces(text)  # a piece has a character at least


def _is_factual(entry: Entry) -> bool:
    return bool(entry.heading) and entry.heading[-1].casefold() in _FACTUAL
