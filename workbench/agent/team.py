"""A member's search: one's own memory and the leader's, which is only read, in one order on one scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from indexing.search.answer import Hit, Query, SearchAnswer
from indexing.search.hybrid import HybridSearch
from indexing.search.keyword import LexicalSearch
from workbench.agent.federated_search import Found, merged, strengths_of
from workbench.agent.scopes import LEADER, Scoped, SearchScope, ask, open_leader
from workbench.errors import WorkbenchError
from workbench.workspace.registry import Registered
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

OWN = "a member's own memory"
"""How one's own is called beside the leader's; of equal hits it comes first, by its name."""


@dataclass(frozen=True, slots=True)
class TeamHit:
    """A hit of one scope. ``strength`` is on one scale for all of them: see ``federated_search``."""

    scope: SearchScope
    hit: Hit
    strength: float


@dataclass(frozen=True, slots=True)
class TeamAnswer:
    """``own`` is one's own answer, with the notes of all; ``found`` the hits of all scopes, best first."""

    own: SearchAnswer
    found: tuple[TeamHit, ...]

    @property
    def hits(self) -> tuple[tuple[SearchScope, Hit], ...]:
        """All hits with what they count beside those of others, numbered through."""
        return tuple(
            (one.scope, replace(one.hit, rank=rank, score=one.strength))
            for rank, one in enumerate(self.found, 1)
        )

    @property
    def marked_hits(self) -> Iterator[tuple[str, Hit]]:
        """The same, each with what stands before its address; nothing before one's own."""
        return ((scope.mark, hit) for scope, hit in self.hits)

    def with_stale(self, why: str | None) -> TeamAnswer:
        """The answer, which is behind the files for this reason too."""
        return replace(self, own=replace(self.own, stale=self.own.stale or why))

    def with_notes(self, notes: Sequence[str]) -> TeamAnswer:
        """The answer with these notes before its own."""
        return replace(self, own=replace(self.own, notes=tuple(dict.fromkeys((*notes, *self.own.notes)))))

    def as_json(self) -> dict[str, object]:
        """As the answer of one workspace; a leader's hit says so, and in which folder it is.

        Where both have hits, ``score`` is on the scale of both, and ``scores`` are the parts of the score
        that the hit has in its own workspace.
        """
        rows = []
        for scope, hit in self.hits:
            row = hit.as_json()
            if scope.mark:
                row["scope"], row["root"] = scope.mark, str(scope.workspace.root)
                row["entry"], row["path"] = scope.address(hit.entry), scope.address(hit.path)
            rows.append(row)
        state = self.own.state
        if state == "empty" and rows:
            state = "degraded" if self.own.degraded else "stale" if self.own.stale else "ok"
        return {**self.own.as_json(), "state": state, "hits": rows}


class TeamSearch:
    """Asks one's own memory, then the leader's where there is one, with the same model."""

    def __init__(
        self, workspace: Workspace, engine: LexicalSearch, leader: Workspace | None, problem: str = ""
    ) -> None:
        """``problem`` says why the leader cannot be asked."""
        self._own = SearchScope(workspace, engine)
        self._engine = engine
        self._leader = leader
        self._problem = problem
        self._theirs: SearchScope | None = None

    def search(self, query: Query) -> TeamAnswer:
        """At most ``query.k`` hits of all. Raises IndexUnavailableError where none can be asked."""
        asked = tuple(ask(self._scopes(), query))
        first = next(one.answer for one in asked if one.answer is not None)
        notes = tuple(note for one in asked if one.scope.mark for note in _notes(one))
        notes = (self._problem, *notes) if self._problem else notes
        if asked[0].answer is None:
            first, notes = replace(first, hits=(), notes=()), (asked[0].unavailable, *notes)
        found, said = in_one_order(asked, query)
        return TeamAnswer(replace(first, notes=tuple(dict.fromkeys((*first.notes, *notes, *said)))), found)

    def close(self) -> None:
        """End the leader's helpers; one's own workspace is whoever's it was."""
        if self._leader is not None:
            self._leader.close()

    def _scopes(self) -> Iterator[SearchScope]:
        yield self._own
        if self._leader is not None:
            self._theirs = self._theirs or SearchScope(self._leader, self._beside(self._leader), LEADER)
            yield self._theirs

    def _beside(self, leader: Workspace) -> LexicalSearch:
        if isinstance(self._engine, HybridSearch):
            return HybridSearch(leader, weights=self._engine.weights, model=self._engine.model)
        return LexicalSearch(leader, weights=self._engine.weights)


def in_one_order(asked: Sequence[Scoped], query: Query) -> tuple[tuple[TeamHit, ...], list[str]]:
    """The best ``query.k`` hits of all scopes by one scale, and what is to be said of that scale."""
    having = [(one.scope, one.answer) for one in asked if one.answer and one.answer.hits]
    if len(having) < 2:
        return tuple(TeamHit(scope, hit, hit.score) for scope, answer in having for hit in answer.hits), []
    scopes = {scope.mark or OWN: scope for scope, _ in having}
    found = [_measured(scope, answer, query) for scope, answer in having]
    strengths, notes = strengths_of(found)
    best = merged(found, strengths, query.k)
    return tuple(TeamHit(scopes[one.workspace.name], one.hit, one.strength) for one in best), notes


def _measured(scope: SearchScope, answer: SearchAnswer, query: Query) -> Found:
    pool, searcher = scope.searcher.pool(query), scope.searcher
    model = searcher.model if isinstance(searcher, HybridSearch) and pool.mode != "lexical" else None
    where = Registered(scope.mark or OWN, scope.workspace.root)
    return Found(where, answer, pool, model.identity if model else None)


def open_team(workspace: Workspace, engine: LexicalSearch) -> TeamSearch:
    """One's own memory, and the leader's where this is a member's.

    What cannot be asked of the leader's is a note to each answer: one's own answers all the same.
    """
    leader: Workspace | None = None
    problem = ""
    if isinstance(workspace, PastWorkspace):
        if workspace.settings.team_leader:
            problem = "the leader's memory is not asked: this is your own as it was"
    else:
        try:
            leader = open_leader(workspace)
        except WorkbenchError as error:
            problem = f"{error.message}: only your own memory is asked"
    return TeamSearch(workspace, engine, leader, problem)


def _notes(one: Scoped) -> Iterator[str]:
    """What is to be said of a leader's answer: it makes one's own neither degraded nor stale."""
    if one.answer is None:
        yield one.unavailable
        return
    for note in (one.answer.degraded, one.answer.stale, *one.answer.notes):
        if note:
            yield f"{one.scope.mark}: {note}"
