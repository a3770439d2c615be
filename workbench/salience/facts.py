"""Sentences that are worth remembering, and why the others are not: rules, no model.

A sentence is kept when nothing speaks against it (``why_not``) and it states something: a cue word of one of
the families says so (``fact_rules``), or it is a whole sentence about somebody or something. Everything
kept is a quotation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.memory.prose import (
    bare,
    has_clause,
    is_foreign,
    is_question,
    lead_in,
    unfinished,
    words_of,
)
from workbench.memory.sentences import Sentence, beginning, sentences
from workbench.safety.hidden_text import hidden_in
from workbench.safety.machine_output import machine_made
from workbench.safety.prompt_injection import steers
from workbench.safety.secrets import secrets_in
from workbench.salience.durability import OTHER_DAY, UNTOLD, is_of_its_day, lasting, marks
from workbench.salience.ephemeral import is_passing
from workbench.salience.event_time import is_assigned
from workbench.salience.evidence import ENOUGH, evidence
from workbench.salience.fact_type import Family, classify
from workbench.salience.remember_request import Wish, wish_in
from workbench.salience.small_talk import is_foreign_small_talk, is_small_talk, without_interjections

__all__ = ["Fact", "Family", "facts_in", "why_not"]

MOST_CHARACTERS = 1_000
"""A longer sentence is something that was pasted."""
_ASSISTANT = 0.8
"""What the strength of a fact is multiplied by that the agent said and not the person."""
_PLAIN_STATEMENT = 0.45
_TECHNICAL = 0.5
"""What even a technical term needs beside it: "The server restarted" says nothing."""
_PRECISE = 0.1
"""What a name, a number or a piece of code adds."""

_FENCE = re.compile(r"^[ \t]{0,3}(?:>[ \t]?)*(?P<mark>```+|~~~+)", re.MULTILINE)
_PASSWORD = re.compile(
    r"(?i)\b(?:pass(?:wor[dt]|phrase|code)|kennwort|contraseña|mot de passe|senha|pin|secret|token|api key"
    r"|credentials?)\b(?: \w+){0,3}(?: is| ist| lautet| es| est|:|=)\s*[\"'`]?(?=\S*\d)(?=\S*[^\W\d_])\S{6,}"
    r"|\bpin(?: \w+){0,3}(?: is| ist| es| est|:)\s*\d{4}"
)
_MAY_HIDE = re.compile(r"[<\[]|[A-Za-z0-9+/_-]{40}|[^\x00-\x7f]")
"""Without one of these no rule of hidden text fits."""
_TASK = re.compile(r"\[ \][ \t]+$")
_MARKED = re.compile(r"(?:TODO|FIXME)\b[^\w\n]{0,3}\s|(?:to-?do|action item)s?\s?:\s", re.IGNORECASE)
_LEAST_OF_A_TASK = 2
_TODAY = frozenset(("today", "tonight", "this morning", "this afternoon", "this evening", "right now", "now"))
"""Lead-ins that say of all that follows that it is of this day."""
_UNSAID = re.compile(
    r"(?:still |yet )?to be (?:decided|discussed|agreed|clarified|done|confirmed|defined|announced)\b"
    r"|(?:decided|agreed|approved|accepted|confirmed|signed off|done|fixed|reviewed)"
    r" by\b(?!.*\b(?:to|that)\b)",
    re.IGNORECASE,
)
"""How a sentence begins that says that something was decided or done, and not what."""
_WONDERS = re.compile(
    r"(?:why|whether)\b(?!.*(?:,|\b(?:is|are|was|were|depends?|matters?|remains?|stays?|does|because)\b))",
    re.I,
)
"""An indirect question that nothing follows: "Why the build failed at all."."""
"""A task that says so: whatever day it names is the day when it is due."""
_OPEN_TASK = (Family.ACTION, "todo", 0.9)
_WISHED = 0.9
"""How sure it is that what somebody wishes to be remembered is worth it, and that it lasts."""
_UNVOUCHED = frozenset(
    ((Family.OTHER, "fact"), (Family.TECHNICAL, "fact"), (Family.EVENT, "event"), (Family.EVENT, "fact"))
)
"""What no cue word says of that it lasts."""
_OURS = re.compile(r"(?<!\s)\s*+<!--\s*+wb:[^<>]*-->")
_SPEAKER = re.compile(r"^(?:user|human|assistant|ai|me|you)\s?:\s+", re.IGNORECASE)
_PLACE = re.compile(r"\d|`|(?<=[\w,;:] )[^\W\d_a-zà-öø-ÿ]\w")
_NO_VERB = re.compile(
    r"^(?:allergic to|born in|no |not |never |always |only |due |deadline|works?|tabs|spaces)|,\s(?:not"
    r"|never|no)\s|\bper\b|\b(?:only|required|forbidden|allowed|deprecated)\b.*\.$",
    re.IGNORECASE,
)
_FOREIGN_NOW = re.compile(
    r"\b(?:gerade|jetzt|momentan|ahora mismo|en este momento|en ce moment|tout de suite|maintenant"
    r"|moment mal)\b|今から|ちょっと待|等一下|马上|正在",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One sentence, quoted: ``text`` is ``source[start:end]``. ``type`` is that of a typed memory.

    ``strength`` in [0, 1] says how sure the rules are that it states something, ``lasting`` how likely it is
    of use in a month.
    """

    text: str
    start: int
    end: int
    family: Family
    type: str
    strength: float
    lasting: float = UNTOLD
    of_a_day: bool = False
    """Whether it tells of its day only, as far as it goes by itself."""


