"""The score of a claim: ``salience x novelty x recurrence x use``, each factor by itself.

Salience is how likely its words are worth keeping, novelty how much of them long-term memory does not say
yet. Recurrence and use start at 1, so that what was said once and never recalled is ranked by its words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.dreaming.claim_recalls import NEVER_RECALLED, ClaimRecalls
from workbench.dreaming.clusters import Cluster
from workbench.memory.proposal import Gate

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
