"""How fast the interface feels, in a real pseudo-terminal: ``python benchmarks/interface.py WORKSPACE``.

The workspace should be a scratch copy with an index: promote and undo are done in it. Times are in
milliseconds. Starting is compared with a bare Textual app of as many widgets, in alternating runs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
import time
from pathlib import Path

import pexpect

ROOT = Path(__file__).resolve().parent.parent
OURS = (
    "import sys; from workbench.workspace.workspace import Workspace; from screens.app import run; "
    "run(Workspace.open(sys.argv[1]))"
)
BARE = """
from textual.app import App
from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Input, Static
class Bare(App):
    CSS = (
        "#row { layout: horizontal; height: 1fr; } .p { width: 1fr; border: round white; }"
        "Static { height: 1; }"
    )
    def compose(self):
        yield Static("title"); yield Static("banner"); yield Static("tabs")
        with Container(id="row"):
            for n in range(4):
                with Vertical(classes="p"):
                    yield Static(f"pane {n}")
        yield Static("preview"); yield Static("meter"); yield Static("READY")
        with Vertical():
            yield Static("/"); yield Input(); yield Static("status"); yield Static("hits")
Bare().run()
"""
_ESCAPE = re.compile(rb"\x1b(?:\[[0-9;?>$]*[a-zA-Z]|\][^\x07]*\x07|[()][A-Z0-9])")
LIMIT_SECONDS = 30.0


class Session:
    """A program on a pseudo-terminal, and what it has painted since the last key."""

    def __init__(self, code: str, *arguments: str, columns: int = 140, lines: int = 40) -> None:
        self.started = time.perf_counter()
        terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment = {**os.environ, **terminal, "PYTHONPATH": str(ROOT)}
        self.child = pexpect.spawn(
            sys.executable, ["-c", code, *arguments], dimensions=(lines, columns), env=environment
        )
        self.pid = int(self.child.pid or 0)
        self.painted = b""

    def keys(self, keys: str) -> float:
        """Press keys; the moment they were sent."""
        self.painted = b""
        self.child.send(keys)
        return time.perf_counter()

    def until(self, words: str) -> float:
        """The moment at which ``words`` have been painted."""
        deadline = time.perf_counter() + LIMIT_SECONDS
        while words.encode() not in _ESCAPE.sub(b"", self.painted):
            if time.perf_counter() > deadline:
                raise TimeoutError(f"{words!r} was never painted")
            self.drain(0.002)
        return time.perf_counter()

    def drain(self, seconds: float) -> None:
        """Read what is painted for a while."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            try:
                self.painted += bytes(self.child.read_nonblocking(1 << 16, timeout=left))  # type: ignore[arg-type]
            except pexpect.TIMEOUT:
                return

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self.child.sendcontrol("c")
        self.drain(0.1)
        self.child.sendcontrol("c")
        self.child.expect(pexpect.EOF, timeout=LIMIT_SECONDS)
        self.child.close()


def spread(milliseconds: list[float]) -> dict[str, float]:
    ordered = sorted(milliseconds)
    last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return {"p50": round(statistics.median(ordered), 1), "p95": round(last, 1), "n": len(ordered)}


def measure_start(workspace: str, runs: int) -> dict[str, object]:
    found: dict[str, list[float]] = {"bare": [], "first_paint": [], "filled": []}
    for _ in range(runs):
        bare = Session(BARE)
        found["bare"].append((bare.until("READY") - bare.started) * 1e3)
        bare.child.close(force=True)
        ours = Session(OURS, workspace)
        found["first_paint"].append((ours.until("4 Graph") - ours.started) * 1e3)
        found["filled"].append((ours.until(" / 10 000 ") - ours.started) * 1e3)
        ours.drain(0.5)
        ours.close()
    medians = {name: round(statistics.median(times), 1) for name, times in found.items()}
    return {**medians, "ratio_first_paint": round(medians["first_paint"] / medians["bare"], 2)}


def needles(workspace: Path, count: int) -> list[tuple[str, str]]:
    """Rare words with the ``file:line`` that stands beside their hit."""
    found = []
    for path in sorted((workspace / "memory").glob("20*.md")):
        for number, line in enumerate(path.read_text().split("\n"), 1):
            if match := re.search(r"keeps the (\w+\d{4}) key", line):
                found.append((match[1], f"{path.name}:{number}"))
    if len(found) < count:
        raise SystemExit("too few needles: lines that say who `keeps the <rare word> key` where")
    return found[:count]


def measure_session(workspace: Path, trials: int) -> dict[str, object]:
    session = Session(OURS, str(workspace))
    session.until("words + meaning")
    session.drain(1.0)
    report: dict[str, object] = {"rss_mb": memory(session.pid)}
    before = session.cpu()
    for _ in range(50):
        session.keys("\t")
        session.drain(0.03)
    report["focus_change_cpu_ms"] = round((session.cpu() - before) / 50 * 1e3, 1)
    before = session.cpu()
    for _ in range(50):
        session.keys("j")
        session.drain(0.03)
    report["cursor_move_cpu_ms"] = round((session.cpu() - before) / 50 * 1e3, 1)
    session.keys("/")
    session.until("Search")
    lexical, hybrid = [], []
    for word, place in needles(workspace, trials):
        session.keys("\x15")
        session.drain(0.15)
        session.keys(word[:-1])
        session.drain(0.4)
        sent = session.keys(word[-1])
        lexical.append((session.until(place) - sent) * 1e3)
        hybrid.append((session.until("words + meaning") - sent) * 1e3)
    report["key_to_lexical_painted_ms"] = spread(lexical)
    report["key_to_hybrid_painted_ms"] = spread(hybrid)
    session.keys("\t")
    promote, undo = [], []
    for _ in range(trials):
        session.drain(0.5)
        sent = session.keys("p")
        promote.append((session.until("u takes it back") - sent) * 1e3)
        session.drain(0.5)
        sent = session.keys("u")
        undo.append((session.until("U does it again") - sent) * 1e3)
    report["promote_key_to_painted_ms"], report["undo_key_to_painted_ms"] = spread(promote), spread(undo)
    report["rss_mb_after"] = memory(session.pid)
    session.close()
    return report


def memory(pid: int) -> dict[str, float]:
    """Resident megabytes of the process and of each of its children, by module."""
    sizes = {"interface": _resident(pid)}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if f"PPid:\t{pid}\n" in status.read_text():
                command = (status.parent / "cmdline").read_bytes().split(b"\0")
                name = command[3].decode() if len(command) > 3 else command[0].decode()
                sizes[name] = _resident(int(status.parent.name))
        except OSError:
            continue
    return sizes


def _resident(pid: int) -> float:
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return round(int(found[1]) / 1024, 1) if found else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--trials", type=int, default=20)
    asked = parser.parse_args()
    report: dict[str, object] = {"start_ms": measure_start(str(asked.workspace), asked.runs)}
    report |= measure_session(asked.workspace, asked.trials)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
