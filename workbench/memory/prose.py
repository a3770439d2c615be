"""Whether the words of a line are prose: a whole sentence, a question, or another language than English.

What is written in another language is never judged by English grammar.
"""

from __future__ import annotations

import re
from functools import lru_cache

from workbench.memory.entry import without_emphasis


def word_set(words: str) -> frozenset[str]:
    """The words of a list that is written as one text."""
    return frozenset(words.split())


_MARK = re.compile(
    r"\s*+(?:>\s*+)*+(?:(?:[-*+•‣▪◦–]|\d{1,9}[.)])\s++(?:\[[ xX]\]\s++)?)?+(?:\[[a-z_]{3,20}\]\s++)?+"
)
_WORD = re.compile(r"[^\W_][\w’'-]*")
_OPEN_END = word_set(
    """the a an of and or but nor to with for in on at by from that which who whose because if when while
    although as than into onto about between under over my our their your its his is are was were be
    been being this these those such via per without within during until unless so very more less
    some any every each other new"""
)
_ENDS_NOT = word_set(
    """the a an of and or but nor my our their your its whose because although than via per every"""
)
_DEPENDENT = word_set(
    """because which whose whereas although but and or nor so then whereby otherwise than plus e.g eg i.e
    etc including except would could might of to with for in on at by from as about if when while
    once after before since until unless despite without"""
)
_FUNCTION = word_set(
    """the and is are was of to in that it with for on as at by from this has have had not but be my we you
    they he she i i'm our his her their will who which when a an or its about does did been would
    than no"""
)
_FOREIGN = word_set(
    """der die das und mein meine dein unser unsere mijn onze zus heißt heisst wohnt woont werkt läuft
    fährt arbeite wohne vom zum nach über mia mio ist nicht ich wir ein eine einen mit von zu auf
    den dem des für bei im sind hat haben wird auch el los las una por con que para es su del se lo
    como mi nos está tiene son fue pero más muy vive trabaja le il les des est une dans nous vous
    avec pour pas sur mon ma mes au aux du je il elle sont depuis qui chez ont di che non è sono ho
    per gli nel della anche het een niet ik wij van voor met op zijn heb wordt naar o os uma não com
    em eu meu minha são está foi och att det som jag är inte på har nie jest się na"""
)
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff]")
_LETTER = re.compile(r"[^\W\d_]")
_OTHER_LETTER = re.compile(r"[^\W\d_\u0000-\u02af]")
_MARKED = re.compile(r"[äöüßéèêëàâçñáíóúìòùîïôûœæåøãõłśżźćęąńčřšžěůőű]", re.IGNORECASE)
_QUESTION = re.compile(
    r"(?:(?:and|so|but|well|ok|okay|hey|hi|q:|btw|oh|also|now|then)[,:]?\s+)?(?:"
    r"(?:do|does|did|have|has|can|could|would|should|will|shall|are|is|am|was|were|may|might|won't|don't"
    r"|didn't|isn't|aren't|haven't)"
    r"\s(?:you|we|i|they|he|she|it|there|this|that|anyone|anybody|someone|somebody|your|my|the|these|those)\b"
    r"|(?:what|where|why|who|whom|whose|which|how)\s(?:is|are|was|were|do|does|did|can|could|would|should"
    r"|will|has|have|had|about|come|many|much|long|often|far|old|if|time|kind|else)\b"
    r"|(?:what|how|where|why|who|which)(?:['’]s|['’]re|['’]d)\b|(?:any|got any)\s\w+\s(?:for|on|about"
    r"|left|yet)\b)",
    re.IGNORECASE,
)


def bare(line: str) -> str:
    """``line`` without list marks, task boxes, quote marks and emphasis."""
    marked = _MARK.match(line)
    return without_emphasis(line[marked.end() if marked else 0 :].strip()).strip()


def words_of(text: str) -> list[str]:
    """The words of ``text`` in lower case, apostrophes made straight."""
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


@lru_cache(maxsize=256)
def is_foreign(text: str) -> bool:
    """Whether ``text`` is prose in another language than English: nothing else is said about it."""
    marked = 0
    if not text.isascii():
        if len(_WIDE.findall(text)) * 3 > len(text):
            return True
        letters = len(_LETTER.findall(text))
        if letters and len(_OTHER_LETTER.findall(text)) * 2 > letters:
            return True
        marked = len(_MARKED.findall(text))
    words = words_of(text)
    foreign = sum(word in _FOREIGN for word in words) + marked * 0.5
    english = sum(word in _FUNCTION for word in words)
    return foreign > english and foreign >= 1


def is_question(text: str) -> bool:
    """Whether ``text`` asks something."""
    end = text.rstrip(" \t\"'”’)*_`")
    return end.endswith(("?", "？")) or (not end.endswith((".", "!")) and _QUESTION.match(text) is not None)


def unfinished(plain: str) -> str | None:
    """Why the words of a line are no whole sentence; None where they are. For English."""
    if plain[:1] in ",;)]}" or plain.startswith(("...", "…")):
        return "starts in the middle of a sentence"
    if plain.count("(") > plain.count(")") or plain.endswith((",", ";", ":", "-", "–", "—", "(")):
        return "stops in the middle of a sentence"
    words = words_of(plain)
    stopped = plain.rstrip("\"'”’)*_`")[-1:] in (".", "!", "…", "。")
    if words and (words[-1] in _ENDS_NOT or (not stopped and words[-1] in _OPEN_END)):
        return "stops in the middle of a sentence"
    first = words[0] if words else ""
    if plain[:1].islower() and first in _DEPENDENT and not (stopped and "," in plain):
        return "starts in the middle of a sentence"
    return None
