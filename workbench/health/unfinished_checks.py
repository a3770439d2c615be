"""What was left unfinished in `.workbench`: locks, interrupted actions, conflicts, leftovers, the ledger."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from workbench import processes
from workbench.errors import (
    BusyError,
    ConflictError,
    RepositoryStateError,
    UsageError,
    WorkbenchError,
)
from workbench.health.finding import Finding, Fix, Look, SkippedError
from workbench.health.subject import ACTION, ASIDE, SYNC, CheckSubject, few
from workbench.history.orphans import check_strays
from workbench.memory.names import RelPath
from workbench.operations.migrate import plan_move_ledger
from workbench.plural import plural
from workbench.special_files import read_regular
from workbench.temporary import scratch
from workbench.workspace.files import TEMPORARY_PREFIX
from workbench.workspace.journal import Intent, Journal
from workbench.workspace.late_lines import late_sentences
from workbench.workspace.ledger import BOOKS
from workbench.workspace.locks import Held, held, hold
from workbench.workspace.plan import Plan
from workbench.workspace.seal import Seal

_HOUR = 3_600.0
"""Seconds after which even a large reindex deserves a look."""
_STOPS = {SYNC: "no reindex can run", ACTION: "no action can be carried out"}
_RUNNING = "an action is running"
_JOURNAL = "journal.json"


def locks(subject: CheckSubject) -> Look:
    """Who holds the lock of actions and that of reindexing."""
    for name in (ACTION, SYNC):
        found = held(subject.state / name)
        if found is None:
            yield f"{name} is free"
            continue
        who = f"{found.purpose or 'somebody'} (process {found.pid})" if found.pid else "an unnamed process"
        yield f"{name} is held by {who}" if found.held else f"{name} is free"
        if found.held:
            yield from _holder(subject, name, found, who)
        elif found.pid:
            yield Finding(
                f"{name} still names {who}, which is gone",
                "it was killed; its lock died with it and is in nobody's way",
                "nothing: the next one finishes what it began",
                "info",
                repair=partial(_wipe, subject.state / name),
            )


def _wipe(lock: Path) -> str:
    with hold(lock, "doctor"):  # the note goes when the lock is let go
        return "the note is wiped"


def _holder(subject: CheckSubject, name: str, found: Held, who: str) -> Iterator[Finding]:
    """What is wrong with a holder, if anything: it lives, or it could hold nothing."""
    if found.pid and not processes.alive(found.pid):
        yield Finding(
            f"{name} is held, and {who} is not to be seen from here",
            f"{_STOPS[name]}; it runs in another container, or a child of it lives on",
            f"find who holds it: `fuser -v {subject.state / name}`; the lock goes when its holder ends",
        )
    elif found.pid and processes.stopped(found.pid):
        yield Finding(
            f"{name} is held by {who}, which is stopped",
            f"{_STOPS[name]} until it goes on",
            f"let it go on (`kill -CONT {found.pid}`) or end it (`kill {found.pid}`)",
        )
    elif subject.now - found.since > _HOUR:
        yield Finding(
            f"{name} is held by {who} for more than an hour",
            _STOPS[name],
            f"if it hangs, end it (`kill {found.pid}`): whatever it did is finished by the next one",
        )


def interrupted_action(subject: CheckSubject) -> Look:
    """The journal of an action that was interrupted, and notes of actions that nobody believed."""
    subject.require_rest(ACTION, _RUNNING)
    notes = {
        "journal.refused": "a note of an interrupted action that no commit confirms was not believed",
        "journal.new": "a note of an action was begun and not finished, so nothing was done",
    }
    if not (subject.state / _JOURNAL).exists():
        yield "no action was interrupted"
    else:
        yield _JOURNAL
        if intent := _intent(subject):
            yield _interrupted(subject, intent)
        else:
            notes[_JOURNAL] = "it is no note of an action, and nothing can be finished by it"
    for name, what in notes.items():
        if (subject.state / name).exists():
            yield Finding(
                f"{name} is there: {what}",
                "no file was changed by it",
                "`workbench doctor --fix` sets it aside",
                repair=partial(subject.put_aside, subject.state / name, ACTION),
            )


def _intent(subject: CheckSubject) -> Intent | None:
    """The note as it stands; a journal reads it and would set a bad one aside, so a copy is read."""
    with scratch("doctor") as copy:
        try:
            (copy / _JOURNAL).write_bytes(read_regular(subject.state / _JOURNAL))
        except (OSError, ValueError):
            return None
        return Journal(copy, Seal(subject.root)).read()


def _interrupted(subject: CheckSubject, intent: Intent) -> Finding:
    what = f"an action was interrupted: {intent.message.partition(chr(10))[0]}"
    if not _is_written(subject, intent):
        meaning = "its files are in part still to be written; no text is lost"
        return Finding(what, meaning, "the next action, or opening the interface, finishes it first")

    def finish() -> str:
        found = subject.workspace.operations.recover()
        if (subject.state / _JOURNAL).exists():
            raise RepositoryStateError("it could not be finished now", hint="the next action says why")
        return "; ".join(("finished: git knows it now", *found))

    meaning = "its files are written, only git's side is missing"
    return Finding(what, meaning, "`workbench doctor --fix` finishes it", repair=finish)


def _is_written(subject: CheckSubject, intent: Intent) -> bool:
    """Whether every file is as the action makes it, so that finishing it writes none."""
    history = subject.workspace.history
    for step in intent.steps:
        now = subject.workspace.files.read_or_none(step.path)
        if (None if now is None else history.name_of(now)) != step.after:
            return False
        if step.temporary and (subject.root / step.path).with_name(step.temporary).exists():
            return False
    return True


def conflicts(subject: CheckSubject) -> Look:
    """Texts of other writers that are in no memory file."""
    try:
        kept = subject.workspace.operations.conflicts()
        late = subject.workspace.operations.late()
    except WorkbenchError as error:
        raise SkippedError(error.message) from error
    yield f"{plural(len(kept), 'kept text')}, {plural(len(late), 'replaced file')}"
    for number, path in enumerate(kept, 1):
        yield Finding(
            f"{path.relative_to(subject.root)} holds text of another writer that is in no memory file",
            "two wrote in the same moment, and this one's text fitted nowhere",
            f"`workbench inbox conflicts --show {number}`, put it in its place, then --discard {number}",
            fixes=(Fix("open", "see it beside its file", of="conflicts"),),
        )
    for one in late:
        if one.why != "held open":
            yield Finding(
                late_sentences([one])[0].partition(";")[0],
                f"{one.kept.relative_to(subject.root)}: a replaced file that a program may write into",
                "`workbench inbox conflicts --late`: --append adds its lines, --discard N removes it",
                "error" if one.text else "info",
            )


def leftovers(subject: CheckSubject) -> Look:
    """Temporary files beside memory, and what a killed git or backup left."""
    try:
        strays, _ = check_strays(subject.workspace)
    except WorkbenchError as error:
        raise SkippedError(f"not looked at: {error.message}") from error
    yield strays.looked_at
    for flaw in strays.flaws:
        if flaw.kind == "special" or "/journal." in flaw.what or ".lock was left" in flaw.what:
            continue  # looked at by checks of their own
        path = Path(flaw.what.partition(" was left behind")[0])
        ours = path.name.startswith(TEMPORARY_PREFIX) and not path.is_absolute()
        if ours and _is_known_to_git(subject, path):
            meaning = "git holds its text too, so nothing hangs on it"
            move = partial(_move_beside, subject, path)
            yield Finding(flaw.what, meaning, "`workbench doctor --fix` moves it away", repair=move)
        else:
            yield Finding(flaw.what, do=flaw.hint)


def _is_known_to_git(subject: CheckSubject, path: Path) -> bool:
    history = subject.workspace.history
    try:
        history.stored(history.name_of((subject.root / path).read_bytes()))
    except (OSError, WorkbenchError):
        return False
    return True


def _move_beside(subject: CheckSubject, path: Path) -> str:
    """Take a leftover out of the memory folder. Raises WorkbenchError and OSError."""
    target = subject.workspace.state_dir() / ASIDE
    with hold(subject.state / ACTION, "doctor"):
        if (subject.state / _JOURNAL).exists():
            raise BusyError("an interrupted action may still need it")
        target.mkdir(mode=0o700, exist_ok=True)
        name = f"{os.stat(subject.root / path).st_mtime_ns}-{path.name}"
        subject.workspace.files.rename(RelPath(str(path)), path.name, target, name)
    return f"moved to {(target / name).relative_to(subject.root)}"


def ledger(subject: CheckSubject) -> Look:
    """Every line of every page of the ledger is a record: others would be missed in silence."""
    records, torn = 0, []
    for book in BOOKS:
        try:
            for page in subject.workspace.ledger.pages(book):
                records += len(page.records)
                torn += [f"{page.place} ({page.bad})"] if page.bad else []
        except (WorkbenchError, OSError) as error:
            yield Finding(
                f"the book of {book} cannot be read: {error}",
                "what stands in it does not count",
                "`git fsck` says what the repository has lost"
                if isinstance(error, RepositoryStateError)
                else "put a plain file there, as git has it: `git log -- _system/ledger`",
            )
    yield plural(records, "record") if records else "no records yet"
    with contextlib.suppress(WorkbenchError, OSError):  # no repository, or what was said above
        yield from _ledger_in_git(subject)
    if torn:
        yield Finding(
            f"lines of the ledger are no records: {few(torn)}",
            "they are passed over: a decision in one of them does not count",
            "correct them with an editor, or delete them; git has what stood there before",
        )


def _ledger_in_git(subject: CheckSubject) -> Iterator[Finding]:
    """What came from elsewhere, what version 0.1 left in files, and marks that nobody knows."""
    place = subject.workspace
    if foreign := place.ledger.foreign():
        count = sum(len(one.records) for one in foreign)
        yield Finding(
            f"{plural(count, 'record')} of a ledger that was fetched or cloned"
            if count
            else "a ledger that was fetched or cloned, with no record that is new here",
            "they count for nothing: nothing is learned from them, and they vouch for no entry"
            if count
            else "the ledger of this repository cannot be pushed to where that one came from",
            "if that ledger is yours, `workbench doctor --fix` shows the records and asks",
            "info",
            repair=partial(_confirm, subject) if subject.agree else None,
        )
    if plan_move_ledger(place) is not None:
        yield Finding(
            "records or comments of version 0.1 stand among your files",
            "they are read as before; a `.gitignore` may keep the files out of git, and comments cost budget",
            "`workbench doctor --fix` shows the change and asks; it is one operation: undo undoes it",
            "info",
            repair=partial(_move_ledger, subject) if subject.agree else None,
        )
    unknown = sum(bool(one.provenance and one.provenance.mark) for one in place.memory_document().entries)
    if unknown:
        reference = place.ledger.reference
        fetched = reference.removesuffix("ledger") + "fetched/origin"
        yield Finding(
            f"{plural(unknown, 'mark')} in {place.memory_path()} that the ledger does not know",
            "where these entries came from is not known: words were changed, or the ledger is elsewhere",
            f"if another clone has it: `git fetch origin '{reference}:{fetched}'`, then doctor --fix",
            "info",
        )


def _confirm(subject: CheckSubject) -> str:
    """Take over a ledger that came from elsewhere, if the person agrees. Raises WorkbenchError."""
    place = subject.workspace
    found = place.ledger.foreign()
    records = tuple(record for one in found for record in one.records)
    plan = Plan(action="confirm", summary="a ledger from elsewhere", records=records)
    if subject.agree is None or not subject.agree(plan):
        raise UsageError("you did not agree to it")
    return f"{plural(place.ledger.confirm(found), 'record')} taken over"


def _move_ledger(subject: CheckSubject) -> str:
    """Move what version 0.1 recorded into the ledger, if the person agrees. Raises WorkbenchError."""

    def plan() -> Plan:
        found = plan_move_ledger(subject.workspace)
        if found is None:
            raise ConflictError("somebody else has moved it meanwhile")
        return found

    if subject.agree is None or not subject.agree(plan()):
        raise UsageError("you did not agree to it")
    operation = subject.workspace.operations.carry_out(plan)
    return f"{operation.summary}; `workbench undo {operation.id}` undoes it"
