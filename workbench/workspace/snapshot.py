"""A workspace as it was: its memory files of one commit, laid out beside today's, to be read only.

The folder ``.workbench/past/<commit>/`` looks like any workspace, so whatever reads a workspace reads this
one too; its index is built below it. Every action on it is refused.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NoReturn

from workbench.config.settings import Settings
from workbench.errors import NotMemoryError, NoWorkspaceError, ReadOnlyError, WriteFailedError, disk_errors
from workbench.memory.entry import RelPath
from workbench.repository.git_repository import History
from workbench.repository.objects import Commit, CommitId
from workbench.special_files import make_folder, read_regular
from workbench.workspace import layout, ledger
from workbench.workspace.external_changes import unrecorded
from workbench.workspace.files import Files
from workbench.workspace.ledger import Ledger, LedgerPage
from workbench.workspace.locks import hold
from workbench.workspace.own_history import open_history
from workbench.workspace.plan import Book, Operation
from workbench.workspace.revisions import commit_at
from workbench.workspace.transaction import Operations
from workbench.workspace.workspace import Workspace

KEPT = 4
"""Moments that stay on disk; the one that was opened longest ago goes first."""
MAX_FILES = 200_000
MAX_BYTES = 4 << 30
_TOLD_EVERY = 100
_FOLDER = "past"
_NAME = re.compile(r"[0-9a-f]{12}")
_COMMIT_FILE = "moment"
_UNFIT = frozenset(
    {errno.ENAMETOOLONG, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.EILSEQ, errno.EINVAL}
)
_LONGEST = 4096
"""Characters of a path; no file system that we know of takes more."""
_LOCK_SECONDS = 60.0
"""Laying a large workspace out takes a while; who asks for the same moment meanwhile waits for it."""


class PastWorkspace(Workspace):
    """A workspace at one moment. Reads as any other; every action raises ReadOnlyError."""

    def __init__(self, root: Path, settings: Settings, commit: CommitId) -> None:
        # What lies elsewhere is as it is today: no part of the past.
        super().__init__(root, replace(settings, extra_paths=(), transcripts=()))
        self.commit = commit

    @property
    def today(self) -> Path:
        """The folder of today's workspace."""
        return self.root.parents[2]

    @cached_property
    def history(self) -> History:
        """What had happened up to this moment."""
        history = open_history(self.today, self.layout)
        history.at = self.commit
        return history

    @cached_property
    def operations(self) -> Operations:
        """What had been done up to this moment, and no way to do more."""
        return _PastOperations(self)

    @cached_property
    def ledger(self) -> Ledger:
        """Nothing: what was decided and given by then is not told apart."""
        return _PastLedger(self)

    @property
    def moment(self) -> str:
        """The moment for people: ``2026-03-14 10:00 (1a2b3c4d5e6f)``."""
        commit = self.history.commit(self.commit)
        return f"{commit.when.astimezone():%Y-%m-%d %H:%M} ({self.commit[:12]})"

    def cache_dir(self) -> Path:
        """Where derived things lie that all moments share: the folder of today's workspace."""
        return self.today / layout.STATE_DIR


def open_past(workspace: Workspace, at: str) -> PastWorkspace:
    """The workspace as it was at ``at``: an operation or commit (right after it), or a day (its end).

    Files that git has but this file system cannot hold are left out, as are those that the settings of today
    do not call memory, and the quarantine. Raises what ``commit_at`` and ``workspace.history`` raise,
    ReadOnlyError where nothing can be laid out, WriteFailedError.
    """
    if isinstance(workspace, PastWorkspace):
        raise ReadOnlyError(
            f"this is already memory as of {workspace.moment}", hint="open the current workspace first"
        )
    return open_commit(workspace, commit_at(workspace.history, at))


def open_commit(
    workspace: Workspace, commit: Commit, told: Callable[[int], None] = lambda files: None
) -> PastWorkspace:
    """The workspace as it was right after ``commit``. Raises as ``open_past`` does.

    ``told`` hears now and then how many files were written; what it raises ends it, and nothing is left.
    """
    workspace.history.require_untracked(layout.STATE_DIR)  # a clone may not bring a past of its own
    with disk_errors():
        root = _laid_out(workspace, commit, told)
    return PastWorkspace(root, workspace.settings, commit.id)


def past_at(root: Path, settings: Settings) -> PastWorkspace | None:
    """The past workspace that lies in ``root``, if one does: opened again by its folder alone."""
    if not _NAME.fullmatch(root.name) or root.parts[-3:-1] != (layout.STATE_DIR, _FOLDER):
        return None
    name = _commit_of(root)
    if not name:
        raise NoWorkspaceError(f"{root} is not complete", hint="open it again with --as-of")
    return PastWorkspace(root, settings, name)


def _commit_of(root: Path) -> CommitId | None:
    """The commit that lies in ``root``, written last; None where that is not whole."""
    try:
        name = read_regular(root / layout.STATE_DIR / _COMMIT_FILE).decode("ascii").strip()
    except (OSError, ValueError):
        return None
    return CommitId(name) if name.startswith(root.name) and not root.is_symlink() else None


