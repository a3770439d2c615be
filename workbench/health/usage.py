"""What was recalled, how often and when, by the ledger; and what of curated memory never was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from workbench.memory.address import path_of
from workbench.memory.claims import claim_key
from workbench.memory.entry import Entry, Form
from workbench.memory.episode import FOLDER
from workbench.memory.provenance import parse_instant
from workbench.workspace.ledger import pages
from workbench.workspace.workspace import Workspace

RECORDS = 500_000
"""Records that are looked at at most, the newest pages first."""


@dataclass(frozen=True, slots=True)
class Often:
    """An entry by the address and claim that the ledger has, how often it was given, and when last."""

    address: str
    claim: str
    times: int
    last: date


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageSummary:
    """Recalls since Monday, the most recalled entries, and all that was ever recalled: addresses and claims.
    ``total`` counts every record that was looked at.

    ``episodes`` has how often something of each episode was given, by its path; one answer that gave several
    lines of it counts once."""

    this_week: int
    total: int
    often: tuple[Often, ...]
    named: frozenset[str]
    episodes: Mapping[str, int]
    notes: tuple[str, ...] = ()

    def knows(self, entry: Entry) -> bool:
        """Whether the entry was recalled, however it was named then."""
        return entry.address in self.named or claim_key(entry.text) in self.named


def recalled(workspace: Workspace, *, today: date, often: int = 10) -> UsageSummary:
    """The recalls of a workspace up to ``today``, in UTC."""
    every = list(pages(workspace, "recalls"))
    kept: list[Mapping[str, Any]] = []
    notes = []
    for number, page in enumerate(reversed(every)):
        if number and len(kept) + len(page.records) > RECORDS:
            notes.append(f"{page.path} and older pages were not counted: too many records")
            break
        kept += page.records
    return summed(kept, today=today, often=often, notes=notes)


def summed(
    records: Iterable[Mapping[str, Any]], *, today: date, often: int = 10, notes: Sequence[str] = ()
) -> UsageSummary:
    """The same of records. Those that say no moment, or name nothing, do not count."""
    monday = today - timedelta(days=today.weekday())
    times: Counter[str] = Counter()
    last: dict[str, date] = {}
    claims: dict[str, str] = {}
    named: set[str] = set()
    days: list[date] = []
    answers: set[tuple[str, datetime, str]] = set()
    for record in records:
        entry, claim = record.get("entry"), record.get("claim")
        at = parse_instant(record.get("at"))
        if at is None or not isinstance(entry, str) or not entry:
            continue
        day = at.date()
        days.append(day)
        times[entry] += 1
        last[entry] = max(day, last.get(entry, day))
        named.add(entry)
        if entry.startswith(FOLDER):
            answers.add((path_of(entry) or entry, at, str(record.get("query"))))
        if isinstance(claim, str) and claim:
            claims[entry] = claim
            named.add(claim)
    most = [
        Often(entry, claims.get(entry, ""), count, last[entry])
        for entry, count in sorted(times.items(), key=lambda item: (-item[1], item[0]))[:often]
    ]
    return UsageSummary(
        this_week=sum(monday <= day < monday + timedelta(days=7) for day in days),
        total=len(days),
        often=tuple(most),
        named=frozenset(named),
        episodes=Counter(path for path, _, _ in answers),
        notes=tuple(notes),
    )


def never_recalled(found: UsageSummary, entries: Iterable[Entry]) -> list[Entry]:
    """Those of ``entries`` that no record names; headings and the like are no memories."""
    return [entry for entry in entries if entry.form in _FORMS and not found.knows(entry)]


_FORMS = (Form.ITEM, Form.PARAGRAPH)
