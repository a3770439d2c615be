"""The dialog in which a person chooses a workspace; how each is doing is told as it becomes known."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from textual.await_complete import AwaitComplete

from screens.dialogs.choose import ChooseScreen
from screens.drawing.safe_text import words
from screens.workspaces.answers import HERE
from screens.workspaces.rows import typed_rows, workspace_rows
from workbench.health.places import WorkspaceStatus, standing
from workbench.workspace.registry import Registry


class WorkspaceChooser(ChooseScreen):
    """Ends with the id of a row, or None; ``leaves`` is told first which, before any further key."""

    def __init__(self, known: Registry, here: Path, leaves: Callable[[str], None]) -> None:
        rows = workspace_rows(known, here, {})
        super().__init__(
            words("Workspaces"),
            rows,
            lambda typed: typed_rows(typed, known),
            placeholder="type to narrow, or the path of another one",
            empty="no workspace has that name; type the path of a folder to open it",
            chooses="shows it here",
            at=next((row.id for row in rows if row.id != HERE and not row.inert), None),
        )
        self._known = known
        self._here = here
        self._leaves = leaves
        self._standings: dict[Path, WorkspaceStatus] = {}

    def on_mount(self) -> None:
        """Show the names; look how they are doing beside that."""
        super().on_mount()
        self.work(self._look, "look")

    async def _look(self) -> None:
        for one in self._known.entries:
            self.call_later(self._looked, await asyncio.to_thread(standing, one))

    def _looked(self, found: WorkspaceStatus) -> None:
        """Say in its row how it is doing."""
        self._standings[found.workspace.root] = found
        self.exchange(workspace_rows(self._known, self._here, self._standings))

    def dismiss(self, result: str | None = None) -> AwaitComplete:
        """Leave; from here on no key may act on what is about to be another workspace."""
        if result is not None:
            self._leaves(result)
        return super().dismiss(result)
