"""A repository of the size that long-lived agents have: many files, many commits, memory among code.

    python -m benchmarks.repository DIR [--files 10000] [--commits 2000]

The same for the same arguments. Written through ``git fast-import``, so it takes seconds.
"""

from __future__ import annotations

import argparse
import random
import subprocess
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

LOGS = 200
_WORDS = (
    *("broker", "deploy", "staging", "latency", "review", "budget", "invoice", "harbour", "lantern"),
    *("ferry", "migration", "index", "retry", "queue", "tenant", "upgrade", "rollback", "schema", "vendor"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir", type=Path)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--commits", type=int, default=2_000)
    asked = parser.parse_args()
    make(asked.dir, asked.files, asked.commits)
    print(f"{asked.files} files, {asked.commits} commits in {asked.dir}")


def make(root: Path, files: int, commits: int) -> None:
    """The repository in ``root``, checked out, every commit one day's work of an agent."""
    root.mkdir(parents=True)
    git = ["git", "-C", str(root)]
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    stream = b"".join(_stream(files, commits))
    subprocess.run([*git, "fast-import", "--quiet"], input=stream, check=True)
    subprocess.run([*git, "reset", "-q", "--hard", "main"], check=True)


def _stream(files: int, commits: int) -> Iterator[bytes]:
    chance = random.Random(20260314)
    first = date(2026, 1, 1)
    days = [(first + timedelta(days=n)).isoformat() for n in range(LOGS)]
    content = {f"memory/{day}.md": f"# {day}\n\n## 09:00 start\n\n" for day in days}
    content["MEMORY.md"] = "# Memory\n\n## Project Facts\n\n"
    code = {f"src/module{n % 97}/part{n}.py": f"value = {n}\n" for n in range(files - len(content))}
    yield from _commit(0, "begin", {**content, **code})
    logs = [path for path in content if path != "MEMORY.md"]
    for number in range(1, commits):
        path = "MEMORY.md" if number % 10 == 0 else logs[number * LOGS // commits]
        content[path] += f"- {' '.join(chance.choices(_WORDS, k=9))}, note {number}\n"
        yield from _commit(number, f"note {number}", {path: content[path]})


def _commit(number: int, subject: str, changed: dict[str, str]) -> Iterator[bytes]:
    when = 1_767_225_600 + number * 3_600
    yield f"commit refs/heads/main\ncommitter agent <agent@localhost> {when} +0000\n".encode()
    yield f"data {len(subject)}\n{subject}\n".encode()
    for path, text in changed.items():
        data = text.encode()
        yield f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"


if __name__ == "__main__":
    main()
