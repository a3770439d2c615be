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
keyword scores alone are compared, and a note says so.

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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import accumulate, islice
from operator import itemgetter
from pathlib import Path
from time import perf_counter

import msgspec

from indexing.embedding.choice import ModelChoice
from indexing.lexical.query_rewrite import question_terms
from indexing.lexical.terms import NO_TERMS
from indexing.lexical.vocabulary import rarity
from indexing.ranking.weights import Weights, weights_of
from indexing.search.answer import Hit, Query, SearchAnswer
from indexing.search.candidates import Pool
from indexing.search.index_search import IndexSearch
from indexing.search.snapshot_index import last_day
from indexing.sync.generations import Generations
from workbench.agent.scopes import RelevanceOf, ScopeAnswer, SearchScope
from workbench.agent.search_update import FoundHit, ScorePart, SearchUpdate
from workbench.config.settings_report import tell
from workbench.errors import IndexUnavailableError, NoWorkspaceError, WorkbenchError, reason_of
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.registry import Registered
from workbench.workspace.workspace import Workspace

Opener = Callable[[Path], Workspace]
"""Opens one of the workspaces, or the moment of it that is asked about. Raises WorkbenchError."""


@dataclass(frozen=True, slots=True)
class ScopeHit:
    """A hit, ranked ``hit.rank`` by its own scope; ``strength`` is what it counts beside those of others."""

    scope: SearchScope
    hit: Hit
    strength: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceAnswer:
    """How one workspace answered; ``unavailable`` says why it did not."""

    workspace: str
    root: str
    state: str = "unavailable"
    stale: str | bool = False
    degraded: str | None = None
    unavailable: str | None = None


@dataclass(frozen=True, slots=True)
class FederatedAnswer:
    """The hits of all that were asked, the best first; ``told`` is what else there is to say, without hits.

    ``asked`` is what each registered workspace said; nothing where a team was asked, whose member has the
    leader's hits among their own. Their scores are on the scale of both, and the parts of a score are those
    that the hit has in its own workspace. ``scopes`` are the answers that all this was made of.
    """

    told: SearchAnswer
    hits: tuple[ScopeHit, ...]
    asked: tuple[WorkspaceAnswer, ...] = ()
    scopes: tuple[ScopeAnswer, ...] = ()

    def with_notes(self, notes: Iterable[str]) -> FederatedAnswer:
        """The answer with these notes before its own."""
        return replace(self, told=replace(self.told, notes=once((*notes, *self.told.notes))))

    def update(self) -> SearchUpdate:
        """The same as it is shown while a person types; those that could not be asked are among its notes."""
        told = self.told
        lacking = (f"{one.workspace}: {one.unavailable}" for one in self.asked if one.unavailable)
        return SearchUpdate(
            query=told.query,
            hits=tuple(_found(one, named=bool(self.asked)) for one in self.hits),
            mode=told.mode,
            stale=told.stale,
            degraded=told.degraded,
            notes=(*told.notes, *lacking),
        )

    def as_json(self) -> dict[str, object]:
        """As the answer of one workspace, with what each workspace said, and whose a hit is."""
        said = self.told.as_json()
        if self.hits:
            said["state"] = "degraded" if self.told.degraded else "stale" if self.told.stale else "ok"
        if self.asked:
            del said["generation"]
            said["workspaces"] = [msgspec.to_builtins(one) for one in self.asked]
        rows = [_row(one, rank, everywhere=bool(self.asked)) for rank, one in enumerate(self.hits, 1)]
        return {**said, "hits": rows}


def _found(one: ScopeHit, *, named: bool) -> FoundHit:
    """A hit with its score beside those of other workspaces, which is ``named`` or a leader's."""
    scope, hit = one.scope, one.hit
    beside = {"workspace": scope.name, "root": str(scope.workspace.root)} if named or scope.mark else {}
    return FoundHit(
        entry=hit.entry,
        path=hit.path,
        start_line=hit.start_line,
        kind=str(hit.kind),
        date=hit.date.isoformat() if hit.date else None,
        snippet=hit.snippet,
        score=one.strength,
        parts=tuple(ScorePart(**msgspec.to_builtins(part)) for part in hit.parts),
        neighbour=hit.neighbour,
        **beside,
    )


def _row(one: ScopeHit, rank: int, *, everywhere: bool) -> dict[str, object]:
    """A hit as JSON, with whose it is: of all workspaces by the name of its own, in a team by the mark."""
    scope, hit, strength = one.scope, one.hit, round(one.strength, 6)
    row = {**hit.as_json(), "rank": rank}
    root = str(scope.workspace.root)
    if everywhere:
        return {**row, "rank_there": hit.rank, "strength": strength, "workspace": scope.name, "root": root}
    row["score"] = strength
    if scope.mark:
        row |= {"scope": scope.mark, "root": root}
        row |= {"entry": scope.address(hit.entry), "path": scope.address(hit.path)}
    return row


