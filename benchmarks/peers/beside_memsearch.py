"""memsearch (PyPI), with the same model through its ``local`` provider, which is sentence-transformers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.peers.processes import Lines, Ran, run
from benchmarks.peers.tools import HYBRID, Hits, environment
from benchmarks.question_sets.conversations import Conversation, Place

_DRIVER = Path(__file__).with_name("memsearch_process.py")


class Memsearch:
    """The command ``program`` of a virtual environment of its own; all else is as it is by default.

    It has no search service, so its warm queries are asked of its own class in a process that stays open.
    """

    name = "memsearch"
    ways: tuple[str, ...] = (HYBRID,)

    def __init__(self, program: Path, model: Path, home: Path) -> None:
        self._program, self._model = program, model
        self._environment = environment(home)
        self.version = run((program, "--version"), self._environment).out.split()[-1]

    def index(self, root: Path, way: str = HYBRID) -> Ran:
        return self._run(root, "index", str(root))

    def change(self, root: Path, path: str, way: str = HYBRID) -> Ran:
        return self._run(root, "index", str(root / path))

    def once(self, root: Path, question: str, way: str = HYBRID) -> Ran:
        return self._run(root, "search", "--json-output", "--top-k", "10", "--", question)

    def hits(self, ran: Ran) -> Hits:
        found: Hits = json.loads(ran.out)
        return found

    @contextmanager
    def open(self, root: Path) -> Iterator[MemsearchProcess]:
        command = (self._program.with_name("python"), "-P", _DRIVER, root, self._model, _store(root))
        with Lines(command, self._environment) as lines:
            lines.hear()
            yield MemsearchProcess(lines, root)

    def _run(self, root: Path, command: str, *arguments: str) -> Ran:
        options = ("--provider", "local", "--model", self._model, "--milvus-uri", _store(root))
        return run((self._program, command, *options, *arguments), self._environment)


class MemsearchProcess:
    """Its class in a process that stays open, with the model loaded."""

    def __init__(self, lines: Lines, root: Path) -> None:
        self._lines, self._root = lines, root

    def ask(self, question: str, k: int, way: str = HYBRID) -> Hits:
        self._lines.say({"query": question, "k": k})
        found: Hits = self._lines.hear()["hits"]
        return found

    def places(self, hits: Hits, conversation: Conversation) -> Iterator[Place]:
        for hit in hits:
            path = Path(hit["source"]).relative_to(self._root.resolve()).as_posix()
            for line in range(hit["start_line"], hit["end_line"] + 1):
                yield Place(path, line)

    def changed(self, path: str) -> None:
        self._lines.say({"changed": str(self._root / path)})
        self._lines.hear()

    def busy(self) -> float:
        return self._lines.busy()

    def megabytes(self) -> float:
        return self._lines.megabytes


def _store(root: Path) -> Path:
    return root.with_name("memsearch.db")
