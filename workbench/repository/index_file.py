"""The person's own git index, rewritten for exactly the paths of an operation; and locks that git left."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from workbench import processes
from workbench.errors import RepositoryStateError, WriteFailedError
from workbench.frozen import frozen
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.repository.objects import BlobId, CommitId

if TYPE_CHECKING:
    from workbench.repository.git_repository import History


# -- the index ---------------------------------------------------------------------------------------

_LOCK_TRIES = 6
_LOCK_SECONDS = 0.1
_AT_ONCE = 500
"""Paths that one command line names: there is a limit to its length."""
_MOST_AGAIN = 20
"""Paths that are read along, as they were asked for before."""
_LAG_DEPTH = 50
"""Commits of ours that the person's index may lie behind."""


@frozen
class IndexRow:
    """One line of the index; ``tag`` is S for what a sparse checkout left out, small for assumed."""

    tag: str
    mode: str
    blob: str
    stage: str
    path: str

    @property
    def is_skipped(self) -> bool:
        """Whether a sparse checkout left the file out, or the person asked git not to look at it."""
        return self.tag in "Ss"

    @property
    def options(self) -> list[str]:
        """What brings the person's marks back to a line that was replaced."""
        wanted = {"--assume-unchanged": self.tag.islower(), "--skip-worktree": self.is_skipped}
        return [option for option, is_set in wanted.items() if is_set]


class Staging:
    """The index of one repository, for paths below the workspace's place in it."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._known: tuple[object, dict[str, list[IndexRow]]] = (None, {})
        """What was read since the index was written last, and what tells when that was."""

    def rows(self, paths: Iterable[RelPath]) -> list[IndexRow]:
        """What the index says of these paths, and of what is below them.

        Git is asked for what was not asked since the index was written last. What was asked before that will
        be asked again, so it is read along.
        """
        wanted, stands = list(paths), self._stands()
        then, known = self._known
        asked: list[str] = [path for path in wanted if path not in known]
        if then != stands:
            asked = list(dict.fromkeys([*wanted, *islice(known, _MOST_AGAIN)]))
            known = {}
        found: dict[str, list[IndexRow]] = {path: [] for path in asked}
        for at in range(0, len(asked), _AT_ONCE):
            for row in self._read(asked[at : at + _AT_ONCE]):
                owner = row.path
                while owner not in found and "/" in owner:
                    owner = owner.rpartition("/")[0]
                found.setdefault(owner, []).append(row)
        known = known | found
        self._known = stands, known
        return [row for path in wanted for row in known[path]]

    def _read(self, paths: Iterable[str]) -> Iterator[IndexRow]:
        names = [":(top,literal)" + self._history.prefix + path for path in paths]
        out = self._history.run("ls_files", "-v", "--stage", "-z", "--full-name", "--", *names)
        for record in filter(None, os.fsdecode(out).split("\0")):
            meta, _, full = record.partition("\t")
            tag, mode, blob, stage = meta.split(" ")
            yield IndexRow(tag, mode, blob, stage, full[len(self._history.prefix) :])

    def _stands(self) -> object:
        """Another value each time that the index was written: git puts a new file in its place."""
        try:
            found = os.stat(self._history.git_dir / "index")
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    def require_nothing_else(self, head: CommitId | None, row: IndexRow | None, edit: FileEdit) -> None:
        """Raise RepositoryStateError when the person has staged other text for a file than it holds.

        What is staged must be what is committed or what is on disk.

        Anything else is work of the person's that neither has; their next commit would set it in the
        place of what we do now.
        """
        kept = self._history.blob_id(head, edit.path)
        on_disk = None if edit.before is None else self._history.name_of(edit.before)
        if self._stands_at(row, kept) or self._stands_at(row, on_disk) or self._lags(row, edit.path):
            return
        what = "has staged changes that differ from the file"
        if not row:
            what = "is staged as deleted, but the file exists"
        raise RepositoryStateError(
            f"{edit.path} {what}; nothing was changed",
            hint=f"commit what you have staged, or unstage it: git reset -q -- {edit.path}",
        )

    def follow(self, old: CommitId | None, new: CommitId, paths: Iterable[RelPath]) -> str:
        """Follow the branch in the person's own index for those paths that equalled the old commit.

        Without this their next plain ``git commit`` would take our change back. What they have staged
        stays. Returns "" or a sentence that says why it could not be done.
        """
        wanted = tuple(paths)
        try:
            staged = {row.path: row for row in self.rows(wanted)}
        except RepositoryStateError as error:
            return f"git's index was not refreshed: {error.message}"
        lines: list[tuple[RelPath, str | None, IndexRow | None]] = []
        for path in wanted:
            row, node = staged.get(path), self._history.node(new, path)
            if node and not node.is_file:
                node = None
            if row and (row.stage != "0" or (node and row.blob == node.id)):
                continue
            if not (self._stands_at(row, self._history.blob_id(old, path)) or self._lags(row, path)):
                continue
            to = f"{row.mode if row else node.mode.decode()} {node.id}" if node else None
            if to or row:
                lines.append((path, to, row))
        if not lines:
            return ""
        for _ in range(_LOCK_TRIES):  # the git of a killed workbench may hold it just now
            with contextlib.suppress(WriteFailedError):
                self._put(lines)
                return ""
            time.sleep(_LOCK_SECONDS)
        return (
            "git's index is locked, so it was not refreshed: run `git reset -q -- "
            + " ".join(wanted)
            + "` before your next plain commit"
        )

    def _put(self, lines: Iterable[tuple[RelPath, str | None, IndexRow | None]]) -> None:
        """Give each path the mode and blob ``MODE BLOB`` (None: take it out), keeping the marks of its row.

        Raises WriteFailedError, having changed nothing, when the index is locked.
        """
        kept, prefix = list(lines), self._history.prefix
        nothing = "0 " + "0" * len(self._history.name_of(b""))
        data = [os.fsencode(f"{to or nothing} 0\t{prefix}{path}") for path, to, _ in kept]
        self._history.feed(_records(data), "update_index", "--add", "-z", "--index-info")
        for option in ("--assume-unchanged", "--skip-worktree"):
            marked = [os.fsencode(path) for path, to, row in kept if to and row and option in row.options]
            if marked:
                self._history.feed(_records(marked), "update_index", option, "-z", "--stdin")

    def _stands_at(self, row: IndexRow | None, blob: BlobId | None) -> bool:
        """Whether the index says this of a file. `git add -N` says that it is still to come."""
        if not row:
            return blob is None
        return row.blob == blob or (blob is None and row.blob == self._history.name_of(b""))

    def _lags(self, row: IndexRow | None, path: RelPath) -> bool:
        """Whether the index says what stood before our newest commits, as after a locked index."""
        for commit in islice(self._history.commits(path=path), _LAG_DEPTH):
            if commit.trailer("Operation") is None:
                return False
            before = self._history.blob_id(commit.parent, path)
            if self._stands_at(row, before):
                return True
        return False


def _records(items: Iterable[bytes]) -> bytes:
    return b"".join(item + b"\0" for item in items)


# -- locks of git's that nobody holds any more: which are proven to be, and which were ours ----------

_LONGEST_SECONDS = 60.0
"""What may lie between the beginning of an action and the last lock that its git takes."""
_YOUNG_SECONDS = 5.0
"""A lock is this long in nobody's hands before a person is told to remove it."""
_BY_HAND = "if no git is running, remove the stale .lock file in the message"
_NAMED = re.compile(r"'([^'\n]+\.lock)'")


