"""The history of input lines: earlier texts to go back to, and recent searches for an empty line."""

from __future__ import annotations

from screens.drawing.safe_text import Row, piece, row_text
from screens.loading.workspace_model import require_writable
from workbench.errors import WorkbenchError
from workbench.workspace.state_files import KEPT_SEARCHES, remember, searches
from workbench.workspace.workspace import Workspace

PREFIX = "search:"
"""How the ids of rows begin that stand for a search."""
OFFERED = 12
"""Searches that are offered at once."""


class InputHistory:
    """The texts that were typed in a line, the newest first, and where in them a person is."""

    def __init__(self) -> None:
        self.texts: tuple[str, ...] = ()
        self._at = -1
        self._begun = ""

    def add(self, text: str) -> None:
        """Remember it as the newest one, once; what is blank is none."""
        self._at = -1
        if text.strip():
            self.texts = (text, *(one for one in self.texts if one != text))[:KEPT_SEARCHES]

    def step(self, steps: int, now: str) -> str | None:
        """The text so many steps back (positive) or forth; None where there is none.

        What was begun before the first step is what the last step forth leads to.
        """
        if now != self._shown():
            self._at, self._begun = -1, now
        at = self._at + steps
        if not -1 <= at < len(self.texts):
            return None
        self._at = at
        return self._shown()

    def _shown(self) -> str | None:
        """What the last step led to; None where the texts are others now."""
        shown = (self._begun, *self.texts)[self._at + 1 :]
        return shown[0] if shown else None


class RecentSearches(InputHistory):
    """What was searched for. ``load`` and ``add`` touch the disk."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace

    def load(self) -> None:
        """Read what was remembered."""
        try:
            self.texts = searches(self._workspace.cache_dir())
        except (OSError, WorkbenchError):
            self.texts = ()

    def add(self, text: str) -> None:
        """Remember a search; where nothing can be written, until the end of this run."""
        super().add(text)
        try:
            require_writable(self._workspace)
            self.texts = remember(self._workspace.state_dir(), text)
        except (OSError, WorkbenchError):
            return

    def rows(self) -> list[Row]:
        """The newest ones as rows."""
        lead = (piece("↺", "faint"),)
        return [Row(PREFIX + text, row_text(text), tone="muted", lead=lead) for text in self.texts[:OFFERED]]
