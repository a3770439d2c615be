"""What a question asks of the entity that it names: which relation, in which direction, or which memories."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

from workbench.memory.graph_page import RELATIONS


class Direction(Enum):
    """Along the relations that the entity's own page states, or against those that lead to it."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Intent:
    """What is asked: which ``kinds`` of relation, in which direction; types of memories, types of answers.

    ``words`` finds the memories that answer it as well: *lives in* for ``located_in``. ``past`` says that
    what is over counts too.
    """

    kinds: tuple[str, ...] = ()
    direction: Direction = Direction.OUT
    words: re.Pattern[str] | None = None
    memory_types: tuple[str, ...] = ()
    answer_types: tuple[str, ...] = ()
    connection: bool = False
    past: bool = False

    @property
    def is_open(self) -> bool:
        """Whether nothing but the entity itself is asked for."""
        return not (self.kinds or self.memory_types or self.connection)


# The relations that are asked for, the words that ask, and whether these say it the other way round.
_PHRASES: tuple[tuple[str, str, bool], ...] = (
    ("part_of works_on", r"work(?:s|ed|ing)?(?: \w+)? (?:at|for)|employed (?:at|by)", False),
    ("works_on", r"work(?:s|ed|ing)?(?: \w+)? on|busy with|assigned to|involved in|contribut\w+ to", False),
    ("works_on", r"(?:team|people|members?) (?:on|behind)", False),
    ("works_with", r"work(?:s|ed|ing)? (?:together )?with|colleagues?", False),
    ("part_of", r"(?:people|staff|team) (?:in|at|of)|who belongs? to", False),
    ("depends_on uses", r"depend(?:s|ed|ing|ent)?(?: (?:up)?on)?|rel(?:y|ies|ied) (?:up)?on", False),
    ("depends_on uses", r"requir(?:e|es|ed|ing)|needs?(?! to\b)", False),
    ("caused_by", r"caused by|due to|because of", False),
    ("caused_by", r"caus(?:e|es|ed|ing)|(?:leads?|led) to|trigger(?:s|ed)?", True),
    ("owns", r"owned by|belongs? to", True),
    ("owns", r"owns?|owned|owner of|responsible for", False),
    ("uses", r"used by", True),
    ("uses", r"us(?:e|es|ing)|runs? on", False),
    ("part_of", r"parts? of|members? of|team of", False),
    ("part_of", r"consists? of|contains?|includes?|made (?:up )?of", True),
    ("supersedes", r"(?:superseded|replaced) by", True),
    ("supersedes", r"supersed(?:e|es|ed)|replac(?:e|es|ed)", False),
    ("decided", r"decided by", True),
    ("decided", r"decid(?:e|es|ed)", False),
    ("knows", r"knows?|knew|acquainted with|friends? (?:of|with)|(?:has |have )?met", False),
    ("located_in", r"liv(?:e|es|ed|ing)|located|based|situated|stays?|home", False),
    ("contradicts", r"contradict(?:s|ed)?", False),
    ("reinforces", r"reinforc(?:e|es|ed)|supports?", False),
    ("weakens", r"weaken(?:s|ed)?", False),
    ("updates", r"updat(?:e|es|ed)", False),
    ("related_to", r"related to|(?:has|have) to do with|(?:connected|linked) (?:to|with)", False),
)
_COMPILED = tuple(
    (tuple(kinds.split()), re.compile(rf"\b(?:{words})\b"), inverse) for kinds, words, inverse in _PHRASES
)
_LIVES = next(words for kinds, words, _ in _COMPILED if kinds == ("located_in",))
_SYMMETRIC = frozenset({"knows", "related_to", "contradicts", "works_with"})
_CONNECTION = re.compile(
    r"(?:connected|related|linked|connection|path|link|relation(?:ship)?|connects?|links?|in common)\b.*@.*@"
    r"|@.*@.*\b(?:connected|related|linked|in common|know each other|meet)|\bbetween @ and @"
    r"|@.*\b(?:connected|related|linked) (?:to|with)\b.*@"
)
_MEMORY_TYPES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"\b(?:{words})\b"))
    for name, words in (
        ("preference", r"prefer(?:s|red|ences?)?|likes?|wants?|favou?rites?|dislikes?|hates?|loves?"),
        ("decision", r"decid(?:e|es|ed)|decisions?|agreed"),
        ("goal", r"goals?|aims?|intends?"),
        ("todo", r"todos?|to-dos?|to do|tasks?|pending|open items?"),
        ("event", r"events?|happens?|happened|happening|incidents?"),
        ("routine", r"routines?|habits?|usually|regularly"),
        ("prediction", r"predictions?|predicted|expects?|expected|forecasts?"),
        ("feedback", r"feedback|complain(?:s|ed|ts?)?"),
        ("anomaly", r"anomal(?:y|ies)|odd|strange"),
        ("correlation", r"correlations?|correlates?"),
        ("fact", r"facts?"),
    )
)
_ANSWERS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(rf"\b(?:{words})\b"), types)
    for words, types in (
        (r"(?:which|what) (?:projects?)", ("project",)),
        (r"(?:which|what) (?:people|persons?|colleagues?)", ("person",)),
        (r"(?:which|what) (?:places?|cit(?:y|ies)|countr(?:y|ies)|towns?)", ("place",)),
        (r"(?:which|what) (?:technolog(?:y|ies)|tools?)", ("technology", "product")),
        (r"(?:which|what) (?:products?)", ("product",)),
        (r"(?:which|what) (?:organi[sz]ations?|compan(?:y|ies)|firms?)", ("organization",)),
        (r"(?:which|what) (?:documents?|papers?)", ("document",)),
        (r"(?:which|what) (?:events?)", ("event",)),
    )
)
_WHO = re.compile(r"\bwho(?:m|se)?\b")
_WHERE = re.compile(r"\bwhere\b")
_IN_PLACE = re.compile(r"\b(?:in|at|from|near)\s+(?:\w+\s+)?@")
_PAST = re.compile(
    r"\b(?:was|were|did|had|used to|formerly|previously|earlier|before|once|worked|lived|knew|replaced|caused"
    r"|decided|history|ever)\b"
)


