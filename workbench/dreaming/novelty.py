"""What long-term memory says already: a claim is known, adds something to an entry, or replaces one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date
from typing import Literal

from workbench.dreaming.clusters import NEAR
from workbench.dreaming.normalisation import UNPARTED
from workbench.frozen import frozen
from workbench.memory.claims import (
    bag_of_words,
    claim_key,
    claim_words,
    distinction,
    jaccard,
    same_order,
    without_s,
)
from workbench.memory.entry import Entry, Form
from workbench.memory.markdown import Document
from workbench.memory.sentences import sentences
from workbench.memory.text_merge import united

# -- claims that fill the same slot with different values --------------------------------------------

_LEAST_WORDS = 2
"""Words beside the value that a slot must be named by."""
_DIGIT = re.compile(r"\d")
_IS = frozenset({"is", "=", "are", "→", "equals"})
_NOW = frozenset({"now", "currently", "today", "actually", "meanwhile", "anymore", "more", "longer", "any"})
_ARTICLES = frozenset({"a", "an", "the", "our", "my", "does", "do", "did", "to", "it", "s", "we", "i"})
_MOST = 4
"""Words that a value has at most."""


def contradicts(newer: str, older: str) -> bool:
    """Whether ``newer`` gives a slot of ``older`` another value, and so may replace it.

    A rule sees little, and says only what it sees: two texts of the same words that differ in their numbers
    alone (`the staging port is 8443`, `… 8444`), a statement of one thing with two values (`X is Y`), and a
    text beside its own negation (`uses Redis`, `no longer uses Redis`).
    """
    one, other = _telling(newer), _telling(older)
    return _other_number(one, other) or _other_value(one, other) or _negates(newer, older, one, other)


def _telling(text: str) -> tuple[str, ...]:
    return tuple(word for word in claim_words(text) if word not in _NOW)


def _other_number(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """The same words in the same order, but for one number: two that differ are of two things."""
    if len(one) != len(other):
        return False
    pairs = list(zip(one, other, strict=True))
    apart = [pair for pair in pairs if pair[0] != pair[1]]
    named = [a for a, b in pairs if a == b and a not in _ARTICLES and a not in _IS]
    return len(named) >= _LEAST_WORDS and len(apart) == 1 and all(map(_DIGIT.search, apart[0]))


def _other_value(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """`S is V` beside `S is W`: the same subject of at least two words, values of a few words."""
    subject, value = _statement(one)
    before, held = _statement(other)
    if subject != before or len(subject) < _LEAST_WORDS:
        return False
    few = 0 < len(value) <= _MOST and 0 < len(held) <= _MOST
    return few and not (set(value) <= set(held) or set(held) <= set(value))


def _statement(words: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The words of its subject and of its value; those of a text that states nothing of anything are none."""
    at = next((n for n, word in enumerate(words) if word in _IS), 0)
    subject, value = (
        [word for word in part if word not in _ARTICLES] for part in (words[:at], words[at + 1 :])
    )
    return subject, value


