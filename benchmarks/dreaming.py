"""What a dream costs, and how that grows: 90 days of logs, with recalls, episodes and vectors.

    python -m benchmarks.dreaming [--entries 5000 50000 500000] [--folder DIR]

Logs are made up of templates with a few thousand fillings: facts that are said once, claims that return in
the same or nearly the same words on other days, and mostly lines that are worth nothing. The vectors of all
entries that can be considered are in the cache of the index already, as the task says; they are made of
words by hashing, which costs nothing and decides nothing here. Each size is dreamt in a process of its own,
and its time and peak memory are that process's. Growth is processor time per entry against the smaller size,
which other work on the machine disturbs less than the time of the clock: about 1 is linear.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from workbench.dreaming.run import dream
from workbench.memory.claims import claim_key
from workbench.memory.entry import entry_hash
from workbench.workspace.workspace import Workspace

ROOT = Path(__file__).resolve().parents[1]
DAYS = 90
TODAY = date(2026, 3, 31)
NOW = datetime(2026, 3, 31, 23, tzinfo=UTC)
HEAD = "| entries | vectors | considered | passed | seconds | processor s | µs an entry | growth | peak MB |"
_BLOCK = 20_000
_NAMES = ("Sarah", "Miguel", "Priya", "Tom", "Yuki", "Lena", "Omar", "Grace", "Ivan", "Noor")
_THINGS = ("gateway", "ingest worker", "billing service", "search index", "scheduler", "mobile app")
_TOOLS = ("PostgreSQL", "Redis", "tantivy", "Kafka", "nginx", "LanceDB", "Grafana", "Terraform")
_PLACES = ("Lisbon", "Berlin", "Osaka", "Austin", "Oslo", "Nairobi")


def lasting(chance: random.Random) -> str:
    """A line that states something durable."""
    name, thing = chance.choice(_NAMES), chance.choice(_THINGS)
    tool, place, number = chance.choice(_TOOLS), chance.choice(_PLACES), chance.randrange(1_000, 60_000)
    return chance.choice(
        (
            f"We decided to use {tool} for the {thing} because of ticket {number}",
            f"{name} prefers reviews of the {thing} in writing over meetings in {place}",
            f"The {thing} listens on port {number} in {place}",
            f"{name} works at the {place} office and owns the {thing}",
            f"I always deploy the {thing} with {tool} {number % 20}.{number % 7} on Tuesdays",
            f"{name}'s colleague {chance.choice(_NAMES)} agreed on {tool} for {place}, budget {number}",
        )
    )


def passing(chance: random.Random) -> str:
    """A line that is worth nothing tomorrow."""
    thing, number = chance.choice(_THINGS), chance.randrange(100_000)
    return chance.choice(
        (
            f"restarted the {thing}, looks fine now ({number})",
            f"`kubectl logs {thing.split()[0]}-{number} --tail 50`",
            f"hm, checking {number} again",
            f"ok, done with {number}",
            f"running the tests of the {thing} for the {number % 40}th time",
            f"200 OK in {number} ms",
        )
    )


def make_workspace(root: Path, entries: int) -> None:
    """Logs of 90 days, an episode a day, a MEMORY.md and the book of recalls."""
    chance = random.Random(entries)
    returning = [lasting(chance) for _ in range(max(20, entries // 50))]
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text(
        "# Memory\n\n## Project Facts\n\n" + "".join(f"- {said}\n" for said in returning[:60])
    )
    young: list[str] = []
    for ago in range(DAYS):
        day = TODAY - timedelta(days=ago)
        lines = [_line(chance, returning) for _ in range(entries // DAYS)]
        (root / f"memory/{day}.md").write_text(f"# {day}\n\n" + "".join(f"- {line}\n" for line in lines))
        _episode(root, day, [lasting(chance) for _ in range(8)])
        if ago <= 31:
            young += lines
    _recalls(root, chance, young, entries // 10)


def _line(chance: random.Random, returning: list[str]) -> str:
    dice = chance.random()
    if dice < 0.55:
        return passing(chance)
    if dice < 0.85:
        return lasting(chance)
    said = returning[min(int(chance.paretovariate(1.1)) - 1, len(returning) - 1)]
    return said if dice < 0.95 else f"Again: {said}"


def _episode(root: Path, day: date, facts: list[str]) -> None:
    folder = root / f"episodes/{day:%Y/%m}"
    folder.mkdir(parents=True, exist_ok=True)
    head = f"id: e{day:%m%d}\nsource_id: s{day:%m%d}:0\nsession: s{day:%m%d}\ncreated_at: {day}\n"
    head += f"ended_at: {day}\nexpires_at: {day + timedelta(days=90)}\ntrust: agent\n"
    body = "".join(f"- {fact} (turn {number})\n" for number, fact in enumerate(facts, 1))
    (folder / f"e{day:%m%d}.md").write_text(f"---\n{head}---\n## Facts\n\n{body}")


def _recalls(root: Path, chance: random.Random, lines: list[str], count: int) -> None:
    folder = root / "_system/ledger"
    folder.mkdir(parents=True)
    favourites = chance.sample(lines, min(len(lines), max(20, count // 20)))
    for month in (2, 3):
        with (folder / f"recalls-2026-{month:02}.jsonl").open("w") as book:
            for _ in range(count // 2):
                line = favourites[min(int(chance.paretovariate(0.7)) - 1, len(favourites) - 1)]
                at = datetime(2026, month, chance.randrange(1, 29), 12, tzinfo=UTC)
                record = {
                    "at": at.isoformat(),
                    "query": f"{chance.randrange(2_000):016x}",
                    "entry": f"memory/2026-03-01.md#{entry_hash(line)}",
                    "claim": claim_key(line),
                    "score": round(chance.uniform(0.3, 1.0), 3),
                    "by": "memory_search",
                    "session": f"s{chance.randrange(200)}",
                }
                book.write(json.dumps(record) + "\n")


def texts_of(workspace: Workspace) -> Iterator[str]:
    """The texts of the entries that a first dream considers, of which the index would have vectors."""
    for file in workspace.scan():
        if file.path != "MEMORY.md":
            yield from (entry.text for entry in workspace.document(file.path).entries)


def embed(root: Path) -> int:
    """An index with its cache of vectors, as a sync leaves it. Returns the number of vectors."""
    # The process that dreams has no engine, so that its memory is that of a dream.
    from indexing.embedding.cache import EmbeddingCache  # noqa: PLC0415
    from indexing.sync.generations import CACHE_FILE  # noqa: PLC0415
    from indexing.sync.run import reindex  # noqa: PLC0415
    from tests.support.hashing import HashingEmbedder  # noqa: PLC0415

    embedder = HashingEmbedder(dimension=384)
    shell = root.parent / "shell"
    (shell / "memory").mkdir(parents=True)
    (shell / "MEMORY.md").write_text("- The index exists\n")
    reindex(Workspace.open(shell), model=embedder.choice)  # whose manifest names the model
    shutil.move(shell / ".workbench", root / ".workbench")
    cache = EmbeddingCache(root / ".workbench" / CACHE_FILE)
    texts = list(dict.fromkeys(texts_of(Workspace.open(root))))
    for start in range(0, len(texts), _BLOCK):
        block = texts[start : start + _BLOCK]
        cache.put(embedder.identity, dict(zip(block, embedder.embed(block), strict=True)))
    cache.close()
    return len(texts)


def dreamt(root: Path) -> dict[str, object]:
    """One dream, in this process, which does nothing else."""
    began, cpu = time.perf_counter(), time.process_time()
    done = dream(Workspace.open(root), now=NOW)
    took = time.perf_counter() - began
    busy = time.process_time() - cpu
    # What getrusage says counts the process that started this one, too.
    peak = int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024
    return {
        "seconds": took,
        "cpu": busy,
        "peak": peak,
        "considered": done.considered,
        "gated": done.gated,
        "proposals": len(done.proposals),
        "notes": list(done.notes),
    }


def measured(folder: Path | None, entries: int) -> dict[str, object]:
    """What one size costs."""
    place = Path(tempfile.mkdtemp(prefix="dreaming-", dir=folder))
    try:
        root = place / "workspace"
        make_workspace(root, entries)
        vectors = embed(root)
        command = [sys.executable, "-m", "benchmarks.dreaming", "--dream", str(root)]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
        return {"entries": entries, "vectors": vectors, **json.loads(done.stdout)}
    finally:
        shutil.rmtree(place, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--entries", type=int, nargs="+", default=[5_000, 50_000, 500_000])
    parser.add_argument("--folder", type=Path, help="where there is room for the workspaces")
    parser.add_argument("--dream", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.dream:
        print(json.dumps(dreamt(asked.dream)))
        return 0
    print(f"{HEAD}\n|{' ---: |' * (HEAD.count('|') - 1)}", flush=True)
    before = 0.0
    for entries in asked.entries:
        row = measured(asked.folder, entries)
        each = float(str(row["cpu"])) / entries * 1e6
        growth = f"{each / before:.2f}" if before else ""
        before = each
        counts = " | ".join(f"{row[what]:,}" for what in ("vectors", "considered", "gated"))
        times = f"{row['seconds']:.1f} | {row['cpu']:.1f} | {each:.0f} | {growth} | {row['peak']:.0f}"
        print(f"| {entries:,} | {counts} | {times} |", flush=True)
    print(f"\n{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
