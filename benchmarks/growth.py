"""How search grows with memory: the time of a question, memory, disk, and a sync with nothing to do.

    python -m benchmarks.growth [--entries 10000 100000 1000000] [--questions 200] [--folder DIR]

Words are made up, over a Zipf law; vectors are those of ``benchmarks.sentences``. Everything else is real.
The service is the process that the interface asks. Recall is the share of the 100 nearest that are found,
beside comparing all. A million entries take about ten minutes and 8 GB of disk.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.index import Words, make_workspace, percentiles, timed
from benchmarks.sentences import MixedEmbedder
from indexing.embedding.choice import ModelChoice
from indexing.embedding.local import open_embedder
from indexing.embedding.port import Embedder
from indexing.lexical.terms import open_index, terms_of, words_query
from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from indexing.sync.generations import Generation, Generations
from indexing.sync.run import reindex
from indexing.vectors import EXACT_ROWS, VectorReader, open_table, vectors_in
from workbench.workspace.workspace import Workspace

POOL = 12_000
NEAREST = 100
LONG_AGO = 1_700_000_000
ROOT = Path(__file__).resolve().parents[1]


def measured(root: Path, entries: int, questions: int, real: Embedder) -> dict[str, str]:
    """One column of the table."""
    asked = make_workspace(root, entries)[: questions + 10]
    embedder = MixedEmbedder(real, Words(1).sentences(entries), pool=POOL, questions=questions + 10)
    model = ModelChoice(embedder.identity, lambda: embedder)
    workspace = Workspace.open(root)
    started = time.perf_counter()
    report = reindex(workspace, model=model)
    built = time.perf_counter() - started
    if report.vectors:
        raise SystemExit(f"no vectors were made: {report.vectors}")
    generation = Generations(workspace.state_dir()).current()
    assert generation is not None
    for path in root.rglob("*.md"):  # as old as files usually are: their time stamps are trusted
        os.utime(path, (LONG_AGO, LONG_AGO))
    reindex(workspace, model=model)

    words = IndexSearch(workspace, vectors=False)
    return {
        "entries": f"{report.entries:,}",
        "built in s (without embedding)": f"{built:.0f}",
        "words p50 / p95, ms": _times(lambda text: words.search(Query(text, plain=True)), asked),
        **_bare(generation, real, asked),
        **_service(root, asked),
        "hybrid search from the shell, s": f"{_from_the_shell(root, asked[0]):.2f}",
        "sync with nothing to do, ms": f"{timed(lambda: reindex(workspace, model=model), 3):.0f}",
        **_disk(workspace, generation),
        **_recall(generation, embedder),
    }


def _bare(generation: Generation, real: Embedder, asked: list[str]) -> dict[str, str]:
    """What the engines alone take: tantivy's best, then the model and LanceDB's nearest of all as well."""
    searcher, table = open_index(generation.lexical).searcher(), open_table(generation.vectors)

    def words(text: str) -> object:
        return searcher.search(words_query(terms_of(text)), NEAREST, count=False).hits

    def both(text: str) -> object:
        near = table.search(real.embed([text])[0]).distance_type("cosine").bypass_vector_index()
        return words(text), near.limit(NEAREST).select(["key"]).to_arrow()

    return {
        "bare tantivy, p50 / p95, ms": _times(words, asked),
        "bare tantivy + model + flat LanceDB, p50 / p95, ms": _times(both, asked),
    }


def _times(work: Callable[[str], object], asked: list[str]) -> str:
    return " / ".join(f"{value:.1f}" for value in percentiles(work, asked))


def _from_the_shell(root: Path, text: str) -> float:
    """Seconds of ``workbench search`` as a process of its own, the better of three."""
    start = "from workbench.cli import main; main()"
    command = [sys.executable, "-c", start, "-w", str(root), "search", "--json", text]
    samples = []
    for _ in range(3):
        started = time.perf_counter()
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
        samples.append(time.perf_counter() - started)
        assert json.loads(done.stdout)["mode"] == "hybrid", done.stdout
    return min(samples)


def _service(root: Path, asked: list[str]) -> dict[str, str]:
    """What the interface's own service takes for whole answers, and its memory after them."""
    command = [sys.executable, "-m", "workbench.worker", "search", str(root)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as served:
        assert served.stdin is not None
        assert served.stdout is not None
        served.stdin.write("{}\n")
        served.stdin.flush()
        while json.loads(served.stdout.readline()).get("event") != "ready":
            pass

        def ask(text: str) -> None:
            assert served.stdin is not None
            assert served.stdout is not None
            served.stdin.write(json.dumps({"seq": 1, "query": text, "plain": True}) + "\n")
            served.stdin.flush()
            answer = json.loads(served.stdout.readline())
            assert answer["mode"] == "hybrid", answer

        times = _times(ask, asked)
        try:
            lines = Path(f"/proc/{served.pid}/smaps_rollup").read_text().splitlines()
            sizes = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines[1:]}
            own = sizes["Private_Dirty"]
            said = f"{own:.0f} / {sizes['Rss']:.0f}"
        except (OSError, KeyError):
            said = "not known on this system"
        served.stdin.close()
        served.wait()
    return {
        "hybrid, asked of the service, p50 / p95, ms": times,
        "service: memory of its own / with mapped files, MB": said,
    }


def _disk(workspace: Workspace, generation: Generation) -> dict[str, str]:
    def size(folder: Path) -> float:
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6

    stores = [size(folder) for folder in (generation.lexical, generation.vectors)]
    cache = sum(path.stat().st_size for path in workspace.state_dir().glob("embeddings.sqlite*")) / 1e6
    memory = sum(path.stat().st_size for path in workspace.root.rglob("*.md")) / 1e6
    return {
        "memory itself, MB": f"{memory:.0f}",
        "index: words + vectors, MB": " + ".join(f"{store:.0f}" for store in stores),
        "cache of embeddings, MB": f"{cache:.0f}",
    }


def _recall(generation: Generation, embedder: MixedEmbedder) -> dict[str, str]:
    reader = VectorReader(generation.vectors)
    rows = open_table(generation.vectors).to_arrow()
    keys, vectors = rows["key"].to_numpy(), vectors_in(rows)
    found = 0
    for vector in embedder.questions:
        right = keys[np.argpartition(vectors @ vector, -NEAREST)[-NEAREST:]]
        found += int(np.isin(reader.nearest(vector, NEAREST).keys, right).sum())
    kind = "all compared" if reader.count() <= EXACT_ROWS else "IVF_RQ"
    return {"vectors": kind, f"recall at {NEAREST}": f"{found / NEAREST / len(embedder.questions):.4f}"}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--entries", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--folder", type=Path, help="where there is room for the workspaces")
    asked = parser.parse_args()
    table: list[dict[str, str]] = []
    real = open_embedder()
    for entries in asked.entries:
        root = Path(tempfile.mkdtemp(prefix="growth-", dir=asked.folder))
        try:
            table.append(measured(root, entries, asked.questions, real))
        finally:
            shutil.rmtree(root, ignore_errors=True)
        for what, value in table[-1].items():
            print(f"  {what}: {value}", flush=True)
    print(f"\n{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    for number, what in enumerate(table[0]):
        print("| " + " | ".join([what, *(column[what] for column in table)]) + " |")
        if not number:
            print("| --- |" + " ---: |" * len(table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
