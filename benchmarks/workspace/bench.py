"""How fast and how well this memory is searched on this machine. No memory file is written.

What has to write (a sync) runs on a copy in a temporary folder. Every part has a share of the time that is
given; what does not fit into it is measured with fewer runs, and the report says with how many.
"""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.workspace.sample_questions import Sample, indexed_texts, samples
from benchmarks.workspace.stopwatch import Times, measure, times
from benchmarks.workspace.sync_bench import sync_times
from indexing.embedding.choice import ModelChoice, choices
from indexing.search.answer import Query, SearchAnswer
from indexing.search.index_search import IndexSearch
from indexing.search.modes import Mode
from indexing.sync.generations import Generations
from workbench.errors import IndexUnavailableError, ModelUnavailableError
from workbench.health.index_checks import is_asked
from workbench.health.recall_tests import Recall, Verdict, read_recall_tests, run_recall_tests, summary
from workbench.workspace.workspace import Workspace

SECONDS = 24.0
QUICK_SECONDS = 7.0
"""What all parts together may take, roughly: the start of a process is not cut short."""
SHOWS = (
    "the questions are some of the rarer words of your own entries: they show that an entry can be had back "
    "by words that stand in it, and how fast; not that a question in other words finds it, which only recall "
    "tests of your own can show (`workbench check`)"
)
_SAMPLES, _QUICK_SAMPLES = 100, 30
_COLD_RUNS, _QUICK_COLD_RUNS = 3, 1
_CHILD_SECONDS = 60.0
_EMBEDDED = 256
_MODES: tuple[Mode, ...] = ("lexical", "vector", "hybrid")


@dataclass(slots=True)
class BenchReport:
    """What was measured. ``speed`` holds times by what was done; ``left_out`` says what was not, and why.

    ``finding`` is recall over the sample by mode, ``sizes`` are bytes, ``rates`` a second.
    """

    machine: dict[str, str | int]
    entries: int = 0
    files: int = 0
    speed: dict[str, Times] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    finding: dict[str, Recall] = field(default_factory=dict)
    tests: Recall | None = None
    left_out: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def as_json(self) -> dict[str, object]:
        """The report as the command line prints it."""
        return {
            "machine": self.machine,
            "files": self.files,
            "entries": self.entries,
            "speed": {name: found.as_json() for name, found in self.speed.items()},
            "per_second": {name: round(rate, 1) for name, rate in self.rates.items()},
            "bytes": self.sizes,
            "finding": {name: found.as_json() for name, found in self.finding.items()},
            "finding_shows": SHOWS,
            "recall_tests": self.tests.as_json() if self.tests else None,
            "left_out": self.left_out,
            "seconds": round(self.seconds, 1),
        }


