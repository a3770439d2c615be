"""Saving the facts of a session before its agent forgets them: into the daily log, as what was said.

The lines are added at the end of ``memory/DATE.md`` in one write, as the agent's own words are; so no other
writer's line is ever in the way. DATE is the day on which it was said, so a session that passes midnight
goes into two logs. Then the file is committed, as an operation that can be undone; where git cannot take it
at present it stays on disk and is recorded with the next action.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from workbench.errors import ReadOnlyError, WorkbenchError, disk_error
from workbench.ingest.checkpoints import Checkpoints
from workbench.ingest.llm_quotes import Quoted, choose
from workbench.ingest.session_log import (
    POSING,
    Quotation,
    block,
    claims_of,
    distinct,
    opening,
    quotation,
    why_withheld,
)
from workbench.ingest.sessions import Reading
from workbench.llm.port import LanguageModel
from workbench.memory.claims import claim_key
from workbench.memory.entry import Kind
from workbench.memory.markdown import parse_document
from workbench.memory.names import CommitId, RelPath
from workbench.memory.provenance import COMMENT
from workbench.memory.sentences import sentences
from workbench.memory.session import Session
from workbench.memory.transcript import Turn
from workbench.safety.hidden_text import hidden_in
from workbench.safety.secrets import secrets_in
from workbench.workspace import ledger
from workbench.workspace.locks import hold
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.workspace import Workspace

_LOCK = "flush.lock"
_LOCK_SECONDS = 30.0
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
_AHEAD = timedelta(days=1)
"""How far the clock of a transcript may be ahead of ours; beyond, and before 2000, it is not believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flushed:
    """What was saved of a session. ``skipped`` says why nothing could be; ``known`` counts facts that were
    there already, ``withheld`` sentences that may not be written, by the reason."""

    session: str
    source: str
    lines: tuple[Quotation, ...] = ()
    known: int = 0
    withheld: tuple[tuple[str, int], ...] = ()
    operations: tuple[Operation, ...] = ()
    notes: tuple[str, ...] = ()
    skipped: str = ""

    @property
    def paths(self) -> tuple[RelPath, ...]:
        """The logs that the lines went into."""
        return tuple(dict.fromkeys(log_path(line.day) for line in self.lines))

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {
            "session": self.session,
            "source": self.source,
            "lines": [
                {"text": line.text, "path": log_path(line.day), "source": f"{self.source}#L{line.line}"}
                for line in self.lines
            ],
            "known": self.known,
            "withheld": dict(self.withheld),
            "operations": [operation.id for operation in self.operations],
            "notes": list(self.notes),
            "skipped": self.skipped or None,
        }


@dataclass(frozen=True, slots=True)
class _Withheld:
    """A sentence that is not written: the name of its claim, its line in the transcript, and why."""

    key: str
    line: int
    why: str


def log_path(day: date) -> RelPath:
    """The daily log of ``day``."""
    return RelPath(f"memory/{day.isoformat()}.md")


def flush_reading(
    workspace: Workspace,
    reading: Reading,
    checkpoints: Checkpoints,
    *,
    now: datetime,
    model: LanguageModel | None = None,
    full: bool = False,
) -> tuple[Flushed, ...]:
    """Save what is new in a transcript, part by part, and note after each how far it was read.

    ``full``: it is the flush before a compaction, and not asked for again in this cycle. Of an excluded
    session nothing is written or noted, as settings may change. A workspace that cannot be written is left
    with the reason in ``skipped``, and nothing is noted, so that it is all saved later. Raises
    WriteFailedError.
    """
    if reading.excluded:
        return ()
    done: list[Flushed] = []
    for part in reading.parts:
        flushed = flush_session(workspace, part.session, now=now, model=model)
        done.append(flushed)
        if flushed.skipped:
            return tuple(done)
        memories = len(flushed.lines)
        noted = replace(part.checkpoint, memories=memories, flushed=full and not part.closed)
        checkpoints.note(workspace, noted, now)
    last = reading.parts[-1].checkpoint if reading.parts else None
    if last is None or last.offset != reading.end.offset:
        end = replace(reading.end, flushed=reading.end.flushed or full, memories=0)
        try:
            checkpoints.note(workspace, end, now)
        except ReadOnlyError as error:
            session = reading.end.session
            done.append(Flushed(session=session, source=reading.file.name, skipped=error.message))
    return tuple(done)


