"""Front matter: read without trusting it, changed without rewriting it.

Values are kept as the text that stands in the file; what a header has no business holding is refused with
a note (see ``workbench.config.safe_yaml``). The file itself is never affected. What is written is read back
as the same text, whatever it is: plain where nothing can be meant by it, else in double quotes with escapes
(YAML 1.1, 5.1 and 7.3.1), so that no value can end its line, its list or the header.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import field
from datetime import date, datetime

from workbench.config.safe_yaml import MAX_BYTES, begins_mapping, read_mapping
from workbench.frozen import frozen
from workbench.memory.provenance import parse_day, parse_instant

MOST_COUNTED = 1_000_000_000
"""A count that is larger was not counted."""
BOM = b"\xef\xbb\xbf"
# Behind a quoted value it would have to be told from the value's own text.
_COMMENT = re.compile(rb"(?<![\"' \t])[ \t]+#[^\"'\r\n]*\Z")


_PLAIN = re.compile(r"[A-Za-z0-9/][A-Za-z0-9_./@+-]*(?::[A-Za-z0-9_./@+-]+)*")
_PLAIN_WORDS = re.compile(r"[A-Za-z0-9À-ɏ][A-Za-z0-9À-ɏ_.&'+/-]*(?: [A-Za-z0-9À-ɏ][A-Za-z0-9À-ɏ_.&'+/-]*)*")
_ESCAPED = re.compile(
    "[^ !#-\\[\\]-~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


@frozen
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

    def day(self, key: str) -> date | None:
        """A scalar as a day, or None."""
        return parse_day(self.text(key))

    def moment(self, key: str) -> datetime | None:
        """A scalar as a moment, in UTC where it names no zone, or None."""
        return parse_instant(self.text(key))

    def count(self, key: str) -> int:
        """A scalar as a whole number; 0 where it is none, or none that anybody counted."""
        text = self.text(key) or ""
        count = int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0
        return count if count <= MOST_COUNTED else 0

    def flag(self, key: str) -> bool:
        """Whether a scalar says yes."""
        return (self.text(key) or "").lower() in ("true", "yes", "on", "1")


def read_front_matter(data: bytes) -> FrontMatter | None:
    """The front matter at the start of ``data``, or None when there is none.

    Lines between two fences that do not set out to be a mapping are text between thematic breaks.
    """
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
    if not begins_mapping(data[start : min(end, start + MAX_BYTES)].decode("utf-8", "replace")):
        return None
    if end - start > MAX_BYTES:
        return FrontMatter(start, end, body, problem=f"front matter over {MAX_BYTES} bytes")
    try:
        values = read_mapping(data[start:end].decode("utf-8"))
    except ValueError as error:
        first_line = str(error).partition("\n")[0]
        return FrontMatter(start, end, body, problem=f"unreadable front matter: {first_line}")
    return FrontMatter(start, end, body, values)


def set_front_matter(data: bytes, key: str, value: str) -> bytes:
    """``data`` with the line of ``key`` replaced, or added before the closing fence.

    Only a scalar on one line is replaced; every other byte stays, a comment behind it too. A header that
    would not say just this afterwards (written in braces, or with the key inside of another) is left alone.
    Raises ValueError when there is no front matter to change.
    """
    header = read_front_matter(data)
    if header is None:
        raise ValueError("there is no front matter")
    changed = with_line(data, header, key, value)
    after = read_front_matter(changed)
    if header.problem or after is None or after.values != {**header.values, key: value}:
        return data
    return changed


def with_line(data: bytes, header: FrontMatter, key: str, value: str) -> bytes:
    """``data`` with this line in its ``header``; nobody has looked whether it is read so."""
    newline = b"\r\n" if data[header.start - 2 : header.start] == b"\r\n" else b"\n"
    line = f"{key}: {value}".encode()
    pattern = re.compile(rb"^" + re.escape(key.encode()) + rb"[ \t]*:([^\r\n]*)", re.MULTILINE)
    found = pattern.search(data, header.start, header.end)
    if found is not None:
        comment = _COMMENT.search(found[1])
        return data[: found.start()] + line + (comment[0] if comment else b"") + data[found.end() :]
    return data[: header.end] + line + newline + data[header.end :]


def scalar(text: str) -> str:
    """``text`` as the value of a key. Surrogates, which no file can hold, become U+FFFD."""
    return text if _PLAIN.fullmatch(text) else quoted_scalar(text)


def scalars(texts: Iterable[str]) -> str:
    """``texts`` as a list on one line."""
    return f"[{', '.join(text if _PLAIN_WORDS.fullmatch(text) else quoted_scalar(text) for text in texts)}]"


def quoted_scalar(text: str) -> str:
    """``text`` in double quotes."""
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    """What JSON escapes one of these characters by, which YAML reads as well."""
    character = "\N{REPLACEMENT CHARACTER}" if "\ud800" <= found[0] <= "\udfff" else found[0]
    return json.dumps(character)[1:-1]
