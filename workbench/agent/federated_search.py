"""Several workspaces asked as one: each by its own index, and one order made of what they answer.

Each index is asked by itself, one after the other, with one model in memory for all that were made by it. A
workspace that cannot be asked is named with the reason, and the others answer.

**One order.** The score of a search divides both sides by the best of its own index, so the best hit of a
workspace that knows nothing of the matter has 1.0 like the best of one that does: scores of two indexes say
nothing about each other, and taking turns would give both the same. So each hit is measured again, by what
means the same everywhere: its likeness is the ``Relevance`` to the question (cosine, and the share of the
question's words that it has), where the rarity of a word is counted over all entries of all these workspaces
together. Equal entries so have equal likeness, as far as their neighbours, which a vector has a little of,
are equal too. Likeness takes the place that the divided sides have in ``Scores.total``; the day that the
question names is added, and age, kind, importance, pins and users are the same factors as in one search.
That is the hit's *strength*. Cosines are compared only where all hits come from vectors of one model; else
words alone are compared, and a note says so.

Within one workspace its own ranking stands: it knows more (phrases, fields, near-duplicates) than a strength
does. A hit therefore counts for as much as the strongest of those that its own workspace put behind it, and
the lists are merged from their heads, the strongest head first; of equals the better placed, then by the
names of the workspaces. So the order is always the same, the hits of one workspace never change places among
themselves, copies of a workspace alternate with equal strengths, and a workspace without a good answer does
not stand before one that has it. Where a question has no words, the newest head comes first.

All are ranked by the weights of the person's own settings: a ``workbench.yaml`` comes with memory, and must
not put it before other memory.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from indexing.document import entry_key
from indexing.embedding.choice import ModelChoice
from indexing.lexical.query_rewrite import question_terms
from indexing.lexical.terms import NO_TERMS
from indexing.lexical.vocabulary import rarity
from indexing.ranking.weights import Weights, weights_of
from indexing.search.answer import Hit, Query, SearchAnswer
from indexing.search.candidates import Pool
from indexing.search.hybrid import HybridSearch
from indexing.search.keyword import LexicalSearch
from indexing.search.snapshot_index import last_day
from indexing.sync.generations import Generations
from workbench.agent.relevance import RelevanceOf
from workbench.config.settings_report import tell
from workbench.errors import IndexUnavailableError, NoWorkspaceError, WorkbenchError
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.registry import Registered
from workbench.workspace.workspace import Workspace

Opener = Callable[[Path], Workspace]
"""Opens one of the workspaces, or the moment of it that is asked about. Raises WorkbenchError."""


@dataclass(frozen=True, slots=True)
class FarHit:
    """A hit, and the workspace that it is in.

    ``hit.rank`` is its place there, ``strength`` what it counts beside the hits of others.
    """

    hit: Hit
    workspace: Registered
    strength: float

    def as_json(self, rank: int) -> dict[str, object]:
        """As the command line prints it."""
        where = {"workspace": self.workspace.name, "root": str(self.workspace.root)}
        return {
            **self.hit.as_json(),
            "rank": rank,
            "rank_there": self.hit.rank,
            "strength": round(self.strength, 6),
            **where,
        }


@dataclass(frozen=True, slots=True)
class WorkspaceAnswer:
    """What one workspace answered; ``unavailable`` says why it did not."""

    workspace: Registered
    answer: SearchAnswer | None
    unavailable: str = ""

    def as_json(self) -> dict[str, object]:
        """As the command line prints it."""
        answer = self.answer
        return {
            "workspace": self.workspace.name,
            "root": str(self.workspace.root),
            "state": answer.state if answer else "unavailable",
            "stale": (answer.stale if answer else None) or False,
            "degraded": answer.degraded if answer else None,
            "unavailable": self.unavailable or None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FarAnswer:
    """The hits of all, the best first, and what each workspace said. ``took_ms`` is in milliseconds."""

    query: str
    mode: str
    took_ms: float
    hits: tuple[FarHit, ...]
    asked: tuple[WorkspaceAnswer, ...]
    notes: tuple[str, ...] = ()

    @property
    def degraded(self) -> str | None:
        """What is missing from the answer, or None."""
        return "; ".join(
            f"{one.workspace.name}: {why}"
            for one in self.asked
            if (why := one.unavailable or (one.answer.degraded if one.answer else None))
        ) or None  # fmt: skip

    @property
    def stale(self) -> str | None:
        """Which indexes lie behind their files, or None."""
        behind = (one for one in self.asked if one.answer and one.answer.stale)
        return "; ".join(f"{one.workspace.name}: {one.answer.stale}" for one in behind if one.answer) or None

    def with_notes(self, notes: Sequence[str]) -> FarAnswer:
        """The answer with these notes before its own."""
        return replace(self, notes=tuple(dict.fromkeys((*notes, *self.notes))))

    def as_json(self) -> dict[str, object]:
        """As the command line prints it: what an answer of one workspace has, and whose each hit is."""
        state = "empty" if not self.hits else "degraded" if self.degraded else "stale" if self.stale else "ok"
        return {
            "query": self.query,
            "state": state,
            "mode": self.mode,
            "took_ms": round(self.took_ms, 2),
            "stale": self.stale or False,
            "degraded": self.degraded,
            "notes": list(self.notes),
            "workspaces": [one.as_json() for one in self.asked],
            "hits": [one.as_json(rank) for rank, one in enumerate(self.hits, 1)],
        }


@dataclass(slots=True)
class _Open:
    """A workspace that is open, and what searches it."""

    workspace: Workspace
    engine: LexicalSearch


@dataclass(frozen=True, slots=True)
class Found:
    """What one workspace answered, and what it was chosen from; ``model`` made the cosines, if there are."""

    where: Registered
    answer: SearchAnswer
    pool: Pool
    model: str | None


class Across:
    """Asks several workspaces. They stay open between questions; ``close`` ends their helpers.

    ``words`` asks by words alone and loads no model. ``today`` is the day from which ages count, that of a
    workspace in the past where none is given. ``behind`` tells why an index lies behind its files. ``models``
    are those that are in memory already.
    """

    def __init__(
        self,
        places: Iterable[Registered],
        *,
        words: bool = False,
        opener: Opener = Workspace.open,
        today: Callable[[], date] | None = None,
        behind: Callable[[Workspace], str | None] = lambda _: None,
        models: Iterable[ModelChoice] = (),
    ) -> None:
        self.places = tuple(places)
        self._words = words
        self._opener = opener
        self._today = today
        self._behind = behind
        self._models = {model.identity: model for model in models}
        self._open: dict[Path, _Open] = {}

    def search(self, query: Query) -> FarAnswer:
        """The best of all of them. Raises IndexUnavailableError where none could be asked."""
        started = time.perf_counter()
        query = query if query.weights is not None else replace(query, weights=own_weights())
        asked, found = list[WorkspaceAnswer](), list[Found]()
        for place in self.places:
            try:
                one = self._ask(place, query)
            except (WorkbenchError, OSError) as error:
                self._forget(place)
                why = error.message if isinstance(error, WorkbenchError) else str(error.strerror or error)
                asked.append(WorkspaceAnswer(place, None, why))
                continue
            asked.append(WorkspaceAnswer(place, one.answer))
            found.append(one)
        if asked and not found:
            why = "; ".join(f"{one.workspace.name}: {one.unavailable}" for one in asked)
            raise IndexUnavailableError(
                f"none of the workspaces could be searched: {why}",
                hint="`workbench workspaces list` tells more",
            )
        strengths, notes = strengths_of(found)
        notes = [*(f"{one.where.name}: {note}" for one in found for note in one.answer.notes), *notes]
        modes = {one.answer.mode for one in found if one.answer.hits}
        return FarAnswer(
            query=query.text,
            mode=next(iter(modes)) if len(modes) == 1 else "lexical" if self._words else query.mode,
            took_ms=(time.perf_counter() - started) * 1e3,
            hits=tuple(merged(found, strengths, query.k)),
            asked=tuple(asked),
            notes=_told_once(notes, len(found)),
        )

    def close(self) -> None:
        """End what was opened."""
        for one in self._open.values():
            one.workspace.close()
        self._open.clear()

    def _ask(self, place: Registered, query: Query) -> Found:
        if not place.there:
            raise NoWorkspaceError("its folder is gone")
        if place.root not in self._open:
            self._open[place.root] = self._opened(place)
        engine = self._open[place.root].engine
        answer = engine.search(query)
        answer = replace(answer, stale=answer.stale or self._behind(self._open[place.root].workspace))
        pool = engine.pool(query)
        model = engine.model if isinstance(engine, HybridSearch) else None
        if model is not None:
            self._models.setdefault(model.identity, model)
        return Found(place, answer, pool, model.identity if model and pool.mode != "lexical" else None)

    def _opened(self, place: Registered) -> _Open:
        workspace = self._opener(place.root)
        today = self._today or last_day(workspace)
        if self._words:
            return _Open(workspace, LexicalSearch(workspace, today=today))
        current = Generations(workspace.root / STATE_DIR).current()
        made_by = current.model() if current else None
        known = self._models.get(made_by) if made_by else None
        return _Open(workspace, HybridSearch(workspace, today=today, model=known))

    def _forget(self, place: Registered) -> None:
        """It may have been removed and made anew: open it anew the next time."""
        if left := self._open.pop(place.root, None):
            with contextlib.suppress(WorkbenchError, OSError):
                left.workspace.close()


def own_weights() -> Weights:
    """The weights of the person's own settings. Raises UsageError."""
    return weights_of(tell(None).effective())


