"""Under which heading of MEMORY.md a new memory belongs, when the person did not say."""

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from workbench.errors import UsageError
from workbench.memory.edit import is_heading
from workbench.memory.markdown import Document
from workbench.safety.terminal import visible_line

_NEAR = 0.08
"""Cosine of n-grams from which a text belongs to what stands below a heading."""
_BY_MEANING, _OF_MEANING, _SHOWN = 4, 4, 160
"""Headings, the best by n-grams, that are compared by meaning, the entries of each, and the characters of
a text that are: a model takes milliseconds for each.
"""
_NGRAMS, _NEAR_BOTH = 2.0, 0.35
"""What the cosine of n-grams counts beside that of meaning, and the sum from which a text belongs there."""
_NEWEST = 8
"""Entries below a heading that show what belongs there."""
_GRAMS = (2, 3, 4)
"""Characters of an n-gram: no language needs its words told apart."""
_MOST = 1_200
"""Characters of a text that are compared."""
_ASIDE = re.compile(r"archiv|deprecat|obsolete|veraltet|归档|已弃用|アーカイブ|廃止", re.IGNORECASE)


_FAMILIES = {  # the order decides where the cues of several fit
    "User Preferences": (
        ("preference",),
        re.compile(
            r"\b(?:prefers?|likes?|loves?|hates?|dislikes?|favou?rite|never|always|please remember"
            r"|rather than)\b",
            re.IGNORECASE,
        ),
    ),
    "Key Decisions": (
        ("decision",),
        re.compile(
            r"\b(?:decided|agreed|chose|chosen|we'll use|let's go with|going with|switched to|settled on)\b",
            re.IGNORECASE,
        ),
    ),
    "Recurring Patterns": (
        ("pattern", "routine", "habit"),
        re.compile(
            r"\b(?:every (?:day|week|month|morning|monday|tuesday|wednesday|thursday|friday)|weekly|daily"
            r"|usually|each (?:day|week|month|sprint))\b",
            re.IGNORECASE,
        ),
    ),
    "Project Facts": (("project fact", "fact", "project"), re.compile("")),
}
"""Memories of one sort: their heading, words of a person's own headings that mean it, and their cues."""


Meaning = Callable[[str, Sequence[Sequence[str]]], Sequence[float]]
"""The cosine in [-1, 1] of a text and each of several groups of texts, by a model."""


def heading_for(
    text: str,
    memory: Document,
    chosen: Callable[[], str | None] | None = None,
    meaning: Meaning | None = None,
) -> str:
    """The heading of ``memory`` with the entries that ``text`` is most like, in whatever language.

    Likeness is that of n-grams, and with ``meaning`` that of a model too, for the headings that are best by
    n-grams.

    Where none is like it: what ``chosen`` returns, the person's last choice, if it is still there; else one
    that means the text's family (a preference, a decision, ...); else the nearest. Under a mere date, or
    among what was laid aside, nothing belongs. In a file without sections it is its title, or empty: a new
    heading is for a person to name.
    """
    families = [section_named(name, memory) for name, (_, cues) in _FAMILIES.items() if cues.search(text)]
    below: dict[str, list[str]] = {title: [] for title in _titles(memory) if _is_open(title)}
    for entry in memory.entries:
        if entry.heading and entry.heading[-1] in below:
            below[entry.heading[-1]].append(entry.text)
    if not below:
        tops = (heading.path[-1] for heading in memory.headings if heading.level == 1)
        return next(filter(_is_open, tops), "")
    names = list(below)
    alike = _likeness(text, [" ".join((name, *below[name][-_NEWEST:])) for name in names])
    best = max(range(len(names)), key=alike.__getitem__)
    near = alike[best] >= _NEAR
    if meaning and len(names) > 1 and any(below.values()):
        ranked = sorted(range(len(names)), key=alike.__getitem__, reverse=True)[:_BY_MEANING]
        groups = ((names[at], *below[names[at]][-_OF_MEANING:]) for at in ranked)
        meant = meaning(text[:_SHOWN], [[one[:_SHOWN] for one in group] for group in groups])
        both = [cosine + _NGRAMS * alike[at] for at, cosine in zip(ranked, meant, strict=True)]
        best = ranked[both.index(max(both))]
        near = max(both) >= _NEAR_BOTH
    if near:
        return names[best]
    return next((name for name in (chosen and chosen(), *families) if name in below), names[best])


def _is_open(title: str) -> bool:
    """Whether something new may stand below a heading: it is no mere date, and nothing laid aside."""
    return any(map(str.isalpha, title)) and not _ASIDE.search(title)


def _titles(memory: Document) -> list[str]:
    """The headings of sections: all but the title of the file."""
    tops = sum(heading.level == 1 for heading in memory.headings)
    return [heading.path[-1] for heading in memory.headings if heading.level > 1 or tops > 1]


def _likeness(text: str, others: Sequence[str]) -> list[float]:
    """The cosine of the n-grams of ``text`` and of each of ``others``; those that few have weigh more."""
    asked, known = _weights(text), [_weights(one) for one in others]
    having = Counter(chain.from_iterable(known))
    texts = 1 + len(known)
    # By how many of the others have it: the square of what an n-gram weighs.
    rarity = [math.log(texts / (number + 0.5)) ** 2 for number in range(texts)]

    def length(one: Mapping[str, float]) -> float:
        # Texts have thousands of n-grams, so no line of Python runs for each of them.
        squares = map(operator.mul, one.values(), one.values())
        return math.sqrt(
            sum(map(operator.mul, squares, map(rarity.__getitem__, map(having.__getitem__, one))))
        )

    def product(one: Mapping[str, float]) -> float:
        return sum(weight * one[gram] * rarity[having[gram]] for gram, weight in asked.items() if gram in one)

    own = length(asked)
    return [product(one) / max(1e-9, own * length(one)) for one in known]


@lru_cache(maxsize=512)
def _weights(text: str) -> Mapping[str, float]:
    """How much each n-gram of a text counts in it, by how often it stands there."""
    folded = " ".join(text.casefold().split())[:_MOST]
    counts = Counter(folded[at : at + size] for size in _GRAMS for at in range(len(folded) - size + 1))
    return {gram: 1 + math.log(times) for gram, times in counts.items()}


def section_named(heading: str, memory: Document) -> str:
    """The heading of ``memory`` that means ``heading``, else ``heading`` itself."""
    own = [one.path[-1] for one in memory.headings if one.level > 1]
    words = _FAMILIES[heading][0] if heading in _FAMILIES else ()
    return next((name for word in words for name in own if word in name.casefold()), heading)


def require_heading(section: str | None) -> None:
    """Raise UsageError for what a person named as a heading and cannot be one."""
    if section is not None and not is_heading(section):
        raise UsageError(
            f"“{visible_line(section[:80])}” cannot be a heading",
            hint="a heading is one line of visible text without marks",
        )
