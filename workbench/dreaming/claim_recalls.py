"""Signals from the book of recalls: which claims were asked for, how often, by what, on which days.

Read in one pass. Kept is only what concerns claims that stand in memory now: recalls of what was forgotten
lead nowhere. A question that is asked again on the same day counts once, and of one session's questions of
a day at most two count, so that nothing that happens in one session opens the gates, which ask for three.
What was imported counts as often as the tool that it came from counted it: its own rules let it through, and
neither its sessions nor which question was asked on which day is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from workbench.workspace import ledger
from workbench.workspace.workspace import Workspace

IMPORTED = "openclaw"
"""Of whom imported records are."""
MOST_OF_A_SESSION = 2
"""Different questions of one session and day that count for a claim."""


@dataclass(slots=True, eq=False)
class ClaimRecalls:
    """The recalls of one claim so far; ``score`` adds up theirs, each in [0, 1]."""

    count: int = 0
    score: float = 0.0
    queries: set[str] = field(default_factory=set)
    days: set[date] = field(default_factory=set)
    _asked: set[tuple[str, date]] = field(default_factory=set)
    _shares: dict[tuple[str, date], int] = field(default_factory=dict)

    def add(self, query: str, day: date, score: float, session: str) -> None:
        """Count one recall, unless the same was asked that day or its session has had its share."""
        share = self._shares.get((session, day), 0)
        if (query, day) in self._asked or share >= MOST_OF_A_SESSION:
            return
        self._asked.add((query, day))
        self._shares[session, day] = share + 1
        self.add_imported(query, day, score)

    def add_imported(self, query: str, day: date, score: float) -> None:
        """Count one recall that another tool counted."""
        self.count += 1
        self.score += score
        self.queries.add(query)
        self.days.add(day)


NEVER_RECALLED = ClaimRecalls()
"""What stands for the recalls of each claim that has none: most have none, and five empty sets are large."""


@dataclass(slots=True)
class ClaimRecallIndex:
    """What the book says: ``of`` by the claim's name.

    ``bad`` counts lines that are none, ``gone`` recalls of what stands nowhere (any more),
    ``ahead`` those that are dated after now.
    """

    of: dict[str, ClaimRecalls] = field(default_factory=dict)
    bad: int = 0
    gone: int = 0
    ahead: int = 0


def read_recalls(
    workspace: Workspace, now: datetime, claims: Mapping[str, str], entries: Mapping[str, Sequence[str]]
) -> ClaimRecallIndex:
    """The recalls of claims, by the names under which ``claims`` and ``entries`` know them.

    ``claims`` leads from a claim's key to its name, ``entries`` from the hash of an entry to the names of all
    claims in it: an entry is known again by its hash, wherever it stands, else by the words of its claim.
    """
    found = ClaimRecallIndex()
    for page in workspace.ledger.pages("recalls"):
        found.bad += page.bad
        for record in page.records:
            _count(found, record, now, claims, entries)
    return found


def _count(
    found: ClaimRecallIndex,
    record: Mapping[str, Any],
    now: datetime,
    claims: Mapping[str, str],
    entries: Mapping[str, Sequence[str]],
) -> None:
    when = _moment(record.get("at"), now)
    entry, query = record.get("entry"), record.get("query")
    if when is None or not isinstance(entry, str) or not isinstance(query, str):
        found.bad += 1
        return
    if when > now:
        found.ahead += 1
        return
    day = when.date()
    names = entries.get(entry.rpartition("#")[2].partition("~")[0], ())
    claim = record.get("claim")
    if not names and isinstance(claim, str) and claim in claims:
        names = (claims[claim],)
    if not names:
        found.gone += 1
    score, session = ledger.share(record.get("score")), record.get("session")
    for name in names:
        recalled = found.of.get(name)
        if recalled is None:
            recalled = found.of[name] = ClaimRecalls()
        if record.get("by") == IMPORTED:
            recalled.add_imported(query, day, score)
        else:
            recalled.add(query, day, score, session if isinstance(session, str) else "")


def _moment(said: object, now: datetime) -> datetime | None:
    """When, by the clock of ``now``; a time without a zone is taken to be in its zone."""
    if not isinstance(said, str):
        return None
    try:
        when = datetime.fromisoformat(said)
    except ValueError:
        return None
    return when.replace(tzinfo=now.tzinfo) if when.tzinfo is None else when.astimezone(now.tzinfo)
