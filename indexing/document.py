"""What is indexed of an entry: its own words, and those around it that make it findable."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

import msgspec

from indexing.facets import Facets, FacetsOf
from indexing.words import bigrams, clean, date_words, exact_tokens, normal
from workbench.frozen import frozen
from workbench.memory.entry import Kind
from workbench.memory.markdown import Document

NEIGHBOURS = 2
"""Entries before and after, under the same heading, that lend an entry their words and meaning."""

SCHEMA = 6
"""Raised when fields, analysers or the stored form of the word index change: it is built anew."""

CHUNKER = 3
"""Raised when the same bytes are cut, dated or named differently, so that indexes are built anew."""

_KINDS = tuple(Kind)
_NOTHING_KNOWN = Facets()
_LOST = re.compile("\0([0-9a-f]{2})|[\x00-\x1f\udc80-\udcff]")


@frozen
class Stamp:
    """A file as it was when it was indexed: size in bytes, ctime in nanoseconds, and its content.

    ``racy`` says that the file was so young that a later change could leave the same stamp.
    """

    size: int
    ctime_ns: int
    inode: int
    digest: str
    racy: bool = False


@frozen
class Stored:
    """What the index gives back about an entry without opening its file."""

    path: str
    kind: Kind
    date: date | None
    start_line: int
    end_line: int
    heading: tuple[str, ...]
    hash: str
    ordinal: int
    text: str
    stamp: Stamp
    facets: Facets = _NOTHING_KNOWN

    @property
    def address(self) -> str:
        """``path#hash[~n]``."""
        repeat = f"~{self.ordinal}" if self.ordinal > 1 else ""
        return f"{self.path}#{self.hash}{repeat}"

    @property
    def key(self) -> int:
        """The ``entry_key`` of its address."""
        return entry_key(self.address)

    @property
    def day(self) -> int:
        """Its date as a proleptic ordinal, 0 where it has none."""
        return self.date.toordinal() if self.date else 0


_PACKED = msgspec.msgpack.Decoder(tuple[Stored, int])


def packed(entry: Stored, at: int) -> bytes:
    """What the word index keeps of ``entry``, the ``at``-th of its file, to give it back."""
    heading = tuple(map(clean, entry.heading))
    kept = replace(entry, path=storable(entry.path), heading=heading, text=clean(entry.text))
    return msgspec.msgpack.encode((kept, at))


def unpacked(data: bytes | None) -> tuple[Stored, int]:
    """The entry in ``data`` and its position in its file. Raises ValueError on anything else."""
    entry, at = _PACKED.decode(data or b"")
    return replace(entry, path=restored(entry.path)), at


def stored_entries(document: Document, stamp: Stamp) -> list[Stored]:
    """The entries of one file, in its order, with the stamp that file had."""
    facets = FacetsOf(document)
    return [
        Stored(
            entry.path,
            entry.kind,
            entry.date,
            entry.start_line,
            entry.end_line,
            entry.heading,
            entry.hash,
            entry.ordinal,
            entry.text,
            stamp,
            facets.of(entry),
        )
        for entry in document.entries
    ]


def neighbours(headings: Sequence[tuple[str, ...]], at: int) -> Iterator[int]:
    """The positions around ``at`` that stand under the same heading."""
    for other in range(max(0, at - NEIGHBOURS), min(len(headings), at + NEIGHBOURS + 1)):
        if other != at and headings[other] == headings[at]:
            yield other


def indexed_words(entries: Sequence[Stored]) -> list[dict[str, str]]:
    """The words of one file's entries, in its order, by the lexical field that holds them.

    ``context`` is the passage: the entry and its neighbours. A passage is scored better than its parts: what
    a word is worth, and how long the text is that it stands in, are then those of what a reader would take in
    at once.
    """
    headings = [entry.heading for entry in entries]
    texts = [normal(entry.text) for entry in entries]
    return [
        {
            "text": texts[at],
            "typed": texts[at],
            "heading": normal(" ".join((*entry.heading, *entry.facets.names))),
            "context": "\n".join((texts[at], *(texts[other] for other in neighbours(headings, at)))),
            "date": date_words(entry.date),
            "exact": " ".join(_exact(texts[at], entry.facets.ids)),
            "pairs": " ".join(bigrams(texts[at])),
        }
        for at, entry in enumerate(entries)
    ]


def _exact(text: str, ids: Sequence[str]) -> Iterator[str]:
    """What is looked for as it stands; an id also as its comment writes it."""
    yield from exact_tokens(text)
    for name in ids:
        plain = normal(name).lower().split()
        yield from (*plain, *(f"id={part}" for part in plain))


def file_key(path: str) -> str:
    """Sixteen hexadecimal digits that stand for ``path`` where only plain words are safe."""
    return hashlib.blake2b(path.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def path_term(path: str) -> str:
    """``path`` as it is looked for: in lower case, always text."""
    return storable(path).lower()


def entry_key(address: str) -> int:
    """63 bits that stand for an entry's address in both indexes."""
    return int(file_key(address), 16) >> 1


def kind_code(kind: Kind) -> int:
    """The number that stands for a kind in both indexes."""
    return _KINDS.index(kind)


def kind_of_code(code: int) -> Kind:
    """The inverse of ``kind_code``."""
    return _KINDS[code]


def storable(text: str) -> str:
    """A file name as UTF-8 without control characters: other bytes become NUL and two digits."""
    if text.isascii() and text.isprintable():
        return text
    return _LOST.sub(lambda found: f"\0{ord(found[0]) & 0xFF:02x}", text)


def restored(text: str) -> str:
    """The inverse of ``storable``; no file name holds a NUL of its own."""
    if "\0" not in text:
        return text
    return _LOST.sub(lambda found: os.fsdecode(bytes([int(found[1], 16)])), text)