def facts_in(text: str, *, by_user: bool = True, of_a_day: bool = False) -> tuple[Fact, ...]:
    """The sentences of ``text`` that state something durable, as quotations in their order.

    Fenced blocks are left out, and so are whole lines in which somebody tries to steer an AI or hides text.
    ``by_user`` is whether the person said it: what the agent says about itself counts for less. With
    ``of_a_day`` come also those that tell of their day only, marked as such: what other days repeat lasts.
    Of a text that is longer than anybody writes the beginning is read.
    """
    text = beginning(text)
    out: list[Fact] = []
    shut = list(_shut(text))
    closed = 0
    for sentence in sentences(text):
        while closed < len(shut) and shut[closed][1] <= sentence.start:
            closed += 1
        if closed < len(shut) and shut[closed][0] < sentence.end:
            continue
        fact = _fact(sentence, task=_is_task(text, sentence), by_user=by_user)
        if fact is not None and (of_a_day or not fact.of_a_day):
            out.append(fact)
    return tuple(out)


def why_not(text: str) -> str | None:
    """Why a line is never kept, in a few words for a person; None where it may be.

    Of a line with several sentences one is enough that may be kept, unless the line as a whole is dangerous.
    """
    line = text.strip("\r\n")
    if reason := _dangerous(line):
        return reason
    line = _OURS.sub("", beginning(line))
    if reason := machine_made(line):
        return reason
    longest, said = 0, "no words"
    for sentence in sentences(line):
        reason = _weak(sentence.text, task=_is_task(line, sentence))
        if reason is None:
            return None
        if len(sentence.text) > longest:
            longest, said = len(sentence.text), reason
    return said


def _is_task(text: str, sentence: Sentence) -> bool:
    """Whether a sentence is a task: by an empty box before it, by its first word, or as minutes give one."""
    if len(sentence.text) > MOST_CHARACTERS:
        return False
    box = _TASK.search(text[max(0, sentence.start - 12) : sentence.start])
    marked = sentence.text.startswith("[ ] ") or _MARKED.match(sentence.text) is not None
    return box is not None or marked or is_assigned(bare(sentence.text))


