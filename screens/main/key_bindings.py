"""The keys of a running interface: the person's key map on every screen, and keys right behind esc."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from textual.binding import BindingsMap
from textual.dom import DOMNode
from textual.events import Event, Key
from textual.screen import Screen
from textual.widgets import Input

from screens.actions.key_file import key_file_path, load_keys, new_key_file
from screens.actions.keymap import KeyMap
from screens.actions.keys import key_for, use
from screens.actions.registry import bindings_of, by_id
from workbench.config.user_files import read_own, replace_own
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from screens.app import WorkbenchApp


class KeyFileReader:
    """Reads the person's keys before the interface starts, binds screens to them, and reads them again."""

    def __init__(self) -> None:
        self.keys = load_keys()
        self._bound: WeakKeyDictionary[Screen[object], KeyMap] = WeakKeyDictionary()
        """Which screens have been bound to which key map."""
        use(lambda: self.keys.map)

    def tell_skipped(self, app: WorkbenchApp) -> None:
        """Say what does not count in the person's file."""
        wrong = self.keys.wrong
        if not wrong:
            return
        path = self.keys.path
        more = f"and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        said = wrong[0].told(path.name), more, f"{key_for('settings')} shows the keys"
        app.main.warn(*said, title="Some of your keys were skipped")

    def read_again(self, app: WorkbenchApp) -> None:
        """The file was changed: its keys count from now on, also where the hints stand already."""
        self.keys = load_keys()
        app.main.show_hints()

    def edit(self, app: WorkbenchApp) -> None:
        """Open the file in the person's editor; what they save counts at once, and what cannot is told."""
        from screens.main.edit_entry import edited_outside  # noqa: PLC0415 - not before the first paint

        path = key_file_path()
        try:
            before = read_own(path)
            source = new_key_file() if before is None else before.decode("utf-8", "surrogateescape")
            text = edited_outside(
                app,
                source,
                away_from=app.main.workspace.root,
                name=path.name,
                otherwise=f"change {path} with another program",
                save=lambda written: replace_own(path, before, written.encode("utf-8", "surrogateescape")),
            )
        except WorkbenchError as error:
            app.main.say_failure(error)
            return
        app.main.say("Nothing was changed" if text == source else "Your keys were written")
        if text != source:
            self.read_again(app)
            self.tell_skipped(app)

    def bind(self, screen: Screen[object]) -> None:
        """Let the keys of a screen be those of the key map, unless they are already."""
        if self._bound.get(screen) is not self.keys.map:
            # Not public: Textual's own key map is laid over all bindings anew with every key.
            screen._bindings = bound(screen._bindings, self.keys.map)
            self._bound[screen] = self.keys.map


_OURS = "perform("


def bound(before: BindingsMap, keys: KeyMap) -> BindingsMap:
    """The same bindings, those of actions on the keys that the map gives them."""
    ids = {binding.id for _, binding in before if binding.action.startswith(_OURS)}
    others = [binding for _, binding in before if binding.id is None or binding.id not in ids]
    actions = (known for known in by_id().values() if known.id in ids)
    ours = (one for known in actions for one in bindings_of(known, keys.of(known.id)))
    return BindingsMap([*ours, *others])


_ALT = "alt+"
_BY_WORDS = {"alt+f": "ctrl+right", "alt+b": "ctrl+left"}
"""What these are in a line of text: some terminals send them for option and an arrow."""


_LEAVING = ("ctrl+c", "ctrl+q")


class EscapeKeys:
    """Splits a key that came right behind esc into esc and that key, which waits until esc was handled.

    Whoever leaves a screen and types on at once sends the same bytes as somebody who holds alt, and
    ``screens.driver`` makes one key of them. Where that key means nothing, both would be lost; so it is
    split. A screen that is just being opened has not heard of esc yet, and would take them for keys of its
    own.
    """

    def __init__(self, app: WorkbenchApp) -> None:
        self._app = app
        self._behind: deque[Key] = deque()
        self._esc: Key | None = None
        """The one that is on its way."""

    def first(self, event: Event) -> Event | None:
        """What is to be done of ``event`` now: all of it, esc alone, or nothing yet."""
        if not isinstance(event, Key) or event.is_forwarded or event is self._esc or event.key in _LEAVING:
            return event
        if self._esc:
            self._behind.append(event)
            return None
        rest = self._rest(event)
        if rest is None and event.key != "escape":
            return self._plain(event)
        self._behind += [rest] if rest else []
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
        behind, self._behind, self._esc = self._behind, deque(), None
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
