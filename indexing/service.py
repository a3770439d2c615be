"""Search in a process of its own: ``python -m indexing.service WORKSPACE``.

Requests come as JSON lines on stdin, ``{"seq": 7, "query": "door code", "k": 10, "mode": "hybrid"}``
with whatever else a query has; answers go as JSON lines to stdout, each with its ``seq``. Words answer
at once; ``{"event": "ready", "vectors": true}`` (or why not) tells when meaning takes part. When several
requests wait, only the newest is answered; the others get ``{"seq": 6, "dropped": true}``. Ends with stdin.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from indexing.answer import query_from_json
from indexing.hybrid import HybridSearch
from workbench.errors import WorkbenchError
from workbench.workspace.workspace import Workspace


class Service:
    """Answers the newest waiting request; the model is loaded in the background."""

    def __init__(self, search: HybridSearch, requests: Iterable[str], out: TextIO) -> None:
        self._search = search
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

    def _next(self) -> dict[str, object] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting is not None or self._ended)
            request, self._waiting = self._waiting, None
            return request

    def _answer(self, request: dict[str, object]) -> dict[str, object]:
        said: dict[str, object] = {"seq": request.get("seq")}
        try:
            answer = self._search.search(query_from_json(request)).as_json()
        except WorkbenchError as error:
            said["error"] = {"code": error.code, "message": error.message, "hint": error.hint}
        except Exception as error:  # the process outlives any one question
            said["error"] = {"code": "failed", "message": f"{type(error).__name__}: {error}", "hint": ""}
        else:
            said.update(answer)
        return said

    def _listen(self) -> None:
        for line in self._requests:
            if line.strip():
                self._take(line)
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
            self._say({"seq": dropped.get("seq"), "dropped": True})

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


def main(arguments: list[str]) -> int:
    """Serve the workspace that is named."""
    # One thread keeps its speed beside other work; several on busy cores are slower than one.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    workspace = Workspace.open(Path(arguments[0]))
    search = HybridSearch(workspace, load_on_demand=False)
    try:
        Service(search, sys.stdin, sys.stdout).run()
    except (BrokenPipeError, KeyboardInterrupt):
        return 0
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)  # a model that is still loading in its thread must not hold the process
