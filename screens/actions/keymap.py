"""A key map: a profile with a person's changes, as far as they make sense; what does not is told.

Textual says nothing about a name that it does not know, nor about a key that means two things.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING

from screens.actions.availability import TYPED, FocusContext
from screens.actions.keys import key_called, key_name, types_a_character

if TYPE_CHECKING:
    from screens.actions.action import Action

RESERVED: Mapping[str, str] = MappingProxyType(
    {
        "ctrl+c": "it always leaves",
        "ctrl+q": "it always leaves",
        "ctrl+h": "terminals send it for backspace",
        "ctrl+i": "terminals send it for tab",
        "ctrl+j": "terminals send it for enter",
        "ctrl+m": "terminals send it for enter",
        "ctrl+left_square_bracket": "terminals send it for esc",
    }
)
"""Keys that cannot be given away, and why."""
NEEDED = frozenset(
    {"back", "leave_text", "leave_setting", "message_done", "save", "confirm", "anyway", "decline"}
)
"""Without a key for these a person could not go on: they keep their own beside what is wished."""


@dataclass(frozen=True, slots=True, eq=False)
class KeyMap:
    """The keys of every action by its id, the first one being the one that is named. Equal only to itself."""

    profile: str
    keys: Mapping[str, tuple[str, ...]]

    def of(self, action_id: str) -> tuple[str, ...]:
        """The keys of an action; none is an answer too."""
        return self.keys.get(action_id, ())


@dataclass(frozen=True, slots=True)
class KeyOverride:
    """What a person wants an action's keys to be, as written, and on which line of their file."""

    action: str
    keys: tuple[str, ...]
    line: int = 0

    def problem(self, text: str, *, note: bool = False) -> KeyProblem:
        """What is wrong with it."""
        return KeyProblem(text, self.line, self.action, note)


@dataclass(frozen=True, slots=True)
class KeyProblem:
    """What is wrong with a wish; ``line`` is 0 where it is on none."""

    text: str
    line: int = 0
    action: str = ""
    note: bool = False
    """Worth knowing, but done as it was wished."""

    def told(self, path: str) -> str:
        """With the file, and the line where there is one."""
        return f"{path}:{self.line}: {self.text}" if self.line else f"{path}: {self.text}"


def key_map(
    actions: Sequence[Action], profile: str, wishes: Iterable[KeyOverride] = ()
) -> tuple[KeyMap, list[KeyProblem]]:
    """The map of these wishes over a known profile; what is wrong with a wish skips it, or the key of it."""
    problems: list[KeyProblem] = []
    changed = PROFILES[profile]
    base = {a.id: tuple(changed[a.id].split()) if a.id in changed else a.keys for a in actions}
    wanted = _understood(actions, wishes, problems)
    keys = _applied(base, wanted)
    while clash := _last_clash(actions, keys, wanted):
        loser, other, place = clash
        name = key_name(loser.keys[0])
        text = f"{name} is “{other}” in the same place ({place}), so “{loser.action}” does not get it"
        problems.append(loser.problem(text))
        wanted.remove(loser)
        keys = _applied(base, wanted)
    problems += _without(actions, keys, base, {wish.action: wish for wish in wishes})
    return KeyMap(profile, MappingProxyType(keys)), problems


def is_reachable(key: str, place: FocusContext) -> bool:
    """Whether a key does anything in a place: where a line of text has the focus, text is text."""
    return not (place in TYPED and types_a_character(key))


def nearest(word: str, known: Iterable[str]) -> str:
    """A sentence with the known word that was most likely meant; empty where none is near."""
    found = get_close_matches(word, list(known), 1)
    return f"; did you mean “{found[0]}”?" if found else ""


def _understood(
    actions: Sequence[Action], wishes: Iterable[KeyOverride], problems: list[KeyProblem]
) -> list[KeyOverride]:
    """The wishes that make sense by themselves, each for one key, or for none at all."""
    known = {action.id: action for action in actions}
    wanted: list[KeyOverride] = []
    for wish in wishes:
        action = known.get(wish.action)
        if action is None:
            problems.append(wish.problem(f"there is no action “{wish.action}”{nearest(wish.action, known)}"))
            continue
        if not wish.keys and wish.action in NEEDED:
            problems.append(wish.problem(f"“{wish.action}” needs a key: it keeps its default"))
        elif not wish.keys:
            wanted.append(wish)
        for written in dict.fromkeys(wish.keys):
            key = key_called(written)
            why = _why_not(written, key, action)
            if why:
                problems.append(wish.problem(why))
            elif key is not None and (one := replace(wish, keys=(key,))) not in wanted:
                wanted.append(one)
    return wanted


def _why_not(written: str, key: str | None, action: Action) -> str:
    """Why this key cannot be one of the action's, whatever the others have; empty when it can."""
    if key is None:
        hint = nearest(
            written.lower(), ("space", "enter", "escape", "pagedown", "pageup", "backspace", "tab")
        )
        return f"there is no key “{written}”{hint or '; keys are written as in ctrl+d, /, space, F2'}"
    if key in RESERVED:
        return f"{key_name(key)} cannot be “{action.id}”: {RESERVED[key]}"
    if all(not is_reachable(key, place) for place in action.places):
        return f"{key_name(key)} cannot be “{action.id}”: it types text there"
    return ""


def _applied(
    base: Mapping[str, tuple[str, ...]], wanted: Sequence[KeyOverride]
) -> dict[str, tuple[str, ...]]:
    own: dict[str, tuple[str, ...]] = {}
    for one in wanted:
        own[one.action] = own.get(one.action, ()) + one.keys
    kept = {action: base[action] for action in own.keys() & NEEDED}
    return {**base, **{action: tuple(dict.fromkeys(own[action] + kept.get(action, ()))) for action in own}}


def _last_clash(
    actions: Sequence[Action], keys: Mapping[str, tuple[str, ...]], wanted: Sequence[KeyOverride]
) -> tuple[KeyOverride, str, FocusContext] | None:
    """The last wish that takes what is another action's, whose it is, and where; profiles have no clash."""
    places = {action.id: action.places for action in actions}
    for one in reversed(wanted):
        for key, other in product(one.keys, actions):
            if other.id != one.action and key in keys[other.id]:
                shared = places[one.action] & other.places
                for place in FocusContext:
                    if place in shared and is_reachable(key, place):
                        return one, other.id, place
    return None


def _without(
    actions: Sequence[Action],
    keys: Mapping[str, tuple[str, ...]],
    base: Mapping[str, tuple[str, ...]],
    wishes: Mapping[str, KeyOverride],
) -> Iterator[KeyProblem]:
    """What a person has left without a key, or without one that works where they type."""

    def typed(some: tuple[str, ...]) -> bool:
        return not any(is_reachable(key, FocusContext.QUERY) for key in some)

    for action in actions:
        wish, own = wishes.get(action.id), keys[action.id]
        if wish is None:
            continue
        if not own:
            yield wish.problem(f"“{action.id}” has no key: it is among the commands", note=True)
        elif FocusContext.QUERY in action.places and typed(own) and not typed(base[action.id]):
            text = f"“{action.id}” has no key in the search line, where {key_name(own[0])} is text"
            yield wish.problem(text, note=True)


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
