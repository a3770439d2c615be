"""Strings that have been proven to be what their name says."""

from __future__ import annotations

import hashlib
from typing import NewType

RelPath = NewType("RelPath", str)
"""A POSIX path relative to the workspace root, without ``..``; undecodable bytes as surrogates.

Of a file outside, which is searched and shown but never written, it is the absolute path (``is_outside``):
the layer that writes refuses those, as their first name is empty.
"""

EntryHash = NewType("EntryHash", str)
"""Twelve hexadecimal digits of the SHA-256 of an entry's normalised text."""

OperationId = NewType("OperationId", str)
"""Twelve hexadecimal digits; names one curation action for ever."""

CommitId = NewType("CommitId", str)
"""A full git object name of a commit (40 or 64 hexadecimal digits)."""

BlobId = NewType("BlobId", str)
"""A full git object name of a blob."""


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
