"""The terms that one commit of the word index has, and in how many entries each stands.

Some are what can stand behind the colon of a condition: paths, sources, types, users.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from tantivy import Searcher

from indexing.document import path_term
from indexing.lexical.schema import BOOSTS
from indexing.words import clean

_KEPT, _KEPT_TERMS = 256, 50_000
"""Answers that are kept, and terms of one: what is asked while a person types is asked again and again."""
_MANY_FILES = 50_000
_LONGEST = 80


def rarity(count: int, entries: int) -> float:
    """The inverse document frequency of BM25 for a term that stands in ``count`` of ``entries``, > 0."""
    return math.log(1 + (entries - count + 0.5) / (count + 0.5))


class Vocabulary:
    """The terms of one searcher. Methods raise what the engine raises; callers stand behind ``engine``."""

    def __init__(self, searcher: Searcher) -> None:
        self.searcher = searcher
        self.entries = int(searcher.num_docs)
        self._begun: dict[tuple[str, str], tuple[tuple[str, int], ...]] = {}

    def rarity(self, count: int) -> float:
        """The inverse document frequency of BM25 for a term that stands in ``count`` entries, > 0."""
        return rarity(count, self.entries)

    def knows(self, stem: str) -> bool:
        """Whether a stem stands in any field of stems; the words of neighbours are those of texts."""
        return any(self.count(field, stem) for field in ("text", "heading", "date"))

    def weight(self, stem: str) -> float:
        """The least that BM25 gives in any field for a stem that stands there, before the length counts."""
        counts = ((self.count(field, stem), BOOSTS[field]) for field in ("text", "heading"))
        return min((boost * self.rarity(count) for count, boost in counts if count), default=0.0)

    def count(self, field: str, term: str) -> int:
        """In how many entries ``term`` stands."""
        return self.searcher.doc_freq(field, clean(term))

    def beginning(self, field: str, start: str) -> tuple[tuple[str, int], ...]:
        """The terms of ``field`` that begin with ``start`` and their entries, the most frequent first."""
        key = (field, start)
        found = self._begun.get(key)
        if found is None:
            found = tuple(self.searcher.terms_with_prefix(field, clean(start)))
            if len(self._begun) >= _KEPT:
                self._begun.clear()
            if len(found) <= _KEPT_TERMS:
                self._begun[key] = found
        return found


def values(vocabulary: Vocabulary, name: str, begun: str, limit: int) -> tuple[tuple[str, int], ...]:
    """The values of ``name`` that have ``begun`` in them, each with its number of entries, ``limit`` at most.

    Those that begin so come first, then those with more entries. Folders are values of ``path`` too. What
    nobody would type, as it is long or holds a quote, is left out.
    """
    start = path_term(begun)
    known = _paths(vocabulary) if name == "path" else _facets(vocabulary, name)
    fitting = [
        one for one in known if start in one[0] and one[0] and len(one[0]) <= _LONGEST and '"' not in one[0]
    ]
    return tuple(sorted(fitting, key=lambda one: (not one[0].startswith(start), -one[1], one[0]))[:limit])


def _facets(vocabulary: Vocabulary, name: str) -> Iterable[tuple[str, int]]:
    prefix = f"{name}:"
    return [(term.removeprefix(prefix), count) for term, count in vocabulary.beginning("facet", prefix)]


def _paths(vocabulary: Vocabulary) -> Iterable[tuple[str, int]]:
    found: Counter[str] = Counter()
    for path, count in vocabulary.beginning("path", "")[:_MANY_FILES]:
        found[path] += count
        if not path.startswith("/"):  # what lies beside the workspace has its whole path to itself
            at = path.find("/")
            while at > 0:
                found[path[: at + 1]] += count
                at = path.find("/", at + 1)
    return found.items()
