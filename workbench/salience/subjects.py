"""Who or what a cue word is said of: `Walt lives in Ghent` tells of a person, `keys live in a safe` of none.

Cue words alone cannot tell the two apart. What stands before them in their clause can, mostly: a pronoun, a
word of kinship or a name on the one side; an article with a thing, a term of software or a figure on the
other.
"""

from __future__ import annotations

import re

from workbench.memory.verbs import word_set

KIN = (
    r"(?:wife|husband|spouse|fianc[eé]e?|partner|girlfriend|boyfriend|ex(?:-\w+)?|sister|brother|sibling"
    r"|twin|mother|father|mom|mum|mama|dad|papa|parents?|son|daughter|child|kids?"
    r"|children|baby|grand(?:mother|father|ma|pa|mum|dad|son|daughter|parents|kids|children)|gran|granny"
    r"|nan|aunt(?:ie)?|uncle|cousin|niece|nephew|fam(?:ily)?|(?:mother|father|sister|brother|son"
    r"|daughter)-in-law|in-laws"
    r"|step\w+|godson|goddaughter|god\w+er|boss|manager|colleague|coworker|co-worker|teammate|mentor"
    r"|teacher|coach|tutor|roommate|flatmate|housemate|neighbou?rs?|landlord|landlady"
    r"|friends?|buddy|best friend|therapist|doctor|dentist|dog|cat|puppy|kitten|pup|pets?|horse|parrot"
    r"|rabbit|hamster|lawyer|accountant|client|supervisor|advisor|intern)s?"
)
_BOUND = re.compile(
    r"[,;:()\"“”]|(?<=\w)[.!?] |\b(?:that|and|or|but|because|so|which|while|when|if|as|since|where"
    r"|than|until)\b|(?<=\s)[-–—](?=\s)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:(?:oh|yes|yeah|well|btw|also|then|now|fyi|apparently|today|currently)\b[, ]*)+", re.I
)
_AUXILIARY = re.compile(
    r"(?:^|\s)(?:is|was|are|were|am|has|have|had|got|gets|will|would|can|could|does|did|do|being|been|really"
    r"|also|only|still|now|just|always|never|both|recently|currently|usually|originally|already|mostly|often|absolutely"
    r"|actually|totally|secretly|finally|even|once|simply|mainly|generally|typically)\b.*|'(?:s|re|m|ve|d|ll)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_WE = (
    r"(?:i|we|he|she|they|you|who|user|the user|everyone|everybody|people"
    r"|the (?:kids|children|parents|family))"
)
_PRONOUN = re.compile(
    rf"{_WE}|(?:my|our|his|her|their|your)(?: (?:birthday|middle name|pronouns))?", re.IGNORECASE
)
_KIN = re.compile(rf"(?:.*\W)?{KIN}", re.IGNORECASE)
_CALLED = r"[^\W\d_a-zà-öø-ÿ][\w'-]*[^\W\d_A-ZÀ-ÖØ-Þ][\w'-]*"
_NAME = re.compile(
    rf"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?{_CALLED}"
    rf"(?: (?:(?:de|van|von|der|la|del|di|bin|al|of) )?{_CALLED}){{0,3}}"
)
_THINGS = word_set(
    """the a an this that these those it its every each some any no all another one my our his her their
    your there here what nobody nothing everything something anything none somebody someone anyone
    database server service api endpoint staging production cluster cron cache index schema query
    replica backup backups repo repository branch release runner build pipeline script job worker queue
    log logs config configuration token certificate library package dependency framework frontend backend
    parser migration webhook sandbox firmware sensor export app site website page file code test tests
    team company office project version feature bug error setting settings default output input traffic
    data user users customer customers support legal sales marketing finance billing"""
)
_ABOUT_ONE = re.compile(
    r"(?:allerg|intoleran|vegetarian|vegan|diabetic|colou?r-?blind|deaf|lactose|asthma|dyslexi|diagnosed|autistic"
    r"|left-handed|pronouns|speaks|born in|grew up|lives? |works? |middle name|years|months old|collects"
    r"|birthday|retired)"
)
"""Cues of a person's life that say nothing of whom they are said."""
_LIKING = re.compile(
    r"(?:likes?|love[sd]?|hate[sd]?|enjoy(?:s|ed)?|adore[sd]?|detest(?:s|ed)?|loathes?|dislikes?|wants|always|never)\b"
)
_NOBODY = re.compile(r"\b(?:nobody|no[ -]one|nothing|none|no longer|not|never)\b|n't\b", re.IGNORECASE)
_MUST = re.compile(r".*\b(?:need|needs|have|has|got|ought) to ")
_UNDECIDED = re.compile(
    r"^(?:decided|agreed|chosen|settled|approved) by\b"
    r"|\b(?:to be|not|not yet|yet to be|never) decided\b|n't decided\b"
)


def is_person_before(text: str, found: re.Match[str]) -> bool:
    """Whether a cue of a person's life is said of a person, or of nobody but whom the note is about."""
    if _ABOUT_ONE.match(found[0]) is None:
        return True
    return _is_of_a_person(text, found.start(), going_on=True)


def is_somebodys_like(text: str, found: re.Match[str]) -> bool:
    """Whether somebody likes or always does something: no `it felt like`, no `the build never finishes`."""
    if _LIKING.match(found[0]) is None:
        return True
    return _is_of_a_person(text, found.start(), going_on=False)


def somebody_must(text: str, found: re.Match[str]) -> bool:
    """Whether there is somebody who has to: `nobody needs to` and `we don't have to` ask for nothing."""
    if _MUST.match(found[0]) is None:
        return True
    return _NOBODY.search(text[_clause(text, found.start()) : found.end()]) is None


def is_open(text: str, found: re.Match[str]) -> bool:
    """Whether a decision says what was decided: `Decided by Ana` and `To be decided on Friday` do not."""
    return _UNDECIDED.search(found.string) is None


def _clause(text: str, end: int) -> int:
    """Where the clause begins that goes on at ``end``."""
    return max((bound.end() for bound in _BOUND.finditer(text, 0, end)), default=0)


def _is_of_a_person(text: str, at: int, *, going_on: bool) -> bool:
    """Whether the subject before ``at`` is a person; none at all is the person whom a note is about.

    ``going_on``: a clause without a subject has that of its sentence (`Ana works a lot and lives in Oslo`).
    """
    start = _clause(text, at)
    said = _bare(text[start:at])
    if said:
        return _is_person(said)
    if start == 0 or not text[:start].strip(' "“('):
        return True
    return going_on and _is_person(_first(text[:start]))


def _first(text: str) -> str:
    """The first words of a sentence that may be a name, a pronoun or a word of kinship."""
    words = text.replace(",", " ").split()
    for count in (3, 2, 1):
        if _is_person(some := _bare(" ".join(words[:count]))):
            return some
    return words[0] if words else ""


def _bare(subject: str) -> str:
    """A subject without what opens the sentence and what the verb begins with."""
    opened = _OPENING.match(subject.strip())
    said = subject.strip()[opened.end() if opened else 0 :]
    return _AUXILIARY.sub("", said).strip(" .,'-")


def _is_person(said: str) -> bool:
    if _PRONOUN.fullmatch(said) or _KIN.fullmatch(said):
        return True
    names = said.split()
    return _NAME.fullmatch(said) is not None and not any(word.lower() in _THINGS for word in names)


def is_of_somebody(subject: str) -> bool:
    """Whether ``subject``, the words before a verb, names a person: `Ana`, `my sister`, `they`."""
    return bool(subject) and _is_person(_bare(subject))