def intent_of(covered: str, kinds: Collection[str] = ()) -> Intent:
    """What is asked in a question whose entities stand as ``@``.

    ``kinds`` are the relations of the graph: those without a phrase of their own are known by their words.
    An entity before the words is who does it (``OUT``), one after them what it is done to (``IN``).
    """
    text = covered.casefold()
    past = bool(_PAST.search(text))
    types = tuple(name for name, words in _MEMORY_TYPES if words.search(text))
    answers = next((wanted for words, wanted in _ANSWERS if words.search(text)), ())
    if _CONNECTION.search(text):
        return Intent(connection=True, past=past)
    if _WHERE.search(text):
        return Intent(("located_in",), Direction.OUT, _LIVES, answer_types=answers or ("place",), past=past)
    asked = answers or (("person",) if _WHO.search(text) else ())
    for wanted, words, inverse in (*_COMPILED, *_further(kinds)):
        found = words.search(text)
        if found is None or (words is _LIVES and not _IN_PLACE.search(text, found.end())):
            continue
        direction = _direction(wanted, text, found, inverse=inverse)
        return Intent(wanted, direction, words, types, asked, past=past)
    if _IN_PLACE.search(text) and _WHO.search(text):
        return Intent(("located_in",), Direction.IN, _LIVES, answer_types=asked, past=past)
    return Intent(memory_types=types, answer_types=asked, past=past)


def _direction(kinds: Collection[str], text: str, found: re.Match[str], *, inverse: bool) -> Direction:
    if _SYMMETRIC.issuperset(kinds):
        return Direction.BOTH
    after = text.find("@", found.end()) >= 0
    return Direction.IN if after != inverse else Direction.OUT


def _further(kinds: Collection[str]) -> list[tuple[tuple[str, ...], re.Pattern[str], bool]]:
    """Phrases for relations in words of the person's own: ``mentors`` also asks as *mentor*, *mentored*."""
    own = sorted((kind for kind in set(kinds) - set(RELATIONS) if kind), key=lambda kind: (-len(kind), kind))
    phrases: list[tuple[tuple[str, ...], re.Pattern[str], bool]] = []
    for kind in own:
        first, *rest = kind.split("_")
        stem = re.escape(first[:-1] if first.endswith("s") and len(first) > 3 else first)
        words = rf"\b{stem}(?:s|es|ed|d|ing)?{''.join(rf'[ _-]{re.escape(word)}' for word in rest)}\b"
        phrases.append(((kind,), re.compile(words), False))
    return phrases
