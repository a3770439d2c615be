"""What a line is about, by its content words."""

from __future__ import annotations

import re

from workbench.memory.prose import word_set

MOST_TAGS = 8

_WORD = re.compile(r"[^\W_](?:[\w’'+#./@-]*[\w+#])?")
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