def strengths_of(found: Sequence[Found]) -> tuple[list[list[float]], list[str]]:
    """The strength of each hit of each answer, on one scale, and what is to be said of that scale."""
    having = [one for one in found if one.answer.hits]
    weights, begun = _joint_rarity(having)
    meaning = bool(having) and len({one.model for one in having}) == 1 and having[0].model is not None
    notes = []
    if not meaning and any(one.model for one in having):
        without = [one.where.name for one in having if one.model is None]
        lacks = f"{', '.join(without)} has no vectors to compare"
        why = lacks if without else "their vectors are of several models"
        notes.append(f"hits of different workspaces were compared by their words alone: {why}")
    return [list(_strengths(one, weights, begun, meaning=meaning)) for one in found], notes


def merged(found: Sequence[Found], strengths: Sequence[Sequence[float]], k: int) -> Iterator[FarHit]:
    """The first ``k`` of all, each list in its own order, the strongest head first."""
    heads = [0] * len(found)
    wordless = all(not one.pool.question.text.strip() for one in found)
    for _ in range(min(k, sum(len(one.answer.hits) for one in found))):
        left = [at for at, one in enumerate(found) if heads[at] < len(one.answer.hits)]

        def place(at: int) -> tuple[float, int, int, str]:
            hit = found[at].answer.hits[heads[at]]
            day = hit.date.toordinal() if wordless and hit.date else 0
            strength = max(strengths[at][heads[at] :])
            return (-round(strength, 6), -day, heads[at], found[at].where.name)

        at = min(left, key=place)
        counted = max(strengths[at][heads[at] :])
        yield FarHit(found[at].answer.hits[heads[at]], found[at].where, counted)
        heads[at] += 1


