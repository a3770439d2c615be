"""Saving a memory elsewhere, and proving that it can be had back.

A workspace in which anything is disputed is refused, so that what is saved is what is meant. What is on disk
is recorded first, so that a backup holds every word; where a newer program wrote this memory only what git
has is saved, which takes no understanding, and the rest is named. Every backup is restored into an empty
folder and compared with the files before it counts; a bundle gets its name only then.

As a task of the worker (``run``) it takes ``{"target": "DIR"}``, without a target the last one again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from workbench.backup.bundles import (
    TEMPORARY,
    Chain,
    Header,
    alone_in,
    basis_of,
    find_or_repeat,
    is_ancestor,
    put_in_place,
    read_header,
    remember,
    repeats_own,
    write_bundle,
)
from workbench.backup.restore import Restored, restore_bundles, restore_remote
from workbench.backup.scratch_repository import (
    borrowing,
    branch_of,
    ledgers_of,
    push,
    push_ledgers,
    remote_refs,
)
from workbench.backup.targets import Target, refuse_inside
from workbench.config.read_only import require_more_than_looking
from workbench.errors import BackupError, NewerFormatError, RepositoryStateError, UsageError, disk_error
from workbench.memory.names import CommitId, RelPath
from workbench.plural import plural
from workbench.repository.git_runner import ask
from workbench.temporary import scratch
from workbench.workspace.external_changes import Unrecorded, record, recorded_files, unrecorded
from workbench.workspace.format import require_known_format
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.locks import hold
from workbench.workspace.plan import Operation
from workbench.workspace.task_context import TaskContext
from workbench.workspace.workspace import Workspace

_FENCE = re.compile(rb" {0,3}(```+|~~~+)")
_OURS, _BETWEEN, _THEIRS = (re.compile(rb"%s(?:[ \r]|$)" % (mark * 7)) for mark in (rb"<", rb"=", rb">"))


def require_peace(workspace: Workspace) -> tuple[str, ...]:
    """Raise RepositoryStateError naming what is disputed: it would be saved as if it were settled.

    An interrupted action is finished first; returns what a person should know of that.
    """
    finished = workspace.operations.recover()
    history = workspace.history
    history.require_committable()
    if history.shallow:
        raise RepositoryStateError(
            "this is a shallow clone: a backup of it would not be whole",
            hint="git fetch --unshallow brings the rest of the history",
        )
    if (workspace.root / STATE_DIR / "journal.json").exists():
        raise RepositoryStateError(
            "an action was interrupted and could not be finished yet",
            hint="any action tries again and says what is in the way",
        )
    unmerged = os.fsdecode(ask(history.carrier, "ls_files", "--unmerged", "-z", "--", ":(top)"))
    if unmerged:
        path = unmerged.split("\0")[0].partition("\t")[2]
        raise RepositoryStateError(
            f"{path} has an unfinished merge in git's index", hint="resolve it and `git add` the file"
        )
    for kept in workspace.operations.conflicts():
        raise RepositoryStateError(
            f"{kept} holds text of another writer that is in no memory file",
            hint="put what you need of it where it belongs, then remove it",
        )
    for file in workspace.scan():
        if line := marked_line(workspace.files.read_or_none(file.path) or b""):
            raise RepositoryStateError(
                f"{file.path} has the marks of an unfinished merge from line {line} on",
                hint="keep what is right of both sides, and take the marks out",
            )
    return finished


def marked_line(data: bytes) -> int:
    """The line (from 1) on which an unresolved merge begins; 0 where there is none.

    All three marks must follow each other; what is quoted in a code block tells of a merge and is none.
    """
    fence = b""
    begun, wanted = 0, _OURS
    for number, line in enumerate(data.split(b"\n"), 1):
        mark = _FENCE.match(line)
        if mark and not begun:
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence):
                fence = b""
        if fence or not wanted.match(line):
            continue
        if wanted is _THEIRS:
            return begun
        begun = begun or number
        wanted = _BETWEEN if wanted is _OURS else _THEIRS
    return 0


_COMPARED = 100
"""Files that are compared between two words about it."""
Tell: TypeAlias = Callable[[str, int, int], None]
"""Hears the phase, and how many files of how many are done in it (0 of 0 where none are counted).

