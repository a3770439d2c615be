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
import heapq
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import accumulate, islice
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias

import msgspec

from indexing.document import entry_key
from indexing.embedding.choice import ModelChoice
from indexing.lexical.query_rewrite import question_terms
from indexing.lexical.terms import NO_TERMS
from indexing.lexical.vocabulary import rarity
from indexing.ranking.weights import Weights, weights_of
from indexing.search.answer import Hit, Query, SearchAnswer, query_from_json
from indexing.search.candidates import Pool
from indexing.search.hybrid import HybridSearch
from indexing.search.keyword import LexicalSearch
from indexing.search.snapshot_index import last_day
from indexing.sync.generations import Generations
from workbench.agent.relevance import RelevanceOf, words_that_count
from workbench.agent.scopes import Scoped, SearchScope, ask, open_leader, scopes_of
from workbench.config.settings_report import tell
from workbench.errors import IndexUnavailableError, NoWorkspaceError, WorkbenchError
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.registry import Registered, searched
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

Opener = Callable[[Path], Workspace]
"""Opens one of the workspaces, or the moment of it that is asked about. Raises WorkbenchError."""


OWN = "a member's own memory"
"""How one's own is called beside the leader's; of equal hits it comes first, by its name."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceAnswer:
    """How one workspace answered; ``unavailable`` says why it did not."""

    workspace: str
    root: str
    state: str = "unavailable"
    stale: str | bool = False
    degraded: str | None = None
    unavailable: str | None = None


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
        said = ((one.workspace, one.unavailable or one.degraded) for one in self.asked)
        return "; ".join(f"{name}: {why}" for name, why in said if why) or None

    @property
    def stale(self) -> str | None:
        """Which indexes lie behind their files, or None."""
        return "; ".join(f"{one.workspace}: {one.stale}" for one in self.asked if one.stale) or None

    def with_notes(self, notes: Sequence[str]) -> FarAnswer:
        """The answer with these notes before its own."""
        return replace(self, notes=tuple(dict.fromkeys((*notes, *self.notes))))

    def as_json(self) -> dict[str, object]:
        """As the command line prints it: what an answer of one workspace has, and whose each hit is."""
        return {
            "query": self.query,
            "state": _state(self) if self.hits else "empty",
            "mode": self.mode,
            "took_ms": round(self.took_ms, 2),
            "stale": self.stale or False,
            "degraded": self.degraded,
            "notes": list(self.notes),
            "workspaces": [msgspec.to_builtins(one) for one in self.asked],
            "hits": [one.as_json(rank) for rank, one in enumerate(self.hits, 1)],
        }


@dataclass(frozen=True, slots=True)
class TeamAnswer:
    """``own`` is one's own answer, with the notes of all; ``hits`` those of all scopes, the best first.

    Where both have hits, the score of a hit is on the scale of both, and its parts are those that it has in
    its own workspace.
    """

    own: SearchAnswer
    hits: tuple[tuple[SearchScope, Hit], ...]

    def with_notes(self, notes: Sequence[str]) -> TeamAnswer:
        """The answer with these notes before its own."""
        return replace(self, own=replace(self.own, notes=_once((*notes, *self.own.notes))))

    def as_json(self) -> dict[str, object]:
        """As the answer of one workspace; a leader's hit says so, and in which folder it is."""
        rows = []
        for scope, hit in self.hits:
            row = hit.as_json()
            if scope.mark:
                row["scope"], row["root"] = scope.mark, str(scope.workspace.root)
                row["entry"], row["path"] = scope.address(hit.entry), scope.address(hit.path)
            rows.append(row)
        said = {**self.own.as_json(), "hits": rows}
        if rows and not self.own.hits:
            said["state"] = _state(self.own)
        return said


@dataclass(frozen=True, slots=True)
class Found:
    """What one workspace answered, and what it was chosen from; ``model`` made the cosines, if there are."""

    name: str
    answer: SearchAnswer
    pool: Pool
    model: str | None


Ranked: TypeAlias = tuple[str, Hit, float]
"""The name of a workspace, a hit that it has, and the strength of that."""


