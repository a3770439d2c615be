"""The two halves of search: words in a thread of this process, meaning in a process of its own.

A question has a number; whoever asks drops answers to older numbers. Neither half can make a key wait:
the thread skips questions that are already old, and the child is asked one question at a time, the
newest.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from asyncio.subprocess import Process
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from textual.message import Message

from screens import children
from screens.hits import Found, found_in
from screens.messages import Answered, MeaningChanged, WordsFailed
from workbench.errors import WorkbenchError
from workbench.workspace.workspace import Workspace

HITS = 50
_RESTARTS = 3
_RESTART_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Question:
    """What was typed, and its number."""

    seq: int
    text: str


class Engine:
    """Answers questions by posting ``Answered``; says when the meaning half comes and goes."""

    def __init__(self, workspace: Workspace, post: Callable[[Message], object]) -> None:
        self._workspace = workspace
        self._post = post
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="words")
        self._words: Any = None
        self._child: Process | None = None
        self._asked: Question | None = None
        self._waiting: Question | None = None
        self._newest = 0
        self._running = False
        self.ready = False

    def ask(self, question: Question) -> None:
        """Answer as soon as possible; older questions need no answer any more."""
        self._newest = question.seq
        asyncio.get_running_loop().run_in_executor(self._executor, self._ask_words, question)
        if self.ready:
            if self._asked is None:
                self._send(question)
            else:
                self._waiting = question

    async def run_child(self) -> None:
        """Keep the meaning half running; returns when it has died too often, or runs already."""
        if self._running:
            return
        self._running = True
        try:
            await self._keep_running()
        finally:
            self._running = False

    async def _keep_running(self) -> None:
        for attempt in range(_RESTARTS + 1):
            if attempt:
                await asyncio.sleep(_RESTART_SECONDS * attempt)
            reason = await self._one_child()
            self.ready, self._asked, self._waiting = False, None, None
            again = "starting it again" if attempt < _RESTARTS else "r starts it again"
            self._post(MeaningChanged(ready=False, reason=f"{reason}; {again}"))

    async def close(self) -> None:
        """End both halves."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        await children.stop(self._child)

    # -- words -----------------------------------------------------------------------------------

    def _ask_words(self, question: Question) -> None:
        """In the thread: search by words, unless a newer question waits already."""
        if question.seq != self._newest:
            return
        try:
            found = self._search_words(question.text)
        except WorkbenchError as error:
            self._post(WordsFailed(question.seq, error.message))
        except Exception as error:
            self._post(WordsFailed(question.seq, f"{type(error).__name__}: {error}"))
        else:
            self._post(Answered(question.seq, found, final=not self.ready))

    def _search_words(self, text: str) -> Found:
        from indexing.answer import Query  # noqa: PLC0415 - not before the first paint
        from indexing.search import LexicalSearch  # noqa: PLC0415 - not before the first paint

        if self._words is None:
            self._words = LexicalSearch(self._workspace)
        answer = self._words.search(Query(text, HITS, "lexical", prefix=True))
        return found_in(answer.as_json())

    # -- meaning ---------------------------------------------------------------------------------

    async def _one_child(self) -> str:
        """Run one child to its end; why it ended."""
        try:
            child = self._child = await children.start(
                "indexing.service", self._workspace.root, with_input=True
            )
        except OSError as error:
            return f"the meaning half cannot be started: {error.strerror}"
        assert child.stdout is not None
        try:
            while line := await child.stdout.readline():
                self._hear(line)
        except ValueError:
            return "the meaning half answered with too long a line"
        finally:
            await children.stop(child)
        return "the meaning half stopped"

    def _hear(self, line: bytes) -> None:
        try:
            said = json.loads(line)
            if not isinstance(said, dict):
                return
            if said.get("event") == "ready":
                self.ready = said.get("vectors") is True
                reason = "" if self.ready else str(said.get("vectors"))
                self._post(MeaningChanged(ready=self.ready, reason=reason))
            elif "seq" in said:
                self._answered(said)
        except (ValueError, KeyError, TypeError):
            return  # a line that is no answer; the words' hits stay

    def _answered(self, said: dict[str, Any]) -> None:
        seq, self._asked = int(said["seq"]), None
        if self._waiting is not None:
            self._send(self._waiting)
            self._waiting = None
        if "hits" in said:
            self._post(Answered(seq, found_in(said), final=True))

    def _send(self, question: Question) -> None:
        child = self._child
        if child is None or child.stdin is None:
            return
        request = {"seq": question.seq, "query": question.text, "k": HITS, "mode": "hybrid", "prefix": True}
        with contextlib.suppress(ConnectionError):
            child.stdin.write(json.dumps(request).encode() + b"\n")
            self._asked = question
