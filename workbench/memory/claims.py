"""When two sentences make the same claim, and which of many are nearly the same."""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
import zlib
from collections.abc import Sequence

from workbench.frozen import frozen
from workbench.memory.entry import digest, without_emphasis
from workbench.memory.provenance import split_provenance

KEY_DIGITS = 16
_MARKS = re.compile(r"^\s*(?:[-*+]\s+|\d{1,9}[.)]\s+)?(?:\[[ xX]\]\s+)?(?:\[[a-z_]+\]\s+)?")
_WORD = re.compile(r"(?:(?<![\w.)])-(?=\d))?\w+(?:[.:/@'’+#-]+\w+)*|[^\w\s]", re.UNICODE)
_SILENT = frozenset("\"'“”‘’`.,;:!?()[]{}…–—-*_")


def claim_words(text: str) -> tuple[str, ...]:
    """The words of a claim, in order: case, emphasis, punctuation, list marks and provenance do not count."""
    plain = _MARKS.sub("", without_emphasis(" ".join(split_provenance(text)[0].split())), count=1)
    folded = unicodedata.normalize("NFKC", plain).casefold()
    return tuple(word for word in _WORD.findall(folded) if word not in _SILENT)


def claim_key(text: str) -> str:
    """The key of the claim that ``text`` makes, from its words alone: 16 hexadecimal digits.

    By this key a claim is promoted, rejected and found again.
    """
    return digest(" ".join(claim_words(text)), KEY_DIGITS)


