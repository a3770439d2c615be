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
import tempfile
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pexpect

ROOT = Path(__file__).resolve().parent.parent
OURS = (
    "import sys; from workbench.workspace.workspace import Workspace; from screens.start import run; "
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
_WORD = re.compile(r"[a-z0-9]+")
_LEAST = 7
_HOME, _DELETE, _CLEAR = "\x1b[H", "\x1b[3~", "\x1b[F\x15"
LIMIT_SECONDS = 30.0
INDEX_SECONDS = 600.0
TOAST_SECONDS = 6.0


class Session:
    """A program on a pseudo-terminal, and what it has painted since the last key."""

    def __init__(self, code: str, *arguments: str, columns: int = 140, lines: int = 40) -> None:
        self.started = time.perf_counter()
        terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment = {**os.environ, **terminal, "PYTHONPATH": str(ROOT)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else every start compiles what was changed
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

    def until(self, words: str, seconds: float = LIMIT_SECONDS) -> float:
        """The moment at which ``words`` have been painted."""
        deadline = time.perf_counter() + seconds
        while not self.shows(words):
            if time.perf_counter() > deadline:
                raise TimeoutError(f"{words!r} was never painted")
            self.drain(0.002)
        return time.perf_counter()

    def shows(self, words: str) -> bool:
        """Whether ``words`` have been painted since the last key."""
        return words.encode() in _ESCAPE.sub(b"", self.painted)

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
    if not milliseconds:
        return {"n": 0}
    ordered = sorted(milliseconds)
    last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return {"p50": round(statistics.median(ordered), 1), "p95": round(last, 1), "n": len(ordered)}


def measure_start(workspace: str, runs: int) -> dict[str, object]:
    Session(OURS, workspace).until("4 Graph")  # compiled once
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


def measure_bounded(runs: int) -> dict[str, object]:
    """A log of a million lines, a file of 200 MB, a line of 5 MB: to the first paint, and to the entries of
    the first when it is unfolded; memory after going through them."""
    with tempfile.TemporaryDirectory() as folder:
        logs = Path(folder) / "memory"
        logs.mkdir()
        (Path(folder) / "MEMORY.md").write_text("# Memory\n\n- Likes tea\n")
        (logs / "2026-11-22.md").write_text("# Lines\n\n- the first\n" + "- one more line\n" * 1_000_000)
        (logs / "2026-11-21.md").write_text("# Large\n\n" + f"- {'word ' * 40}\n" * 1_000_000)
        (logs / "2026-11-20.md").write_text("# Line\n\n- needle\n\n" + "x" * 5_000_000 + "\n")
        first, cpu, unfolded, resident = [], [], [], []
        for _ in range(runs):
            session = Session(OURS, folder)
            first.append((session.until("4 Graph") - session.started) * 1e3)
            cpu.append(session.cpu() * 1e3)
            session.until(" / 10 000 ")
            session.drain(2.0)
            sent = session.keys("\r")
            unfolded.append((session.until("one more line") - sent) * 1e3)
            session.keys("jjjG")
            session.drain(2.0)
            resident.append(_resident(session.pid))
            session.close()
    paints = {"first_paint": spread(first), "first_paint_cpu": spread(cpu), "unfolded": spread(unfolded)}
    return {**paints, "rss_mb": max(resident)}


def needles(workspace: Path, count: int) -> list[tuple[str, str]]:
    """Words that occur once in the whole memory, with the ``file:line`` that stands beside their hit."""
    pages = {path: path.read_text(errors="replace") for path in sorted(workspace.rglob("*.md"))}
    spread = sorted(Counter(_WORD.findall("\n".join(pages.values()).lower())).items())
    once = {
        word
        for (word, times), (after, _) in pairwise([*spread, ("", 0)])
        if times == 1 and len(word) >= _LEAST and not after.startswith(word)
    }
    found = []
    for path in sorted((workspace / "memory").glob("20*.md")):
        for number, line in enumerate(pages[path].split("\n"), 1):
            rare = [word for word in _WORD.findall(line.lower()) if word in once]
            if line.startswith("- ") and rare:
                found.append((rare[0], f"{path.name}:{number}"))
    return found if len(found) < count else [found[at * len(found) // count] for at in range(count)]


def newest_log(workspace: Path) -> Path:
    """The page that the first row of the logs stands for."""
    return max((workspace / "memory").glob("20*.md"), key=lambda path: path.name)


def measure_search(session: Session, workspace: Path, trials: int) -> dict[str, object]:
    """From a key to the hit that it brings, by words and then by both.

    A word that is left out (`-word`) is asked for once its sign is deleted: that is one key, and nothing of
    the answer stands there before, as it would after the beginning of the word.
    """
    session.keys("/")
    session.until("Search")
    lexical: list[float] = []
    hybrid: list[float] = []
    for word, place in needles(workspace, trials):
        session.keys(_CLEAR)
        session.drain(0.15)
        session.keys(f"-{word}")
        session.drain(0.6)
        session.keys(_HOME)
        session.drain(0.1)
        sent = session.keys(_DELETE)
        lexical.append((session.until(place) - sent) * 1e3)
        hybrid.append((session.until("hybrid") - sent) * 1e3)
    return {"key_to_lexical_painted_ms": spread(lexical), "key_to_hybrid_painted_ms": spread(hybrid)}


def measure_session(workspace: Path, trials: int) -> dict[str, object]:
    session = Session(OURS, str(workspace))
    session.until("index up to date · hybrid", INDEX_SECONDS)  # what is not embedded yet will be
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
    report |= measure_search(session, workspace, trials)
    session.keys("\t")
    promote, undo = [], []
    for _ in range(trials):
        session.drain(TOAST_SECONDS)  # what was said before must be gone to see it said again
        sent = session.keys("p")
        promote.append((session.until("u undoes it") - sent) * 1e3)
        session.drain(0.6)
        sent = session.keys("u")
        undo.append((session.until("U redoes it") - sent) * 1e3)
    report["promote_key_to_painted_ms"], report["undo_key_to_painted_ms"] = spread(promote), spread(undo)
    session.keys("\x1b")
    session.drain(1.0)
    session.keys("1gg")
    session.drain(1.0)
    lines = newest_log(workspace).read_bytes().count(b"\n")
    screens = {"operations": ("@", "undone"), "blame": ("b", f"/{lines} "), "help": ("?", "type to filter")}
    for name, (key, words) in screens.items():
        opened = []
        for _ in range(trials):
            sent = session.keys(key)
            opened.append((session.until(words) - sent) * 1e3)
            session.drain(0.3)
            session.keys("\x1b")
            session.drain(0.5)
        report[f"{name}_key_to_painted_ms"] = spread(opened)
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


def tell(report: dict[str, object]) -> None:
    """Print a part as soon as it is measured."""
    print(json.dumps(report, indent=2), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--trials", type=int, default=20)
    asked = parser.parse_args()
    tell({"start_ms": measure_start(str(asked.workspace), asked.runs)})
    tell({"bounded_ms": measure_bounded(asked.runs)})
    tell(measure_session(asked.workspace, asked.trials))


if __name__ == "__main__":
    main()
