"""Whether what stands on disk and in no commit is nothing but records that were added to the ledger.

Who answers an agent, reads a transcript or dreams adds lines to the ledger as it goes, and nobody commits
them by themselves. The next operation that touches such a page records them first, as it does with whatever
it finds. That says nothing to a person who looks for what changed their memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from workbench.memory.names import RelPath
from workbench.workspace.layout import LEDGER

ACTION = "ledger"
"""The action of a commit that holds nothing else. Anybody can add such lines, so its actor is `external`."""
_BOOKS = ("recalls-", "skips-", "ingested-", "proposals-")
"""The books in which what happens is appended; what a person decides is written by operations alone."""


def is_appended(changes: Iterable[tuple[RelPath, bytes | None, bytes | None]]) -> bool:
    """Whether each of ``changes`` (path, bytes before and after; None: no file) only adds records."""
    return all(
        path.startswith(tuple(f"{LEDGER}{book}" for book in _BOOKS))
        and after is not None
        and after.startswith(before or b"")
        and all(
            not line.strip() or read_record(line) is not None
            for line in after[len(before or b"") :].splitlines()
        )
        for path, before, after in changes
    )


def read_record(line: bytes) -> dict[str, Any] | None:
    """The record that a line of the ledger is; None for any other line."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