def _laid_out(workspace: Workspace, commit: Commit, told: Callable[[int], None]) -> Path:
    """The folder of a moment, made where it is missing."""
    folder = workspace.state_dir() / _FOLDER
    make_folder(folder)
    root = folder / commit.id[:12]
    with hold(folder / "lock", "looking back", wait=_LOCK_SECONDS):
        if _commit_of(root) != commit.id:
            _remove(root)
            making = folder / f".{commit.id[:12]}"
            _remove(making)
            making.mkdir(mode=0o700)
            try:
                _write_files(workspace, commit, making, told)
                os.rename(making, root)
            except BaseException:
                _remove(making)
                raise
        _copy_settings(workspace.root, root)
        os.utime(root)
        _sweep(folder, keep=root)
    return root


def _write_files(workspace: Workspace, commit: Commit, root: Path, told: Callable[[int], None]) -> None:
    """The memory files of a commit, read-only, and the settings of today."""
    written = files = folders = 0

    def enter(folder: str, _: str) -> bool:
        nonlocal folders
        folders += 1
        _require_bounded(commit, folders, written)
        return _is_safe(folder) and not workspace.layout.prunes(folder)

    for path, blob in workspace.history.files_in(commit.id, enter):
        if _is_safe(path) and workspace.layout.holds(path):
            data = workspace.history.stored(blob)
            files, written = files + 1, written + len(data)
            _require_bounded(commit, files, written)
            _write(root, path, data)
            if files % _TOLD_EVERY == 0:
                told(files)
    state = root / layout.STATE_DIR
    state.mkdir(mode=0o700)
    (state / ".gitignore").write_text("*\n", encoding="ascii")
    (state / _COMMIT_FILE).write_text(commit.id + "\n", encoding="ascii")


def _require_bounded(commit: Commit, count: int, written: int) -> None:
    if count > MAX_FILES or written > MAX_BYTES:
        raise WriteFailedError(
            f"the memory of {commit.id[:12]} is too large to be written out",
            hint=f"at most {MAX_FILES:,} files and {MAX_BYTES >> 30} GB; use git worktree instead",
        )


def _is_safe(path: str) -> bool:
    """Whether a path of a tree stays where it says: no part is empty, hidden or a way up."""
    return len(path) <= _LONGEST and all(part and not part.startswith(".") for part in path.split("/"))


def _write(root: Path, path: RelPath, data: bytes) -> None:
    """Write one file anew; one that the file system cannot hold (its name is too long) is left out."""
    try:
        Files(root).lay(path, data, mode=0o444)
    except NotMemoryError:  # a file stands where its folder should be
        return
    except OSError as error:
        if error.errno not in _UNFIT:
            raise


def _copy_settings(today: Path, root: Path) -> None:
    """What is memory is judged by the settings of today, also by programs that open the folder later."""
    target = root / layout.SETTINGS_FILE
    target.unlink(missing_ok=True)
    source = today / layout.SETTINGS_FILE
    if source.is_file() and not source.is_symlink():
        _write(root, RelPath(layout.SETTINGS_FILE), source.read_bytes())


def _sweep(folder: Path, keep: Path) -> None:
    """Remove what an interrupted process left, and the moments beyond the bound."""
    there = [folder / name for name in os.listdir(folder) if name != "lock"]
    moments = sorted((p for p in there if _NAME.fullmatch(p.name)), key=lambda p: p.lstat().st_mtime_ns)
    kept = {keep, *[path for path in moments if path != keep][-(KEPT - 1) :]}
    for path in there:
        if path not in kept:
            _remove(path)


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)


class _PastLedger(Ledger):
    """The ledger of a moment: empty."""

    def pages(self, book: Book) -> Iterator[LedgerPage]:
        """None."""
        return iter(())


class _PastOperations(Operations):
    """Operations up to one moment; none can be added."""

    def _exclusive(self, purpose: str, *, commits: bool = False) -> NoReturn:
        """What every action begins with. Raises ReadOnlyError."""
        raise ReadOnlyError(
            f"this is the memory as it was on {self._workspace.moment}: it is read-only",
            hint="omit --as-of to change current memory",
        )


# -- the moments of a memory one after the other: right after each change, newest first --------------


class SnapshotCommits:
    """The commits that changed memory, as the branch saw them (first parents), read as far as asked.

    A commit that touches no memory file is no moment: nothing would be seen to change. Nor is one that
    merely adds to the ledger. Not for use from two threads at once.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.head = workspace.history.head()
        self.known: list[Operation] = []
        """Those that were read so far."""
        self.looked_at = 0
        """Commits that were read to find them."""
        self._workspace = workspace
        self._next: CommitId | None = self.head

    @property
    def whole(self) -> bool:
        """Whether there are no more than those that are known."""
        return self._next is None

    def read(self, count: int, *, most: int) -> None:
        """Have ``count`` moments, if there are as many; looks at no more than ``most`` further commits.

        Raises RepositoryStateError when a commit is not there any more.
        """
        until, holds = self.looked_at + most, self._workspace.layout.holds
        while len(self.known) < count and self._next and self.looked_at < until:
            commit = self._workspace.history.commit(self._next)
            operation = self._workspace.operations.of(commit.id)
            self.looked_at += 1
            self._next = None if commit.cut_off else commit.parent
            is_moment = operation.action != ledger.ACTION and any(map(holds, operation.paths))
            if is_moment or commit.cut_off:  # what a shallow clone ends with is not told
                self.known.append(operation)


def stands_recorded(workspace: Workspace) -> bool:
    """Whether memory on disk is what the newest commit says. Reads all memory files."""
    changes = unrecorded(workspace, workspace.history.head()).changes
    return not any(map(workspace.layout.holds, changes))