def flush_session(
    workspace: Workspace,
    session: Session,
    *,
    now: datetime,
    model: LanguageModel | None = None,
    dry_run: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> Flushed:
    """Add a session's facts to the logs of their days; those that stand there already are left out.

    Without ``model``, or where it fails, facts are found by rules. Raises WriteFailedError, and BusyError
    where somebody else flushes for long.
    """
    found = choose(session.turns, model, clock=clock)
    lines, withheld = _lines(session, found.facts, now)
    told = Flushed(
        session=session.key,
        source=session.source,
        withheld=tuple(Counter(one.why for one in withheld).items()),
        notes=found.notes,
    )
    if dry_run:
        return _with_news(workspace, session, told, lines, now)
    try:
        with _alone(workspace) if lines or withheld else contextlib.nullcontext():
            flushed = _with_news(workspace, session, told, lines, now)
            _note_skips(workspace, session, withheld, now)
            return _write(workspace, session, flushed)
    except ReadOnlyError as error:
        return replace(told, skipped=error.message)
    except OSError as error:
        raise disk_error(error) from error


def day_of(turn: Turn, now: datetime) -> date:
    """The day on which something was said, where the person is; today where nobody can tell."""
    when = turn.when
    if when is None or not _EARLIEST <= when <= now + _AHEAD:
        return now.date()
    return when.astimezone(now.tzinfo).date()


def _lines(
    session: Session, facts: Iterable[Quoted], now: datetime
) -> tuple[list[Quotation], list[_Withheld]]:
    """The facts as lines for the log, and every sentence that may not be one, whether it is a fact or not."""
    guarded = {turn.line: places for turn in session.turns if (places := _guarded(turn.text))}
    withheld = [
        _Withheld(claim_key(one.text), turn.line, why)
        for turn in session.turns
        if turn.line in guarded
        for one in sentences(turn.text)
        if (why := _across(guarded[turn.line], one.start, one.end))
    ]
    lines = []
    for fact in facts:
        turn = fact.turn
        if _across(guarded.get(turn.line, []), fact.start, fact.end):
            continue
        line = quotation(fact.text, session, turn, day_of(turn, now))
        if why := why_withheld(fact.text, line):
            withheld.append(_Withheld(line.key, turn.line, why))
        else:
            lines.append(line)
    return lines, withheld


def _guarded(text: str) -> list[tuple[int, int, str]]:
    """The places of a turn that hold secrets or hidden text, also across several sentences."""
    secrets = [(found.start, found.end, f"secret: {found.rule}") for found in secrets_in(text)]
    hidden = [(found.start, found.end, f"hidden: {found.rule}") for found in hidden_in(text)]
    posing = [(*found.span(), f"hidden: {POSING}") for found in COMMENT.finditer(text)]
    return secrets + hidden + posing


def _across(places: Iterable[tuple[int, int, str]], start: int, end: int) -> str:
    """What stands between ``start`` and ``end`` that may not be written, or nothing."""
    return next((why for first, last, why in places if first < end and start < last), "")


def _alone(workspace: Workspace) -> AbstractContextManager[object]:
    """Between a look at what is known and the writing of what is not, nobody else flushes."""
    return hold(workspace.state_dir() / _LOCK, "flush", wait=_LOCK_SECONDS)


def _with_news(
    workspace: Workspace, session: Session, told: Flushed, lines: Sequence[Quotation], now: datetime
) -> Flushed:
    fresh = distinct(lines, _known(workspace, session, lines, now))
    return replace(told, lines=fresh, known=len(lines) - len(fresh))


def _known(
    workspace: Workspace, session: Session, lines: Sequence[Quotation], now: datetime
) -> frozenset[str]:
    """Claims that are there already, or that a person rejected.

    What tells no day is looked for in yesterday's log too: it was written before midnight, perhaps.
    """
    days = {line.day for line in lines}
    if any(turn.when is None for turn in session.turns):
        days |= {now.date(), now.date() - timedelta(days=1)}
    known: set[str] = set()
    for path in map(log_path, days):
        data = workspace.files.read_or_none(path)
        if data is not None and session.key.encode() in data:
            known |= claims_of(parse_document(path, data, Kind.LOG), session.key)
    if lines:
        known |= {
            claim
            for record in ledger.read(workspace, "decisions")
            if record.get("decision") == "rejected" and isinstance(claim := record.get("claim"), str)
        }
    return frozenset(known)


def _note_skips(workspace: Workspace, session: Session, withheld: Sequence[_Withheld], now: datetime) -> None:
    """What was not written, in the ledger: by the name of its claim, never by its words."""
    if not withheld:
        return
    told = {(record.get("key"), record.get("source")) for record in ledger.read(workspace, "skips")}
    records = [
        {"key": one.key, "why": one.why, "source": f"{session.source}#L{one.line}", "by": "flush"}
        for one in withheld
    ]
    fresh = [record for record in records if (record["key"], record["source"]) not in told]
    ledger.append(workspace, "skips", fresh, now)


def _write(workspace: Workspace, session: Session, flushed: Flushed) -> Flushed:
    """Append to each day's log, and commit each."""
    operations: list[Operation] = []
    notes: dict[str, None] = dict.fromkeys(flushed.notes)
    for path in flushed.paths:
        workspace.files.require_writable(path)
    for day in dict.fromkeys(line.day for line in flushed.lines):
        path = log_path(day)
        lines = [line for line in flushed.lines if line.day == day]
        unrecorded = _record(workspace, path, None)  # so that the operation holds these lines alone
        before = workspace.files.read_or_none(path)
        workspace.files.append(path, (opening(before, day.isoformat()) + block(session, lines)).encode())
        done = (
            unrecorded
            if isinstance(unrecorded, str)
            else _record(workspace, path, _told(session, path, lines))
        )
        if isinstance(done, str):
            notes[f"{path} is on disk and not recorded yet: {done}"] = None
        elif done is not None:
            operations.append(done)
    return replace(flushed, operations=tuple(operations), notes=tuple(notes))


def _told(session: Session, path: RelPath, lines: Sequence[Quotation]) -> Plan:
    many = f"{len(lines)} fact{'' if len(lines) == 1 else 's'}"
    return Plan(
        action="flush",
        summary=f"{many} of session {session.key} into {path}",
        edits=(),
        actor="dreaming",
        trailers=(("Source", session.source),),
    )


def _record(workspace: Workspace, path: RelPath, told: Plan | None) -> Operation | str | None:
    """Commit a log as it is on disk; why it could not be, None where there was nothing to commit."""

    def find(head: CommitId | None) -> dict[RelPath, bytes | None]:
        data = workspace.files.read_or_none(path)
        return {} if data is None or data == workspace.history.blob(head, path) else {path: data}

    try:
        return workspace.operations.record(find, told=told)
    except WorkbenchError as error:
        return error.message