def _shut(text: str) -> Iterator[tuple[int, int]]:
    """Ranges that hold nothing to remember: fenced blocks, and lines that are dangerous as a whole."""
    ranges = []
    opened: tuple[int, str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = (fence.start(), fence["mark"])
        elif fence["mark"].startswith(opened[1]):
            ranges.append((opened[0], fence.end()))
            opened = None
    if opened is not None:
        ranges.append((opened[0], len(text)))
    at = 0
    for line in text.splitlines(keepends=True):
        if _poisoned(line):
            ranges.append((at, at + len(line)))
        at += len(line)
    return iter(sorted(ranges))


def _poisoned(line: str) -> bool:
    return steers(line) is not None or (_MAY_HIDE.search(line) is not None and bool(hidden_in(line)))


def _secret(text: str) -> bool:
    return _PASSWORD.search(text) is not None or bool(secrets_in(text))


def _dangerous(line: str) -> str | None:
    if _secret(line):
        return "holds a secret"
    if reason := steers(line):
        return reason
    if hidden_in(line):
        return "holds hidden text"
    return None


def _weak(sentence: str, *, task: bool = False) -> str | None:
    """Why one sentence says nothing that lasts. A ``task``, marked as such by somebody, needs no verb."""
    if len(sentence) > MOST_CHARACTERS:
        return "too long for something that was said"
    plain = _SPEAKER.sub("", bare(sentence))
    if wish := wish_in(plain):
        return machine_made(plain) or _weak_wish(wish)
    reason = machine_made(plain) or _asks(plain)
    if reason is None and is_foreign(plain):
        return _weak_in_other_language(plain)
    return reason or _weak_in_english(plain, task=task)


def _weak_wish(wish: Wish) -> str | None:
    """Why what somebody wishes to be remembered is nothing to remember. It may be of this moment."""
    told, words = wish.words, words_of(wish.words)
    if wish.foreign:
        return None if len(words) >= _LEAST_OF_A_TASK else "too short to say something"
    if is_small_talk(told, words):
        return "small talk"
    return _asks(told) or unfinished(told) or _says_nothing(told, words, wish.led_in)


def _weak_in_english(plain: str, *, task: bool) -> str | None:
    lead, said = lead_in(plain)
    if is_small_talk(said, words_of(said)):
        return "small talk"
    told = without_interjections(said)
    words = words_of(told)
    if is_passing(told, words) or (lead.lower() in _TODAY and is_passing(f"today {told}", ["today", *words])):
        return "about this moment only"
    if reason := _asks(told) or unfinished(told):
        return reason
    if task and len(words) >= _LEAST_OF_A_TASK:
        return None
    return _says_nothing(told, words, bool(lead))


def _asks(plain: str) -> str | None:
    return "a question" if is_question(plain) or _WONDERS.match(plain) else None


def _says_nothing(told: str, words: list[str], led_in: bool) -> str | None:
    """Why words are no statement. One without a verb is, after a lead-in ("**Owner:** Ana, since May")."""
    if not led_in and _UNSAID.match(told):
        return "it does not say what"
    if _NO_VERB.search(told) and len(words) >= 4:
        return None
    if not has_clause(told) and not (led_in and (len(words) >= 3 or _PLACE.search(told))):
        return "not a whole sentence"
    long_enough = len(words) + told.count("'") + told.count("’") >= 3
    return None if long_enough else "too short to say something"


def _weak_in_other_language(plain: str) -> str | None:
    if is_foreign_small_talk(plain):
        return "small talk"
    if _FOREIGN_NOW.search(plain) and len(plain) < 60:
        return "about this moment only"
    if plain.isascii() or " " in plain.strip():
        return None if len(plain.split()) >= 3 else "too short to say something"
    return None if len(plain) >= 6 else "too short to say something"


def _fact(sentence: Sentence, *, task: bool, by_user: bool) -> Fact | None:
    text = sentence.text.partition("<!--")[0].rstrip()
    if not text or _weak(text, task=task) or _secret(text) or ("\n" in text and _poisoned(text)):
        return None
    judged = _OPEN_TASK if task else _judged(bare(text))
    if judged is None:
        return None
    family, kind, strength = judged
    lasts, passes = (UNTOLD, False) if task else _lasts(bare(text))
    return Fact(
        text=text,
        start=sentence.start,
        end=sentence.start + len(text),
        family=family,
        type=kind,
        strength=round(min(1.0, strength) * (1.0 if by_user else _ASSISTANT), 3),
        lasting=lasts,
        of_a_day=passes and (family, kind) in _UNVOUCHED,
    )


def _lasts(plain: str) -> tuple[float, bool]:
    """How likely a sentence is of use in a month, in [0, 1], and whether it tells of its day only."""
    if wish_in(plain):
        return _WISHED, False
    if is_foreign(plain):
        return UNTOLD, OTHER_DAY.search(plain.lower()) is not None
    told = without_interjections(lead_in(plain)[1])
    found = marks(told, words_of(told))
    return lasting(found), is_of_its_day(found)


def _judged(plain: str) -> tuple[Family, str, float] | None:
    """Family, type and strength of what a sentence states; None where it states too little."""
    if wish := wish_in(plain):
        rule = classify(wish.words)
        return (rule.family, rule.type, _WISHED) if rule else (Family.OTHER, "fact", _WISHED)
    lead, said = lead_in(plain)
    told = without_interjections(said)
    more = _PRECISE if _PLACE.search(told) else 0.0
    rule = classify(told) or classify(plain)
    if rule is not None and (
        rule.family is not Family.TECHNICAL or evidence(told, words_of(told)) >= _TECHNICAL
    ):
        return rule.family, rule.type, rule.strength + more
    if is_foreign(plain) or (lead and not has_clause(told)):
        return Family.OTHER, "fact", _PLAIN_STATEMENT + more
    says = evidence(told, words_of(told))
    return None if says < ENOUGH else (Family.OTHER, "fact", min(_PLAIN_STATEMENT, 0.15 + 0.1 * says) + more)
