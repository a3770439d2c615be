"""The score of a claim: ``salience x novelty x recurrence x use``, each factor by itself.

Salience is how likely its words are worth keeping, novelty how much of them long-term memory does not say
yet. Recurrence and use start at 1, so that what was said once and never recalled is ranked by its words.

Signals from the book of recalls: which claims were asked for, how often, by what, on which days.

Read in one pass. Kept is only what concerns claims that stand in memory now: recalls of what was forgotten
lead nowhere. A question that is asked again on the same day counts once, and of one session's questions of
a day at most two count, so that nothing that happens in one session opens the gates, which ask for three.
What was imported counts as often as the tool that it came from counted it: its own rules let it through, and
neither its sessions nor which question was asked on which day is told.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from workbench.dreaming.clusters import Cluster
from workbench.memory.proposal import Gate
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


MOST: Mapping[str, float] = {"salience": 1.0, "novelty": 1.0, "recurrence": 2.0, "use": 2.0}
"""What each factor can be at most."""
_OFTEN_SAID, _OFTEN_USED = 8, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A cluster, what is known of its use, and its factors; ``floor`` is the least salience of a proposal.

    ``sources`` are independent ones, ``days`` those on which it was said. ``left_out`` says why it is not
    proposed, whatever its score; empty where it may be.
    """

    cluster: Cluster
    recalls: ClaimRecalls = NEVER_RECALLED
    sources: int = 1
    days: int = 1
    salience: float = 0.0
    novelty: float = 1.0
    floor: float = 0.0
    left_out: str = ""

    @property
    def parts(self) -> dict[str, float]:
        """The factors of the score, by name."""
        return {
            "salience": self.salience,
            "novelty": self.novelty,
            "recurrence": recurrence(self.sources, self.days),
            "use": use(self.recalls.score),
        }

    @property
    def score(self) -> float:
        """The product of the factors."""
        return math.prod(self.parts.values())

    @property
    def gates(self) -> tuple[Gate, ...]:
        """What it needs before its rank decides."""
        return (
            Gate(name="salience", reached=self.salience, needed=self.floor),
            Gate(name="corroboration", reached=self.sources, needed=1),
        )

    @property
    def passed(self) -> bool:
        """Whether it may be proposed if its rank is high enough."""
        return not self.left_out


def recurrence(sources: int, days: int) -> float:
    """``1 + ln((sources + days) / 2) / ln 8``, from 1 for what was said once to 2."""
    often = max(1.0, (sources + days) / 2)
    return 1.0 + min(1.0, math.log(often) / math.log(_OFTEN_SAID))


def use(recalled: float) -> float:
    """``1 + ln(1 + r) / ln 11``, at most 2; ``r`` adds up the scores of its recalls, each in [0, 1]."""
    return 1.0 + min(1.0, math.log1p(max(0.0, recalled)) / math.log1p(_OFTEN_USED))


def filled(name: str, value: float) -> float:
    """How much a factor is of what it can be, in [0, 1]."""
    return max(0.0, min(1.0, value / MOST.get(name, 1.0)))
