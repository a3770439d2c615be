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


@dataclass(frozen=True, slots=True)
class _Recall:
    """A record of the book: ``entry`` is the hash of an entry, ``claim`` the key of one, or empty."""

    day: date
    entry: str
    claim: str
    query: str
    score: float
    session: str
    imported: bool


class RecallBook:
    """What the book says until ``now``.

    ``bad`` counts lines that are none, ``ahead`` those that are dated after now. ``entries`` and ``claims``
    are the hashes and keys that stand in it.
    """

    def __init__(self, workspace: Workspace, now: datetime) -> None:
        self.bad = self.ahead = 0
        self._recalls: list[_Recall] = []
        for page in workspace.ledger.pages("recalls"):
            self.bad += page.bad
            for record in page.records:
                self._read(record, now)
        self.entries = frozenset(one.entry for one in self._recalls)
        self.claims = frozenset(one.claim for one in self._recalls)

    def _read(self, record: Mapping[str, Any], now: datetime) -> None:
        when = _moment(record.get("at"), now)
        entry, query, session = record.get("entry"), record.get("query"), record.get("session")
        if when is None or not isinstance(entry, str) or not isinstance(query, str):
            self.bad += 1
        elif when > now:
            self.ahead += 1
        else:
            self._recalls.append(
                _Recall(
                    day=when.date(),
                    entry=entry.rpartition("#")[2].partition("~")[0],
                    claim=claim if isinstance(claim := record.get("claim"), str) else "",
                    query=query,
                    score=ledger.share(record.get("score")),
                    session=session if isinstance(session, str) else "",
                    imported=record.get("by") == IMPORTED,
                )
            )

    def of(
        self, claims: Mapping[str, str], entries: Mapping[str, Sequence[str]]
    ) -> tuple[dict[str, ClaimRecalls], int]:
        """The recalls of claims, by the names under which ``claims`` and ``entries`` know them; and how many
        are of what stands nowhere (any more).

        ``claims`` leads from a claim's key to its name, ``entries`` from the hash of an entry to the names of
        all claims in it: an entry is known again by its hash, wherever it stands, else by the words of its
        claim.
        """
        found: dict[str, ClaimRecalls] = {}
        gone = 0
        for one in self._recalls:
            names = entries.get(one.entry) or [name for name in [claims.get(one.claim)] if name]
            gone += not names
            for name in names:
                recalled = found.get(name) or found.setdefault(name, ClaimRecalls())
                if one.imported:
                    recalled.add_imported(one.query, one.day, one.score)
                else:
                    recalled.add(one.query, one.day, one.score, one.session)
        return found, gone


def _moment(said: object, now: datetime) -> datetime | None:
    """When, by the clock of ``now``; a time without a zone is taken to be in its zone."""
    if not isinstance(said, str):
        return None
    try:
        when = datetime.fromisoformat(said)
    except ValueError:
        return None
    return when.replace(tzinfo=now.tzinfo) if when.tzinfo is None else when.astimezone(now.tzinfo)
