"""Where in a YAML mapping each value stands, and its text with one of them changed, all else kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import yaml

from workbench.config.safe_yaml import MappingError, read_mapping
from workbench.errors import UsageError
from workbench.frozen import frozen

_PLAIN = re.compile(r"[A-Za-z0-9_./~][A-Za-z0-9_./~+-]*(?: [A-Za-z0-9_./~+-]+)*")
_NO_WORD = re.compile(r"(?i)(?:y|n|yes|no|on|off|true|false|null|~|[0-9.].*)")
"""What other readers of YAML take for something else than a word."""
_NOTE = re.compile(r"(?:^|(?<=\s))#.*")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_BOM = "\ufeff"


@frozen
class YamlPlace:
    """One value: the keys that lead to it, its line from 1, and the characters of its key and of itself."""

    keys: tuple[str, ...]
    line: int
    key_start: int
    key_end: int
    start: int
    end: int
    is_block: bool
    """Whether it is a list of lines, or a text of several."""
    is_mapping: bool = False


def yaml_places(text: str) -> list[YamlPlace]:
    """Every word and list of a mapping, and of the mappings in it. Raises MappingError as reading it does."""
    read_mapping(text)
    return [place for place in _places(text) if not place.is_mapping]


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
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text or text.endswith("\n") else end
    return f"{text}{gap}{name}: {written(value)}{end}"


def without(text: str, place: YamlPlace) -> str:
    """The text without the lines of this value; a mapping that it was all of goes with it.

    Raises MappingError where the braces around it begin the line.
    """
    *above, _ = place.keys
    others = list(_places(text))
    siblings = [one for one in others if not one.is_mapping and [*one.keys[: len(above)]] == above]
    parent = next((one for one in others if [*one.keys] == above and one.is_mapping), None)
    start = place.key_start if parent is None or len(siblings) > 1 else parent.key_start
    newline = place.end - 1 if text[: place.end].endswith("\n") else text.find("\n", place.end)
    after = text[newline + 1 :] if newline >= 0 else ""
    begin = text.rfind("\n", 0, start) + 1
    if text[begin:start].lstrip(" -").startswith("{"):
        raise MappingError("braces begin the line of the value")
    return text[:begin] + after


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
            f"{path} cannot be changed: it is not a YAML mapping", hint="correct it first"
        ) from error
    wanted.pop(name, None)
    if value is not None:
        wanted[name] = value
        here = find(text).get(name)
        text = with_value(text, here, value) if here else with_new(text, name, value)
    try:
        while value is None and (here := find(text).get(name)):
            text = without(text, here)
        certain = read(text) == wanted
    except MappingError:
        certain = False
    if not certain:
        raise UsageError(f"{path} has a form that cannot be edited in place", hint="change it with an editor")
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


def _places(text: str) -> Iterator[YamlPlace]:
    """Every value, in the order of the text; a mapping's before those in it."""
    root = next(yaml.compose_all(text, Loader=yaml.SafeLoader), None)
    if isinstance(root, yaml.MappingNode):
        yield from _places_in(text, root, ())


def _places_in(text: str, node: yaml.MappingNode, above: tuple[str, ...]) -> Iterator[YamlPlace]:
    for key, value in node.value:
        start, key_end = value.start_mark.index, key.end_mark.index
        colon = text.find(":", key_end)
        is_mapping = isinstance(value, yaml.MappingNode)
        in_lines = isinstance(value, yaml.SequenceNode) and not value.flow_style
        keys = (*above, key.value)
        yield YamlPlace(
            keys=keys,
            line=key.start_mark.line + 1,
            key_start=key.start_mark.index,
            key_end=min(colon + 1, start) if colon >= 0 else start,
            start=start,
            end=_end(value),
            is_block=in_lines or (isinstance(value, yaml.ScalarNode) and value.style in ("|", ">")),
            is_mapping=is_mapping,
        )
        if is_mapping:
            yield from _places_in(text, value, keys)


def _end(node: yaml.Node) -> int:
    """Where a value ends: a block ends with the last thing in it, and not where the next begins."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style:
        last = node.value[-1] if node.value else None
        if last is None:
            return int(node.start_mark.index)
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)
