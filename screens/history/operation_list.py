"""What was done, of everything, of one file or of one entry: read on as far as somebody looks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from workbench.memory.address import path_of
from workbench.memory.names import CommitId, RelPath
from workbench.workspace import ledger
from workbench.workspace.operation_filter import Wanted
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class OperationScope:
    """Whose operations: of the entry at ``address``, else of the file ``path``, else all."""

    path: str = ""
    address: str = ""

    @property
    def of_entry(self) -> bool:
        """Whether it is one entry."""
        return "#" in self.address

    def wider(self) -> OperationScope | None:
        """From an entry to its file, from a file to everything."""
        if self.of_entry:
            return OperationScope(self.path)
        return OperationScope() if self.path else None


EVERYTHING = OperationScope()


@dataclass(frozen=True, slots=True)
class OperationPage:
    """What was read so far: ``told`` of ``looked_at`` operations; ``quiet`` ones are left out.

    ``whole`` says that there are no more, ``notes`` what is worth telling of one, by its commit.
    """

    told: tuple[Operation, ...] = ()
    looked_at: int = 0
    quiet: int = 0
    whole: bool = False
    notes: dict[CommitId, str] = field(default_factory=dict)


class Chronicle:
    """Reads the operations of a scope, newest first. Runs in the historian's thread alone."""

    def __init__(
        self, scope: OperationScope = EVERYTHING, wanted: Wanted | None = None, *, everything: bool
    ) -> None:
        self.scope = scope
        self._wanted = wanted or Wanted()
        self._everything = everything
        self._walk: Iterator[Operation] | None = None
        self._notes: dict[CommitId, str] = {}
        self._page = OperationPage()

    def read(self, workspace: Workspace, count: int, *, most: int) -> OperationPage:
        """Have ``count`` operations; looks at no more than ``most`` further ones for that.

        Raises WorkbenchError; what was read stays.
        """
        if self._walk is None:
            self._walk = self._of(workspace)
        page = self._page
        told, looked_at, quiet, whole = list(page.told), page.looked_at, page.quiet, page.whole
        until = looked_at + most
        while len(told) < count and looked_at < until and not whole:
            operation = next(self._walk, None)
            if operation is None:
                whole = True
                break
            looked_at += 1
            if operation.action == ledger.ACTION and not self._everything:
                quiet += 1
            elif self._wanted.holds(operation):
                told.append(operation)
        self._page = OperationPage(tuple(told), looked_at, quiet, whole, dict(self._notes))
        return self._page

    def _of(self, workspace: Workspace) -> Iterator[Operation]:
        if self.scope.of_entry:
            return self._of_entry(workspace)
        if self.scope.path:
            return self._of_file(workspace)
        return workspace.operations.walk()

    def _of_file(self, workspace: Workspace) -> Iterator[Operation]:
        from workbench.history.renames import file_log  # noqa: PLC0415 - only where a file is asked for

        for step in file_log(workspace, self.scope.path):
            if step.renamed_from:
                self._notes[step.operation.commit] = f"renamed from {step.renamed_from}"
            yield step.operation

    def _of_entry(self, workspace: Workspace) -> Iterator[Operation]:
        from workbench.history.lineage import lineage  # noqa: PLC0415 - only where an entry is asked for

        steps = [step for step in lineage(workspace, self.scope.address) if step.deed.commit]
        paths = {path_of(address) for step in steps for address in (*step.before, *step.after)}
        known: dict[CommitId, Operation] = {}
        for path in paths:  # whether each stands or is undone is known from the history of its file alone
            known |= {one.commit: one for one in workspace.operations.walk(path=RelPath(path))}
        for step in steps:
            commit = step.deed.commit
            assert commit is not None
            if not step.deed.ours or step.what != step.deed.action:
                self._notes[commit] = f"{step.what}: {step.text}"
            yield known.get(commit) or workspace.operations.of(commit)
