"""Addresses by content: ``path#hash``, with ``~n`` where the same text stands several times in a file."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from workbench.errors import AmbiguousEntryError, EntryNotFoundError
from workbench.memory.entry import HASH_DIGITS, Entry

if TYPE_CHECKING:
    from workbench.memory.markdown import Document

LINES = re.compile(r"(?P<path>.+)(?:#L|:)(?P<first>[1-9]\d{0,8})(?:-L?(?P<last>[1-9]\d{0,8}))?", re.DOTALL)
"""``PATH:12``, ``PATH#L12``, ``PATH#L12-L14``."""
_PLACE = re.compile(r"(?P<path>.+)#L(?P<line>\d{1,9})(?:-.*)?", re.DOTALL)
_ORDINAL = re.compile(r"[0-9]{1,9}")
SHORTEST_PREFIX = 4
"""Hash digits that an address must give at least."""


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


def is_made_of(entry: Entry, source: Entry) -> bool:
    """Whether a comment says that ``entry`` was made of ``source``: by its hash, else by its place."""
    if named := entry.fields("entry"):
        return source.hash in map(hash_of, named)
    return (source.path, source.start_line) in map(place_of, entry.fields("src"))


def entry_at_line(document: Document, line: int) -> Entry | None:
    """The entry of ``document`` that stands at a line, counted from 1; None between entries."""
    entries = document.entries
    at = bisect_left(entries, line, key=lambda entry: entry.end_line)
    return entries[at] if at < len(entries) and entries[at].start_line <= line else None


def find_entry(document: Document, address: str) -> Entry:
    """The entry of ``document`` with this address; a unique prefix of the hash is enough.

    Raises EntryNotFoundError or AmbiguousEntryError.
    """
    wanted, repeated, ordinal = address.rpartition("#")[2].partition("~")
    if len(wanted) < SHORTEST_PREFIX or (repeated and not _ORDINAL.fullmatch(ordinal)):
        raise EntryNotFoundError(address)
    number = int(ordinal) if repeated else 1
    matching = (entry for entry in document.with_hash(wanted) if entry.ordinal == number)
    found = next(matching, None)
    if found is None:
        raise EntryNotFoundError(address)
    # A whole hash and an ordinal name one entry at most: the rest of a long log need not be read.
    if len(wanted) < HASH_DIGITS and (others := list(matching)):
        raise AmbiguousEntryError(address, [entry.address for entry in (found, *others)])
    return found
