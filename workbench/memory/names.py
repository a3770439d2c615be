"""Strings that have been proven to be what their name says."""

from __future__ import annotations

from typing import NewType

RelPath = NewType("RelPath", str)
"""A POSIX path relative to the workspace root, without ``..``; undecodable bytes as surrogates."""

EntryHash = NewType("EntryHash", str)
"""Twelve hexadecimal digits of the SHA-256 of an entry's normalised text."""

OperationId = NewType("OperationId", str)
"""Twelve hexadecimal digits; names one curation action for ever."""

CommitId = NewType("CommitId", str)
"""A full git object name of a commit (40 or 64 hexadecimal digits)."""

BlobId = NewType("BlobId", str)
"""A full git object name of a blob."""
