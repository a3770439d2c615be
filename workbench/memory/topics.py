"""What a text is about, by its capitalised phrases and content words: no model, no list of topics."""

from __future__ import annotations

import re
from collections import Counter

from workbench.memory.sentences import sentences
from workbench.memory.verbs import is_base, is_ing, word_set
from workbench.safety.key_like import looks_like_key

MOST_TAGS = 8

_PHRASE = re.compile(
    r"(?<![\w./@#:-])"
    r"[^\W\d_a-zà-öø-ÿ][\w’'+#-]*+(?:\.[\w]+)*+"
    r"(?:[ ](?:of|de|del|la|le|van|von|der|and|the|&)(?=[ ][^\W\d_a-zà-öø-ÿ])|[ ](?:[^\W\d_a-zà-öø-ÿ]"
    r"|\d)[\w’'+#-]*+(?:\.[\w]+)*+)*+"
)
_WORD = re.compile(r"[^\W_](?:[\w’'+#./@-]*[\w+#])?")
_SMALL = re.compile(r"(?<![\w’'-])[a-zß-öø-ÿ][\w’'-]+")
_OPENING = re.compile(r"[\W_]*(?:\*\*[^*\n]{1,60}:?\*\*:?\s*)?")
_IN_NAMES = frozenset(("new", "old", "great", "good", "big", "first", "last", "best", "near"))
_OPENERS = word_set("i i'm i've i'll i'd the a an my our his her their your this that and but so or if when")
_POSSESSIVE = re.compile(r"[’']s$|[’']$")
_COMMON = word_set(
    """a about above after again against ago all almost already also although always am an and another
    any anyone anything are around as at away back be because been before being below best better
    between big both but by came can cannot could day days did do does doing done down during each
    either else enough even ever every everyone everything few first for from further get gets getting
    give go goes going gone good got great had has have having he hello help her here hers hey hi him
    his how however i if in instead into is it its itself just keep kind last later least less let like
    likely little long look looks lot made mainly make makes many may maybe me mean might more most much
    must my myself near need needs never new next nice no nobody none nor not nothing now of off often
    oh ok okay old on once one only or other others our ours out over own part people perhaps place
    please put quite rather really right said same say says see seen set several shall she should since
    so some someone something soon still such sure take taken tell than thank thanks that the their
    theirs them then there therefore these they thing things think this those though through time times
    to today together tomorrow too toward try two under unless until up upon us use used uses using
    usually very via want wants was way we well went were what when where whether which while who whom
    whose why will with within without work works would wow yeah year years yes yesterday yet you your
    yours yourself i'm i've i'll i'd it's that's don't can't didn't won't isn't we're we've we'll you're
    there's monday tuesday wednesday thursday friday saturday sunday january february march april june
    july august september october november december note notes todo fyi btw user assistant der die das
    ein eine und ist sind war ich wir sie er es mit für von auf im in zu den dem nicht auch el la los
    las un una y es son de que en con por para le les des et est une du je nous il elle"""
)


def topics(text: str, most: int = 20) -> tuple[str, ...]:
    """Capitalised phrases of ``text``, the most frequent first, then in order; at most ``most``.

    A capital that begins a sentence counts for less: what follows it is no topic if it is a common word, or
    if the text has it in lower case as well.
    """
    counts: Counter[str] = Counter()
    small = set(_SMALL.findall(text))
    for sentence in sentences(text):
        opening = _OPENING.match(sentence.text)
        begin = opening.end() if opening else 0
        for match in _PHRASE.finditer(sentence.text):
            phrase = _trimmed(match[0], first=match.start() <= begin, small=small)
            if phrase and not looks_like_key(phrase):
                counts[phrase] += 1
    return tuple(phrase for phrase, _ in counts.most_common(max(0, most)))


def concept_tags(text: str) -> tuple[str, ...]:
    """At most eight content words of ``text`` in lower case, names and identifiers first."""
    ranks: dict[str, int] = {}
    for match in _WORD.finditer(text):
        word = _POSSESSIVE.sub("", match[0])
        low = word.casefold()
        if low in _COMMON or (len(low) < 3 and not any(map(str.isdigit, low)) and low.isascii()):
            continue
        telling = not word.islower() or not word.isalpha()
        ranks[low] = min(ranks.get(low, 1), 0 if telling else 1)
    return tuple(sorted(ranks, key=lambda word: ranks[word]))[:MOST_TAGS]


def _trimmed(phrase: str, *, first: bool, small: set[str]) -> str:
    """``phrase`` less the word that only begins a sentence, and less the common words at its end."""
    words = _POSSESSIVE.sub("", phrase).split(" ")
    opens = words[0].casefold()
    if len(words) == 1:
        ordinary = opens in _COMMON or (first and (opens in small or is_ing(opens) or is_base(opens)))
        return "" if ordinary else words[0]
    if opens in _OPENERS or (first and (opens in _COMMON - _IN_NAMES or opens in small)):
        words = words[1:]
    while words and words[-1].casefold() in _COMMON:
        words.pop()
    return " ".join(words)
