"""What was left unfinished in `.workbench`: locks, interrupted actions, conflicts, leftovers, the ledger."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from workbench import processes
from workbench.errors import (
    BusyError,
    RepositoryStateError,
    WorkbenchError,
)
from workbench.health.finding import Finding, Fix, Look
from workbench.health.subject import ACTION, ASIDE, SYNC, CheckSubject
from workbench.health.workspace_checks import few
from workbench.history.orphans import check_strays
from workbench.memory.names import RelPath
from workbench.plural import plural
from workbench.special_files import read_regular
from workbench.temporary import scratch
from workbench.workspace.files import TEMPORARY_PREFIX
from workbench.workspace.journal import Intent, Journal
from workbench.workspace.late_lines import late_sentences
from workbench.workspace.ledger import BOOKS, pages
from workbench.workspace.locks import Held, held, hold
from workbench.workspace.seal import Seal

_HOUR = 3_600.0
"""Seconds after which even a large reindex deserves a look."""
_STOPS = {SYNC: "no reindex can run", ACTION: "no action can be carried out"}
_RUNNING = "an action is running: it is not judged now"


# -- our locks, and what was begun and not finished ------------------------------------------------


def locks(place: CheckSubject) -> Look:
    """Who holds the lock of actions and that of reindexing."""
    findings: list[Finding] = []
    seen = []
    for name in (ACTION, SYNC):
        found = held(place.state / name)
        who = "an unnamed process"
        if found is not None and found.pid:
            who = f"{found.purpose or 'somebody'} (process {found.pid})"
        if found is not None and found.held:
            seen.append(f"{name} is held by {who}")
            findings += _holder(place, name, found, who)
            continue
        seen.append(f"{name} is free")
        if found is not None and found.pid:
            findings.append(
                Finding(
                    what=f"{name} still names {who}, which is gone",
                    meaning="it was killed; its lock died with it and is in nobody's way",
                    do="nothing: the next one finishes what it began",
                    severity="info",
                    repair=partial(_wipe, place.state / name),
                )
            )
    return Look(", ".join(seen), tuple(findings))


def _wipe(lock: Path) -> str:
    with hold(lock, "doctor"):  # the note goes when the lock is let go
        return "the note is wiped"


def _holder(place: CheckSubject, name: str, found: Held, who: str) -> Iterator[Finding]:
    """What is wrong with a holder, if anything: it lives, or it could hold nothing."""
    if found.pid and not processes.alive(found.pid):
        yield Finding(
            what=f"{name} is held, and {who} is not to be seen from here",
            meaning=f"{_STOPS[name]}; it runs in another container, or a child of it lives on",
            do=f"find who holds it: `fuser -v {place.state / name}`; the lock goes when its holder ends",
        )
    elif found.pid and processes.stopped(found.pid):
        yield Finding(
            what=f"{name} is held by {who}, which is stopped",
            meaning=f"{_STOPS[name]} until it goes on",
            do=f"let it go on (`kill -CONT {found.pid}`) or end it (`kill {found.pid}`)",
        )
    elif place.now - found.since > _HOUR:
        yield Finding(
            what=f"{name} is held by {who} for more than an hour",
            meaning=_STOPS[name],
            do=f"if it hangs, end it (`kill {found.pid}`): whatever it did is finished by the next one",
        )


def operation(place: CheckSubject) -> Look:
    """The journal of an action that was interrupted, and notes of actions that nobody believed."""
    if place.is_busy(ACTION):
        return Look(_RUNNING)
    notes = {
        "journal.refused": "a note of an interrupted action that no commit confirms was not believed",
        "journal.new": "a note of an action was begun and not finished, so nothing was done",
    }
    journal = place.state / "journal.json"
    intent = None
    if is_interrupted := journal.exists():
        intent = _intent(journal, place.root)
        if intent is None:
            notes["journal.json"] = "it is no note of an action, and nothing can be finished by it"
    findings = tuple(
        Finding(
            what=f"{name} is there: {what}",
            meaning="no file was changed by it",
            do="`workbench doctor --fix` sets it aside",
            repair=partial(_put_journal_aside, place, place.state / name),
        )
        for name, what in notes.items()
        if (place.state / name).exists()
    )
    if intent is not None:
        findings = (_interrupted(place, intent), *findings)
    return Look("journal.json" if is_interrupted else "no action was interrupted", findings)


def _intent(journal: Path, root: Path) -> Intent | None:
    """The note as it stands; a journal reads it and would set a bad one aside, so a copy is read."""
    with scratch("doctor") as copy:
        try:
            (copy / "journal.json").write_bytes(read_regular(journal))
        except (OSError, ValueError):
            return None
        return Journal(copy, Seal(root)).read()


def _interrupted(place: CheckSubject, intent: Intent) -> Finding:
    def finish() -> str:
        place.workspace.operations.recover()
        if (place.state / "journal.json").exists():
            raise RepositoryStateError("it could not be finished now", hint="the next action says why")
        return "finished: git knows it now"

    done = _is_written(place, intent)
    return Finding(
        what=f"an action was interrupted: {intent.message.partition(chr(10))[0]}",
        meaning="its files are written, only git's side is missing"
        if done
        else "its files are in part still to be written; no text is lost",
        do="`workbench doctor --fix` finishes it"
        if done
        else "the next action, or opening the interface, finishes it first",
        repair=finish if done else None,
    )


def _is_written(place: CheckSubject, intent: Intent) -> bool:
    """Whether every file is as the action makes it, so that finishing it writes none."""
    history = place.workspace.history
    for step in intent.steps:
        now = place.workspace.files.read_or_none(step.path)
        if (None if now is None else history.name_of(now)) != step.after:
            return False
        if step.temporary and (place.root / step.path).with_name(step.temporary).exists():
            return False
    return True


def _put_journal_aside(place: CheckSubject, path: Path) -> str:
    with hold(place.state / ACTION, "doctor"):
        return place.put_aside(path)


def conflicts(place: CheckSubject) -> Look:
    """Texts of other writers that are in no memory file."""
    try:
        kept = place.workspace.operations.conflicts()
        late = place.workspace.operations.late()
    except WorkbenchError as error:
        return Look(error.message)
    findings = tuple(
        Finding(
            what=f"{path.relative_to(place.root)} holds text of another writer that is in no memory file",
            meaning="two wrote in the same moment, and this one's text fitted nowhere",
            do=f"`workbench inbox conflicts --show {number}`, put it in its place, then --discard {number}",
            fixes=(Fix(deed="open", label="see it beside its file", of="conflicts"),),
        )
        for number, path in enumerate(kept, 1)
    )
    findings += tuple(
        Finding(
            what=late_sentences([one])[0].partition(";")[0],
            meaning=f"{one.kept.relative_to(place.root)}: a replaced file that a program may write into",
            do="`workbench inbox conflicts --late`: --append adds its lines, --discard N removes it",
            severity="error" if one.text else "info",
        )
        for one in late
        if one.why != "held open"
    )
    return Look(f"{plural(len(kept), 'kept text')}, {plural(len(late), 'replaced file')}", findings)


def leftovers(place: CheckSubject) -> Look:
    """Temporary files beside memory, and what a killed git or backup left."""
    try:
        strays, _ = check_strays(place.workspace)
    except BusyError:
        return Look(_RUNNING)
    except WorkbenchError as error:
        return Look(f"not looked at: {error.message}")
    findings = []
    for flaw in strays.flaws:
        if flaw.kind == "special" or "/journal." in flaw.what or ".lock was left" in flaw.what:
            continue  # looked at by checks of their own
        path = Path(flaw.what.partition(" was left behind")[0])
        ours = path.name.startswith(TEMPORARY_PREFIX) and not path.is_absolute()
        safe = ours and _is_known_to_git(place, path)
        findings.append(
            Finding(
                what=flaw.what,
                meaning="git holds its text too, so nothing hangs on it" if safe else "",
                do="`workbench doctor --fix` moves it away" if safe else flaw.hint,
                repair=partial(_move_beside, place, path) if safe else None,
            )
        )
    return Look(strays.looked_at, tuple(findings))


def _is_known_to_git(place: CheckSubject, path: Path) -> bool:
    try:
        data = (place.root / path).read_bytes()
        place.workspace.history.stored(place.workspace.history.name_of(data))
    except (OSError, WorkbenchError):
        return False
    return True


def _move_beside(place: CheckSubject, path: Path) -> str:
    """Take a leftover out of the memory folder. Raises WorkbenchError and OSError."""
    target = place.workspace.state_dir() / ASIDE
    with hold(place.state / ACTION, "doctor"):
        if (place.state / "journal.json").exists():
            raise BusyError("an interrupted action may still need it")
        target.mkdir(mode=0o700, exist_ok=True)
        name = f"{os.stat(place.root / path).st_mtime_ns}-{path.name}"
        place.workspace.files.rename(RelPath(str(path)), path.name, target, name)
    return f"moved to {(target / name).relative_to(place.root)}"


def ledger(place: CheckSubject) -> Look:
    """Every line of every page of the ledger is a record: others would be missed in silence."""
    records, torn, findings = 0, [], []
    for book in BOOKS:
        try:
            for page in pages(place.workspace, book):
                records += len(page.records)
                torn += [f"{page.path} ({page.bad})"] if page.bad else []
        except (WorkbenchError, OSError) as error:
            findings.append(
                Finding(
                    what=f"the book of {book} cannot be read: {error}",
                    meaning="what stands in it does not count",
                    do="put a plain file there, as git has it: `git log -- _system/ledger`",
                )
            )
    if torn:
        findings.append(
            Finding(
                what=f"lines of the ledger are no records: {few(torn)}",
                meaning="they are passed over: a decision in one of them does not count",
                do="correct them with an editor, or delete them; git has what stood there before",
            )
        )
    return Look(f"{plural(records, 'record')}" if records else "no records yet", tuple(findings))
