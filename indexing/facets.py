"""What is known of an entry besides its words: what one filters by, and what weighs in its rank."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from workbench.memory.entry import Entry
from workbench.memory.graph import IMPORTANCE, memory_type
from workbench.memory.markdown import Document
from workbench.memory.provenance import TRUST

_USER_FOLDER = re.compile(r"(?:^|/)users/([^/]+)/")
_SOURCE_FIELDS = ("src", "session", "by")
_SOURCE_KEYS = ("source_id", "session", "source", "agent")
_PARTED = "\x1d"
_UNSAID = 127
"""The importance that stands for none: real ones end at 100."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """``type`` is that of a typed memory; ``importance`` in percent, None where nothing says so.

    ``user`` is whose memory it is, empty for everybody's; ``sources`` are the files, sessions and writers
    that it came from.
    """

    type: str = ""
    importance: int | None = None
    pinned: bool = False
    trust: str = "unknown"
    user: str = ""
    sources: tuple[str, ...] = ()

    @property
    def marks(self) -> int:
        """What ranking needs, as one number: importance, pin and user; see ``importance_in`` and the others."""
        importance = _UNSAID if self.importance is None else self.importance
        return importance | self.pinned << 7 | user_code(self.user) << 8

    def terms(self) -> list[str]:
        """The facets as raw terms of the word index, ``name:value``."""
        said = [
            f"type:{self.type}",
            f"trust:{self.trust}",
            f"pinned:{'yes' if self.pinned else 'no'}",
            f"user:{self.user}",
            *(f"from:{source}" for source in self.sources),
        ]
        return [term.lower().encode("utf-8", "replace").decode() for term in said]

    def line(self) -> str:
        """The facets as one piece of text."""
        importance = "" if self.importance is None else str(self.importance)
        parts = (self.type, importance, "p" if self.pinned else "", self.trust, self.user, *self.sources)
        return _PARTED.join(part.replace(_PARTED, " ") for part in parts)


def read_line(line: str) -> Facets:
    """The inverse of ``Facets.line``. Raises ValueError on anything else."""
    kind, importance, pinned, trust, user, *sources = line.split(_PARTED)
    return Facets(
        type=kind,
        importance=int(importance) if importance else None,
        pinned=bool(pinned),
        trust=trust,
        user=user,
        sources=tuple(sources),
    )


def facets_of(document: Document, entry: Entry) -> Facets:
    """The facets of an entry of ``document``: its own comment speaks before its file's front matter."""
    own, header = entry.provenance, document.front_matter

    def said(name: str) -> str | None:
        return (own.get(name) if own else None) or (header.text(name) if header else None)

    type_ = memory_type(entry)
    trust = said("trust")
    sources = [value for name in _SOURCE_FIELDS if own for value in own.all(name)]
    sources += [value for name in _SOURCE_KEYS if header and (value := header.text(name))]
    folder = _USER_FOLDER.search(document.path)
    return Facets(
        type=_plain(type_),
        importance=_percent(said("importance"), IMPORTANCE.get(type_)),
        pinned=entry.pinned or bool(header and header.flag("pinned")),
        trust=trust if trust in TRUST else "unknown",
        user=_plain(said("user") or (folder[1] if folder else "")),
        sources=tuple(dict.fromkeys(map(_plain, sources))),
    )


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
    return marks >> 8


def _percent(said: str | None, usual: float | None) -> int | None:
    try:
        value = float(said) if said else usual
    except ValueError:
        value = usual
    return None if value is None or not 0 <= value <= 1 else round(value * 100)


def _plain(text: str) -> str:
    """``text`` without what separates fields in the stored form."""
    return " ".join(re.sub(r"[\x00-\x1f]", " ", text).encode("utf-8", "replace").decode().split())
