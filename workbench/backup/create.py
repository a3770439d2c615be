"""Backups of a memory: recorded, saved elsewhere, and proven before they count.

A workspace in which anything is disputed is refused, so that what is saved is what is meant.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from pathlib import Path
from typing import Any, TypeAlias

from workbench.backup.bundles import (
    TEMPORARY,
    BundleChain,
    Header,
    alone_in,
    basis_of,
    find_or_repeat,
    put_in_place,
    read_header,
    remember,
    write_bundle,
)
from workbench.backup.restore import RestoreResult, restore_bundles, restore_remote
from workbench.backup.targets import (
    Target,
    borrowing,
    branch_of,
    ledgers_of,
    push,
    push_ledgers,
    refuse_inside,
    remote_refs,
)
from workbench.config.read_only import require_more_than_looking
from workbench.errors import BackupError, NewerFormatError, RepositoryStateError, UsageError, disk_errors
from workbench.plural import plural
from workbench.repository.git_runner import ask, is_ancestor
from workbench.repository.objects import CommitId
from workbench.temporary import scratch
from workbench.workspace.declared_format import require_known_format
from workbench.workspace.external_changes import record, recorded_files, unrecorded
from workbench.workspace.locks import hold
from workbench.workspace.plan import Operation
from workbench.workspace.task_context import TaskContext
from workbench.workspace.workspace import Workspace

_CODE_OR_OURS = re.compile(rb"(?ms)^ {0,3}(?P<fence>```+|~~~+).*?(?:^ {0,3}(?P=fence)|\Z)|^<{7}(?:[ \r]|$)")
_BETWEEN, _THEIRS = (re.compile(rb"(?m)^%s(?:[ \r]|$)" % (mark * 7)) for mark in (b"=", b">"))


def require_peace(workspace: Workspace) -> tuple[str, ...]:
    """Raise RepositoryStateError naming what is disputed: it would be saved as if it were settled.

    An interrupted action is finished first; returns what a person should know of that.
    """
    finished = workspace.operations.recover()
    history = workspace.history
    history.require_committable()
    if history.shallow:
        raise RepositoryStateError(
            "this is a shallow clone: a backup of it would be incomplete",
            hint="git fetch --unshallow fetches the rest of the history",
        )
    if (workspace.state_path / "journal.json").exists():
        raise RepositoryStateError(
            "an action was interrupted and could not be finished yet",
            hint="any action tries again and reports what prevents it",
        )
    unmerged = os.fsdecode(ask(history.carrier, "ls_files", "--unmerged", "-z", "--", ":(top)"))
    if unmerged:
        path = unmerged.split("\0")[0].partition("\t")[2]
        raise RepositoryStateError(
            f"{path} has an unfinished merge in git's index", hint="resolve it and `git add` the file"
        )
    for conflict in workspace.operations.conflicts():
        raise RepositoryStateError(
            f"{conflict.kept} contains text of another writer that is in no memory file",
            hint="copy what you need from it into the right file, then remove it",
        )
    for file in workspace.scan():
        if line := marked_line(workspace.files.read_or_none(file.path) or b""):
            raise RepositoryStateError(
                f"{file.path} has merge conflict markers from line {line} on",
                hint="resolve the conflict and remove the markers",
            )
    return finished


def marked_line(data: bytes) -> int:
    """The line (from 1) on which an unresolved merge begins; 0 where there is none.

    All three marks must follow each other; what is quoted in a code block tells of a merge and is none.
    """
    ours = next((one for one in _CODE_OR_OURS.finditer(data) if not one["fence"]), None)
    between = ours and _BETWEEN.search(data, ours.end())
    if ours and between and _THEIRS.search(data, between.end()):
        return data.count(b"\n", 0, ours.start()) + 1
    return 0


_COMPARED = 100
"""Files that are compared between two words about it."""
Tell: TypeAlias = Callable[[str, int, int], None]
"""Hears the phase, and how many files of how many are done in it (0 of 0 where none are counted).

