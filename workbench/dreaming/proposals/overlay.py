"""A workspace as it would be after some plans, so that the next plan is made on what those leave.

Every plan function reads its workspace through ``files``; given this one in its place it sees the files as
the plans before it would leave them. So any number of plans become one, however often they touch the same
file. Nothing is written.
"""

from __future__ import annotations

import contextlib
from functools import cached_property

from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.memory.provenance import MarkReader
from workbench.repository.git_repository import History
from workbench.workspace.files import Files
from workbench.workspace.layout import MemoryFile
from workbench.workspace.ledger import Ledger
from workbench.workspace.plan import LedgerRecord, Plan
from workbench.workspace.short_marks import details_of, shortened_edit
from workbench.workspace.transaction import Operations
from workbench.workspace.workspace import Workspace


class OverlayWorkspace(Workspace):
    """A workspace with the edits of plans that are not carried out laid over its files."""

    def __init__(self, base: Workspace) -> None:
        super().__init__(base.root, base.settings)
        self._base = base
        self._laid: dict[RelPath, FileEdit] = {}
        self._read: dict[RelPath, bytes | None] = {}
        self.records: list[LedgerRecord] = []
        """What the plans add to the ledger."""
        self.files = _OverlayFiles(base.files, self._laid, self._read)

    @cached_property
    def history(self) -> History:
        """What really happened."""
        return self._base.history

    @cached_property
    def operations(self) -> Operations:
        """What was really done."""
        return self._base.operations

    @cached_property
    def ledger(self) -> Ledger:
        """What was really decided."""
        return self._base.ledger

    def marks(self) -> MarkReader:
        """What short marks stand for, those that the plans make among them."""
        details = details_of([one.fields for one in self.records if one.book == "provenance"])
        known = self._base.marks()
        return lambda *mark: details.get(mark) or known(*mark)

    def close(self) -> None:
        """Nothing: whoever opened the workspace below closes it."""

    def scan(self) -> list[MemoryFile]:
        """The memory files that there would be."""
        found = {file.path: file for file in self._base.scan()}
        for path, edit in self._laid.items():
            found.pop(path, None)
            if edit.after is not None and self.layout.holds(path):
                found[path] = MemoryFile(
                    path=path,
                    kind=self.layout.kind_of(path),
                    size=len(edit.after),
                    ctime_ns=0,
                    inode=0,
                    named=self.layout.named(path),
                )
        return sorted(found.values(), key=lambda file: file.path)

    def lay(self, edit: FileEdit) -> None:
        """Take one edit for done. ``edit.before`` must be what the file would be now: ValueError."""
        if self.files.read_or_none(edit.path) != edit.before:
            raise ValueError(f"the edit of {edit.path} was planned on a different text")
        edit, details = shortened_edit(edit, self.marks(), self.layout.kind_of(edit.path))
        self.records += details
        first = self._laid.get(edit.path)
        before = first.before if first else edit.before
        self._laid[edit.path] = FileEdit(edit.path, before, edit.after, edit.mode)

    def copy(self) -> OverlayWorkspace:
        """The same, to try something on."""
        other = OverlayWorkspace(self._base)
        other._laid.update(self._laid)
        other._read.update(self._read)
        other.records += self.records
        return other

    def lay_plan(self, plan: Plan) -> None:
        """Take a plan for done."""
        for edit in plan.edits:
            self.lay(edit)
        self.records += plan.records

    def edits(self) -> tuple[FileEdit, ...]:
        """What all of it comes to for each file, in the order in which they were first touched."""
        return tuple(edit for edit in self._laid.values() if edit.before != edit.after)


class _OverlayFiles(Files):
    """Reads what is laid over a file in its place, and each other file once.

    What an agent writes between two looks would otherwise be in the version that an edit starts from and not
    in the one that it makes. Writing is nobody's business here.
    """

    def __init__(self, base: Files, laid: dict[RelPath, FileEdit], read: dict[RelPath, bytes | None]) -> None:
        super().__init__(base.root)
        self._laid = laid
        self._read = read

    def read(self, path: RelPath) -> bytes:
        edit = self._laid.get(path)
        if edit is None and path not in self._read:
            self._read[path] = None
            with contextlib.suppress(FileNotFoundError):
                self._read[path] = super().read(path)
        data = edit.after if edit else self._read[path]
        if data is None:
            raise FileNotFoundError(path)
        return data
