"""The terms that one commit of the word index has, and in how many entries each stands."""

from __future__ import annotations

import math

from tantivy import Searcher

from indexing.lexical.schema import BOOSTS

_KEPT, _KEPT_TERMS = 256, 50_000
"""Answers that are kept, and terms of one: what is asked while a person types is asked again and again."""


def rarity(count: int, entries: int) -> float:
    """The inverse document frequency of BM25 for a term that stands in ``count`` of ``entries``, > 0."""
    return math.log(1 + (entries - count + 0.5) / (count + 0.5))


class Vocabulary:
    """The terms of one searcher. Methods raise what the engine raises; callers stand behind ``engine``."""

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher
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
        return self._searcher.doc_freq(field, _storable(term))

    def beginning(self, field: str, start: str) -> tuple[tuple[str, int], ...]:
        """The terms of ``field`` that begin with ``start`` and their entries, the most frequent first."""
        key = (field, start)
        found = self._begun.get(key)
        if found is None:
            found = tuple(self._searcher.terms_with_prefix(field, _storable(start)))
            if len(self._begun) >= _KEPT:
                self._begun.clear()
            if len(found) <= _KEPT_TERMS:
                self._begun[key] = found
        return found


def _storable(term: str) -> str:
    """``term`` as the engine would have it: it takes no half characters."""
    return term.encode("utf-8", "replace").decode()
