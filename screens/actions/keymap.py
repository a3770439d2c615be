"""A key map: a profile with a person's changes, as far as they make sense; what does not is told.

Textual says nothing about a name that it does not know, nor about a key that means two things.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

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


class _Key(NamedTuple):
    """One key of a wish that makes sense by itself."""

    action: str
    key: str
    line: int


def key_map(
    actions: Sequence[Action], profile: str, wishes: Iterable[KeyOverride] = ()
) -> tuple[KeyMap, list[KeyProblem]]:
    """The map of these wishes over a known profile; what is wrong with a wish skips it, or the key of it."""
    problems: list[KeyProblem] = []
    changed = PROFILES[profile]
    base = {a.id: tuple(changed[a.id].split()) if a.id in changed else a.keys for a in actions}
    wanted, bare = _understood(actions, wishes, problems)
    keys = _applied(base, wanted, bare)
    while clash := _last_clash(actions, keys, wanted):
        loser, other, place = clash
        text = (
            f"{key_name(loser.key)} is “{other}” in the same place ({place}), so “{loser.action}” does not "
            "get it"
        )
        problems.append(KeyProblem(text, loser.line, loser.action))
        wanted.remove(loser)
        keys = _applied(base, wanted, bare)
    problems += _without(actions, keys, base, {wish.action: wish.line for wish in wishes})
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
) -> tuple[list[_Key], set[str]]:
    """The keys that make sense by themselves, and the actions that shall have none."""
    known = {action.id: action for action in actions}
    wanted: list[_Key] = []
    bare: set[str] = set()
    for wish in wishes:
        action = known.get(wish.action)
        if action is None:
            text = f"there is no action “{wish.action}”{nearest(wish.action, known)}"
            problems.append(KeyProblem(text, wish.line, wish.action))
            continue
        if not wish.keys and wish.action in NEEDED:
            text = f"“{wish.action}” needs a key: it keeps its default"
            problems.append(KeyProblem(text, wish.line, wish.action))
        elif not wish.keys:
            bare.add(wish.action)
        for written in dict.fromkeys(wish.keys):
            key = key_called(written)
            why = _why_not(written, key, action)
            if why:
                problems.append(KeyProblem(why, wish.line, wish.action))
            elif key is not None and all((one.action, one.key) != (action.id, key) for one in wanted):
                wanted.append(_Key(action.id, key, wish.line))
    return wanted, bare


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
    base: Mapping[str, tuple[str, ...]], wanted: Sequence[_Key], bare: set[str]
) -> dict[str, tuple[str, ...]]:
    keys = dict(base)
    keys.update(dict.fromkeys(bare, ()))
    said: dict[str, list[str]] = {}
    for one in wanted:
        said.setdefault(one.action, []).append(one.key)
    for action, own in said.items():
        kept = base[action] if action in NEEDED else ()
        keys[action] = tuple(dict.fromkeys((*own, *kept)))
    return keys


def _last_clash(
    actions: Sequence[Action], keys: Mapping[str, tuple[str, ...]], wanted: Sequence[_Key]
) -> tuple[_Key, str, FocusContext] | None:
    """The last wish that takes what is another action's, whose it is, and where; profiles have no clash."""
    places = {action.id: action.places for action in actions}
    for one in reversed(wanted):
        for other in actions:
            if other.id != one.action and one.key in keys[other.id]:
                shared = places[one.action] & other.places
                for place in FocusContext:
                    if place in shared and is_reachable(one.key, place):
                        return one, other.id, place
    return None


def _without(
    actions: Sequence[Action],
    keys: Mapping[str, tuple[str, ...]],
    base: Mapping[str, tuple[str, ...]],
    lines: Mapping[str, int],
) -> Iterator[KeyProblem]:
    """What a person has left without a key, or without one that works where they type."""
    for action in actions:
        if action.id not in lines:
            continue
        own = keys[action.id]
        typed = FocusContext.QUERY in action.places and not any(
            is_reachable(key, FocusContext.QUERY) for key in own
        )
        if not own:
            text = f"“{action.id}” has no key: it is among the commands"
            yield KeyProblem(text, lines[action.id], action.id, note=True)
        elif typed and any(is_reachable(key, FocusContext.QUERY) for key in base[action.id]):
            text = f"“{action.id}” has no key in the search line, where {key_name(own[0])} is text"
            yield KeyProblem(text, lines[action.id], action.id, note=True)


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