_BANDS, _ROWS = 8, 4
_NEIGHBOURS = 6
"""Texts of one bucket that each is compared with: templates fill buckets with thousands."""
_WORDS = re.compile(r"\w+")
_BLANKED = bytes(code if _WORDS.fullmatch(chr(code)) else ord(" ") for code in range(256))
_DIGITS = re.compile(r"\d")
# What turns a statement round. Two that differ in it say opposite things in nearly the same words.
_TURNS = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|neither|nor|without|cannot|\w+n['’]t|dont|doesnt|isnt|cant|wont"
    r"|longer|stop|stops|stopped|quit|quits|avoid|avoids|against|dislikes?|hates?|disabled?|disables|off"
    r"|removed?|removes|dropped|drops|instead|former|formerly|old|used to|nicht|kein|keine|keinen|nie|ohne"
    r"|jamais|pas|sans|nunca|sin)\b"
    r"|不|没|沒|無|无|ない|ません",
    re.IGNORECASE,
)
HEDGES = (
    r"\b(?:might|maybe|perhaps|probably|likely|I guess|not sure|wondering|thinking (?:of|about)|considering"
    r"|vielleicht|wahrscheinlich|vermutlich|peut-être|probablement|quizás?|tal vez|probablemente|talvez"
    r"|provavelmente|может быть|возможно|наверное)\b|也许|也許|或许|或許|かもしれ|たぶん|多分|아마도"
)
"""What a sentence says of itself that is not sure; to be matched whatever its case."""
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[^\W\d_a-zß-öø-ÿ][\w’'-]+", re.UNICODE)


@frozen
class Distinction:
    """What sets claims apart that are alike otherwise: numbers, names, and what turns them round.

    ``opening`` is the first word, whose capital says nothing of whether it is a name.
    """

    numbers: tuple[str, ...]
    turns: tuple[str, ...]
    names: frozenset[str]
    opening: str = ""

    def agrees(self, other: Distinction) -> bool:
        """Whether nothing sets the two apart."""
        if self.numbers != other.numbers or self.turns != other.turns:
            return False
        here = self.names | ({self.opening} & other.names)
        return here == other.names | ({other.opening} & self.names)


@functools.lru_cache(maxsize=8_192)
def distinction(text: str) -> Distinction:
    """Numbers and turning words of ``text``, each as often as they stand there, and its names."""
    folded = text.casefold()
    numbers = sorted(word for word in _WORDS.findall(folded) if _DIGITS.search(word))
    turns = sorted(found.casefold() for found in _TURNS.findall(text))
    names = frozenset(map(_singular, _NAME.findall(text)))
    first = _WORDS.search(text)
    return Distinction(tuple(numbers), tuple(turns), names, _singular(first[0]) if first else "")


def _singular(name: str) -> str:
    """`Tuesdays` and `Tuesday` are one name, and so is `Sarah's`."""
    return without_s(name.casefold().removesuffix("'s").removesuffix("’s"))


def without_s(word: str) -> str:
    """A word of English without the ``s`` of its plural."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


_SMALL_WORDS = """
    a an the is are was were be been i we you he she it they my our your his her their its of in on at to for
    and or with by from as that this has have had do does did will would user s m re ve ll so very really just
    always every each"""
_SMALL = frozenset(_SMALL_WORDS.split())
_STEM = 4
"""Letters that two forms of a word begin with."""
_ENDING = 4
"""Letters of a longer form that the other does not have."""
_COMPARING = re.compile(
    r"\b(?:over|than|before|after|from|into|vs|instead|versus)\b"
    r"|\b(?:prefer(?!ence)|switch|chang|mov|migrat|renam|convert|forward|map|point)\w*\b.+\bto\b",
    re.IGNORECASE,
)
"""What makes the order of words matter; the `to` of `decided to use` says nothing of it."""


def same_order(one: str, other: str) -> bool:
    """Whether the words that two texts share stand in the same order, where one of them compares things.

    `Tabs over spaces` and `spaces over tabs` share every word, and every direction in meaning.
    """
    if not (_COMPARING.search(one) or _COMPARING.search(other)):
        return True
    words, others = (dict.fromkeys(_WORDS.findall(text.casefold())) for text in (one, other))
    common = (words.keys() & others.keys()) - _SMALL
    return [word for word in words if word in common] == [word for word in others if word in common]


def one_holds_the_other(one: str, other: str) -> bool:
    """Whether all telling words of one of two texts stand in the other, in whatever inflection.

    Vectors call `we use redis` and `we use kafka` nearly the same; what says the same in other words does
    not swap one telling word for another.
    """
    words, others = _telling(one), _telling(other)
    return _all_in(words, others) or _all_in(others, words)


def same_telling_words(one: str, other: str) -> bool:
    """Whether two texts are made of the same telling words, in whatever order and inflection."""
    words, others = _telling(one), _telling(other)
    return bool(words) and _all_in(words, others) and _all_in(others, words)


def _telling(text: str) -> set[str]:
    return {_singular(word) for word in _WORDS.findall(text.casefold()) if word not in _SMALL}


def _all_in(words: set[str], others: set[str]) -> bool:
    return all(_stands_in(word, others) for word in words)


def _stands_in(word: str, others: set[str]) -> bool:
    if word in others:
        return True
    start = word[:_STEM]
    return len(start) == _STEM and any(
        other.startswith(start) and (other.startswith(word) or word.startswith(other) or _ending(word, other))
        for other in others
    )


def _ending(one: str, other: str) -> bool:
    """Whether two words part only at their ends: `deployed`, `deploying`."""
    shared = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    return max(len(one), len(other)) - shared <= _ENDING


def bag_of_words(text: str) -> frozenset[str]:
    """The different words of ``text``, in lower case."""
    folded = text.casefold()
    if folded.isascii():  # to cut it into words is faster than to look for them
        return frozenset(folded.encode().translate(_BLANKED).decode().split())
    return frozenset(_WORDS.findall(folded))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of words in common, in [0, 1]."""
    common = len(one & other)
    union = len(one) + len(other) - common
    return common / union if union else 1.0


def near_pairs(bags: Sequence[frozenset[str]], likeness: float = 0.0) -> list[tuple[int, int]]:
    """Pairs of texts, by their places (the lower first), that may be nearly the same, in order.

    They share a band of their signatures: nearly all pairs with a Jaccard likeness of 0.85 and more are among
    them, and some that have less; none whose sizes alone rule out that ``likeness``. The caller compares them
    exactly: likeness is no sameness, and ``distinction`` names what two texts must have in common beside.

    This is MinHash with banding (A. Broder, “On the resemblance and containment of documents”, 1997;
    locality-sensitive hashing after Indyk and Motwani, 1998), in a time that grows with the number of texts
    and not with its square.
    """
    import numpy as np  # noqa: PLC0415 - for those who ask for duplicates alone

    if len(bags) < 2:
        return []
    codes = {
        word: zlib.crc32(word.encode("utf-8", "replace"))
        for word in {"", *itertools.chain.from_iterable(bags)}
    }
    flat = [codes[word] for bag in bags for word in (bag or {""})]
    starts = np.cumsum([0] + [len(bag) or 1 for bag in bags[:-1]])
    hashes = np.array(flat, np.uint64)
    random = np.random.default_rng(11)
    bands = np.zeros((_BANDS, len(bags)), np.uint64)
    for band in range(_BANDS):
        for _ in range(_ROWS):
            factor = np.uint64(2 * int(random.integers(1, 2**62)) + 1)
            mixed = hashes * factor
            mixed ^= mixed >> np.uint64(29)
            least = np.minimum.reduceat(mixed, starts)
            bands[band] = bands[band] * np.uint64(1_000_003) + least
    found = [np.zeros(0, np.int64)]
    for signatures in bands:
        order = np.argsort(signatures, kind="stable")  # texts of one signature stand in their order
        signature = signatures[order]
        for step in range(1, _NEIGHBOURS + 1):
            same = signature[step:] == signature[:-step]
            found.append(order[:-step][same] * len(bags) + order[step:][same])
    # A pair is one number: that sorts ten times faster than rows.
    first, second = np.divmod(np.unique(np.concatenate(found)), len(bags))
    sizes = np.array([len(bag) for bag in bags])
    small, large = np.minimum(sizes[first], sizes[second]), np.maximum(sizes[first], sizes[second])
    may_be = small >= likeness * large
    return list(zip(first[may_be].tolist(), second[may_be].tolist(), strict=True))
