"""The moments of a memory one after the other: what it was right after each change of it, newest first."""

from __future__ import annotations

from workbench.memory.names import CommitId
from workbench.workspace import ledger
from workbench.workspace.external_changes import unrecorded
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace


class Moments:
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
        until = self.looked_at + most
        while len(self.known) < count and self._next is not None and self.looked_at < until:
            commit = self._workspace.history.commit(self._next)
            operation = self._workspace.operations.of(commit.id)
            self.looked_at += 1
            self._next = commit.parents[0] if commit.parents and not commit.cut_off else None
            if self._is_moment(operation) or commit.cut_off:  # what a shallow clone ends with is not told
                self.known.append(operation)

    def _is_moment(self, operation: Operation) -> bool:
        holds = self._workspace.layout.holds
        return operation.action != ledger.ACTION and any(map(holds, operation.paths))


def stands_recorded(workspace: Workspace) -> bool:
    """Whether memory on disk is what the newest commit says. Reads all memory files."""
    changes = unrecorded(workspace, workspace.history.head()).changes
    return not any(map(workspace.layout.holds, changes))
