"""How much a spoken sentence tells for the room it takes: names, figures and things, against filler.

Long-term memory is loaded whole, so what stands there is chosen by its worth for its size (the greedy rule
for the knapsack problem; G. Dantzig, “Discrete-Variable Extremum Problems”, 1957). The learned salience was
fitted to notes, and tells little of talk.
"""

from __future__ import annotations

import re

_BESIDE = 140
"""Characters that an entry takes beside its words: its comment, marker and line end."""
_MUCH = 5.0
"""Things told in a hundred characters that are as much as can be."""
_FIGURE = re.compile(r"\d")
_NAME = re.compile(r"(?<=[\w,;] )[^\W\d_a-zà-öø-ÿ][\w’'-]+")
_THING = re.compile(r"[^\W\d_]{5,}")
_TWICE = 2


def density(text: str) -> float:
    """In [0, 1]: things told for each 100 characters, of 5.

    A name, and that there is a figure, count twice, a word of five letters or more once.
    """
    told = len(set(_THING.findall(text.casefold())))
    told += _TWICE * (len(_NAME.findall(text)) + bool(_FIGURE.search(text)))
    return min(1.0, 100 * told / (len(text) + _BESIDE) / _MUCH)
