"""What was begun and not finished: a sync, an operation, texts of other writers, and leftovers."""

from __future__ import annotations

import contextlib
import os
from functools import partial
from pathlib import Path

from indexing.engines import RefusedError
from indexing.sync.freshness import freshness
from indexing.sync.generations import Generations
from workbench.errors import BusyError, RepositoryStateError, WorkbenchError
from workbench.health.finding import Finding, Look
from workbench.health.lock_checks import ACTION, SYNC, is_busy
from workbench.health.rebuild import REINDEX, rebuild
from workbench.health.set_aside import put_aside
from workbench.health.subject import CheckSubject
from workbench.history.orphans import check_strays
from workbench.memory.names import RelPath
from workbench.plural import plural
from workbench.special_files import read_regular
from workbench.temporary import scratch
from workbench.workspace.files import TEMPORARY_PREFIX
from workbench.workspace.journal import Intent, Journal
from workbench.workspace.late_lines import late_sentences
from workbench.workspace.locks import hold
from workbench.workspace.seal import Seal

_RUNNING = "an action is running: it is not judged now"
_HALF_WRITTEN = ("index/.current-", "index/gen-*/.manifest.json-", "index/gen-*/.pending.json-")


def sync(place: CheckSubject) -> Look:
    """The last reindex came to its end, and how far it is behind now."""
    if is_busy(place, SYNC):
        return Look("a reindex is running")
    generations = Generations(place.state)
    try:
        current = generations.current()
        touched = current.pending() if current else None
        later = generations.unfinished() if current else []
    except RefusedError as error:
        return Look(error.message)
    findings = []
    if touched is not None or later:
        what = "the last reindex was interrupted"
        what += f" while it wrote {plural(len(touched), 'file')}" if touched else ""
        findings.append(
            Finding(
                what=what,
                meaning="its words may be those of before; the next one finishes it",
                do=REINDEX,
                repair=partial(rebuild, place),
            )
        )
    fresh = freshness(place.workspace)
    # What is broken is found by the checks of the index itself; an index of keywords alone lacks nothing.
    if (
        not findings
        and fresh.level in ("warning", "info")
        and not (fresh.level == "info" and fresh.keywords_only)
    ):
        findings.append(Finding(what=f"index: {fresh.summary}", do=REINDEX, severity="info"))
    findings += _half_written(place)
    return Look(fresh.summary, tuple(findings))


def operation(place: CheckSubject) -> Look:
    """The journal of an action that was interrupted."""
    journal = place.state / "journal.json"
    if not journal.exists():
        return Look("no action was interrupted", tuple(_notes_of_journals(place)))
    if is_busy(place, ACTION):
        return Look(_RUNNING)
    intent = _intent(place)
    if intent is None:
        finding = Finding(
            what="journal.json is no note of an action",
            meaning="nothing can be finished by it; it was not written by this program",
            do="--fix sets it aside",
            repair=lambda: f"moved to {put_aside(place, journal).relative_to(place.root)}",
        )
        return Look("journal.json", (finding,))
    done = _is_written(place, intent)
    finding = Finding(
        what=f"an action was interrupted: {intent.message.partition(chr(10))[0]}",
        meaning="its files are written, only git's side is missing"
        if done
        else "its files are in part still to be written; no text is lost",
        do="--fix finishes it" if done else "the next action, or opening the interface, finishes it first",
        repair=partial(_finish, place) if done else None,
    )
    return Look("journal.json", (finding, *_notes_of_journals(place)))


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
                do="--fix moves it away" if safe else flaw.hint,
                repair=partial(_move_beside, place, path) if safe else None,
            )
        )
    return Look(strays.looked_at, tuple(findings))


def _half_written(place: CheckSubject) -> list[Finding]:
    """Files that are written under another name first, and stayed there."""
    found = [path for pattern in _HALF_WRITTEN for path in place.state.glob(f"{pattern}*")]
    if not found:
        return []

    def clear() -> str:
        with hold(place.state / SYNC, "doctor"):
            moved = [put_aside(place, path) for path in found]
        return f"{len(moved)} moved to {moved[0].parent.relative_to(place.root)}"

    names = ", ".join(path.name for path in found[:3])
    return [Finding(what=f"half-written files of the index: {names}", severity="info", repair=clear)]


def _notes_of_journals(place: CheckSubject) -> list[Finding]:
    """A journal that no commit confirmed, and one that was never begun."""
    said = {
        "journal.refused": "a note of an interrupted action that no commit confirms was not believed",
        "journal.new": "a note of an action was begun and not finished, so nothing was done",
    }
    return [
        Finding(
            what=f"{name} is there: {what}",
            meaning="no file was changed by it",
            do="--fix sets it aside",
            repair=partial(_set_aside_locked, place, place.state / name),
        )
        for name, what in said.items()
        if (place.state / name).exists() and not is_busy(place, ACTION)
    ]


def _set_aside_locked(place: CheckSubject, path: Path) -> str:
    with hold(place.state / ACTION, "doctor"):
        return f"moved to {put_aside(place, path).relative_to(place.root)}"


def _intent(place: CheckSubject) -> Intent | None:
    """The note as it stands; a journal reads it and would set a bad one aside, so a copy is read."""
    with scratch("doctor") as copy:
        try:
            (copy / "journal.json").write_bytes(read_regular(place.state / "journal.json"))
        except (OSError, ValueError):
            return None
        return Journal(copy, Seal(place.root)).read()


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


def _finish(place: CheckSubject) -> str:
    place.workspace.operations.recover()
    if (place.state / "journal.json").exists():
        raise RepositoryStateError("it could not be finished now", hint="the next action says why")
    return "finished: git knows it now"


def _is_known_to_git(place: CheckSubject, path: Path) -> bool:
    try:
        data = (place.root / path).read_bytes()
        place.workspace.history.stored(place.workspace.history.name_of(data))
    except (OSError, WorkbenchError):
        return False
    return True


def _move_beside(place: CheckSubject, path: Path) -> str:
    """Take a leftover out of the memory folder. Raises WorkbenchError and OSError."""
    target = place.workspace.state_dir() / "set-aside"
    with hold(place.state / ACTION, "doctor"):
        if (place.state / "journal.json").exists():
            raise BusyError("an interrupted action may still need it")
        with contextlib.suppress(FileExistsError):
            target.mkdir(mode=0o700)
        name = f"{os.stat(place.root / path).st_mtime_ns}-{path.name}"
        place.workspace.files.rename(RelPath(str(path)), path.name, target, name)
    return f"moved to {(target / name).relative_to(place.root)}"