What it raises ends the backup, which then counts as none.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A backup that was made, or (``planned``) would be.

    ``wrote`` is "full", "incremental", "sent" or "" where nothing was new; ``path`` is the bundle;
    ``compared`` says how many files were compared byte for byte after restoring (None: not asked for).
    ``pending`` counts files that are recorded first.
    """

    target: Target
    branch: str
    commit: CommitId | None
    wrote: str
    path: Path | None = None
    compared: int | None = None
    recorded: Operation | None = None
    pending: int = 0
    planned: bool = False
    notes: tuple[str, ...] = ()


def plan_backup(workspace: Workspace, target: Target, *, full: bool = False, own: bool = False) -> Backup:
    """What ``back_up`` would do; nothing is written, and no other machine is asked."""
    _require_named(workspace, own=own)
    refuse_inside(target, workspace.history)
    require_peace(workspace)
    head = workspace.history.head()
    found = unrecorded(workspace, head)
    why_not = _why_not_recorded(workspace)
    pending = 0 if why_not else len(found.changes)
    wrote, notes = "sent", [*_ignored_note(found.ignored), *_left_out_note(why_not, found)]
    if target.kind != "remote":
        basis, why = (None, "") if full or target.kind == "file" else basis_of(workspace, target, head)
        is_saved = basis == head and not pending and not workspace.ledger.waits()
        if basis is None:
            wrote = "full"
        elif is_saved and _has_ledgers(Chain(Path(target.place)), ledgers_of(workspace.history.carrier)):
            wrote = ""
        else:
            wrote = "incremental"
        notes += [why] if why else []
    return Backup(
        target=target,
        branch=branch_of(workspace.history),
        commit=head,
        wrote=wrote,
        pending=pending,
        planned=True,
        notes=tuple(notes),
    )


def back_up(
    workspace: Workspace,
    target: Target,
    *,
    full: bool = False,
    check: bool = False,
    own: bool = False,
    tell: Tell = lambda *_: None,
) -> Backup:
    """Record what is on disk, save the current branch of the whole repository, and prove it.

    Where a newer program wrote this memory nothing is recorded: what is on disk only is named in a note.

    ``own``: the person has named the history that is kept apart from any repository, where this is one; else
    UsageError.

    Bundles are always restored and compared; a remote's commit is asked for, and with ``check`` the remote
    is cloned anew and compared too. Raises RepositoryStateError while anything is disputed, ConflictError
    where a remote has commits of its own, BackupError, BusyError, and what ``record`` raises.
    """
    _require_named(workspace, own=own)
    refuse_inside(target, workspace.history)
    if full and target.kind == "remote":
        raise UsageError("--full is for bundles: a remote has every commit once")
    finished = require_peace(workspace)
    why_not = _why_not_recorded(workspace)
    workspace.ledger.fold()
    operation = None if why_not else record(workspace)
    commit = workspace.history.head()
    if commit is None:
        raise BackupError("there is nothing to back up: no memory and no commits yet")
    found = unrecorded(workspace, commit)
    notes = [*finished, *_ignored_note(found.ignored), *_left_out_note(why_not, found)]
    ledgers = ledgers_of(workspace.history.carrier)
    work = _Work(workspace, target, commit, branch_of(workspace.history), ledgers, tell, notes)
    try:
        with hold(workspace.state_dir() / "backup.lock", "a backup"):
            if target.kind == "remote":
                wrote = work.send(check=check)
            else:
                place = Path(target.place)
                folder = place if target.kind == "folder" else place.parent
                folder.mkdir(parents=True, exist_ok=True)
                with alone_in(folder):
                    wrote = work.write_one() if target.kind == "file" else work.extend(full=full)
            remember(workspace, target, commit, own=own)
    except OSError as error:
        raise disk_error(error) from error
    return Backup(
        target=target,
        branch=work.branch,
        commit=commit,
        wrote=wrote,
        path=work.path,
        compared=work.compared,
        recorded=operation,
        notes=tuple(work.notes),
    )


def _require_named(workspace: Workspace, *, own: bool) -> None:
    if workspace.history.own and not own:
        raise UsageError(
            f"this history is kept apart from any repository, in {workspace.own_place().where()}; "
            "nothing was saved",
            hint="--own-history says that a backup may hold it",
        )


@dataclass(slots=True)
class _Work:
    """One backup of one commit, and of the ledgers' commits.

    ``path`` is the bundle that holds them, ``compared`` counts files.
    """

    workspace: Workspace
    target: Target
    commit: CommitId
    branch: str
    ledgers: Mapping[str, str]
    tell: Tell
    notes: list[str]
    path: Path | None = None
    compared: int | None = None

    def send(self, *, check: bool) -> str:
        """Push, ask the remote what it has, and with ``check`` compare a fresh clone; what was written."""
        self.tell(f"sending to {self.target.shown}", 0, 0)
        with self._borrowing() as carrier:
            new = push(carrier, self.target, self.branch)
            there = remote_refs(carrier, self.target)[0].get(self.branch)
            new_ledger, why = push_ledgers(carrier, self.target)
            self.notes += [why] if why else []
        if there != self.commit:
            where = there or "no commit"
            raise BackupError(
                f"{self.target.shown} says that {self.branch} is at {where}, not at {self.commit}",
                hint="somebody else may have pushed in the same moment: try again",
            )
        if check:
            self._compare(lambda place: restore_remote(self.target, place, self.branch))
        return "sent" if new or new_ledger else ""

    def extend(self, *, full: bool) -> str:
        """Add a bundle to the folder's chain, or begin a new one where that cannot be gone on with."""
        folder = Path(self.target.place)
        if not full:
            basis, why = basis_of(self.workspace, self.target, self.commit)
            if basis == self.commit and _has_ledgers(Chain(folder), self.ledgers):
                return ""
            if basis is not None:
                try:
                    self._add(Chain(folder), basis)
                except BackupError as error:
                    why = f"{error.message}: so a full backup was made"
                else:
                    return "incremental"
            self.notes += [why] if why else []
        self._add(Chain(folder), None)
        return "full"

    def _add(self, chain: Chain, basis: CommitId | None) -> None:
        final = chain.next_path(full=basis is None)
        before = chain.bundles if basis else []
        put_in_place(self._verified(final, basis, before), final)
        chain.enter([*before, final])
        self.path = final

    def write_one(self) -> str:
        """One bundle with everything. One that is there already is replaced only if it holds nothing else."""
        self.path = final = Path(self.target.place)
        before = _header_or_none(final) if final.exists() else None
        if before and before.commit == self.commit and self.ledgers.items() <= before.ledgers.items():
            try:
                self._compare(lambda place: restore_bundles([final], place))
            except BackupError as error:
                before = None
                self.notes.append(f"{error.message}: so it was made again")
            else:
                return ""
        fresh = self._verified(final, None, [])
        if before is not None and self._holds_all_of(before):
            os.replace(fresh, final)
            return "full"
        if final.exists():
            aside = _free_name(final)
            put_in_place(final, aside)
            what = f"what was in {final.name} is not part of this history"
            self.notes.append(f"{what} and is kept as {aside.name}")
        put_in_place(fresh, final)
        return "full"

    def _holds_all_of(self, header: Header) -> bool:
        """Whether what a bundle has is a part of what is saved now."""
        pairs = [(header.commit, self.commit)]
        pairs += [(CommitId(at), CommitId(self.ledgers.get(name, ""))) for name, at in header.ledgers.items()]
        return all(now and is_ancestor(self.workspace, before, now) for before, now in pairs)

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

    def _compare(self, restore: Callable[[Path], Restored]) -> None:
        """Restore into an empty folder; every memory file must be what is on disk, byte for byte."""
        history = self.workspace.history
        prefix = os.fsdecode(ask(history.carrier, "rev_parse", "--show-prefix")).rstrip("\n")
        kept = recorded_files(self.workspace, self.commit)
        self.tell("restoring it for a trial", 0, 0)
        with scratch("check") as place:
            restored = restore(place / "restored")
            if restored.commit != self.commit:
                raise BackupError(f"{self.target.shown} restores to commit {restored.commit}")
            if self.target.kind != "remote" and not self.ledgers.items() <= restored.ledgers.items():
                raise BackupError(f"the ledger does not come back from {self.target.shown}")
            moved_on = 0
            for at, (path, name) in enumerate(kept.items()):
                if at % _COMPARED == 0:
                    self.tell("comparing", at, len(kept))
                data = (restored.folder / prefix / path).read_bytes()
                if self.workspace.history.name_of(data) != name:
                    raise BackupError(f"{path} does not come back from {self.target.shown} as it is")
                moved_on += data != self.workspace.files.read_or_none(path)
        files = plural(moved_on, "file")
        if moved_on and not unrecorded(self.workspace, self.commit).changes:
            raise BackupError(f"{files} do not come back from {self.target.shown} as they are on disk")
        if moved_on and not _why_not_recorded(self.workspace):
            self.notes.append(f"{files} changed while they were saved; the next backup will hold that")
        self.compared = len(kept)