class FederatedSearch:
    """Asks several workspaces. They stay open between questions; ``close`` ends their helpers.

    Without ``vectors`` by keyword only, and no model is loaded. ``today`` is the day from which ages count,
    that of a workspace in the past where none is given. ``catch_up`` is called for each before it is asked,
    and tells what its answer may lack. ``models`` are those that are in memory already.
    """

    def __init__(
        self,
        places: Iterable[Registered],
        *,
        vectors: bool,
        opener: Opener = Workspace.open,
        today: Callable[[], date] | None = None,
        catch_up: Callable[[Workspace], str | None] = lambda _: None,
        models: Iterable[ModelChoice] = (),
    ) -> None:
        self.places = tuple(places)
        self._vectors = vectors
        self._opener = opener
        self._today = today
        self._catch_up = catch_up
        self._models = {model.identity: model for model in models}
        self._open: dict[Path, SearchScope] = {}

    def search(self, query: Query) -> FederatedAnswer:
        """The best of all of them. Raises IndexUnavailableError where none could be asked."""
        started = perf_counter()
        query = query if query.weights is not None else replace(query, weights=own_weights())
        asked, found = list[WorkspaceAnswer](), list[ScopeAnswer]()
        for place in self.places:
            named = WorkspaceAnswer(workspace=place.name, root=str(place.root))
            try:
                one = self._ask(place, query)
            except (WorkbenchError, OSError) as error:
                self._forget(place)
                asked.append(replace(named, unavailable=reason_of(error)))
                continue
            answer = one.answer
            asked.append(
                replace(named, state=answer.state, stale=answer.stale or False, degraded=answer.degraded)
            )
            found.append(one)
        if asked and not found:
            why = "; ".join(f"{one.workspace}: {one.unavailable}" for one in asked)
            raise IndexUnavailableError(
                f"none of the workspaces could be searched: {why}",
                hint="`workbench workspaces list` tells more",
            )
        hits, notes = in_one_order(found, query.k)
        notes = [*(f"{one.scope.name}: {note}" for one in found for note in one.answer.notes), *notes]
        modes = {one.answer.mode for one in found if one.answer.hits}
        told = SearchAnswer(
            query=query.text,
            mode=next(iter(modes)) if len(modes) == 1 else query.mode if self._vectors else "lexical",
            took_ms=(perf_counter() - started) * 1e3,
            generation="",
            stale=_joined((one.workspace, one.stale) for one in asked),
            degraded=_joined((one.workspace, one.unavailable or one.degraded) for one in asked),
            notes=_common(notes, len(found)),
        )
        return FederatedAnswer(told, tuple(hits), tuple(asked), tuple(found))

    def close(self) -> None:
        """End what was opened."""
        for one in self._open.values():
            one.workspace.close()
        self._open.clear()

    def _ask(self, place: Registered, query: Query) -> ScopeAnswer:
        if not place.there:
            raise NoWorkspaceError("its folder is gone")
        if place.root not in self._open:
            self._open[place.root] = self._opened(place)
        scope = self._open[place.root]
        missing = self._catch_up(scope.workspace)
        one = scope.ask(query)
        if model := one.model:
            self._models.setdefault(model.identity, model)
        return replace(one, answer=replace(one.answer, stale=one.answer.stale or missing))

    def _opened(self, place: Registered) -> SearchScope:
        workspace = self._opener(place.root)
        today = self._today or last_day(workspace)
        current = Generations(workspace.root / STATE_DIR).current() if self._vectors else None
        known = self._models.get((current.model() if current else None) or "")
        index = IndexSearch(workspace, vectors=self._vectors, today=today, model=known)
        return SearchScope(workspace, index, name=place.name)

    def _forget(self, place: Registered) -> None:
        """It may have been removed and made anew: open it anew the next time."""
        if left := self._open.pop(place.root, None):
            with contextlib.suppress(WorkbenchError, OSError):
                left.workspace.close()


def own_weights() -> Weights:
    """The weights of the person's own settings. Raises UsageError."""
    return weights_of(tell(None).effective())


def ranked_scopes(asked: Sequence[ScopeAnswer], k: int) -> tuple[list[ScopeHit], list[str]]:
    """The best ``k`` hits of all scopes, and what is to be said of their scale.

    Where only one scope has hits, their scores are its own.
    """
    having = [one for one in asked if one.answer.hits]
    if len(having) > 1:
        return in_one_order(having, k)
    return [ScopeHit(one.scope, hit, hit.score) for one in having for hit in one.answer.hits], []


