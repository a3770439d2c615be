"""Search as a task of ``workbench.worker``: one process, and so one model, for all searches of the interface.

Requests come as JSON lines on stdin, and answers go as JSON lines to stdout; see ``run``.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any, NoReturn, TextIO

import msgspec

from indexing.query.question import understand
from indexing.search.answer import Query, query_from_json
from indexing.search.index_search import commit_named, missing_index
from indexing.sync.report import SyncProgress
from workbench.agent.context import inject
from workbench.agent.federated_search import own_weights
from workbench.agent.search_service import SearchService
from workbench.agent.search_update import Moment, Reach
from workbench.errors import IndexUnavailableError, StoppedError, WorkbenchError
from workbench.frozen import frozen
from workbench.workspace.snapshot import KEPT, PastWorkspace, open_past
from workbench.workspace.task_context import TaskContext
from workbench.workspace.workspace import Workspace

Say = Callable[[dict[str, object]], None]


class InjectRequest(msgspec.Struct, frozen=True, tag_field="ask", tag="inject"):
    """A question of what an agent would be given with a message, as it is asked in JSON."""

    message: str
    today: date | None = None
    memory_loaded: bool | None = None
    """It is, unless this is false."""

    def answer(self, service: SearchService) -> dict[str, object]:
        """The injection, as JSON. Raises IndexUnavailableError."""
        now = datetime.combine(self.today or date.today(), time(12), UTC)
        loaded = self.memory_loaded is not False
        return inject(service, self.message, now=now, memory_loaded=loaded).as_json()


@frozen
class PastSearch:
    """One moment that can be searched."""

    place: PastWorkspace
    service: SearchService
    moment: Moment


class PastSearches:
    """Moments by their commit, of the workspace that ``service`` searches; ``say`` sends an event.

    Events are ``{"event": "moment", "commit", "phase", "done", "total"}`` while one is made ready, then the
    same with ``"ready": true`` (twice: by words, then with vectors) or ``"problem"`` and ``"hint"``. Making a
    moment ready takes seconds where memory is large, so a thread does it while questions about today are
    answered. The moment that was asked for last comes first: work on another one is given up.
    """

    def __init__(self, service: SearchService, say: Say) -> None:
        self._service = service
        self._say = say
        self._ready: dict[str, PastSearch] = {}
        """Those that were asked for last are at the end."""
        self._wanted: str | None = None
        self._work: Future[None] = Future()
        """Making the moment that is wanted ready."""
        self._changed = threading.Lock()
        self._thread = ThreadPoolExecutor(1)

    def at(self, moment: str) -> PastSearch | str:
        """The moment, ready to be searched; or the commit that is being made ready, to be asked for again.

        Raises what ``commit_at`` raises.
        """
        commit = commit_named(self._service.workspace, moment, date.today()).id
        with self._changed:
            found = self._ready.pop(commit, None)
            if found is not None and found.place.root.is_dir():
                self._ready[commit] = found
                return found
            # One that was ready was swept away by who opened other moments.
            if found is not None or commit != self._wanted or self._work.done():
                self._wanted = commit
                self._work = self._thread.submit(self._prepare, commit)
        return commit

    def forget(self, moment: PastSearch) -> None:
        """Have a moment made ready anew when it is asked for again: its index is gone or damaged."""
        with self._changed:
            self._ready.pop(moment.place.commit, None)
            if self._wanted == moment.place.commit:
                self._wanted = None

    def close(self) -> None:
        """Give up what is under way."""
        self._wanted = None

    # -- in the thread ---------------------------------------------------------------------------

    def _prepare(self, commit: str) -> None:
        try:
            if commit == self._wanted:
                self._make_ready(commit)
        except StoppedError:  # another one is wanted meanwhile
            pass
        except WorkbenchError as error:
            self._tell(commit, problem=error.message, hint=error.hint)
        except Exception as error:  # the last word on this moment must say what happened
            self._tell(commit, problem=f"{type(error).__name__}: {error}", hint="")

    def _make_ready(self, commit: str) -> None:
        # A repository is read from one thread only.
        with contextlib.closing(Workspace.open(self._service.workspace.root, lenient=True)) as own:
            self._tell(commit, phase="lay out", done=0, total=0)
            with contextlib.closing(open_past(own, commit)) as place:
                if missing_index(place, vectors=False):
                    self._index(place, vectors=False)
                self._keep(open_past(own, commit))
                self._tell(commit, ready=True)
                if missing_index(place, vectors=True):
                    self._index(place, vectors=True)
                    self._tell(commit, ready=True)

    def _index(self, place: PastWorkspace, *, vectors: bool) -> None:
        """Index a moment. Raises StoppedError where another one is wanted meanwhile."""
        from indexing.sync.run import reindex  # noqa: PLC0415 - few ask for the past

        def go_on(progress: SyncProgress) -> None:
            if self._wanted != place.commit:
                raise StoppedError("indexing")
            self._tell(place.commit, phase=progress.phase, done=progress.done, total=progress.total)

        reindex(place, vectors=vectors, progress=go_on)

    def _keep(self, place: PastWorkspace) -> None:
        service = SearchService(place, model=self._service.index.model)
        place.close()  # from now on only its files are read
        with self._changed:
            self._ready[place.commit] = PastSearch(place, service, Moment(place.moment, str(place.root)))
            while len(self._ready) > KEPT:
                del self._ready[next(iter(self._ready))]

    def _tell(self, commit: str, **said: object) -> None:
        self._say({"event": "moment", "commit": commit, **said})


class SearchTask:
    """Answers the newest waiting request; the model is loaded in the background."""

    def __init__(self, service: SearchService, requests: Iterable[str], out: TextIO) -> None:
        self._service = service
        self._past = PastSearches(service, self._say)
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
            self._answer(request)
        self._past.close()

    def _next(self) -> dict[str, object] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting is not None or self._ended)
            request, self._waiting = self._waiting, None
            return request

    def _answer(self, request: dict[str, object]) -> None:
        seq = {"seq": request.get("seq")}
        try:
            for said in self._answers(request):
                self._say({**seq, **said})
        except WorkbenchError as error:
            self._refuse(seq, error.code, error.message, error.hint)
        except msgspec.ValidationError as error:
            self._refuse(seq, "usage", str(error))
        except Exception as error:  # the process outlives any one question
            self._refuse(seq, "failed", f"{type(error).__name__}: {error}")

    def _answers(self, request: dict[str, object]) -> Iterator[dict[str, object]]:
        if request.get("ask") == "inject":
            yield {"injection": msgspec.convert(request, InjectRequest).answer(self._service)}
            return
        reach = msgspec.convert(request.get("reach", "team"), Reach)
        everywhere = reach == "everywhere"
        query = query_from_json(request, own_weights() if everywhere else self._service.index.weights)
        at = None if everywhere else _moment(request, query)
        if at is None:
            yield msgspec.to_builtins(self._service.search(query, reach).update())
            return
        past = self._past.at(at)
        if isinstance(past, str):
            yield {"waits_for": past}
            return
        try:
            for found in past.service.stream(query):
                yield msgspec.to_builtins(replace(found.update(), moment=past.moment))
        except IndexUnavailableError:
            self._past.forget(past)
            raise

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
            self._refuse({"seq": None}, "usage", "not a JSON object")
            return
        with self._changed:
            dropped, self._waiting = self._waiting, request
            self._changed.notify()
        if dropped is not None:
            self._say({"seq": dropped.get("seq"), "dropped": True})

    def _load(self) -> None:
        try:
            why = self._service.index.load()
        except Exception as error:  # words go on without it, and the reason is told
            why = f"{type(error).__name__}: {error}"
        self._say({"event": "ready", "vectors": True if why is None else why})

    def _refuse(self, seq: dict[str, object], code: str, message: str, hint: str = "") -> None:
        self._say({**seq, "error": {"code": code, "message": message, "hint": hint}})

    def _say(self, message: dict[str, object]) -> None:
        line = json.dumps(message)
        with self._writing:
            self._out.write(line + "\n")
            self._out.flush()


def _moment(request: dict[str, object], query: Query) -> str | None:
    """The moment of the past that is asked about, or None for today."""
    if said := request.get("as_of"):
        return str(said)
    return None if query.plain else understand(query.text, date.today(), prefix=query.prefix).as_of


def run(root: Path, _: Mapping[str, Any], context: TaskContext) -> NoReturn:
    """Answer until stdin ends, and end the process at once: a model still loading must not hold it.

    A request is ``{"seq": 7, "query": "door code", "k": 10, "mode": "hybrid"}`` with whatever else a query
    has (filters, weights, user, plain, …) and the ``"reach"`` of a ``SearchService``. Each answer is a
    ``SearchUpdate`` with its ``seq``. Keyword hits come at once; ``{"event": "ready", "vectors": true}`` (or
    why not) says from when on semantic search takes part. Of several waiting requests only the newest is
    answered; the others get ``{"seq": 6, "dropped": true}``. Any line is answered.

    ``"as_of": "2026-03-01"``, or ``as-of:`` in the query, asks for memory as it was (``PastSearches``). The
    answer has the ``moment`` that it speaks of: when, and the folder ``root`` in which its files can be read;
    its keyword hits come first, with ``"final": false``. While the moment is being made ready the answer is
    ``{"seq": 7, "waits_for": COMMIT}``, and events say how far that is and when to ask again.

    ``{"seq": 8, "ask": "inject", "message": "…", "memory_loaded": true, "today": "2026-03-20"}`` is answered
    with ``{"seq": 8, "injection": {…}}``, the context that an agent would be given. No request here is
    recorded as a recall.
    """
    # One thread keeps its speed beside other work; several on busy cores are slower than one.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    requests = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    workspace = Workspace.open(root, lenient=True)
    SearchTask(SearchService(workspace, load_on_demand=False), requests, context.out).run()
    context.out.flush()
    os._exit(0)
