"""The pictures of the documentation, made from the demo workspace: ``python docs/make_pictures.py [NAME …]``.

They are the same whenever they are made: the sample's last day is fixed, and so is the home they are in.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import cast

from textual.pilot import Pilot

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

from indexing.sync.run import reindex  # noqa: E402 - after the path
from screens.app import WorkbenchApp  # noqa: E402
from screens.context.screen import AgentScreen  # noqa: E402
from workbench.agent.search_update import SearchUpdate  # noqa: E402
from workbench.workspace.demo_writer import write_demo  # noqa: E402
from workbench.workspace.workspace import Workspace  # noqa: E402

TODAY = date(2026, 3, 20)
PATIENCE_SECONDS = 60.0
NOTHING = SearchUpdate("", (), "")
HOME = "/home/tessa/work"
"""What the pictures call the home that they are made in, which has as many letters."""


def _typed(text: str) -> tuple[str, ...]:
    """The keys of a text."""
    return tuple("space" if sign == " " else sign for sign in text)


SCENES: dict[str, tuple[str, tuple[int, int], tuple[str, ...]]] = {
    "main": ("dark", (140, 40), ("j", "j")),
    "search": ("dark", (140, 40), ("slash", *"prefers", "space", *"async", "wait", "tab", "j")),
    "past": (
        "dark",
        (140, 40),
        ("slash", *"deploy", "space", *"as-of:2026-03-01", "then", "tab", "j"),
    ),
    "operations": ("dark", (140, 40), ("at", "j")),
    "help": ("dark", (140, 40), ("question_mark",)),
    "review": ("dark", (140, 40), ("D", "read", "r", "dreamt", "j", "j", "j")),
    "graph": ("dark", (140, 40), ("R", "read", "j", "j")),
    "agent": (
        "dark",
        (140, 40),
        ("W", "read", *_typed("when is the pilot of jonas brandt"), "enter", "answered"),
    ),
    "health": ("dark", (140, 40), ("H", "read", "j")),
    "settings": ("dark", (140, 40), ("S", "read", "j")),
    "travel": ("dark", (140, 40), ("left_square_bracket",) * 3),
    "ember": ("ember", (100, 30), ("j", "j")),
    "sepia": ("sepia", (100, 30), ("j", "j")),
    "light": ("light", (100, 30), ("j",)),
    "high-contrast": ("high-contrast", (80, 24), ("j",)),
    "narrow": ("dark", (60, 20), ("j",)),
}
"""For each picture its theme, its size and its keys, and what is waited for between them."""
_READING = ("reading …", "looking …", "working …", "… check", "     waits ")


def answer(app: WorkbenchApp) -> SearchUpdate:
    """The answer of the search that is shown."""
    return app.main.live_search._state.found or NOTHING


STATES: dict[str, Callable[[WorkbenchApp], bool]] = {
    "wait": lambda app: answer(app).mode == "hybrid",
    "then": lambda app: STATES["wait"](app) and answer(app).moment is not None,
    "answered": lambda app: isinstance(app.screen, AgentScreen) and app.screen.answered,
    "dreamt": lambda app: "new proposals" in shown(app),
    "read": lambda app: app.screen is not app.main and not any(words in shown(app) for words in _READING),
}


async def take(workspace: Workspace, name: str) -> None:
    """One picture."""
    theme, size, keys = SCENES[name]
    app = WorkbenchApp(workspace)
    async with app.run_test(size=size) as pilot:
        app.theming.use(theme)
        await until(pilot, lambda: "up to date · hybrid" in app.main.title_line.status)
        for key in keys:
            if key in STATES:
                await until(pilot, partial(STATES[key], app))
            else:
                await pilot.press(key)
        await settle(pilot)
        svg = app.export_screenshot(title="Memory Workbench", simplify=True)
    (DOCS / f"{name}.svg").write_text(svg.replace(os.environ["HOME"], HOME), encoding="utf-8")


async def until(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    """Wait for ``condition``."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("the interface did not get there")
        await pilot.pause(0.02)


def shown(app: WorkbenchApp) -> str:
    """The screen as text."""
    return "".join(strip.text for strip in app.screen._compositor.render_strips())


async def settle(pilot: Pilot[None]) -> None:
    """Wait until nothing changes on the screen for a while."""
    before, calm = "", 0
    while calm < 25:
        now = shown(cast("WorkbenchApp", pilot.app))
        calm = calm + 1 if now == before else 0
        before = now
        await pilot.pause(0.02)


def main() -> None:
    """All pictures."""
    with tempfile.TemporaryDirectory(dir="/tmp") as home:
        os.environ["HOME"] = home
        os.environ["WORKBENCH_TODAY"] = TODAY.isoformat()
        os.environ["WORKBENCH_CONFIG"] = str(Path(home) / "settings.yaml")
        root = Path(home) / "memory-demo"
        write_demo(root, TODAY)
        reindex(Workspace.open(root))
        for name in sys.argv[1:] or SCENES:
            asyncio.run(take(Workspace.open(root), name))


if __name__ == "__main__":
    main()