def _header_or_none(path: Path) -> Header | None:
    try:
        return read_header(path)
    except BackupError:
        return None


def _has_ledgers(chain: Chain, ledgers: Mapping[str, str]) -> bool:
    """Whether a chain restores these references; not so where one of its bundles is damaged."""
    try:
        return ledgers.items() <= chain.ledgers().items()
    except BackupError:
        return False


def _free_name(path: Path) -> Path:
    """A name beside ``path`` that nothing has."""
    number = 1
    while (free := path.with_name(f"{path.stem}-old-{number}{path.suffix}")).exists():
        number += 1
    return free


def _why_not_recorded(workspace: Workspace) -> str:
    """Why what is on disk is not recorded first: nobody knows the format of this memory. Else empty."""
    try:
        require_known_format(workspace.root)
    except NewerFormatError as newer:
        return f"this memory has format {newer.found}, and this program knows up to {newer.known}"
    except UsageError as unknown:
        return unknown.message
    return ""


def _left_out_note(why: str, found: Unrecorded) -> Iterator[str]:
    if why and found.changes:
        yield (
            f"{why}, so nothing was recorded first: what is not committed yet in "
            f"{plural(len(found.changes), 'file')}, for example {next(iter(found.changes))}, is not in it; "
            "`git commit` or a newer workbench records it"
        )


def _ignored_note(ignored: tuple[RelPath, ...]) -> Iterator[str]:
    if ignored:
        yield f"{plural(len(ignored), 'file')} that git ignores are not in it, for example {ignored[0]}"


def run(root: Path, parameters: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """Make the backup. Raises what ``back_up`` raises, and UsageError where there is none to repeat."""
    require_more_than_looking()
    with closing(Workspace.open(root)) as workspace:
        said = parameters.get("target") or None
        target = find_or_repeat(workspace, said)
        context.progress(f"to {target.shown}")
        done = back_up(workspace, target, own=repeats_own(workspace, said), tell=context.progress)
    return {
        "target": done.target.shown,
        "wrote": done.wrote,
        "commit": done.commit or "",
        "compared": done.compared,
        "recorded": len(done.recorded.paths) if done.recorded else 0,
        "notes": list(done.notes),
    }
