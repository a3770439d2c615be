"""Where a memory came from, as a trailing HTML comment that no renderer shows.

``<!-- wb: id=m7f3a src=memory/2026-03-14.md#L12 session=s91 trust=owner at=2026-03-20 score=0.78 -->``

Curated memory is loaded whole by agents, so there a short mark stands instead, ``<!-- wb:m7f3a2qk -->``,
whose details the ledger has. The details count only for the words that they were written for.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from base64 import b32encode
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from urllib.parse import quote, unquote

from workbench.frozen import frozen

TRUST = ("owner", "agent", "external", "unknown")
"""Levels of trust, the highest first."""
# What begins no comment is left at once: hostile text must not cost more than its length.
COMMENT = re.compile(r"(?<![ \t])[ \t]*<!--\s*wb:(?P<fields>[^<>]*)-->")
# On a line of its own between others it leaves no blank line behind.
_OWN_LINE = re.compile(r"\r?\n[ \t]*<!--\s*wb:[^<>]*-->[ \t]*(?=\r?\n[ \t]*[^\s])")
FIELD = re.compile(r"(\w+)=(\S+)")
_SAFE = "/:.#-_~+@,"
_SHORT = re.compile(r"[a-z2-7]{8}")
_MARK = "mark"
"""The field that holds a short mark whose details nobody knows."""
STANDING = frozenset({"pinned", "valid_until"})
"""What stays in the file beside a short mark: it holds whatever becomes of the words, and of the ledger."""
Fields = tuple[tuple[str, str], ...]
FieldChanges = Mapping[str, str | None]
"""Fields to be written; None takes one out."""
MarkReader = Callable[[str, str], Fields | None]
"""The fields behind a short mark, for an entry with this hash; None where they are not known."""


@frozen
class Provenance:
    """The fields of a ``wb:`` comment, in their order of writing."""

    fields: Fields = ()

    def get(self, name: str) -> str | None:
        """The value of a field, or None."""
        return next((value for key, value in self.fields if key == name), None)

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a field: what was merged has several sources."""
        return tuple(value for key, value in self.fields if key == name)

    @property
    def trust(self) -> str:
        """``owner``, ``agent``, ``external`` or ``unknown``; what is not said is unknown."""
        return self.get("trust") or "unknown"

    @property
    def source(self) -> str | None:
        """``path#L12``: where the words stood when they were taken."""
        return self.get("src")

    def day(self, name: str) -> date | None:
        """A field as a date, or None when it is absent or not one."""
        return parse_day(self.get(name))

    def changed(self, fields: FieldChanges) -> Provenance:
        """The same with these fields: each where the first of its name stood, else at the end; less None."""
        out: list[tuple[str, str]] = []
        for key, value in self.fields:
            if key not in fields:
                out.append((key, value))
            elif (new := fields[key]) and key not in dict(out):
                out.append((key, new))
        return Provenance(
            (*out, *((k, value) for k, value in fields.items() if value and k not in dict(out)))
        )

    @property
    def mark(self) -> str:
        """The short mark in it whose details are not known; else empty."""
        return self.get(_MARK) or ""

    def of(self, text_hash: str, marks: MarkReader | None) -> Provenance:
        """The same with the details of a short mark, where ``marks`` knows them for these words."""
        known = marks(self.mark, text_hash) if marks and self.mark else None
        return self if known is None else Provenance((*known, *self._beside))

    def render(self) -> str:
        """The comment, without the blank that goes before it; empty where nothing is said."""
        said = [f"{key}={quoted(value)}" for key, value in self._beside]
        return f"<!-- wb:{' '.join([self.mark, *said])} -->" if self.fields else ""

    @property
    def _beside(self) -> Fields:
        """All but the short mark."""
        return tuple(field for field in self.fields if field[0] != _MARK)


def mark_in(comment: re.Match[str]) -> str:
    """The short mark that a comment begins with; empty where it has none."""
    first = comment["fields"].split(maxsplit=1)[:1]
    return first[0] if first and _SHORT.fullmatch(first[0]) else ""


def as_short_mark(fields: Fields, text_hash: str) -> tuple[Provenance, Fields]:
    """The short mark of an entry with this provenance, and the fields that the ledger must know for it.

    The mark is their name there, of eight base32 characters.
    """
    details = tuple(field for field in fields if field[0] not in STANDING)
    rest = tuple(field for field in fields if field[0] in STANDING)
    told = json.dumps([text_hash, *details]).encode()
    mark = b32encode(hashlib.sha256(told).digest()[:5]).decode("ascii").lower()
    return Provenance(((_MARK, mark), *rest)), details


def spelled_out(source: str, origin: Provenance | None) -> str:
    """``source`` with its short mark as the comment that it stands for, where ``origin`` tells it."""
    found = COMMENT.search(source)
    if found is None or not mark_in(found) or origin is None or origin.mark:
        return source
    return with_comment(source, found, origin)


def with_comment(source: str, comment: re.Match[str], origin: Provenance) -> str:
    """``source`` with ``origin`` in the place of a comment."""
    blanks = comment[0][: comment[0].index("<!--")]
    return source[: comment.start()] + blanks + origin.render() + source[comment.end() :]


def provenance(fields: FieldChanges) -> Provenance:
    """The provenance with these fields; those that are None or empty are left out."""
    return Provenance(tuple((key, value) for key, value in fields.items() if value))


def words_end(text: str) -> int:
    """Where the words of an entry end: before the ``wb:`` comments that stand behind them."""
    end = len(text)
    for found in reversed(list(COMMENT.finditer(text))):
        if text[found.end() : end].strip():
            break
        end = found.start()
    return len(text) if end == len(text) else len(text[:end].rstrip())


def split_provenance(text: str) -> tuple[str, Provenance | None]:
    """``text`` without its ``wb:`` comments, and the first of them."""
    found = COMMENT.search(text) if "<!--" in text else None
    if found is None:
        return text, None
    fields = tuple(
        (key, unquote(value, errors="surrogateescape")) for key, value in FIELD.findall(found["fields"])
    )
    if mark := mark_in(found):
        fields = ((_MARK, mark), *fields)
    return COMMENT.sub("", _OWN_LINE.sub("", text)), Provenance(fields)


@functools.lru_cache(maxsize=256)
def least_trusted(*said: str | None) -> str:
    """The lowest of several levels of trust; what is not said, or is no level, is unknown."""
    return TRUST[max(TRUST.index(level) if level in TRUST else len(TRUST) - 1 for level in said)]


def quoted(value: str) -> str:
    """``value`` without what would end the field or the comment; a byte that is no UTF-8 as itself."""
    return quote(value.encode("utf-8", "surrogateescape"), safe=_SAFE)


def parse_day(text: str | None) -> date | None:
    """The date that an ISO date or date-time starts with, or None."""
    if not text:
        return None
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def parse_share(text: str | None) -> float | None:
    """The number in [0, 1] that ``text`` is, or None."""
    try:
        share = float(text or "")
    except ValueError:
        return None
    return share if 0 <= share <= 1 else None


def parse_instant(said: object) -> datetime | None:
    """The moment that an ISO date-time names, in UTC, which one without a zone is in; or None."""
    try:
        found = datetime.fromisoformat(said) if isinstance(said, str) else None
        return found and (found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None
