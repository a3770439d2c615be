"""What one action costs in a very long log, and what looking back costs in a very long history.

    python -m benchmarks.large [--lines 80000] [--commits 100000] [--rounds 3]

Both workspaces are made in a temporary folder: a log of that many entries under eighty headings, and a
MEMORY.md that each commit changes in one line. The commands are started as a person starts them, and the
shortest of the rounds is shown.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from workbench.workspace.workspace import Workspace

LOG = "memory/2026-03-14.md"
MEMORY = "MEMORY.md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=80_000)
    parser.add_argument("--commits", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with TemporaryDirectory(prefix="workbench-benchmark-") as place:
        log = long_log(Path(place, "log"), asked.lines)
        history = long_history(Path(place, "history"), asked.commits)
        print(f"{asked.lines:,} lines, {asked.commits:,} commits; seconds")
        middle = address(log, LOG, asked.lines // 2)
        row("pin an entry of the log", asked.rounds, log, ["pin", middle], afterwards=["undo"])
        row("undo an unknown operation", asked.rounds, history, ["undo", "deadbeef0000"])
        row("log of an entry", 1, history, ["log", address(history, MEMORY, 0)])
        row("log", asked.rounds, history, ["log"])


def long_log(root: Path, lines: int) -> Path:
    (root / "memory").mkdir(parents=True)
    each = lines // 80
    parts = (
        f"## {part % 24:02d}:00 part {part}\n\n"
        + "".join(
            f"- entry {part * each + n}: the port of service {n} was moved to {8000 + n}\n"
            for n in range(each)
        )
        for part in range(80)
    )
    (root / LOG).write_text("# 2026-03-14\n\n" + "\n".join(parts))
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-q", "-m", "start")
    return root


def long_history(root: Path, commits: int) -> Path:
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    stream = bytearray()
    for number in range(commits):
        text = f"# Memory\n\n- Likes tea\n- Has counted to {number}\n- Lives in Lisbon\n"
        message = f"edit: {number}\n\nOperation: {number:012x}\nAction: edit\nActor: human\n"
        stream += (
            f"commit refs/heads/main\ncommitter a <a@localhost> {1_700_000_000 + 60 * number} +0000\n"
            f"data {len(message)}\n{message}M 100644 inline {MEMORY}\ndata {len(text)}\n{text}\n"
        ).encode()
    subprocess.run(["git", "-C", root, "fast-import", "--quiet"], input=stream, check=True)
    git(root, "reset", "-q", "--hard")
    return root


def address(root: Path, path: str, number: int) -> str:
    place = Workspace.open(root)
    return place.document(path).entries[number].address


def row(name: str, rounds: int, root: Path, command: list[str], afterwards: list[str] | None = None) -> None:
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        workbench(root, command)
        times.append(time.perf_counter() - begun)
        if afterwards is not None:
            workbench(root, afterwards)
    print(f"{name:30}{min(times):8.2f}", flush=True)


def workbench(root: Path, command: list[str]) -> None:
    subprocess.run(
        [sys.executable, "-m", "workbench", "-w", root, *command], check=False, capture_output=True
    )


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True)


if __name__ == "__main__":
    main()
