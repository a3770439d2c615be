"""What a spoken sentence is worth for the room that it takes.

Long-term memory is loaded whole, so of what tells as much, the shorter goes first (the greedy rule for the
knapsack problem; G. Dantzig, “Discrete-Variable Extremum Problems”, 1957). Notes are short by themselves;
of talk, which is not, that counts.
"""

from __future__ import annotations

_BESIDE = 26
"""Characters that an entry takes beside its words: its mark, list marker and line end."""
_SHORT = 40
"""Characters of a sentence that is as short as counts."""


def density(text: str) -> float:
    """In (0, 1]: 1 up to 40 characters, then less in the measure in which its entry takes more room."""
    return min(1.0, (_SHORT + _BESIDE) / (len(text) + _BESIDE))
