"""The searchable form of an entry: its own and its neighbours' words, and facets that filter and rank it."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from functools import cache
from typing import TYPE_CHECKING

from indexing.words import bigrams, clean, date_words, exact_tokens, normal
from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.entry import Entry, Form, Kind, LocatedText, RelPath, stem_of
from workbench.memory.episode import session_blocks, session_of
from workbench.memory.graph_page import memory_type
from workbench.memory.graph_types import IMPORTANCE
from workbench.memory.markdown import Document
from workbench.memory.moment import dated_name
from workbench.memory.origin import OriginReader, log_trust
from workbench.memory.provenance import Provenance, least_trusted

if TYPE_CHECKING:
    import msgspec

NEIGHBOURS = 2
"""Entries before and after, under the same heading, that lend an entry their words and meaning."""

SCHEMA = 7
"""Raised when fields, analysers or the stored form of the word index change: it is built anew."""

CHUNKER = 4
"""Raised when the same bytes are cut, dated or named differently, so that indexes are built anew."""

_KINDS = tuple(Kind)
_LOST = re.compile("\0([0-9a-f]{2})|[\x00-\x1f\udc80-\udcff]")
_USER_FOLDER = re.compile(r"(?:^|/)users/([^/]+)/")
_DIGITS_OF_DAY = re.compile(r"^\d{8}-?")
_SOURCE_FIELDS = ("src", "session", "by")
_SOURCE_KEYS = ("source_id", "session", "session_id", "session_key", "source", "agent", "by")
_NAMES = ("name", "title", "aliases", "key_topics")
_UNNAMED = frozenset({Kind.MEMORY, Kind.BOOTSTRAP, Kind.CONTEXT, Kind.TRANSCRIPT})
"""Kinds of files whose names say what they are for and not what they are about."""

_LONGEST = 300
"""Characters of a value that are kept."""

_UNSAID = 127
"""The importance that stands for none: real ones end at 100."""

_LEAD_IN_BIT = 1 << 40
_LEAD_IN_BYTES = 120
_LEAD_IN_ENDS = ("?", "？", "؟", ":", "：")


@frozen_kw_only
class Facets:
    """``type`` is that of a typed memory; ``importance`` in percent, None where nothing says so.

    ``user`` is whose memory it is, empty for everybody's; ``sources`` are the files, sessions and writers
    that it came from. ``names`` are those of its page, ``ids`` its own and its page's. ``trust`` is what the
    files say: which commit brought a line, and whether that lowers it, is known to the history alone.
    ``leads_in`` says of a short entry that it asks or announces, or is but a heading: what is looked for
    stands in others.
    """

    type: str = ""
    importance: int | None = None
    pinned: bool = False
    trust: str = "unknown"
    user: str = ""
    names: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    leads_in: bool = False

    @property
    def marks(self) -> int:
        """What ranking needs, as one number; see ``importance_in`` and others."""
        importance = _UNSAID if self.importance is None else self.importance
        return importance | self.pinned << 7 | user_code(self.user) << 8 | _LEAD_IN_BIT * self.leads_in

    def terms(self) -> list[str]:
        """The facets as raw terms of the word index, ``name:value``."""
        said = [
            f"type:{self.type}",
            f"trust:{self.trust}",
            f"pinned:{'yes' if self.pinned else 'no'}",
            f"user:{self.user}",
            *(f"from:{source}" for source in self.sources),
        ]
        return [clean(term.lower()) for term in said]


class FacetsOf:
    """The facets of the entries of one document: an entry's own comment speaks before the front matter."""

    def __init__(self, document: Document) -> None:
        self._header = document.header
        self._sessions = session_blocks(document)
        self._origins = OriginReader(document)
        self._pinned = self._header.flag("pinned")
        self._names = _distinct([*self._listed(_NAMES), *_name_of(document)])
        self._ids = self._listed(("id",))
        self._sources = self._listed(_SOURCE_KEYS)
        if document.kind is Kind.DREAM:
            self._sources = [*self._sources, str(Kind.DREAM)]
        folder = _USER_FOLDER.search(document.path)
        self._user = folder[1] if folder else ""

    def of(self, entry: Entry) -> Facets:
        """The facets of one entry of the document."""
        own = entry.origin
        type_ = memory_type(entry)
        named = [value for name in _SOURCE_FIELDS for value in own.all(name)]
        session = session_of(self._sessions, entry)
        return Facets(
            type=_plain(type_),
            importance=_percent(self._said(own, "importance"), IMPORTANCE.get(type_)),
            pinned=entry.pinned or self._pinned,
            trust=self._trust(entry),
            user=_plain(self._said(own, "user") or self._user),
            names=self._names,
            ids=_distinct([*own.all("id"), *self._ids]),
            sources=_distinct([*named, *self._sources, *([session] if session else [])]),
            leads_in=entry.form is Form.HEADING
            or (
                entry.text.rstrip(" *_").endswith(_LEAD_IN_ENDS)
                and len(entry.text.encode("utf-8", "replace")) <= _LEAD_IN_BYTES
            ),
        )

    def _said(self, own: Provenance, name: str) -> str | None:
        return own.get(name) or self._header.text(name)

    def _listed(self, names: Iterable[str]) -> list[str]:
        return [value for name in names for value in self._header.list(name)]

    def _trust(self, entry: Entry) -> str:
        """No line speaks louder than its file, and a line of a log no louder than the agent."""
        if entry.kind is Kind.LOG:
            return log_trust(self._origins, entry)
        own, in_file = entry.field("trust"), self._header.text("trust")
        return least_trusted(own or in_file, in_file or own)


