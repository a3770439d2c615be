"""One run over all conversations and all tools."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.peers.figures import Figures, Recall, Row
from benchmarks.peers.tools import HYBRID, LEXICAL, Answering, Tool, Workbench
from benchmarks.question_sets.conversations import Conversation, write_workspace
from benchmarks.repository import make

K = 80
WARM_UP = 5
LIMIT_SECONDS = 120.0
FULL, NOTHING, ONE = "full index", "index, nothing changed", "one changed file, as a command"
ONE_WORDS = "one changed file, by keyword only"
ONE_RUNNING = "one changed file, until a running search finds it"
COLD, COLD_WORDS = "query in a new process", "query in a new process, keyword only"
WARM, WARM_WORDS = "query in a running process", "query in a running process, keyword only"
WARM_BUSY = "query in a running process, processor time"
FULL_BUSY, COLD_BUSY = "full index, processor time", "query in a new process, processor time"
MEMORY_INDEX, MEMORY_COLD = "memory of a full index, at most", "memory of a query in a new process, at most"
MEMORY_WARM = "memory of the running process, at most"
IMPORT = "import of sentence-transformers"
ROWS = [
    *(Row(what, "s") for what in (FULL, FULL_BUSY, NOTHING, ONE, ONE_WORDS, ONE_RUNNING)),
    *(Row(what, "s") for what in (COLD, COLD_BUSY, COLD_WORDS)),
    *(Row(what, "ms") for what in (WARM, WARM_BUSY, WARM_WORDS)),
    *(Row(what, "MB") for what in (MEMORY_INDEX, MEMORY_COLD, MEMORY_WARM)),
]
LARGE_ROWS = [
    *(Row(what, "s") for what in (FULL, FULL_BUSY, NOTHING, ONE, ONE_WORDS)),
    Row(MEMORY_INDEX, "MB"),
]


class Comparison:
    """What is measured, in turn, and the tables of it. ``scratch`` is an empty folder to work in."""

    def __init__(self, scratch: Path, ours: Workbench, peers: Sequence[Tool]) -> None:
        self._scratch, self._ours, self._peers = scratch, ours, peers
        self._tools: list[Tool] = [ours, *peers]
        self._figures, self._large, self._recall = Figures(), Figures(), Recall()
        self._prepared = 0.0

    def run(self, conversations: Sequence[Conversation], *, runs: int, warm: int, entries: int) -> None:
        """Measure: ``runs`` one-shot and ``warm`` other queries a conversation; ``entries`` may be 0."""
        self._prepared = self._warm_up()
        for number, conversation in enumerate(conversations):
            turn = number % len(self._tools)
            self._measure(conversation, self._tools[turn:] + self._tools[:turn], runs, warm)
        if entries:
            self._measure_large(entries)

    def _warm_up(self) -> float:
        """Everything once, so that nothing is compiled or read from the disk for the first time later."""
        files = {"MEMORY.md": "# Memory\n\n- Prefers async reviews over meetings\n"}
        roots = {tool.name: self._workspace(tool, "warm-up", files) for tool in self._tools}
        prepared = self._ours.prepare(roots[self._ours.name])
        for tool in self._tools:
            tool.index(roots[tool.name])
            tool.once(roots[tool.name], "meetings")
        self._ours.bare_import()
        return prepared

    def _workspace(self, tool: Tool, name: str, files: dict[str, str]) -> Path:
        """A workspace of the tool's own: some of them write into it."""
        root = self._scratch / tool.name.replace(" ", "-") / name / "workspace"
        write_workspace(root, files)
        return root

    def _measure(self, conversation: Conversation, tools: list[Tool], runs: int, warm: int) -> None:
        started = time.perf_counter()
        files = conversation.files
        roots = {tool.name: self._workspace(tool, conversation.name, files) for tool in tools}
        for tool in tools:
            self._measure_index(tool, roots[tool.name], self._figures)
        for question in conversation.questions[:runs]:
            for tool in tools:
                ran = tool.once(roots[tool.name], question.text)
                self._figures.add(COLD, tool, ran.seconds)
                self._figures.add(COLD_BUSY, tool, ran.busy)
                self._figures.add(MEMORY_COLD, tool, ran.megabytes)
            words = self._ours.once(roots[self._ours.name], question.text, LEXICAL)
            self._figures.add(COLD_WORDS, self._ours, words.seconds)
            self._figures.add(IMPORT, self._ours, self._ours.bare_import().seconds)
        with ExitStack() as stack:
            running = {tool.name: stack.enter_context(tool.open(roots[tool.name])) for tool in tools}
            self._measure_warm(conversation, tools, running, warm)
            self._measure_recall(conversation, running)
            for tool in tools:
                seconds = _until_found(running[tool.name], roots[tool.name], "brindlewick")
                self._figures.add(ONE_RUNNING, tool, seconds)
        for tool in tools:
            self._figures.add(MEMORY_WARM, tool, running[tool.name].megabytes())
            self._measure_change(tool, roots[tool.name], self._figures)
        taken = time.perf_counter() - started
        narrate(f"{conversation.name}: {len(conversation.turns)} turns, {taken:.0f} s")

    def _measure_index(self, tool: Tool, root: Path, figures: Figures) -> None:
        full = tool.index(root)
        figures.add(FULL, tool, full.seconds)
        figures.add(FULL_BUSY, tool, full.busy)
        figures.add(MEMORY_INDEX, tool, full.megabytes)
        figures.add(NOTHING, tool, tool.index(root).seconds)

    def _measure_change(self, tool: Tool, root: Path, figures: Figures) -> None:
        changes = [(ONE, "thistledown", HYBRID)]
        if LEXICAL in tool.ways:
            changes.append((ONE_WORDS, "larkmeadow", LEXICAL))
        for what, word, way in changes:
            path = _change(root, word)
            figures.add(what, tool, tool.change(root, path, way).seconds)
            if word not in str(tool.hits(tool.once(root, word, way))):
                raise SystemExit(f"{tool.name} does not find what was added to {path}")

    def _measure_warm(
        self, conversation: Conversation, tools: list[Tool], running: dict[str, Answering], count: int
    ) -> None:
        for number, question in enumerate(conversation.questions[: count + WARM_UP]):
            asked = [(WARM, tool, HYBRID) for tool in tools] + [(WARM_WORDS, self._ours, LEXICAL)]
            for what, tool, way in asked:
                busy, started = running[tool.name].busy(), time.perf_counter()
                running[tool.name].ask(question.text, 10, way)
                taken, worked = time.perf_counter() - started, running[tool.name].busy() - busy
                if number >= WARM_UP:
                    self._figures.add(what, tool, taken)
                    if worked and what == WARM:
                        self._figures.add(WARM_BUSY, tool, worked)

    def _measure_recall(self, conversation: Conversation, running: dict[str, Answering]) -> None:
        for tool in self._tools:
            for way in tool.ways:
                label = f"{tool.name}, {way}" if len(tool.ways) > 1 else tool.name
                for question in conversation.questions:
                    hits = running[tool.name].ask(question.text, K, way)
                    places = running[tool.name].places(hits, conversation)
                    self._recall.add(label, question.category, conversation.recall(question, places))

    def _measure_large(self, entries: int) -> None:
        for tool in self._tools:
            root = self._scratch / tool.name.replace(" ", "-") / "large" / "workspace"
            root.parent.mkdir(parents=True)
            make(root, files=201, commits=entries + 1)
            started = time.perf_counter()
            self._measure_index(tool, root, self._large)
            self._measure_change(tool, root, self._large)
            narrate(f"{entries} entries, {tool.name}: {time.perf_counter() - started:.0f} s")

    def report(self, *, categories: bool) -> str:
        """Markdown for a README, and what was measured beside the tables."""
        blocks = [[f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end"], self._recall.table()]
        if categories:
            blocks.append(self._recall.by_category())
        blocks.append(self._figures.table(ROWS, self._ours, self._peers))
        if self._large:
            blocks.append(self._large.table(LARGE_ROWS, self._ours, self._peers))
        bare = self._figures.median(IMPORT, self._ours)
        cold, words = (self._figures.median(what, self._ours) for what in (COLD, COLD_WORDS))
        blocks.append(
            [
                f"Importing sentence-transformers alone takes {bare:.2f} s. A query in a new process takes",
                f"{cold / bare:.2f} of that by keyword and by vectors, {words / bare:.2f} by keyword only.",
                f"Preparing the model took {self._prepared:.1f} s, once on a machine, and is in no figure.",
            ]
        )
        return "\n\n".join("\n".join(block) for block in blocks)


def _change(root: Path, word: str) -> str:
    """Add an entry with ``word`` to the shortest log (some tools show the beginning only); its path."""
    log = min((root / "memory").glob("*.md"), key=lambda path: (path.stat().st_size, path.name))
    with log.open("a", encoding="utf-8") as file:
        file.write(f"\n- The spare key is in the drawer marked {word}.\n")
    return log.relative_to(root).as_posix()


def _until_found(running: Answering, root: Path, word: str) -> float:
    """Seconds from a change of a file until a running process answers with it."""
    path = _change(root, word)
    started = time.perf_counter()
    running.changed(path)
    while word not in str(running.ask(word, 10)):
        if time.perf_counter() - started > LIMIT_SECONDS:
            raise SystemExit(f"what was added to {path} was not found in {LIMIT_SECONDS:.0f} s")
        time.sleep(0.02)
    return time.perf_counter() - started


def narrate(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
