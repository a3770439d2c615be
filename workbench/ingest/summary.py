"""What an episode says of a session: a summary, and the facts, decisions and open ends, each with its turn.

The summary is the agent's own where it compacted the session, else a model's where one is given and keeps to
what was said, else the sentences nearest the session's centroid. The rest are quotations by rules, always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, TypeVar

from workbench.errors import WorkbenchError
from workbench.ingest.centrality import central, content_words
from workbench.ingest.echo_filter import without_echoes
from workbench.ingest.llm_summary import ask
from workbench.ingest.utterances import MOST_OF_TURN, OF_AN_AGENT, Heard, Utterance, fit_lines, hear, once
from workbench.llm.port import LanguageModel, LanguageModelError
from workbench.memory.episode_page import (
    COMPACTION,
    EXTRACTION,
    MOST_ABSTRACT,
    MOST_TOPICS,
    EpisodeLine,
)
from workbench.memory.escape import plain_line
from workbench.memory.provenance import least_trusted
from workbench.memory.session import Session
from workbench.memory.topics import topics
from workbench.safety.key_like import clipped, looks_like_key
from workbench.salience.facts import Family

if TYPE_CHECKING:
    from indexing.embedding.port import Embedder

T = TypeVar("T")
FEWEST, MOST = 3, 8
"""Sentences of an extracted summary."""
MOST_FACTS, MOST_DECISIONS, MOST_OPEN = 40, 20, 20
_MANY = 12
"""Words from which on more of them say nothing more."""
MOST_COMPACTED = 40
"""Sentences of an agent's own summary that are kept."""
LEAST_ABSTRACT = 20
"""Characters that the first real sentence has at least."""
_FACTS = frozenset(Family) - {Family.DECISION, Family.ACTION}
_OF_WHO_SPEAKS = frozenset({Family.PERSONAL, Family.PREFERENCE, Family.RELATIONSHIP})


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What is to stand in an episode. ``by`` says who wrote the summary (see ``EpisodePage.summary_by``).

    Without any line there is nothing to remember. ``notes`` say which way was taken, and what was left out.
    """

    lines: tuple[EpisodeLine, ...] = ()
    facts: tuple[EpisodeLine, ...] = ()
    decisions: tuple[EpisodeLine, ...] = ()
    open: tuple[EpisodeLine, ...] = ()
    abstract: str = ""
    topics: tuple[str, ...] = ()
    by: str = EXTRACTION
    trust: str = "unknown"
    notes: tuple[str, ...] = ()


def summarise(
    session: Session, *, model: LanguageModel | None = None, embedder: Embedder | None = None
) -> Summary:
    """The summary of ``session``. Never raises for what a model does: the next way is taken, and said.

    The last answer is kept: an action that is planned anew on newer files asks no model again. Who wants to
    ask before a lock is held calls this first.
    """
    return _summarised(session, _Same(model), _Same(embedder))


class _Same(Generic[T]):
    """A key by which an answer is kept: the very same object, whatever it is equal to."""

    def __init__(self, value: T) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


@lru_cache(maxsize=1)
def _summarised(
    session: Session, of_model: _Same[LanguageModel | None], of_embedder: _Same[Embedder | None]
) -> Summary:
    model, embedder = of_model.value, of_embedder.value
    heard = hear(session)
    withheld = heard.withheld
    said = tuple(once(without_echoes(heard.sentences, _told)))
    notes: list[str] = []
    quotes = _extracted(said, embedder, notes)
    lines, by, written = _compacted(session, withheld), COMPACTION, True
    if not lines and model is not None and said:
        lines, by, written = _asked(model, heard, notes), model.name, True
    if not lines:
        lines, by, written = tuple(one.line for one in quotes), EXTRACTION, False
    sections = _sections(said)
    kept = [*quotes, *(one for some in sections for one in some)]
    real = [line.text for line in lines] if by == COMPACTION else [one.text for one in kept]
    agent = written or any(not one.by_user for one in kept)
    facts, decisions, open_ends = (tuple(one.line for one in some) for some in sections)
    words = [line.text for line in (*lines, *facts, *decisions, *open_ends)]
    return Summary(
        lines=lines,
        facts=facts,
        decisions=decisions,
        open=open_ends,
        abstract=_abstract(real),
        topics=topics("\n".join(words), MOST_TOPICS),
        by=by,
        trust=least_trusted(session.trust, *(["agent"] if agent else [])),
        notes=(_way(by, len(lines), len(heard.sentences)), *notes, *heard.notes),
    )


def _told(one: Utterance) -> tuple[int, bool, str]:
    """When and by whom it was said; and its words, where they state something."""
    return one.place.turn, one.by_user, one.text if one.family or not one.by_user else ""


def _extracted(said: Sequence[Utterance], embedder: Embedder | None, notes: list[str]) -> list[Utterance]:
    """The sentences nearest the centroid; by words where the vectors of a model cannot be had."""
    most = max(FEWEST, min(MOST, round(len(said) ** 0.5)))
    texts, weights = [one.text for one in said], [one.strength for one in said]
    try:
        picked = central(texts, most, embedder, weights=weights)
    except WorkbenchError as error:
        notes.append(f"{error.message}: the summary was chosen by words")
        picked = central(texts, most, weights=weights)
    return [said[at] for at in picked]


def _compacted(session: Session, withheld: Counter[str]) -> tuple[EpisodeLine, ...]:
    found = dict.fromkeys(fit_lines(clipped(session.summary, MOST_OF_TURN), withheld))
    return tuple(EpisodeLine(text) for text in found)[:MOST_COMPACTED]


def _asked(model: LanguageModel, heard: Heard, notes: list[str]) -> tuple[EpisodeLine, ...]:
    try:
        asked = ask(model, heard.sentences)
    except LanguageModelError as error:
        notes.append(f"{error.args[0] if error.args else 'the model failed'}; sentences were chosen instead")
        return ()
    if asked.dropped:
        notes.append(f"of {model.name}'s sentences {asked.dropped} were dropped: no turn says so")
    if asked.unseen:
        notes.append(f"turns that {model.name} was not shown, as they were too many: {asked.unseen}")
    return asked.lines


def _sections(said: Sequence[Utterance]) -> tuple[list[Utterance], list[Utterance], list[Utterance]]:
    """Facts, decisions and open ends: the strongest of each, in their order.

    What an agent says of itself (`I prefer short answers`) is no fact: on the page nothing would tell it from
    what the person said.
    """
    facts = [one for one in said if one.family in _FACTS and not _of_itself(one)]
    decisions = [one for one in said if one.family is Family.DECISION]
    open_ends = [one for one in said if one.family is Family.ACTION]
    return (
        _strongest(facts, MOST_FACTS),
        _strongest(decisions, MOST_DECISIONS),
        _strongest(open_ends, MOST_OPEN),
    )


def _of_itself(one: Utterance) -> bool:
    return not one.by_user and one.family in _OF_WHO_SPEAKS and bool(OF_AN_AGENT.search(one.text))


def _strongest(said: Sequence[Utterance], most: int) -> list[Utterance]:
    """At most ``most``, in their order; of equally strong ones those that say more."""

    def rank(at: int) -> tuple[float, int]:
        return -said[at].strength, -min(_MANY, len(content_words(said[at].text)))

    return [said[at] for at in sorted(sorted(range(len(said)), key=rank)[:most])]


def _abstract(texts: Sequence[str]) -> str:
    """The first real sentence, never in a model's words; the first of any length where all are short."""
    sound = (text for text in texts if not looks_like_key(text))
    lines = [line for text in sound if (line := plain_line(text, MOST_ABSTRACT))]
    return next((line for line in lines if len(line) >= LEAST_ABSTRACT), next(iter(lines), ""))


def _way(by: str, lines: int, sentences: int) -> str:
    if by == COMPACTION:
        return "summary: the agent's own, from when it compacted the session"
    if by == EXTRACTION:
        return f"summary: {lines} of {sentences} sentences, the nearest to what the session is about"
    return f"summary: by {by}, each sentence with its turns"