def bench(
    workspace: Workspace,
    *,
    quick: bool = False,
    model: ModelChoice | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> BenchReport:
    """Measure; ``told`` hears what is measured next. ``model`` stands in for the one in the settings.

    Raises IndexUnavailableError where there is no index.
    """
    started = time.perf_counter()
    run = _Bench(workspace, quick=quick, model=model, told=told)
    report = run.run()
    report.seconds = time.perf_counter() - started
    return report


class _Bench:
    def __init__(
        self, workspace: Workspace, *, quick: bool, model: ModelChoice | None, told: Callable[[str], None]
    ) -> None:
        self._workspace = workspace
        self._quick = quick
        self._model = model
        self._told = told
        self._seconds = QUICK_SECONDS if quick else SECONDS
        self._report = BenchReport(_machine())
        self._ranks: dict[str, list[int | None]] = {}

    def run(self) -> BenchReport:
        workspace, report = self._workspace, self._report
        self._told("reading the index")
        texts = indexed_texts(workspace)
        report.entries = len(texts)
        report.files = len(workspace.scan())
        asked = samples(texts, _QUICK_SAMPLES if self._quick else _SAMPLES)
        self._speed("scan", lambda _: workspace.scan(), range(20), 0.04)
        self._sizes()
        if asked:
            self._search(asked)
            self._cold(asked)
        else:
            report.left_out["search"] = "no entry has three words of its own to ask for"
        self._embedding([text for _, _, text in texts])
        self._told("syncing a copy")
        with_vectors = not self._quick and "meaning" not in report.left_out
        found = sync_times(workspace, seconds=self._seconds * 0.25, vectors=with_vectors, model=self._model)
        report.speed |= found.times
        report.left_out |= found.left_out
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        report.sizes["memory of this process"] = peak * (1 if sys.platform == "darwin" else 1024)
        return report

    def _speed(
        self, name: str, work: Callable[[int], object], given: Sequence[int] | range, share: float
    ) -> None:
        self._told(name)
        if found := measure(work, given, self._seconds * share):
            self._report.speed[name] = found

    def _search(self, asked: list[Sample]) -> None:
        """Warm searches: each question is asked once, and what it finds is judged on the way."""
        self._judged("lexical", asked, IndexSearch(self._workspace, vectors=False).search)
        hybrid = IndexSearch(self._workspace, model=self._model)
        why: str | None = _REMOTE if self._is_remote() else None
        if why is None:
            self._told("loading the model")
            why = hybrid.load() or _degraded(hybrid.search(Query(asked[0].question, mode="hybrid")))
        if why is not None:
            self._report.left_out["meaning"] = why
        else:
            self._judged("vector", asked, hybrid.search)
            self._judged("hybrid", asked, hybrid.search)
        common = min(map(len, self._ranks.values()), default=0)  # of the questions that all ways were asked
        self._report.finding = {name: summary(ranks[:common]) for name, ranks in self._ranks.items()}
        tests = read_recall_tests(self._workspace)
        if tests and why != _REMOTE:
            verdicts: list[Verdict] = run_recall_tests(self._workspace, tests, hybrid.search)
            self._report.tests = summary(verdict.rank for verdict in verdicts if verdict.test.wanted)

    def _is_remote(self) -> bool:
        return self._model is None and is_asked(self._workspace)

    def _judged(self, mode: Mode, asked: list[Sample], search: Callable[[Query], SearchAnswer]) -> None:
        ranks: list[int | None] = []

        def ask(sample: Sample) -> None:
            answer = search(Query(sample.question, k=10, mode=mode, plain=True))
            same = (hit.rank for hit in answer.hits if _hash(hit.entry) == sample.hash)
            ranks.append(next(same, None))

        self._told(f"searching by {_NAMES[mode]}")
        search(Query(asked[0].question, mode=mode, plain=True))  # what is loaded once is not measured here
        if found := measure(ask, asked, self._seconds * 0.12):
            self._report.speed[f"search by {_NAMES[mode]}, warm"] = found
            self._ranks[_NAMES[mode]] = ranks

    def _cold(self, asked: list[Sample]) -> None:
        """One search in a process of its own, start and imports included, as the command line does it."""
        for mode in ("lexical", "hybrid"):
            if mode == "hybrid" and ("meaning" in self._report.left_out or self._model is not None):
                continue
            self._told(f"one search by {_NAMES[mode]} in a new process")
            out: list[float] = []
            for sample in asked[: _QUICK_COLD_RUNS if self._quick else _COLD_RUNS]:
                before = time.perf_counter()
                if not self._one_shot(mode, sample.question):
                    self._report.left_out[f"search by {_NAMES[mode]}, cold"] = "the process failed"
                    break
                out.append((time.perf_counter() - before) * 1e3)
            if found := times(out):
                self._report.speed[f"search by {_NAMES[mode]}, cold"] = found

    def _one_shot(self, mode: str, question: str) -> bool:
        root = str(Path(__file__).resolve().parents[2])
        paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH", ""))))
        try:
            done = subprocess.run(
                [
                    *(sys.executable, "-m", "workbench", "-w", os.fspath(self._workspace.root)),
                    *("search", "--json", "--mode", mode, "--", question),
                ],
                env={**os.environ, "PYTHONPATH": paths},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_CHILD_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        return not done.returncode

    def _embedding(self, texts: list[str]) -> None:
        """Texts of this memory through the model; a provider that is asked over a network is not."""
        if self._is_remote():
            self._report.left_out["embedding"] = _REMOTE
            return
        self._told("embedding")
        try:
            choice = self._model or choices(self._workspace.settings, threads=_threads()).first()
            embedder = choice.open()
        except (ModelUnavailableError, ImportError) as error:
            self._report.left_out["embedding"] = str(error)
            return
        step = max(1, len(texts) // _EMBEDDED)
        some = sorted(texts[::step][:_EMBEDDED], key=len)
        done, end = 0, time.perf_counter() + self._seconds * 0.2
        before = time.perf_counter()
        for start in range(0, len(some), 32):
            done += len(embedder.embed(some[start : start + 32]))
            if time.perf_counter() > end:
                break
        if done:
            self._report.rates["texts embedded"] = done / (time.perf_counter() - before)

    def _sizes(self) -> None:
        state = self._workspace.state_path
        current = Generations(state).current()
        if current is None:
            raise IndexUnavailableError("there is no index yet", hint="run `workbench reindex`")
        self._report.sizes["words"] = _size(current.lexical)
        self._report.sizes["vectors"] = _size(current.folder) - _size(current.lexical)
        self._report.sizes["embedding cache"] = sum(
            path.stat().st_size for path in state.glob("embeddings.sqlite*")
        )
        self._report.sizes["memory files"] = sum(file.size for file in self._workspace.scan())


_REMOTE = "the model is a provider's, and nothing is sent to it for the sake of figures"
_NAMES: dict[Mode, str] = {"lexical": "words", "vector": "meaning", "hybrid": "both"}


def _hash(address: str) -> str:
    return address.rpartition("#")[2].partition("~")[0]


def _degraded(answer: SearchAnswer) -> str | None:
    return answer.degraded if answer.mode == "lexical" else None


def _threads() -> int:
    return max(1, (os.cpu_count() or 1) - 1)


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def _machine() -> dict[str, str | int]:
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count() or 1,
        "python": platform.python_version(),
    }
