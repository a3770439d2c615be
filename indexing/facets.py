"""What is known of an entry besides its words: what one filters by, and what weighs in its rank."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from indexing.words import clean
from workbench.frozen import frozen_kw_only
from workbench.memory.entry import Entry, Kind, stem_of
from workbench.memory.graph_page import memory_type
from workbench.memory.graph_types import IMPORTANCE
from workbench.memory.markdown import Document
from workbench.memory.moment import dated_name
from workbench.memory.origin import OriginReader, log_trust
from workbench.memory.provenance import Provenance, least_trusted
from workbench.memory.session_blocks import session_blocks, session_of

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
    ``leads_in`` says of a short entry that it asks or announces: what is looked for stands in others.
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
            leads_in=entry.text.rstrip(" *_").endswith(_LEAD_IN_ENDS)
            and len(entry.text.encode("utf-8", "replace")) <= _LEAD_IN_BYTES,
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
