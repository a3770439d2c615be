"""How keys are written for people."""

from __future__ import annotations

_NAMES = {
    "slash": "/",
    "question_mark": "?",
    "colon": ":",
    "plus": "+",
    "underscore": "_",
    "equals_sign": "=",
    "asterisk": "*",
    "full_stop": ".",
    "exclamation_mark": "!",
    "at": "@",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "escape": "esc",
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
    "f1": "F1",
    "f3": "F3",
    "minus": "-",
}


def key_name(key: str) -> str:
    """One key as it stands on a keyboard: ``ctrl+d``, ``/``, ``↓``."""
    return _NAMES.get(key, key)


def key_names(keys: tuple[str, ...], separator: str = " ") -> str:
    """All keys of an action."""
    return separator.join(key_name(key) for key in keys)


def types_a_character(key: str) -> bool:
    """Whether the key, pressed in a line of text, is text."""
    return key == "space" or (len(key_name(key)) == 1 and key not in ("down", "up", "left", "right"))