def _negates(newer: str, older: str, one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """The same words but for what turns one of them round."""
    turned, before = distinction(newer), distinction(older)
    if bool(turned.turns) == bool(before.turns) or turned.numbers != before.numbers:
        return False
    bare, bare_before = (
        # `uses` and `use` alike: negation takes the ending away.
        frozenset(without_s(word) for word in words if word not in turns and word not in _ARTICLES)
        for words, turns in ((one, turned.turns), (other, before.turns))
    )
    return bare == bare_before and len(bare) >= _LEAST_WORDS


Relation = Literal["known", "merge", "supersede"]
_LEAST = 4
"""Words that an entry must have for a claim that holds all of them to be a longer form of it."""
_COMMON = 0.2
"""Share of the entries from which a word says too little to find an entry by."""
_FEW = 20
_CLOSEST = 5
_SMALL_WORDS = """
    a an the is are was were be been i we you he she it they my our your his her their its of in on at to for
    and or with by from as that this has have had do does did will would user s"""
_NOTHING = frozenset(_SMALL_WORDS.split())
_NEARLY_ALL, _LEAST_OF_THEM = 0.7, 6
"""Share of the telling words of a claim, of so many at least, that an entry has which says it already."""


def telling_words(text: str) -> frozenset[str]:
    """The different words of ``text`` that say something; each two characters in a row of unparted ones."""
    words = bag_of_words(text) - _NOTHING
    if text.isascii():
        return words
    unparted = {word for word in words if UNPARTED.search(word)}
    pairs = (word[at : at + 2] for word in unparted for at in range(max(1, len(word) - 1)))
    return frozenset({*(words - unparted), *pairs})


@frozen
class Novelty:
    """How a claim stands to an entry of long-term memory."""

    relation: Relation
    entry: Entry


class LongTermIndex:
    """The entries of MEMORY.md, found by the words of a claim: the time of a question does not grow with it
    but where entries share rare words.
    """

    def __init__(self, memory: Document) -> None:
        self.entries = [e for e in memory.entries if e.form in (Form.ITEM, Form.PARAGRAPH, Form.TABLE)]
        self._keys: dict[str, Entry] = {}
        for entry in self.entries:
            for text in (entry.text, *(sentence.text for sentence in sentences(entry.text))):
                self._keys.setdefault(claim_key(text), entry)
        self._whole = ["\n".join((*entry.heading[-1:], entry.text)) for entry in self.entries]
        self._held = list(map(telling_words, self._whole))
        self._by_word: dict[str, list[int]] = defaultdict(list)
        for number, bag in enumerate(self._held):
            for word in bag:
                self._by_word[word].append(number)

    def says(self, keys: Iterable[str]) -> Entry | None:
        """The entry that makes one of these claims in the same words."""
        return next((self._keys[key] for key in keys if key in self._keys), None)

    def standing(self, text: str, day: date) -> Novelty | None:
        """The entry that says nearly this, or the contrary, and how; None where there is none.

        ``day`` is that of the claim: only what is newer replaces anything.
        """
        bag = telling_words(text)
        for number in self._near(bag):
            entry = self.entries[number]
            if contradicts(text, entry.text):
                since = entry.origin.day("occurred_at") or entry.origin.day("at")
                if since is None or since <= day:
                    return Novelty("supersede", entry)
            elif _is_same(text, entry.text):
                return Novelty("merge" if _adds(entry.text, text) else "known", entry)
            elif self._has_nearly_all(text, bag, number):
                return Novelty("known", entry)
        return None

    def novelty(self, text: str) -> float:
        """``1 - s / 2``, where ``s`` is the largest share of a claim's telling words that one entry has.

        Its heading counts as a part of it.
        """
        bag = telling_words(text)
        shares = (len(bag & self._held[number]) / len(bag) for number in self._near(bag)[:_CLOSEST])
        return 1.0 - max(shares, default=0.0) / 2

    def _near(self, bag: frozenset[str]) -> list[int]:
        """The entries that share telling words with a claim, the most first."""
        most = max(_FEW, int(_COMMON * len(self.entries)))
        found = (self._by_word.get(word, ()) for word in bag)
        shared = Counter(number for numbers in found if len(numbers) <= most for number in numbers)
        return sorted(shared, key=lambda number: (-shared[number], number))

    def _has_nearly_all(self, text: str, bag: frozenset[str], number: int) -> bool:
        """Whether an entry and its heading hold most words of a claim, all its numbers and names."""
        share = _NEARLY_ALL if len(bag) >= _LEAST_OF_THEM else 1
        if len(bag & self._held[number]) < share * len(bag):
            return False
        whole = self._whole[number]
        one, other = distinction(text), distinction(whole)
        names = {name for name in one.names if not UNPARTED.search(name)}
        return names <= other.names | {other.opening} and _is_held(text, whole)


def _is_same(text: str, entry: str) -> bool:
    """Whether an entry says what the claim says, or one of them holds the other."""
    bag, held = telling_words(text), telling_words(entry)
    if held <= bag and len(held) >= _LEAST and _is_held(entry, text):
        return True
    alike = distinction(text).agrees(distinction(entry)) and same_order(text, entry)
    return adds_nothing(text, entry) or (alike and jaccard(bag, held) >= NEAR)


def _is_held(text: str, held: str) -> bool:
    """Whether the numbers of ``text`` stand in ``held``, and what turns it round, and both compare alike."""
    one, other = distinction(text), distinction(held)
    return set(one.numbers) <= set(other.numbers) and one.turns == other.turns and same_order(text, held)


def adds_nothing(text: str, held: str) -> bool:
    """Whether all that ``text`` says stands in ``held``: its words, its numbers, and what turns it round."""
    return telling_words(text) <= telling_words(held) and _is_held(text, held)


def _adds(entry: str, text: str) -> bool:
    """Whether an entry would say more with the claim merged into it; one other word is no news."""
    new = bag_of_words(text) - bag_of_words(entry) - _NOTHING
    return len(new) > 1 and united(entry, [text]) != entry
