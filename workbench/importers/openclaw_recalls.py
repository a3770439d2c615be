"""What OpenClaw recalled: ``memory/.dreams/short-term-recall.json`` becomes records of the ledger.

Each of its entries names lines of a daily log, how often they were recalled, on which days, by the hashes of
which questions, and the sum of the scores. The entry that holds these words today gets as many recalls; where
the words are gone, so are the recalls. An import that comes again adds only what has been recalled since.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, time
from pathlib import Path
from typing import Any

import msgspec

from workbench.errors import UsageError, WorkbenchError
from workbench.importers.database import require_plain_file
from workbench.importers.plan import ImportItem, ImportSource, carried, day_in, digest_of, read_whole, word
from workbench.memory.claims import claim_key, claim_words
from workbench.memory.entry import Entry
from workbench.workspace.workspace import Workspace

LABEL = "openclaw-recall"
BY = "openclaw"
"""Of whom the records are: dreaming counts these as they are, as OpenClaw has held back repeats already."""
USUAL = "memory/.dreams/short-term-recall.json"
MOST_BYTES = 64_000_000
MOST_RECALLS = 500
"""Recalls of one entry that are taken: more say nothing more in a score."""
_LONGEST_KEY = 500
_ALIKE = 0.6
"""Share of the words of a snippet that the entry must hold."""


def read_recalls(workspace: Workspace, path: Path) -> ImportSource:
    """The recalls at ``path``, as far as their words stand in the workspace. Raises UsageError."""
    known: dict[str, _Read] = {}

    def item(name: str, raw: object) -> ImportItem:
        try:
            said = msgspec.convert(raw, _Recalled)
        except msgspec.ValidationError:
            raise UsageError("it is not an entry") from None
        entry = _found(workspace, said, known)
        if entry is None:
            raise UsageError("its text is no longer in the workspace")
        records = tuple(_records(entry, said))
        if not records:
            raise UsageError("it was never recalled")
        return ImportItem(name, digest_of(raw), recalls=records)

    entries = sorted(_entries(path).items())
    return carried(
        LABEL, ((key if len(key) <= _LONGEST_KEY else digest_of(key), raw) for key, raw in entries), item
    )


class _Recalled(msgspec.Struct, frozen=True, rename="camel"):
    """One entry of OpenClaw's file; what it says besides does not count."""

    path: str = ""
    snippet: str = ""
    start_line: int | None = None
    end_line: int | None = None
    recall_count: int = 0
    query_hashes: tuple[str, ...] = ()
    recall_days: tuple[str, ...] = ()
    last_recalled_at: str | float | None = None
    total_score: float = 0.0


def _entries(path: Path) -> Mapping[str, Any]:
    require_plain_file(path)
    try:
        store = json.loads(read_whole(path, MOST_BYTES, str(path)))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON") from error
    entries = store.get("entries") if isinstance(store, dict) else None
    if not isinstance(entries, dict):
        raise UsageError(f"{path} contains no recalls", hint=f"OpenClaw writes them to {USUAL}")
    if store.get("version") != 1:
        raise UsageError(f"{path} is of version {store.get('version')!r}; only version 1 is known")
    return entries


_Read = Sequence[tuple[Entry, frozenset[str]]]
"""The entries of a file, each with its words."""


def _found(workspace: Workspace, said: _Recalled, known: dict[str, _Read]) -> Entry | None:
    """The entry that holds the words which were recalled: at its lines, else anywhere in its file."""
    path = word(said.path).removeprefix("./")
    if path not in known:
        try:
            entries = workspace.document(path).entries
            known[path] = [(entry, frozenset(claim_words(entry.text))) for entry in entries]
        except (WorkbenchError, OSError):
            known[path] = ()
    wanted = frozenset(claim_words(said.snippet))
    first, last = said.start_line or math.inf, said.end_line or 0
    found: list[tuple[float, bool, Entry]] = []
    for entry, have in known[path]:
        both = len(wanted & have)
        score = both / len(wanted) if wanted else 0.0
        there = first <= entry.end_line and entry.start_line <= last
        if there and have:  # at its lines it may be a part of what was recalled
            score = max(score, both / len(have))
        if score >= _ALIKE:
            found.append((score, there, entry))
    return max(found, key=lambda one: one[:2])[2] if found else None


def _records(entry: Entry, said: _Recalled) -> Iterator[dict[str, Any]]:
    """One record for each recall, spread over the days and questions that are told; the order is fixed.

    No question comes twice on a day before each has come on each day: which was asked when is not told.
    """
    count = min(max(0, said.recall_count), MOST_RECALLS)
    questions = [word(value) for value in said.query_hashes if word(value)] or ["unknown"]
    days = sorted(filter(None, map(day_in, said.recall_days)))
    last = day_in(said.last_recalled_at)
    days = days or ([last] if last else [])
    each = said.total_score / count if count else 0.0
    round_ = math.lcm(len(days), len(questions)) or 1
    for number in range(count if days else 0):
        day = days[number % len(days)]
        question = questions[(number + number // round_) % len(questions)]
        yield {
            "at": datetime.combine(day, time(12)).isoformat() + "+00:00",
            "query": f"{LABEL}:{question}",
            "entry": entry.address,
            "claim": claim_key(entry.text),
            "score": round(min(1.0, max(0.0, each)), 4),
            "by": BY,
        }
