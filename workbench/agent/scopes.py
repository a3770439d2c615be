"""Whose memory is asked: one's own, a user's before everybody's, and a team leader's after one's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from indexing.embedding.choice import ModelChoice
from indexing.search.answer import Query, SearchAnswer
from indexing.search.candidates import Pool
from indexing.search.hybrid import HybridSearch
from indexing.search.keyword import LexicalSearch
from workbench.errors import IndexUnavailableError, NoWorkspaceError, UsageError, WorkspaceError
from workbench.workspace.workspace import Workspace

LEADER = "leader"
"""What is written before the addresses of a leader's entries: ``leader:memory/2026-03-14.md#…``."""
READ_ONLY = "memory is read-only for team members"


class ReadOnlyMemberError(WorkspaceError):
    """Who asks to write is a member of a team, whose memory is its leader's to write."""

    code = "read-only"

    def __init__(self) -> None:
        super().__init__(READ_ONLY)


def marked(mark: str, address: str) -> str:
    """An address as it is told: that of another's memory with its mark before it."""
    return f"{mark}:{address}" if mark else address


@dataclass(frozen=True, slots=True)
class SearchScope:
    """One workspace that is asked, and what is written before its addresses; empty for one's own.

    ``name`` is what it is called beside others; of equal hits, those of the first name come first.
    """

    workspace: Workspace
    searcher: LexicalSearch
    mark: str = ""
    name: str = "a member's own memory"

    def address(self, entry: str) -> str:
        """``entry`` as an agent is told it."""
        return marked(self.mark, entry)

    def ask(self, query: Query) -> ScopeAnswer:
        """The answer, and what it was chosen from. Raises IndexUnavailableError."""
        answer = self.searcher.search(query)
        pool = self.searcher.pool(query)
        model = self.searcher.model if isinstance(self.searcher, HybridSearch) else None
        return ScopeAnswer(self, answer, pool, None if pool.mode == "lexical" else model)


@dataclass(frozen=True, slots=True)
class ScopeAnswer:
    """What one scope answered, what its hits were chosen from, and the model of its cosines, if any."""

    scope: SearchScope
    answer: SearchAnswer
    pool: Pool
    model: ModelChoice | None

    @property
    def notes(self) -> tuple[str, ...]:
        """What is missing from the answer, and what else is to be said of it; a leader's with the mark."""
        said = filter(None, (self.answer.degraded, self.answer.stale, *self.answer.notes))
        return tuple(f"{self.scope.mark}: {note}" if self.scope.mark else note for note in said)


def open_leader(workspace: Workspace) -> Workspace | None:
    """The workspace of the team's leader; None where there is no team, or where this is the leader's own.

    Raises UsageError where the settings name one that cannot be opened: a member must not write meanwhile.
    """
    named = workspace.settings.team_leader
    if not named:
        return None
    folder = Path(workspace.root, os.path.expanduser(named))
    if os.path.realpath(folder) == os.path.realpath(workspace.root):
        return None
    try:
        return Workspace.open(folder, lenient=True)
    except NoWorkspaceError as error:
        raise UsageError(
            f"team_leader is {named!r}, and there is no workspace",
            hint="name the leader's folder, or remove it",
        ) from error


def open_scopes(
    workspace: Workspace,
    leader: Workspace | None,
    *,
    today: Callable[[], date] = date.today,
) -> tuple[SearchScope, ...]:
    """One's own scope, then the leader's; both ask the same model."""
    return scopes_of(workspace, HybridSearch(workspace, today=today), leader, today=today)


def scopes_of(
    workspace: Workspace,
    engine: LexicalSearch,
    leader: Workspace | None,
    *,
    today: Callable[[], date] = date.today,
) -> tuple[SearchScope, ...]:
    """One's own memory, which ``engine`` searches, then the leader's, searched in the same way."""
    own = SearchScope(workspace, engine)
    if leader is None:
        return (own,)
    beside = (
        HybridSearch(leader, weights=engine.weights, today=today, model=engine.model)
        if isinstance(engine, HybridSearch)
        else LexicalSearch(leader, weights=engine.weights, today=today)
    )
    return own, SearchScope(leader, beside, LEADER, LEADER)


def ask(scopes: Iterable[SearchScope], query: Query) -> tuple[list[ScopeAnswer], list[str]]:
    """What the scopes answer, in their order, and why others could not be asked.

    Raises IndexUnavailableError where none can be. Within one scope a user's entries count for more, a
    user's copy takes the place of everybody's, and where a user has nothing, what belongs to everybody
    answers and a note says so: see ``Query.user``.
    """
    answered, refused = list[ScopeAnswer](), dict[str, IndexUnavailableError]()
    for scope in scopes:
        try:
            answered.append(scope.ask(query))
        except IndexUnavailableError as error:
            whose = f"the {scope.mark}'s memory" if scope.mark else "this memory"
            refused[f"{whose} could not be searched: {error.message}"] = error
    if refused and not answered:
        raise next(iter(refused.values()))
    return answered, list(refused)
