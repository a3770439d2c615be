"""Copying through the terminal, which works over ssh and in tmux too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from screens.moving import Command
from screens.shown import Shown, plural, row_text, words

if TYPE_CHECKING:
    from screens.main import MainScreen


class Copying:
    """The commands that put text where a person can paste it from."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        return {"copy_entry": self._entry, "copy_path": self._path}

    def _entry(self) -> None:
        row = self._screen.here.row
        if row:
            text = row.entry.text if row.entry else row.text
            self._copy(text, plural(len(text), "character"))

    def _path(self) -> None:
        row = self._screen.here.row
        if row and row.path:
            place = f"{row.path}:{row.line}"
            self._copy(place, row_text(place))

    def _copy(self, text: str, what: Shown) -> None:
        text = text.encode("utf-8", "replace").decode("utf-8")
        self._screen.app.copy_to_clipboard(text)
        self._screen.say(words(f"Copied {what} through the terminal (OSC 52)"))
