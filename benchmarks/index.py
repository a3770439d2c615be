"""Times the index beside the bare engines doing the same work, in one run.

    python -m benchmarks.index [--entries 50000] [--queries 200] [--real-model] [--keep DIR]

Ratios are what counts: absolute times are those of this machine, at this moment. Without --real-model the
vectors are random and cost nothing, so that everything around the model is what is measured.
"""

from __future__ import annotations

import argparse
import datetime
import os
import random
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the service has it

import numpy as np
from numpy.typing import NDArray

from indexing.embedding.choice import ModelChoice
from indexing.embedding.local import bulk_threads, open_embedder
from indexing.embedding.port import Embedder
from indexing.lexical.terms import open_index, terms_of, words_query
from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from indexing.sync.generations import RACY_NS, Generations
from indexing.sync.run import reindex
from indexing.vectors import VectorReader
from workbench.errors import ModelUnavailableError
from workbench.workspace.workspace import Workspace

DIMENSION = 384
ENTRIES_A_DAY = 70
SYLLABLES = [c + v for c in "bdfgklmnprstv" for v in ("a", "e", "i", "o", "u", "ai", "ou")]
FUNCTION = ("the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "as", "was", "with", "be")
NAMES = ["Sarah Chen", "Miguel Ortiz", "Priya Nair", "Aiko Tanaka", "Omar Haddad", "Lena Fischer"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: ours and the bare engine's, both in ``unit``, and what is promised."""

    what: str
    ours: float
    bare: float | None
    unit: str
    promise: str

    def line(self) -> str:
        bare = "" if self.bare is None else f"{self.bare:.2f}"
        ratio = f"{self.ours / self.bare:.2f}" if self.bare else ""
        return f"{self.what:46}{self.ours:>11.2f}{bare:>11}{ratio:>8}  {self.unit:10}{self.promise}"


class InstantEmbedder(Embedder):
    """Random vectors for bulk at no cost; questions go to ``real`` where there is one."""

    def __init__(self, real: object | None) -> None:
        self.identity, self.dimension, self.window = "instant@1", DIMENSION, 256
        self._real = real
        self._random = np.random.default_rng(1)
        self.seconds = 0.0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self._real is not None and len(texts) == 1:
            return self._real.embed(texts)  # type: ignore[attr-defined, no-any-return]
        started = time.perf_counter()
        out = self._random.standard_normal((len(texts), DIMENSION), np.float32)
        out /= np.linalg.norm(out, axis=1, keepdims=True)
        self.seconds += time.perf_counter() - started
        return out


class Words:
    """Made-up words over a Zipf law, with English function words between."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.stems = list({"".join(self.random.choices(SYLLABLES, k=3)) for _ in range(30_000)})
        self.stems.sort()
        self.random.shuffle(self.stems)
        self.weights = [1 / (rank + 2.7) for rank in range(len(self.stems))]

    def sentences(self, count: int) -> list[str]:
        words = iter(self.random.choices(self.stems, self.weights, k=count * 16))
        out = []
        for _ in range(count):
            length = self.random.randint(6, 22)
            said = [
                self.random.choice(FUNCTION) if self.random.random() < 0.4 else next(words)
                for _ in range(length)
            ]
            out.append(" ".join(said))
        return out


def make_workspace(root: Path, entries: int, *, a_day: int = ENTRIES_A_DAY) -> list[str]:
    """Daily logs with about ``entries`` list items below ``root``; returns questions about them."""
    words = Words(1)
    sentences = words.sentences(entries)
    day = datetime.date(2024, 1, 1)
    (root / "memory").mkdir(parents=True)
    for start in range(0, entries, a_day):
        lines = [f"# {day}"]
        for at, text in enumerate(sentences[start : start + a_day]):
            if at % 6 == 0:
                lines += ["", f"## {8 + at // 6}:00 {text.split()[0]}", ""]
            lead = f"**{words.random.choice(NAMES)}:** " if words.random.random() < 0.3 else ""
            lines.append(f"- {lead}{text}")
        (root / f"memory/{day}.md").write_text("\n".join(lines) + "\n")
        day += datetime.timedelta(days=1)
    (root / "MEMORY.md").write_text("# Memory\n\n- Prefers async reviews over meetings\n")
    picked = words.random.sample(sentences, 400)
    return [" ".join(text.split()[:6]) for text in picked]


def timed(work: Callable[[], object], times: int = 5) -> float:
    """Median milliseconds of ``work``."""
    samples = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        samples.append((time.perf_counter() - started) * 1e3)
    return statistics.median(samples)


def percentiles(work: Callable[[str], object], questions: Sequence[str]) -> tuple[float, float]:
    """Median and 95th percentile in milliseconds of ``work`` over the questions, after a warm-up."""
    for text in questions[:10]:
        work(text)
    samples = []
    for text in questions[10:]:
        started = time.perf_counter()
        work(text)
        samples.append((time.perf_counter() - started) * 1e3)
    samples.sort()
    return statistics.median(samples), samples[int(len(samples) * 0.95) - 1]


def measure_reindex(workspace: Workspace, embedder: InstantEmbedder, model: ModelChoice) -> list[Row]:
    """From nothing, and with one file changed."""
    started = time.perf_counter()
    report = reindex(workspace, model=model)
    around = time.perf_counter() - started - embedder.seconds
    rows = [
        Row("reindex from nothing, around the model", report.entries / around, None, "entries/s", ">= 5000")
    ]
    changed = workspace.root / "MEMORY.md"
    samples = []
    for number in range(3):
        with changed.open("a") as file:
            file.write(f"- one more thing, number {number}\n")
        started = time.perf_counter()
        reindex(workspace, vectors=False)
        samples.append((time.perf_counter() - started) * 1e3)
    rows.append(Row("one changed file, searchable by words", min(samples), None, "ms", "<= 300"))
    reindex(workspace, model=model)
    return rows


def measure_nothing(model: ModelChoice, files: int = 10_000) -> Row:
    """A reindex of many files of which none changed; the fewer there are, the more the fixed part shows."""
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        make_workspace(Path(place), files, a_day=1)
        workspace = Workspace.open(place)
        reindex(workspace, model=model)
        time.sleep(RACY_NS / 1e9)  # as old as files usually are: their time stamps are trusted
        reindex(workspace, model=model)
        scan = timed(workspace.scan)
        nothing = timed(lambda: reindex(workspace, model=model))
    return Row(f"reindex of {files:,} unchanged files / bare scan", nothing, scan, "ms", "<= 2x")


def measure_queries(
    workspace: Workspace, embedder: InstantEmbedder, model: ModelChoice, questions: list[str]
) -> list[Row]:
    """Whole answers beside the bare engines' part of them."""
    generation = Generations(workspace.state_dir()).current()
    assert generation is not None
    index = open_index(generation.lexical)
    searcher = index.searcher()
    vectors = VectorReader(generation.vectors)
    lexical, hybrid = IndexSearch(workspace, vectors=False), IndexSearch(workspace, model=model)

    def bare_words(text: str) -> object:
        return searcher.search(words_query(terms_of(text)), 10, count=False).hits

    def bare_both(text: str) -> object:
        return vectors.nearest(embedder.embed([text])[0], 10)

    ours, ours_95 = percentiles(lambda text: lexical.search(Query(text)), questions)
    bare, bare_95 = percentiles(bare_words, questions)
    typed, typed_95 = percentiles(lambda text: lexical.search(Query(text, prefix=True)), questions)
    both, both_95 = percentiles(lambda text: hybrid.search(Query(text)), questions)
    engines, engines_95 = percentiles(bare_both, questions)
    return [
        Row("words, p50 / bare tantivy", ours, bare, "ms", "<= 2x + 3 ms"),
        Row("words, p95 / bare tantivy", ours_95, bare_95, "ms", "<= 2x + 3 ms"),
        Row("words while typing, p50", typed, None, "ms", ""),
        Row("words while typing, p95", typed_95, None, "ms", ""),
        Row("hybrid warm, p50 / bare embed + vectors", both, engines, "ms", "<= bare + 5 ms"),
        Row("hybrid warm, p95 / bare embed + vectors", both_95, engines_95, "ms", "<= bare + 5 ms"),
    ]


def measure_model(workspace: Workspace) -> list[Row]:
    """The share of a real reindex that is spent in the model. Takes as long as that takes."""
    real = open_embedder(threads=bulk_threads())
    spent = 0.0

    class Timed(Embedder):
        identity, dimension, window = real.identity, real.dimension, real.window

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            nonlocal spent
            started = time.perf_counter()
            try:
                return real.embed(texts)
            finally:
                spent += time.perf_counter() - started

    report = reindex(workspace, full=True, model=ModelChoice(real.identity, Timed))
    return [
        Row("share of a reindex spent in the model", spent / report.seconds * 100, None, "%", ">= 90"),
        Row("texts embedded", report.embedded / max(spent, 1e-9), None, "texts/s", ""),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--entries", type=int, default=50_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--real-model", action="store_true", help="also embed everything with the model")
    parser.add_argument("--keep", type=Path, help="make the workspace here and keep it")
    asked = parser.parse_args()
    root = asked.keep or Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        questions = make_workspace(root, asked.entries)[: asked.queries + 10]
        workspace = Workspace.open(root)
        try:
            real = open_embedder()
        except ModelUnavailableError:
            real = None
        embedder = InstantEmbedder(real)
        model = ModelChoice(embedder.identity, lambda: embedder)
        rows = [*measure_reindex(workspace, embedder, model), measure_nothing(model)]
        rows += measure_queries(workspace, embedder, model, questions)
        if asked.real_model:
            rows += measure_model(workspace)
        size = sum(path.stat().st_size for path in (root / ".workbench/index").rglob("*") if path.is_file())
        rows.append(Row("index on disk", size / 1e6, None, "MB", ""))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if sys.platform == "darwin" else 1024)
        rows.append(Row("memory of this process, at most", peak, None, "MB", ""))
        print(f"{asked.entries} entries, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        print(f"{'':46}{'ours':>11}{'bare':>11}{'ratio':>8}  {'unit':10}promise")
        for row in rows:
            print(row.line())
    finally:
        if not asked.keep:
            shutil.rmtree(root, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
