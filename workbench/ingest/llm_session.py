"""What a language model reads out of a session: quotations for a flush, a summary, and items for the graph.

The model is shown numbered turns or lines, without what was withheld of them, and answers with items that
each name theirs. An item that names none that was shown, or says more than it does, is dropped.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Annotated, Literal, TypeVar

from msgspec import Meta

from workbench.errors import UsageError
from workbench.frozen import frozen
from workbench.graph.drafts import MemoryDraft, RelationDraft
from workbench.ingest.passages import PassageLine
from workbench.ingest.sessions import BATCH
from workbench.ingest.statements import (
    SessionUtterances,
    Utterance,
    content_words,
    is_borne_out,
    why_not,
    without_echoes,
)
from workbench.llm.language_model import Answer, LanguageModel, LanguageModelError, PromptPassage, ask_json
from workbench.memory.episode import EpisodeLine, TurnRef
from workbench.memory.graph_page import RELATIONS
from workbench.memory.graph_types import ENTITY_TYPES, IMPORTANCE
from workbench.memory.sentences import sentences
from workbench.memory.transcript import Turn
from workbench.safety.hidden_text import unsafe_in

_T = TypeVar("_T")
ROUNDS = 5
"""Times that a model is asked for one flush."""
SECONDS = 90.0
"""What all of them may take together."""
_LEAST_SECONDS = 5.0
"""What must be left for another round."""
_QUOTE_TOKENS = 2_048
_SURE = 0.7
"""Worth from which a sentence is kept whatever a model chooses."""
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


class _Quote(Answer):
    turn: int
    quote: Annotated[str, Meta(min_length=1, max_length=1_000)]


class _Quotes(Answer):
    facts: Annotated[tuple[_Quote, ...], Meta(max_length=60)]


class _Sentence(Answer):
    text: Annotated[str, Meta(min_length=1, max_length=600)]
    turns: Annotated[tuple[int, ...], Meta(max_length=20)]


class _Sentences(Answer):
    sentences: Annotated[tuple[_Sentence, ...], Meta(min_length=1, max_length=2 * _MOST_SENTENCES)]


# -- quotations for a flush ------------------------------------------------------------------------


def choose(
    heard: SessionUtterances, model: LanguageModel | None, *, clock: Callable[[], float] = time.monotonic
) -> tuple[list[Utterance], tuple[str, ...]]:
    """The facts among what was heard, in their order, and what to tell about how they were found.

    They are found by ``model`` where it keeps to what was said, by rules otherwise.

    The rules also have their say where a model found less than they are sure of: what is not saved here is
    lost with the session.
    """
    if model is None:
        return list(_by_rules(heard.sentences)), ()
    end = clock() + SECONDS
    facts: list[Utterance] = []
    notes: dict[str, None] = {}
    batches = _portions(
        heard.turns,
        lambda one: min(len(one[1]), _MOST_OF_TURN),
        characters=_MOST_OF_ROUND,
        most=BATCH,
    )
    for number, batch in enumerate(batches):
        turns = {turn.line: turn for turn, _ in batch}
        said = [one for one in heard.sentences if turns.get(one.turn.line) is one.turn]
        try:
            found = _quoted(model, batch, said, timeout=_left(model, number, end - clock()))
            missed = _missed(said, found)
            if missed and not found:
                notes[f"{model.name} found no facts; facts were found by rules"] = None
            elif missed:
                notes[f"{model.name} missed facts that the rules are sure of: {len(missed)} added"] = None
            facts += (one for one in said if one in found or one in missed)
        except LanguageModelError as error:
            notes[f"{error.args[0] if error.args else 'the model failed'}; facts were found by rules"] = None
            facts += _by_rules(said)
    return facts, tuple(notes)


def _by_rules(said: Sequence[Utterance]) -> Iterator[Utterance]:
    return without_echoes(one for one in said if one.is_salient(by_user=one.by_user))


def _missed(said: Sequence[Utterance], found: Sequence[Utterance]) -> list[Utterance]:
    """What the rules add: everything where nothing was found, what they are sure of where less was."""
    ours = [
        one
        for one in said
        if one.is_wanted
        or one.kind == "decision"
        or one.worth >= _SURE
        or (not found and one.is_salient(by_user=one.by_user))
    ]
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
    data = [PromptPassage(f"turn {turn.line}, {turn.role}", text[:_MOST_OF_TURN]) for turn, text in batch]
    answer = ask_json(model, _Quotes, task=_QUOTE_TASK, data=data, max_tokens=_QUOTE_TOKENS, timeout=timeout)
    turns = {turn.line: turn for turn, _ in batch}
    found: list[Utterance] = []
    for fact in answer.facts:
        turn = turns.get(fact.turn)
        place = _place(turn.text, fact.quote) if turn else None
        if turn is None or place is None:
            raise LanguageModelError(f"{model.name} returned what nobody said")
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


def _portions(
    items: Sequence[_T], length: Callable[[_T], int], *, characters: int, most: int
) -> Iterator[list[_T]]:
    """The items in groups of at most so many ``characters``, or one item, and at most ``most`` items."""
    portion: list[_T] = []
    size = 0
    for item in items:
        if portion and (len(portion) >= most or size + length(item) > characters):
            yield portion
            portion, size = [], 0
        portion.append(item)
        size += length(item)
    if portion:
        yield portion


# -- a summary for an episode ----------------------------------------------------------------------


def summary_by(model: LanguageModel, said: Sequence[Utterance]) -> tuple[list[EpisodeLine], list[str]]:
    """What of a summary by ``model`` holds, and what to tell of the rest.

    Raises LanguageModelError, also where too little of it holds.
    """
    turns: dict[int, list[Utterance]] = {}
    for one in said:
        turns.setdefault(one.number, []).append(one)
    shown = {number: turns[number] for number in _that_fit(turns)}
    data = [
        PromptPassage(f"turn {number}, {some[0].turn.role}", _words(some)) for number, some in shown.items()
    ]
    answer = ask_json(
        model,
        _Sentences,
        task=_SUMMARY_TASK,
        data=data,
        max_tokens=_SUMMARY_TOKENS,
        timeout=_SUMMARY_SECONDS,
    ).sentences
    lines = [line for item in answer if (line := _line(item, shown)) is not None]
    dropped, unseen = len(answer) - len(lines), len(turns) - len(shown)
    if len(lines) < _LEAST_KEPT * len(answer):
        raise LanguageModelError(
            f"{model.name} returned what nobody said: {dropped} of {len(answer)} sentences"
        )
    notes = []
    if dropped:
        notes.append(f"of {model.name}'s sentences {dropped} were dropped: no turn supports them")
    if unseen:
        notes.append(f"turns that {model.name} was not shown, as they were too many: {unseen}")
    return lines[:_MOST_SENTENCES], notes


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


def _line(item: _Sentence, shown: dict[int, list[Utterance]]) -> EpisodeLine | None:
    """A sentence of the answer with its places, or None where it is not borne out or may not be kept."""
    text = item.text
    named = [number for number in dict.fromkeys(item.turns) if number in shown]
    if not named or why_not(text) is not None or unsafe_in(text):
        return None
    source = " ".join(_words(shown[number]) for number in named)
    everything = " ".join(map(_words, shown.values()))
    if not is_borne_out(text, source, share=_SHARED, names_in=everything):
        return None
    places = tuple(TurnRef(number, shown[number][0].turn.line) for number in named)
    return EpisodeLine(" ".join(text.split()), places)


# -- items for the graph -----------------------------------------------------------------------------
# An item is dropped without a line, with words or figures that its line does not hold, or about somebody whom
# that does not name.

CHARACTERS = 8_000
"""Characters of a source that are shown to a model at once."""
TOKENS = 2_048
_PATIENCE = 2
"""Failures after which a model is not asked about the rest of a source."""
GROUNDED = 0.6
"""Share of the words of an item that its line must hold."""
_TASK = f"""\
Extract what is worth remembering for years from numbered lines of an agent's session notes: durable facts
about people, projects and things, preferences, decisions, goals, routines, events and todos, and relations
between named things. Keep the words of the line; add nothing that it does not say; leave out greetings,
questions, code, passing states and whatever is uncertain. `line` is the number of the line it is from.
`entity` is whom or what it is about, as the line names it, or "user" for the person who speaks as I.
Relations are single words such as {", ".join(RELATIONS[:8])}."""
_Name = Annotated[str, Meta(min_length=1, max_length=120)]
_EntityType = Literal[*ENTITY_TYPES]  # type: ignore[valid-type]


class _Memory(Answer):
    line: int
    type: Literal[*IMPORTANCE]  # type: ignore[valid-type]
    text: Annotated[str, Meta(min_length=3, max_length=600)]
    entity: _Name
    entity_type: _EntityType


class _Relation(Answer):
    line: int
    entity: _Name
    entity_type: _EntityType
    relation: _Name
    target: _Name
    target_type: _EntityType


class _Extracted(Answer):
    memories: Annotated[tuple[_Memory, ...], Meta(max_length=60)]
    relations: Annotated[tuple[_Relation, ...], Meta(max_length=60)]


_ME = frozenset({"user", "the user", "me", "i", "myself"})


@frozen
class ExtractionAnswer:
    """What a model found in some ``lines`` of a source, and how many items were dropped; or why it failed.

    Each item comes with the line that says it too. An empty entity is who speaks.
    """

    lines: Sequence[PassageLine]
    found: tuple[tuple[MemoryDraft | RelationDraft, PassageLine], ...] = ()
    dropped: int = 0
    failed: str = ""


@lru_cache(maxsize=1)
def asked(
    lines: tuple[PassageLine, ...], model: LanguageModel, timeout: float
) -> tuple[ExtractionAnswer, ...]:
    """The answers for all ``lines``, so many at a time as can be shown. Never raises for what a model does.

    The last answers are kept, so that an action which is planned anew on newer files asks no model again;
    who wants to ask before a lock is held plans once and throws the plan away. ``timeout`` is in seconds for
    one answer; a model that fails twice is not asked any more.
    """
    answers: list[ExtractionAnswer] = []
    failures = 0
    for some in _portions(lines, lambda line: len(line.text), characters=CHARACTERS, most=len(lines)):
        if failures == _PATIENCE:
            answers.append(ExtractionAnswer(some, failed="it failed before"))
            continue
        try:
            answers.append(_ask(model, some, timeout))
        except LanguageModelError as error:
            failures += 1
            answers.append(ExtractionAnswer(some, failed=str(error)))
    return tuple(answers)


def _ask(model: LanguageModel, lines: Sequence[PassageLine], timeout: float) -> ExtractionAnswer:
    """What the model finds in ``lines``: drafts without sources, days and trust yet."""
    shown = "\n".join(f"{line.number}: {' '.join(line.text.split())}" for line in lines)
    data = [PromptPassage("lines", shown)]
    answer = ask_json(model, _Extracted, task=_TASK, data=data, max_tokens=TOKENS, timeout=timeout)
    by_number = {line.number: line for line in lines}
    items: tuple[_Memory | _Relation, ...] = (*answer.memories, *answer.relations)
    found = tuple(
        (draft, line)
        for item in items
        if (line := by_number.get(item.line)) and (draft := _draft(item, line))
    )
    return ExtractionAnswer(lines, found, len(items) - len(found))


def _draft(item: _Memory | _Relation, line: PassageLine) -> MemoryDraft | RelationDraft | None:
    """The item as a draft, or None where the line does not bear it out."""
    me = is_me(item.entity)
    if not me and not _names(line, item.entity):
        return None
    try:
        if isinstance(item, _Memory):
            if not is_borne_out(item.text, line.text, share=GROUNDED, names_in=_around(line)):
                return None
            return MemoryDraft(
                text=item.text,
                type=item.type,
                entity="" if me else item.entity,
                entity_type="" if me else item.entity_type,
            )
        if is_me(item.target) or not _names(line, item.target):
            return None
        return RelationDraft(
            entity=item.entity,
            kind=item.relation,
            target=item.target,
            entity_type="person" if me else item.entity_type,
            target_type=item.target_type,
        )
    except UsageError:
        return None


def is_me(name: str) -> bool:
    """Whether a model means who speaks."""
    return name.casefold().strip() in _ME


def _names(line: PassageLine, name: str) -> bool:
    said = f"{line.text} {_around(line)}".casefold()
    return " ".join(name.casefold().split()) in " ".join(said.split())


def _around(line: PassageLine) -> str:
    """What names whom a line is about beside its words."""
    return " ".join((line.speaker, *line.heading))
