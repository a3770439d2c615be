"""The recording of the README, made by itself: ``python docs/make_recording.py [--cast]``.

Drives the real program in a pseudo-terminal, on the sample workspace, and writes what was on its screen as
``recording.svg``, which moves by itself wherever pictures are shown; with ``--cast`` also as
``recording.cast`` (https://docs.asciinema.org/manual/asciicast/v2/). Nothing is fetched from anywhere.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from html import escape
from pathlib import Path

import pexpect
import pyte

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

from indexing.sync.run import reindex  # noqa: E402 - after the path
from tests.screens.looks.picture import HEIGHT, WIDTH, Run, style_sheet, written  # noqa: E402
from workbench.dreaming.proposals.inbox import propose  # noqa: E402
from workbench.dreaming.run import dream  # noqa: E402
from workbench.workspace.demo_writer import write_demo  # noqa: E402
from workbench.workspace.workspace import Workspace  # noqa: E402

TODAY = date(2026, 3, 20)
COLUMNS, LINES = 110, 30
PATIENCE_SECONDS = 60.0
MOST_BYTES = 1_000_000
RUN = (
    "import sys; from workbench.workspace.workspace import Workspace; from screens.app import WorkbenchApp; "
    "WorkbenchApp(Workspace.open(sys.argv[1]), engines=False, proposed=int(sys.argv[2])).run()"
)


@dataclass(frozen=True, slots=True)
class Step:
    """Keys, what then comes onto the screen, and how long people get to look at it."""

    keys: str
    until: str
    look: float = 1.2
    typed: bool = False
    """Whether a person types this letter by letter."""


STEPS = (
    Step("", "reviews them", look=2.4),
    Step("D", "The change", look=2.4),
    Step("j", "The change", look=1.6),
    Step("a", "u undoes it", look=2.0),
    Step("\x1b", "1 Logs", look=0.8),
    Step("@", "accept:", look=2.4),
    Step("u", "Undone", look=2.0),
    Step("\x1b", "1 Logs", look=0.8),
    Step("/", "Search", look=0.4),
    Step("rota pilot", "On-call", look=1.6, typed=True),
    Step("\t", "promote", look=0.5),
    Step("jj", "", look=1.2),
    Step("\r", "Memory", look=1.6),
)


@dataclass(frozen=True, slots=True)
class Frame:
    """What is on the screen, from a moment on (seconds), row by row."""

    at: float
    rows: tuple[tuple[Run, ...], ...]


class Recorder:
    """The program on a pseudo-terminal, its bytes with their times, and the screens that they made."""

    def __init__(self, root: Path, home: Path, proposed: int) -> None:
        self._screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self._screen)
        self.events: list[tuple[float, str]] = []
        self.frames: list[Frame] = []
        self._clock = 0.0
        self._child = pexpect.spawn(
            sys.executable, ["-c", RUN, str(root), str(proposed)],
            dimensions=(LINES, COLUMNS), timeout=PATIENCE_SECONDS,
            env={**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "HOME": str(home),
                 "PYTHONPATH": str(DOCS.parent), "LANG": "C.UTF-8"},
        )  # fmt: skip

    def play(self, step: Step) -> None:
        """Press the keys, wait for what comes, and stay for a while."""
        for key in step.keys if step.typed or step.keys.isalnum() else [step.keys]:
            self._child.send(key)
            self._read(0.12)
            self._clock += 0.09
            self._keep()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while step.until and not any(step.until in line for line in self._screen.display):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{step} never came:\n" + "\n".join(self._screen.display))
            self._read(0.1)
        self._read(0.5)
        self._keep()
        self._clock += step.look

    def close(self) -> None:
        """Leave the program."""
        self._child.send("q")
        self._child.expect(pexpect.EOF)
        self._child.close()

    def _read(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                data = bytes(self._child.read_nonblocking(65536, timeout=left))  # type: ignore[arg-type]
            except pexpect.TIMEOUT:
                return
            self._stream.feed(data)
            self.events.append((self._clock, data.decode("utf-8", "replace")))

    def _keep(self) -> None:
        rows = tuple(tuple(self._row(y)) for y in range(LINES))
        if not self.frames or self.frames[-1].rows != rows:
            self.frames.append(Frame(round(self._clock, 2), rows))

    def _row(self, y: int) -> Iterator[Run]:
        kept: Run | None = None
        for x in range(COLUMNS):
            cell = self._screen.buffer[y][x]
            if not cell.data:
                continue  # the second half of a wide character
            ink, ground = _class(cell.fg, "ink"), _class(cell.bg, "ground")
            if cell.reverse:
                ink, ground = ground, ink
            said = ("b" if cell.bold else "") + ("u" if cell.underscore else "")
            if kept and (kept.ink, kept.ground, kept.attributes) == (ink, ground, said):
                kept = Run(kept.x, kept.text + cell.data, ink, ground, said)
            else:
                if kept:
                    yield kept
                kept = Run(x, cell.data, ink, ground, said)
        if kept:
            yield kept

    @property
    def seconds(self) -> float:
        """How long the recording is."""
        return self._clock


def _class(color: str, default: str) -> str:
    return default if color == "default" else f"c{color}"


def cast(recorder: Recorder) -> str:
    """The recording as asciicast v2."""
    head = {"version": 2, "width": COLUMNS, "height": LINES, "title": "Memory Workbench", "timestamp": 0}
    lines = [json.dumps(head)]
    lines += [json.dumps([round(at, 3), "o", text], ensure_ascii=False) for at, text in recorder.events]
    return "\n".join(lines) + "\n"


def moving(frames: list[Frame], seconds: float) -> str:
    """The recording as an SVG: each row that ever was is drawn once, and each frame names its rows."""
    wide, high = COLUMNS * WIDTH, LINES * HEIGHT
    rows = {row: number for number, row in enumerate(dict.fromkeys(r for f in frames for r in f.rows))}
    defs = [f'<g id="r{number}">{_drawn(row)}</g>' for row, number in rows.items()]
    shown, rules = [], []
    for number, frame in enumerate(frames):
        end = frames[number + 1].at if number + 1 < len(frames) else seconds
        uses = "".join(
            f'<use href="#r{rows[row]}" y="{y * HEIGHT}"/>' for y, row in enumerate(frame.rows) if _drawn(row)
        )
        shown.append(f'<g class="f" id="f{number}">{uses}</g>')
        rules.append(_rule(number, frame.at / seconds, end / seconds))
    ground = frames[-1].rows[-1][-1].ground
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high}">',
            f"<title>{escape('Memory Workbench: review a proposal, accept, undo, search')}</title>",
            f"<style>{style_sheet(rows)}.f{{visibility:hidden;animation:{seconds:.2f}s step-end infinite}}"
            + "".join(rules)
            + "</style>",
            f'<rect width="100%" height="100%" class="{ground}"/>',
            f"<defs>{''.join(defs)}</defs>",
            *shown,
            "</svg>\n",
        )
    )


def _rule(number: int, start: float, end: float) -> str:
    first = "" if start == 0 else "0%{visibility:hidden}"
    last = "" if end >= 1 else f"{end:.3%}{{visibility:hidden}}"
    frames = f"{first}{start:.3%}{{visibility:visible}}{last}"
    return f"@keyframes k{number}{{{frames}}}#f{number}{{animation-name:k{number}}}"


def _drawn(row: tuple[Run, ...]) -> str:
    grounds = "".join(
        f'<rect x="{run.x * WIDTH:g}" width="{run.cells * WIDTH:g}" height="{HEIGHT}" class="{run.ground}"/>'
        for run in row
    )
    text = written(row)
    return grounds + (f'<text y="13">{text}</text>' if text else "")


def main() -> None:
    """Record it, and write both files."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.environ.update(
            HOME=folder, WORKBENCH_TODAY=TODAY.isoformat(), WORKBENCH_CONFIG=str(home / "settings.yaml")
        )
        (home / ".gitconfig").write_text("[user]\n\tname = Tessa\n\temail = tessa@localhost\n")
        root = home / "memory-demo"
        write_demo(root, TODAY)
        workspace = Workspace.open(root)
        reindex(workspace, vectors=False)
        now = datetime.combine(TODAY, datetime.min.time(), UTC).replace(hour=9)
        proposed = propose(workspace, dream(workspace, now=now).proposals, now).added
        recorder = Recorder(root, home, len(proposed))
        for step in STEPS:
            recorder.play(step)
        recorder.close()
    made = {"recording.svg": moving(recorder.frames, recorder.seconds)}
    if "--cast" in sys.argv:
        made["recording.cast"] = cast(recorder)
    for name, text in made.items():
        if len(text.encode()) > MOST_BYTES:
            sys.exit(f"{name} would have {len(text.encode()):,} bytes; {MOST_BYTES:,} are allowed")
        (DOCS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
