"""What an episode says of a session: a summary, and the facts, decisions and open ends, each with its turn.

The summary is the agent's own where it compacted the session, else a model's where one is given and keeps to
what was said, else the sentences nearest the session's centroid. The rest are quotations, always.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.ingest.centrality import central, content_words
from workbench.ingest.grounding import without_echoes
from workbench.ingest.llm_session import summary_by
from workbench.ingest.topics import topics
from workbench.ingest.utterances import (
    MOST_OF_TURN,
    OF_AN_AGENT,
    Heard,
    Utterance,
    Withheld,
    fit_lines,
    hear,
    once,
)
from workbench.llm.language_model import LanguageModel, LanguageModelError
from workbench.memory.episode_page import (
    COMPACTION,
    EXTRACTION,
    MOST_ABSTRACT,
    MOST_TOPICS,
    EpisodeLine,
    EpisodePage,
)
from workbench.memory.escape import plain_line
from workbench.memory.provenance import least_trusted
from workbench.memory.transcript import Session
from workbench.safety.key_like import clipped, looks_like_key

if TYPE_CHECKING:
    from indexing.embedding.port import Embedder

FEWEST, MOST = 3, 8
"""Sentences of an extracted summary."""
MOST_FACTS, MOST_DECISIONS, MOST_OPEN = 40, 20, 20
_MANY = 12
"""Words from which on more of them say nothing more."""
MOST_COMPACTED = 40
"""Sentences of an agent's own summary that are kept."""
LEAST_ABSTRACT = 20
"""Characters that a sentence of an abstract has at least, where there is one."""
_OF_WHO_SPEAKS = frozenset({"identity", "preference", "goal"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The page of an episode, which has no name and no days of its own yet.

    Without any line there is nothing to remember. ``notes`` say which way was taken, and what was left out.
    """

    page: EpisodePage
    notes: tuple[str, ...] = ()


def summarise(
    session: Session, *, model: LanguageModel | None = None, embedder: Embedder | None = None
) -> Summary:
    """The summary of ``session``. Never raises for what a model does: the next way is taken, and said.

    The last answer is kept: an action that is planned anew on newer files asks no model again. Who wants to
    ask before a lock is held calls this first.
    """
    # Two models are the same only where they are one object.
    return _summarised(session, model, embedder)  # type: ignore[arg-type]


@lru_cache(maxsize=1)
def _summarised(session: Session, model: LanguageModel | None, embedder: Embedder | None) -> Summary:
    heard = hear(session)
    said = tuple(once(without_echoes(heard.sentences)))
    notes: list[str] = []
    quotes = _nearest_centre(said, embedder, notes)
    sections = _sections(said)
    kept = [*quotes, *(one for some in sections for one in some)]
    lines, withheld = _compacted(session)
    by = COMPACTION if lines else EXTRACTION
    if not lines and model is not None and said:
        lines = _by_model(model, heard.sentences, notes)
        by = model.name if lines else EXTRACTION
    written = bool(lines)
    lines = lines or [one.line for one in quotes]
    facts, decisions, open_ends = (tuple(one.line for one in some) for some in sections)
    by_agent = written or any(not one.by_user for one in kept)
    everything = Heard(heard.sentences, heard.turns, (*heard.withheld, *withheld), heard.unread)
    page = EpisodePage(
        id="",
        source_id=session.source_id,
        session=session.key,
        source=session.source,
        agent=session.agent,
        user=session.user,
        started_at=session.started_at,
        ended_at=session.ended_at,
        abstract=_first_real([line.text for line in lines]) if by == COMPACTION else _abstract(kept),
        topics=topics([one.text for one in said] or [line.text for line in lines], MOST_TOPICS),
        turns=len(session.turns),
        trust=least_trusted(session.trust, *(["agent"] if by_agent else [])),
        summary_by=by,
        summary=tuple(lines),
        facts=facts,
        decisions=decisions,
        open=open_ends,
    )
    return Summary(page=page, notes=(_way(by, len(lines), len(heard.sentences)), *notes, *everything.notes))


def _nearest_centre(
    said: Sequence[Utterance], embedder: Embedder | None, notes: list[str]
) -> list[Utterance]:
    """The sentences nearest the centroid; by words where the vectors of a model cannot be had."""
    most = max(FEWEST, min(MOST, round(len(said) ** 0.5)))
    texts, weights = [one.text for one in said], [one.weight for one in said]
    try:
        picked = central(texts, most, embedder, weights=weights)
    except WorkbenchError as error:
        notes.append(f"{error.message}: the summary was chosen by keyword")
        picked = central(texts, most, weights=weights)
    return [said[at] for at in picked]


def _compacted(session: Session) -> tuple[list[EpisodeLine], list[Withheld]]:
    fit, withheld = fit_lines(clipped(session.summary, MOST_OF_TURN))
    return [EpisodeLine(text) for text in dict.fromkeys(fit)][:MOST_COMPACTED], withheld


def _by_model(model: LanguageModel, said: Sequence[Utterance], notes: list[str]) -> list[EpisodeLine]:
    try:
        found = summary_by(model, said)
    except LanguageModelError as error:
        notes.append(f"{error.args[0] if error.args else 'the model failed'}; sentences were chosen instead")
        return []
    if found.dropped:
        notes.append(f"of {model.name}'s sentences {found.dropped} were dropped: no turn says so")
    if found.unseen:
        notes.append(f"turns that {model.name} was not shown, as they were too many: {found.unseen}")
    return list(found.lines)


def _sections(said: Sequence[Utterance]) -> tuple[list[Utterance], list[Utterance], list[Utterance]]:
    """Facts, decisions and open ends: the best of each, in their order.

    What an agent says of itself (`I prefer short answers`) is no fact: on the page nothing would tell it from
    what the person said.
    """
    decisions = [one for one in said if one.kind == "decision"]
    open_ends = [one for one in said if one.kind == "todo"]
    facts = [one for one in said if one.kind not in ("", "decision", "todo") and not _of_itself(one)]
    return _best(facts, MOST_FACTS), _best(decisions, MOST_DECISIONS), _best(open_ends, MOST_OPEN)


def _of_itself(one: Utterance) -> bool:
    return not one.by_user and one.kind in _OF_WHO_SPEAKS and bool(OF_AN_AGENT.search(one.text))


def _best(said: Sequence[Utterance], most: int) -> list[Utterance]:
    """At most ``most``, in their order; of those that are worth as much the ones that say more."""

    def rank(one: Utterance) -> tuple[float, int]:
        return -one.worth, -min(_MANY, len(content_words(one.text)))

    best = sorted(said, key=rank)[:most]
    return [one for one in said if one in best]


def _abstract(kept: Sequence[Utterance]) -> str:
    """The one or two sentences that are worth most and nearest to the centre, as they were said."""
    sound = [one for one in dict.fromkeys(kept) if plain_line(one.text, MOST_ABSTRACT)]
    sound = [one for one in sound if not looks_like_key(one.text)]
    long = [one for one in sound if len(one.text) >= LEAST_ABSTRACT]
    some = sorted(long or sound, key=lambda one: (one.number, one.start))
    texts, weights = [one.text for one in some], [one.weight for one in some]
    for most in (2, 1):
        text = " ".join(plain_line(texts[at], MOST_ABSTRACT) for at in central(texts, most, weights=weights))
        if len(text) <= MOST_ABSTRACT:
            return text
    return ""


def _first_real(texts: Sequence[str]) -> str:
    """The first real sentence of a summary that an agent wrote; the first one where all are short."""
    lines = [plain_line(text, MOST_ABSTRACT) for text in texts if not looks_like_key(text)]
    return next((line for line in lines if len(line) >= LEAST_ABSTRACT), next(iter(filter(None, lines)), ""))


def _way(by: str, lines: int, sentences: int) -> str:
    if by == COMPACTION:
        return "summary: the agent's own, from when it compacted the session"
    if by == EXTRACTION:
        return f"summary: {lines} of {sentences} sentences, the nearest to what the session is about"
    return f"summary: by {by}, each sentence with its turns"
