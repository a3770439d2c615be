"""Themes are data: YAML files, each checked on load, a bad one reported and skipped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

COLORS = (
    "background",
    "surface",
    "overlay",
    "line",
    "text",
    "muted",
    "faint",
    "accent",
    "selection",
    "resting",
    "match",
    "good",
    "warn",
    "bad",
)
"""What a theme must say: grounds, rules, three strengths of text, and the colours that mean something."""

BUILT_IN = Path(__file__).parent
_MAX_CHARACTERS = 64 * 1024
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")


class ThemeError(ValueError):
    """A theme file that cannot be used; the text says which and why."""


@dataclass(frozen=True, slots=True)
class ThemeData:
    """One theme: its name, what people call it, whether its ground is dark, and its colours by role."""

    name: str
    label: str
    dark: bool
    colors: Mapping[str, str]


def parse_theme(text: str, where: str) -> ThemeData:
    """The theme that ``text`` describes. Raises ThemeError naming ``where`` and what is wrong."""
    try:
        found = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ThemeError(f"{where} is not YAML: {str(error).partition(chr(10))[0]}") from error
    if not isinstance(found, dict):
        raise ThemeError(f"{where} must be a mapping")
    name, label = found.get("name"), found.get("label")
    dark, colors = found.get("dark"), found.get("colors")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ThemeError(f"{where}: name must be a word of small letters, digits and dashes")
    if not isinstance(label, str) or not label.isprintable() or not 0 < len(label) <= 40:
        raise ThemeError(f"{where}: label must be a short line of text")
    if not isinstance(dark, bool):
        raise ThemeError(f"{where}: dark must be true or false")
    if not isinstance(colors, dict):
        raise ThemeError(f"{where}: colors must be a mapping")
    for role in COLORS:
        value = colors.get(role)
        if not isinstance(value, str) or not _COLOR.fullmatch(value):
            raise ThemeError(f"{where}: colors.{role} must be a colour like '#1a2b3c'")
    if unknown := sorted(str(role) for role in colors.keys() - set(COLORS)):
        raise ThemeError(f"{where}: unknown colours: {', '.join(unknown)}")
    return ThemeData(name, label, dark, {role: colors[role] for role in COLORS})


def load_themes(folders: Iterable[Path] = (BUILT_IN,)) -> tuple[list[ThemeData], list[str]]:
    """All themes of ``folders``, later ones replacing earlier ones of the same name, and what was wrong."""
    themes: dict[str, ThemeData] = {}
    problems: list[str] = []
    for folder in folders:
        for path in sorted(folder.glob("*.yaml")):
            try:
                with path.open(encoding="utf-8") as file:
                    theme = parse_theme(file.read(_MAX_CHARACTERS), path.name)
            except (ThemeError, OSError, UnicodeDecodeError) as error:
                problems.append(str(error))
            else:
                themes[theme.name] = theme
    return list(themes.values()), problems
