"""What a person typed and did not save, to be there again: in ``.workbench/``, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

from workbench.errors import UsageError, disk_error
from workbench.workspace.locks import hold
from workbench.workspace.state_files import read_state, write_state

KEPT = 50
"""Drafts that are kept; the ones that were typed longest ago go first."""
LONGEST = 300_000
"""Characters of a draft."""
_FILE = "drafts.json"
_LOCK = "drafts.lock"
_MAX_BYTES = 4_000_000
_PATIENCE_SECONDS = 0.5


def drafts(state: Path) -> dict[str, str]:
    """Those of the workspace with this state folder, by what they are of; none where none can be read."""
    found = read_state(state / _FILE, _MAX_BYTES)
    if not isinstance(found, dict):
        return {}
    return {name: text for name, text in found.items() if isinstance(text, str)}


def keep_draft(state: Path, name: str, text: str | None) -> None:
    """Keep what was typed of ``name``; drop it for None. Raises WorkbenchError where it cannot be done."""
    if text is not None and len(text) > LONGEST:
        raise UsageError(f"a draft of over {LONGEST:,} characters is not kept", hint="save it in parts")
    with hold(state / _LOCK, "keeping a draft", wait=_PATIENCE_SECONDS):
        before = drafts(state)
        now = {one: before[one] for one in before if one != name}
        if text is not None:
            now[name] = text  # the newest is the last
        while len(now) > KEPT or len(json.dumps(now)) > _MAX_BYTES:
            del now[next(iter(now))]
        if now != before:
            _replace(state, now)


def _replace(state: Path, now: dict[str, str]) -> None:
    try:
        write_state(state / _FILE, now)
    except OSError as error:
        raise disk_error(error) from error
