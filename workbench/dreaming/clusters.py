"""Clusters: the same claim, made at several places, counts as one.

Two mentions are one claim when their words are the same (``memory.claims``), when they share nine tenths of
their words, or when the index has vectors of both that are nearly the same and all telling words of one
stand in the other. What differs in a number, a
name, a word that turns a statement round, or in the order of what is compared, is never one: `port 8443`
and `port 8444` are as alike as two sentences can be, and contradict each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from workbench.dreaming.candidates import Mention
from workbench.memory.claims import (
    Distinction,
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

_EVERY = 2_000
NEAR = 0.9
"""Share of words in common (Jaccard) from which two mentions are one claim."""


@dataclass(frozen=True, slots=True)
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
    return tuple(
        Cluster(_in_order(group) if len(group) > 1 else tuple(group), (key,)) for key, group in groups.items()
    )


def folded(
    clusters: Sequence[Cluster],
    extra: Sequence[tuple[str, str]] = (),
    *,
    pulse: Callable[[], None] = lambda: None,
) -> tuple[Cluster, ...]:
    """The clusters with those that are nearly the same made one, in the order of their first ones.

    ``extra`` are further pairs of keys that may be one claim (those that are near in meaning). ``pulse`` is
    called now and then, and may raise to stop it.
    """
    by_key = {key: cluster for cluster in clusters for key in cluster.keys}
    heads = _heads({key: one.mentions[0].text for key, one in by_key.items()}, extra, pulse)
    joined: dict[str, list[str]] = {}
    for key in by_key:
        joined.setdefault(heads.get(key, key), []).append(key)
    return tuple(
        Cluster(_in_order(m for key in keys for m in by_key[key].mentions), tuple(keys))
        if len(keys) > 1
        else by_key[keys[0]]
        for keys in joined.values()
    )


def _in_order(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    return tuple(sorted(mentions, key=lambda m: (m.day, m.path, m.first)))


def same_claim(one: str, other: str, *, likeness: float) -> bool:
    """Whether two texts are one claim: alike (``likeness`` is the least share of common words, in [0, 1]) or
    made of the same telling words, and different in nothing that makes them two.
    """
    alike = jaccard(bag_of_words(one), bag_of_words(other)) >= likeness or same_telling_words(one, other)
    return alike and distinction(one).agrees(distinction(other)) and same_order(one, other)


def _heads(
    texts: dict[str, str], extra: Sequence[tuple[str, str]], pulse: Callable[[], None]
) -> dict[str, str]:
    """For each key that is folded into another one: that one. Only what is like the head itself joins it."""
    keys = list(texts)
    bags = [bag_of_words(text) for text in texts.values()]
    place = {key: number for number, key in enumerate(keys)}
    meant = {(min(a, b), max(a, b)) for a, b in ((place[x], place[y]) for x, y in extra) if a != b}
    known: dict[int, Distinction] = {}
    head: dict[int, int] = {}

    def said(number: int) -> Distinction:
        if number not in known:
            known[number] = distinction(texts[keys[number]])
        return known[number]

    pulse()
    for number, (one, other) in enumerate(sorted(meant.union(near_pairs(bags)))):
        if number % _EVERY == 0:
            pulse()
        # in this order no head is ever folded itself
        first = head.get(one, one)
        if other in head:
            continue
        alike = jaccard(bags[first], bags[other]) >= NEAR
        if not alike and (first, other) in meant:
            alike = one_holds_the_other(texts[keys[first]], texts[keys[other]])
        if alike and said(first).agrees(said(other)) and same_order(texts[keys[first]], texts[keys[other]]):
            head[other] = first
    return {keys[one]: keys[first] for one, first in head.items()}


def sources_of(mentions: Iterable[Mention], *, echoes: frozenset[date] = frozenset()) -> frozenset[str]:
    """The independent sources of a claim: sessions by name, and days whose session nobody names.

    A day on which a named session made the claim is none beside it: the log of that day may be its own.
    What a log says on one of the ``echoes``, days on which the agent had been given the claim, is no source.
    Copies of one text are one source, in however many files they stand.
    """
    heard = [m for m in mentions if not (m.kind is Kind.LOG and m.day in echoes)]
    texts = len({m.key for m in heard})
    return frozenset(sorted(_told_by(heard))[:texts])


def days_of(mentions: Iterable[Mention], *, echoes: frozenset[date] = frozenset()) -> frozenset[str]:
    """The sessions and days that say a claim, copies too: what returns is no matter of one day."""
    return _told_by([m for m in mentions if not (m.kind is Kind.LOG and m.day in echoes)])


def _told_by(heard: Iterable[Mention]) -> frozenset[str]:
    heard = list(heard)
    sessions = {session for m in heard if (session := session_name(m))}
    covered = {m.day for m in heard if session_name(m)}
    return frozenset(sessions | {m.day.isoformat() for m in heard if m.day not in covered})


def session_name(mention: Mention) -> str:
    """The session that a mention comes from: as its file says, else a log that is one session's own."""
    if mention.session:
        return mention.session
    named = dated_name(mention.path) if mention.kind is Kind.LOG else None
    return mention.path if named and named.title else ""
