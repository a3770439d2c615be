"""A model's summary of a session, as far as the session says it too.

The model is shown numbered turns and answers with sentences that each name theirs. A sentence that names no
turn that it was shown, that shares too few words with them, that holds a figure or a name that stands in none
of them, or that says no where they say yes, is invented, and dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.ingest.centrality import content_words
from workbench.ingest.specifics import figures, names
from workbench.ingest.utterances import Utterance
from workbench.llm.port import LanguageModel, LanguageModelError, Schema
from workbench.llm.prompts import Passage, ask_json
from workbench.memory.episode_page import EpisodeLine, TurnRef
from workbench.memory.near_duplicates import distinction
from workbench.memory.sentences import sentences
from workbench.safety.hidden_text import hidden_in
from workbench.safety.secrets import secrets_in
from workbench.salience.facts import why_not

SECONDS = 30.0
MAX_TOKENS = 1_024
MOST_OF_MESSAGE = 500
"""Characters of one turn that the model is shown."""
MOST_IN_ALL = 8_000
LEAST_KEPT = 0.5
"""Share of the model's sentences that must be borne out; below it none is believed."""
SHARED = 0.5
"""Share of the words of a sentence that must stand in its turns."""
_MOST_SENTENCES = 8
_STEM = 5
_TASK = f"""\
Summarise this conversation between a user and an assistant for somebody who reads it in a month: what was
done, found and settled, in at most {_MOST_SENTENCES} plain sentences, the most important first. Keep to the
words, names and figures of the turns; add nothing. For each sentence give the numbers of the turns that say
it. Leave out greetings, questions, code and what is only about this moment."""
SCHEMA: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["sentences"],
    "properties": {
        "sentences": {
            "type": "array",
            "minItems": 1,
            "maxItems": 2 * _MOST_SENTENCES,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["text", "turns"],
                "properties": {
                    "text": {"type": "string", "minLength": 1, "maxLength": 600},
                    "turns": {"type": "array", "maxItems": 20, "items": {"type": "integer"}},
                },
            },
        }
    },
}


@dataclass(frozen=True, slots=True)
class LlmSummary:
    """The lines that hold, how many were dropped, and how many turns the model did not see."""

    lines: tuple[EpisodeLine, ...]
    dropped: int
    unseen: int


def ask(model: LanguageModel, said: Sequence[Utterance]) -> LlmSummary:
    """What ``model`` makes of what was said. Raises LanguageModelError, also where too little of it holds."""
    shown, unseen = _shown(said)
    data = [Passage(f"turn {number}, {who}", text) for number, (who, text, _) in shown.items()]
    answer = ask_json(model, task=_TASK, data=data, schema=SCHEMA, max_tokens=MAX_TOKENS, timeout=SECONDS)[
        "sentences"
    ]
    lines = [line for item in answer if (line := _line(item["text"], item["turns"], shown)) is not None]
    if len(lines) < LEAST_KEPT * len(answer):
        raise LanguageModelError(
            f"{model.name} told what nobody said: {len(answer) - len(lines)} of {len(answer)} sentences"
        )
    return LlmSummary(tuple(lines[:_MOST_SENTENCES]), len(answer) - len(lines), unseen)


_Shown = Mapping[int, tuple[str, str, int]]
"""By the number of a turn: who said it, the words that are shown, and the line of the transcript."""


def _shown(said: Sequence[Utterance]) -> tuple[_Shown, int]:
    """The turns that fit, each up to its limit, and how many do not: those in the middle go first.

    Only sentences that may be kept are shown: what was withheld never leaves the machine.
    """
    turns: dict[int, tuple[str, str, int]] = {}
    for one in said:
        who, words, _ = turns.get(one.place.turn, ("user" if one.by_user else "assistant", "", 0))
        words = f"{words} {one.text}".strip()[:MOST_OF_MESSAGE]
        turns[one.place.turn] = (who, words, one.place.line)
    numbers = list(turns)
    ends = [number for pair in zip(numbers, reversed(numbers), strict=True) for number in pair]
    kept: set[int] = set()
    left = MOST_IN_ALL
    for number in dict.fromkeys(ends):
        if len(turns[number][1]) > left:
            break
        left -= len(turns[number][1])
        kept.add(number)
    return {number: turns[number] for number in numbers if number in kept}, len(turns) - len(kept)


def _line(text: str, turns: Sequence[int], shown: _Shown) -> EpisodeLine | None:
    """The sentence with its places, or None where it is not borne out or may not be kept."""
    named = [number for number in dict.fromkeys(map(int, turns)) if number in shown]  # 1.0 is one by JSON
    if not named or why_not(text) is not None or secrets_in(text) or hidden_in(text):
        return None
    source = " ".join(shown[number][1] for number in named)
    everything = " ".join(words for _, words, _ in shown.values()).casefold()
    words = content_words(text)
    stems = _stems(source)
    if not words or sum(word[:_STEM] in stems for word in words) < SHARED * len(words):
        return None
    if any(figure not in figures(source) for figure in figures(text)):
        return None
    if any(name.casefold() not in everything for name in names(text)):
        return None
    if _is_turned_round(text, source):
        return None
    return EpisodeLine(" ".join(text.split()), tuple(TurnRef(number, shown[number][2]) for number in named))


def _is_turned_round(text: str, source: str) -> bool:
    """Whether ``text`` denies what no turn denies, or states what the sentence nearest to it denies."""
    if distinction(text).turns:
        return not distinction(source).turns
    own = _stems(text)
    said = [sentence.text for sentence in sentences(source)]
    nearest = max(said, key=lambda one: len(own & _stems(one)), default="")
    return bool(distinction(nearest).turns)


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in content_words(text)}
