"""Remembering what was given to whom: dreaming lives on it, and an answer never waits or fails for it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from workbench.errors import WorkbenchError
from workbench.memory.claims import claim_key
from workbench.workspace import ledger
from workbench.workspace.workspace import Workspace

MOST = 50
"""Entries of one answer that are recorded."""
_DIGITS = 16
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Given:
    """One entry that an agent was given. ``score`` in [0, 1]."""

    entry: str
    text: str
    score: float


def query_key(query: str) -> str:
    """What a question is recorded as: case and blanks do not count, and its words cannot be read back."""
    words = " ".join(query.split()).casefold()
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def record_recalls(
    workspace: Workspace,
    given: Sequence[Given],
    *,
    query: str,
    by: str,
    now: datetime,
    user: str = "",
    session: str = "",
) -> str | None:
    """Add one answer to the ledger, in one write. Returns why that was not possible, None where it was."""
    records = [
        {
            "query": query_key(query),
            "entry": one.entry,
            "claim": claim_key(one.text),
            "score": round(min(1.0, max(0.0, one.score)), 4),
            "by": by,
            **({"user": user[:_LONGEST_NAME]} if user else {}),
            **({"session": session[:_LONGEST_NAME]} if session else {}),
        }
        for one in given[:MOST]
    ]
    try:
        ledger.append(workspace, "recalls", records, now)
    except (WorkbenchError, OSError) as error:
        reason = error.message if isinstance(error, WorkbenchError) else error.strerror or str(error)
        return f"this recall was not recorded: {reason}"
    return None
