"""The intent of the operation that is being carried out, so that a kill leaves it whole or absent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from workbench.memory.names import BlobId, CommitId, OperationId, RelPath
from workbench.workspace.seal import Seal, read_note
from workbench.workspace.state_files import flush_folder

_NAME = "journal.json"
_TEMPORARY = re.compile(r"\.wb-[0-9a-f]+-\d+\.tmp")


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
            # Where no key can be kept no seal is known later, and the commit it names has to prove it.
            if plain and (self._seal.fits(told, seal) or not self._seal.lasts):
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
