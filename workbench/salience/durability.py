"""How likely what a sentence tells is still of use in a month, by how it is put. For English.

Tense and aspect tell most of it. What somebody did once ("Fixed the typo", "Ravi made dal") is over; what
somebody does, has, must or may ("the hook runs as root", "never on a Friday") goes on (Z. Vendler, “Verbs and
Times”, The Philosophical Review 66, 1957). A rule, a rate, a change and a day to come speak for a sentence;
the hour, this day, what was said and eaten speak against it. Each such mark has a weight, and their sum is a
log-odds. The weights are fitted by benchmarks/durability.py to labelled entries, and rounded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from workbench.memory.verbs import finite_verb, is_base, is_ing, is_past, is_third, word_set
from workbench.salience.subjects import KIN

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|march|april|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
PATTERNS: Mapping[str, re.Pattern[str]] = {
    # deeds after which things are no longer as they were
    "changed": re.compile(
        r"\b(?:moved (?:to|from|into|out|in|his|her|the|our|my)|left (?:the|us|for|\w+ to)|joined"
        r"|married|engaged"
        r"|born|died|passed away|signed|quit|retired|resigned|promoted|graduated|diagnosed|became"
        r"|hired|founded"
        r"|adopted|inherited|divorced|switched|migrated|rewritten|replaced|renamed|cancell?ed"
        r"|abolished|dropped out"
        r"|gave up|decided|agreed|chose|chosen|approved|rejected|vetoed|voted|(?:opened"
        r"|started) (?:a|an|his|her|their)"
        r"|launched|published|settled on|ruled out"
        r"|appointed|named \w+(?: \w+)? as"
        r"|elected|operat\w+|(?:lost|broke|passed) (?:his|her|their|my|our)|passed the|sold|went from|raised"
        r"|bought (?:a|an|the) (?:house|flat|car|boat)|won|for the first time|got (?:in(?:to)?"
        r"|a (?:new )?job|accepted|stolen)"
        r"|turned (?:\w+teen|\w+ty|\d+))\b"
    ),
    "rule": re.compile(
        r"\b(?:must|never|always|only|may not|mustn't|shall|should(?:n't)?|cannot|can't|won't|unless|nobody"
        r"|no one|not allowed|requires?|required|forbidden|mandatory|at most|at least|no more than"
        r"|need(?:s)? (?:to|a|an|the)|ha(?:s|ve) to be|needs|refuses?|accepts?|allow(?:s|ed)|default(?:s)?"
        r"|limit(?:ed|s)? (?:is|to|of)|instead of|rather than|not (?:before|after|by|on|in|to))\b"
        r"|^(?:no|not|never|always|only|use|keep|avoid|prefer|don't|do not) "
    ),
    "rate": re.compile(
        r"\b(?:every|each|per|usually|normally|typically|mostly|often|whenever|daily|weekly|monthly|nightly"
        r"|yearly|quarterly|(?:a|an|one) (?:day|week|month|year|hour|night)"
        r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:first|last|second) (?:working )?\w*day of"
        r"|in (?:winter|summer|spring|autumn|december)|for (?:\w+ )?(?:years|months))\b"
    ),
    "date": re.compile(
        rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b|\b{_MONTH} \d{{1,2}}\b"
        rf"|\b(?:in|since|until|till|by|from|before|of|as of|through|end of|early|late|mid) {_MONTH}\b"
        r"|\b(?:in|since|until|from|for|by|before|of) (?:19|20)\d\d\b|\b(?:on )?the \d+(?:st|nd|rd|th)\b"
        r"|\b(?:until|by|before) (?:\w+ ){0,2}(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|easter|christmas"
        r"|summer|winter|spring|autumn|the end of)\b|\bnext (?:week|month|year|spring|summer|autumn|winter)\b"
    ),
    "this day": re.compile(
        r"\b(?:today|tonight|yesterday|tomorrow|this (?:morning|afternoon|evening|week)|last night"
        r"|over ?night|at (?:noon|lunch|dinner)|(?:before|after|until) (?:lunch|dinner|coffee|breakfast)"
        r"|(?:the|all|whole) (?:morning|afternoon|evening|night|day)|in the (?:morning|afternoon|evening)$"
        r"|again|so far|yet$|right now|currently|just now|first (?:hour|minutes?|look)|second (?:look"
        r"|attempt)|last (?:two|three|few|hour|minutes?)|(?:an|one|two|half an) hours?(?! a)"
        r"|\d+ (?:minutes?|mins?|seconds?)|halfway)\b"
    ),
    "clock": re.compile(r"\b(?:[01]?\d|2[0-3]):[0-5]\d\b"),
    "said": re.compile(
        r"\b(?:said|told|ask(?:ed|s)|answered|replied|wrote|laughed|joked|wish(?:ed|es)|wonder(?:ed|s)"
        r"|called it|promised|reported|thanked|explained|show(?:ed|s)|presents|presented|sent"
        r"|read out|quotes|bets|guessed|liked)\b"
    ),
    "quoted": re.compile(r"[\"“「].{3,}"),
    "trifle": re.compile(
        r"\b(?:coffee|tea|lunch|dinner|breakfast|cakes?|soup|bread|loaf|sandwich|snack|dishes|laundry"
        r"|groceries"
        r"|weather|rain(?:ed|s|ing|y)?|sun(?:ny)?|snow(?:ed|ing)?|wind(?:y)?|sky|slept|asleep|tired|joke[ds]?"
        r"|giggl\w+|funny|lovely|traffic|parcel|photo(?:graph)?s?|picture|drawing|drew|draft"
        r"|typos?|nap"
        r"|mood|luck|bet)\b|[😀-🙏🌀-🗿🚀-🛿👍]"
    ),
    "code": re.compile(
        r"`[^`]+`|https?://|\b[\w.-]+/[\w./-]+|\b\w+_\w+\b|\b[a-z]+\.(?:py|md|sh|ya?ml|toml|json|sql)\b"
    ),
    "counted": re.compile(
        r"^(?:all |only )?[\d.,]+ |\d ?%"
        r"|\b\d[\d.,]*(?: \w+)? (?:compared|done|passed|found|left|open|overdue)\b"
    ),
    "learned": re.compile(
        r"\b(?:fails? (?:when|if|because|on|with|without)|breaks?|works? (?:only|with|without|on|in)"
        r"|is (?:caused|due)|never trust|beware|lesson|learn(?:ed|t)|turns? out|means|behaves?"
        r"|treats?|ignores?"
        r"|depends?|causes|loses|leaks?|times out|without)\b"
    ),
    "stands": re.compile(
        r"\b(?:contract|fee|budget|warranty|insurance|rent|deadline|policy|address|phone number"
        r"|password manager|birthday|anniversary|allerg\w+|certificate|licen[cs]e|lease|port|version|firmware"
        r"|server|database|backup|runs on|responsible|owner|chair|maintainer|teacher|doctor|landlord)\b"
    ),
    "own": re.compile(
        rf"\b(?:i|we|i've|we've|i'd|i'm|we're|my|our|us|{KIN})\b|^(?:guess what, )?(?:he|she|her|his|they)\b"
    ),
}
"""What each mark is found by, in lower case."""
WEIGHTS: Mapping[str, float] = {
    "changed": 0.9,
    "rule": 0.7,
    "rate": 0.8,
    "date": 1.1,
    "this day": -0.8,
    "clock": -0.2,
    "said": -0.9,
    "quoted": -0.8,
    "trifle": -0.9,
    "code": 0.6,
    "counted": -0.4,
    "learned": 0.5,
    "stands": 0.7,
    "own": 0.4,
    "deed": -0.5,
    "nobody's deed": -0.3,
    "standing": 0.5,
    "no verb": 0.0,
    "long": 1.1,
}
"""What each mark adds to the log-odds."""
BIAS = -1.0
UNTOLD = 0.55
"""Of a sentence in another language, of which nothing of this can be told."""
OTHER_DAY = re.compile(
    r"\b(?:heute|gestern|eben|vorhin|mittags|hoy|ayer|aujourd'hui)\b|今天|刚刚|昨天|刚才|今日|昨日|さっき"
)
"""This day, in other languages."""
PASSING = -0.5
"""Log-odds below which a sentence is of its day only, where no mark spares it."""
_SPARED = ("own", "changed", "no verb")
"""Marks of one's own life, and of a label with what it stands for: without a verb there is no tense."""
_STANDING = word_set(
    """am is are isn't aren't i'm we're they're it's that's there's he's she's has have hasn't haven't do does
    don't doesn't can can't cannot may must should shall mustn't shouldn't"""
)
_OVER = word_set("was were wasn't weren't had hadn't did didn't")
_ALSO_PRESENT = word_set("put set let cut cost read hit")
"""Forms that are past or present; only at the beginning of a note they are the past."""


