"""Clusters: mentions of the same claim at several places, counted as one.

Two mentions are one claim when their words are the same (``memory.claims``), when they share nine tenths of
their words, or when the index has vectors of both that are nearly the same and all telling words of one stand
in the other. Mentions that differ in a number, a name, a word that turns a statement round, or in the order
of what is compared, are never one: `port 8443` and `port 8444` are as alike as two sentences can be, and
contradict each other. No vector is computed here: a text that the index does not know is compared by keyword
only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from indexing.sync.entry_vectors import known_vectors
from workbench.dreaming.candidates import Mention
from workbench.dreaming.result import OnProgress, telling, unheard
from workbench.frozen import frozen
from workbench.memory.claims import (
    bag_of_words,
    distinction,
    jaccard,
    near_pairs,
    one_holds_the_other,
    same_order,
    same_telling_words,
)
from workbench.memory.entry import Kind
from workbench.memory.moment import dated_name
from workbench.workspace.workspace import Workspace

NEAR = 0.9
"""Share of words in common (Jaccard) from which two mentions are one claim."""


@frozen
class Cluster:
    """One claim with all its mentions, the oldest first. ``keys`` are those of its wordings."""

    mentions: tuple[Mention, ...]
    keys: tuple[str, ...]

    @property
    def best(self) -> Mention:
        """The mention whose words are taken: trusted before others, then the newest, then the shortest."""
        if len(self.mentions) == 1:
            return self.mentions[0]
        return max(self.mentions, key=lambda m: (m.trusted, m.day, -len(m.text), m.source))

    @property
    def key(self) -> str:
        """The name of the claim: that of its best wording."""
        return self.best.key

    @property
    def trusted(self) -> bool:
        """Whether the origin of one of its mentions is trusted."""
        return any(mention.trusted for mention in self.mentions)


def same_words(mentions: Iterable[Mention]) -> tuple[Cluster, ...]:
    """The mentions, those of the same words together, in the order of their first ones."""
    groups: dict[str, list[Mention]] = {}
    for mention in mentions:
        groups.setdefault(mention.key, []).append(mention)
    return tuple(Cluster(_in_order(group), (key,)) for key, group in groups.items())


def folded(
    clusters: Sequence[Cluster],
    extra: Sequence[tuple[str, str]] = (),
    *,
    tell: OnProgress = unheard,
) -> tuple[Cluster, ...]:
    """The clusters with those that are nearly the same made one, in the order of their first ones.

    ``extra`` are further pairs of keys that may be one claim (those that are near in meaning).
    """
    said = [one.mentions[0].text for one in clusters]
    bags = [bag_of_words(text) for text in said]
    place = {key: number for number, one in enumerate(clusters) for key in one.keys}
    meant = {(min(a, b), max(a, b)) for a, b in ((place[x], place[y]) for x, y in extra) if a != b}
    head: dict[int, int] = {}
    for one, other in telling(sorted(meant.union(near_pairs(bags))), tell, "folding"):
        # Only what is like the head itself joins it; in this order no head is ever folded itself.
        first = head.get(one, one)
        if other in head:
            continue
        alike = jaccard(bags[first], bags[other]) >= NEAR
        if not alike and (first, other) in meant:
            alike = one_holds_the_other(said[first], said[other])
        if alike and _differs_in_nothing(said[first], said[other]):
            head[other] = first
    groups: dict[int, list[Cluster]] = {}
    for number, cluster in enumerate(clusters):
        groups.setdefault(head.get(number, number), []).append(cluster)
    return tuple(
        Cluster(
            _in_order(mention for one in group for mention in one.mentions),
            tuple(key for one in group for key in one.keys),
        )
        for group in groups.values()
    )


def _in_order(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    return tuple(sorted(mentions, key=lambda m: (m.day, m.path, m.first)))


def same_claim(one: str, other: str, *, likeness: float) -> bool:
    """Whether two texts are one claim: alike (``likeness`` is the least share of common words, in [0, 1]) or
    made of the same telling words, and different in nothing that makes them two.
    """
    alike = jaccard(bag_of_words(one), bag_of_words(other)) >= likeness or same_telling_words(one, other)
    return alike and _differs_in_nothing(one, other)


def _differs_in_nothing(one: str, other: str) -> bool:
    return distinction(one).agrees(distinction(other)) and same_order(one, other)


def sources_of(mentions: Sequence[Mention]) -> frozenset[str]:
    """The independent sources of a claim: sessions by name, and days whose session nobody names.

    A day on which a named session made the claim is none beside it: the log of that day may be its own.
    Copies of one text are one source, in however many files they stand.
    """
    texts = len({mention.key for mention in mentions})
    return frozenset(sorted(days_of(mentions))[:texts])


def days_of(mentions: Iterable[Mention]) -> frozenset[str]:
    """The sessions and days that say a claim, copies too: what returns is no matter of one day."""
    heard = [(mention.day, session_name(mention)) for mention in mentions]
    covered = {day for day, session in heard if session}
    return frozenset(session or day.isoformat() for day, session in heard if session or day not in covered)


def session_name(mention: Mention) -> str:
    """The session that a mention comes from: as its file says, else a log that is one session's own."""
    if mention.session:
        return mention.session
    named = dated_name(mention.path) if mention.kind is Kind.LOG else None
    return mention.path if named and named.title else ""


SAME_MEANING = 0.9
"""Cosine from which two claims may be one."""
_BLOCK = 500


def alike_in_meaning(workspace: Workspace, texts: Mapping[str, str]) -> tuple[Sequence[tuple[str, str]], str]:
    """Pairs of claims whose ``texts``, as the index holds them, have a cosine of at least 0.9, by their keys,
    and what to tell of claims that could not be compared.

    Claims that differ in a number or a word that turns them round are no pair.
    """
    if len(texts) < 2:
        return (), ""
    vectors = known_vectors(workspace, list(set(texts.values())))
    if vectors is None:
        return (), "the index has no vectors: paraphrases were not merged"
    keys = [key for key, text in texts.items() if text in vectors]
    missing = len(texts) - len(keys)
    note = f"{missing:,} of {len(texts):,} claims have no vector, and were compared by keyword only"
    said = (distinction(texts[key]) for key in keys)
    kinds = np.array([hash((one.numbers, one.turns)) for one in said], np.int64)
    matrix = np.array([vectors[texts[key]] for key in keys], np.float32)
    pairs = [(keys[one], keys[other]) for one, other in _near(matrix, kinds)] if keys else []
    return pairs, note if missing else ""


def _near(matrix: NDArray[np.float32], kinds: NDArray[np.int64]) -> Iterator[Sequence[int]]:
    """The pairs of rows of one kind whose cosine is high enough, each once."""
    for start in range(0, len(matrix), _BLOCK):
        block = slice(start, start + _BLOCK)
        near = matrix[block] @ matrix[start:].T >= SAME_MEANING
        near &= kinds[block, None] == kinds[None, start:]
        yield from (np.argwhere(np.triu(near, k=1)) + start).tolist()
