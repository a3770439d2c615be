"""basic-memory (PyPI), with the same model in the form that its engine (fastembed) reads."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.peers.processes import Lines, Ran, run
from benchmarks.peers.tools import HYBRID, PROJECT, Hits, environment
from benchmarks.question_sets.conversations import Conversation, Place

_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
_PROJECT = "workspace"
_EXTENSIONS = "import sqlite3; sqlite3.Connection.enable_load_extension"


class BasicMemory:
    """The command ``program`` of a virtual environment of its own; all but the model is as it is by default.

    It adds front matter to the files that it indexes. Its warm queries are asked of its MCP server, which is
    how agents use it. Exits when its Python cannot load what it needs for search by meaning.
    """

    name = "basic-memory"
    ways: tuple[str, ...] = (HYBRID,)

    def __init__(self, program: Path, model: Path, home: Path) -> None:
        self._program, self._home = program, home
        run((program.with_name("python"), "-c", _EXTENSIONS), environment(home))
        self.version = run((program, "--version"), environment(home)).out.split()[-1]
        exporting = environment(home, PYTHONPATH=str(PROJECT))
        export = (sys.executable, "-m", "benchmarks.peers.fastembed_model", model, self._models)
        run(export, exporting)

    @property
    def _models(self) -> Path:
        return self._home / "fastembed"

    def index(self, root: Path, way: str = HYBRID) -> Ran:
        if _state(root).exists():
            return self._run(root, "project", "index", _PROJECT)
        return self._run(root, "project", "add", _PROJECT, root)

    def change(self, root: Path, path: str, way: str = HYBRID) -> Ran:
        return self.index(root)

    def once(self, root: Path, question: str, way: str = HYBRID) -> Ran:
        asked = ("--project", _PROJECT, "--hybrid", "--json", "--", question)
        return self._run(root, "tool", "search-notes", *asked)

    def hits(self, ran: Ran) -> Hits:
        return _results(ran.out)

    @contextmanager
    def open(self, root: Path) -> Iterator[BasicMemoryServer]:
        command = (self._program, "mcp", "--project", _PROJECT)
        with Lines(command, self._environment(root)) as lines:
            server = BasicMemoryServer(lines)
            server.start()
            yield server

    def _run(self, root: Path, *arguments: str | Path) -> Ran:
        return run((self._program, *arguments), self._environment(root))

    def _environment(self, root: Path) -> dict[str, str]:
        return environment(
            self._home,
            BASIC_MEMORY_CONFIG_DIR=str(_state(root)),
            BASIC_MEMORY_HOME=str(root.with_name("basic-memory-home")),
            BASIC_MEMORY_AUTO_UPDATE="false",
            BASIC_MEMORY_SEMANTIC_EMBEDDING_MODEL=_MODEL,
            BASIC_MEMORY_SEMANTIC_EMBEDDING_CACHE_DIR=str(self._models),
        )


class BasicMemoryServer:
    """Its MCP server on pipes. It watches the files by itself."""

    def __init__(self, lines: Lines) -> None:
        self._lines, self._number = lines, 0

    def start(self) -> None:
        about = {"name": "benchmark", "version": "1"}
        self._call("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=about)
        self._lines.say({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}})
        self.ask("warm", 1)

    def ask(self, question: str, k: int, way: str = HYBRID) -> Hits:
        asked = {"query": question, "search_type": "hybrid", "output_format": "json", "page_size": k}
        result = self._call("tools/call", name="search_notes", arguments=asked)
        return _results(result["content"][0]["text"])

    def places(self, hits: Hits, conversation: Conversation) -> Iterator[Place]:
        """The lines of the passages that match in each note, then all that it shows of the notes."""
        for part in ("matched_chunk", "content"):
            for hit in hits:
                yield from conversation.places_in(hit["file_path"], hit.get(part) or "")

    def changed(self, path: str) -> None:
        """Nothing: it watches."""

    def busy(self) -> float:
        return self._lines.busy()

    def megabytes(self) -> float:
        return self._lines.megabytes

    def _call(self, method: str, **parameters: object) -> dict[str, Any]:
        self._number += 1
        self._lines.say({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        while (said := self._lines.hear()).get("id") != self._number:
            pass
        if "result" not in said:
            raise SystemExit(f"basic-memory refused {method}: {said}")
        found = said["result"]
        assert isinstance(found, dict)
        return found


def _results(answer: str) -> Hits:
    """The hits of an answer; exits with the answer where it is none, as when it has no search by meaning."""
    if not answer.lstrip().startswith("{"):
        raise SystemExit(f"basic-memory does not answer: {answer}")
    found: Hits = json.loads(answer)["results"]
    return found


def _state(root: Path) -> Path:
    return root.with_name("basic-memory")
