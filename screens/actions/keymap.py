"""Key maps, and the profiles that one can begin with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType

from screens.actions.availability import TYPED, FocusContext
from screens.actions.keys import types_a_character


@dataclass(frozen=True, slots=True, eq=False)
class KeyMap:
    """The keys of every action by its id, the first one being the one that is named. Equal only to itself."""

    profile: str
    keys: Mapping[str, tuple[str, ...]]

    def of(self, action_id: str) -> tuple[str, ...]:
        """The keys of an action; none is an answer too."""
        return self.keys.get(action_id, ())


def is_reachable(key: str, place: FocusContext) -> bool:
    """Whether a key does anything in a place: where a line of text has the focus, text is text."""
    return not (place in TYPED and types_a_character(key))


def nearest(word: str, known: Iterable[str]) -> str:
    """A sentence with the known word that was most likely meant; empty where none is near."""
    found = get_close_matches(word, list(known), 1)
    return f"; did you mean “{found[0]}”?" if found else ""


DEFAULT = "default"
PROFILES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        DEFAULT: {},
        "vim": {
            "redo": "ctrl+r U",
            "reindex": "r f5",
            "find": "F",
            "page_down": "ctrl+f pagedown",
            "page_up": "ctrl+b pageup",
            "preview_down": "J ctrl+e",
            "preview_up": "K ctrl+y",
            "unfold": "l right",
            "fold": "h left",
            "next_pane": "ctrl+w tab",
            "previous_pane": "shift+tab",
        },
    }
)
"""By name; each action with all its keys, blanks between."""
