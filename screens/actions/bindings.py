"""A screen's bindings made to follow the key map that counts.

A class is bound to the keys that actions have by themselves. Textual's own key maps exchange keys by id as
well, but an action must be told which of its keys was pressed, so the bindings are made anew.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from textual.binding import Binding, BindingsMap
from textual.dom import DOMNode

from screens.actions.keymap import KeyMap
from screens.actions.registry import bindings_of, by_id

_OURS = "perform("


class Followers:
    """Which screens have been bound to which key map."""

    def __init__(self) -> None:
        self._bound: WeakKeyDictionary[DOMNode, KeyMap] = WeakKeyDictionary()

    def follow(self, screen: DOMNode, keys: KeyMap) -> None:
        """Bind the screen's actions to the keys of this map, unless they are already."""
        if self._bound.get(screen) is not keys:
            screen._bindings = bound(screen._bindings, keys)
            self._bound[screen] = keys


def bound(before: BindingsMap, keys: KeyMap) -> BindingsMap:
    """The same bindings, those of actions on the keys that the map gives them."""
    others: list[Binding] = []
    ids: set[str] = set()
    for _, binding in before:
        if binding.id is not None and binding.action.startswith(_OURS):
            ids.add(binding.id)
        else:
            others.append(binding)
    actions = (known for known in by_id().values() if known.id in ids)
    ours = (one for known in actions for one in bindings_of(known, keys.of(known.id)))
    return BindingsMap([*ours, *others])
