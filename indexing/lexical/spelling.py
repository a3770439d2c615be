"""The words of the index nearest to one that it does not have."""

from __future__ import annotations

from collections.abc import Iterator

from tantivy import Occur, Query, Searcher

from indexing.lexical.schema import schema, stemmed, words
from indexing.lexical.stored_fields import read_body
from indexing.lexical.vocabulary import Vocabulary
from indexing.words import STOP_WORDS, normal

SHORTEST, LONG = 4, 8
"""Letters from which on one edit is forgiven, and two."""

LONGEST = 40
"""Longer words are not looked at: no person mistyped them."""

_SUREST, _NEVER = 5, 9
_OFFERED = 3
_ROUNDS, _ENTRIES_A_ROUND = 6, 20


def forgiven(word: str) -> int:
    """How many edits ``word`` may be away from what was meant; digits are never wrong."""
    if not SHORTEST <= len(word) <= LONGEST or not word.isalpha():
        return 0
    return 2 if len(word) >= LONG else 1


def nearest(
    word: str, searcher: Searcher, vocabulary: Vocabulary, *, begun: bool = False, sure: bool = False
) -> tuple[str, ...]:
    """The words nearest to ``word``, one a stem: with the same first letter rather than nearer.

    ``begun`` compares with beginnings of words. ``sure``, for words beside others that are right, asks for
    more than likeness: ``state`` is no mistake for ``stage``. One letter behind the first may be missing,
    superfluous or swapped with the next, but none be another. Raises what the engine raises.
    """
    most = forgiven(word)
    if sure:
        most = min(most, 1) if len(word) >= _SUREST else 0
    found: dict[str, tuple[bool, int]] = {}
    if not most:
        return ()
    for candidate in _candidates(word, most, searcher, begun=begun):
        away = _away(word, candidate, begun=begun, another=_NEVER if sure else 1)
        if away <= most and candidate not in STOP_WORDS and candidate.isalpha():
            found[candidate] = (candidate[0] != word[0], away)
    best = min(found.values(), default=None)
    if best is None or (sure and best[0]):
        return ()
    alike = [one for one, rank in found.items() if rank == best]
    alike.sort(key=lambda one: (-vocabulary.count("typed", one), one))
    return tuple({"".join(stemmed().analyze(one)): one for one in reversed(alike)}.values())[::-1][:_OFFERED]


def distance(one: str, other: str, another: int = 1) -> int:
    """The letters to insert, drop, replace or swap with the next to make ``other`` of ``one``.

    Optimal string alignment; ``another`` is what replacing one costs.
    """
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + another * (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]


def _away(word: str, candidate: str, *, begun: bool, another: int = 1) -> int:
    """How far ``candidate``, or its nearest beginning, is from ``word``; much where the lengths say so."""
    if not begun:
        return distance(word, candidate, another) if abs(len(word) - len(candidate)) <= 2 else len(word)
    ends = range(max(1, len(word) - 2), min(len(candidate), len(word) + 2) + 1)
    return min((distance(word, candidate[:end], another) for end in ends), default=len(word))


def _candidates(word: str, most: int, searcher: Searcher, *, begun: bool) -> Iterator[str]:
    """Words of entries that have one near to ``word``.

    The engine tells entries, not words: each round leaves out the words that the last ones found.
    """
    near = [
        Query.fuzzy_term_query(schema(), field, word, most, True, begun) for field in ("typed", "heading")
    ]
    seen: set[str] = set()
    for _ in range(_ROUNDS):
        query = Query.boolean_query(
            [(Occur.Must, Query.boolean_query([(Occur.Should, one) for one in near]))]
            + [
                (Occur.MustNot, Query.term_set_query(schema(), field, sorted(seen)))
                for field in ("typed", "heading")
            ]
        )
        hits = searcher.search(query, _ENTRIES_A_ROUND, count=False).hits
        new: set[str] = set()
        for _, address in hits:
            entry, _ = read_body(searcher.doc(address).get_first("body"))
            for text in (entry.text, *entry.heading, *entry.facets.names):
                new.update(words().analyze(normal(text)))
        new = {one for one in new if _away(word, one, begun=begun) <= most}
        new -= seen
        yield from sorted(new)
        if not new:
            return
        seen |= new
        seen |= {stem for one in new for stem in stemmed().analyze(one)}
