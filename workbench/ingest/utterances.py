"""What was said in a session, sentence by sentence: only what may be written into memory.

Sentences that hold a secret or hidden text are left out and counted; left out is also what no rule would keep
(questions, code, small talk, orders to an agent).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from workbench.memory.claims import claim_key
from workbench.memory.episode_page import EpisodeLine, TurnRef
from workbench.memory.provenance import COMMENT
from workbench.memory.sentences import sentences
from workbench.memory.session import Session
from workbench.memory.transcript import Turn
from workbench.safety.findings import TextFinding
from workbench.safety.hidden_text import hidden_in
from workbench.safety.key_like import clipped
from workbench.safety.secrets import secrets_in
from workbench.salience.facts import Family, facts_in, why_not
from workbench.salience.prompt_injection import steers

MOST_OF_TURN = 20_000
"""Characters of one turn that are read: more is a file that was pasted."""
MOST_OF_SESSION = 2_000_000
"""Characters of a session that are read, from its end: what was said last holds longest."""


OF_AN_AGENT = re.compile(r"\b(?:I|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself)\b|^\W*[Pp]lease\b")
"""By which an agent speaks of itself or asks for something (`Please paste no keys here`); `we` is both."""
_MERELY_SAID = 0.1
"""Strength of what states nothing that lasts."""
_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class Utterance:
    """A sentence, who said it, and where. ``strength`` in [0, 1]: how sure the rules are that it lasts.

    ``family`` is None where it states nothing that does.
    """

    text: str
    place: TurnRef
    by_user: bool
    family: Family | None
    strength: float

    @property
    def line(self) -> EpisodeLine:
        """It as a line of an episode."""
        return EpisodeLine(self.text, (self.place,), by_agent=not self.by_user)


@dataclass(frozen=True, slots=True)
class Heard:
    """The sentences of a session in their order; what was ``withheld`` is counted by the rule that named it.

    ``unread`` counts characters that were too many.
    """

    sentences: tuple[Utterance, ...]
    withheld: Counter[str] = field(default_factory=Counter)
    unread: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What to tell of it."""
        out = []
        if self.withheld:
            rules = ", ".join(f"{rule} ({times})" for rule, times in sorted(self.withheld.items()))
            out.append(f"left out with the sentences that hold it: {rules}")
        if self.unread:
            out.append(f"{self.unread:,} characters were not read: they are more than anybody said")
        return tuple(out)


def hear(session: Session) -> Heard:
    """The sentences of ``session`` that may be kept."""
    withheld: Counter[str] = Counter()
    chosen, unread = _read(session.turns)
    said = [one for number, turn, text in chosen for one in _of_turn(number, turn, text, withheld)]
    return Heard(tuple(said), withheld, unread)


def fit_lines(text: str, withheld: Counter[str]) -> Iterator[str]:
    """The sentences of a text that nobody said in a turn (a compaction summary), junk left out."""
    hidden = _Withheld(text, withheld)
    for start, end in _plain(text, ()):
        if not hidden.holds(start, end):
            yield text[start:end]


def once(said: Iterable[Utterance]) -> Iterator[Utterance]:
    """The sentences without those that make the same claim as an earlier one."""
    seen: set[str] = set()
    for one in said:
        key = claim_key(one.text)
        if key not in seen:
            seen.add(key)
            yield one


def _read(turns: tuple[Turn, ...]) -> tuple[list[tuple[int, Turn, str]], int]:
    """The turns that are read with their numbers and text, and how many characters are not."""
    chosen: list[tuple[int, Turn, str]] = []
    left, unread = MOST_OF_SESSION, 0
    for number, turn in reversed(list(enumerate(turns, 1))):
        text = clipped(turn.text, min(MOST_OF_TURN, left))
        left -= len(text)
        unread += len(turn.text) - len(text)
        if text:
            chosen.append((number, turn, text))
    return chosen[::-1], unread


def _of_turn(number: int, turn: Turn, text: str, withheld: Counter[str]) -> Iterator[Utterance]:
    by_user = turn.role == "user"
    place = TurnRef(number, turn.line)
    hidden = _Withheld(text, withheld)
    facts = {fact.start: fact for fact in facts_in(text, by_user=by_user, of_a_day=True)}
    for start, end in sorted({(fact.start, fact.end) for fact in facts.values()} | set(_plain(text, facts))):
        if hidden.holds(start, end):
            continue
        fact = facts.get(start)
        if fact is not None:
            yield Utterance(fact.text, place, by_user, fact.family, fact.strength)
        else:
            yield Utterance(text[start:end], place, by_user, None, _MERELY_SAID)


def _plain(text: str, but: Collection[int]) -> Iterator[tuple[int, int]]:
    """Sentences that are no facts and no junk either, apart from those that begin where ``but`` says.

    What stands in a fence is code; a line that tries to steer an agent says nothing else.
    """
    shut = [found.span() for found in _FENCED.finditer(text)]
    shut += [line.span() for line in _LINE.finditer(text) if steers(line[0])]
    for sentence in sentences(text):
        start, end = sentence.start, sentence.end
        open_ = not any(first < end and start < last for first, last in shut)
        if start not in but and open_ and why_not(sentence.text) is None:
            yield start, end


class _Withheld:
    """Places of a text that hold a secret or hidden text, each counted by its rule.

    Nobody says a ``wb:`` comment: one that stands in a transcript wants to be taken for the workbench's own.
    """

    def __init__(self, text: str, counts: Counter[str]) -> None:
        forged = (TextFinding("forged mark", *mark.span(), mark[0]) for mark in COMMENT.finditer(text))
        self._found: list[TextFinding] = [*secrets_in(text), *hidden_in(text), *forged]
        counts.update(finding.rule for finding in self._found)

    def holds(self, start: int, end: int) -> bool:
        return any(found.start < end and start < found.end for found in self._found)
