"""What a sentence says of two named things: `Sarah works on Atlas`, `I live in Osaka`. Patterns, no model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.ingest.entities import KIN, NAME, clean_name
from workbench.salience.facts import MOST_CHARACTERS

ME = "\N{BUST IN SILHOUETTE}"
"""Stands for whoever says `I` or `my`."""
_FIRST = r"(?:I|[Ww]e)"
_ADVERB = r"(?:\s+(?:now|currently|mainly|still|already|recently|just|also|both))?"
_UNSURE = re.compile(
    r"\?|\b(?:not|no longer|never|maybe|perhaps|might|(?-i:may)|could|would|should|if|unless|used to"
    r"|wants? to|plan(?:s|ned|ning)? to|thinking (?:of|about)|consider(?:s|ed|ing)?|hope(?:s|d)? to"
    r"|probably|stopped|quit|instead of)\b|n['’]t\b",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*(?:,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)")
_TARGETS = (
    rf"(?P<targets>(?:the\s+)?(?:project\s+)?{NAME}"
    rf"(?:(?:,\s*(?:and\s+)?|\s+and\s+)(?:the\s+)?{NAME}){{0,19}})"
)
_PATTERNS = tuple(
    (
        kind,
        re.compile(rf"\s{verb}\s"),
        re.compile(rf"(?<![\w-])(?P<subject>{_FIRST}|{NAME}){_ADVERB}\s+(?P<verb>{verb})\s+{_TARGETS}"),
    )
    for kind, verb in (
        ("works_on", r"(?:work(?:s|ed)?|(?:am|is|are|'m|’m)\s+working)\s+on"),
        ("works_at", r"(?:work(?:s)?|(?:am|is|are)\s+(?:working|employed))\s+(?:at|for)"),
        ("works_at", r"(?:joined|started\s+(?:work\s+)?at)"),
        ("uses", r"(?:use[sd]?|(?:am|is|are)\s+using|switched\s+to|migrated\s+to|run[s]?\s+on|chose)"),
        ("located_in", r"(?:live[s]?|(?:am|is|are)\s+(?:living|based|located))\s+in"),
        ("located_in", r"(?:(?:has|have)\s+)?(?:moved|relocated)\s+(?:back\s+)?to"),
        ("reports_to", r"report[s]?\s+to"),
        ("part_of", r"(?:(?:is|are|am)\s+(?:a\s+)?part\s+of|belongs?\s+to)"),
        ("depends_on", r"(?:depend[s]?|(?:is|are)\s+dependent)\s+(?:up)?on"),
        ("owns", r"(?:own[s]?|(?:is|am)\s+the\s+owner\s+of)"),
        ("leads", r"(?:lead[s]?|manage[s]?|(?:is|am)\s+leading)"),
        ("knows", r"(?:know[s]?|met)"),
    )
)
_TARGET_TYPES = {
    "works_on": "project",
    "works_at": "organization",
    "uses": "technology",
    "located_in": "place",
    "reports_to": "person",
    "knows": "person",
    "depends_on": "technology",
}
"""What a target is that nothing else tells: the relation itself does."""


_OF_MANY = "use depend work live report own lead manage know belong run are have am"
_PLURAL = frozenset(_OF_MANY.split())
"""Verbs that no name goes before: `Workers use Redis` is about workers."""


@dataclass(frozen=True, slots=True)
class StatedRelation:
    """``subject`` ``kind`` ``target``, by their names in the text; ``ME`` for who speaks."""

    subject: str
    kind: str
    target: str
    target_type: str = ""


def relations_in(sentence: str) -> Iterator[StatedRelation]:
    """The relations that one sentence states; none that it denies, asks or only considers."""
    if len(sentence) > MOST_CHARACTERS or _UNSURE.search(sentence):
        return
    for found in KIN.finditer(sentence):
        if name := clean_name(found["name"]):
            yield StatedRelation(ME, found["kin"].casefold(), name, "person")
    for kind, verb, pattern in _PATTERNS:
        if not verb.search(sentence):  # it is far cheaper than the names around it
            continue
        for found in pattern.finditer(sentence):
            first = found["subject"] in ("I", "We", "we")
            if not first and found["verb"].split()[0] in _PLURAL and " and " not in found["subject"]:
                continue
            subject = ME if first else clean_name(found["subject"])
            for part in _AND.split(" ".join(found["targets"].split())):
                target = clean_name(re.sub(r"\A(?:the\s+)?(?:project\s+)?", "", part.strip()))
                if subject and len(target) > 1 and target != subject:
                    yield StatedRelation(subject, kind, target, _TARGET_TYPES.get(kind, ""))
