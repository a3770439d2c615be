"""Settings: the person's own, then the workspace's, over the defaults.

A workspace's ``workbench.yaml`` is untrusted text: it may shape what is shown and indexed, never name a
command, an endpoint, a model to download or a key.
"""

from __future__ import annotations

import errno
import os
import re
import reprlib
import stat
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

import platformdirs

from workbench.errors import UsageError
from workbench.mapping import MAX_BYTES, read_mapping

USER_ONLY = frozenset({"model", "theme"})
MAX_PATTERNS = 200
"""Patterns that one key may have."""
MAX_CROSSINGS = 2
"""How often a pattern may say ``**``: each multiplies the ways in which a path can be matched."""
_WHOLE_NUMBER = re.compile(r"[0-9][0-9_]{0,11}")
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Settings:
    """What can be set. Each field says its unit and its default."""

    memory_budget: int = 10_000
    """Characters that MEMORY.md should stay below."""
    include: tuple[str, ...] = ()
    """Further patterns of files that are memory."""
    exclude: tuple[str, ...] = ()
    """Further patterns of files that are not."""
    model: str = ""
    """A sentence-transformers model: a folder, a name on the hub, or `none`; empty for the installed one."""
    theme: str = "dark"
    """Name of the theme that the interface starts with."""


def user_settings_path() -> Path:
    """Where the person's own settings live."""
    override = os.environ.get("WORKBENCH_CONFIG")
    return Path(override) if override else platformdirs.user_config_path("memory-workbench") / "settings.yaml"


def load(workspace_file: Path) -> Settings:
    """The settings for one workspace. Raises UsageError naming the file and the key that is wrong."""
    settings = _apply(Settings(), user_settings_path(), allowed=_names(), trusted=True)
    return _apply(settings, workspace_file, allowed=_names() - USER_ONLY, trusted=False)


def _names() -> frozenset[str]:
    return frozenset(field.name for field in fields(Settings))


def _apply(settings: Settings, path: Path, *, allowed: frozenset[str], trusted: bool) -> Settings:
    try:
        found = read_mapping(_read(path, trusted=trusted).decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return settings
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else _short(error)
        raise UsageError(
            f"{path} is not a YAML mapping of words: {reason}",
            hint="correct or remove the file; for example `memory_budget: 10000`",
        ) from error
    changes: dict[str, object] = {}
    for name, value in _flat(found).items():
        if name not in allowed:
            where = " (only your own settings file may)" if name in USER_ONLY else ""
            raise UsageError(
                f"{path} cannot set {_short(name)}{where}", hint="known: " + ", ".join(sorted(allowed))
            )
        changes[name] = _checked(path, name, value)
    return replace(settings, **changes)  # type: ignore[arg-type]


def _read(path: Path, *, trusted: bool) -> bytes:
    """What the file holds, up to one byte more than settings may have; waits for nobody.

    A person's own file may be a link or a device. A workspace's must be a plain file: a link in it
    could lead anywhere.
    """
    own = os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | (0 if trusted else own))
    except OSError as error:
        if not trusted and error.errno in (errno.ELOOP, errno.ENXIO):
            raise _not_plain(path) from error
        raise
    try:
        if not trusted and not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _not_plain(path)
        data = b""
        while len(data) <= MAX_BYTES and (chunk := os.read(descriptor, MAX_BYTES + 1 - len(data))):
            data += chunk
        return data
    finally:
        os.close(descriptor)


def _not_plain(path: Path) -> UsageError:
    return UsageError(f"{path} is not a plain file", hint="put the settings themselves in it, or remove it")


def _flat(found: Mapping[str, object]) -> dict[str, object]:
    """``memory: {budget: 1}`` and ``memory_budget: 1`` say the same."""
    flat: dict[str, object] = {}
    for key, value in found.items():
        if isinstance(value, Mapping):
            flat.update({f"{key}_{inner}": deep for inner, deep in value.items()})
        else:
            flat[key] = value
    return flat


def _checked(path: Path, name: str, value: object) -> object:
    default = getattr(Settings(), name)
    if isinstance(default, int):
        if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value) and int(value) > 0:
            return int(value)
        raise UsageError(f"{path}: {name} must be a positive whole number, not {_short(value)}")
    if isinstance(default, tuple):
        items = [value] if isinstance(value, str) else value
        if isinstance(items, list) and all(isinstance(item, str) and item for item in items):
            return _patterns(path, name, items)
        raise UsageError(f"{path}: {name} must be a list of patterns, not {_short(value)}")
    if isinstance(value, str):
        return value
    raise UsageError(f"{path}: {name} must be a word, not {_short(value)}")


def _patterns(path: Path, name: str, patterns: list[str]) -> tuple[str, ...]:
    """The patterns, as long as matching a path against all of them stays quick."""
    if len(patterns) > MAX_PATTERNS:
        raise UsageError(f"{path}: {name} has {len(patterns)} patterns; {MAX_PATTERNS} are allowed")
    for pattern in patterns:
        if pattern.split("/").count("**") > MAX_CROSSINGS:
            raise UsageError(
                f"{path}: {name} has a pattern with more than {MAX_CROSSINGS} `**`: {_short(pattern)}",
                hint="one `**` stands for any folders, however deep",
            )
    return tuple(patterns)


def _short(value: object) -> str:
    """A value for an error message, which stays a line whatever the file holds."""
    text = str(value) if isinstance(value, Exception) else reprlib.repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
