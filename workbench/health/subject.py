"""The workspace as the doctor meets it: one whose settings cannot be read is looked at all the same."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from indexing.sync.report import OnProgress
from workbench.config.settings import Settings
from workbench.errors import UsageError
from workbench.workspace.late_lines import carry_late
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.workspace import Workspace


@dataclass(slots=True)
class CheckSubject:
    """A workspace, the moment it is looked at (seconds since 1970), and what is permitted.

    ``unreadable`` says why its settings do not count; then the defaults stand in for them. ``network``
    is the person's word that a model provider may be asked whether it is there.
    """

    workspace: Workspace
    unreadable: UsageError | None = None
    now: float = field(default_factory=time.time)
    network: bool = False
    progress: OnProgress = None

    @classmethod
    def open(cls, root: Path, *, network: bool = False, progress: OnProgress = None) -> CheckSubject:
        """The workspace at ``root``. Raises NoWorkspaceError when there is no such folder."""
        try:
            workspace = Workspace.open(root)
            carry_late(workspace)
            return cls(workspace, network=network, progress=progress)
        except UsageError as error:
            return cls(Workspace(root.resolve(), Settings()), error, network=network, progress=progress)

    @property
    def root(self) -> Path:
        """The folder of the workspace."""
        return self.workspace.root

    @property
    def state(self) -> Path:
        """``.workbench``, whether it is there or not."""
        return self.workspace.root / STATE_DIR

    def close(self) -> None:
        """End what reading the history started."""
        self.workspace.close()
