"""The person's own keys: a TOML file beside their settings, read without ever failing the interface.

People change it with their editor; a new one holds every action as a comment.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from screens.actions.keymap import DEFAULT, PROFILES, KeyMap, KeyOverride, KeyProblem, key_map, nearest
from screens.actions.keys import key_name
from screens.actions.registry import ACTIONS, grouped_actions
from workbench.config.settings import user_settings_path
from workbench.config.user_files import read_own, replace_own
from workbench.errors import UsageError, WorkbenchError

_WHERE = re.compile(r"\(at line (\d+)")
_SECTION = re.compile(r"\s*\[\s*(?P<name>[^\[\]]*?)\s*\]\s*(?:#.*)?$")
_ASSIGNED = re.compile(r"""\s*(?:"(?P<basic>[^"\\]*)"|'(?P<literal>[^']*)'|(?P<bare>[\w-]+))\s*=""")
_NOT_TOML = (ValueError, RecursionError)
"""What reading TOML raises: numbers of thousands of digits are no TOMLDecodeError."""


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
        made, _ = key_map(ACTIONS, profile or DEFAULT)
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
    lines = dict(_assignments(text))
    for name in found.keys() - {"profile", "keys"}:
        hint = nearest(name, ("profile", "keys")) or "; it can have profile and [keys]"
        problems.append(KeyProblem(f"“{name}” is ignored{hint}", lines.get(("", name), 0)))
    own = found.get("profile", DEFAULT)
    if not isinstance(own, str) or own not in PROFILES:
        known = nearest(str(own), PROFILES) or f"; there are {', '.join(PROFILES)}"
        problems.append(KeyProblem(f"there is no profile “{own}”{known}", lines.get(("", "profile"), 0)))
        own = DEFAULT
    said = found.get("keys", {})
    if not isinstance(said, dict):
        problems.append(KeyProblem("keys must be a section: [keys]", lines.get(("", "keys"), 0)))
        said = {}
    wishes: list[KeyOverride] = []
    for action, value in said.items():
        line = lines.get(("keys", action), 0)
        keys = [value] if isinstance(value, str) else value
        if isinstance(keys, list) and all(isinstance(key, str) and key for key in keys):
            wishes.append(KeyOverride(action, tuple(keys), line))
        else:
            problems.append(KeyProblem(f'“{action}” must be a list of keys, as ["p"]', line, action))
    made, skipped = key_map(ACTIONS, profile or own, wishes)
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
