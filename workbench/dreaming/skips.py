"""What a run leaves out, counted by reason: the counts are whole, the list of names has an end."""

from __future__ import annotations

from collections import Counter

from workbench.dreaming.result import Skip
from workbench.safety.key_like import clipped
from workbench.safety.secrets import masked
from workbench.safety.terminal import cut

MOST_NAMED = 500
"""Claims left out that are named; all of them are counted."""
MOST_OF_A_REASON = 40
"""Of these, at most so many for one reason, so that a common one leaves room for the others."""
_SHOWN = 120


class Skips:
    """Collects what was left out of one run."""

    def __init__(self) -> None:
        self.reasons: Counter[str] = Counter()
        self._named: list[Skip] = []

    def add(self, key: str, why: str, text: str, times: int = 1) -> None:
        """Leave a claim out. ``why`` may say more after a colon; it is counted by what stands before."""
        if self.names(why):
            self._named.append(
                Skip(key, why, cut(masked(" ".join(clipped(text, 4 * _SHOWN).split())), _SHOWN))
            )
        self.reasons[why.partition(":")[0]] += times

    def names(self, why: str) -> bool:
        """Whether one more that is left out for this reason would be named."""
        reason = why.partition(":")[0]
        return len(self._named) < MOST_NAMED and self.reasons[reason] < MOST_OF_A_REASON

    @property
    def named(self) -> tuple[Skip, ...]:
        """Those that are named, in the order in which they were left out."""
        return tuple(self._named)
