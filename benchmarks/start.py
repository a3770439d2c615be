"""How long ``workbench --help`` takes beside a bare click program, by turns in one run.

    python benchmarks/start.py [ROUNDS] [--check RATIO]

Both are started as programs of the same interpreter, so that the start of Python is in both. The best of all
rounds counts: other work on the machine only ever adds. With ``--check 2`` the exit code is 4 when the ratio
is above 2.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

PROJECT = Path(__file__).resolve().parents[1]
BARE = """
import click


@click.group()
@click.version_option("1", prog_name="bare")
def bare() -> None:
    "A program that does nothing."


@bare.command()
@click.option("--name", help="Whose.")
def greet(name: str) -> None:
    "Say hello."


bare()
"""
OURS = "import sys; sys.argv[0] = 'workbench'; from workbench.cli import main; main()"
FOUND_WANTING = 4


def timed(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds until the program has ended, and seconds of processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@click.command()
@click.argument("rounds", default=20)
@click.option("--check", type=float, help="Exit code 4 when the ratio is above this.")
def start(rounds: int, check: float | None) -> None:
    """Compare the start of the program with that of a bare click program."""
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE)
        programs = {
            "a bare click program, --help": [sys.executable, str(bare), "--help"],
            "workbench --help": [sys.executable, "-c", OURS, "--help"],
            "workbench --version": [sys.executable, "-c", OURS, "--version"],
        }
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
        for _ in range(rounds + 1):  # the first round writes bytecode and warms the disk's cache
            for name, command in programs.items():
                found[name].append(timed(command, environment))
    best: dict[str, float] = {}
    for name, times in found.items():
        walls, processor = zip(*times[1:], strict=True)
        best[name] = min(processor)
        click.echo(
            f"{name:32} {min(walls) * 1000:6.0f} ms best, {statistics.median(walls) * 1000:6.0f} median, "
            f"{min(processor) * 1000:6.0f} ms of processor time"
        )
    ratio = best["workbench --help"] / best["a bare click program, --help"]
    click.echo(f"ratio {ratio:.2f} (processor time, best of {rounds})")
    if check is not None and ratio > check:
        sys.exit(FOUND_WANTING)


if __name__ == "__main__":
    start()
