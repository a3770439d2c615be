"""The files of one operation, exchanged one after another, rolled back, or finished after a kill."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from workbench.errors import NotMemoryError, WorkbenchError
from workbench.frozen import frozen
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.repository.git_repository import History
from workbench.repository.objects import BlobId, CommitId
from workbench.workspace.files import ASIDE, ChangedError, Files, WriteResult
from workbench.workspace.late_writes import Displaced
from workbench.workspace.plan import OperationId
from workbench.workspace.seal import Seal, read_note
from workbench.workspace.state_files import flush_folder

# -- the intent of an operation, so that a kill leaves it whole or absent ----------------------------

_NAME = "journal.json"
_TEMPORARY = re.compile(r"\.wb-[0-9a-f]+-\d+\.tmp")


@frozen
class FileStep:
    """One file of the operation: which bytes it had, which it gets, and the name of its new file.

    ``mode`` holds the permission bits that it gets when it comes into being. A step that changes nothing
    (text found on disk is committed as it is) has no new file, and its ``temporary`` is empty.
    """

    path: RelPath
    before: BlobId | None
    after: BlobId | None
    temporary: str
    mode: int | None = None

    @property
    def changes(self) -> bool:
        """Whether the file becomes another one."""
        return self.before != self.after


@frozen
class Intent:
    """An operation that is decided: its objects are stored and its commit is built; files come next.

    ``ledger`` is the commit of the ledger that holds its records, where it has any.
    """

    operation: OperationId
    parent: CommitId | None
    commit: CommitId
    message: str
    steps: tuple[FileStep, ...]
    ledger: CommitId | None = None


class Journal:
    """At most one intent, in one file, sealed, and flushed to the disk before the first file is touched."""

    def __init__(self, folder: Path, seal: Seal) -> None:
        self._path = folder / _NAME
        self._seal = seal

    def write(self, intent: Intent) -> None:
        """Make the intent durable."""
        self._seal.write(self._path, intent, fresh=self._path.with_suffix(".new"))
        flush_folder(self._path.parent)

    def read(self) -> Intent | None:
        """The intent that was left behind, or None."""
        try:
            intent, told, seal = read_note(self._path, Intent)
            plain = all(_TEMPORARY.fullmatch(step.temporary) for step in intent.steps if step.changes)
            # Where no key can be kept every seal fits, and the commit that it names has to prove it.
            if plain and self._seal.verifier()(told, seal):
                return intent
        except FileNotFoundError:
            return None
        except ValueError:
            pass  # written atomically, so this was not us; without it nothing can be rolled forward
        self.set_aside()
        return None

    def set_aside(self) -> None:
        """The intent cannot be believed: keep the file under another name."""
        self._path.replace(self._path.with_suffix(".refused"))

    def sweep(self) -> None:
        """Take away what a kill left before an intent was whole: nothing had been done by then."""
        self._path.with_suffix(".new").unlink(missing_ok=True)

    def clear(self) -> None:
        """The intent is carried out, or given up."""
        self._path.unlink(missing_ok=True)


# -- the steps ---------------------------------------------------------------------------------------

MODE = "Mode"
"""The trailer of an operation that keeps the permission bits of a file that goes."""


class IncompleteRollbackError(Exception):
    """Files could be neither finished nor rolled back: the journal has to stay. ``reason`` says why."""

    def __init__(self, reason: WorkbenchError | OSError) -> None:
        super().__init__(str(reason))
        self.reason = reason


@contextlib.contextmanager
def _or_torn() -> Iterator[None]:
    """What fails in it leaves files torn."""
    try:
        yield
    except (WorkbenchError, OSError) as error:
        raise IncompleteRollbackError(error) from error


class Steps:
    """What is done to the files, each step by itself; the journal and the branch are not known here."""

    def __init__(self, files: Files, history: History, displaced: Displaced) -> None:
        self._files = files
        self._history = history
        self._displaced = displaced

    def do_all(self, steps: tuple[FileStep, ...], edits: tuple[FileEdit, ...]) -> list[str]:
        """Exchange the files; when one of them has changed or fails, put the earlier ones back.

        Returns what the person should be told. Raises ChangedError, WorkbenchError and OSError when all
        files are as they were, and IncompleteRollbackError when they are not.
        """
        done: list[tuple[FileStep, FileEdit, WriteResult]] = []
        notes: list[str] = []
        try:
            for step, edit in zip(steps, edits, strict=True):
                written = self._replace(edit, step)
                done.append((step, edit, written))
                if not written.durable:
                    notes.append(f"{edit.path} is saved, durability unconfirmed")
        except (ChangedError, WorkbenchError, OSError):
            with _or_torn():
                for step, edit, written in reversed(done):
                    self._put_back(step, edit, written)
            raise
        return notes

    def finish(self, step: FileStep) -> bool:
        """Make one file what the operation made it, unless somebody else rewrote it; whether it is so."""
        try:
            return self._finish(step)
        except NotMemoryError:  # its folder is a link now: all in there is somebody else's
            return False

    def _finish(self, step: FileStep) -> bool:
        before, after = self._bytes(step.before), self._bytes(step.after)
        now, state, tail = None, "foreign", b""
        with contextlib.suppress(NotMemoryError):  # a link or a folder now
            now = self._files.read_or_none(step.path)
            state, tail = _state(now, before, after)
        versions = sorted((v for v in (before, after) if v is not None), key=len, reverse=True)
        for name in _left(step.temporary):
            foreign = self._settle(step.path, name, tail, versions)
            if foreign and state == "new":
                # Killed between the two swaps of a conflict: the version beside is somebody else's.
                self._files.swap_beside(step.path, name)
                if after is not None:
                    self._displaced.keep(step.path, name, after)
                return False
            if foreign:
                self._displaced.keep(step.path, name, None)
        if state != "old":
            return state == "new"
        target = after if not tail else (after or b"") + tail
        try:
            self._replace(FileEdit(step.path, now, target), step)
        except ChangedError:
            return False
        except IncompleteRollbackError as torn:
            raise torn.reason from torn
        return True

    def _put_back(self, step: FileStep, edit: FileEdit, written: WriteResult) -> None:
        """Take one file of a failed operation back; text of somebody else stays."""
        now = self._files.read_or_none(edit.path)
        if now is None and edit.after is not None:
            return
        if now is not None and (edit.after is None or not now.startswith(edit.after)):
            return
        if not written.displaced:
            tail = (now or b"")[len(edit.after or b"") :] or None
            with contextlib.suppress(ChangedError):
                back = replace(step, temporary=_back(step.temporary))
                self._replace(FileEdit(edit.path, now, tail), back)
            return
        self._displaced.fetch(edit.path, written.displaced)
        self._take_back(edit, written)

    def _take_back(self, edit: FileEdit, written: WriteResult) -> None:
        """Exchange once more, which needs no space; the displaced file lies beside."""
        path, name = edit.path, written.displaced or ""
        after = None if edit.after is None else edit.after + written.carried
        if not self._files.take_back(path, name, after):
            self._displaced.keep(path, name, (edit.before or b"") + written.carried)
        elif (ours := self._files.read_beside(path, name)) is not None:
            try:
                self._displaced.keep(path, name, ours)
            except (WorkbenchError, OSError):  # no space for a note: all of it stands in the old file
                self._files.remove_beside(path, name)

    def _replace(self, edit: FileEdit, step: FileStep) -> WriteResult:
        """Replace one file and keep what may still be written to; in an error it is as it was."""
        path, before = edit.path, edit.before
        try:
            written = self._files.replace(path, before, edit.after, temporary=step.temporary, mode=step.mode)
        except ChangedError as changed:
            if changed.left:
                with _or_torn():
                    self._displaced.keep(path, changed.left, changed.known)
            raise
        if written.displaced:
            try:
                self._displaced.keep(path, written.displaced, (before or b"") + written.carried)
            except (WorkbenchError, OSError):
                with _or_torn():
                    self._take_back(edit, written)
                raise
        return written

    def _settle(self, path: RelPath, name: str, tail: bytes, versions: list[bytes]) -> bool:
        """Put a temporary file that was left behind where it belongs; ``tail`` is in the file already.

        Does nothing and returns True when it holds text that is in neither version.
        """
        content = self._files.read_beside(path, name)
        if content is None:
            return False
        if self._files.is_same_file(path, name):
            self._files.remove_beside(path, name)
            return False
        if any(version.startswith(content) for version in versions):
            self._displaced.keep(path, name, content)
            return False
        for version in versions:
            if content.startswith(version):
                self._displaced.keep(path, name, content if content[len(version) :] in tail else version)
                return False
        return True

    def _bytes(self, blob: BlobId | None) -> bytes | None:
        return None if blob is None else self._history.stored(blob)


def programs(steps: Iterable[FileStep]) -> set[RelPath]:
    """The files that an operation makes executable ones."""
    return {step.path for step in steps if step.before is None and step.mode and step.mode & 0o100}


def private_modes(steps: Iterable[FileStep]) -> list[tuple[str, str]]:
    """What git cannot remember of the files that go: that not everybody could read them."""
    return [
        (MODE, f"{step.mode & 0o777:03o} {step.path}")
        for step in steps
        if step.after is None and step.mode is not None and not step.mode & 0o004
    ]


def _state(now: bytes | None, before: bytes | None, after: bytes | None) -> tuple[str, bytes]:
    """Whether a file is ``old``, ``new``, or ``foreign``: something that we never planned on; what it adds.

    An agent may have appended to either version, and either may be a prefix of the other: the longer one
    that fits decides.
    """
    if now is None:
        return "new" if after is None else "old" if before is None else "foreign", b""
    fitting = [
        (len(version), name)
        for version, name in ((before, "old"), (after, "new"))
        if version is not None and now.startswith(version)
    ]
    known, state = max(fitting, default=(0, "foreign"))
    return state, now[known:]


def _left(temporary: str) -> list[str]:
    """The names under which a kill may leave files of a step."""
    names = (temporary, _back(temporary))
    return [name + end for name in names for end in ("", ASIDE)]


def _back(temporary: str) -> str:
    """The name of the temporary file with which a step is rolled back."""
    return temporary.removesuffix(".tmp") + "-back.tmp"
