"""The engines of live search: keyword search in a thread of this process, hybrid search in a worker process.

The search line and the index monitor subscribe to the events that they publish.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from asyncio.subprocess import Process
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import TYPE_CHECKING, Any

import msgspec

from screens.actions.availability import FocusContext
from screens.actions.keys import key_for
from screens.drawing.safe_text import Shown, said_of
from screens.jobs import worker_client
from screens.jobs.running_jobs import JobStage
from workbench.agent.search_update import SearchUpdate
from workbench.errors import WorkbenchError
from workbench.frozen import frozen, frozen_kw_only
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from workbench.agent.search_service import SearchService

KEYWORD_INDEX = "keyword index"
"""The phase after which there are keyword hits."""
EMBEDDING = "embedding"
"""The phase of which the units are vectors, which the search finds by as soon as they are stored."""


@frozen
class SearchAnswered:
    """An engine answered the question number ``seq``."""

    seq: int
    found: SearchUpdate
    final: bool


@frozen
class SearchFailed:
    """The question number ``seq`` has no answer, why, and what helps.

    ``hybrid_only``: only semantic search has none; the keyword hits stay.
    """

    seq: int
    reason: str
    hint: str = ""
    hybrid_only: bool = False


@frozen_kw_only
class MomentChanged:
    """How far the index of a moment of the past is: the one of ``commit``.

    ``seq`` is the question that waits for it, where that is told; ``problem`` is why it is not coming.
    """

    commit: str
    seq: int | None = None
    phase: str = ""
    done: int = 0
    total: int = 0
    ready: bool = False
    problem: str = ""
    hint: str = ""


@frozen
class MeaningChanged:
    """Semantic search is ready, or gone and why."""

    ready: bool
    reason: str = ""


@frozen_kw_only
class IndexChanged:
    """How far the index is: ``text`` while it is being built, None when it is done; ``stage`` has figures.

    What stands before `` · `` in ``text`` says enough where there is little room.
    """

    text: Shown | None
    searchable: bool
    problem: str = ""
    stage: JobStage | None = None


HITS = 50
PATIENCE_SECONDS = 30.0
"""A child that owes an answer for so long is taken for stuck, and started again."""
_RESTARTS = 3
_RESTART_SECONDS = 2.0
_NUMBERS = count(1)


@frozen
class TypedQuery:
    """What was typed, and its number.

    ``as_of`` names the moment of the past that it is about. ``explain`` asks for the
    parts of each score.
    """

    seq: int
    text: str
    as_of: str | None = None
    explain: bool = False
    everywhere: bool = False
    """Whether all registered workspaces are asked."""

    def as_request(self) -> dict[str, object]:
        """The hybrid question as ``workbench.agent.search_task`` takes it."""
        return {
            "seq": self.seq,
            "query": self.text,
            "k": HITS,
            "mode": "hybrid",
            "prefix": True,
            "explain": self.explain,
            "reach": "everywhere" if self.everywhere else "team",
            "as_of": self.as_of,
        }


class Engine:
    """Answers questions by publishing ``SearchAnswered``; says when semantic search comes and goes.

    A question has a number, so that whoever asked can drop answers to older ones. Neither engine delays a
    key: the thread skips questions that are already old, and the worker gets one question at a time, the
    newest. Only the worker searches memory of the past, because it builds the index of a moment that has
    none.
    """

    def __init__(self, workspace: Workspace, publish: Callable[[object], None]) -> None:
        self._workspace = workspace
        self._publish = publish
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="words")
        self._service: SearchService | None = None
        self._child: Process | None = None
        self._patience: asyncio.Timeout | None = None
        """Ends the reading of the child where it owes an answer for too long; None while none is read."""
        self._asked: TypedQuery | None = None
        self._waiting: TypedQuery | None = None
        self._newest = 0
        self._running = self._anew = False
        self._consulted: dict[str, asyncio.Future[dict[str, Any] | None]] = {}
        self.ready = False

    @property
    def alive(self) -> bool:
        """Whether the child runs, be it with meaning or without."""
        return self._child is not None

    def ask(self, question: TypedQuery) -> None:
        """Answer as soon as possible; older questions need no answer any more."""
        self._newest = question.seq
        if question.as_of is None:
            asyncio.get_running_loop().run_in_executor(self._executor, self._ask_words, question)
            if not self.ready:
                return
        elif not self.alive:
            why = "the process that searches the past is not running"
            by_hand = f"{key_for('reindex', FocusContext.QUERY)} starts it"
            self._publish(SearchFailed(question.seq, why, by_hand))
            return
        if self._asked is None:
            self._send(question)
        else:
            self._waiting = question

    async def values(self, name: str, begun: str, limit: int) -> tuple[tuple[str, int], ...]:
        """What can stand behind ``name:``, each value with its entries; nothing without an index."""

        def read() -> tuple[tuple[str, int], ...]:
            return self._by_words().index.values(name, begun, limit)

        # A RuntimeError: the interface is ending.
        with contextlib.suppress(RuntimeError, WorkbenchError, OSError):
            return await asyncio.get_running_loop().run_in_executor(self._executor, read)
        return ()

    async def consult(self, request: Mapping[str, object]) -> dict[str, Any] | None:
        """What the process of semantic search answers to a request of another sort than a search.

        None where it cannot: it is not ready, it ended, it does not answer, or a newer request came first.
        """
        child = self._child
        if not self.ready or child is None or child.stdin is None:
            return None
        name = f"consult:{next(_NUMBERS)}"
        self._consulted[name] = asyncio.get_running_loop().create_future()
        try:
            child.stdin.write(json.dumps({**request, "seq": name}).encode() + b"\n")
            answer = await asyncio.wait_for(self._consulted[name], PATIENCE_SECONDS)
        except (ConnectionError, TimeoutError):
            return None
        finally:
            self._consulted.pop(name, None)
        return None if answer is None or "dropped" in answer else answer

    async def run_child(self) -> None:
        """Keep semantic search running; returns when it has died too often, or runs already."""
        if self._running:
            return
        self._running = True
        attempt = 0
        try:
            while attempt <= _RESTARTS:
                if attempt:
                    await asyncio.sleep(_RESTART_SECONDS * attempt)
                reason = await self._one_child()
                self.ready, self._asked, self._waiting, self._child = False, None, None, None
                for answer in self._consulted.values():
                    if not answer.done():
                        answer.set_result(None)
                if self._anew:  # it was ended for another one to go by other settings
                    self._anew, attempt = False, 0
                    continue
                by_hand = f"{key_for('reindex', FocusContext.QUERY)} starts it again"
                again = "starting it again" if attempt < _RESTARTS else by_hand
                self._publish(MeaningChanged(ready=False, reason=f"{reason}; {again}"))
                attempt += 1
        finally:
            self._running = False

    def begin_anew(self) -> None:
        """The settings are others: both halves read them, for the next question."""
        with contextlib.suppress(RuntimeError):  # the interface is ending
            self._executor.submit(self._forget)
        if child := self._child:
            self._anew = True
            with contextlib.suppress(ProcessLookupError):
                child.terminate()

    def _forget(self) -> None:
        """In the thread: what was opened by the settings before."""
        if self._service:
            self._service.close()
        self._service = None

    async def close(self) -> None:
        """End both halves."""
        self._newest = -1  # questions that still wait need no answer
        self._executor.submit(self._forget)
        self._executor.shutdown(wait=False)
        await worker_client.stop(self._child)

    # -- words -----------------------------------------------------------------------------------

    def _ask_words(self, question: TypedQuery) -> None:
        """In the thread: search by words, unless a newer question waits already."""
        if question.seq != self._newest:
            return
        from indexing.search.answer import Query  # noqa: PLC0415 - not before the first paint

        try:
            query = Query(question.text, HITS, "lexical", prefix=True, explain=question.explain)
            found = self._by_words().search(query, "everywhere" if question.everywhere else "team")
            self._publish(SearchAnswered(question.seq, found.update(), final=not self.ready))
        except Exception as error:
            reason, *hint = said_of(error)
            self._publish(SearchFailed(question.seq, reason, "".join(hint)))

    def _by_words(self) -> SearchService:
        from workbench.agent.search_service import SearchService  # noqa: PLC0415 - not before the first paint

        if self._service is None:
            self._service = SearchService(self._workspace, vectors=False)
        return self._service

    # -- meaning ---------------------------------------------------------------------------------

    async def _one_child(self) -> str:
        """Run one child to its end; why it ended."""
        try:
            child = self._child = await worker_client.start("search", self._workspace.root, {})
        except OSError as error:
            return f"semantic search cannot be started: {error.strerror}"
        assert child.stdout
        try:
            async with asyncio.timeout(None) as self._patience:
                while line := await child.stdout.readline():
                    self._hear(worker_client.event(line))
        except TimeoutError:
            return "semantic search did not answer"
        except ValueError:
            return "semantic search sent an invalid answer"
        finally:
            self._patience = None
            await worker_client.stop(child)
        return "semantic search stopped"

    def _hear(self, said: Mapping[str, Any]) -> None:
        try:
            if said.get("event") == "ready":
                self.ready = said.get("vectors") is True
                reason = "" if self.ready else str(said.get("vectors"))
                self._publish(MeaningChanged(ready=self.ready, reason=reason))
            elif said.get("event") == "moment":
                self._publish(msgspec.convert(said, MomentChanged))
            elif isinstance(seq := said.get("seq"), int):
                self._answered(seq, said)
            elif (waiting := self._consulted.get(str(seq))) and not waiting.done():
                waiting.set_result(dict(said))
        except (ValueError, TypeError):
            return  # a line that is no answer; the words' hits stay

    def _answered(self, seq: int, said: Mapping[str, Any]) -> None:
        if said.get("final") is False:  # keyword hits of the past; the answer itself follows
            self._publish(SearchAnswered(seq, msgspec.convert(said, SearchUpdate), final=False))
            return
        question, self._asked = self._asked, None
        if self._patience:
            self._patience.reschedule(None)
        if self._waiting:
            self._send(self._waiting)
            self._waiting = None
        if "hits" in said:
            self._publish(SearchAnswered(seq, msgspec.convert(said, SearchUpdate), final=True))
        elif "waits_for" in said:
            self._publish(MomentChanged(commit=str(said["waits_for"]), seq=seq))
        elif isinstance(error := said.get("error"), dict):
            reason, hint = str(error.get("message")), str(error.get("hint") or "")
            past = question is not None and question.seq == seq and question.as_of is not None
            self._publish(SearchFailed(seq, reason, hint, hybrid_only=not past))

    def _send(self, question: TypedQuery) -> None:
        child = self._child
        if child is None or child.stdin is None or self._patience is None:
            return
        with contextlib.suppress(ConnectionError):
            child.stdin.write(json.dumps(question.as_request()).encode() + b"\n")
            self._asked = question
            self._patience.reschedule(asyncio.get_running_loop().time() + PATIENCE_SECONDS)
