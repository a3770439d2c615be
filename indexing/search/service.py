"""Search in a process of its own: what the task ``search`` of ``workbench.worker`` says and hears.

Requests come as JSON lines on stdin, ``{"seq": 7, "query": "door code", "k": 10, "mode": "hybrid"}``
with whatever else a query has (filters, weights, user, plain, …); answers go as JSON lines to stdout, each
with its ``seq``. Words answer at once; ``{"event": "ready", "vectors": true}`` (or why not) tells when
meaning takes part. When several requests wait, only the newest is answered; the others get
``{"seq": 6, "dropped": true}``.

Memory as it was is asked for with ``"as_of": "2026-03-01"``, or with ``as-of:`` in the query. Such an answer
has the ``moment`` that it speaks of: when, commit, and the folder ``root`` in which its files can be read.
While a moment is being made ready, the answer is ``{"seq": 7, "waits_for": COMMIT}``, and events tell how far
it is and when to ask again (see ``indexing.search.snapshot_search``). Any line is answered; ends with stdin.

More may be answered by the same process, and so by the same model: ``{"seq": 8, "ask": "inject", …}`` goes
to what ``serve`` was given under that name (see ``workbench.agent.federated_search``).
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import TextIO

from indexing.query.language import understand
from indexing.search.answer import Query, query_from_json
from indexing.search.hybrid import HybridSearch
from indexing.search.snapshot_search import Lookback
from workbench.errors import IndexUnavailableError, WorkbenchError
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

_KNOWN_TYPES = (int, str, type(None))
"""Of these a ``seq`` may be; anything else is answered with null."""
Answerer = Callable[[Mapping[str, object]], Mapping[str, object]]
"""Answers requests of another sort. May raise what a search raises."""


class Service:
    """Answers the newest waiting request; the model is loaded in the background."""

    def __init__(
        self,
        workspace: Workspace,
        search: HybridSearch,
        requests: Iterable[str],
        out: TextIO,
        others: Mapping[str, Answerer] | None = None,
    ) -> None:
        self._search = search
        self._others = others or {}
        self._past = Lookback(workspace, self._of_the_past, self._say)
        self._requests = requests
        self._out = out
        self._waiting: dict[str, object] | None = None
        self._ended = False
        self._changed = threading.Condition()
        self._writing = threading.Lock()

    def run(self) -> None:
        """Serve until the requests end; the last one is still answered."""
        threading.Thread(target=self._load, daemon=True).start()
        threading.Thread(target=self._listen, daemon=True).start()
        while (request := self._next()) is not None:
            self._say(self._answer(request))
        self._past.close()

    def _next(self) -> dict[str, object] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting is not None or self._ended)
            request, self._waiting = self._waiting, None
            return request

    def _answer(self, request: dict[str, object]) -> dict[str, object]:
        said: dict[str, object] = {"seq": _number(request)}
        try:
            other = self._others.get(str(request.get("ask")))
            if other is not None:
                return {**said, **other(request)}
            query = query_from_json(request, self._search.weights)
            at = _moment(request, query)
            said.update(self._search.search(query).as_json() if at is None else self._as_of(at, query))
        except WorkbenchError as error:
            said["error"] = {"code": error.code, "message": error.message, "hint": error.hint}
        except Exception as error:  # the process outlives any one question
            said["error"] = {"code": "failed", "message": f"{type(error).__name__}: {error}", "hint": ""}
        return said

    def _as_of(self, at: str, query: Query) -> dict[str, object]:
        moment = self._past.at(at)
        if isinstance(moment, str):
            return {"waits_for": moment}
        try:
            answer = moment.search.search(query)
        except IndexUnavailableError:
            self._past.forget(moment)
            raise
        return {**answer.as_json(), "moment": moment.as_json()}

    def _of_the_past(self, place: PastWorkspace, today: Callable[[], date]) -> HybridSearch:
        return HybridSearch(place, today=today, model=self._search.model)

    def _listen(self) -> None:
        try:
            for line in self._requests:
                if line.strip():
                    self._take(line)
        except (OSError, ValueError):
            pass  # whoever asked is gone
        with self._changed:
            self._ended = True
            self._changed.notify()

    def _take(self, line: str) -> None:
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict):
            error = {"code": "usage", "message": "not a JSON object", "hint": ""}
            self._say({"seq": None, "error": error})
            return
        with self._changed:
            dropped, self._waiting = self._waiting, request
            self._changed.notify()
        if dropped is not None:
            self._say({"seq": _number(dropped), "dropped": True})

    def _load(self) -> None:
        try:
            why = self._search.load()
        except Exception as error:  # words go on without it, and the reason is told
            why = f"{type(error).__name__}: {error}"
        self._say({"event": "ready", "vectors": True if why is None else why})

    def _say(self, message: dict[str, object]) -> None:
        line = json.dumps(message)
        with self._writing:
            self._out.write(line + "\n")
            self._out.flush()


def _number(request: dict[str, object]) -> object:
    seq = request.get("seq")
    return seq if isinstance(seq, _KNOWN_TYPES) else None


def _moment(request: dict[str, object], query: Query) -> str | None:
    """The moment of the past that is asked about, or None for today."""
    if said := request.get("as_of"):
        return str(said)
    return None if query.plain else understand(query.text, date.today(), prefix=query.prefix).as_of


def serve(
    root: Path,
    requests: Iterable[str],
    out: TextIO,
    others: Callable[[Workspace, HybridSearch], Mapping[str, Answerer]] | None = None,
) -> None:
    """Serve the workspace at ``root`` until the requests end; ``others`` answer those of other sorts."""
    # One thread keeps its speed beside other work; several on busy cores are slower than one.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    workspace = Workspace.open(root, lenient=True)
    search = HybridSearch(workspace, load_on_demand=False)
    more = others(workspace, search) if others is not None else None
    Service(workspace, search, requests, out, more).run()