class Across:
    """Asks several workspaces. They stay open between questions; ``close`` ends their helpers.

    ``words`` asks by keyword only and loads no model. ``today`` is the day from which ages count, that of a
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
        self._open: dict[Path, SearchScope] = {}

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
                asked.append(WorkspaceAnswer(workspace=place.name, root=str(place.root), unavailable=why))
                continue
            asked.append(
                WorkspaceAnswer(
                    workspace=place.name,
                    root=str(place.root),
                    state=one.answer.state,
                    stale=one.answer.stale or False,
                    degraded=one.answer.degraded,
                )
            )
            found.append(one)
        if asked and not found:
            why = "; ".join(f"{one.workspace}: {one.unavailable}" for one in asked)
            raise IndexUnavailableError(
                f"none of the workspaces could be searched: {why}",
                hint="`workbench workspaces list` tells more",
            )
        ranked, notes = in_one_order(found, query.k)
        notes = [*(f"{one.name}: {note}" for one in found for note in one.answer.notes), *notes]
        modes = {one.answer.mode for one in found if one.answer.hits}
        named = {place.name: place for place in self.places}
        return FarAnswer(
            query=query.text,
            mode=next(iter(modes)) if len(modes) == 1 else "lexical" if self._words else query.mode,
            took_ms=(time.perf_counter() - started) * 1e3,
            hits=tuple(FarHit(hit, named[name], strength) for name, hit, strength in ranked),
            asked=tuple(asked),
            notes=_common(notes, len(found)),
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
        scope = self._open[place.root]
        answer = scope.searcher.search(query)
        answer = replace(answer, stale=answer.stale or self._behind(scope.workspace))
        found = measured(place.name, answer, scope.searcher, query)
        if isinstance(scope.searcher, HybridSearch) and (model := scope.searcher.model):
            self._models.setdefault(model.identity, model)
        return found

    def _opened(self, place: Registered) -> SearchScope:
        workspace = self._opener(place.root)
        today = self._today or last_day(workspace)
        if self._words:
            return SearchScope(workspace, LexicalSearch(workspace, today=today))
        current = Generations(workspace.root / STATE_DIR).current()
        known = self._models.get((current.model() if current else None) or "")
        return SearchScope(workspace, HybridSearch(workspace, today=today, model=known))

    def _forget(self, place: Registered) -> None:
        """It may have been removed and made anew: open it anew the next time."""
        if left := self._open.pop(place.root, None):
            with contextlib.suppress(WorkbenchError, OSError):
                left.workspace.close()


class TeamSearch:
    """Asks one's own memory with ``engine``, then the leader's where this is a member's, with the same model.

    What cannot be asked of the leader's is a note to each answer: one's own answers all the same. ``behind``
    says why one's own index lies behind the files.
    """

    def __init__(self, workspace: Workspace, engine: LexicalSearch, behind: str | None = None) -> None:
        self._workspace = workspace
        self._engine = engine
        self._behind = behind
        self._scopes: tuple[SearchScope, ...] = ()
        self._leader: Workspace | None = None
        self._problem = ""
        if isinstance(workspace, PastWorkspace):
            if workspace.settings.team_leader:
                self._problem = "the leader's memory is not asked: this is your own as it was"
            return
        try:
            self._leader = open_leader(workspace)
        except WorkbenchError as error:
            self._problem = f"{error.message}: only your own memory is asked"

    def search(self, query: Query) -> TeamAnswer:
        """At most ``query.k`` hits of all. Raises IndexUnavailableError where none can be asked."""
        self._scopes = self._scopes or scopes_of(self._workspace, self._engine, self._leader)
        asked = tuple(ask(self._scopes, query))
        hits, notes = ranked_scopes(asked, query)
        # What is to be said of a leader's answer makes one's own neither degraded nor stale.
        notes = [self._problem, *(note for one in asked if one.scope.mark for note in one.notes), *notes]
        own = asked[0].answer
        if own is None:
            notes = [asked[0].unavailable, *notes]
            own = replace(next(one.answer for one in asked if one.answer), hits=(), notes=())
        notes = [*own.notes, *filter(None, notes)]
        return TeamAnswer(replace(own, notes=_once(notes), stale=own.stale or self._behind), hits)

    def close(self) -> None:
        """End the leader's helpers; one's own workspace is whoever's it was."""
        if self._leader is not None:
            self._leader.close()


class WideSearch:
    """Answers requests beyond ``workspace`` in the way in which ``engine`` asks that one.

    What is opened stays open for the next question; the list of workspaces is read for each.
    """

    def __init__(self, workspace: Workspace, engine: LexicalSearch) -> None:
        self._workspace = workspace
        self._engine = engine
        self._team: TeamSearch | None = None
        self._across: Across | None = None

    def team(self, request: Mapping[str, object]) -> dict[str, object]:
        """The answer of one's own memory and the leader's. Raises WorkbenchError."""
        if self._team is None:
            self._team = TeamSearch(self._workspace, self._engine)
        return self._team.search(query_from_json(request, self._engine.weights)).as_json()

    def everywhere(self, request: Mapping[str, object]) -> dict[str, object]:
        """The answer of all registered workspaces and this one. Raises WorkbenchError."""
        places = searched(self._workspace.root)
        if self._across is None or self._across.places != places:
            if self._across is not None:
                self._across.close()
            hybrid = isinstance(self._engine, HybridSearch)
            model = self._engine.model if isinstance(self._engine, HybridSearch) else None
            self._across = Across(places, words=not hybrid, models=[model] if model else ())
        return self._across.search(query_from_json(request, own_weights())).as_json()

    def close(self) -> None:
        """End what was opened."""
        for one in (self._across, self._team):
            if one is not None:
                one.close()
        self._across = None


