"""The folders that themes are read from, and noticing that one was saved."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from themes.theme import ThemeData, ThemeError, parse_theme
from workbench.config.settings import user_settings_path

BUILT_IN = Path(__file__).parent
_MAX_CHARACTERS = 64 * 1024
_MOST = 200
"""Files of a folder that are looked at."""


def own_folder() -> Path:
    """Where a person's own themes are: ``themes`` beside their settings file."""
    return user_settings_path().parent / "themes"


def load_themes(folders: Iterable[Path] = (BUILT_IN,)) -> tuple[list[ThemeData], list[str]]:
    """All themes of ``folders``, later ones replacing earlier ones of the same name, and what was wrong."""
    loaded = Themes(tuple(folders))
    return list(loaded.by_name.values()), loaded.problems


def read_theme(path: Path) -> ThemeData:
    """The theme of one file. Raises ThemeError."""
    try:
        with path.open(encoding="utf-8") as file:
            return parse_theme(file.read(_MAX_CHARACTERS), path.name, path)
    except OSError as error:
        raise ThemeError(f"{path.name}: it cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ThemeError(f"{path.name}: it is not UTF-8") from error


class Themes:
    """The themes of some folders, the last of them a person's own, which may change at any time."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._good: dict[Path, ThemeData] = {}
        self._seen: object = None
        self.by_name: dict[str, ThemeData] = {}
        """Each theme by its name; of those with the same name, the one of the later folder."""
        self.problems: list[str] = []
        """What was wrong with the files that could not be used."""
        self.load()

    def load(self) -> None:
        """Read them all. A file that was good before and is not now stays as it was."""
        self._seen = self._state()
        self.by_name, self.problems = {}, []
        good: dict[Path, ThemeData] = {}
        for folder in self._folders:
            for path in _files(folder):
                try:
                    good[path] = read_theme(path)
                except ThemeError as error:
                    self.problems.append(str(error))
                    if path in self._good:
                        good[path] = self._good[path]
                if path in good:
                    self.by_name[good[path].name] = good[path]
        self._good = good

    def changed(self) -> bool:
        """Whether a file of the last folder was written, added or removed since. It costs a look at each."""
        return self._state() != self._seen

    def _state(self) -> object:
        found = []
        for path in _files(self._folders[-1]):
            try:
                stat = path.stat()
            except OSError:
                continue
            found.append((path.name, stat.st_mtime_ns, stat.st_size, stat.st_ino))
        return found


def _files(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(".yaml")]
    except OSError:
        return []
    return [folder / name for name in sorted(names)[:_MOST] if not name.startswith(".")]
