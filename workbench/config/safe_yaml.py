"""YAML read without trusting it, as a mapping whose values stay the text that is written.

``no``, ``012`` and ``12:30:45`` stay strings. Tags, anchors, aliases, deep nesting and oversized text are
refused, by reading events instead of building objects. Front matter and settings are read through here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import yaml

MAX_BYTES = 64 * 1024
"""Bytes that a mapping may have."""
MAX_DEPTH = 12
MAX_NODES = 5_000
_TOO_MUCH = "too large or too deep"
_END = object()
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_KEY = re.compile(r"""\s*(?:#.*\n\s*)*(?:\{|(?:"[^"\n]*"|'[^'\n]*'|[\w .-]+):(?:\s|$))""")


class MappingError(ValueError):
    """The text is no mapping, or holds what a mapping of words has no business holding.

    ``line`` is where, counted from 1; 0 where that is not known.
    """

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.line = line


def read_mapping(text: str) -> dict[str, object]:
    """The mapping that ``text`` holds: words, lists and mappings of them. Empty text is an empty mapping.

    Raises MappingError with the reason.
    """
    found = _read(text, MAX_BYTES, MAX_NODES)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise MappingError("not a mapping")
    return found


def read_list(text: str, *, max_bytes: int, max_nodes: int) -> list[object]:
    """The list that ``text`` holds, within bounds of its own; as ``read_mapping`` otherwise."""
    found = _read(text, max_bytes, max_nodes)
    if found is None:
        return []
    if not isinstance(found, list):
        raise MappingError("not a list")
    return found


def _read(text: str, max_bytes: int, max_nodes: int) -> object:
    if len(text) > max_bytes:
        raise MappingError(f"over {max_bytes} bytes")
    try:
        documents = list(iter(partial(_value, _events(text, max_nodes), 0), _END))
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 0
        raise MappingError(str(error).partition("\n")[0], line) from error
    return documents[0] if documents else None


def _events(text: str, max_nodes: int) -> Iterator[yaml.Event]:
    for count, event in enumerate(yaml.parse(text, Loader=_LOADER)):
        if getattr(event, "anchor", None):
            raise MappingError("anchors and aliases are not read")
        if getattr(event, "tag", None) is not None:
            raise MappingError("tags are not read")
        if count > max_nodes:
            raise MappingError(_TOO_MUCH)
        if isinstance(event, (yaml.NodeEvent, yaml.CollectionEndEvent)):
            yield event


def _value(events: Iterator[yaml.Event], depth: int) -> object:
    """The next value, ``_END`` at the end of the text or of the collection that it would be in."""
    event = next(events, None)
    if depth >= MAX_DEPTH:
        raise MappingError(_TOO_MUCH)
    if isinstance(event, yaml.ScalarEvent):
        return event.value
    if isinstance(event, yaml.SequenceStartEvent):
        return list(iter(partial(_value, events, depth + 1), _END))
    if isinstance(event, yaml.MappingStartEvent):
        found: dict[str, object] = {}
        while (key := _value(events, depth + 1)) is not _END:
            if not isinstance(key, str):
                raise MappingError("a key that is not a string")
            found.setdefault(key, _value(events, depth + 1))  # of a key that comes twice the first one counts
        return found
    return _END


def begins_mapping(text: str) -> bool:
    """Whether ``text`` sets out to be a mapping (or is empty), however badly it goes on."""
    try:
        for event in yaml.parse(text[:MAX_BYTES], Loader=_LOADER):
            if isinstance(event, yaml.NodeEvent):
                return isinstance(event, yaml.MappingStartEvent)
    except (yaml.YAMLError, RecursionError):
        return _KEY.match(text) is not None
    return True
