"""Esc and a key right behind it, which a terminal sends as one key: taken apart where that one is no key.

Whoever leaves a screen and goes on at once sends the same bytes as somebody who holds alt. One key is made of
them (``screens.keyboard``), which mostly means nothing here, and both would be lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.dom import DOMNode
from textual.events import Event, Key
from textual.widgets import Input

if TYPE_CHECKING:
    from screens.app import WorkbenchApp

_ALT = "alt+"
_BY_WORDS = {"alt+f": "ctrl+right", "alt+b": "ctrl+left"}
"""What these are in a line of text: some terminals send them for option and an arrow."""


class Apart:
    """Takes keys apart, and keeps those behind one in their order until esc was done."""

    def __init__(self, app: WorkbenchApp) -> None:
        self._app = app
        self._behind: deque[Key] = deque()
        self._esc: Key | None = None

    def first(self, event: Event) -> Event | None:
        """What is to be done of ``event`` now: all of it, esc alone, or nothing yet."""
        if not isinstance(event, Key) or event.is_forwarded or event is self._esc:
            return event
        if self._behind:
            self._behind.append(event)
            return None
        rest = self._rest(event)
        if rest is None:
            return self._plain(event)
        self._behind.append(rest)
        self._esc = Key("escape", "\x1b")
        return self._esc

    def esc_is_on_its_way(self) -> None:
        """Go on once esc has come by everything that it comes by, which is where it does something."""
        target = self._app.focused or self._app.screen
        self._follow([*target.ancestors_with_self])

    def _follow(self, way: Sequence[DOMNode]) -> None:
        for at, node in enumerate(way):
            if node.call_later(partial(self._follow, way[at + 1 :])):
                return
        self._app.call_later(self._go_on)

    async def _go_on(self) -> None:
        behind, self._behind = self._behind, deque()
        for key in behind:
            await self._app.on_event(key)

    def _rest(self, event: Key) -> Key | None:
        """The key behind esc; None where ``event`` is a key of its own here."""
        from textual.widgets import TextArea  # noqa: PLC0415 - not before the first paint

        typed, field = event.character or "", self._app.focused
        if isinstance(field, TextArea):
            return None  # it is being written
        if isinstance(field, Input) and event.key in _BY_WORDS:
            return None
        if not event.key.startswith(_ALT) or len(typed) != 1:  # who tells alt from esc names no sign
            return None
        rest = Key(typed if typed.isalnum() else event.key.removeprefix(_ALT), typed)
        bound = self._app.screen.active_bindings
        return rest if "escape" in bound and event.key not in bound else None

    def _plain(self, event: Key) -> Key:
        """``event``, or what Textual makes of it where it means nothing with alt."""
        if not event.key.startswith(_ALT) or event.character is None:
            return event
        if event.key in self._app.screen.active_bindings:
            return event
        if event.key in _BY_WORDS:
            return Key(_BY_WORDS[event.key], None)
        return event if event.character.isalnum() else Key(event.key.removeprefix(_ALT), event.character)
