"""Small files of ours, in ``.workbench/`` and beside git's: replaced whole, readable by their owner alone."""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path

from workbench.errors import UsageError, disk_errors
from workbench.special_files import read_regular
from workbench.workspace.locks import hold


def read_state(path: Path, most: int) -> object | None:
    """The JSON in such a file; None where there is none, where it is no JSON, or over ``most`` bytes."""
    try:
        data = read_regular(path)
        return json.loads(data) if len(data) <= most else None
    except (OSError, ValueError, RecursionError):
        return None


def write_state(path: Path, value: object, *, fresh: Path | None = None, flush: bool = False) -> None:
    """Put ``value`` there as JSON, as ``replace_state`` does."""
    replace_state(path, json.dumps(value).encode("ascii"), fresh=fresh, flush=flush)


def replace_state(path: Path, data: bytes, *, fresh: Path | None = None, flush: bool = False) -> None:
    """Put ``data`` there, whole or not at all, with ``flush`` on the disk too. Raises OSError.

    It is written beside first: under the name ``fresh`` where only one writes at a time, so that what a kill
    leaves is known by its name.
    """
    beside = fresh or _beside(path)
    beside.unlink(missing_ok=True)
    try:
        _write_new(beside, data, flush=flush)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def make_once(path: Path, data: bytes, *, flush: bool = False) -> None:
    """Put ``data`` there for good, unless something is there already. Raises OSError."""
    beside = _beside(path)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        _write_new(beside, data, flush=flush)
        with contextlib.suppress(FileExistsError):
            os.link(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def flush_folder(folder: Path) -> None:
    """Have what was made, renamed or removed in a folder on the disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _beside(path: Path) -> Path:
    # Without its name, which may be as long as names can be.
    return path.with_name(f".workbench-{os.getpid()}-{time.monotonic_ns()}")


def _write_new(path: Path, data: bytes, *, flush: bool) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        if flush:
            file.flush()
            os.fsync(descriptor)


# -- what a person typed and did not save ------------------------------------------------------------

KEPT_DRAFTS = 50
"""Drafts that are kept; the ones that were typed longest ago go first."""
LONGEST = 300_000
"""Characters of a draft."""
_DRAFTS_FILE = "drafts.json"
_LOCK = "drafts.lock"
_MAX_DRAFT_BYTES = 4_000_000
_PATIENCE_SECONDS = 0.5


def drafts(state: Path) -> dict[str, str]:
    """Those of the workspace with this state folder, by what they are of; none where none can be read."""
    found = read_state(state / _DRAFTS_FILE, _MAX_DRAFT_BYTES)
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
        while len(now) > KEPT_DRAFTS or len(json.dumps(now)) > _MAX_DRAFT_BYTES:
            del now[next(iter(now))]
        if now != before:
            with disk_errors():
                write_state(state / _DRAFTS_FILE, now)


# -- the searches that were made here ----------------------------------------------------------------

KEPT_SEARCHES = 100
"""Searches that are remembered."""
_SEARCHES_FILE = "searches.json"
_LONGEST = 500
_MAX_SEARCH_BYTES = 1_000_000


def searches(state: Path) -> tuple[str, ...]:
    """The searches of the workspace with this state folder, the newest first; none where none can be read."""
    found = read_state(state / _SEARCHES_FILE, _MAX_SEARCH_BYTES)
    if not isinstance(found, list):
        return ()
    texts = (text for text in found if isinstance(text, str) and text.strip() and len(text) <= _LONGEST)
    return tuple(dict.fromkeys(texts))[:KEPT_SEARCHES]


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
    now = (text, *others)[:KEPT_SEARCHES]
    write_state(state / _SEARCHES_FILE, now)
    return now
