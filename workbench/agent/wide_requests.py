"""Searches beyond one workspace, as a request asks for them: see ``workbench.agent.search_task``."""

from __future__ import annotations

from collections.abc import Mapping

from indexing.search.answer import query_from_json
from indexing.search.hybrid import HybridSearch
from indexing.search.keyword import LexicalSearch
from workbench.agent.federated_search import Across, own_weights
from workbench.agent.team import TeamSearch, open_team
from workbench.workspace.registry import searched
from workbench.workspace.workspace import Workspace

TEAM, EVERYWHERE = "team", "everywhere"
"""The leader's memory after one's own; all registered workspaces."""


class Wide:
    """Asks beyond ``workspace`` in the way in which ``engine`` asks that one: by words, or with its model.

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
            self._team = open_team(self._workspace, self._engine)
        return self._team.search(query_from_json(request, self._engine.weights)).as_json()

    def everywhere(self, request: Mapping[str, object]) -> dict[str, object]:
        """The answer of all registered workspaces and this one. Raises WorkbenchError."""
        places = searched(self._workspace.root)
        if self._across is None or self._across.places != places:
            self._close_across()
            model = self._engine.model if isinstance(self._engine, HybridSearch) else None
            words = not isinstance(self._engine, HybridSearch)
            self._across = Across(places, words=words, models=[model] if model else ())
        return self._across.search(query_from_json(request, own_weights())).as_json()

    def close(self) -> None:
        """End what was opened."""
        self._close_across()
        if self._team is not None:
            self._team.close()

    def _close_across(self) -> None:
        if self._across is not None:
            self._across.close()
            self._across = None
