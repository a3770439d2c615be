"""How fast the interface feels, in a real pseudo-terminal: ``python benchmarks/interface.py WORKSPACE``.

The workspace should be a scratch copy with an index: promote and undo are done in it. Times are in
milliseconds, from the key to the moment its bytes arrive; ``cpu`` is processor time of the interface alone,
which says more where other programs run on the machine: the load average stands beside each part. Starting
is compared with a bare Textual app of as many widgets, in alternating runs.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pexpect

from screens.search.live_search import DEBOUNCE_SECONDS

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
SETTLED_SECONDS = 1.0
SERIES = 50
"""How often a key is pressed whose processor time is measured."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of a session: seconds on the clock, and seconds of processor time used by then."""

    clock: float
    cpu: float

    def __sub__(self, other: Moment) -> Moment:
        return Moment(self.clock - other.clock, self.cpu - other.cpu)


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
        self.arrived = self.started

    def keys(self, keys: str) -> Moment:
        """Press keys; the moment before they were sent."""
        self.painted = b""
        before = Moment(time.perf_counter(), self.cpu())
        self.child.send(keys)
        return before

    def until(self, words: str, seconds: float = LIMIT_SECONDS) -> Moment:
        """The moment at which the last of the bytes arrived with which ``words`` are painted."""
        deadline = time.perf_counter() + seconds
        while not self.shows(words):
            if time.perf_counter() > deadline:
                raise TimeoutError(f"{words!r} was never painted")
            self.read(LIMIT_SECONDS)
        return Moment(self.arrived, self.cpu())

    def shows(self, words: str) -> bool:
        """Whether ``words`` have been painted since the last key."""
        return words.encode() in _ESCAPE.sub(b"", self.painted)

    def read(self, seconds: float) -> None:
        """Read what is painted next, if that is within so many seconds."""
        with contextlib.suppress(pexpect.TIMEOUT):
            self.painted += bytes(self.child.read_nonblocking(1 << 16, timeout=seconds))  # type: ignore[arg-type]
            self.arrived = time.perf_counter()

    def drain(self, seconds: float) -> None:
        """Read what is painted for a while."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self.read(left)

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


class Times:
    """How long something took, time after time."""

    def __init__(self) -> None:
        self.taken: list[Moment] = []

    def add(self, taken: Moment) -> None:
        """It took so long, this time."""
        self.taken.append(taken)

    def median(self, *, cpu: bool = False) -> float:
        """The median in milliseconds."""
        return statistics.median((one.cpu if cpu else one.clock) * 1e3 for one in self.taken)

    def report(self, beyond: float = 0.0) -> dict[str, float]:
        """Median and 95th percentile in milliseconds beyond so many seconds, mean of the processor time."""
        if not self.taken:
            return {"n": 0}
        ordered = sorted((one.clock - beyond) * 1e3 for one in self.taken)
        last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
        cpu = statistics.mean(one.cpu * 1e3 for one in self.taken)
        middle = statistics.median(ordered)
        return {"p50": round(middle, 1), "p95": round(last, 1), "cpu": round(cpu, 1), "n": len(ordered)}


def measure_start(workspace: str, runs: int) -> dict[str, object]:
    Session(OURS, workspace).until("4 Graph")  # compiled once
    bare, first, filled = Times(), Times(), Times()
    for _ in range(runs):
        session = Session(BARE)
        bare.add(session.until("READY") - Moment(session.started, 0.0))
        session.child.close(force=True)
        session = Session(OURS, workspace)
        begun = Moment(session.started, 0.0)
        first.add(session.until("4 Graph") - begun)
        filled.add(session.until(" / 10,000 ") - begun)
        session.drain(0.5)
        session.close()
    return {
        "bare": bare.report(),
        "first_paint": first.report(),
        "filled": filled.report(),
        "first_paint_to_bare": round(first.median() / bare.median(), 2),
        "first_paint_to_bare_cpu": round(first.median(cpu=True) / bare.median(cpu=True), 2),
    }


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
        first, unfolded, resident = Times(), Times(), []
        for _ in range(runs):
            session = Session(OURS, folder)
            first.add(session.until("4 Graph") - Moment(session.started, 0.0))
            session.until(" / 10,000 ")
            session.drain(2.0)
            sent = session.keys("\r")
            unfolded.add(session.until("one more line") - sent)
            session.keys("jjjG")
            session.drain(2.0)
            resident.append(_resident(session.pid))
            session.close()
    return {"first_paint": first.report(), "unfolded": unfolded.report(), "rss_mb": max(resident)}


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
    lexical, hybrid = Times(), Times()
    for word, place in needles(workspace, trials):
        session.keys(_CLEAR)
        session.drain(0.15)
        session.keys(f"-{word}")
        session.drain(0.6)
        session.keys(_HOME)
        session.drain(0.1)
        sent = session.keys(_DELETE)
        lexical.add(session.until(place) - sent)
        hybrid.add(session.until("hybrid") - sent)
    return {
        "key_to_keyword_hits_beyond_debounce": lexical.report(beyond=DEBOUNCE_SECONDS),
        "key_to_hybrid_hits_beyond_debounce": hybrid.report(beyond=DEBOUNCE_SECONDS),
    }


def cpu_of_key(session: Session, key: str, pause: float) -> float:
    """Milliseconds of processor time of a key that is pressed again and again after so many seconds."""
    before = session.cpu()
    for _ in range(SERIES):
        session.keys(key)
        session.drain(pause)
    session.drain(SETTLED_SECONDS)  # what the last one has begun counts, too
    return round((session.cpu() - before) / SERIES * 1e3, 1)


def measure_curating(session: Session, trials: int) -> dict[str, object]:
    """Promote the entry under the cursor and undo that: to the message of it, and to the mark on its row."""
    promoted, marked, undone = Times(), Times(), Times()
    for _ in range(trials):
        session.drain(TOAST_SECONDS)  # what was said before must be gone to see it said again
        sent = session.keys("p")
        promoted.add(session.until("u undoes it") - sent)
        marked.add(session.until("✓") - sent)
        session.drain(0.6)
        sent = session.keys("u")
        undone.add(session.until("U redoes it") - sent)
    return {
        "promote_key_to_painted": promoted.report(),
        "promote_key_to_mark_on_row": marked.report(),
        "undo_key_to_painted": undone.report(),
    }


def measure_session(workspace: Path, trials: int) -> dict[str, object]:
    session = Session(OURS, str(workspace))
    session.until("index up to date · hybrid", INDEX_SECONDS)  # what is not embedded yet will be
    session.drain(SETTLED_SECONDS)
    report: dict[str, object] = {"rss_mb": memory(session.pid)}
    for name, key in (("focus_change", "\t"), ("cursor_move", "j")):
        report[f"{name}_cpu"] = cpu_of_key(session, key, 0.03)
        report[f"{name}_with_preview_cpu"] = cpu_of_key(session, key, SETTLED_SECONDS / 4)
    report |= measure_search(session, workspace, trials)
    session.keys("\t")
    report |= measure_curating(session, trials)
    session.keys("\x1b")
    session.drain(SETTLED_SECONDS)
    session.keys("1gg")
    session.drain(SETTLED_SECONDS)
    lines = newest_log(workspace).read_bytes().count(b"\n")
    screens = {"operations": ("@", "undone"), "blame": ("b", f"/{lines} "), "help": ("?", "type to filter")}
    for name, (key, words) in screens.items():
        opened = Times()
        for _ in range(trials):
            sent = session.keys(key)
            opened.add(session.until(words) - sent)
            session.drain(0.3)
            session.keys("\x1b")
            session.drain(0.5)
        report[f"{name}_key_to_painted"] = opened.report()
    for key in "DRWHS":  # a session in which every screen was seen
        session.keys(key)
        session.drain(2 * SETTLED_SECONDS)
        session.keys("\x1b\x1b")
        session.drain(SETTLED_SECONDS)
    report["rss_mb_after"] = memory(session.pid)
    session.close()
    return report


def memory(pid: int) -> dict[str, float]:
    """Resident megabytes of the process and of its children, by module."""
    sizes = {"interface": _resident(pid)}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if f"PPid:\t{pid}\n" in status.read_text():
                command = (status.parent / "cmdline").read_bytes().split(b"\0")
                name = command[3].decode() if len(command) > 3 else command[0].decode()
                sizes[name] = sizes.get(name, 0.0) + _resident(int(status.parent.name))
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
    parts: dict[str, Callable[[], dict[str, object]]] = {
        "start": lambda: measure_start(str(asked.workspace), asked.runs),
        "bounded": lambda: measure_bounded(asked.runs),
        "session": lambda: measure_session(asked.workspace, asked.trials),
    }
    for name, measure in parts.items():
        before = round(os.getloadavg()[0], 1)
        found = measure()
        load = [before, round(os.getloadavg()[0], 1)]
        print(json.dumps({name: {"load_average": load, **found}}, indent=2), flush=True)


if __name__ == "__main__":
    main()
