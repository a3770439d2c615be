"""Front matter: read without trusting it, changed without rewriting it.

Values are kept as the text that stands in the file: ``no``, ``012`` and ``12:30:45`` stay strings. Tags,
aliases, deep nesting and oversized headers are refused with a note; the file itself is never affected.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import yaml

MAX_BYTES = 64 * 1024
MAX_DEPTH = 12
MAX_NODES = 5_000
BOM = b"\xef\xbb\xbf"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _RefusedError(ValueError):
    """The header holds something that front matter has no business holding."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The header of a file: its raw bytes' end, its values as text, and why it could not be read.

    ``start`` and ``end`` bound the lines between the two fences; ``body`` is the first byte after
    the closing fence. ``values`` is empty when ``problem`` is set.
    """

    start: int
    end: int
    body: int
    values: dict[str, object] = field(default_factory=dict)
    problem: str | None = None

    def text(self, key: str) -> str | None:
        """A scalar as it is written, or None when it is absent, empty or not a scalar."""
        value = self.values.get(key)
        return value if isinstance(value, str) and value not in ("", "null", "~") else None

    def list(self, key: str) -> tuple[str, ...]:
        """A list of scalars; a lone scalar counts as a list of one."""
        value = self.values.get(key)
        if isinstance(value, list):
            return tuple(item for item in value if isinstance(item, str))
        return (value,) if isinstance(value, str) and value else ()

    def flag(self, key: str) -> bool:
        """Whether a scalar says yes."""
        return (self.text(key) or "").lower() in ("true", "yes", "on", "1")


def read_front_matter(data: bytes) -> FrontMatter | None:
    """The front matter at the start of ``data``, or None when there is none."""
    at = len(BOM) if data.startswith(BOM) else 0
    if not data.startswith((b"---\n", b"---\r\n"), at):
        return None
    start = data.index(b"\n", at) + 1
    closing = re.compile(rb"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE).search(data, start)
    if closing is None:
        return None
    end = closing.start()
    newline = data.find(b"\n", closing.end())
    body = len(data) if newline < 0 else newline + 1
    if end - start > MAX_BYTES:
        return FrontMatter(start, end, body, problem=f"front matter over {MAX_BYTES} bytes")
    try:
        values = _mapping(data[start:end].decode("utf-8"))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        first_line = str(error).partition("\n")[0]
        return FrontMatter(start, end, body, problem=f"unreadable front matter: {first_line}")
    return FrontMatter(start, end, body, values)


def set_front_matter(data: bytes, key: str, value: str) -> bytes:
    """``data`` with the line of ``key`` replaced, or added before the closing fence.

    Only a scalar on one line is replaced; every other byte stays as it is. Raises ValueError when
    there is no front matter to change.
    """
    header = read_front_matter(data)
    if header is None:
        raise ValueError("there is no front matter")
    newline = b"\r\n" if data[header.start - 2 : header.start] == b"\r\n" else b"\n"
    line = f"{key}: {value}".encode()
    pattern = re.compile(rb"^" + re.escape(key.encode()) + rb"[ \t]*:[^\r\n]*", re.MULTILINE)
    found = pattern.search(data, header.start, header.end)
    if found is not None:
        return data[: found.start()] + line + data[found.end() :]
    return data[: header.end] + line + newline + data[header.end :]


def _mapping(text: str) -> dict[str, object]:
    """The mapping that ``text`` holds, every scalar as text. Iterative: depth cannot overflow it."""
    root: list[object] = []
    stack: list[_Collection] = [_Collection(root)]
    for count, event in enumerate(yaml.parse(text, Loader=_LOADER)):
        _check(event)
        if count > MAX_NODES or len(stack) > MAX_DEPTH:
            raise _RefusedError("too large or too deep")
        if isinstance(event, yaml.ScalarEvent):
            stack[-1].take(event.value)
        elif isinstance(event, yaml.CollectionStartEvent):
            node: dict[str, object] | list[object]
            node = {} if isinstance(event, yaml.MappingStartEvent) else []
            stack[-1].take(node)
            stack.append(_Collection(node))
        elif isinstance(event, yaml.CollectionEndEvent):
            stack.pop()
    if not root:
        return {}
    if not isinstance(root[0], dict):
        raise _RefusedError("not a mapping")
    return root[0]


class _Collection:
    """A list or mapping that is being filled; of a key that comes twice the first one counts."""

    def __init__(self, node: dict[str, object] | list[object]) -> None:
        self._node = node
        self._key: str | None = None

    def take(self, value: object) -> None:
        """The next item, key or value."""
        if isinstance(self._node, list):
            self._node.append(value)
        elif self._key is not None:
            self._node.setdefault(self._key, value)
            self._key = None
        elif isinstance(value, str):
            self._key = value
        else:
            raise _RefusedError("a key that is not a word")


def _check(event: yaml.Event) -> None:
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
        raise _RefusedError("anchors and aliases are not read")
    tag = getattr(event, "tag", None)
    if tag is not None:
        raise _RefusedError("tags are not read")
