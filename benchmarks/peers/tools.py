"""What is asked of a tool that is measured, and this project as one of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from benchmarks.peers.processes import Lines, Ran, run, start
from benchmarks.question_sets.conversations import Conversation, Place

PROJECT = Path(__file__).resolve().parents[2]
_PROGRAM = (sys.executable, "-m", "workbench")
Hits: TypeAlias = list[dict[str, Any]]
HYBRID, LEXICAL, VECTOR = "hybrid", "keyword only", "vectors only"


class Answering(Protocol):
    """A search process that is running."""

    def ask(self, question: str, k: int, way: str = HYBRID) -> Hits:
        """The best ``k`` hits, in the tool's own form."""

    def places(self, hits: Hits, conversation: Conversation) -> Iterator[Place]:
        """The lines of the hits, the best hit first."""

    def changed(self, path: str) -> None:
        """Have the file ``path`` indexed, which has just changed, where that does not happen by itself."""

    def busy(self) -> float:
        """Processor time so far, in seconds; 0 where the system does not tell."""

    def megabytes(self) -> float:
        """The most memory that it had resident at once; known when it is closed."""


class Tool(Protocol):
    """A tool with an index of workspaces. What it keeps for the workspace ``root`` lies beside ``root``."""

    name: str
    version: str
    ways: tuple[str, ...]

    def index(self, root: Path, way: str = HYBRID) -> Ran:
        """Bring the index up to date: from nothing when there is none."""

    def change(self, root: Path, path: str, way: str = HYBRID) -> Ran:
        """Bring the index up to date when ``path`` alone has changed."""

    def once(self, root: Path, question: str, way: str = HYBRID) -> Ran:
        """Ten hits, as JSON, from a process of their own."""

    def hits(self, ran: Ran) -> Hits:
        """The hits that ``once`` brought."""

    def open(self, root: Path) -> AbstractContextManager[Answering]:
        """A search process of ``root``, ready to answer."""


def environment(home: Path, **more: str) -> dict[str, str]:
    """What programs are started with: a home of their own, and no network."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    return {**kept, **offline, "HOME": str(home), **more}


class Workbench:
    """This project. ``home`` takes the prepared model and nothing that concerns a workspace."""

    name = "Memory Workbench"
    ways: tuple[str, ...] = (HYBRID, LEXICAL, VECTOR)
    _modes = {HYBRID: "hybrid", LEXICAL: "lexical", VECTOR: "vector"}  # noqa: RUF012 - never changed

    def __init__(self, home: Path) -> None:
        self._environment = environment(
            home, PYTHONPATH=str(PROJECT), WORKBENCH_CACHE=str(home / "workbench-cache")
        )
        self.version = self._run("--version").out.split()[-1]

    def prepare(self, root: Path) -> float:
        """Seconds for preparing the model, which is done once on a machine; ``root`` has no index yet."""
        return self.index(root).seconds - self._run("-w", root, "reindex", "--full").seconds

    def index(self, root: Path, way: str = HYBRID) -> Ran:
        return self._run("-w", root, "reindex", *(["--no-vectors"] if way == LEXICAL else []))

    def change(self, root: Path, path: str, way: str = HYBRID) -> Ran:
        return self.index(root, way)

    def once(self, root: Path, question: str, way: str = HYBRID) -> Ran:
        return self._run("-w", root, "search", "--mode", self._modes[way], "--json", "--", question)

    def hits(self, ran: Ran) -> Hits:
        found: Hits = json.loads(ran.out)["hits"]
        return found

    def bare_import(self) -> Ran:
        """Importing sentence-transformers and nothing else."""
        return run((sys.executable, "-c", "import sentence_transformers"), self._environment)

    @contextmanager
    def open(self, root: Path) -> Iterator[Service]:
        command = (sys.executable, "-m", "workbench.worker", "search", root)
        with Lines(command, self._environment) as lines:
            lines.say({})
            while (said := lines.hear()).get("event") != "ready":
                pass
            if said["vectors"] is not True:
                raise SystemExit(f"there is no search by meaning: {said['vectors']}")
            reindex = (*_PROGRAM, "-w", root, "reindex")
            service = Service(lines, self._modes, lambda: start(reindex, self._environment))
            try:
                yield service
            finally:
                service.finish()

    def _run(self, *arguments: str | Path) -> Ran:
        return run((*_PROGRAM, *arguments), self._environment)


class Service:
    """Our search process, as the interface uses it. Another process brings its index up to date."""

    def __init__(
        self, lines: Lines, modes: dict[str, str], reindex: Callable[[], subprocess.Popen[bytes]]
    ) -> None:
        self._lines, self._modes, self._reindex = lines, modes, reindex
        self._indexing: subprocess.Popen[bytes] | None = None

    def ask(self, question: str, k: int, way: str = HYBRID) -> Hits:
        self._lines.say({"seq": 1, "query": question, "k": k, "mode": self._modes[way]})
        answer = self._lines.hear()
        if "hits" not in answer or (answer["degraded"] and self._indexing is None):
            raise SystemExit(f"no whole answer to {question!r}: {answer}")
        found: Hits = answer["hits"]
        return found

    def places(self, hits: Hits, conversation: Conversation) -> Iterator[Place]:
        for hit in hits:
            for line in range(hit["start_line"], hit["end_line"] + 1):
                yield Place(hit["path"], line)

    def changed(self, path: str) -> None:
        self._indexing = self._reindex()

    def finish(self) -> None:
        """Wait until what ``changed`` began is done."""
        if self._indexing is not None:
            self._indexing.wait()

    def busy(self) -> float:
        return self._lines.busy()

    def megabytes(self) -> float:
        return self._lines.megabytes
