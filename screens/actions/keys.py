"""Names of keys, as people write them and as Textual calls them, and the keys that each action has now."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING

from textual.keys import KEY_NAME_REPLACEMENTS

if TYPE_CHECKING:
    from screens.actions.availability import FocusContext
    from screens.actions.keymap import KeyMap

_NAMES = {
    "pagedown": "pgdn",
    "pageup": "pgup",
    "escape": "esc",
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
}
_ARROWS = frozenset({"down", "up", "left", "right"})
_SPECIAL = {
    name: name
    for name in (
        "space", "enter", "tab", "escape", "backspace", "delete", "insert",
        "home", "end", "pagedown", "pageup", *_ARROWS,
    )
} | {
    "esc": "escape", "return": "enter", "del": "delete", "ins": "insert", "spacebar": "space", " ": "space",
    "pgdn": "pagedown", "pgdown": "pagedown", "page_down": "pagedown", "pgup": "pageup", "page_up": "pageup",
    "↓": "down", "↑": "up", "←": "left", "→": "right",
}  # fmt: skip
"""Keys that type nothing, by the names that people have for them."""
_FUNCTION = re.compile(r"f(?:[1-9]|1[0-9]|2[0-4])")
_MODIFIERS = {"ctrl": "ctrl", "control": "ctrl", "shift": "shift", "alt": "alt", "meta": "alt"}


def sign_name(character: str) -> str:
    """What Textual calls the key of a letter, a digit or a sign."""
    if character.isalnum():
        return character
    name = unicodedata.name(character, "").lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)


_SIGNS = {sign_name(sign): sign for sign in map(chr, range(33, 127)) if not sign.isalnum()}
"""The signs of ASCII by their names: ``slash``, ``at``."""


def key_name(key: str) -> str:
    """One key as it stands on a keyboard: ``ctrl+d``, ``/``, ``↓``, ``F1``."""
    if name := _NAMES.get(key) or _SIGNS.get(key):
        return name
    if _FUNCTION.fullmatch(key):
        return key.upper()
    modifiers, plus, last = key.rpartition("+")
    return f"{modifiers}+{key_name(last)}" if plus and last else key


def key_names(keys: tuple[str, ...]) -> str:
    """All keys of an action."""
    return " ".join(key_name(key) for key in keys)


def key_called(text: str) -> str | None:
    """The key that a person calls ``text`` (``ctrl+d``, ``/``, ``?``, ``space``, ``G``); None for none.

    The names of this module and those of Textual (``question_mark``) are both understood.
    """
    if len(text) == 1:
        return _of_character(text)
    *modifiers, last = re.split(r"[+-](?=.)", text)
    known = {_MODIFIERS.get(one.lower()) for one in modifiers}
    if None in known or len(known) < len(modifiers):
        return None
    key = _of_character(last) if len(last) == 1 else _of_name(last)
    if key is None:
        return None
    if known == {"shift"} and len(key) == 1 and key.isalpha():
        return key.upper()
    if "ctrl" in known and len(key) == 1:
        key = key.lower()  # a terminal does not tell them apart
    return "+".join([*(one for one in ("alt", "ctrl", "shift") if one in known), key])


def types_a_character(key: str) -> bool:
    """Whether the key, pressed in a line of text, is text."""
    return key == "space" or (len(key_name(key)) == 1 and key not in _ARROWS)


def _of_name(name: str) -> str | None:
    folded = name.lower()
    return _SPECIAL.get(folded) or (folded if _FUNCTION.fullmatch(folded) or folded in _SIGNS else None)


def _of_character(character: str) -> str | None:
    if not character.isprintable():
        return None
    return _SPECIAL.get(character) or sign_name(character) or None


_chosen: ContextVar[Callable[[], KeyMap] | None] = ContextVar("key map", default=None)


def use(chosen: Callable[[], KeyMap]) -> None:
    """Take the key map from ``chosen`` in this context and in every task that it starts from now on.

    An interface calls it before it starts, so that several in one process each have their own keys. Without
    it, actions have the keys that they are declared with.
    """
    _chosen.set(chosen)


def active() -> KeyMap | None:
    """The key map of this context; None where actions have the keys that they are declared with."""
    chosen = _chosen.get()
    return chosen() if chosen is not None else None


def keys_of(action_id: str) -> tuple[str, ...]:
    """The keys of an action, the first one being the one to name; empty where it has none."""
    from screens.actions.registry import by_id  # noqa: PLC0415 - it is built on this module

    key_map = active()
    return key_map.of(action_id) if key_map is not None else by_id()[action_id].keys


def key_for(action_id: str, place: FocusContext | None = None) -> str:
    """What to press for an action, in a sentence: its first key, or its name among the commands.

    With a ``place``, the first one that is no text there.
    """
    from screens.actions.keymap import is_reachable  # noqa: PLC0415
    from screens.actions.registry import by_id  # noqa: PLC0415

    keys = keys_of(action_id)
    if place is not None:
        keys = tuple(key for key in keys if is_reachable(key, place))
    return key_name(keys[0]) if keys else f"“{by_id()[action_id].label}” among the commands"
