"""Settings: the person's own, then the workspace's, over the defaults.

A workspace's ``workbench.yaml`` is untrusted text: it may shape what is shown and indexed, never name a
command, an endpoint, a model to download or a key.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

import platformdirs
import yaml

from workbench.errors import UsageError

USER_ONLY = frozenset({"model", "theme"})


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
    """Folder of a sentence-transformers model; empty for the installed one."""
    theme: str = "dark"
    """Name of the theme that the interface starts with."""


def user_settings_path() -> Path:
    """Where the person's own settings live."""
    override = os.environ.get("WORKBENCH_CONFIG")
    return Path(override) if override else platformdirs.user_config_path("memory-workbench") / "settings.yaml"


def load(workspace_file: Path) -> Settings:
    """The settings for one workspace. Raises UsageError naming the file and the key that is wrong."""
    settings = _apply(Settings(), user_settings_path(), allowed=_names())
    return _apply(settings, workspace_file, allowed=_names() - USER_ONLY)


def _names() -> frozenset[str]:
    return frozenset(field.name for field in fields(Settings))


def _apply(settings: Settings, path: Path, *, allowed: frozenset[str]) -> Settings:
    try:
        raw = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return settings
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    try:
        found = yaml.safe_load(raw)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(f"{path} is not YAML: {reason}", hint="correct or remove the file") from error
    if found is None:
        return settings
    if not isinstance(found, dict):
        raise UsageError(f"{path} must be a mapping", hint="for example `memory_budget: 10000`")
    changes: dict[str, object] = {}
    for name, value in _flat(found).items():
        if name not in allowed:
            where = " (only your own settings file may)" if name in USER_ONLY else ""
            raise UsageError(f"{path} cannot set {name}{where}", hint="known: " + ", ".join(sorted(allowed)))
        changes[name] = _checked(path, name, value)
    return replace(settings, **changes)  # type: ignore[arg-type]


def _flat(found: Mapping[object, object]) -> dict[str, object]:
    """``memory: {budget: 1}`` and ``memory_budget: 1`` say the same."""
    flat: dict[str, object] = {}
    for key, value in found.items():
        if isinstance(value, Mapping):
            flat.update({f"{key}_{inner}": deep for inner, deep in value.items()})
        else:
            flat[str(key)] = value
    return flat


def _checked(path: Path, name: str, value: object) -> object:
    default = getattr(Settings(), name)
    if isinstance(default, int):
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        raise UsageError(f"{path}: {name} must be a positive whole number, not {value!r}")
    if isinstance(default, tuple):
        items = [value] if isinstance(value, str) else value
        if isinstance(items, list) and all(isinstance(item, str) and item for item in items):
            return tuple(items)
        raise UsageError(f"{path}: {name} must be a list of patterns, not {value!r}")
    if isinstance(value, str):
        return value
    raise UsageError(f"{path}: {name} must be a word, not {value!r}")
