"""The repository around the workspace: there, ready for a commit, and not held by a git that is dead."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from workbench import processes
from workbench.errors import ConflictError, RepositoryStateError, WorkbenchError
from workbench.health.finding import Finding, Look
from workbench.health.set_aside import put_aside
from workbench.health.subject import CheckSubject
from workbench.history.orphans import LOCK_SECONDS
from workbench.repository.git_runner import ask
from workbench.workspace.layout import STATE_DIR

_NO_UNDO = "nothing can be promoted, forgotten or undone; browsing and searching work"
_MOMENT = 5.0
"""Seconds for which a git at work holds its locks without anybody noticing."""
_BRANCHES = "a branch, a tag or another reference"
_HOLDS = {
    "index.lock": "git's index: `git add`, `git commit` and the like",
    "HEAD.lock": "what HEAD is: switching branches, and commits on no branch",
    "packed-refs.lock": "the list of packed references",
    "config.lock": "the repository's configuration",
    "shallow.lock": "the depth of a shallow clone",
}


def repository(place: CheckSubject) -> Look:
    """A repository that can be opened, committed to, and that holds nothing of ours."""
    try:
        history = place.workspace.history
    except WorkbenchError as error:
        return Look("the repository", (Finding(what=error.message, meaning=_NO_UNDO, do=error.hint),))
    findings = []
    for require in (history.require_committable, partial(history.require_untracked, STATE_DIR)):
        try:
            require()
        except RepositoryStateError as error:
            findings.append(Finding(what=error.message, meaning=_NO_UNDO, do=error.hint))
    head = history.head()
    if head and history.names_no_branch():
        findings.append(
            Finding(
                what="HEAD is on no branch",
                meaning="what is done now is kept only until you leave it",
                do="`git switch -c NAME` makes it a branch",
                severity="info",
            )
        )
    return Look(f"{history.git_dir}, " + (f"at {head[:12]}" if head else "without commits"), tuple(findings))


def git_locks(place: CheckSubject) -> Look:
    """Locks of git's own: how old, and whether any git lives that could hold them."""
    try:
        places = git_folders(place)
    except WorkbenchError:
        return Look("there is no repository to look into")
    locks = sorted({lock for folder in places[1:] for lock in _locks(folder)})
    findings = tuple(finding for lock in locks if (finding := _judged(place, lock, places)))
    return Look("no lock of git's is there" if not locks else f"{len(locks)} locks of git's", findings)


def git_folders(place: CheckSubject) -> list[Path]:
    """The files of this checkout, its git folder, and that of the repository. Raises as opening it does."""
    history = place.workspace.history
    names = ("--path-format=absolute", "--show-toplevel", "--git-common-dir")
    top, common = os.fsdecode(ask(history.carrier, "rev_parse", *names)).split("\n")[:2]
    return [Path(top), history.git_dir, Path(common)]


def _locks(folder: Path) -> list[Path]:
    return [*folder.glob("*.lock"), *(folder / "refs").rglob("*.lock")]


def _judged(place: CheckSubject, lock: Path, places: list[Path]) -> Finding | None:
    try:
        status = lock.lstat()
    except OSError:
        return None  # released meanwhile
    age = place.now - status.st_mtime
    alive, users = processes.gits(places), processes.opened_by(lock)
    if 0 <= age < _MOMENT and (alive or users):
        return None
    known = "not to be seen here" if alive is None else ", ".join(alive) or "none"
    doubt = _doubt(lock, status.st_mtime, age, alive, users)
    return Finding(
        what=f"{lock} is there, {_spoken(age)} old; git processes alive: {known}",
        meaning=f"until it is gone git refuses to change {_HOLDS.get(lock.name, _BRANCHES)}",
        do=f"{doubt}: if no git is running, remove it yourself" if doubt else "--fix moves it away",
        repair=None if doubt else partial(_move_away, place, lock, status, places),
    )


def _doubt(
    lock: Path, since: float, age: float, alive: tuple[str, ...] | None, users: tuple[int, ...] | None
) -> str | None:
    """Why a lock is not proven to be stale, or None where it is.

    A git that waits for an editor holds its lock without having the file open, so every git counts.
    """
    if alive is None or users is None:
        return "which processes run cannot be seen"
    if users:
        return f"process {users[0]} has it open"
    if alive:
        return f"{alive[0]} is running and may hold it"
    if not processes.is_local(lock):
        return "another machine may hold it, as this disk is a shared one"
    boot = processes.boot_time()
    before_boot = boot is not None and since < boot
    if age < LOCK_SECONDS and not before_boot:
        return "it is younger than ten minutes, and its git may be out of sight"
    return None


def _move_away(place: CheckSubject, lock: Path, seen: os.stat_result, places: list[Path]) -> str:
    """Once more the same file, and still nobody there: then it goes. Raises WorkbenchError."""
    try:
        now = lock.lstat()
    except FileNotFoundError:
        return "it was released meanwhile"
    same = (now.st_ino, now.st_mtime_ns, now.st_size) == (seen.st_ino, seen.st_mtime_ns, seen.st_size)
    if not same or processes.gits(places) or processes.opened_by(lock):
        raise ConflictError("a git took it in this moment", hint="try again when it has finished")
    return f"moved to {put_aside(place, lock).relative_to(place.root)}"


def _spoken(seconds: float) -> str:
    """An age in words."""
    if seconds < 0:
        return "from the future, so by no clock"
    for size, unit in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"
