"""Themes are data: YAML files, each checked on load, a bad one reported and skipped."""

from themes.theme import (
    BUILT_IN,
    COLORS,
    OF_THE_TERMINAL,
    ThemeData,
    ThemeError,
    Themes,
    own_folder,
    parse_theme,
    read_theme,
)

__all__ = [
    "BUILT_IN",
    "COLORS",
    "OF_THE_TERMINAL",
    "ThemeData",
    "ThemeError",
    "Themes",
    "own_folder",
    "parse_theme",
    "read_theme",
]
