"""Saving the facts of a session before its agent forgets them: into the daily log, as what was said.

The lines are added at the end of the day's log (``Layout.log_path``) in one write, as the agent's own words
are; so no other writer's line is ever in the way. The day is that on which it was said, so a session that
passes midnight goes into two logs. Then the file is committed, as an operation that can be undone; where git
cannot take it at present it stays on disk and is recorded with the next action. Each line says
where it was said, under the session's name::

    ## Session: s91

    - I prefer async reviews. <!-- wb: src=s91.jsonl#L12 session=s91 trust=owner at=2026-03-14 -->
"""

from __future__ import annotations

import contextlib
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from workbench.dreaming.novelty import contradicts
from workbench.errors import ReadOnlyError, WorkbenchError, disk_error
from workbench.frozen import frozen_kw_only
from workbench.ingest.llm_session import choose
from workbench.ingest.sessions import Checkpoints, TranscriptReading
from workbench.ingest.statements import Utterance, WithheldSentence, hear
from workbench.llm.language_model import LanguageModel
from workbench.memory.claims import claim_key
from workbench.memory.edit import as_item
from workbench.memory.entry import Entry, Form, Kind, RelPath
from workbench.memory.escape import plain_line
from workbench.memory.markdown import Document, parse_document
from workbench.memory.provenance import provenance
from workbench.memory.transcript import Session, Turn
from workbench.plural import plural
from workbench.repository.objects import CommitId
from workbench.workspace.decisions import rejected_keys
from workbench.workspace.layout import daily_logs
from workbench.workspace.locks import hold
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.workspace import Workspace

MOST_LINES = 10
"""Lines that one session leaves in the logs of a day, beside what the person asked to be remembered."""
_LOCK = "flush.lock"
_LOCK_SECONDS = 30.0
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
_AHEAD = timedelta(days=1)
"""How far the clock of a transcript may be ahead of ours; beyond, and before 2000, it is not believed."""
LONGEST = 1_000
"""Characters of one line; what is longer is no fact but a text."""
_LOG = RelPath("memory/log.md")
_OPEN = (
    (re.compile(r"(`{3,}|~{3,})"), r"\1"),
    (re.compile(r"<!--"), r"-->"),
    (re.compile(r"<(script|pre|style|textarea)\b", re.IGNORECASE), r"</\1>"),
)
"""What swallows all that follows, and what ends it."""


@frozen_kw_only
class Quotation:
    """A line for the log of ``day``. ``key`` names its claim, ``line`` is where it was said.

    ``requested`` and ``worth`` are those of the utterance.
    """

    text: str
    key: str
    day: date
    comment: str
    line: int
    requested: bool
    worth: float

    @property
    def markdown(self) -> str:
        """As it stands in the log."""
        return as_item(self.text, self.comment)


def quotation(fact: Utterance, session: Session, day: date) -> Quotation | WithheldSentence:
    """What was said as a line of the log.

    It cannot be written where it is longer than a line may be, or is not one entry of Markdown with our
    comment and no other.
    """
    turn = fact.turn
    fields = {
        "src": f"{session.source}#L{turn.line}",
        "session": session.key,
        "trust": trust_of(session, turn),
        "at": day.isoformat(),
    }
    words = plain_line(fact.text, LONGEST)
    comment = provenance(fields).render()
    entry = _entry_of(as_item(words, comment), comment)
    key = claim_key(entry.text if entry else words)  # by what is read of the log later
    if words.endswith("…") and not fact.text.rstrip().endswith("…"):
        return WithheldSentence(key, turn.line, f"longer than {LONGEST:,} characters")
    if not entry:
        return WithheldSentence(key, turn.line, "it is not one line of Markdown")
    return Quotation(
        text=words,
        key=key,
        day=day,
        comment=comment,
        line=turn.line,
        requested=fact.is_wanted,
        worth=fact.worth,
    )


def trust_of(session: Session, turn: Turn) -> str:
    """The owner's own words, an agent's, or those of somebody where several people speak."""
    if turn.role != "user":
        return "agent"
    return "external" if session.trust == "external" else "owner"


