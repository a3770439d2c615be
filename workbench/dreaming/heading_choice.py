"""Under which heading of long-term memory a claim belongs: where what stands there is most like it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.dreaming.features import Line, features_of
from workbench.memory.markdown import Document
from workbench.operations.sections import section_for

_NEAR = 0.12
"""Cosine of n-grams from which a claim belongs to what stands below a heading."""
_NEWEST = 8
"""Entries below a heading that show what belongs there."""
_FOLDED = 1 << 14
_ASIDE = re.compile(r"archiv|deprecat|obsolete|veraltet|归档|已弃用|アーカイブ|廃止", re.IGNORECASE)
_LATIN = "\u024f"


def heading_for(text: str, memory: Document) -> str:
    """The heading of ``memory`` with the entries that ``text`` is most like, in whatever language.

    Where none is like it, the one of its family (``section_for``), unless most headings are in a script in
    which the names of families are foreign. Under a mere date, or among what was laid aside, nothing belongs.
    """
    titles = [head.path[-1] for head in memory.headings if head.level > 1]
    below: dict[str, list[str]] = {
        title: [] for title in titles if any(map(str.isalpha, title)) and not _ASIDE.search(title)
    }
    for entry in memory.entries:
        if entry.heading and entry.heading[-1] in below:
            below[entry.heading[-1]].append(entry.text)
    names = list(below)
    if not names:
        return section_for(text, memory)
    alike = _likeness(text, [" ".join((name, *below[name][-_NEWEST:])) for name in names])
    best = int(np.argmax(alike))
    letters = [letter for name in names for letter in name if letter.isalpha()]
    is_foreign = sum(letter > _LATIN for letter in letters) > len(letters) / 2
    return names[best] if is_foreign or alike[best] >= _NEAR else section_for(text, memory)


def _likeness(text: str, others: Sequence[str]) -> NDArray[np.float32]:
    """(n,) the cosine of the n-grams of ``text`` and of each of the others."""
    vectors = features_of([Line(text), *map(Line, others)]).grams.dense(_FOLDED)
    vectors = vectors / np.maximum(1e-9, np.linalg.norm(vectors, axis=1, keepdims=True))
    found: NDArray[np.float32] = vectors[1:] @ vectors[0]
    return found
