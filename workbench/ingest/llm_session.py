"""What a language model reads out of a session: quotations for a flush, a summary for an episode.

It is shown numbered turns, without what was withheld of them, and answers with items that each name theirs.
What names no turn that it was shown, or says more than its turns do, is invented, and dropped.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.ingest.centrality import content_words
from workbench.ingest.grounding import is_borne_out, without_echoes
from workbench.ingest.statements import why_not
from workbench.ingest.triggers import BATCH
from workbench.ingest.utterances import Heard, Utterance
from workbench.llm.language_model import LanguageModel, LanguageModelError, Passage, Schema, ask_json
from workbench.memory.episode_page import EpisodeLine, TurnRef
from workbench.memory.sentences import sentences
from workbench.memory.transcript import Turn
from workbench.safety.hidden_text import hidden_in
from workbench.safety.secrets import secrets_in

ROUNDS = 5
"""Times that a model is asked for one flush."""
SECONDS = 90.0
"""What all of them may take together."""
_LEAST_SECONDS = 5.0
"""What must be left for another round."""
_QUOTE_TOKENS = 2_048
_MOST_OF_ROUND = 24_000
"""Characters of turns in one round."""
_MOST_OF_TURN = 4_000
_NEAR = 0.6
"""Share of the words of a claim that the sentence it means must hold."""
_SUMMARY_SECONDS = 30.0
_SUMMARY_TOKENS = 1_024
_MOST_OF_MESSAGE = 500
"""Characters of one turn that are summarised."""
_MOST_SUMMARISED = 8_000
_MOST_SENTENCES = 8
_LEAST_KEPT = 0.5
"""Share of the model's sentences that must be borne out; below it none is believed."""
_SHARED = 0.5
"""Share of the words of a sentence that must stand in its turns."""

_QUOTE_TASK = (
    "List the facts of this conversation that will still matter in a month: decisions, preferences, personal"
    " facts, relationships, plans with dates, things to do, versions, paths, addresses and names. Leave out"
    " greetings, questions, code, program output and what is only about this moment. For each, give the"
    " number of its turn and the exact words of one sentence of that turn, unchanged."
)
_SUMMARY_TASK = f"""\
Summarise this conversation between a user and an assistant for somebody who reads it in a month: what was
done, found and settled, in at most {_MOST_SENTENCES} plain sentences, the most important first. Keep to the
words, names and figures of the turns; add nothing. For each sentence give the numbers of the turns that say
it. Leave out greetings, questions, code and what is only about this moment."""


def object_of(**fields: Schema) -> Schema:
    """The schema of an object that has all of these fields and no others."""
    return {"type": "object", "additionalProperties": False, "required": [*fields], "properties": fields}


def list_of(item: Schema, most: int, least: int = 0) -> Schema:
    """The schema of a list of so many items."""
    return {"type": "array", "minItems": least, "maxItems": most, "items": item}


_TURN: Schema = {"type": "integer"}
_QUOTE = object_of(turn=_TURN, quote={"type": "string", "minLength": 1, "maxLength": 1_000})
_QUOTES = object_of(facts=list_of(_QUOTE, 60))
_SENTENCE = object_of(
    text={"type": "string", "minLength": 1, "maxLength": 600},
    turns={"type": "array", "maxItems": 20, "items": _TURN},
)
_SENTENCES = object_of(sentences=list_of(_SENTENCE, 2 * _MOST_SENTENCES, 1))


# -- quotations for a flush ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LlmQuotes:
    """The facts of a session in their order, and what is to be told about how they were found."""

    facts: tuple[Utterance, ...]
    notes: tuple[str, ...] = ()


def choose(
    heard: Heard, model: LanguageModel | None, *, clock: Callable[[], float] = time.monotonic
) -> LlmQuotes:
    """The facts among what was heard: by ``model`` where it keeps to what was said, by rules otherwise.

    The rules also have their say where a model found less than they are sure of: what is not saved here is
    lost with the session.
    """
    if model is None:
        return LlmQuotes(tuple(_by_rules(heard.sentences)))
    end = clock() + SECONDS
    facts: list[Utterance] = []
    notes: dict[str, None] = {}
    for number, batch in enumerate(_batches(heard.turns)):
        turns = {turn.line: turn for turn, _ in batch}
        said = [one for one in heard.sentences if turns.get(one.turn.line) is one.turn]
        try:
            found = _quoted(model, batch, said, timeout=_left(model, number, end - clock()))
            missed = _missed(said, found)
            if missed and not found:
                notes[f"{model.name} found no facts; facts were found by rules"] = None
            elif missed:
                notes[f"{model.name} found less than the rules are sure of: {len(missed)} added"] = None
            facts += (one for one in said if one in found or one in missed)
        except LanguageModelError as error:
            notes[f"{error.args[0] if error.args else 'the model failed'}; facts were found by rules"] = None
            facts += _by_rules(said)
    return LlmQuotes(tuple(facts), tuple(notes))


def _by_rules(said: Sequence[Utterance]) -> Iterator[Utterance]:
    return without_echoes(one for one in said if one.is_salient)


def _missed(said: Sequence[Utterance], found: Sequence[Utterance]) -> list[Utterance]:
    """What the rules add: everything where nothing was found, what they are sure of where less was."""
    ours = [one for one in said if one.is_sure or (one.is_salient and not found)]
    return [one for one in ours if one not in found] if len(found) < len(ours) else []


