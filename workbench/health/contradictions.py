"""Curated entries that give one thing two values, where a rule can tell: very little, said plainly.

Read are sentences of the form `the staging port is 8443` and `Staging port: 8443` whose last noun names
something of which there is one (a port, a birthday, a version …), with a value of a few words. Two with the
same subject and other values contradict each other, unless one of them says that it is over. Whatever needs
understanding (two wishes that exclude each other, a fact in other words) is not looked for.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.health.remark import CURATED, Corpus, Remark, place_of
from workbench.memory.entry import Entry, Form, without_emphasis

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
_END = re.compile(r"[\s.;,!]+$|\s+\((?:since|as of|from|until)[^)]{0,60}\)$", re.IGNORECASE)
_UNSURE = re.compile(
    r"\?|\b(?:not|no longer|never|or|maybe|perhaps|probably|unknown|tbd|todo|changed|was|used to|depends"
    r"|either|and|usually|if|unless|previously|formerly|old|until)\b",
    re.IGNORECASE,
)
_TYPE = re.compile(r"^\[[a-z_]+\]\s+")
_MOST_WORDS = 5


@dataclass(frozen=True, slots=True)
class Statement:
    """What an entry says: ``subject`` in lower case without its article, ``value`` as it is compared."""

    subject: str
    value: str
    shown: str


def statement(entry: Entry) -> Statement | None:
    """The statement that an entry is, or None for all the others."""
    line = without_emphasis(_TYPE.sub("", entry.title))
    if entry.form not in (Form.ITEM, Form.PARAGRAPH) or len(entry.text.strip().splitlines()) > 1:
        return None
    found = _STATEMENT.fullmatch(line)
    if found is None or _UNSURE.search(line):
        return None
    subject = _ARTICLE.sub("", " ".join(found["subject"].casefold().split()))
    value = _END.sub("", _END.sub("", found["value"].strip()))
    words = subject.split()
    if not words or words[-1] not in SINGLE or not value or len(value.split()) > _MOST_WORDS:
        return None
    return Statement(subject, _comparable(value), value)


def contradictions(corpus: Corpus) -> Iterator[Remark]:
    """Pairs of curated entries that give one thing two values."""
    said: dict[tuple[str, ...], list[tuple[Entry, Statement]]] = defaultdict(list)
    for entry in corpus.entries:
        if entry.kind in CURATED and not _is_over(entry, corpus) and (found := statement(entry)):
            said[_about(entry, found)].append((entry, found))
    for group in said.values():
        first, one = group[0]
        others = [(entry, other) for entry, other in group[1:] if other.value != one.value]
        if not others:
            continue
        entry, other = others[0]
        yield Remark(
            rule="contradiction",
            severity="warning",
            path=first.path,
            line=first.start_line,
            what=f"{one.subject} is {one.shown} here and {other.shown} at {place_of(entry)}",
            do="keep the one that holds: `workbench edit`, `workbench merge` or `workbench forget`",
            also=tuple(place_of(entry) for entry, _ in others),
        )


def _about(entry: Entry, found: Statement) -> tuple[str, ...]:
    """Of whom it is said: a subject that names nobody (`Port: 1`) counts under its page and heading only."""
    if len(found.subject.split()) > 1:
        return (found.subject,)
    return (found.subject, entry.path, *entry.heading)


def _is_over(entry: Entry, corpus: Corpus) -> bool:
    provenance = entry.provenance
    if provenance is None:
        return False
    if provenance.get("superseded_by"):
        return True
    days = (provenance.day(name) for name in ("valid_until", "expires_at"))
    return any(day is not None and day < corpus.today for day in days)


def _comparable(value: str) -> str:
    """A value without what does not make it another one: case, marks around it, thousands, an article."""
    bare = _ARTICLE.sub("", value.casefold().strip("`\"'“”‘’*_ "))
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", " ".join(bare.split()))
