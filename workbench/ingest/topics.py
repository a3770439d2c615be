"""What a session is about: the phrases that come back in it, in whatever language.

A phrase is one to three words between stop words and punctuation; in scripts without blanks it is a run of
characters between particles. One that is not written like a name has to stand where nouns do, after an
article, a possessive or a preposition; what only begins sentences is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from indexing.words import STOP_WORDS
from workbench.safety.key_like import looks_like_key

_LEAST, _OFTEN = 2, 3
"""Sentences in which a phrase comes back, and one common word."""
_MOST_WORDS = 3
_LEAST_RUN, _MOST_RUN = 2, 6
_LOOKED_AT = 200
"""Phrases that are compared with each other."""
_OF_BLANKLESS = "\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f"
_PIECE = re.compile(
    "(?P<run>[\u3400-\u9fff\u3005]+|[\u30a0-\u30ff]+|[\u0e00-\u0e7f]+)"
    f"|(?P<word>[^\\W_{_OF_BLANKLESS}]+(?:['’+#./_-][^\\W_{_OF_BLANKLESS}]+)*)"
    "|(?P<gap>\\S)"
)
_PARTICLES = re.compile(
    "[的了是在我你他她它们們这這那和就也都不没沒有说說会會要去为為把被让讓给給吗嗎呢吧啊很与與及个個上下着对對从從到而且还還"
    "只能可以时時]"
)
_NOUNS_FOLLOW = """
    a an the my your our his her their its this these those some any each every no another
    of for in on at with by from about into over via per
    der die das den dem des ein eine einen einem einer mein meine unser unsere von mit im am für zum zur bei
    el la los las un una unos unas mi tu su nuestro nuestra de del en con por para
    le les des une du mon ma notre au aux dans avec pour sur l d
    o os as um uma do da dos das em seu sua il lo gli della nel"""
_SMALL_WORDS = """
    all also any about after again because before between both during each few get got just like more most
    much new now old one only other over really same since still than through two under until up very want
    into via per every another no that lot lots thanks sounds yes well
    ist sind war ich du er sie es wir ihr nicht auch noch nur wie wenn dass als nach aus hat haben wird und
    oder aber auf zu y pero es son fue yo tú él ella nosotros que se sus et ou mais est sont je elle nous vous
    pas plus ce cette qui e mas com não ed ma di che non ho ha i
    и в не на я что он она мы вы они с как это по к но у за из от для же бы так все было"""
_BEFORE_NOUNS = frozenset(_NOUNS_FOLLOW.split())
_STOP = STOP_WORDS | _BEFORE_NOUNS | frozenset(_SMALL_WORDS.split())


@dataclass(slots=True)
class _Uses:
    """Where a phrase stands: in so many ``sentences``, so often like a noun; and how it is ``written``."""

    sentences: int = 0
    like_a_noun: int = 0
    written: Counter[str] = field(default_factory=Counter)

    @property
    def shown(self) -> str:
        """As it is written mostly."""
        return self.written.most_common(1)[0][0]

    def is_topic(self) -> bool:
        """Whether it comes back, and is a name or stands like a noun."""
        if not self.written:
            return False
        plain = self.shown[0].islower() and self.shown[0] < "\u0250"
        alone = self.shown.islower() and plain and " " not in self.shown
        standing = not plain or 2 * self.like_a_noun >= self.written.total()
        return standing and self.sentences >= (_OFTEN if alone else _LEAST)


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A phrase of a sentence. ``opens``: nothing stands before it there."""

    text: str
    opens: bool = False
    like_a_noun: bool = True


def topics(texts: Iterable[str], most: int = 20) -> tuple[str, ...]:
    """The phrases that come back in ``texts``, which are sentences: at most ``most``, the best first."""
    uses: dict[str, _Uses] = {}
    for text in texts:
        here = set()
        for phrase in _phrases(text):
            key = phrase.text.casefold()
            use = uses.setdefault(key, _Uses())
            use.sentences += key not in here
            here.add(key)
            if not phrase.opens:
                use.written[phrase.text] += 1
                use.like_a_noun += phrase.like_a_noun
    found = {key: use for key, use in uses.items() if use.is_topic()}
    best = sorted(found, key=lambda key: -found[key].sentences * len(key.split(" ")))[:_LOOKED_AT]
    whole = [key for key in best if not _is_part(key, best, found)]
    shown = (found[key].shown for key in whole)
    return tuple([phrase for phrase in shown if not looks_like_key(phrase)][: max(0, most)])


def _is_part(key: str, others: Collection[str], found: dict[str, _Uses]) -> bool:
    """Whether a longer phrase that comes back nearly as often holds this one."""
    bounded = f" {key} " if key.isascii() or " " in key else key
    return any(
        len(other) > len(key)
        and 2 * found[other].sentences > found[key].sentences
        and bounded in f" {other} "
        for other in others
    )


def _phrases(text: str) -> Iterator[_Phrase]:
    run: list[str] = []
    before = ""
    opens, follows = True, False
    for piece in _PIECE.finditer(text):
        word = piece["word"] or ""
        named = follows and len(word) > 2 and word[0].isupper()  # the first word of `New York`
        follows = bool(word)
        if word and (named or not _is_stop(word)):
            run.append(word)
            continue
        yield from _of_words(run, before, opens=opens)
        opens = opens and not run and piece["gap"] is not None
        run, before = [], word.casefold()
        for part in _PARTICLES.split(piece["run"] or ""):
            yield from _of_characters(part)
    yield from _of_words(run, before, opens=opens)


def _is_stop(word: str) -> bool:
    low = word.casefold()
    return low in _STOP or re.split("['’]", low)[0] in _STOP


def _of_words(run: Sequence[str], before: str, *, opens: bool) -> Iterator[_Phrase]:
    """One to three words in a row; like a noun is what ends the row after a word that nouns follow."""
    for first in range(len(run)):
        for last in range(first + 1, min(len(run), first + _MOST_WORDS) + 1):
            phrase = " ".join(run[first:last])
            if last - first > 1 or (len(phrase) > 1 and not phrase.isdigit()):
                standing = first == 0 and last == len(run) and before in _BEFORE_NOUNS
                yield _Phrase(phrase, opens and first == 0, standing)


def _of_characters(part: str) -> Iterator[_Phrase]:
    for first in range(len(part)):
        for last in range(first + _LEAST_RUN, min(len(part), first + _MOST_RUN) + 1):
            yield _Phrase(part[first:last])
