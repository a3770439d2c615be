"""Who recalled an entry: how often it was given, to how many questions, by whom, and when last.

The ledger knows entries by their address and by the claim that they make, so that an entry which moved, or
was promoted, keeps its recalls. What was asked cannot be read back from it, only told apart.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workbench.memory.address import path_of
from workbench.memory.claims import claim_key
from workbench.memory.provenance import parse_instant
from workbench.workspace import ledger
from workbench.workspace.layout import LEDGER
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class EntryUsage:
    """The recalls of an entry or a page. ``by`` are who was given it, the most frequent first."""

    times: int
    questions: int
    last: datetime | None
    by: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """The same for programs."""
        last = self.last.isoformat() if self.last else None
        return {"times": self.times, "questions": self.questions, "last": last, "by": list(self.by)}


@dataclass(frozen=True, slots=True)
class _Recall:
    entry: str
    query: str
    by: str
    at: str


class UsageIndex:
    """The ledger's recalls, read again when it changed. One thread at a time uses it."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._stamp: tuple[tuple[str, int, int], ...] | None = None
        self._by_claim: dict[str, list[_Recall]] = {}
        self._by_address: dict[str, list[_Recall]] = {}
        self._by_path: dict[str, list[_Recall]] = {}

    def of(self, address: str, text: str = "") -> EntryUsage:
        """The recalls of the entry at ``address`` with this text; of a page where ``address`` is a path."""
        self._refresh()
        if "#" not in address:
            return summed(self._by_path.get(address, ()))
        same = self._by_claim.get(claim_key(text), []) if text else []
        return summed(dict.fromkeys((*self._by_address.get(address, ()), *same)))

    def _refresh(self) -> None:
        stamp = _stamp(self.workspace)
        if stamp == self._stamp:
            return
        self._by_claim, self._by_address, self._by_path = {}, {}, {}
        for record in ledger.read(self.workspace, "recalls"):
            entry = record.get("entry")
            if not isinstance(entry, str):
                continue
            recall = _Recall(entry, _said(record, "query"), _said(record, "by"), _said(record, "at"))
            self._by_address.setdefault(entry, []).append(recall)
            self._by_path.setdefault(path_of(entry) or entry, []).append(recall)
            if claim := _said(record, "claim"):
                self._by_claim.setdefault(claim, []).append(recall)
        self._stamp = stamp


def summed(recalls: Iterable[_Recall]) -> EntryUsage:
    """What these recalls come to; one answer that gave several lines of a page counts once."""
    answers = dict.fromkeys((one.at, one.query, one.by) for one in recalls)
    who: dict[str, int] = {}
    for _, _, by in answers:
        if by:
            who[by] = who.get(by, 0) + 1
    moments = [moment for at, _, _ in answers if (moment := parse_instant(at))]
    return EntryUsage(
        times=len(answers),
        questions=len({query for _, query, _ in answers if query}),
        last=max(moments, default=None),
        by=tuple(sorted(who, key=lambda name: (-who[name], name))),
    )


def _said(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""


def _stamp(workspace: Workspace) -> tuple[tuple[str, int, int], ...]:
    """The pages of the ledger with their sizes and times of change."""
    try:
        with os.scandir(workspace.root / LEDGER) as items:
            pages = [(item.name, item.stat(follow_symlinks=False)) for item in items]
    except OSError:
        return ()
    return tuple(sorted((n, s.st_size, s.st_mtime_ns) for n, s in pages if n.startswith("recalls-")))
