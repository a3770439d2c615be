"""What ten thousand small edits leave on the disk: a line is appended to one of many files, then a sync.

    python -m benchmarks.edits [--entries 10000] [--edits 10000] [--keep DIR]

Words and vectors are really written; the model costs nothing. Every so often one line of the curve is
printed: megabytes of each store, files, and the time of a sync since the line before.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.index import InstantEmbedder, make_workspace
from indexing.embedding.choice import ModelChoice
from indexing.sync.generations import CACHE_FILE, Generations
from indexing.sync.run import reindex
from workbench.workspace.workspace import Workspace

COLUMNS = ("edits", "words", "vectors", "cache", "rest", "total MB", "files", "sync p50", "p95 ms")
ENTRIES_A_FILE = 10
SHOWN = 24
"""Lines of the curve."""


def sizes(state: Path) -> tuple[dict[str, int], int]:
    """Bytes of each store below ``state``, and how many files there are in all."""
    generation = Generations(state).current()
    assert generation is not None
    folders = {name: generation.folder / name for name in ("lexical", "vectors")}
    found = dict.fromkeys((*folders, "cache", "rest"), 0)
    files = 0
    for place, _, names in os.walk(state):
        for name in names:
            path = Path(place, name)
            store = next((store for store, folder in folders.items() if path.is_relative_to(folder)), "rest")
            store = "cache" if name.startswith(CACHE_FILE) else store
            found[store] += path.stat().st_size
            files += 1
    return found, files


def line(edits: int, state: Path, samples: list[float]) -> str:
    """One line of the curve."""
    found, files = sizes(state)
    megabytes = [found[name] / 1e6 for name in ("lexical", "vectors", "cache", "rest")]
    samples = sorted(samples) or [0.0]
    times = (statistics.median(samples), samples[int(len(samples) * 0.95)])
    cells = [f"{value:9.2f}" for value in (*megabytes, sum(megabytes))]
    return " ".join([f"{edits:9}", *cells, f"{files:9}", *(f"{value:9.1f}" for value in times)])


def run(root: Path, entries: int, edits: int) -> None:
    """Make the workspace, edit it, and print the curve."""
    make_workspace(root, entries, a_day=ENTRIES_A_FILE)
    workspace = Workspace.open(root)
    embedder = InstantEmbedder(None)
    model = ModelChoice(embedder.identity, lambda: embedder)
    reindex(workspace, model=model)
    paths = sorted(root.rglob("*.md"))
    chance = random.Random(1)
    state = workspace.state_dir()
    print(" ".join(f"{name:>9}" for name in COLUMNS))
    print(line(0, state, []), flush=True)
    samples: list[float] = []
    shown = {round(edits * (at / SHOWN) ** 2) for at in range(1, SHOWN + 1)}  # closer together at first
    for number in range(1, edits + 1):
        with chance.choice(paths).open("a") as file:
            file.write(f"- edit {number} of a line that was not there before\n")
        started = time.perf_counter()
        reindex(workspace, model=model)
        samples.append((time.perf_counter() - started) * 1e3)
        if number in shown:
            print(line(number, state, samples), flush=True)
            samples.clear()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--keep", type=Path, help="make the workspace here and keep it")
    asked = parser.parse_args()
    root = asked.keep or Path(tempfile.mkdtemp(prefix="edits-"))
    try:
        run(root, asked.entries, asked.edits)
    finally:
        if not asked.keep:
            shutil.rmtree(root, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
