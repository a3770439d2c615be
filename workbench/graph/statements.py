"""Statements that give one thing one value, where a rule can tell: `the staging port is 8443`.

Read are sentences of the form `the staging port is 8443` and `Staging port: 8443` whose last noun names
something of which there is one (a port, a birthday, a version …), with a value of a few words. What only says
how it is (`the port is open`, `the deadline is tight`) gives it no value. Whatever needs understanding is not
read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NOUNS = """
    address age anniversary birthdate birthday branch budget capital code color colour currency database
    deadline domain editor email employer endpoint extension height hostname iban id ip language lead
    license limit locale location manager model name nickname number office owner password phone pin
    plan port price pronouns quota rate region release role room salary schedule shell size surname time
    timeout timezone title url username version weight zone"""
SINGLE = frozenset(_NOUNS.split())
"""Nouns for something of which its owner has one at a time."""

_STATEMENT = re.compile(
    r"(?P<subject>[^:=.;!?\n]{3,80}?)\s*(?:\s(?:is|was set to|is set to|is now|equals)\s|\s?[:=]\s|\s?→\s?)"
    r"\s*(?P<value>[^\n]{1,80})"
)
_ARTICLE = re.compile(r"^(?:the|a|an|my|our|your|his|her|their|current|new)\s+", re.IGNORECASE)
_BEFORE_VALUE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_END = re.compile(r"[\s.;,!]+$|\s+\((?:since|as of|from|until)[^)]{0,60}\)$", re.IGNORECASE)
_UNSURE = re.compile(
    r"\?|\b(?:not|no longer|never|or|maybe|perhaps|probably|unknown|tbd|todo|changed|was|used to|depends"
    r"|either|and|usually|if|unless|previously|formerly|old|until)\b",
    re.IGNORECASE,
)
_MOST_WORDS = 5
_FIGURE_NOUNS = """
    age budget extension height iban limit phone pin port price quota rate salary size timeout weight zip"""
_FIGURES = frozenset(_FIGURE_NOUNS.split())
"""Nouns whose value has a digit: `the port is open` says no other port."""
_WORD_NOUNS = """
    branch color colour currency database domain editor hostname language locale nickname password pronouns
    region shell surname username zone"""
_WORDED = frozenset(_WORD_NOUNS.split())
"""Nouns whose value may be one plain word: `the shell is zsh`."""
_STATE_WORDS = """
    available bad broken busy closed down empty fast fine free full good gone great important missing new nice
    old open ready right slow taken tight unavailable unclear up wrong"""
_STATES = frozenset(_STATE_WORDS.split())
_MONTH = re.compile(
    r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?"
)
_OF_DAYS = ("on", "the", "of")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_UNITS = (
    (re.compile(r"(?<=\d)\s*(?:seconds?|secs?)\b"), "s"),
    (re.compile(r"(?<=\d)\s*(?:minutes?|mins?)\b"), "min"),
    (re.compile(r"(?<=\d)\s*(?:milliseconds?|msecs?)\b"), "ms"),
    (re.compile(r"(?<=\d)k\b"), "000"),
)


@dataclass(frozen=True, slots=True)
class Statement:
    """What a line says: ``subject`` in lower case without its article, ``value`` as it is compared."""

    subject: str
    value: str
    shown: str


def statement_in(line: str) -> Statement | None:
    """The statement that a line without emphasis is, or None for all the others."""
    found = _STATEMENT.fullmatch(line)
    if found is None or _UNSURE.search(line):
        return None
    subject = _ARTICLE.sub("", " ".join(found["subject"].casefold().split()))
    value = _END.sub("", _END.sub("", found["value"].strip()))
    words = subject.split()
    if not words or words[-1] not in SINGLE or not value or len(value.split()) > _MOST_WORDS:
        return None
    if not _is_value(words[-1], value, labelled=line[found.end("subject") :].lstrip()[:1] in ":="):
        return None
    return Statement(subject, comparable(value), value)


def _is_value(noun: str, value: str, *, labelled: bool) -> bool:
    """Whether words after `is` are a value of this noun, and not how it is. After a colon most words are."""
    said = _BEFORE_VALUE.sub("", value)
    if noun in _FIGURES:
        return any(map(str.isdigit, said)) or not said[:1].isalpha()
    if labelled:
        return said.casefold() not in _STATES
    if not said[:1].islower():
        return True
    if " " in said:
        return False
    named = not said.isalpha() or said != said.lower()
    return named or (noun in _WORDED and said not in _STATES)


def comparable(value: str) -> str:
    """A value without what does not make it another one: case, marks around it, thousands, units, an article.

    The words of a day are in one order: `4 May` is `May 4th`.
    """
    bare = _BEFORE_VALUE.sub("", _END.sub("", value).casefold().strip("`\"'“”‘’*_ "))
    bare = re.sub(r"(?<=\d),(?=\d{3}\b)", "", " ".join(bare.split()))
    for unit, short in _UNITS:
        bare = unit.sub(short, bare)
    words = [word for word in _ORDINAL.sub("", bare).replace(",", " ").split() if word not in _OF_DAYS]
    months = [_MONTH.fullmatch(word) for word in words]
    if any(months) and any(map(str.isdigit, words)):
        return " ".join(sorted(m["month"] if m else word for m, word in zip(months, words, strict=True)))
    return bare
