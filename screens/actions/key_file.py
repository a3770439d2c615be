"""The person's own keys: a TOML file beside their settings, and the key map that it makes of a profile.

A fault in the file never stops the interface: the faulty line is skipped and reported, because Textual itself
reports neither an unknown action nor a key with two meanings.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from screens.actions.keymap import DEFAULT, PROFILES, KeyMap, is_reachable, nearest
from screens.actions.keys import key_called, key_name
from screens.actions.registry import ACTIONS, Action, FocusContext, by_id, grouped_actions
from workbench.config.settings import user_settings_path
from workbench.config.user_files import read_own, replace_own
from workbench.errors import UsageError, WorkbenchError

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


_WHERE = re.compile(r"\(at line (\d+)")
_SECTION = re.compile(r"\s*\[\s*(?P<name>[^\[\]]*?)\s*\]\s*(?:#.*)?$")
_ASSIGNED = re.compile(r"""\s*(?:"(?P<basic>[^"\\]*)"|'(?P<literal>[^']*)'|(?P<bare>[\w-]+))\s*=""")
_NOT_TOML = (ValueError, RecursionError)
"""What reading TOML raises: numbers of thousands of digits are no TOMLDecodeError."""


@dataclass(frozen=True, slots=True)
class KeyOverride:
    """The keys that a person's file gives an action, as written, and the line where it does."""

    action: str
    keys: tuple[str, ...]
    line: int = 0

    def problem(self, text: str, *, note: bool = False) -> KeyProblem:
        """What is wrong with it."""
        return KeyProblem(text, self.line, self.action, note)


@dataclass(frozen=True, slots=True)
class KeyProblem:
    """A fault of the file; ``line`` is 0 where it belongs to no line."""

    text: str
    line: int = 0
    action: str = ""
    note: bool = False
    """Worth knowing, but done as it was wished."""

    def told(self, path: str) -> str:
        """With the file, and the line where there is one."""
        return f"{path}:{self.line}: {self.text}" if self.line else f"{path}: {self.text}"


@dataclass(frozen=True, slots=True)
class LoadedKeys:
    """The keys that count, the file that they come from, what it asks for, and all that is wrong with it."""

    map: KeyMap
    path: Path
    wishes: tuple[KeyOverride, ...] = ()
    problems: tuple[KeyProblem, ...] = ()

    @property
    def wrong(self) -> tuple[KeyProblem, ...]:
        """What was skipped; without what is only worth knowing."""
        return tuple(problem for problem in self.problems if not problem.note)


def key_file_path() -> Path:
    """Where the person's own keys are: WORKBENCH_KEYS, else ``keys.toml`` beside their settings."""
    override = os.environ.get("WORKBENCH_KEYS")
    return Path(override) if override else user_settings_path().with_name("keys.toml")


def new_key_file() -> str:
    """What a file of keys begins as: every action with its keys in a comment, which changes nothing."""
    lines = [
        "# The keys of Memory Workbench. Uncomment a line and change its keys; [] for none.",
        "# `workbench keys --check` reports what is ignored, and why.",
        "",
        f'profile = "{DEFAULT}"  # or: {", ".join(name for name in PROFILES if name != DEFAULT)}',
        "",
        "[keys]",
    ]
    for group, actions in grouped_actions():
        lines += ["", f"# {group}"]
        for action in actions:
            names = json.dumps([key_name(key) for key in action.keys], ensure_ascii=False)
            lines.append(f"# {action.id} = {names}  # {action.help}")
    return "\n".join(lines) + "\n"


def write_profile(path: Path, profile: str) -> None:
    """Start from this profile; comments and all else in the file stay.

    Raises UsageError where the file is not TOML, and what writing raises.
    """
    import tomlkit  # noqa: PLC0415 - only where a file of keys is written

    before = read_own(path)
    try:
        document = tomlkit.parse(new_key_file() if before is None else before.decode("utf-8"))
    except _NOT_TOML as error:
        raise UsageError(f"{path} is not TOML: {error}", hint="correct it with an editor first") from error
    document["profile"] = profile
    replace_own(path, before, document.as_string().encode("utf-8"))


def load_keys(*, profile: str | None = None) -> LoadedKeys:
    """The keys of the person's file, over another profile than theirs where one is named."""
    path = key_file_path()
    try:
        data = read_own(path) or b""
    except WorkbenchError as error:
        made, _ = key_map(profile or DEFAULT)
        return LoadedKeys(made, path, problems=(KeyProblem(error.message),))
    return keys_in(path, data, profile=profile)


