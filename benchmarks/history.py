"""What looking back and keeping safe cost beside the bare git commands that do the nearest thing.

    python benchmarks/history.py DIR [--runs 5]

DIR is a workspace in a git repository, as ``python -m benchmarks.repository DIR`` makes one. Both are started
as a person starts them, in turn; so each of our times holds the start of the program, which is the first row.
Backups go to a temporary folder; DIR itself gets derived files only.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from workbench.memory.entry import Kind
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that is done: our command, and git's for the nearest thing (none where git has none).

    ``first`` makes ready what both need; it is not timed.
    """

    name: str
    ours: tuple[str, ...]
    bare: tuple[str, ...] = ()
    first: Callable[[], object] = bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    root = asked.dir.resolve()
    workbench = (sys.executable, "-m", "workbench")
    subprocess.run([*workbench, "-w", root, "reindex", "--no-vectors"], check=True, capture_output=True)
    print(f"{asked.runs} runs; medians in milliseconds")
    print(f"{'':26}{'workbench':>10}{'git':>8}{'ratio':>8}{'less start':>12}")
    start = 0.0
    with TemporaryDirectory(prefix="workbench-benchmark-") as place:
        for row in rows(root, Path(place)):
            ours, bare = [], []
            for _ in range(asked.runs):
                row.first()
                ours.append(timed((*workbench, "-w", str(root), *row.ours)))
                if row.bare:
                    bare.append(timed(("git", "-C", str(root), *row.bare)))
            median = statistics.median(ours)
            start = start or median
            print(f"{row.name:26}{median * 1e3:10.0f}{beside(median, bare, start)}")


def beside(ours: float, bare: list[float], start: float) -> str:
    """The columns that compare: git's time, the ratio, and the ratio without the start of our program."""
    if not bare:
        return ""
    git = statistics.median(bare)
    return f"{git * 1e3:8.0f}{ours / git:8.1f}{max(0.0, ours - start) / git:12.1f}"


def rows(root: Path, place: Path) -> Iterator[Row]:
    """What is measured, on an entry of MEMORY.md and on one in the middle of the logs."""
    with_entries = Workspace.open(root)
    logs = [file.path for file in with_entries.scan() if file.kind is Kind.LOG]
    log = logs[len(logs) // 2]
    memory_entry = with_entries.memory_document().entries[-1].address
    log_entry = with_entries.document(log).entries[-1].address
    words = with_entries.document(log).entries[-1].text[:40]
    with_entries.close()
    follow = ("log", "--follow", "--format=%H %an %ad %s", "--")
    yield Row("the program itself", ("--version",), ("--version",))
    yield Row("status", ("status",), ("status", "--short"))
    yield Row("log", ("log",), ("log", "-30"))
    yield Row("log PATH", ("log", "MEMORY.md", "-n", "10000"), (*follow, "MEMORY.md"))
    yield Row("log ENTRY of MEMORY.md", ("log", memory_entry), (*follow, "MEMORY.md"))
    yield Row("log ENTRY of a log", ("log", log_entry), ("log", "--format=%H", f"-S{words}", "--", log))
    yield Row("show ENTRY", ("show", memory_entry), (*follow, "MEMORY.md"))
    yield Row("blame", ("blame", "MEMORY.md"), ("blame", "MEMORY.md"))
    yield Row("verify", ("verify",), ("fsck", "--full", "--no-dangling"))
    chain, bundle, clone = place / "chain", place / "git.bundle", place / "clone"
    script = f"git bundle create -q '{bundle}' HEAD && git clone -q '{bundle}' '{clone}'"
    saved = ("-c", f"alias.saved=!{script}", "saved")  # every backup is proven by restoring it
    yield Row("backup, the first", ("backup", str(chain)), saved, partial(clear, chain, clone))
    yield Row("backup, nothing new", ("backup", str(chain)), ("bundle", "verify", "--quiet", str(bundle)))
    yield Row("flagged --history", ("flagged", "--history"), ("grep", "-c", "-E", "akia|ghp_", "HEAD"))


def clear(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def timed(command: tuple[str, ...]) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False)
    took = time.perf_counter() - start
    if done.returncode not in (0, 1, 4):  # 1: grep found nothing; 4: something is wanting, as flagged says
        raise SystemExit(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
    return took


if __name__ == "__main__":
    main()
