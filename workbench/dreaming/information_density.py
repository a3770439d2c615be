"""How much a text tells for the room it takes: names, figures and things, against sentiment and filler.

Long-term memory is loaded whole, so what stands there is chosen like what goes into a suitcase: by its worth
for its size (the greedy rule for the knapsack problem; G. Dantzig, “Discrete-Variable Extremum Problems”,
1957).
"""

from __future__ import annotations

import re

from workbench.dreaming.score import clamp

BESIDE = 140
"""Characters that an entry takes beside its words: its comment, marker and line end."""
MUCH = 5.0
"""Things told in a hundred characters that are as much as can be."""
_FIGURE = re.compile(r"\d")
_NAME = re.compile(r"(?<=[\w,;] )[^\W\d_a-zà-öø-ÿ][\w’'-]+")
_SOMEBODY = re.compile(
    r"(?:\W*(?:and|but|so|also|then)\b)*\W*(?:he|she|they|his|her|their)(?:['’]\w+)?\b", re.I
)
_TWICE = 2


def telling(text: str, tags: int) -> float:
    """In [0, 1]: things told for each 100 characters, of 5.

    ``tags`` counts concepts; each name counts twice, and so does that there is a figure. A sentence that
    begins with a pronoun tells half of it: who that is stands in another line.
    """
    told = tags + _TWICE * (len(_NAME.findall(text)) + bool(_FIGURE.search(text)))
    share = clamp(100 * told / (len(text) + BESIDE) / MUCH)
    return share / 2 if _SOMEBODY.match(text) else share
