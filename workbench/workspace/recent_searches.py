"""The searches that a person made here, to make them again: in ``.workbench/``, and nowhere else."""

from __future__ import annotations

from pathlib import Path

from workbench.workspace.state_files import read_state, write_state

KEPT = 100
"""Searches that are remembered."""
_FILE = "searches.json"
_LONGEST = 500
_MAX_BYTES = 1_000_000


def searches(state: Path) -> tuple[str, ...]:
    """The searches of the workspace with this state folder, the newest first; none where none can be read."""
    found = read_state(state / _FILE, _MAX_BYTES)
    if not isinstance(found, list):
        return ()
    texts = (text for text in found if isinstance(text, str) and text.strip() and len(text) <= _LONGEST)
    return tuple(dict.fromkeys(texts))[:KEPT]


def remember(state: Path, text: str) -> tuple[str, ...]:
    """Put ``text`` before the others, and answer with all. Raises OSError where nothing can be written.

    What is blank, or longer than anybody types, is not remembered.
    """
    text = " ".join(text.split())
    before = searches(state)
    if not text or len(text) > _LONGEST or before[:1] == (text,):
        return before
    # Somebody who goes on typing after a look at the hits has made one search, not several.
    others = (one for one in before if one != text and not text.startswith(one))
    now = (text, *others)[:KEPT]
    write_state(state / _FILE, now)
    return now