def _left(model: LanguageModel, number: int, left: float) -> float:
    """The seconds that round ``number`` may take. Raises LanguageModelError where it may not be."""
    if number >= ROUNDS:
        raise LanguageModelError(f"{model.name} is asked {ROUNDS} times at most")
    if left < _LEAST_SECONDS:
        raise LanguageModelError(f"{model.name} took the {SECONDS:g} s that it has")
    return left


def _quoted(
    model: LanguageModel,
    batch: Sequence[tuple[Turn, str]],
    said: Sequence[Utterance],
    *,
    timeout: float,
) -> list[Utterance]:
    """The sentences that the model points at. Raises LanguageModelError where it tells what nobody said."""
    data = [Passage(f"turn {turn.line}, {turn.role}", text[:_MOST_OF_TURN]) for turn, text in batch]
    answer = ask_json(
        model, task=_QUOTE_TASK, data=data, schema=_QUOTES, max_tokens=_QUOTE_TOKENS, timeout=timeout
    )
    turns = {turn.line: turn for turn, _ in batch}
    found: list[Utterance] = []
    for fact in answer["facts"]:
        turn = turns.get(fact["turn"])
        place = _place(turn.text, fact["quote"]) if turn else None
        if turn is None or place is None:
            raise LanguageModelError(f"{model.name} told what nobody said")
        found += (one for one in said if one.stands_in(turn, *place) and one not in found)
    return found


def _place(text: str, quote: str) -> tuple[int, int] | None:
    """Where ``quote`` stands in ``text``, else the sentence that it means; None where there is none."""
    if not content_words(quote):
        return None
    if stands := re.search(r"\s+".join(map(re.escape, quote.split())), text):
        return stands.span()
    claimed = set(content_words(quote))
    borne = [one for one in sentences(text) if is_borne_out(quote, one.text, share=_NEAR)]
    best = max(borne, key=lambda one: len(claimed & set(content_words(one.text))), default=None)
    return (best.start, best.end) if best else None


def _batches(turns: Sequence[tuple[Turn, str]]) -> Iterator[list[tuple[Turn, str]]]:
    """The turns in groups that one round can hold."""
    batch: list[tuple[Turn, str]] = []
    size = 0
    for turn, text in turns:
        length = min(len(text), _MOST_OF_TURN)
        if batch and (len(batch) >= BATCH or size + length > _MOST_OF_ROUND):
            yield batch
            batch, size = [], 0
        batch.append((turn, text))
        size += length
    if batch:
        yield batch


# -- a summary for an episode ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LlmSummary:
    """The lines that hold, how many were dropped, and how many turns the model did not see."""

    lines: tuple[EpisodeLine, ...]
    dropped: int
    unseen: int


def summary_by(model: LanguageModel, said: Sequence[Utterance]) -> LlmSummary:
    """What ``model`` makes of what was said. Raises LanguageModelError, also where too little of it holds."""
    turns = _shown(said)
    shown = {number: turns[number] for number in _that_fit(turns)}
    data = [Passage(f"turn {number}, {some[0].turn.role}", _words(some)) for number, some in shown.items()]
    answer = ask_json(
        model,
        task=_SUMMARY_TASK,
        data=data,
        schema=_SENTENCES,
        max_tokens=_SUMMARY_TOKENS,
        timeout=_SUMMARY_SECONDS,
    )["sentences"]
    lines = [line for item in answer if (line := _line(item, shown)) is not None]
    if len(lines) < _LEAST_KEPT * len(answer):
        raise LanguageModelError(
            f"{model.name} told what nobody said: {len(answer) - len(lines)} of {len(answer)} sentences"
        )
    unseen = len(turns) - len(shown)
    return LlmSummary(tuple(lines[:_MOST_SENTENCES]), len(answer) - len(lines), unseen)


def _shown(said: Sequence[Utterance]) -> dict[int, list[Utterance]]:
    """The sentences that may be kept by the number of their turn."""
    turns: dict[int, list[Utterance]] = {}
    for one in said:
        turns.setdefault(one.number, []).append(one)
    return turns


def _words(some: Sequence[Utterance]) -> str:
    return " ".join(one.text for one in some)[:_MOST_OF_MESSAGE]


def _that_fit(turns: dict[int, list[Utterance]]) -> list[int]:
    """The numbers of the turns that fit, in their order: those in the middle are left out first."""
    numbers = list(turns)
    ends = [number for pair in zip(numbers, reversed(numbers), strict=True) for number in pair]
    kept: set[int] = set()
    left = _MOST_SUMMARISED
    for number in dict.fromkeys(ends):
        left -= len(_words(turns[number]))
        if left < 0:
            break
        kept.add(number)
    return sorted(kept)


def _line(item: Any, shown: dict[int, list[Utterance]]) -> EpisodeLine | None:
    """A sentence of the answer with its places, or None where it is not borne out or may not be kept."""
    text = item["text"]
    named = [number for number in dict.fromkeys(map(int, item["turns"])) if number in shown]  # 1.0 is 1
    if not named or why_not(text) is not None or secrets_in(text) or hidden_in(text):
        return None
    source = " ".join(_words(shown[number]) for number in named)
    everything = " ".join(map(_words, shown.values()))
    if not is_borne_out(text, source, share=_SHARED, names_in=everything):
        return None
    places = tuple(TurnRef(number, shown[number][0].turn.line) for number in named)
    return EpisodeLine(" ".join(text.split()), places)
