"""The entry: the unit that is curated is the unit that is searched; and its address by content."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from datetime import date
from enum import StrEnum
from typing import NewType

from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.provenance import Provenance

RelPath = NewType("RelPath", str)
"""A POSIX path relative to the workspace root, without ``..``; undecodable bytes as surrogates.

Of a file outside, which is searched and shown but never written, it is the absolute path (``is_outside``):
the layer that writes refuses those, as their first name is empty.
"""

EntryHash = NewType("EntryHash", str)
"""Twelve hexadecimal digits of the SHA-256 of an entry's normalised text."""

HASH_DIGITS = 12
# Marks stand around whole words: what is stripped out of the middle of one could be a part of a secret.
_CJK = "\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
EMPHASIS = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`++)[^`]{1,300}(?P=ticks))"
    # Chinese, Japanese and Korean set no spaces around words: `*` and `~~` stand right beside them.
    rf"|(?:(?<![^\s(\[{{“‘\"'—–])|(?<=[{_CJK}])(?=[*~]))(?P<mark>\*{{1,3}}|_{{1,3}}|~~)(?=[^\s])"
    rf"(?P<words>.{{1,300}}?)(?<=[^\s\\])(?P=mark)(?:(?![^\s)\]}}.,:;!?”’\"'—–…])|(?<=[*~])(?=[{_CJK}]))"
)
LINES = re.compile(r"(?P<path>.+)(?:#L|:)(?P<first>[1-9]\d{0,8})(?:-L?(?P<last>[1-9]\d{0,8}))?", re.DOTALL)
"""``PATH:12``, ``PATH#L12``, ``PATH#L12-L14``."""
_PLACE = re.compile(r"(?P<path>.+)#L(?P<line>\d{1,9})(?:-.*)?", re.DOTALL)
_EMPHASIS_MARK = re.compile("[*_~`]")
_NESTED = 2
"""Emphasis in emphasis that is looked for."""


class Kind(StrEnum):
    """What sort of memory file an entry lives in."""

    MEMORY = "memory"
    LOG = "log"
    NOTE = "note"
    EPISODE = "episode"
    ENTITY = "entity"
    DREAM = "dream"
    CONTEXT = "context"
    BOOTSTRAP = "bootstrap"
    TRANSCRIPT = "transcript"


class Form(StrEnum):
    """What sort of Markdown block an entry is."""

    ITEM = "item"
    PARAGRAPH = "paragraph"
    TABLE = "table"
    CODE = "code"
    QUOTE = "quote"
    HTML = "html"
    HEADING = "heading"


@frozen
class Span:
    """Bytes ``start`` up to, not including, ``end`` of a file."""

    start: int
    end: int


@frozen_kw_only
class LocatedText:
    """What an entry says and where it stands; lines count from 1 and include both ends."""

    path: RelPath
    kind: Kind
    start_line: int
    end_line: int
    heading: tuple[str, ...]
    date: date | None
    text: str
    hash: EntryHash
    ordinal: int = 1

    @property
    def address(self) -> str:
        """``path#hash``, with ``~n`` when the same text stands in the file for the nth time."""
        repeat = f"~{self.ordinal}" if self.ordinal > 1 else ""
        return f"{self.path}#{self.hash}{repeat}"


@frozen_kw_only
class Entry(LocatedText):
    """One list item with what is nested in it, one paragraph, table, code block or bare heading.

    ``text`` has no list marker and no provenance comment. ``span`` covers whole lines with their line
    ends, except for the parts of an entry that was too long for one model window (``parts`` > 1): these
    divide the content of their block between them, and ``block`` is the span of the whole.
    """

    form: Form
    span: Span
    part: int = 1
    parts: int = 1
    provenance: Provenance | None = None
    block: Span | None = None

    @property
    def place(self) -> str:
        """``path#L12`` or ``path#L12-L14``."""
        last = f"-L{self.end_line}" if self.end_line > self.start_line else ""
        return f"{self.path}#L{self.start_line}{last}"

    @property
    def whole(self) -> Span:
        """The bytes of all of its block, of which it may be a part."""
        return self.block or self.span

    @property
    def pinned(self) -> bool:
        """Whether a person wants it kept: no automation lets it go."""
        return self.field("pinned") is not None

    @property
    def origin(self) -> Provenance:
        """Its provenance, without a field where it has no comment."""
        return self.provenance or Provenance()

    def field(self, name: str) -> str | None:
        """A field of its provenance comment, or None."""
        return self.origin.get(name)

    def fields(self, name: str) -> tuple[str, ...]:
        """Every value of a field of its provenance comment."""
        return self.origin.all(name)

    @property
    def title(self) -> str:
        """The first line that holds words."""
        return next((line.strip() for line in self.text.splitlines() if line.strip()), "")

    @property
    def plain_title(self) -> str:
        """The title without the marks of Markdown's emphasis, for sentences and lists that render none."""
        return without_emphasis(self.title)


def without_emphasis(line: str) -> str:
    """``line`` less the marks around **strong**, *emphasized* and ~~struck~~ words; code stays as it is."""
    for _ in range(_NESTED if _EMPHASIS_MARK.search(line) else 0):
        line = EMPHASIS.sub(lambda found: found["code"] or found["words"], line)
    return line


def heading_path(names: Iterable[str]) -> str:
    """Headings, the highest first, for people: ``About › Home``."""
    return " › ".join(map(without_emphasis, names))


def entry_hash(text: str) -> EntryHash:
    """The content address of ``text``: blind to white space and to Unicode normal forms."""
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    return EntryHash(digest(" ".join(composed.split()), HASH_DIGITS))


def path_of(address: str) -> str:
    """The file that an address speaks of (a path may hold ``#`` itself: the last one counts)."""
    return address.rpartition("#")[0]


def hash_of(address: str) -> str:
    """The digits of the hash that an address names, without the ordinal."""
    return address.rpartition("#")[2].partition("~")[0]


def place_of(source: str) -> tuple[str, int] | None:
    """The file and the first line that ``path#L12``, or ``path#L12-L15``, names; None for another source."""
    found = _PLACE.fullmatch(source)
    return (found["path"], int(found["line"])) if found else None


def sources_of(entry: Entry) -> set[str | tuple[str, int] | None]:
    """What a comment says that ``entry`` was made of: hashes of entries, else places (``place_of``)."""
    if named := entry.fields("entry"):
        return set(map(hash_of, named))
    return set(map(place_of, entry.fields("src")))


def digest(text: str, digits: int) -> str:
    """The first hexadecimal digits of the SHA-256 of ``text``."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


def encoded(text: str) -> bytes:
    """``text`` as bytes, in which surrogates stand for bytes that are not UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def stem_of(path: str) -> str:
    """The name of a Markdown file without its end."""
    return path.rpartition("/")[2].removesuffix(".md")


def is_outside(path: str) -> bool:
    """Whether ``path`` is that of a file outside of the workspace."""
    return path.startswith("/")
