"""Who and what a text speaks of: capitalised names, and what the words around them say they are.

Conservative, because a wrong page is worse than a missing one: a name counts where the words around it tell
its type, where the graph knows it already, or (as a concept) where it is named twice or more. A word that is
capitalised only because it begins a sentence is no name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass

_CAPITAL = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĖĘĚĞĢĪĮİĶĹĻĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŲŹŻŽА-ЯЁΑ-Ω"
# Longer ones are no names, and every repetition has a bound: the time is linear in the text.
_WORD = rf"[{_CAPITAL}][\w’'&+#-]{{0,60}}(?:\.[a-z]{{2,4}}\b)?"
_NUMBER = r"v?\d\w{0,20}(?:\.\w{1,20}){0,4}"
NAME = rf"{_WORD}(?:[ ](?:(?:of|de|van|von|der|la|del|di|bin|al)[ ])?(?:{_WORD}|{_NUMBER})){{0,9}}"
"""A capitalised phrase: `Sarah Chen`, `Atlas v2`, `NATS`, `Node.js`, `University of Leeds`."""
_NAME = re.compile(rf"(?<![\w/.@`#\[-]){NAME}(?![/@`\]])")
_CAPITALISED_ANYWAY = """
    i i'm i've i'll i'd we we're we've we'll you he she it they this that these those the a an my our your his
    her their its there here what when where who why how which if and but or so because then also yes no not
    ok okay todo done note fixme hi hello hey thanks thank please let let's today tomorrow yesterday tonight
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep sept oct
    nov dec api url http https json yaml xml html css sql pdf csv id ui ux ci cd pr prs faq eod asap fyi utc
    am pm ram cpu gpu ssd usb ok'd next last new old all some any every each both most more for from with in
    on at to by of as is are was were do does did has have had can could will would should must may might
    after before during while since until now just still never always maybe perhaps however decided decision
    agreed use using used prefer prefers remember remind need needs remains update updated fix fixed add
    added remove removed check see read write run set get got make made plan planned meeting summary facts
    open decisions everyone everybody someone somebody nobody anyone nothing everything people one another
    production staging deployment backend frontend server database app site team company build tests release
    user assistant agent human system english mondays tuesdays wednesdays thursdays fridays saturdays sundays
    weekend weekends weekdays hr error
    warning exception customer customers client clients option myself yourself mr mrs ms dr prof"""
_NO_NAMES = frozenset(_CAPITALISED_ANYWAY.split())
_PERSON_NOUNS = (
    "wife|husband|partner|girlfriend|boyfriend|fiancée?|son|daughter|brother|sister|mother|father|mom|mum|dad"
    "|uncle|aunt|cousin|niece|nephew|grandmother|grandfather|friend|colleague|coworker|co-worker|teammate"
    "|boss|manager|mentor|assistant|neighbou?r|roommate|flatmate|landlord|doctor|dentist|therapist|teacher"
    "|coach|client|co-founder|cofounder|lawyer|accountant|trainer|apprentice|trainee|intern|student|pupil"
    "|employee|tenant|tutor|nanny|nurse|vet"
)
KIN = re.compile(rf"\b[Mm]y\s+(?:\w+\s+)?(?P<kin>{_PERSON_NOUNS})(?:'s name)?(?:\s+is)?,?\s+(?P<name>{NAME})")
_SAYS = (
    "said|says|asked|asks|told|thinks|thought|suggested|suggests|prefers|likes|loves|hates|wants|works|worked"
    "|lives|lived|moved|joined|joins|left|wrote|writes|agreed|agrees|reports|reported|called|met|mentioned"
    "|proposed|explained|reviews|reviewed|manages|leads|owns|promised|confirmed|decided|speaks|studied"
)


_SOFTWARE_NAMES = """
    android ansible aws azure bitbucket chrome confluence django docker dropbox elasticsearch excel fastapi
    figma firefox flask gcp git github gitlab gmail grafana ios javascript jenkins jira kafka kubernetes linux
    macos mongodb mysql nginx node.js next.js notion npm openai outlook postgres postgresql powershell
    prometheus pytest python pytorch react redis slack sqlite tensorflow terraform typescript ubuntu vim
    vscode webpack windows wordpress youtube"""
_SOFTWARE = frozenset(_SOFTWARE_NAMES.split())
"""Well known programs, which say, want and ask for things like people do: `GitHub says the build failed`."""
_OFFICE_NAMES = """
    accounting admin administration alert archive backup board bridge broker bug cause clock council court
    customs database deadline engineering facilities finance gateway goal government harbour immigration
    infrastructure legal logistics management marketing monitoring operations ops payroll police policy
    press procurement purchasing reception sales security support treasury worker"""
_OFFICES = frozenset(_OFFICE_NAMES.split())
"""Offices, departments and things that say and want something as people do: `Customs wants the form back`."""
_FIRMS = frozenset({"Inc", "GmbH", "Ltd", "LLC", "Corp", "AG", "SE", "PLC"})


def _cue(kind: str, pattern: str) -> tuple[str, re.Pattern[str]]:
    return kind, re.compile(pattern.replace("NAME", rf"(?P<name>{NAME})"))


_CUES = (
    _cue("person", rf"\b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir)\s+(?:\w+\s+)?(?:{_PERSON_NOUNS}),?\s+NAME"),
    _cue("person", rf"(?<![\w-])NAME\s+(?:{_SAYS})\b"),
    _cue("person", r"\b(?:met|meet|meeting|call|spoke|talked|lunch|dinner)\s+(?:up\s+)?with\s+NAME"),
    _cue("person", r"(?<![\w-])NAME(?:'s|’s)\s+(?:birthday|wife|husband|son|daughter|phone|email)\b"),
    _cue("person", r"\b(?:[Hh]ey|[Hh]i|[Hh]ello|[Tt]hanks|[Tt]hank you|[Dd]ear),?\s+NAME\s*(?:[,!.]|$)"),
    _cue("person", r"\b(?:[Rr]eports?|reporting)\s+to\s+NAME"),
    _cue("person", r"\b(?:[Mm]r|[Mm]rs|[Mm]s|[Dd]r|[Pp]rof)\.?\s+NAME"),
    _cue("organization", r"\b(?:work(?:s|ed|ing)?|job|intern(?:s|ed|ing)?|employed)\s+(?:at|for)\s+NAME"),
    _cue("organization", r"(?<![\w-])NAME,?\s+(?:Inc|GmbH|Ltd|LLC|Corp|AG|SE|S\.A\.|PLC)\b"),
    _cue("organization", r"\b(?:company|employer|startup|agency|university|bank|vendor|supplier)\s+NAME"),
    _cue("organization", r"(?:\b[Tt]he\s+)?(?<![\w-])NAME\s+(?:company|team|university|foundation|agency)\b"),
    _cue("place", r"\b(?:liv(?:e|es|ed|ing)|based|located|born|grew up|stay(?:ing|ed))\s+in\s+NAME"),
    _cue("place", r"\b(?:mov(?:e|es|ed|ing)|travel(?:s|l?ed|l?ing)?|fl(?:y|ew|ying)|relocat(?:e|ed|ing))\s+"
         r"(?:back\s+)?to\s+NAME"),
    _cue("place", r"\b(?:trip|flight|holiday|vacation|office)\s+(?:to|in)\s+NAME"),
    _cue("project", r"\b[Pp]roject\s+NAME"),
    _cue("project", r"\bwork(?:s|ed|ing)?\s+on\s+(?:the\s+)?NAME"),
    _cue("project", r"\b[Tt]he\s+NAME\s+(?:project|release|launch|migration|rollout|codebase|repo)\b"),
    _cue("project", r"(?<![\w-])NAME\s+project\b"),
    _cue("technology", r"\b(?:[Uu]s(?:e|es|ed|ing)|[Ss]witch(?:ed)?\s+to|[Mm]igrat(?:e|ed)\s+to)\s+NAME"),
    _cue("technology", r"\b(?:written|built|implemented|coded)\s+(?:in|with|on)\s+NAME"),
    _cue("technology", r"\b(?:runs?|running|deployed|hosted)\s+on\s+NAME"),
    _cue("technology", r"(?<![\w-])NAME\s+(?:database|server|library|framework|cluster|queue|SDK|driver)\b"),
    _cue("event", r"(?<![\w-])NAME\s+(?:conference|summit|meetup|workshop|festival|marathon|wedding)\b"),
    _cue("document", r"\b(?:[Tt]he|[Oo]ur)\s+NAME\s+(?:doc|document|spec|paper|proposal|contract|report)\b"),
    _cue("product", r"\b(?:bought|ordered|purchased|subscribed\s+to)\s+(?:a\s+|an\s+|the\s+|my\s+)?NAME"),
)  # fmt: skip
_PROJECT = "Project "
_ORDER = ("person", "organization", "place", "project", "technology", "event", "document", "product")
_CROWDED = 0.3
"""Share of words within sentences that are capitalised, from which on (German, titles) that tells nothing."""
_SAMPLE = 12
"""Words that must have been seen for that."""
_SMALL = re.compile(r"(?<![\w/.@`#-])(?P<word>\w{1,60}(?!\w))(?P<more>[\w’'&+#.-]{0,60})(?![/@`])")
_MIDDLE = re.compile(r"(?<=[a-zß-ÿ,] )(?P<word>[^\W\d_]\w*)")
_BEFORE = 100
"""Characters before a name in which it is looked for whether a sentence begins with it."""
TWICE = 2
"""How often a name of which nothing tells what it is must be said to be a concept."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """A name with the type of entity that it is, and how often it is said."""

    name: str
    type: str
    count: int


def recognise(texts: Iterable[str], known: Callable[[str], str | None]) -> dict[str, Recognised]:
    """The entities that ``texts`` speak of, by name. ``known`` gives the type of a name that has a page.

    A first name alone counts for the only longer name that begins with it.
    """
    texts = list(texts)
    small = small_words(texts)
    crowded = _is_crowded(texts)
    mentioned: Counter[str] = Counter()
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        inside = {name for name, at in names_in(text) if known(name) or not (crowded or _begins(text, at))}
        for kind, cue in _CUES:
            for found in cue.finditer(text):
                if (name := clean_name(found["name"])) and not _is_common(name):
                    if kind == "person" and is_no_person(name, small):
                        continue
                    votes[name][kind] += 1
                    inside.add(name)
        mentioned.update(inside)
    out: dict[str, Recognised] = {}
    for name, count in mentioned.items():
        kind = (
            known(name)
            or (_by_itself(name) if name in votes else "")
            or _type_of(votes.get(name))
            or ("concept" if count >= TWICE else "")
        )
        if kind:
            out[name] = Recognised(name, kind, count)
    return _with_first_names(_with_projects(out, known), known)


def names_in(text: str) -> Iterator[tuple[str, int]]:
    """The capitalised phrases of a text that can be names, each with where it begins."""
    for found in _NAME.finditer(text):
        if (name := clean_name(found[0])) and not _is_common(name):
            yield name, found.start() + found[0].find(name)


def clean_name(name: str) -> str:
    """A phrase without what is capitalised beside a name, and without a possessive."""
    words = name.strip().removesuffix("'s").removesuffix("’s").rstrip("'’-&.").split()
    while words and words[0].casefold() in _NO_NAMES:
        words.pop(0)
    while words and words[-1].casefold() in _NO_NAMES:
        words.pop()
    return " ".join(words)


def small_words(texts: Iterable[str]) -> frozenset[str]:
    """The words of ``texts`` as they are written there, that is: those in small letters are no names."""
    out: set[str] = set()
    for text in texts:
        for found in _SMALL.finditer(text):
            if not found["more"].startswith("-"):
                out.add(found["word"])
            out.add(found[0].removesuffix("'s").removesuffix("’s").rstrip("'’-&."))
    return frozenset(out)


def is_no_person(name: str, small: Container[str]) -> bool:
    """Whether a word that does what people do is no name: an office, or what is said in small letters too."""
    word = name.casefold()
    if " " in name or word == name:
        return False
    return word in _OFFICES or word in small


def _is_common(name: str) -> bool:
    """Whether it is no name: too short, too long, a word that anything begins with, a year."""
    return not 2 <= len(name) <= 60 or name.casefold() in _NO_NAMES or not any(map(str.isalpha, name))


def _is_crowded(texts: Iterable[str]) -> bool:
    words = [found["word"][0] for text in texts for found in _MIDDLE.finditer(text)]
    return len(words) >= _SAMPLE and sum(map(str.isupper, words)) > _CROWDED * len(words)


def _begins(text: str, at: int) -> bool:
    """Whether a name stands where any word would be capitalised."""
    before = text[max(0, at - _BEFORE) : at].rstrip(" \t\"'“‘(*_[")
    return not before or before[-1] in ".!?:;\n-–—•>"


def _by_itself(name: str) -> str:
    """The type that a name tells without the words around it; empty for most."""
    if name.casefold() in _SOFTWARE:
        return "technology"
    return "organization" if " " in name and name.rsplit(maxsplit=1)[-1] in _FIRMS else ""


def _type_of(votes: Counter[str] | None) -> str:
    if not votes:
        return ""
    return max(votes, key=lambda kind: (votes[kind], -_ORDER.index(kind)))


def _with_projects(found: dict[str, Recognised], known: Callable[[str], str | None]) -> dict[str, Recognised]:
    """The entities, where `Project Atlas` is `Atlas`, or the other way where it has a page of that name."""
    out = dict(found)
    for name, one in found.items():
        bare = name.removeprefix(_PROJECT)
        if one.type == "project" or bare != name:
            full = _PROJECT + bare
            best = full if known(full) else bare
            chosen = found.get(best) or Recognised(best, known(best) or "project", one.count)
            out[bare] = out[full] = chosen
    return out


def _with_first_names(
    found: dict[str, Recognised], known: Callable[[str], str | None]
) -> dict[str, Recognised]:
    """The entities, where `Sarah` is `Sarah Chen` if she is the only Sarah of the source."""
    longer: dict[str, list[str]] = defaultdict(list)
    for name, one in found.items():
        if " " in name and one.type == "person":
            longer[name.split()[0]].append(name)
    out = dict(found)
    for first, names in longer.items():
        if len(names) == 1 and known(first) is None and (first not in found or found[first].type == "person"):
            out[first] = found[names[0]]
    return out
