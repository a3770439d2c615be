"""The five things that the README invites people to try do in the real interface what it says of them."""

from __future__ import annotations

import re
import shutil
from contextlib import closing
from pathlib import Path

from tests.docs.pages import PROJECT
from tests.screens.interface import opened
from tests.support.terminal import Terminal
from workbench.workspace.workspace import Workspace

ROWS = re.findall(r"^\| (`.*?) \| (.*) \|$", (PROJECT / "README.md").read_text(), re.MULTILINE)
KEYS = [re.findall(r"`([^`]+)`", shown) for shown, _ in ROWS]
FIRST_MINUTE = (
    "import faulthandler, signal, sys; faulthandler.register(signal.SIGUSR1); "
    "from workbench.cli import main; sys.argv[1:1] = ['demo']; main()"
)


def newest(workspace: Workspace) -> str:
    return next(iter(workspace.operations.walk())).action


def test_the_readme_shows_the_keys_that_are_pressed_here() -> None:
    assert KEYS == [
        ["D", "a"],
        ["@", "u"],
        ["/", "what replaces Mosquitto"],
        ["["],
        ["W", "when is the concert of the Harbour Choir?"],
    ]


async def test_the_five_things_to_try_do_what_the_readme_says(demo: Path, tmp_path: Path) -> None:
    shutil.copytree(demo, tmp_path / "agent", symlinks=True)
    with_workspace = Workspace.open(tmp_path / "agent")
    memory = tmp_path / "agent" / "MEMORY.md"
    (review, accept), (operations, undo), (search, words), (back,), (context, message) = KEYS
    async with opened(with_workspace) as interface:
        before = memory.read_bytes()
        await interface.press(review)
        await interface.until_shown("The change")  # of the first proposal, which the cursor is on
        await interface.press(accept)
        await interface.until(lambda: memory.read_bytes() != before, "a proposal is in MEMORY.md")
        await interface.press("escape")
        await interface.until(lambda: interface.app.screen is interface.main, "the panes are back")

        await interface.press(operations)
        await interface.until_shown("accept")
        await interface.press(undo)
        await interface.until(lambda: newest(with_workspace) == "undo", "it is undone")
        await interface.until(lambda: memory.read_bytes() == before, "MEMORY.md is as it was")
        await interface.press("escape")
        await interface.until(lambda: interface.app.screen is interface.main, "the panes are back")

        await interface.press(search)
        await interface.type(words)
        await interface.until_shown("NATS JetStream replaces Mosquitto as broker")
        await interface.press("escape", "escape")
        await interface.until(lambda: interface.app.screen is interface.main, "the panes are back")

        await interface.press(back)
        await interface.until_shown("◷ as of")
        await interface.press("escape")
        await interface.until(lambda: "◷ as of" not in interface.text, "today is back")
        await interface.press(context)
        await interface.until(lambda: interface.app.screen is not interface.main, "the context preview")
        await interface.type(message)
        await interface.until_shown("[event] Concert of the Harbour Choir")
    with_workspace.close()


def test_the_demo_opens_with_proposals_that_wait_and_says_so(tmp_path: Path) -> None:
    interface = Terminal(tmp_path / "demo", run=FIRST_MINUTE)
    with closing(interface.child):
        interface.until(lambda text: "D reviews them" in text, "that proposals wait is told")
        interface.keys("D")
        interface.until(lambda text: "The change" in text, "the first proposal and what it would change")
