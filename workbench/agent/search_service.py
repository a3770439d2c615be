"""The search of a workspace, as the interface, the command line and MCP ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date

from indexing.embedding.choice import ModelChoice
from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch, last_day
from workbench.agent.federated_search import (
    LEADER,
    FederatedAnswer,
    FederatedSearch,
    ScopeAnswer,
    SearchScope,
    once,
    open_leader,
    ranked_scopes,
    stream,
)
from workbench.agent.search_update import Reach
from workbench.errors import IndexUnavailableError, WorkbenchError, reason_of
from workbench.workspace.registry import searched
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

_OWN_ONLY = "only your own memory is searched"


class SearchService:
    """Searches from ``workspace``; without ``vectors`` by keyword only, which loads no model.

    ``today`` is the day from which ages count, a past workspace's own where none is given. ``leader`` is the
    team leader's workspace where it is open already. What is opened stays open for the next question, until
    ``close``. A question reaches ``own`` memory alone, the ``team``'s (with the leader's, where this is a
    member's), or ``everywhere``: all registered workspaces.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        vectors: bool = True,
        today: Callable[[], date] | None = None,
        model: ModelChoice | None = None,
        load_on_demand: bool = True,
        leader: Workspace | None = None,
    ) -> None:
        self.workspace = workspace
        self._today = today or last_day(workspace)
        self.index = IndexSearch(
            workspace, vectors=vectors, today=self._today, model=model, load_on_demand=load_on_demand
        )
        self._leader = leader
        self._opened: Workspace | None = None
        self.behind: str | None = None
        """What answers may lack of one's own files, as the last ``catch_up`` found."""
        self._no_index: IndexUnavailableError | None = None
        self._others: tuple[SearchScope, ...] | None = None
        self._everywhere: FederatedSearch | None = None

    @property
    def scopes(self) -> tuple[SearchScope, ...]:
        """One's own memory, then the leader's, which is searched in the same way and by the same model.

        Raises UsageError where the settings name a leader that cannot be opened.
        """
        if self._others is None:
            leader = self._leader
            if leader is None:
                leader = self._opened = open_leader(self.workspace)
            self._others = ()
            if leader is not None:
                own = self.index
                beside = IndexSearch(
                    leader, vectors=own.has_vectors, weights=own.weights, today=self._today, model=own.model
                )
                self._others = (SearchScope(leader, beside, LEADER, LEADER),)
        return (*self._own, *self._others)

    def stream(self, query: Query) -> Iterator[FederatedAnswer]:
        """Keyword hits where semantic ones follow, then the answer. Raises as ``search`` does."""
        scopes = self._askable()[0] if self.index.has_vectors else ()
        return stream(self.search, query, (one.workspace.root for one in scopes))

    def catch_up(self, look: Callable[[Workspace], str | None]) -> None:
        """Have ``look`` index what changed, and remember what answers may lack all the same.

        A leader's index is the leader's to write: of that it is only told how far it is behind.
        """
        from indexing.sync.freshness import freshness  # noqa: PLC0415 - the interface never looks

        self._no_index = None
        try:
            self.behind = look(self.workspace)
        except IndexUnavailableError as error:  # a leader may answer
            self.behind, self._no_index = error.message, error
        except (WorkbenchError, OSError) as error:
            self.behind = reason_of(error)
        _, *others = self._askable()[0]
        for scope in others:
            try:
                behind = freshness(scope.workspace).behind
            except (WorkbenchError, OSError) as error:
                behind = reason_of(error)
            self._others = (replace(scope, behind=behind),)

    def ask(self, query: Query, reach: Reach = "team") -> tuple[list[ScopeAnswer], list[str]]:
        """What one's own memory and the leader's answer, and why either could not be asked.

        Within one scope a user's entries count for more, a user's copy takes the place of everybody's, and
        where a user has nothing, what belongs to everybody answers and a note says so: see ``Query.user``.
        Raises IndexUnavailableError where none can be asked.
        """
        scopes, problem = self._askable() if reach == "team" else (self._own, "")
        answered, refused = list[ScopeAnswer](), dict[str, IndexUnavailableError]()
        for scope in scopes:
            try:
                answered.append(scope.ask(query))
            except IndexUnavailableError as error:
                whose = f"the {scope.mark}'s memory" if scope.mark else "this memory"
                refused[f"{whose} could not be searched: {error.message}"] = error
        if not answered:
            raise self._no_index or next(iter(refused.values()))
        return answered, [*refused, *filter(None, [problem])]

    def search(self, query: Query, reach: Reach = "team") -> FederatedAnswer:
        """At most ``query.k`` hits.

        What cannot be asked of a leader's memory is a note: one's own answers all the same. Raises
        IndexUnavailableError where none can be asked, UsageError where it is not known which there are.
        """
        if reach == "everywhere":
            if self._everywhere is None:
                model = self.index.model
                self._everywhere = FederatedSearch(
                    vectors=self.index.has_vectors, models=[model] if model else ()
                )
            self._everywhere.places = searched(self.workspace.root)
            return self._everywhere.search(query)
        asked, unavailable = self.ask(query, reach)
        hits, scale = ranked_scopes(asked, query.k)
        own = next((one.answer for one in asked if not one.scope.mark), None)
        # What is to be said of a leader's answer makes one's own neither degraded nor stale.
        leaders = (note for one in asked if one.scope.mark for note in one.notes)
        notes = [*unavailable, *leaders, *scale]
        if own is None:
            own = replace(asked[0].answer, notes=(), stale=None)
        told = replace(own, hits=(), notes=once((*own.notes, *notes)), stale=own.stale or self.behind)
        return FederatedAnswer(told, tuple(hits), scopes=tuple(asked))

    def close(self) -> None:
        """End what was opened here; the workspace is whoever's it was."""
        if self._everywhere is not None:
            self._everywhere.close()
        if self._opened is not None:
            self._opened.close()

    @property
    def _own(self) -> tuple[SearchScope, ...]:
        return (SearchScope(self.workspace, self.index, behind=self.behind),)

    def _askable(self) -> tuple[tuple[SearchScope, ...], str]:
        """The scopes of a search, and why the leader's is not among them."""
        if isinstance(self.workspace, PastWorkspace):
            why = "the leader's memory is not searched: this is your own memory at an earlier time"
            return self._own, why if self.workspace.settings.team_leader else ""
        try:
            return self.scopes, ""
        except WorkbenchError as error:
            return self._own, f"{error.message}: {_OWN_ONLY}"
