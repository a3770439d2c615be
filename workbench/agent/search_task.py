"""Search as a task of the worker: also what an agent would be given, and searches beyond one workspace.

One process, and so one model, for all; see ``indexing.search.service``. ``{"seq": 8, "ask": "inject",
"message": "…", "memory_loaded": true, "today": "2026-03-20"}`` is answered with ``{"seq": 8, "injection":
{…}}``. Nothing that is asked here is recorded: whoever looks is no agent. ``{"seq": 9, "ask": "team",
"query": "…"}`` searches the leader's memory too, and ``"everywhere"`` all registered workspaces; the rest of
such a request is that of any search.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any, NoReturn

from indexing.search.answer import query_from_json
from indexing.search.hybrid import HybridSearch
from indexing.search.keyword import LexicalSearch
from indexing.search.service import Answerer, serve
from workbench.agent.context import inject
from workbench.agent.federated_search import FederatedSearch, TeamSearch, own_weights
from workbench.agent.scopes import SearchScope, open_leader, scopes_of
from workbench.errors import UsageError
from workbench.workspace.registry import searched
from workbench.workspace.task_context import TaskContext
from workbench.workspace.workspace import Workspace


def run(root: Path, _: Mapping[str, Any], context: TaskContext) -> NoReturn:
    """Answer until stdin ends, and end the process at once: a model still loading must not hold it."""
    requests = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    serve(root, requests, context.out, answerers)
    context.out.flush()
    os._exit(0)


def answerers(workspace: Workspace, search: HybridSearch) -> dict[str, Answerer]:
    """What is answered beside searches, by its name; a leader's memory is asked by the same model."""
    requests = FederatedRequests(workspace, search)
    return {"inject": requests.inject, "team": requests.team, "everywhere": requests.everywhere}


class FederatedRequests:
    """Answers requests beyond a search of ``workspace``, in the way in which ``engine`` asks that one.

    What is opened stays open for the next question; the list of workspaces is read for each.
    """

    def __init__(self, workspace: Workspace, engine: LexicalSearch) -> None:
        self._workspace = workspace
        self._engine = engine
        self._scopes: tuple[SearchScope, ...] = ()
        self._team: TeamSearch | None = None
        self._everywhere: FederatedSearch | None = None

    def inject(self, request: Mapping[str, object]) -> dict[str, object]:
        """What an agent would be given. Raises WorkbenchError."""
        self._scopes = self._scopes or scopes_of(self._workspace, self._engine, open_leader(self._workspace))
        return {"injection": answer_to(self._scopes, request)}

    def team(self, request: Mapping[str, object]) -> dict[str, object]:
        """The answer of one's own memory and the leader's. Raises WorkbenchError."""
        self._team = self._team or TeamSearch(self._workspace, self._engine)
        return self._team.search(query_from_json(request, self._engine.weights)).as_json()

    def everywhere(self, request: Mapping[str, object]) -> dict[str, object]:
        """The answer of all registered workspaces and this one. Raises WorkbenchError."""
        places = searched(self._workspace.root)
        if self._everywhere is None or self._everywhere.places != places:
            self.close()
            model = self._engine.model if isinstance(self._engine, HybridSearch) else None
            self._everywhere = FederatedSearch(
                places, words=not isinstance(self._engine, HybridSearch), models=[model] if model else ()
            )
        return self._everywhere.search(query_from_json(request, own_weights())).as_json()

    def close(self) -> None:
        """End what was opened."""
        for one in (self._everywhere, self._team):
            if one is not None:
                one.close()
        self._everywhere = self._team = None


def request_of(message: str, *, memory_loaded: bool, today: date) -> dict[str, object]:
    """What ``answer_to`` understands."""
    return {
        "ask": "inject",
        "message": message,
        "memory_loaded": memory_loaded,
        "today": today.isoformat(),
    }


def answer_to(scopes: tuple[SearchScope, ...], request: Mapping[str, object]) -> dict[str, object]:
    """The injection for a request, as JSON. Raises UsageError and what ``inject`` raises."""
    message, told = request.get("message"), request.get("today")
    if not isinstance(message, str):
        raise UsageError("which message?", hint='for example {"ask": "inject", "message": "…"}')
    try:
        today = date.fromisoformat(told) if isinstance(told, str) else date.today()
    except ValueError as error:
        raise UsageError(f"{told!r} is no day", hint="for example 2026-03-20") from error
    return inject(
        scopes,
        message,
        settings=scopes[0].workspace.settings,
        now=datetime.combine(today, time(12), UTC),
        memory_loaded=request.get("memory_loaded") is not False,
    ).as_json()