@frozen_kw_only
class FlushResult:
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
    logs: Mapping[date, RelPath] = field(default_factory=dict)
    """The log of each day of which there are lines."""

    @property
    def paths(self) -> tuple[RelPath, ...]:
        """The logs that the lines went into."""
        return tuple(dict.fromkeys(self.logs[line.day] for line in self.lines))

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {
            "session": self.session,
            "source": self.source,
            "lines": [
                {"text": line.text, "path": self.logs[line.day], "source": f"{self.source}#L{line.line}"}
                for line in self.lines
            ],
            "known": self.known,
            "withheld": dict(self.withheld),
            "operations": [operation.id for operation in self.operations],
            "notes": list(self.notes),
            "skipped": self.skipped or None,
        }


def flush_reading(
    workspace: Workspace,
    reading: TranscriptReading,
    checkpoints: Checkpoints,
    *,
    now: datetime,
    model: LanguageModel | None = None,
    full: bool = False,
) -> tuple[FlushResult, ...]:
    """Save what is new in a transcript, part by part, and note after each how far it was read.

    ``full``: it is the flush before a compaction, and not asked for again in this cycle. Of an excluded
    session nothing is written or noted, as settings may change. A workspace that cannot be written is left
    with the reason in ``skipped``, and nothing is noted, so that it is all saved later. Raises
    WriteFailedError.
    """
    if reading.excluded:
        return ()
    done: list[FlushResult] = []
    for part in reading.parts:
        flushed = flush_session(workspace, part.session, now=now, model=model)
        done.append(flushed)
        if flushed.skipped:
            return tuple(done)
        noted = replace(part.checkpoint, memories=len(flushed.lines), flushed=full and not part.closed)
        checkpoints.note(workspace, noted, now)
    last = reading.parts[-1].checkpoint if reading.parts else None
    if last is None or last.offset != reading.end.offset:
        end = replace(reading.end, flushed=reading.end.flushed or full, memories=0)
        try:
            checkpoints.note(workspace, end, now)
        except ReadOnlyError as error:
            session = reading.end.session
            done.append(FlushResult(session=session, source=reading.file.name, skipped=error.message))
    return tuple(done)


