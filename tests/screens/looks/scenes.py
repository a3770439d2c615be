"""What pictures are taken of: keys from the panes on, and what must be there before it is looked at."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from datetime import time as clock
from pathlib import Path
from typing import Literal
from unittest.mock import patch

from rich.segment import Segment
from textual._context import visible_screen_stack
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Input

from indexing.sync.run import reindex
from screens.app import WorkbenchApp
from screens.context.screen import AgentScreen
from screens.jobs import worker_client
from tests.screens.looks.picture import Picture, of_strips
from workbench.dreaming.proposals.inbox import propose
from workbench.dreaming.run import dream
from workbench.workspace.demo_writer import write_demo
from workbench.workspace.workspace import Workspace

TODAY = date(2026, 3, 20)
SIZES = ((140, 40), (80, 24), (60, 20))
"""One after the other, as a person would make their window smaller."""
THEMES = ("dark", "light", "ansi")
LOOKS = (*((SIZES[0], theme) for theme in THEMES), *((size, THEMES[0]) for size in SIZES[1:]))
"""Each theme where most is shown, and each size in one theme: colours do not depend on the size."""
SNAPSHOTS = Path(__file__).parent / "snapshots"
_PATIENCE_SECONDS = 90.0
_CALM = 6
"""Looks in a row that find nothing changed."""


Ground = Literal["demo", "dreamt", "empty"]
"""The demo, the demo after a dream, and a workspace without any memory."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Keys, and words that stand on the screen when all of it is there."""

    name: str
    keys: tuple[str, ...]
    until: tuple[str, ...] = ()
    at: Ground = "demo"
    afresh: bool = False
    """Whether it keeps the colours that it was opened in."""


def _typed(text: str) -> tuple[str, ...]:
    """The keys of a text."""
    return tuple("space" if sign == " " else sign for sign in text)


SCENES = (
    Scene("main", ("j", "j"), until=("memory/2026-03-20.md:", " related ")),
    Scene("main-empty", (), until=("no logs yet",), at="empty"),
    Scene("marks", ("2", "j", "j", "space", "space", "space"), until=("3 marked", " related ")),
    Scene("search", ("slash", *"prefers", "tab", "j"), until=("2/", "words", "related 2")),
    Scene("search-nothing", ("slash", *"zzzz"), until=("nothing has these words",)),
    Scene("confirm", ("2", "j", "j", "space", "space", "d"), until=("n leave it", "+++ b")),
    Scene("operations", ("at", "j"), until=("2/", "+++ b")),
    Scene("help", ("question_mark",), until=("Here: in the panes",)),
    Scene("palette", ("colon", *"theme"), until=("Theme: Sepia",), afresh=True),
    Scene("review", ("D",)),
    Scene("review-filled", ("D", "j"), until=("Run of Fri 20 Mar, 12:00", "Sources"), at="dreamt"),
    Scene("graph", ("R",)),
    Scene("agent", ("W",)),
    Scene(
        "agent-given", ("W", *_typed("when is the pilot of jonas brandt"), "enter"), until=("are not given",)
    ),
    Scene("contradictions", ("R", "C"), until=("1 keep",)),
    Scene("health", ("H",)),
    Scene("settings", ("S",)),
)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(?=\s*$)")
_NOON = f"{TODAY} 12:00"
_NEW_ID = re.compile(r"(?:(?<=wb: id=m)[0-9a-f]{6}|(?<=wb:)[a-z2-7]{8}(?= -->))")
"""A memory that would be made gets another id with every look."""
_READING = ("reading …", "looking …", "working …", "… check", "     waits ")
"""What stands there until there is something to see."""


def place(scene: Scene, size: tuple[int, int], theme: str) -> Path:
    """Where the picture of a scene is kept."""
    return SNAPSHOTS / scene.name / f"{size[0]}x{size[1]}-{theme}.svg"


