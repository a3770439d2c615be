"""Whether a time in a sentence says when something happens, or only how long or since when something is so.

`The concert is on 2026-12-08` and `we moved last spring` are events; `the lease runs until 2027-02-28`, `two
big changes in one week` and `one slow case in 2021` are none. A day that is named exactly makes an event of
what it is said of; a vaguer time does so only of what somebody did or will do.
"""

from __future__ import annotations

import re

from workbench.memory.verbs import finite_verb, is_base, is_past
from workbench.salience.subjects import KIN, is_of_somebody

_LIMIT = re.compile(
    r"\b(?:by|until|till|before|after|since|than|from|within|due|as of|expires?|ends?|ended)"
    r"(?: the| (?:on|in|at))*(?: (?:end|beginning|start|middle) of)?(?: the)? *$"
)
"""What makes a limit of the time that follows: until then, since then, due then."""
_STARTS_AS_LIMIT = re.compile(r"(?:by|until|till|since|from|of|this)\b")
_EXACT = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}\.? (?:of )?[a-zä]{3,}|[a-z]{3,} \d{1,2}$|\d{1,2}(?:st|nd|rd|th)"
    r"|(?:on|next|this|coming|following) (?:\w+ )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight"
    r"|next (?:week|month|year|spring|summer|autumn|winter)"
)
"""Times that name a day, or one that is soon to come."""
_TAKES_PLACE = re.compile(
    r"\b(?:takes? place|happens?|(?:is|are|was|were|be|been) (?:on|at|in|from|set|planned|scheduled"
    r"|moved|postponed|held|away|off)"
    r"|begins?|starts?|opens|comes|arrives?|leaves?|flies|fly|travels?|visits?|meets?|marr(?:y|ies)"
    r"|turns|moves"
    r"|goes|renews|will|'ll|going to|gets?|returns|i'm|we're|he's|she's|they're|due|born|signed"
    r"|switched|runs from)\b"
)
_MEETING = re.compile(
    r"\b(?:meeting|appointment|concert|party|wedding|exam|interview|conference|trip|flight|demo"
    r"|workshop|assembly"
    r"|holidays?|vacation|surgery|operation|launch|release|kick-?off|dinner|birthday|visit|match|race|course"
    r"|audit|hearing|election|training|freeze|move|festival|review)\b"
)
_PERSONAL = re.compile(rf"\b(?:i|we|i'm|we're|i've|we've|my|our|{KIN})\b|^(?:he|she|they)\b")
_ASSIGNED = re.compile(r"(?P<who>[^\W\d_]+) to (?P<verb>[a-z]+) \w")
_HABIT = re.compile(r"\b(?:if|when|unless|whenever)\b")


def is_event(text: str, found: re.Match[str]) -> bool:
    """Whether the time that ``found`` matched in the lower case of ``text`` makes an event of it."""
    low = found.string
    if _LIMIT.search(low[: found.start()]) or (
        _STARTS_AS_LIMIT.match(found[0]) and not _PERSONAL.search(low) and "from" not in found[0]
    ):
        return False
    named = _EXACT.search(found[0]) is not None and _HABIT.search(low) is None
    if named and (_TAKES_PLACE.search(low) or _MEETING.search(low)):
        return True
    return _somebody_did(text, low)


def _somebody_did(text: str, low: str) -> bool:
    """Whether a sentence tells a deed of a person: `I moved`, `Ana's sister married`, `Diego left`."""
    words = [word.strip(".,;:!\"'()") for word in low.split()]
    if _PERSONAL.search(low):
        return True
    for place, word in enumerate(words[:6]):
        if is_past(word) or word in ("will", "was", "were", "has", "had"):
            return is_of_somebody(" ".join(text.split()[:place]))
    return bool(words) and is_past(words[0])


def is_assigned(text: str) -> bool:
    """Whether minutes give somebody a task: `Priya to book the van`, not `Access to read logs is free`."""
    found = _ASSIGNED.match(text)
    if found is None or not is_base(found["verb"]) or not is_of_somebody(found["who"]):
        return False
    return finite_verb([word.strip(".,;:!\"'()") for word in text.lower().split()]) is None