What it raises ends the backup, which then counts as none.
"""


def plan_backup(workspace: Workspace, target: Target, *, full: bool = False) -> Backup:
    """What ``back_up`` would do; nothing is written, and no other machine is asked."""
    require_savable(workspace, target, full=full)
    plan = Backup(workspace, target)
    plan.planned = True
    plan.pending = 0 if plan.why_unrecorded else len(plan.unrecorded)
    plan.wrote = "sent" if target.kind == "remote" else "full"
    if target.kind == "folder" and not full:
        basis, why = basis_of(workspace, target, plan.commit)
        plan.notes += (why,) if why else ()
        if basis:
            new = plan.pending or workspace.ledger.waits() or not plan.is_saved(basis)
            plan.wrote = "incremental" if new else ""
    return plan


def back_up(
    workspace: Workspace,
    target: Target,
    *,
    full: bool = False,
    check: bool = False,
    tell: Tell = lambda *_: None,
) -> Backup:
    """Record what is on disk, save the current branch of the whole repository, and prove it.

    Where the folder cannot be written, or a newer program wrote it, nothing is recorded: what is on disk only
    is named in a note.

    Bundles are always restored and compared; a remote's commit is asked for, and with ``check`` the remote is
    cloned anew and compared too. What is on disk is recorded first, so that a backup holds every word. A
    bundle is restored into an empty folder, and gets its name only when that equals the files. Raises
    RepositoryStateError while anything is disputed, ConflictError where a remote has commits of its own,
    BackupError, BusyError, and what ``record`` raises.
    """
    finished = require_savable(workspace, target, full=full)
    workspace.ledger.fold()
    recorded = None if why_unrecorded(workspace) else record(workspace)
    made = Backup(workspace, target, tell)
    made.recorded = recorded
    made.notes = (*finished, *made.notes)
    if not made.commit:
        raise BackupError("there is nothing to back up: no memory and no commits yet")
    writable = _can_write(workspace)
    lock = hold(workspace.state_dir() / "backup.lock", "a backup") if writable else nullcontext()
    with disk_errors(), lock:
        if target.kind == "remote":
            made.wrote = made.send(check=check)
        else:
            place = Path(target.place)
            folder = place if target.kind == "folder" else place.parent
            folder.mkdir(parents=True, exist_ok=True)
            with alone_in(folder):
                made.wrote = made.write_one() if target.kind == "file" else made.extend(full=full)
        if writable:
            remember(workspace, target, made.commit)
    return made


def require_savable(workspace: Workspace, target: Target, *, full: bool) -> tuple[str, ...]:
    """What ``require_peace`` returns. Raises UsageError where this memory may not be saved there, or so."""
    if workspace.history.own and not target.own:
        raise UsageError(
            f"this history is stored outside of any repository, in {workspace.own_place().where()}; "
            "nothing was saved",
            hint="--own-history includes it in the backup",
        )
    refuse_inside(target, workspace.history)
    if full and target.kind == "remote":
        raise UsageError("--full is for bundles: a remote has every commit once")
    return require_peace(workspace)


class Backup:
    """A backup of the last commit (empty: there is none yet), and of the ledgers' commits.

    It was made, or (``planned``) would be. ``wrote`` is "full", "incremental", "sent" or "" where nothing was
    new; ``path`` is the bundle; ``compared`` says how many files were compared byte for byte after restoring
    (None: not asked for). ``why_unrecorded`` says why what is on disk is not recorded, ``unrecorded`` is what
    differs there from the commit; ``pending`` counts the files that are recorded first.
    """

    def __init__(self, workspace: Workspace, target: Target, tell: Tell = lambda *_: None) -> None:
        history = workspace.history
        head = history.head()
        found = unrecorded(workspace, head)
        self.workspace = workspace
        self.target = target
        self.tell = tell
        self.commit = head or CommitId("")
        self.branch = branch_of(history)
        self.ledgers = ledgers_of(history.carrier)
        self.why_unrecorded = why_unrecorded(workspace)
        self.unrecorded = found.changes
        self.wrote = ""
        self.path: Path | None = None
        self.compared: int | None = None
        self.recorded: Operation | None = None
        self.pending = 0
        self.planned = False
        self.notes: tuple[str, ...] = ()
        if found.ignored:
            what = f"{plural(len(found.ignored), 'file')} that git ignores"
            self.notes += (f"{what} are not in it, for example {found.ignored[0]}",)
        if self.why_unrecorded and found.changes:
            self.notes += (
                f"{self.why_unrecorded}, so nothing was recorded first: what is not committed yet in "
                f"{plural(len(found.changes), 'file')}, for example {next(iter(found.changes))}, is not in "
                "it until it is committed",
            )

    def is_saved(self, basis: CommitId) -> bool:
        """Whether the folder's chain, which ends with ``basis``, restores all of it.

        Not so where one of its bundles is damaged.
        """
        try:
            return basis == self.commit and self._is_in(BundleChain(Path(self.target.place)).ledgers())
        except BackupError:
            return False

    def _is_in(self, ledgers: Mapping[str, str]) -> bool:
        return self.ledgers.items() <= ledgers.items()

    def send(self, *, check: bool) -> str:
        """Push, ask the remote what it has, and with ``check`` compare a fresh clone; what was written."""
        self.tell(f"sending to {self.target.shown}", 0, 0)
        with self._borrowing() as carrier:
            new = push(carrier, self.target, self.branch)
            there = remote_refs(carrier, self.target)[0].get(self.branch)
            new_ledger, why = push_ledgers(carrier, self.target)
            self.notes += (why,) if why else ()
        if there != self.commit:
            where = there or "no commit"
            raise BackupError(
                f"{self.target.shown} says that {self.branch} is at {where}, not at {self.commit}",
                hint="somebody may have pushed at the same time: try again",
            )
        if check:
            self._compare(lambda place: restore_remote(self.target, place, self.branch))
        return "sent" if new or new_ledger else ""

    def extend(self, *, full: bool) -> str:
        """Add a bundle to the folder's chain, or begin a new one where that cannot be gone on with."""
        folder = Path(self.target.place)
        if not full:
            basis, why = basis_of(self.workspace, self.target, self.commit)
            if basis:
                if self.is_saved(basis):
                    return ""
                try:
                    self._add(BundleChain(folder), basis)
                except BackupError as error:
                    why = f"{error.message}: so a full backup was made"
                else:
                    return "incremental"
            self.notes += (why,) if why else ()
        self._add(BundleChain(folder), None)
        return "full"

    def _add(self, chain: BundleChain, basis: CommitId | None) -> None:
        final = chain.next_path(full=basis is None)
        before = chain.bundles if basis else []
        put_in_place(self._verified(final, basis, before), final)
        chain.enter([*before, final])
        self.path = final

    def write_one(self) -> str:
        """One bundle with everything. One that is there already is replaced only if it holds nothing else."""
        self.path = final = Path(self.target.place)
        before: Header | None = None
        with suppress(BackupError):
            before = read_header(final)
        if before and before.commit == self.commit and self._is_in(before.ledgers):
            try:
                self._compare(lambda place: restore_bundles([final], place))
            except BackupError as error:
                before = None
                self.notes += (f"{error.message}: so it was made again",)
            else:
                return ""
        fresh = self._verified(final, None, [])
        if before and self._holds_all_of(before):
            os.replace(fresh, final)
            return "full"
        if final.exists():
            aside = _free_name(final)
            put_in_place(final, aside)
            what = f"what was in {final.name} is not part of this history"
            self.notes += (f"{what} and is kept as {aside.name}",)
        put_in_place(fresh, final)
        return "full"

    def _holds_all_of(self, header: Header) -> bool:
        """Whether what a bundle has is a part of what is saved now."""
        pairs: list[tuple[str, str | None]] = [(header.commit, self.commit)]
        pairs += [(at, self.ledgers.get(name)) for name, at in header.ledgers.items()]
        carrier = self.workspace.history.carrier
        return all(now and is_ancestor(carrier, before, now) for before, now in pairs)

    def _verified(self, final: Path, basis: CommitId | None, before: list[Path]) -> Path:
        """Write a bundle beside its name and restore it with those before it; gone unless all is well."""
        fresh = final.with_name(f"{TEMPORARY}{final.name}.tmp")
        self.tell(f"writing to {self.target.shown}", 0, 0)
        try:
            with self._borrowing() as carrier:
                write_bundle(carrier, fresh, self.branch, basis)
            self._compare(lambda place: restore_bundles([*before, fresh], place))
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise
        return fresh

    def _borrowing(self) -> AbstractContextManager[Any]:
        return borrowing(self.workspace.history, self.commit, self.branch, self.ledgers)

    def _compare(self, restore: Callable[[Path], RestoreResult]) -> None:
        """Restore into an empty folder; every memory file must be what is on disk, byte for byte."""
        history = self.workspace.history
        kept = recorded_files(self.workspace, self.commit)
        self.tell("restoring it as a test", 0, 0)
        with scratch("check") as place:
            restored = restore(place / "restored")
            if restored.commit != self.commit:
                raise BackupError(f"{self.target.shown} restores to commit {restored.commit}")
            if self.target.kind != "remote" and not self._is_in(restored.ledgers):
                raise BackupError(f"the ledger does not come back from {self.target.shown}")
            moved_on = 0
            for at, (path, name) in enumerate(kept.items()):
                if at % _COMPARED == 0:
                    self.tell("comparing", at, len(kept))
                data = (restored.folder / history.prefix / path).read_bytes()
                if history.name_of(data) != name:
                    raise BackupError(f"{path} does not come back from {self.target.shown} as it is")
                moved_on += data != self.workspace.files.read_or_none(path)
        files = plural(moved_on, "file")
        if moved_on and not unrecorded(self.workspace, self.commit).changes:
            raise BackupError(f"{files} do not come back from {self.target.shown} as they are on disk")
        if moved_on and not self.why_unrecorded:
            self.notes += (f"{files} changed while they were saved; the next backup will hold that",)
        self.compared = len(kept)


