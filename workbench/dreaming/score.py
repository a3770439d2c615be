"""The score of a claim, ``salience x novelty x recurrence x use``, and how recalls count in it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import msgspec

from workbench.dreaming.clusters import Cluster
from workbench.frozen import frozen_kw_only
from workbench.memory.proposal import Gate
from workbench.workspace import ledger
from workbench.workspace.workspace import Workspace

# -- signals from the book of recalls ----------------------------------------------------------------

IMPORTED = "openclaw"
"""Of whom imported records are."""
MOST_OF_A_SESSION = 2
"""Different questions of one session and day that count for a claim."""


@dataclass(slots=True, eq=False)
class ClaimRecalls:
    """The recalls of one claim so far; ``score`` adds up theirs, each in [0, 1].

    A question that is asked again on the same day counts once, and of one session's questions of a day at
    most two count, so that nothing that happens in one session opens the gates, which ask for three.
    """

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
        """Count one recall that another tool counted, whose own rules let it through.

        Neither its session nor the day of its question need be known.
        """
        self.count += 1
        self.score += score
        self.queries.add(query)
        self.days.add(day)


NEVER_RECALLED = ClaimRecalls()
"""What stands for the recalls of each claim that has none: most have none, and five empty sets are large."""


class _Recall(msgspec.Struct, frozen=True):
    """A record of the book: of the entry at an address, and of a claim by its key where that is known."""

    at: str
    entry: str
    query: str
    claim: str = ""
    session: str = ""
    score: Any = None
    by: str = ""


class RecallHistory:
    """What the book says until ``now``: which claims were asked for, how often, by what, on which days.

    ``bad`` counts lines that are none, ``ahead`` those that are dated after now. ``entries`` and ``claims``
    are the hashes and keys that stand in it.
    """

    def __init__(self, workspace: Workspace, now: datetime) -> None:
        self.bad = self.ahead = 0
        self._recalls: list[tuple[date, str, _Recall]] = []
        for page in workspace.ledger.pages("recalls"):
            self.bad += page.bad
            for record in page.records:
                words = {name: value for name, value in record.items() if isinstance(value, str)}
                try:
                    one = msgspec.convert({"score": record.get("score"), **words}, _Recall)
                    when = datetime.fromisoformat(one.at)
                except ValueError:  # that of msgspec is one too
                    self.bad += 1
                    continue
                # By the clock of ``now``; a time without a zone is taken to be in its zone.
                when = when.astimezone(now.tzinfo) if when.tzinfo else when.replace(tzinfo=now.tzinfo)
                if when > now:
                    self.ahead += 1
                else:
                    self._recalls.append((when.date(), one.entry.rpartition("#")[2].partition("~")[0], one))
        self.entries = frozenset(entry for _, entry, _ in self._recalls)
        self.claims = frozenset(one.claim for *_, one in self._recalls)

    def of(
        self, claims: Mapping[str, str], entries: Mapping[str, Sequence[str]]
    ) -> tuple[dict[str, ClaimRecalls], int]:
        """The recalls of claims, by the names under which ``claims`` and ``entries`` know them; and how many
        are of what stands nowhere (any more): those lead nowhere, and are not kept.

        ``claims`` leads from a claim's key to its name, ``entries`` from the hash of an entry to the names of
        all claims in it: an entry is known again by its hash, wherever it stands, else by the words of its
        claim.
        """
        found: dict[str, ClaimRecalls] = {}
        gone = 0
        for day, entry, one in self._recalls:
            names = entries.get(entry) or ([claims[one.claim]] if one.claim in claims else ())
            gone += not names
            for name in names:
                recalled = found.get(name) or found.setdefault(name, ClaimRecalls())
                if one.by == IMPORTED:
                    recalled.add_imported(one.query, day, ledger.share(one.score))
                else:
                    recalled.add(one.query, day, ledger.share(one.score), one.session)
        return found, gone


# -- the factors of a score --------------------------------------------------------------------------

MOST: Mapping[str, float] = {"salience": 1.0, "novelty": 1.0, "recurrence": 2.0, "use": 2.0}
"""What each factor can be at most."""
_OFTEN_SAID, _OFTEN_USED = 8, 10


@frozen_kw_only
class ScoredCluster(Cluster):
    """A cluster, what is known of its use, and its factors; ``floor`` is the least salience of a proposal.

    Salience is how likely its words are worth keeping, novelty how much of them long-term memory does not say
    yet. Recurrence and use start at 1: what was said once and never recalled is ranked by its words.
    ``sources`` are independent ones, ``days`` those on which it was said. ``left_out`` says why it is not
    proposed, whatever its score; empty where it may be.
    """

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
