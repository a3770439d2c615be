"""The way that somebody came: entity by entity, each with the row that they left it from."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from screens.drawing.safe_text import Shown, row_text, words

_SHOWN = 3


class TrailStep(NamedTuple):
    """A page, and the row that its cursor was on."""

    path: str
    row_id: str


class Trail:
    """What was walked through, the oldest first; a page that was left twice stands there twice."""

    def __init__(self) -> None:
        self._steps: list[TrailStep] = []

    def __bool__(self) -> bool:
        return bool(self._steps)

    def leave(self, path: str, row_id: str) -> None:
        """Somebody goes on from here."""
        if path:
            self._steps.append(TrailStep(path, row_id))

    def back(self) -> TrailStep:
        """The last one; it is taken off."""
        return self._steps.pop()

    def said(self, name_of: Callable[[str], str | None]) -> Shown:
        """``Sarah › Atlas › ``: the last ones by their names, those that are gone left out."""
        names = [row_text(name) for step in self._steps if (name := name_of(step.path)) is not None]
        more = "… › " if len(names) > _SHOWN else ""
        return words(more + "".join(f"{name} › " for name in names[-_SHOWN:]))