def user_code(user: str) -> int:
    """32 bits that stand for a user; 0 for nobody in particular."""
    if not user:
        return 0
    digest = hashlib.blake2b(user.lower().encode("utf-8", "surrogateescape"), digest_size=4).digest()
    return int.from_bytes(digest) or 1


def importance_in(marks: int) -> float | None:
    """The importance in ``Facets.marks``, in [0, 1], or None."""
    percent = marks & 0x7F
    return None if percent == _UNSAID else percent / 100


def pinned_in(marks: int) -> bool:
    """Whether ``Facets.marks`` says pinned."""
    return bool(marks & 0x80)


def user_in(marks: int) -> int:
    """The ``user_code`` in ``Facets.marks``."""
    return marks >> 8 & 0xFFFFFFFF


def leads_in(marks: int) -> bool:
    """Whether ``Facets.marks`` says that an entry only asks or announces."""
    return bool(marks & _LEAD_IN_BIT)


def _percent(said: str | None, usual: float | None) -> int | None:
    try:
        value = float(said) if said else usual
    except ValueError:
        value = usual
    return None if value is None or not 0 <= value <= 1 else round(value * 100)


def _name_of(document: Document) -> list[str]:
    """What the name of a file says of it: ``sarah chen``; the day and time of a log are no name."""
    if document.kind in _UNNAMED:
        return []
    dated = dated_name(document.path)
    stem = dated.slug if dated else stem_of(document.path)
    return [_DIGITS_OF_DAY.sub("", stem).replace("-", " ").replace("_", " ")]


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(plain for value in values if (plain := _plain(value)[:_LONGEST])))


def _plain(text: str) -> str:
    """``text`` in one line, without what no engine stores."""
    return " ".join(clean(re.sub(r"[\x00-\x1f]", " ", text)).split())


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


@frozen_kw_only
class Stored(LocatedText):
    """What the index gives back about an entry without opening its file."""

    stamp: Stamp
    facets: Facets = Facets()

    @property
    def key(self) -> int:
        """The ``entry_key`` of its address."""
        return entry_key(self.address)

    @property
    def day(self) -> int:
        """Its date as a proleptic ordinal, 0 where it has none."""
        return self.date.toordinal() if self.date else 0


_KEPT = tuple(one.name for one in fields(LocatedText))


@cache
def _packing() -> tuple[msgspec.msgpack.Encoder, msgspec.msgpack.Decoder[tuple[Stored, int]]]:
    from msgspec import msgpack  # noqa: PLC0415 - not before an index is written or read

    return msgpack.Encoder(), msgpack.Decoder(tuple[Stored, int])


def packed(entry: Stored, at: int) -> bytes:
    """What the word index keeps of ``entry``, the ``at``-th of its file, to give it back."""
    heading = tuple(map(clean, entry.heading))
    kept = replace(entry, path=RelPath(storable(entry.path)), heading=heading, text=clean(entry.text))
    return _packing()[0].encode((kept, at))


def unpacked(data: bytes | None) -> tuple[Stored, int]:
    """The entry in ``data`` and its position in its file. Raises ValueError on anything else."""
    entry, at = _packing()[1].decode(data or b"")
    return replace(entry, path=RelPath(restored(entry.path))), at


def as_stored(entry: LocatedText, stamp: Stamp, facets: Facets) -> Stored:
    """``entry`` as the index keeps it, with the stamp that its file had."""
    return Stored(**{name: getattr(entry, name) for name in _KEPT}, stamp=stamp, facets=facets)


def stored_entries(document: Document, stamp: Stamp) -> list[Stored]:
    """The entries of one file, in its order, with the stamp that file had."""
    facets = FacetsOf(document)
    return [as_stored(entry, stamp, facets.of(entry)) for entry in document.entries]


def neighbours(headings: Sequence[tuple[str, ...]], at: int) -> Iterator[int]:
    """The positions around ``at`` that stand under the same heading."""
    for other in range(max(0, at - NEIGHBOURS), min(len(headings), at + NEIGHBOURS + 1)):
        if other != at and headings[other] == headings[at]:
            yield other


def indexed_words(entries: Sequence[Stored]) -> list[dict[str, list[str]]]:
    """The words of one file's entries, in its order, by the lexical field that holds them.

    A field has them in pieces, so that no phrase reaches from one heading into the next. ``context`` is the
    passage: the entry and its neighbours. A passage is scored better than its parts: what
    a word is worth, and how long the text is that it stands in, are then those of what a reader would take in
    at once.
    """
    sections = [entry.heading for entry in entries]
    texts = [normal(entry.text) for entry in entries]
    headings = [[normal(part) for part in (*entry.heading, *entry.facets.names)] for entry in entries]
    return [
        {
            "text": [text],
            "typed": [text],
            "heading": heading,
            "title": heading,
            "context": [text, *(texts[other] for other in neighbours(sections, at))],
            "date": [date_words(entry.date)],
            "exact": list(_exact(text, entry.facets.ids)),
            "pairs": [" ".join(bigrams(part)) for part in (text, *heading)],
        }
        for at, (entry, text, heading) in enumerate(zip(entries, texts, headings, strict=True))
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
