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

from workbench.errors import UsageError, WorkbenchError
from workbench.importers.database import require_plain_file
from workbench.importers.records import Carried, Item, day_in, digest_of, word
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


def read_recalls(workspace: Workspace, path: Path) -> Carried:
    """The recalls at ``path``, as far as their words stand in the workspace. Raises UsageError."""
    items: list[Item] = []
    left_out: list[tuple[str, str]] = []
    known: dict[str, _Read] = {}
    for key, said in sorted(_entries(path).items()):
        name = key if len(key) <= _LONGEST_KEY else digest_of(key)
        if not isinstance(said, Mapping):
            left_out.append((name, "it is no entry"))
            continue
        entry = _found(workspace, said, known)
        if entry is None:
            left_out.append((name, "its words are not in the workspace any more"))
            continue
        records = tuple(_records(entry, said))
        if records:
            items.append(Item(name=name, digest=digest_of(said), recalls=records))
        else:
            left_out.append((name, "it was never recalled"))
    return Carried(label=LABEL, items=tuple(items), left_out=tuple(left_out))


def _entries(path: Path) -> Mapping[str, Any]:
    require_plain_file(path)
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path} is larger than {MOST_BYTES:,} bytes")
    try:
        store = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no JSON") from error
    entries = store.get("entries") if isinstance(store, dict) else None
    if not isinstance(entries, dict):
        raise UsageError(f"{path} holds no recalls", hint=f"OpenClaw writes them to {USUAL}")
    if store.get("version") != 1:
        raise UsageError(f"{path} is of version {store.get('version')!r}; only version 1 is known")
    return entries


_Read = Sequence[tuple[Entry, frozenset[str]]]
"""The entries of a file, each with its words."""


def _found(workspace: Workspace, said: Mapping[str, Any], known: dict[str, _Read]) -> Entry | None:
    """The entry that holds the words which were recalled: at its lines, else anywhere in its file."""
    path = word(said.get("path")).removeprefix("./")
    if path not in known:
        try:
            entries = workspace.document(path).entries
            known[path] = [(entry, frozenset(claim_words(entry.text))) for entry in entries]
        except (WorkbenchError, OSError):
            known[path] = ()
    wanted = frozenset(claim_words(str(said.get("snippet") or "")))
    first, last = said.get("startLine"), said.get("endLine")
    best: tuple[tuple[float, bool], Entry] | None = None
    for entry, have in known[path]:
        alike = len(wanted & have) / len(wanted) if wanted else 0.0
        there = (
            isinstance(first, int)
            and isinstance(last, int)
            and first <= entry.end_line
            and entry.start_line <= last
        )
        own = len(wanted & have) / len(have) if have else 0.0
        if (alike >= _ALIKE or (there and own >= _ALIKE)) and (
            best is None or (max(alike, own), there) > best[0]
        ):
            best = (max(alike, own), there), entry
    return best[1] if best else None


def _records(entry: Entry, said: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One record for each recall, spread over the days and questions that are told; the order is fixed.

    No question comes twice on a day before each has come on each day: which was asked when is not told.
    """
    count = min(_count(said.get("recallCount")), MOST_RECALLS)
    questions = [word(value) for value in _list(said.get("queryHashes")) if word(value)] or ["unknown"]
    days = sorted(filter(None, map(day_in, _list(said.get("recallDays")))))
    last = day_in(said.get("lastRecalledAt"))
    days = days or ([last] if last else [])
    total = said.get("totalScore")
    each = total / count if isinstance(total, (int, float)) and not isinstance(total, bool) and count else 0.0
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


def _count(value: object) -> int:
    return max(0, value) if isinstance(value, int) and not isinstance(value, bool) else 0


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