def keys_in(path: Path, data: bytes, *, profile: str | None = None) -> LoadedKeys:
    """The keys that these bytes of a file make; what cannot be read is a problem, and counts as not said."""
    problems: list[KeyProblem] = []
    text, found = "", dict[str, Any]()
    try:
        text = data.decode("utf-8")
        found = tomllib.loads(text)
    except UnicodeDecodeError:
        problems.append(KeyProblem("it is not UTF-8"))
    except _NOT_TOML as error:
        where = _WHERE.search(str(error))
        reason = f"it is not TOML, so it is ignored: {str(error).partition(' (at line')[0]}"
        problems.append(KeyProblem(reason, int(where[1]) if where else 0))
    lines = defaultdict(int, _assignments(text))
    for name in found.keys() - {"profile", "keys"}:
        hint = nearest(name, ("profile", "keys")) or "; it can have profile and [keys]"
        problems.append(KeyProblem(f"“{name}” is ignored{hint}", lines["", name]))
    own = found.get("profile", DEFAULT)
    if not isinstance(own, str) or own not in PROFILES:
        known = nearest(str(own), PROFILES) or f"; there are {', '.join(PROFILES)}"
        problems.append(KeyProblem(f"there is no profile “{own}”{known}", lines["", "profile"]))
        own = DEFAULT
    said = found.get("keys", {})
    if not isinstance(said, dict):
        problems.append(KeyProblem("keys must be a section: [keys]", lines["", "keys"]))
        said = {}
    wishes: list[KeyOverride] = []
    for action, value in said.items():
        line = lines["keys", action]
        keys = [value] if isinstance(value, str) else value
        if isinstance(keys, list) and all(isinstance(key, str) and key for key in keys):
            wishes.append(KeyOverride(action, tuple(keys), line))
        else:
            problems.append(KeyProblem(f'“{action}” must be a list of keys, as ["p"]', line, action))
    made, skipped = key_map(profile or own, wishes)
    in_order = sorted((*problems, *skipped), key=lambda problem: problem.line)
    return LoadedKeys(made, path, tuple(wishes), tuple(in_order))


def _assignments(text: str) -> Iterator[tuple[tuple[str, str], int]]:
    """Each name that a line gives a value to, with its section, and the number of the line, from 1."""
    section = ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := _SECTION.match(line):
            section = header["name"].strip("\"'")
        elif assigned := _ASSIGNED.match(line):
            yield (section, assigned[assigned.lastgroup or 0]), number


# -- what a profile and a person's changes make -------------------------------------------------


def key_map(profile: str, wishes: Iterable[KeyOverride] = ()) -> tuple[KeyMap, list[KeyProblem]]:
    """A known profile with these overrides, and their faults; a faulty override or key is left out."""
    problems: list[KeyProblem] = []
    changed = PROFILES[profile]
    base = {a.id: tuple(changed[a.id].split()) if a.id in changed else a.keys for a in ACTIONS}
    wanted = _understood(wishes, problems)
    keys = _applied(base, wanted)
    while clash := _last_clash(keys, wanted):
        loser, other, place = clash
        name = key_name(loser.keys[0])
        text = f"{name} is “{other}” in the same place ({place}), so “{loser.action}” does not get it"
        problems.append(loser.problem(text))
        wanted.remove(loser)
        keys = _applied(base, wanted)
    problems += _without(keys, base, {wish.action: wish for wish in wishes})
    return KeyMap(profile, MappingProxyType(keys)), problems


def _understood(wishes: Iterable[KeyOverride], problems: list[KeyProblem]) -> list[KeyOverride]:
    """The wishes that make sense by themselves, each for one key, or for none at all."""
    known = by_id()
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
    keys: Mapping[str, tuple[str, ...]], wanted: Sequence[KeyOverride]
) -> tuple[KeyOverride, str, FocusContext] | None:
    """The last wish that takes what is another action's, whose it is, and where; profiles have no clash."""
    known = by_id()
    for one in reversed(wanted):
        for key, other in product(one.keys, ACTIONS):
            if other.id != one.action and key in keys[other.id]:
                shared = known[one.action].places & other.places
                for place in FocusContext:
                    if place in shared and is_reachable(key, place):
                        return one, other.id, place
    return None


def _without(
    keys: Mapping[str, tuple[str, ...]],
    base: Mapping[str, tuple[str, ...]],
    wishes: Mapping[str, KeyOverride],
) -> Iterator[KeyProblem]:
    """What a person has left without a key, or without one that works where they type."""

    def typed(some: tuple[str, ...]) -> bool:
        return not any(is_reachable(key, FocusContext.QUERY) for key in some)

    for action in ACTIONS:
        wish, own = wishes.get(action.id), keys[action.id]
        if wish is None:
            continue
        if not own:
            yield wish.problem(f"“{action.id}” has no key: it is among the commands", note=True)
        elif FocusContext.QUERY in action.places and typed(own) and not typed(base[action.id]):
            text = f"“{action.id}” has no key in the search line, where {key_name(own[0])} is text"
            yield wish.problem(text, note=True)