@contextmanager
def demo(home: Path) -> Iterator[dict[Ground, Path]]:
    """Each ground, in a home of their own, on a day and by a clock that are always the same."""
    said = {
        "HOME": str(home),
        "TZ": "UTC",
        "WORKBENCH_TODAY": TODAY.isoformat(),
        "WORKBENCH_CONFIG": str(home / "settings.yaml"),
    }
    before = {name: os.environ.get(name) for name in (*said, "NO_COLOR")}
    os.environ.update(said)
    os.environ.pop("NO_COLOR", None)
    time.tzset()
    try:
        roots: dict[Ground, Path] = {
            "demo": home / "memory-demo",
            "dreamt": home / "memory-dreamt",
            "empty": home / "nothing-yet",
        }
        if not roots["empty"].exists():
            write_demo(roots["demo"], TODAY)
            shutil.copytree(roots["demo"], roots["dreamt"])
            dreamt(Workspace.open(roots["dreamt"]))
            reindex(Workspace.open(roots["demo"]), vectors=False)
            roots["empty"].mkdir()
        yield roots
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        time.tzset()


def dreamt(workspace: Workspace) -> None:
    """Let a dream propose, at noon."""
    noon = datetime.combine(TODAY, clock(12), UTC)
    made = dream(workspace, now=noon)
    propose(workspace, made.proposals, noon, replaces=True)


Taken = dict[tuple[tuple[int, int], str], Picture]
"""Pictures by size and theme."""


async def take(root: Path, scene: Scene) -> Taken:
    """The pictures of ``scene``, one for each of ``LOOKS``."""
    taken: Taken = {}
    for themes in [(theme,) for theme in THEMES] if scene.afresh else [THEMES]:
        taken |= await _take(root, scene, themes)
    return taken


async def _take(root: Path, scene: Scene, themes: Sequence[str]) -> Taken:
    real = worker_client.program

    def program(task: str) -> list[str]:
        return ["-m", "tests.screens.looks.calm_checks", task] if task == "health" else real(task)

    with patch.object(worker_client, "program", program):
        return await _pictures(root, scene, themes)


async def _pictures(root: Path, scene: Scene, themes: Sequence[str]) -> Taken:
    app = WorkbenchApp(Workspace.open(root), engines=False)
    taken: Taken = {}
    async with app.run_test(size=SIZES[0]) as pilot:
        app.theming.use(themes[0])
        await _until(pilot, lambda: all(pane.list.empty != "reading …" for pane in app.main.panes))
        await _settle(pilot, app)  # a key goes to the row that it is meant for only once all rows are there
        for key in scene.keys:
            await pilot.press(key)
        await _until(pilot, lambda: _is_there(app, scene), scene)
        for field in app.screen.query(Input):
            field.cursor_blink = False
        for size, theme in LOOKS:
            if theme not in themes:
                continue
            if (app.size.width, app.size.height) != size:
                await pilot.resize_terminal(*size)
            app.theming.use(theme)
            await _settle(pilot, app)
            taken[size, theme] = of_strips(map(_timeless, drawn(app)), size[0])
    return taken


def shown(app: WorkbenchApp) -> str:
    """The screen as text."""
    return _text(drawn(app))


def _text(strips: list[Strip]) -> str:
    return "\n".join(strip.text for strip in strips)


def drawn(app: WorkbenchApp) -> list[Strip]:
    """The screen, with what shines through it from behind."""
    visible_screen_stack.set(app._background_screens)  # as Textual does before it draws
    return app.screen._compositor.render_strips()


def _timeless(strip: Strip) -> Strip:
    """What a line says without the moment at which the demo was made, and ids that are new each time."""
    return Strip([Segment(_settled(text), style) for text, style, _ in strip])


def _settled(text: str) -> str:
    return _NEW_ID.sub(lambda new: "0" * len(new[0]), _MOMENT.sub(_NOON, text))


def _is_there(app: WorkbenchApp, scene: Scene) -> bool:
    if isinstance(app.screen, AgentScreen) and not app.screen.answered:
        return False  # what stands there may answer the first half of a message
    said = shown(app)
    return all(words in said for words in scene.until) and not _reads(said)


def _reads(said: str) -> bool:
    return any(words in said for words in _READING)


async def _until(pilot: Pilot[None], condition, scene: Scene | None = None) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{scene} never came:\n{shown(pilot.app)}")  # type: ignore[arg-type]
        await pilot.pause(0.02)


async def _settle(pilot: Pilot[None], app: WorkbenchApp) -> None:
    """Wait until nothing changes for a while."""
    before: list[Strip] = []
    calm = 0
    while calm < _CALM:
        now = drawn(app)
        calm = calm + 1 if now == before and not _reads(_text(now)) else 0
        before = now
        await pilot.pause(0.02)
