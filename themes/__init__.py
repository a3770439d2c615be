"""Themes as data: YAML files, each checked when it is read. A bad file is reported and skipped."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from workbench.config.settings import user_settings_path

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

_HUES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
OF_THE_TERMINAL = (
    "default",
    *(f"ansi_{hue}" for hue in _HUES),
    *(f"ansi_bright_{hue}" for hue in _HUES),
)
"""Colours that the terminal's own palette decides: its ground and ink, and its sixteen."""

_KEYS = ("name", "label", "dark", "colors")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_STRING, _BOOLEAN = "tag:yaml.org,2002:str", "tag:yaml.org,2002:bool"


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEPTH = 2
"""A theme is a mapping with a mapping in it."""


class ThemeError(ValueError):
    """A theme file that cannot be used; the text says which, in which line, and why."""


@dataclass(frozen=True, slots=True)
class ThemeData:
    """One theme: its name, what people call it, whether its ground is dark, and its colours by role."""

    name: str
    label: str
    dark: bool
    colors: Mapping[str, str]
    path: Path | None = None
    """The file that it was read from."""

    @property
    def terminal(self) -> bool:
        """Whether it is made of the terminal's own colours."""
        return not self.colors["text"].startswith("#")


class _Fields:
    """A mapping of the file ``where``, all of it or that of its key ``of``: what each key stands for."""

    def __init__(self, node: yaml.Node | None, where: str, of: str = "") -> None:
        self._node, self._where, self._of = node, where, of
        self.values: dict[str, yaml.Node] = {}
        if not isinstance(node, yaml.MappingNode):
            raise self._wrong(node, f"{of or 'a theme'} must be a mapping of words to values")
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else "?"
            if name in self.values:
                raise self._wrong(key, f"{name} is said twice")
            self.values[name] = value

    def take(self, key: str, tag: str, accepts: Callable[[str], object], what: str) -> str:
        """The value of ``key`` as it is written. Raises ThemeError where it is not ``what`` it must be."""
        node = self.values.get(key)
        if isinstance(node, yaml.ScalarNode) and node.tag == tag and accepts(node.value):
            return str(node.value)
        name = f"{self._of}.{key}" if self._of else key
        missing = "is missing; it " if self._of and not node else ""
        raise self.wrong(key, f"{name} {missing}must be {what}")

    def only(self, known: Sequence[str], what: str) -> None:
        """Raise ThemeError where there are other keys."""
        if unknown := sorted(self.values.keys() - set(known)):
            raise self.wrong(unknown[0], f"unknown {what}: {', '.join(unknown)}")

    def wrong(self, key: str, what: str) -> ThemeError:
        """What is wrong with ``key``, with its line."""
        return self._wrong(self.values.get(key, self._node), what)

    def _wrong(self, node: yaml.Node | None, what: str) -> ThemeError:
        line = f":{node.start_mark.line + 1}" if node is not None else ""
        return ThemeError(f"{self._where}{line}: {what}")


def parse_theme(text: str, where: str, path: Path | None = None) -> ThemeData:
    """The theme that ``text`` describes. Raises ThemeError naming ``where``, the line and what is wrong."""
    try:
        _refuse_depth(text)
        # Composed, not constructed: nothing that a tag asks for is made, and each value has its line.
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ThemeError(f"{where}{line}: this is not YAML: {error.problem}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ThemeError(f"{where} is no theme: {str(error).partition(chr(10))[0]}") from error
    found = _Fields(node, where)
    name = found.take("name", _STRING, _NAME.fullmatch, "a word of small letters, digits and dashes")
    label = found.take("label", _STRING, _is_label, "a short line of text")
    dark = found.take("dark", _BOOLEAN, bool, "true or false")
    found.only(_KEYS, "keys")
    if "colors" not in found.values:
        raise found.wrong("colors", "colors must be there")
    colors = _colors(_Fields(found.values["colors"], where, "colors"))
    return ThemeData(name, label, dark.lower() in ("true", "yes", "on"), colors, path)


def _is_label(text: str) -> bool:
    return text.isprintable() and 0 < len(text) <= 40


def _refuse_depth(text: str) -> None:
    """Raise ValueError where it is deeper than a theme: composing recurses, in C without a limit."""
    depth = 0
    event: yaml.Event
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEPTH:
            line = f" in line {event.start_mark.line + 1}" if event.start_mark else ""
            raise ValueError(f"it is nested too deep{line}")


def _colors(found: _Fields) -> dict[str, str]:
    wanted = "a colour like '#1a2b3c', or one like ansi_blue"
    colors = {role: found.take(role, _STRING, _is_color, wanted) for role in COLORS}
    fixed = colors[COLORS[0]].startswith("#")
    for role, color in colors.items():
        if color.startswith("#") != fixed:
            # The terminal's colours cannot be mixed with others, and their contrast is not known.
            raise found.wrong(role, f"colors.{role}: '#1a2b3c' and ansi_blue do not go together in one theme")
    found.only(COLORS, "colours")
    return colors


def _is_color(text: str) -> bool:
    return text in OF_THE_TERMINAL or bool(_COLOR.fullmatch(text))


# -- the folders of themes -----------------------------------------------------------------------

BUILT_IN = Path(__file__).parent
_MAX_CHARACTERS = 64 * 1024
_MOST = 200
"""Files of a folder that are looked at."""


def own_folder() -> Path:
    """Where a person's own themes are: ``themes`` beside their settings file."""
    return user_settings_path().parent / "themes"


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

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        """Those that come with the program and the person's own, where no ``folders`` are given."""
        self._folders = folders or (BUILT_IN, own_folder())
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
