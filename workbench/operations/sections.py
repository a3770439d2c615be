"""Under which heading of MEMORY.md a new memory belongs, when the person did not say."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain

from workbench.errors import UsageError
from workbench.frozen import frozen
from workbench.memory.edit import is_heading
from workbench.memory.markdown import Document
from workbench.safety.terminal import visible_line

_NEAR = 0.15
"""Cosine of n-grams from which a text belongs to what stands below a heading."""
_NEWEST = 50
"""Entries below a heading that show what belongs there; fewer where there are many headings."""
_COMPARED = 1_000
"""Entries of a whole file that are compared."""
_GRAMS = (1, 2, 3)
"""Characters of an n-gram: no language needs its words told apart."""
_MOST = 600
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
    "Project Facts": (("fact",), re.compile("")),
}
"""Memories of one sort: their heading, words of a person's own headings that mean it, and their cues."""


def heading_for(text: str, memory: Document, chosen: Callable[[], str | None] | None = None) -> str:
    """The heading of ``memory`` with the entries that ``text`` is most like, in whatever language.

    Where none is like it: what ``chosen`` returns, the person's last choice, if it is still there; else one
    that means the text's family (a preference, a decision, ...); else the nearest. Under a mere date, or
    among what was laid aside, nothing belongs. In a file without sections it is its title, or empty: a new
    heading is for a person to name.
    """
    below: dict[str, list[str]] = {title: [title] for title in _titles(memory) if _is_open(title)}
    for entry in memory.entries:
        if entry.heading and entry.heading[-1] in below:
            below[entry.heading[-1]].append(entry.text)
    if not below:
        tops = (heading.path[-1] for heading in memory.headings if heading.level == 1)
        return next(filter(_is_open, tops), "")
    alike = dict(zip(below, _likeness(text, list(below.values())), strict=True))
    best = max(alike, key=alike.__getitem__)
    if alike[best] >= _NEAR:
        return best
    families = (section_named(name, memory) for name, (_, cues) in _FAMILIES.items() if cues.search(text))
    return next((name for name in (chosen and chosen(), *families) if name in below), best)


def _is_open(title: str) -> bool:
    """Whether something new may stand below a heading: it is no mere date, and nothing laid aside."""
    return any(map(str.isalpha, title)) and not _ASIDE.search(title)


def _titles(memory: Document) -> list[str]:
    """The headings of sections: all but the title of the file."""
    tops = sum(heading.level == 1 for heading in memory.headings)
    return [heading.path[-1] for heading in memory.headings if heading.level > 1 or tops > 1]


def _likeness(text: str, groups: Sequence[Sequence[str]]) -> list[float]:
    """The cosine of ``text`` and of each of ``groups``, of which the first text and the newest count.

    An n-gram weighs in a group as many times as texts of it have it, and the more the fewer of all texts do
    (Rocchio's centroids of tf-idf).
    """
    newest = min(_NEWEST, max(1, _COMPARED // len(groups)))
    known = _counted(tuple((*group[:1], *group[1:][-newest:]) for group in groups))
    asked = _grams(text)
    own = math.hypot(*(known.rarity(gram) for gram in asked)) or 1.0
    return [
        sum(times[gram] * known.rarity(gram) ** 2 for gram in asked & times.keys()) / (length * own)
        for times, length in zip(known.times, known.lengths, strict=True)
    ]


@frozen
class _Groups:
    """Of each group how many of its texts have an n-gram, and the length of its centroid.

    ``having`` counts all texts that have an n-gram, ``rarities`` stand by that count.
    """

    times: Sequence[Counter[str]]
    lengths: Sequence[float]
    having: Counter[str]
    rarities: Sequence[float]

    def rarity(self, gram: str) -> float:
        """How much an n-gram tells, by the number of all texts that have it."""
        return self.rarities[self.having[gram]]


@lru_cache(maxsize=1)  # several entries are promoted into one file
def _counted(groups: tuple[tuple[str, ...], ...]) -> _Groups:
    times = [Counter(chain.from_iterable(map(_grams, group))) for group in groups]
    having: Counter[str] = Counter()
    for one in times:
        having.update(one)
    texts = 1 + sum(map(len, groups))
    # Groups have thousands of n-grams, so a logarithm is taken for each count and not for each of them.
    rarities = [math.log(texts / (count + 0.5)) for count in range(texts)]
    lengths = [math.hypot(*(own * rarities[having[gram]] for gram, own in one.items())) for one in times]
    return _Groups(times, lengths, having, rarities)


def _grams(text: str) -> frozenset[str]:
    """The n-grams of a text, however often they stand in it."""
    folded = " ".join(text.casefold().split())[:_MOST]
    return frozenset(folded[at : at + size] for size in _GRAMS for at in range(len(folded) - size + 1))


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