def own_weights() -> Weights:
    """The weights of the person's own settings. Raises UsageError."""
    return weights_of(tell(None).effective())


def ranked_scopes(
    asked: Sequence[Scoped], query: Query
) -> tuple[tuple[tuple[SearchScope, Hit], ...], list[str]]:
    """The best ``query.k`` hits of all scopes, numbered through, and what is to be said of their scale.

    Where only one scope has hits, their scores are its own. Raises IndexUnavailableError.
    """
    scopes = {one.scope.mark or OWN: one.scope for one in asked}
    having = [(one.scope.mark or OWN, one.answer) for one in asked if one.answer and one.answer.hits]
    notes: list[str] = []
    if len(having) < 2:
        ranked = [(name, hit, hit.score) for name, answer in having for hit in answer.hits]
    else:
        found = [measured(name, answer, scopes[name].searcher, query) for name, answer in having]
        ranked, notes = in_one_order(found, query.k)
    return tuple(
        (scopes[name], replace(hit, rank=rank, score=score))
        for rank, (name, hit, score) in enumerate(ranked, 1)
    ), notes


def measured(name: str, answer: SearchAnswer, searcher: LexicalSearch, query: Query) -> Found:
    """An answer with what its hits are measured by. Raises IndexUnavailableError."""
    pool = searcher.pool(query)
    model = searcher.model if isinstance(searcher, HybridSearch) and pool.mode != "lexical" else None
    return Found(name, answer, pool, model.identity if model else None)


def in_one_order(found: Sequence[Found], k: int) -> tuple[list[Ranked], list[str]]:
    """The first ``k`` hits of all on one scale, each list in its own order, the strongest head first.

    With what is to be said of that scale.
    """
    strengths, notes = strengths_of(found)
    wordless = all(not one.pool.question.text.strip() for one in found)

    def keyed(one: Found, counted: Sequence[float]) -> Iterator[tuple[tuple[float, int, int, str], Ranked]]:
        for place, (hit, strength) in enumerate(zip(one.answer.hits, counted, strict=True)):
            day = hit.date.toordinal() if wordless and hit.date else 0
            yield (-round(strength, 6), -day, place, one.name), (one.name, hit, strength)

    lists = (keyed(one, counted) for one, counted in zip(found, strengths, strict=True))
    return [ranked for _, ranked in islice(heapq.merge(*lists, key=itemgetter(0)), k)], notes


def strengths_of(found: Sequence[Found]) -> tuple[list[list[float]], list[str]]:
    """What each hit of each answer counts on one scale, and what is to be said of that scale."""
    having = [one for one in found if one.answer.hits]
    weights, begun = _joint_rarity(having)
    meaning = bool(having) and len({one.model for one in having}) == 1 and having[0].model is not None
    notes = []
    if not meaning and any(one.model for one in having):
        without = [one.name for one in having if one.model is None]
        lacks = f"{', '.join(without)} has no vectors to compare"
        why = lacks if without else "their vectors are of several models"
        notes.append(f"hits of different workspaces were compared by their words alone: {why}")
    own = (list(_strengths(one, weights, begun, meaning=meaning)) for one in found)
    # A hit counts for as much as the strongest of those that its workspace put behind it.
    return [list(accumulate(reversed(one), max))[::-1] for one in own], notes


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
        likeness = relevance.of(key, words_that_count(stored))
        measured = likeness.score if meaning else likeness.coverage
        if meaning and one.pool.mode == "vector":
            measured = max(0.0, likeness.cosine or 0.0)
        yield replace(hit.scores, share=1.0, vector=measured).total


def _state(answer: FarAnswer | SearchAnswer) -> str:
    """The one word for an answer that has hits."""
    return "degraded" if answer.degraded else "stale" if answer.stale else "ok"


def _once(notes: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(notes))


def _common(notes: Sequence[str], asked: int) -> tuple[str, ...]:
    """The notes, but one that all workspaces have alike without their names."""
    bare = [note.partition(": ")[2] for note in notes]
    common = {text for text in bare if text and bare.count(text) == asked > 1}
    return _once(text if text in common else note for note, text in zip(notes, bare, strict=True))