def _free_name(path: Path) -> Path:
    """A name beside ``path`` that nothing has."""
    number = 1
    while (free := path.with_name(f"{path.stem}-old-{number}{path.suffix}")).exists():
        number += 1
    return free


def _can_write(workspace: Workspace) -> bool:
    """Whether locks and notes can be kept here; of the memory itself only the folders count that change."""
    state = workspace.state_path
    return os.access(state if state.exists() else workspace.root, os.W_OK)


def why_unrecorded(workspace: Workspace) -> str:
    """Why what is on disk cannot be recorded first: no write access, or an unknown format. Else empty."""
    if not _can_write(workspace):
        return "this memory cannot be written"
    try:
        require_known_format(workspace.root)
    except NewerFormatError as newer:
        return f"this memory has format {newer.found}, and this program supports up to {newer.known}"
    except UsageError as unknown:
        return unknown.message
    return ""


def run(root: Path, parameters: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """Make the backup. Raises what ``back_up`` raises, and UsageError where there is none to repeat.

    This is a task of the worker: ``{"target": "DIR"}``, or without a target where the last backup went.
    """
    require_more_than_looking()
    with closing(Workspace.open(root)) as workspace:
        target = find_or_repeat(workspace, parameters.get("target") or None)
        context.progress(f"to {target.shown}")
        done = back_up(workspace, target, tell=context.progress)
    return {
        "target": done.target.shown,
        "wrote": done.wrote,
        "commit": done.commit,
        "compared": done.compared,
        "recorded": len(done.recorded.paths) if done.recorded else 0,
        "notes": list(done.notes),
    }
