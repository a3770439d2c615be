"""Relations that a sentence states: `Sarah works on Atlas`, `I live in Osaka`; by patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexing.words import word_set
from workbench.frozen import frozen
from workbench.ingest.entities import KIN, NAME, THING, clean_name, is_name
from workbench.ingest.statements import MOST_CHARACTERS
from workbench.memory.claims import HEDGES

ME = "\N{BUST IN SILHOUETTE}"
"""Stands for whoever says `I` or `my`."""
_FIRST = r"(?:I|[Ww]e)"
_ADVERB = r"(?:\s+(?:now|currently|mainly|still|already|recently|just|also|both))?"
_UNSURE = re.compile(
    rf"{HEDGES}|\?|\b(?:not|no longer|never|(?-i:may)|could|would|should|if|unless|used to|wants? to"
    r"|plan(?:s|ned|ning)? to|consider(?:s|ed)?|hope(?:s|d)? to|stopped|quit|instead of)\b|n['’]t\b",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*(?:,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)")
_KIN = re.compile(rf"\b[Mm]y\s+(?:\w+\s+)?(?P<kin>{KIN})(?:'s name)?(?:\s+is)?,?\s+(?P<name>{NAME})")
_TARGETS = (
    rf"(?P<targets>(?:the\s+)?(?:project\s+)?{NAME}"
    rf"(?:(?:,\s*(?:and\s+)?|\s+and\s+)(?:the\s+)?{NAME}){{0,19}})"
)
_PATTERNS = tuple(
    (
        kind,
        target_type,
        re.compile(rf"\s{verb}\s"),
        re.compile(rf"(?<![\w-])(?P<subject>{_FIRST}|{NAME}){_ADVERB}\s+(?P<verb>{verb})\s+{_TARGETS}"),
    )
    for kind, target_type, verb in (
        ("works_on", "project", r"(?:work(?:s|ed)?|(?:am|is|are|'m|’m)\s+working)\s+on"),
        ("works_at", "organization", r"(?:work(?:s)?|(?:am|is|are)\s+(?:working|employed))\s+(?:at|for)"),
        ("works_at", "organization", r"(?:joined|started\s+(?:work\s+)?at)"),
        ("uses", "technology", r"(?:use[sd]?|(?:am|is|are)\s+using|switched\s+to|run[s]?\s+on|chose)"),
        ("located_in", "place", r"(?:live[s]?|(?:am|is|are)\s+(?:living|based|located))\s+in"),
        ("located_in", "place", r"(?:(?:has|have)\s+)?(?:moved|relocated)\s+(?:back\s+)?to"),
        ("reports_to", "person", r"report[s]?\s+to"),
        ("part_of", THING, r"(?:(?:is|are|am)\s+(?:a\s+)?part\s+of|belongs?\s+to)"),
        ("depends_on", "technology", r"(?:depend[s]?|(?:is|are)\s+dependent)\s+(?:up)?on"),
        ("owns", THING, r"(?:own[s]?|(?:is|am)\s+the\s+owner\s+of)"),
        ("leads", THING, r"(?:lead[s]?|manage[s]?|(?:is|am)\s+leading)"),
        ("knows", "person", r"(?:know[s]?|met)"),
    )
)
_OF_PEOPLE = frozenset({"works_on", "works_at", "reports_to", "knows", "leads"})
_PLURAL = word_set("use depend work live report own lead manage know belong run are have am")
"""Verbs that no name goes before: `Workers use Redis` is about workers."""


@frozen
class StatedRelation:
    """``subject`` ``kind`` ``target``, by their names in the text; ``ME`` for who speaks.

    The types are what the relation itself tells of the two.
    """

    subject: str
    kind: str
    target: str
    subject_type: str = THING
    target_type: str = THING


def relations_in(sentence: str) -> Iterator[StatedRelation]:
    """The relations that one sentence states; none that it denies, asks or only considers."""
    if len(sentence) > MOST_CHARACTERS or _UNSURE.search(sentence):
        return
    for found in _KIN.finditer(sentence):
        if is_name(name := clean_name(found["name"])):
            yield StatedRelation(ME, found["kin"].casefold(), name, "person", "person")
    for kind, target_type, verb, pattern in _PATTERNS:
        if not verb.search(sentence):  # it is far cheaper than the names around it
            continue
        for found in pattern.finditer(sentence):
            first = found["subject"] in ("I", "We", "we")
            if not first and found["verb"].split()[0] in _PLURAL and " and " not in found["subject"]:
                continue
            subject = ME if first else clean_name(found["subject"])
            subject_type = "person" if kind in _OF_PEOPLE else THING
            for part in _AND.split(" ".join(found["targets"].split())):
                target = clean_name(part.strip().removeprefix("the "))
                if target != subject and is_name(target) and (first or is_name(subject)):
                    yield StatedRelation(subject, kind, target, subject_type, target_type)
