"""The keys that the tutorial tells people to press do in the real interface what it says of them."""

from __future__ import annotations

import shutil
from pathlib import Path

from screens.widgets.entry_list import EntryList
from tests.docs.pages import DOCS, read_page
from tests.screens.interface import opened
from workbench.workspace.workspace import Workspace

BLOCKS = [block for block in read_page(DOCS / "tutorial.md").blocks if block.language == "keys"]
STEPS = [tuple(line.split(maxsplit=1)) for block in BLOCKS for line in block.text.splitlines()]
TYPED = "type this"
"""How the explanation of something begins that is words and no key."""


def newest(workspace: Workspace) -> str:
    return next(iter(workspace.operations.walk())).action


async def test_the_keys_of_the_tutorial_do_what_it_says(demo: Path, tmp_path: Path) -> None:
    shutil.copytree(demo, tmp_path / "agent", symlinks=True)
    words = "Allergic to penicillin"
    with_workspace = Workspace.open(tmp_path / "agent")
    pressed: list[str] = []
    async with opened(with_workspace) as interface:

        def rows() -> EntryList:
            return interface.main.pane.list

        for key, says in STEPS:
            if says.startswith(TYPED):
                await interface.type(key)
                await interface.until(lambda: len(rows().rows) == 2, "the pane is narrowed")
                assert words in rows().rows[1].text
                continue
            await interface.press(key)
            pressed.append(key)
            if key == "P":
                await interface.until(lambda: newest(with_workspace) == "pin", "the entry is pinned")
                assert (
                    b"penicillin, and unreasonably suspicious of coriander. <!-- wb: pinned="
                    in (tmp_path / "agent" / "MEMORY.md").read_bytes()
                )
            elif key == "u":
                await interface.until(lambda: newest(with_workspace) == "undo", "the pin is taken back")
            elif key == "@":
                await interface.until_shown("undo: pin: Allergic to penicillin")
            elif key == "escape":
                await interface.until(lambda: interface.app.screen is interface.main, "the panes are back")
    assert pressed == ["2", "f", "enter", "j", "P", "u", "@", "escape"]
    with_workspace.close()
