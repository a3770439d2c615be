"""Changing the person's file of keys: one value at its place, every other byte as it was."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path

from screens.actions.key_file import NOT_TOML, Keys, assignments, keys_from, parse_key_file
from screens.actions.keymap import KeyProblem, nearest
from screens.actions.keys import key_name
from screens.actions.profiles import PROFILES
from workbench.config.user_files import read_own, replace_own
from workbench.errors import UsageError

_SECTION = "keys"


def with_keys(path: Path, action: str, keys: Sequence[str] | None) -> tuple[Keys, list[KeyProblem]]:
    """The keys as they would be with these for an action (None: the profile's), and what is wrong with that.

    Raises UsageError where the file cannot be changed in place.
    """
    data = read_own(path) or b""
    made = keys_from(parse_key_file(path, _edited(path, data, _SECTION, action, _list(keys))))
    known = {(one.text, one.action) for one in keys_from(parse_key_file(path, data)).problems}
    return made, [one for one in made.problems if not one.note and (one.text, one.action) not in known]


def write_keys(path: Path, action: str, keys: Sequence[str] | None) -> None:
    """Give an action these keys, None the profile's. Raises WorkbenchError and writes nothing then."""
    before = read_own(path)
    replace_own(path, before, _edited(path, before or b"", _SECTION, action, _list(keys)))


def write_profile(path: Path, profile: str) -> None:
    """Start from this profile. Raises UsageError for one that there is not, and what writing raises."""
    if profile not in PROFILES:
        hint = nearest(profile, PROFILES).removeprefix("; ") or f"there are {', '.join(PROFILES)}"
        raise UsageError(f"there is no profile {profile}", hint=hint)
    before = read_own(path)
    replace_own(path, before, _edited(path, before or b"", "", "profile", json.dumps(profile)))


def _list(keys: Sequence[str] | None) -> str | None:
    if keys is None:
        return None
    return "[" + ", ".join(json.dumps(key_name(key), ensure_ascii=False) for key in keys) + "]"


def _edited(path: Path, data: bytes, section: str, name: str, value: str | None) -> bytes:
    """The file with this value at its place, or without it. Raises UsageError where that is not certain."""
    try:
        text = data.decode("utf-8")
        said = tomllib.loads(text)
    except NOT_TOML as error:
        raise UsageError(f"{path} is not TOML: {error}", hint="correct it with an editor first") from error
    wanted, there = dict(said), said.get(section, {})
    if not isinstance(there, dict):
        raise UsageError(f"{path}: {section} is no section", hint="write [keys] with an editor first")
    target = dict(there) if section else wanted
    if section:
        wanted[section] = target
    target.pop(name, None)
    if value is not None:
        target[name] = tomllib.loads(f"value = {value}")["value"]
    new = _placed(text, section, name, value)
    try:
        same = _bare(tomllib.loads(new)) == _bare(wanted)
    except NOT_TOML:
        same = False
    if not same:
        raise UsageError(
            f"{path} is written in a way that cannot be changed in place", hint="change it with an editor"
        )
    return new.encode()


def _bare(said: dict[str, object]) -> dict[str, object]:
    """Without empty sections, which say nothing."""
    return {name: value for name, value in said.items() if value != {}}


def _placed(text: str, section: str, name: str, value: str | None) -> str:
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    at = dict(assignments(text)).get((section, name))
    new = [] if value is None else [f"{name} = {value}{end}"]
    if at is not None:
        first, last = at - 1, _last_line(lines, at - 1)
        comment = _comment(lines[last - 1]) if new else ""
        new = [line.removesuffix(end) + comment + end for line in new]
        return "".join((*lines[:first], *new, *lines[last:]))
    if not new:
        return text
    if not section:
        beginning = next(
            (n for n, line in enumerate(lines) if line.strip() and line.lstrip()[0] != "#"), len(lines)
        )
        return "".join((*lines[:beginning], *new, *lines[beginning:]))
    header = next((n for n, line in enumerate(lines) if line.strip().startswith("[keys]")), None)
    if header is None:
        gap = [end] if lines else []
        return "".join((*lines, *gap, f"[{section}]{end}", *new))
    return "".join((*lines[: header + 1], *new, *lines[header + 1 :]))


def _last_line(lines: Sequence[str], first: int) -> int:
    """Behind which line the value that begins on ``first`` ends."""
    for last in range(first + 1, len(lines) + 1):
        try:
            tomllib.loads("".join(lines[first:last]))
        except tomllib.TOMLDecodeError:
            continue
        return last
    return first + 1


def _comment(line: str) -> str:
    """The comment at the end of a line of keys, with a blank before it."""
    for at, character in enumerate(line):
        if character == "#":
            try:
                tomllib.loads(f"value = {line[:at].partition('=')[2].strip() or '0'}")
            except tomllib.TOMLDecodeError:
                continue
            return "  " + line[at:].rstrip()
    return ""