def flush_session(
    workspace: Workspace,
    session: Session,
    *,
    now: datetime,
    model: LanguageModel | None = None,
    dry_run: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> FlushResult:
    """Add a session's facts to the logs of their days; those that stand there already are left out.

    Without ``model``, or where it fails, facts are found by rules. Raises WriteFailedError, and BusyError
    where somebody else flushes for long.
    """
    heard = hear(session)
    facts, notes = choose(heard, model, clock=clock)
    made = [quotation(fact, session, day_of(fact.turn, now)) for fact in facts]
    lines = [one for one in made if isinstance(one, Quotation)]
    withheld = (*heard.withheld, *(one for one in made if isinstance(one, WithheldSentence)))
    files = workspace.scan()
    told = FlushResult(
        session=session.key,
        source=session.source,
        withheld=tuple(Counter(one.why for one in withheld).items()),
        notes=notes,
        logs={day: workspace.layout.log_path(day, files) for day in {line.day for line in lines}},
    )
    if dry_run:
        return _with_news(workspace, session, told, lines, now)
    try:
        # Between a look at what is known and the writing of what is not, nobody else flushes.
        lock = hold(workspace.state_dir() / _LOCK, "flush", wait=_LOCK_SECONDS)
        with lock if lines or withheld else contextlib.nullcontext():
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


def _with_news(
    workspace: Workspace, session: Session, told: FlushResult, lines: Sequence[Quotation], now: datetime
) -> FlushResult:
    """``told`` with those of ``lines`` that are new, each claim once, in their order.

    These are what the person asked to be remembered, and the best of the others. What a later line corrects
    (`the port is 9000`, after `the port is 8443`) is left out.
    """
    there = _claims_there(workspace, session, told.logs, now)
    known = there | rejected_keys(workspace) if lines else there
    first = {line.key: line for line in reversed(lines) if line.key not in known}
    fresh = [line for line in lines if first.get(line.key) is line]
    standing = [
        one
        for at, one in enumerate(fresh)
        if one.requested or not any(contradicts(later.text, one.text) for later in fresh[at + 1 :])
    ]
    others = sorted((one for one in standing if not one.requested), key=lambda one: -one.worth)
    best = others[: max(0, MOST_LINES - len(there) - len(standing) + len(others))]
    kept = [one for one in standing if one.requested or one in best]
    return replace(told, lines=tuple(kept), known=len(lines) - len(fresh))


def _claims_there(
    workspace: Workspace, session: Session, logs: Mapping[date, RelPath], now: datetime
) -> frozenset[str]:
    """Claims of the session that the logs of these days hold already, also where those are no memory.

    What tells no day is looked for in yesterday's log too: it was written before midnight, perhaps.
    """
    days = {*logs}
    if any(turn.when is None for turn in session.turns):
        days |= {now.date(), now.date() - timedelta(days=1)}
    files = workspace.scan()
    # Any log of the day may hold them: a folder becomes a vault, or its daily notes get other names.
    paths = {path for day, path in daily_logs(files) if day in days}
    paths |= {logs.get(day) or workspace.layout.log_path(day, files) for day in days}
    known: set[str] = set()
    for path in paths:
        data = workspace.files.read_or_none(path)
        if data is not None and session.key.encode() in data:
            known |= claims_of(parse_document(path, data, Kind.LOG), session.key)
    return frozenset(known)


def _note_skips(
    workspace: Workspace, session: Session, withheld: Sequence[WithheldSentence], now: datetime
) -> None:
    """What was not written, in the ledger: by the name of its claim, never by its words."""
    if not withheld:
        return
    told = {(record.get("key"), record.get("source")) for record in workspace.ledger.read("skips")}
    records = [
        {"key": one.key, "why": one.why, "source": f"{session.source}#L{one.line}", "by": "flush"}
        for one in withheld
    ]
    fresh = [record for record in records if (record["key"], record["source"]) not in told]
    workspace.ledger.append("skips", fresh, now)


def _write(workspace: Workspace, session: Session, flushed: FlushResult) -> FlushResult:
    """Append to each day's log, and commit each."""
    operations: list[Operation] = []
    notes: dict[str, None] = dict.fromkeys(flushed.notes)
    for path in flushed.paths:
        workspace.files.require_writable(path)
    for day in dict.fromkeys(line.day for line in flushed.lines):
        path = flushed.logs[day]
        lines = [line for line in flushed.lines if line.day == day]
        told = Plan(
            action="flush",
            summary=f"{plural(len(lines), 'fact')} of session {session.key} into {path}",
            edits=(),
            actor="ingest",
            trailers=(("Source", session.source),),
        )
        unrecorded = _record(workspace, path, None)  # so that the operation holds these lines alone
        before = workspace.files.read_or_none(path)
        added = f"{opening(before, day.isoformat())}## Session: {session.key}\n\n"
        added += "".join(line.markdown for line in lines)
        workspace.files.append(path, added.encode())
        done = unrecorded if isinstance(unrecorded, str) else _record(workspace, path, told)
        if isinstance(done, str):
            notes[f"{path} is on disk and not recorded yet: {done}"] = None
        elif done is not None:
            operations.append(done)
    return replace(flushed, operations=tuple(operations), notes=tuple(notes))


def _record(workspace: Workspace, path: RelPath, told: Plan | None) -> Operation | str | None:
    """Commit a log as it is on disk; why it could not be, None where there was nothing to commit."""

    def find(head: CommitId | None) -> dict[RelPath, bytes | None]:
        data = workspace.files.read_or_none(path)
        return {} if data is None or data == workspace.history.blob(head, path) else {path: data}

    try:
        return workspace.operations.record(find, told=told)
    except WorkbenchError as error:
        return error.message


def claims_of(document: Document, session: str) -> frozenset[str]:
    """The claims that a log holds of a session already."""
    return frozenset(claim_key(entry.text) for entry in document.entries if entry.field("session") == session)


def opening(before: bytes | None, title: str) -> str:
    """What goes between the text that is there and what is added; ``title`` heads a new log.

    It ends a fence or a comment that nobody closed, as what is added would be a part of it.
    """
    if not before:
        return f"# {title}\n\n"
    end = "" if before.endswith(b"\n") else "\n"
    last = parse_document(_LOG, before + b"\n\n- probe\n", Kind.LOG).entries[-1].text
    for opened, closed in _OPEN if last != "probe" else ():
        if found := opened.match(last):
            return f"{end}{found.expand(closed)}\n\n"
    return f"{end}\n"


def _entry_of(markdown: str, comment: str) -> Entry | None:
    """The entry that a line is, where it is one with this comment, whatever its words are."""
    data = markdown.encode("utf-8", "replace")
    entries = parse_document(_LOG, data, Kind.LOG).entries
    if len(entries) != 1 or entries[0].form is not Form.ITEM or entries[0].provenance is None:
        return None
    return entries[0] if entries[0].provenance.render() == comment else None