def remove_left_locks(folders: Sequence[Path], names: Sequence[str], since: float) -> None:
    """Take away the locks that a killed action of ours, begun at ``since``, left.

    ``folders`` are where git may be at work, the first of which hold the lock files ``names``. A lock is ours
    when it came while that action ran; it goes only when no git that could hold it lives.
    """
    found = [path for folder in folders for name in names if _came(path := folder / name, since)]
    if not found or processes.gits(folders) != ():
        return
    for path in found:
        if _is_free(path):
            with contextlib.suppress(OSError):
                path.unlink()


def way_out(reason: str, folders: Sequence[Path]) -> str:
    """What a person can do about the lock file that git names in ``reason``."""
    named, gits = _NAMED.search(reason), processes.gits(folders)
    if named and gits:
        return f"{gits[0]} is running here: try again when it has finished"
    if named and gits is not None and _is_free(lock := Path(named[1])):
        with contextlib.suppress(OSError):
            if time.time() - lock.stat().st_mtime >= _YOUNG_SECONDS:
                return (
                    "no git process is running here and nobody has it open, so it is stale: rm "
                    f"{shlex.quote(str(lock))}"
                )
    return _BY_HAND


def _is_free(lock: Path) -> bool:
    """Whether nobody has a lock file open, as far as that can be known for certain."""
    return processes.opened_by(lock) == () and processes.is_local(lock)


def _came(path: Path, since: float) -> bool:
    with contextlib.suppress(OSError):
        return -0.01 <= path.lstat().st_mtime - since <= _LONGEST_SECONDS
    return False