def in_one_order(found: Sequence[ScopeAnswer], k: int) -> tuple[list[ScopeHit], list[str]]:
    """The first ``k`` hits of all on one scale, each list in its own order, the strongest head first.

    Of a question of one word, those that have it come before the others, as they do in each list.

    With what is to be said of that scale.
    """
    strengths, notes = strengths_of(found)
    wordless = all(not one.pool.question.text.strip() for one in found)

    def keyed(
        one: ScopeAnswer, counted: Sequence[float]
    ) -> Iterator[tuple[tuple[int, float, int, int, str], ScopeHit]]:
        for place, (hit, strength) in enumerate(zip(one.answer.hits, counted, strict=True)):
            day = hit.date.toordinal() if wordless and hit.date else 0
            key = (-hit.word, -round(strength, 6), -day, place, one.scope.name)
            yield key, ScopeHit(one.scope, hit, strength)

    lists = (keyed(one, counted) for one, counted in zip(found, strengths, strict=True))
    return [hit for _, hit in islice(heapq.merge(*lists, key=itemgetter(0)), k)], notes


def strengths_of(found: Sequence[ScopeAnswer]) -> tuple[list[list[float]], list[str]]:
    """What each hit of each answer counts on one scale, and what is to be said of that scale."""
    having = [one for one in found if one.answer.hits]
    weights, begun = _joint_rarity([one.pool for one in having])
    models = {one.scope.name: one.model.identity if one.model else None for one in having}
    meaning = len(set(models.values())) == 1 and None not in models.values()
    notes = []
    if not meaning and any(models.values()):
        without = [name for name, model in models.items() if model is None]
        lacks = f"{', '.join(without)} has no vectors to compare"
        why = lacks if without else "their vectors are of several models"
        notes.append(f"hits of different workspaces were compared by keyword only: {why}")
    own = (list(_strengths(one, weights, begun, meaning=meaning)) for one in found)
    # A hit counts for as much as the strongest of those that its workspace put behind it.
    return [list(accumulate(reversed(one), max))[::-1] for one in own], notes


def _joint_rarity(pools: Sequence[Pool]) -> tuple[dict[str, float], str]:
    """What each word of the question counts over all entries of all, and the word that is only begun."""
    questions = [question_terms(pool.question) for pool in pools]
    stems = dict.fromkeys(stem for terms in questions for stem in terms.stems)
    pairs = dict.fromkeys(pair for terms in questions for pair in terms.pairs)
    all_terms = replace(NO_TERMS, stems=tuple(stems), pairs=tuple(pairs))
    counts: Counter[str] = Counter()
    for pool in pools:
        counts.update(pool.snapshot.frequencies(all_terms))
    entries = sum(pool.snapshot.count() for pool in pools)
    weights = {term: rarity(counts[term], entries) for term in (*stems, *pairs)}
    begun = next((terms.beginning for terms in questions if terms.beginning), "")
    if begun:
        weights[begun] = max(weights.get(begun, 0.0), rarity(1, max(entries, 1)))
    return weights, begun


def _strengths(one: ScopeAnswer, weights: dict[str, float], begun: str, *, meaning: bool) -> Iterator[float]:
    relevance = RelevanceOf(one.pool, weights, begun)
    for hit in one.answer.hits:
        stored = relevance.stored(hit.entry)
        if stored is None:
            yield 0.0  # found further down than the pool reaches: what stands behind it counts
            continue
        likeness = relevance.of_entry(stored)
        measured = likeness.score if meaning else likeness.coverage
        if meaning and one.pool.mode == "vector":
            measured = max(0.0, likeness.cosine or 0.0)
        yield replace(hit.scores, share=1.0, vector=measured).total


def _joined(said: Iterable[tuple[str, object]]) -> str | None:
    """What is said of each by its name, in one line; None where nothing is."""
    return "; ".join(f"{name}: {what}" for name, what in said if what) or None


def once(notes: Iterable[str]) -> tuple[str, ...]:
    """Each note once."""
    return tuple(dict.fromkeys(notes))


def _common(notes: Sequence[str], asked: int) -> tuple[str, ...]:
    """The notes, but one that all workspaces have alike without their names."""
    bare = [note.partition(": ")[2] for note in notes]
    common = {text for text in bare if text and bare.count(text) == asked > 1}
    return once(text if text in common else note for note, text in zip(notes, bare, strict=True))
