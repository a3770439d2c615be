"""Key maps to start from: what a profile changes of the keys that the actions have by themselves.

``vim`` is for hands that know it, in single keys: chords such as ``gg`` or ``dd`` would make every first key
wait for a second one. ``g`` alone is the first row, ``d`` alone forgets, and ``u`` undoes it, as ever.
``h`` and ``l`` fold and unfold as in trees; ctrl+w goes to the next pane. ``ctrl+b`` may belong to a terminal
multiplexer: the page keys do the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

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
