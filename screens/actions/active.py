"""The key map that counts here: that of the interface in which the question is asked.

An interface names its keys before it starts, and its tasks inherit them, so that several of them in one
process each go by their own. Elsewhere the keys are those that the actions have by themselves.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

from screens.actions.keys import key_name

if TYPE_CHECKING:
    from screens.actions.availability import FocusContext
    from screens.actions.keymap import KeyMap


class Chosen:
    """The key map of one interface; it may be exchanged while that runs."""

    __slots__ = ("map",)

    def __init__(self, key_map: KeyMap) -> None:
        self.map = key_map


_chosen: ContextVar[Chosen | None] = ContextVar("key map", default=None)


def use(chosen: Chosen) -> None:
    """From here on, and in every task that starts from here, these keys count."""
    _chosen.set(chosen)


def active() -> KeyMap | None:
    """The key map that counts here; None for the keys that the actions have by themselves."""
    chosen = _chosen.get()
    return chosen.map if chosen is not None else None


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
