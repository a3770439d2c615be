"""The lines of the ledger: one JSON object each, with a name by which it is known wherever it goes."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.errors import UsageError

MAX_LINE = 1_000_000
"""Bytes that a record may have; longer lines are none."""
LONGEST = MAX_LINE - 1_000
"""Bytes that what is to be recorded may have: it gets a name, a time, and its book or operation."""
NAME = "record"
"""The field with the name of a record."""


def new_lines(lines: Sequence[bytes], known: set[str]) -> list[bytes]:
    """The records among lines whose names are not known, each once; from then on they are."""
    found = []
    for line in lines:
        if parsed(line) is not None and (name := name_of(line)) not in known:
            known.add(name)
            found.append(line)
    return found


def name_of(line: bytes) -> str:
    """What a record is known by: the name that it was given, or the digest of its line in version 0.1."""
    named = (parsed(line) or {}).get(NAME)
    return named if isinstance(named, str) else line_digest(line)


def line_digest(line: bytes) -> str:
    """The name of a record that version 0.1 wrote."""
    return hashlib.sha256(line.strip()).hexdigest()[:24]


def named(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a record with its name, a new one where it has none."""
    return {**fields, NAME: fields.get(NAME) or secrets.token_hex(6)}


def line_of(fields: Mapping[str, Any]) -> bytes:
    """The line of a record. Raises UsageError for one that would not be read."""
    line = json.dumps(fields).encode()
    if len(line) > MAX_LINE:
        raise UsageError(
            f"a record for the ledger would have {len(line):,} bytes, and {MAX_LINE:,} are the most",
            hint="nothing was recorded; shorten the text, or do it in several smaller actions",
        )
    return line + b"\n"


def split_lines(data: bytes) -> list[bytes]:
    """The lines that are not empty."""
    return [line for line in data.split(b"\n") if line.strip()]


def parsed(line: bytes) -> dict[str, Any] | None:
    """The record that a line is; None for any other line."""
    if len(line) > MAX_LINE:
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def family_of(prefix: str) -> str:
    """What the references begin with that are kept for a workspace at this place in a repository."""
    return f"refs/workbench/{hashlib.sha256(os.fsencode(prefix)).hexdigest()[:12]}/"


def identity_file(common_dir: Path) -> Path:
    """The file that tells a repository, whose git directory it is in, from its clones."""
    return common_dir / "workbench" / "id"
