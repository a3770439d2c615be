"""What was said in a session, sentence by sentence: only what may be written into memory.

A sentence that holds a secret or hidden text, or is part of one, is withheld and counted; left out is also
what no rule would keep (questions, code, small talk, orders to an agent).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from workbench.ingest.statements import Statement, statements_in
from workbench.memory.claims import claim_key
from workbench.memory.episode_page import EpisodeLine, TurnRef
from workbench.memory.provenance import COMMENT
from workbench.memory.sentences import Sentence, sentences
from workbench.memory.transcript import Session, Turn
from workbench.safety.hidden_text import hidden_in
from workbench.safety.secrets import clipped, secrets_in

MOST_OF_TURN = 20_000
"""Characters of one turn that are read: more is a file that was pasted."""
MOST_OF_SESSION = 2_000_000
"""Characters of a session that are read, from its end: what was said last holds longest."""
OF_AN_AGENT = re.compile(r"\b(?:I|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself)\b|^\W*[Pp]lease\b")
"""By which an agent speaks of itself or asks for something (`Please paste no keys here`); `we` is both."""
POSING = "a comment that looks like the workbench's own"
_SURE = 0.7
"""Worth from which a sentence is kept whatever a language model chooses."""
_MERELY_SAID = 0.1
"""Share of its salience that a sentence counts which states nothing that lasts."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """A sentence of the turn with this ``number``, counted from 1."""

    turn: Turn
    number: int
    said: Statement

    @property
    def text(self) -> str:
        """Its words, as they stand in the turn."""
        return self.said.text

    @property
    def start(self) -> int:
        """Where it begins in ``turn.text``."""
        return self.said.start

    @property
    def kind(self) -> str:
        """The type of memory that it would be; empty where it states nothing that lasts."""
        return self.said.kind if self.said.states_something else ""

    @property
    def worth(self) -> float:
        """By how much it goes before others, in [0, 1]."""
        return self.said.worth(by_user=self.by_user)

    @property
    def weight(self) -> float:
        """How much it counts for what a session is about, in [0, 1]."""
        told = (1.0 + self.said.salience) / 2  # at most twice as much: how central it is decides first
        return told if self.kind else _MERELY_SAID * told

    @property
    def is_salient(self) -> bool:
        """Whether it is worth a line of a log."""
        return self.said.is_salient(by_user=self.by_user)

    @property
    def is_sure(self) -> bool:
        """Whether it is missed where a language model leaves it out: asked for, decided, or worth most."""
        return self.requested or self.kind == "decision" or self.worth >= _SURE

    @property
    def by_user(self) -> bool:
        """Whether the person said it."""
        return self.turn.role == "user"

    @property
    def requested(self) -> bool:
        """Whether the person asked for it to be remembered."""
        return self.by_user and self.said.requested

    @property
    def line(self) -> EpisodeLine:
        """It as a line of an episode."""
        return EpisodeLine(self.text, (TurnRef(self.number, self.turn.line),), by_agent=not self.by_user)

    def stands_in(self, turn: Turn, start: int, end: int) -> bool:
        """Whether a part of it is between these places of ``turn``."""
        return self.turn is turn and self.start < end and start < self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Withheld:
    """A sentence that is not written: the name of its claim, its line in the transcript, and why."""

    key: str
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Heard:
    """The sentences of a session in their order, and those that were withheld.

    ``turns`` are those that were read, with what may be shown of each. ``unread`` counts characters that were
    too many.
    """

    sentences: tuple[Utterance, ...]
    turns: tuple[tuple[Turn, str], ...]
    withheld: tuple[Withheld, ...] = ()
    unread: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What to tell of it."""
        counts = Counter(one.why for one in self.withheld)
        rules = ", ".join(f"{rule} ({times})" for rule, times in sorted(counts.items()))
        out = [f"sentences left out for what they hold: {rules}"] if rules else []
        if self.unread:
            out.append(f"{self.unread:,} characters were not read: too long for a message")
        return tuple(out)


def hear(session: Session) -> Heard:
    """The sentences of ``session`` that may be kept."""
    guards: list[Guard] = []
    withheld: list[Withheld] = []
    turns: list[tuple[Turn, str]] = []
    chosen, unread = _read(session.turns)
    for _, turn, text in chosen:
        guard = Guard(text)
        hidden = [(one, why) for one in sentences(text) if (why := guard.why(one.start, one.end))]
        withheld += [Withheld(claim_key(one.text), turn.line, why) for one, why in hidden]
        turns.append((turn, _without(text, [one for one, _ in hidden])))
        guards.append(guard)
    found = statements_in([text for _, _, text in chosen])
    said = (
        Utterance(turn, number, one)
        for (number, turn, _), guard, some in zip(chosen, guards, found, strict=True)
        for one in some
        if not guard.why(one.start, one.start + len(one.text))
    )
    return Heard(tuple(said), tuple(turns), tuple(withheld), unread)


def fit_lines(text: str) -> tuple[list[str], list[Withheld]]:
    """The sentences of a text that nobody said in a turn (a compaction summary), and those withheld."""
    guard = Guard(text)
    fit: list[str] = []
    withheld: list[Withheld] = []
    for one in statements_in([text])[0]:
        if why := guard.why(one.start, one.start + len(one.text)):
            withheld.append(Withheld(claim_key(one.text), 0, why))
        else:
            fit.append(one.text)
    return fit, withheld


def once(said: Iterable[Utterance]) -> Iterator[Utterance]:
    """The sentences without those that make the same claim as an earlier one."""
    seen: set[str] = set()
    for one in said:
        key = claim_key(one.text)
        if key not in seen:
            seen.add(key)
            yield one


class Guard:
    """The places of a text that may not be written: secrets and hidden text, also across sentences.

    Nobody says a ``wb:`` comment: one that stands in a transcript wants to be taken for the workbench's own.
    """

    def __init__(self, text: str) -> None:
        self._places = [(found.start, found.end, f"secret: {found.rule}") for found in secrets_in(text)]
        self._places += [(found.start, found.end, f"hidden: {found.rule}") for found in hidden_in(text)]
        self._places += [(*found.span(), f"hidden: {POSING}") for found in COMMENT.finditer(text)]

    def why(self, start: int, end: int) -> str:
        """What stands between ``start`` and ``end`` that may not be written, or nothing."""
        return next((why for first, last, why in self._places if first < end and start < last), "")


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


def _without(text: str, hidden: Sequence[Sentence]) -> str:
    """``text`` without these sentences, which must be in their order."""
    ends = [0, *(one.end for one in hidden)]
    starts = [*(one.start for one in hidden), len(text)]
    return "".join(text[end:start] for end, start in zip(ends, starts, strict=True))
