"""kill -9 of the interface in a real terminal, while keys are pressed, an agent writes and it is indexed."""

from __future__ import annotations

import random
import signal
import subprocess
from pathlib import Path

import pexpect
import pytest

from tests.support import forked
from tests.support.terminal import PATIENCE_SECONDS, Terminal
from tests.workspace.test_kill import Agent
from workbench.workspace.demo_writer import write_demo
from workbench.workspace.workspace import Workspace

ROUNDS = 6
KEYS = ("p", "d", "u", "j", "k", "j", "p", "d", "u", "\t", "\r", "y", "\x1b")


def words(root: Path) -> set[bytes]:
    return {word for path in root.rglob("*.md") for word in path.read_bytes().split()}


@pytest.mark.promise(
    "Writing",
    "random `kill -9` of the interface while keys are pressed",
    "no word lost",
    by="a real pseudo-terminal",
)
@pytest.mark.faults
def test_an_interface_that_is_killed_while_keys_are_pressed_loses_no_word(tmp_path: Path) -> None:
    root = tmp_path / "demo"
    write_demo(root)
    start = words(root)
    chance = random.Random(20261121)
    log = next(path for path in sorted(root.glob("memory/*.md"))).relative_to(root).as_posix()
    agent = Agent(root, (log, "MEMORY.md"))
    agent.start()
    acted = 0
    try:
        for _ in range(ROUNDS):
            terminal = Terminal(root)
            terminal.until(lambda text: "1 Logs" in text, "the panes")
            with forked.started("-w", root, "reindex", "--no-vectors", cwd=forked.PROJECT):
                for _ in range(chance.randint(5, 25)):
                    terminal.keys(chance.choice(KEYS))
                    shown = terminal.text
                    terminal.read(0.05)
                    acted += shown != terminal.text
                terminal.child.kill(signal.SIGKILL)
            terminal.child.expect(pexpect.EOF, timeout=PATIENCE_SECONDS)
            terminal.child.close(force=True)
    finally:
        agent.stopped.set()
        agent.join()
    assert acted

    place = Workspace.open(root)
    place.operations.recover()
    history = subprocess.run(
        ["git", "-C", root, "log", "-p", "--no-color", "--text"], check=True, capture_output=True
    ).stdout
    known = words(root) | {word for line in history.splitlines() for word in line[1:].split()}
    assert [token for token in agent.tokens if token.encode() not in known] == []
    assert start <= known
    assert not [path for path in root.rglob(".wb-*") if ".workbench" not in path.parts]
    subprocess.run(["git", "-C", root, "fsck", "--strict"], check=True, capture_output=True)
    place.close()