def _joint_rarity(found: Sequence[Found]) -> tuple[dict[str, float], str]:
    """What each word of the question counts over all entries of all, and the word that is only begun."""
    questions = [question_terms(one.pool.question) for one in found]
    stems = dict.fromkeys(stem for terms in questions for stem in terms.stems)
    pairs = dict.fromkeys(pair for terms in questions for pair in terms.pairs)
    all_terms = replace(NO_TERMS, stems=tuple(stems), pairs=tuple(pairs))
    counts: Counter[str] = Counter()
    for one in found:
        counts.update(one.pool.snapshot.frequencies(all_terms))
    entries = sum(one.pool.snapshot.count() for one in found)
    weights = {term: rarity(counts[term], entries) for term in (*stems, *pairs)}
    begun = next((terms.beginning for terms in questions if terms.beginning), "")
    if begun:
        weights[begun] = max(weights.get(begun, 0.0), rarity(1, max(entries, 1)))
    return weights, begun


def _strengths(one: Found, weights: dict[str, float], begun: str, *, meaning: bool) -> Iterator[float]:
    relevance = RelevanceOf(one.pool, weights, begun)
    for hit in one.answer.hits:
        key = entry_key(hit.entry)
        if key not in one.pool.matches:
            yield 0.0  # found further down than the pool reaches: what stands behind it counts
            continue
        stored = one.pool.entry(key)
        likeness = relevance.of(key, " ".join((stored.text, *stored.heading, *stored.facets.names)))
        measured = likeness.score if meaning else likeness.coverage
        if meaning and one.pool.mode == "vector":
            measured = max(0.0, likeness.cosine or 0.0)
        yield replace(hit.scores, share=1.0, vector=measured).total


def _told_once(notes: Sequence[str], asked: int) -> tuple[str, ...]:
    """The notes, but one that all workspaces have alike without their names."""
    bare = [note.partition(": ")[2] for note in notes]
    common = {text for text in bare if text and bare.count(text) == asked > 1}
    told = (text if text in common else note for note, text in zip(notes, bare, strict=True))
    return tuple(dict.fromkeys(told))
