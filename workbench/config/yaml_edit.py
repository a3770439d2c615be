"""Where in a YAML mapping each value stands, and its text with one of them changed, all else kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from workbench.config.safe_yaml import MappingError, read_mapping
from workbench.errors import UsageError

_PLAIN = re.compile(r"[A-Za-z0-9_./~][A-Za-z0-9_./~+-]*(?: [A-Za-z0-9_./~+-]+)*")
_NO_WORD = re.compile(r"(?i)(?:y|n|yes|no|on|off|true|false|null|~|[0-9.].*)")
"""What other readers of YAML take for something else than a word."""
_NOTE = re.compile(r"(?:^|(?<=\s))#.*")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class YamlPlace:
    """One value: the keys that lead to it, its line from 1, and the characters of its key and of itself."""

    keys: tuple[str, ...]
    line: int
    key_start: int
    key_end: int
    start: int
    end: int
    in_braces: bool
    is_block: bool
    """Whether it is a list of lines, or a text of several."""


@dataclass(slots=True)
class _Open:
    """A collection that is being read."""

    is_mapping: bool
    in_braces: bool
    keys: tuple[str, ...]
    start: int
    line: int = 0
    key: yaml.ScalarEvent | None = None
    last: int = 0


def yaml_places(text: str) -> list[YamlPlace]:
    """Every word and list of a mapping, and of the mappings in it. Raises MappingError as reading it does."""
    read_mapping(text)
    return list(_places(text))


def with_value(text: str, place: YamlPlace, value: str | Sequence[str]) -> str:
    """The text with another value at this place; comments beside it stay."""
    new = written(value)
    if place.is_block:
        return _instead_of_block(text, place, new)
    if place.start == place.end:  # nothing stands there: the colon is followed by a blank
        return f"{text[: place.key_end]} {new}{text[place.key_end :]}"
    return text[: place.start] + new + text[place.end :]


def with_new(text: str, name: str, value: str | Sequence[str]) -> str:
    """The text with a value that it did not have, as its last line."""
    new = f"{name}: {written(value)}"
    root = next((e for e in yaml.parse(text, Loader=yaml.SafeLoader) if isinstance(e, yaml.NodeEvent)), None)
    if isinstance(root, yaml.MappingStartEvent) and root.flow_style:
        before = text[: text.rindex("}")].rstrip()
        comma = "" if before.endswith(("{", ",")) else ","
        return f"{before}{comma} {new}}}{text[text.rindex('}') + 1 :]}"
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text or text.endswith("\n") else end
    return f"{text}{gap}{new}{end}"


def without(text: str, place: YamlPlace) -> str:
    """The text without this value and its key; a mapping that it was all of goes with it."""
    alone = [other for other in _places(text) if other.keys[: len(place.keys) - 1] == place.keys[:-1]]
    start, end = place.key_start, place.end
    if len(place.keys) > 1 and len(alone) == 1:
        parent = place.keys[:-1]
        opened = next(o for o in _parents(text) if o.keys == parent)
        start = opened.line
        end = max(end, opened.last if opened.in_braces else end)
        return _cut(text, start, end, in_braces=False)
    return _cut(text, start, end, in_braces=place.in_braces)


def with_change(
    path: Path,
    data: bytes | None,
    name: str,
    value: str | list[str] | None,
    *,
    read: Callable[[str], Mapping[str, object]] = read_mapping,
    places: Callable[[str], Mapping[str, YamlPlace]] | None = None,
) -> bytes:
    """The bytes of the file ``path``, which are ``data`` now, with this value for a name, or without it.

    ``read`` says what a text says, and ``places`` where it says it: its outermost names where none is given.
    Raises UsageError where it is no mapping, and where it is written in a way that this cannot be certain of.
    """
    find = places or (lambda text: {place.keys[0]: place for place in yaml_places(text)})
    try:
        text = (data or b"").decode("utf-8")
        mark, text = text[: text.startswith(_BOM)], text.removeprefix(_BOM)
        wanted = dict(read(text))
    except ValueError as error:
        raise UsageError(
            f"{path} cannot be changed: it is no YAML mapping", hint="correct it first"
        ) from error
    wanted.pop(name, None)
    if value is not None:
        wanted[name] = value
        here = find(text).get(name)
        text = with_value(text, here, value) if here else with_new(text, name, value)
    while value is None and (here := find(text).get(name)):
        text = without(text, here)
    try:
        certain = read(text) == wanted
    except MappingError:
        certain = False
    if not certain:
        raise UsageError(
            f"{path} is written in a way that cannot be changed in place", hint="change it with an editor"
        )
    return (mark + text).encode("utf-8")


def written(value: str | Sequence[str]) -> str:
    """A value as YAML on one line: words as they are where that is safe, else in quotes."""
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and (not _NO_WORD.fullmatch(value) or _NUMBER.fullmatch(value))
        return value if plain else json.dumps(value, ensure_ascii=False)
    return "[" + ", ".join(written(item) for item in value) + "]"


def _instead_of_block(text: str, place: YamlPlace, new: str) -> str:
    """One line for several. What was noted beside the key stays there, the other notes of a list beneath."""
    whole = text[place.key_end : place.end].rstrip()
    first, *others = whole.splitlines()
    rest, newline, after = text[place.key_end + len(whole) :].partition("\n")
    end = "\r\n" if "\r\n" in text else "\n"
    beside = f"  {found[0]}" if (found := _NOTE.search(first)) else ""
    under = others if text[place.start] not in "|>" else ()
    notes = "".join(f"  {found[0]}{end}" for line in under if (found := _NOTE.search(line)))
    return f"{text[: place.key_end]} {new}{beside}{rest}{newline or (end if notes else '')}{notes}{after}"


def _cut(text: str, start: int, end: int, *, in_braces: bool) -> str:
    if in_braces:
        before, after = text[:start], text[end:]
        if after.lstrip().startswith(","):
            return before + after.lstrip()[1:].lstrip(" ")
        return (before.rstrip().removesuffix(",") if before.rstrip().endswith(",") else before) + after
    first = text.rfind("\n", 0, start) + 1
    newline = -1 if text[:end].endswith("\n") else text.find("\n", end)
    last = end if text[:end].endswith("\n") else len(text) if newline < 0 else newline + 1
    return text[:first] + text[last:]


def _parents(text: str) -> Iterator[_Open]:
    """The mappings within the mapping; ``line`` is where their key begins, ``last`` where they end."""
    for item in _walk(text):
        if isinstance(item, _Open):
            yield item


def _places(text: str) -> Iterator[YamlPlace]:
    for item in _walk(text):
        if isinstance(item, YamlPlace):
            yield item


def _walk(text: str) -> Iterator[YamlPlace | _Open]:
    stack: list[_Open] = []
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            above = stack[-1] if stack else None
            key = above.key if above is not None else None
            keys = (*(above.keys if above else ()), *((key.value,) if key is not None else ()))
            braces = bool(event.flow_style) or bool(above and above.in_braces)
            opened = _Open(isinstance(event, yaml.MappingStartEvent), braces, keys, _at(event.start_mark))
            opened.key = None
            opened.line = _at(key.start_mark) if key is not None else 0
            stack.append(opened)
        elif isinstance(event, yaml.CollectionEndEvent):
            closed = stack.pop()
            end = _at(event.end_mark) if _at(event.end_mark) > _at(event.start_mark) else closed.last
            closed.last = end
            if not stack:
                continue
            above = stack[-1]
            above.last = end
            if above.is_mapping and above.key is not None:
                if closed.is_mapping:
                    yield closed
                else:
                    yield _place(above, above.key, closed.start, end, is_block=not closed.in_braces)
                above.key = None
        elif isinstance(event, yaml.ScalarEvent) and stack:
            above = stack[-1]
            above.last = _at(event.end_mark)
            if not above.is_mapping:
                continue
            if above.key is None:
                above.key = event
            else:
                block = event.style in ("|", ">")
                yield _place(above, above.key, _at(event.start_mark), _at(event.end_mark), is_block=block)
                above.key = None


def _place(above: _Open, key: yaml.ScalarEvent, start: int, end: int, *, is_block: bool) -> YamlPlace:
    return YamlPlace(
        keys=(*above.keys, key.value),
        line=key.start_mark.line + 1 if key.start_mark is not None else 0,
        key_start=_at(key.start_mark),
        key_end=_behind_colon(key, start),
        start=start,
        end=end,
        in_braces=above.in_braces,
        is_block=is_block,
    )


def _behind_colon(key: yaml.ScalarEvent, start: int) -> int:
    """Behind the colon of a key, which may stand away from it only by blanks."""
    at, buffer = _at(key.end_mark), key.end_mark.buffer if key.end_mark is not None else None
    colon = buffer.find(":", at) if buffer is not None else at
    return min(colon + 1, start) if colon >= 0 else start


def _at(mark: Any) -> int:
    """The character that a mark stands at; the reader that is used here always gives one."""
    return mark.index if mark is not None else 0
