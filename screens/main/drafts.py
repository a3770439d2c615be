"""Unsaved text, kept on disk, so that it is there again however the program ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from screens.loading.workspace_model import require_writable
from workbench.errors import WorkbenchError
from workbench.workspace.state_files import drafts, keep_draft
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.dialogs.editor import WritingScreen
    from screens.main.request import Request


class Drafts:
    """By action and addresses. Where nothing can be written, until the program ends."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._waiting: dict[str, str | None] = {}
        """What is not on the disk yet; None for what is to be dropped there."""
        self.open: list[WritingScreen] = []
        """The dialogs that are written in now."""
        self.problem = ""
        """Why the last one could not be kept on the disk."""

    def of(self, request: Request) -> str | None:
        """What was typed and left when this was asked for before."""
        key = _key(request)
        if key in self._waiting:
            return self._waiting[key]
        return drafts(self._workspace.cache_dir()).get(key)

    def keep(self, request: Request, text: str | None) -> bool:
        """Keep this text of the request, or drop what was kept of it. Whether the disk has it so."""
        key = _key(request)
        if self.of(request) != text:
            self._waiting[key] = text
        for name in list(self._waiting):
            self._write(name)
        return key not in self._waiting

    def _write(self, name: str) -> None:
        try:
            require_writable(self._workspace)
            keep_draft(self._workspace.state_dir(), name, self._waiting[name])
        except (OSError, WorkbenchError) as error:
            self.problem = error.message if isinstance(error, WorkbenchError) else str(error)
        else:
            del self._waiting[name]

    @property
    def unsaved(self) -> bool:
        """Whether something is typed now that is not saved."""
        return any(writing.changed for writing in self.open)

    def keep_all(self) -> bool:
        """Keep what is typed now; whether all of it outlives the program."""
        kept = [writing.keep() for writing in self.open]
        return all(kept)


def _key(request: Request) -> str:
    return " ".join((request.action, *request.addresses))
