"""Where a memory came from, as a trailing HTML comment that no renderer shows.

``<!-- wb: id=m7f3a src=memory/2026-03-14.md#L12 session=s91 trust=owner at=2026-03-20 score=0.78 -->``
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from urllib.parse import quote, unquote

TRUST = ("owner", "agent", "external", "unknown")
"""Levels of trust, the highest first."""
# What begins no comment is left at once: hostile text must not cost more than its length.
COMMENT = re.compile(r"(?<![ \t])[ \t]*<!--\s*wb:(?P<fields>[^<>]*)-->")
# On a line of its own between others it leaves no blank line behind.
_OWN_LINE = re.compile(r"\r?\n[ \t]*<!--\s*wb:[^<>]*-->[ \t]*(?=\r?\n[ \t]*[^\s])")
FIELD = re.compile(r"(\w+)=(\S+)")
_SAFE = "/:.#-_~+@,"


@dataclass(frozen=True, slots=True)
class Provenance:
    """The fields of a ``wb:`` comment, in their order of writing."""

    fields: tuple[tuple[str, str], ...]

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

    def render(self) -> str:
        """The comment, without the blank that goes before it."""
        return f"<!-- wb: {' '.join(f'{key}={quoted(value)}' for key, value in self.fields)} -->"


def provenance(fields: Mapping[str, str | None]) -> Provenance:
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
    return COMMENT.sub("", _OWN_LINE.sub("", text)), Provenance(fields)


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


def parse_instant(said: object) -> datetime | None:
    """The moment that an ISO date-time names, in UTC, which one without a zone is in; or None."""
    try:
        found = datetime.fromisoformat(said) if isinstance(said, str) else None
        return found and (found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None
