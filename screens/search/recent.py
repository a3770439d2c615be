"""The searches that were made before: walked through in the line, and offered where nothing is typed."""

from __future__ import annotations

from screens.drawing.rows import Row, RowPart
from screens.drawing.safe_text import row_text, words
from screens.loading.shown_revision import require_today
from workbench.config.read_only import require_more_than_looking
from workbench.errors import WorkbenchError
from workbench.workspace.recent_searches import remember, searches
from workbench.workspace.workspace import Workspace

PREFIX = "search:"
"""How the ids of rows begin that stand for a search."""
OFFERED = 12
"""Searches that are offered at once."""


class Recent:
    """What was searched for, the newest first. ``load`` and ``add`` touch the disk."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.texts: tuple[str, ...] = ()
        self._at = -1
        self._begun = ""

    def load(self) -> None:
        """Read what was remembered."""
        try:
            self.texts = searches(self._workspace.cache_dir())
        except (OSError, WorkbenchError):
            self.texts = ()

    def add(self, text: str) -> None:
        """Remember a search; where nothing can be written, until the end of this run."""
        self._at = -1
        try:
            require_today(self._workspace)
            require_more_than_looking()
            self.texts = remember(self._workspace.state_dir(), text)
        except (OSError, WorkbenchError):
            self.texts = (text, *(one for one in self.texts if one != text))

    def step(self, steps: int, now: str) -> str | None:
        """The search so many steps back (positive) or forth; None where there is none.

        What was begun before the first step is what the last step forth leads to.
        """
        if self._at < 0 or now != self._shown():
            self._at, self._begun = -1, now
        at = self._at + steps
        if at < -1 or at >= len(self.texts):
            return None
        self._at = at
        return self._shown()

    def _shown(self) -> str:
        return self._begun if self._at < 0 or self._at >= len(self.texts) else self.texts[self._at]

    def rows(self) -> list[Row]:
        """The newest ones as rows."""
        lead = (RowPart(words("↺"), "faint"),)
        return [Row(PREFIX + text, row_text(text), tone="muted", lead=lead) for text in self.texts[:OFFERED]]
