"""How much a statement says that no cue word speaks for: names, numbers, who it is about, and how it is put.

"The cat is asleep" and "Bob is the tech lead" have the same grammar; what tells them apart are names and
numbers, verbs of having and being something, reasons and rules on the one side, and on the other sentences
that are short, speak to the other, leave out who did it, or say what somebody is doing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.memory.verbs import is_base, is_ing, is_past, is_third, word_set
from workbench.salience.subjects import KIN

ENOUGH = 1.5
"""From here on a statement is worth keeping."""

_NAMED = re.compile(
    r"(?<=[\w,;:’'] )[^\W\d_a-zà-öø-ÿ](?:[\w’'&-]{2,}|\w(?=\b))(?<! I)|\d|`|\b[\w-]+\.[a-z]{2,4}\b"
)
_FIRST_NAME = re.compile(r"(?P<name>[^\W\d_a-zà-öø-ÿ][^\W\d_]+)(?:['’]s)? ")
_LASTING = re.compile(
    r"\b(?:can|because|since|so that|unless|only|must|should|can't|cannot|won't|doesn't|don't|never"
    r"|always|all|every|each|any|nobody|no one|everyone"
    r"|instead of|rather than|not|still|until|anymore|no longer|for (?:\w+ )?(?:years?|months?|ages|good)"
    r"|years?|months?|known|used to|both|first|since|due to|caused|whenever|if)\b"
)
_HOLDS = re.compile(
    r"\b(?:has|have|had|owns?|(?:is|are) \w+(?:ed|en) (?:to|by|for|from|in|on|at|with|until)|is (?:a|an"
    r"|the|my|our|his|her|their|called|named|in|under|on|at|from|for"
    r"|kept|made|stored|set|located|based|run|used|owned|due|caused|afraid|known|wrong)"
    r"|are (?:a|the|my|our|his|her|in|under|on|at|from|for|kept|made|stored|used|owned|due)|was (?:a|an"
    r"|the|caused|made|built|founded|named|born|born|changed|moved|renamed|cancelled|canceled|sold"
    r"|bought)"
    r"|uses?|keeps?|needs?|belongs?|means?|contains?|consists?|requires?|speaks?|lives?|works?|supports?"
    r"|stands for|runs?|knows?|owes?|costs?|starts?|ends?|takes?|stays?|sits|serves?|covers?|holds?"
    r"|sells?|teaches|coaches|plays?|became|put me|bought|sold|built|moved|renamed|raised|vetoed|served"
    r"|raised|ended up)\b"
)
_YOU = re.compile(r"\b(?:you|your|yours|yourself|you're|you've|you'll|ya|u)\b")
_ONLY_IS = re.compile(
    r"(?:\b(?:is|are|was|were|looks?|seems?|feels?|hurts?)|'s|'re|'m)(?: \w+ly| so| too| very| really"
    r"| getting| still)? [a-z]+$"
)
"""It is so, and that is all."""
_OURS = re.compile(r"\b(?:my|our)\b")
_KIN = re.compile(rf"\b{KIN}\b")
_OPENINGS = {
    **dict.fromkeys(word_set("we we're we've he she they he's she's they're we'd they've"), 0.75),
    **dict.fromkeys(word_set("the my our his her their a an"), 0.5),
    **dict.fromkeys(word_set("i i'm i've i'd i'll"), 0.25),
    **dict.fromkeys(
        word_set(
            "it it's this that that's these those there there's which something everything thing things"
        ),
        -0.75,
    ),
}
"""Whom a sentence is about, by its first word: an "it" that stands alone is nobody's."""
_NEEDING = word_set("need will gonna gotta")
_NOTED = frozenset(("doesn't", "isn't", "hasn't", "can't", "won't"))
"""How notes about a person begin that leave out whom they are about."""
_PLAIN_FIRST = word_set(
    """the a an my our his her its their your this that these those there it i we you he she they some
    any no every each all both if when while after before since because although as in on at by for from
    with without to of and or but so then now today yesterday tomorrow not just only also still maybe
    perhaps sometimes usually here what who how why where which one two three yes ok okay please let
    good great nice thanks sorry"""
)


_SAYS = ((1.0, _KIN), (0.75, _LASTING), (0.75, _HOLDS), (0.5, _OURS), (-1.5, _YOU))
"""What a pattern adds to the score."""


def evidence(told: str, words: Sequence[str]) -> float:
    """A score of one English sentence, from about -3 to 7."""
    low = told.lower().replace("’", "'")
    named = _is_named_first(told, words)
    score = _of_opening(words, named=named)
    score += sum(weight for weight, pattern in _SAYS if pattern.search(low))
    score += 2.0 if _NAMED.search(told) else 0.0
    score += 1.0 if len(words) >= 9 else 0.5 if len(words) >= 6 else -0.5 if len(words) <= 4 else 0.0
    if len(words) <= 6 and _ONLY_IS.search(low.rstrip(" .!")) and not _NAMED.search(told):
        score -= 1.0
    if _is_going_on(words) and not named:
        score -= 1.5
    return score


def _of_opening(words: Sequence[str], *, named: bool) -> float:
    """What the first words say of whom the sentence is about."""
    first, second = words[0] if words else "", words[1] if len(words) > 1 else ""
    if named:
        return 2.25 if is_third(second) else 1.5
    if first in _NEEDING or is_past(first):
        return -1.0
    if first in ("i", "we", "i've", "we've") and any(map(is_past, words[1:3])):
        return 1.0 if first.startswith("i") else 1.5
    if is_third(first) or first in _NOTED:
        return 0.75
    if is_ing(first) or (is_base(first) and len(words) <= 6):
        return -0.5
    return _OPENINGS.get(first, 0.0)


def _is_named_first(told: str, words: Sequence[str]) -> bool:
    """Whether a sentence begins with what is likely a name: no common word, and no verb."""
    if not _FIRST_NAME.match(told) or not words:
        return False
    first = words[0].removesuffix("'s")
    return (
        first not in _PLAIN_FIRST
        and "'" not in first
        and not (is_base(first) or is_past(first) or is_ing(first))
        and not first.endswith("ly")
    )


def _is_going_on(words: Sequence[str]) -> bool:
    """Whether somebody says what is being done: "I'm waiting", "the kettle is boiling"."""
    for place, word in enumerate(words[:6]):
        if word in ("i'm", "we're", "am", "is", "are", "he's", "she's", "they're", "it's"):
            after = [
                w
                for w in words[place + 1 : place + 4]
                if w not in ("just", "still", "now", "also", "currently", "not", "already", "really")
            ]
            return (
                bool(after)
                and after[0].endswith("ing")
                and len(after[0]) > 4
                and after[0] not in ("being", "during")
            )
    return False
