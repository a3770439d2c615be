"""Which sentences of a session are facts, by a language model: it points, and what it points at is quoted.

An answer is a list of turns and of words from them. Words that stand in their turn become the sentence that
they stand in, whole, so that no half of it is taken for the rest; others become the sentence of that turn
that is nearest to them, if it holds their figures and names too; what points at no turn, or is near to
nothing, is invented, and then the rules decide for that round instead. They also have their say where a model
found less than they are sure of: what is not saved here is lost with the session.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from workbench.ingest.centrality import content_words
from workbench.ingest.echo_filter import without_echoes
from workbench.ingest.specifics import figures, names
from workbench.ingest.triggers import BATCH
from workbench.llm.port import LanguageModel, LanguageModelError
from workbench.llm.prompts import Passage, ask_json
from workbench.memory.claims import claim_words
from workbench.memory.sentences import sentences
from workbench.memory.transcript import Turn
from workbench.salience.facts import facts_in, why_not

ROUNDS = 5
"""Times that a model is asked for one flush."""
SECONDS = 90.0
"""What all of them may take together."""
MAX_TOKENS = 2_048
MAX_CHARACTERS = 24_000
"""Characters of turns in one round."""
_CLIPPED = 4_000
_LEAST = 5.0
"""Seconds that must be left for another round."""
_NEAR = 0.6
"""Share of the content words of a claim that the sentence it means must hold."""
_SURE = 0.8
"""Strength from which a fact of the rules is missed where a model leaves it out."""
_TASK = (
    "List the facts of this conversation that will still matter in a month: decisions, preferences, personal"
    " facts, relationships, plans with dates, things to do, versions, paths, addresses and names. Leave out"
    " greetings, questions, code, program output and what is only about this moment. For each, give the"
    " number of its turn and the exact words of one sentence of that turn, unchanged."
)
_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["facts"],
    "properties": {
        "facts": {
            "type": "array",
            "maxItems": 60,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["turn", "quote"],
                "properties": {
                    "turn": {"type": "integer"},
                    "quote": {"type": "string", "minLength": 1, "maxLength": 1_000},
                },
            },
        }
    },
}


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words of a turn that are a fact: ``turn.text[start:end]``."""

    turn: Turn
    start: int
    end: int

    @property
    def text(self) -> str:
        """The words."""
        return self.turn.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class LlmQuotes:
    """The facts of a session in their order, and what is to be told about how they were found."""

    facts: tuple[Quoted, ...]
    notes: tuple[str, ...] = ()


def choose(
    turns: Sequence[Turn], model: LanguageModel | None, *, clock: Callable[[], float] = time.monotonic
) -> LlmQuotes:
    """The facts of ``turns``: by ``model`` where it keeps to what was said, by rules otherwise."""
    if model is None:
        return LlmQuotes(tuple(_of(turns)))
    end = clock() + SECONDS
    facts: list[Quoted] = []
    notes: dict[str, None] = {}
    for number, batch in enumerate(_batches(turns)):
        try:
            found = _ask(model, batch, timeout=_left(model, number, end - clock()))
            missed = _missed(batch, found)
            if missed and not found:
                notes[f"{model.name} found no facts; facts were found by rules"] = None
            elif missed:
                notes[f"{model.name} found less than the rules are sure of: {len(missed)} added"] = None
            facts += sorted((*found, *missed), key=lambda fact: (fact.turn.line, fact.start))
        except LanguageModelError as error:
            notes[f"{error.args[0] if error.args else 'the model failed'}; facts were found by rules"] = None
            facts += _of(batch)
    return LlmQuotes(tuple(facts), tuple(notes))


def _of(turns: Sequence[Turn]) -> Iterator[Quoted]:
    """The facts of turns by rules, less what the agent only says back."""
    said = (fact for turn in turns for fact in by_rules(turn))
    return without_echoes(said, lambda fact: (fact.turn.line, fact.turn.role == "user", fact.text))


def by_rules(turn: Turn) -> Iterator[Quoted]:
    """The facts of a turn, by rules alone."""
    return _by_rules(turn, 0.0)


def _by_rules(turn: Turn, least: float) -> Iterator[Quoted]:
    """Those whose strength is at least ``least``."""
    for fact in facts_in(turn.text, by_user=turn.role == "user", of_a_day=True):
        if fact.strength >= least and why_not(fact.text) is None:
            yield Quoted(turn, fact.start, fact.end)


def _missed(batch: Sequence[Turn], found: Sequence[Quoted]) -> list[Quoted]:
    """What the rules add: everything where nothing was found, what they are sure of where less was."""
    ours = [fact for turn in batch for fact in _by_rules(turn, _SURE if found else 0.0)]
    if len(found) >= len(ours):
        return []
    taken = [(fact.turn.line, fact.start, fact.end) for fact in found]
    return [
        fact
        for fact in ours
        if not any(
            line == fact.turn.line and start < fact.end and fact.start < end for line, start, end in taken
        )
    ]


def _left(model: LanguageModel, number: int, left: float) -> float:
    """The seconds that round ``number`` may take. Raises LanguageModelError where it may not be."""
    if number >= ROUNDS:
        raise LanguageModelError(f"{model.name} is asked {ROUNDS} times at most")
    if left < _LEAST:
        raise LanguageModelError(f"{model.name} took the {SECONDS:g} s that it has")
    return left


def _ask(model: LanguageModel, batch: Sequence[Turn], *, timeout: float) -> list[Quoted]:
    data = [Passage(f"turn {turn.line}, {turn.role}", turn.text[:_CLIPPED]) for turn in batch]
    answer = ask_json(model, task=_TASK, data=data, schema=_SCHEMA, max_tokens=MAX_TOKENS, timeout=timeout)
    of_line = {turn.line: turn for turn in batch}
    found: set[tuple[int, int, int]] = set()
    for fact in answer["facts"]:
        turn = of_line.get(fact["turn"])
        place = _place(turn.text, fact["quote"]) if turn else None
        if turn is None or place is None:
            raise LanguageModelError(f"{model.name} told what nobody said")
        if why_not(turn.text[place[0] : place[1]]) is None:
            found.add((turn.line, *place))
    return [Quoted(of_line[line], start, end) for line, start, end in sorted(found)]


def _place(text: str, quote: str) -> tuple[int, int] | None:
    """The sentences of ``text`` that the words of ``quote`` stand in, else the one nearest to them."""
    words = [re.escape(word) for word in quote.split()]
    if not words or not claim_words(quote):
        return None
    said = sentences(text)
    if stands := re.search(r"\s+".join(words), text):
        start, end = stands.span()
        around = [one for one in said if one.start < end and start < one.end]
        return (min(start, around[0].start), max(end, around[-1].end)) if around else (start, end)
    claimed = set(content_words(quote))
    borne = [one for one in said if _has_particulars(one.text, quote)]
    shares = [(len(claimed & set(content_words(one.text))) / max(1, len(claimed)), one) for one in borne]
    share, best = max(shares, key=lambda found: found[0], default=(0.0, None))
    return (best.start, best.end) if best is not None and share >= _NEAR else None


def _has_particulars(text: str, quote: str) -> bool:
    """Whether the figures and names of ``quote`` stand in ``text``."""
    low = text.casefold()
    return set(figures(quote)) <= set(figures(text)) and all(name.casefold() in low for name in names(quote))


def _batches(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    """The turns in groups that one round can hold."""
    batch: list[Turn] = []
    size = 0
    for turn in turns:
        length = min(len(turn.text), _CLIPPED)
        if batch and (len(batch) >= BATCH or size + length > MAX_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(turn)
        size += length
    if batch:
        yield batch