def marks(told: str, words: Sequence[str]) -> dict[str, float]:
    """The marks that a sentence bears, each with how strongly. ``words`` are its words in lower case."""
    low = told.lower().replace("’", "'")
    found = {name: 1.0 for name, pattern in PATTERNS.items() if pattern.search(low)}
    found["long"] = min(2.0, len(words) / 10)
    place = finite_verb(words)
    if place is None:
        found["no verb"] = 1.0
        return found
    verb, after = words[place], words[place + 1 : place + 2]
    if verb in _OVER or (is_past(verb) and (place == 0 or verb not in _ALSO_PRESENT)):
        if "changed" not in found:
            found["deed"] = 1.0
            if place == 0:
                found["nobody's deed"] = 1.0
    elif is_third(verb) or (is_base(verb) and place) or (verb in _STANDING and not any(map(is_ing, after))):
        found["standing"] = 1.0
    return found


def log_odds(found: Mapping[str, float]) -> float:
    """The sum of the weights of ``found``, as ``marks`` finds them: above 0 it is rather of use than not."""
    return BIAS + sum(WEIGHTS[name] * value for name, value in found.items())


def lasting(found: Mapping[str, float]) -> float:
    """In [0, 1]: how likely a sentence with these marks is of use in a month."""
    return round(1 / (1 + math.exp(-log_odds(found))), 3)


def is_of_its_day(found: Mapping[str, float]) -> bool:
    """Whether a sentence that no cue vouches for is left out: it tells of a day, and of nobody's own life."""
    return log_odds(found) < PASSING and not any(name in found for name in _SPARED)
