"""The command about looks: themes listed, printed as a start, and checked."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import Sandbox
from themes import BUILT_IN, own_folder, parse_theme

SEPIA = (BUILT_IN / "sepia.yaml").read_text()


def test_themes_are_listed_with_ones_own(run: Run) -> None:
    own_folder().mkdir(parents=True)
    (own_folder() / "mine.yaml").write_text(SEPIA.replace("name: sepia", "name: mine"))
    result = run("config", "themes")
    assert result.code == 0
    assert "ember          dark      Ember" in result.out
    assert "mine           light     Sepia  (yours)" in result.out
    assert "ansi           terminal  Terminal colours" in result.out
    listed = run("config", "themes", "--json").json
    assert [theme["name"] for theme in listed["themes"]][-1] == "mine"
    assert listed["problems"] == []


def test_a_theme_of_ones_own_that_cannot_be_used_is_named(run: Run) -> None:
    own_folder().mkdir(parents=True)
    (own_folder() / "mine.yaml").write_text("name: mine\n")
    result = run("config", "themes")
    assert result.code == 4
    assert "skipped: mine.yaml:1: label must be" in result.err


def test_a_theme_can_be_printed_as_a_start(run: Run) -> None:
    result = run("config", "themes", "--show", "sepia")
    assert result.out == SEPIA
    assert parse_theme(result.out, "mine.yaml").name == "sepia"
    assert run("config", "themes", "--show", "neon").code == 2


def test_a_theme_is_checked(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(SEPIA)
    assert run("config", "themes", "--check", str(path)).code == 0
    path.write_text(SEPIA.replace('muted: "#67543f"', 'muted: "#b7a48f"'))
    pale = run("config", "themes", "--check", str(path))
    assert pale.code == 4
    assert "muted on surface has a contrast of 2.0; 4.5 can be read" in pale.out
    path.write_text(SEPIA.replace("good:", "godd:"))
    wrong = run("config", "themes", "--check", str(path), "--json")
    assert wrong.code == 4
    assert wrong.json["usable"] is False
    assert wrong.json["problems"] == [
        "mine.yaml:6: colors.good is missing; it must be a colour like '#1a2b3c', or one like ansi_blue"
    ]
    assert run("config", "themes", "--check", str(tmp_path / "gone.yaml")).code == 4


def test_what_a_theme_says_cannot_steer_the_terminal(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "\x1b]0;evil\x07.yaml"
    path.write_text('name: "\\e[31m"')
    result = run("config", "themes", "--check", str(path))
    assert "\x1b" not in result.out
    assert "\x07" not in result.out


@pytest.mark.parametrize(
    ("said", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_the_command_line_is_coloured_on_a_terminal_that_can_and_may_be(
    sandbox: Sandbox, said: dict[str, str], coloured: bool
) -> None:
    command = [sys.executable, "-m", "workbench", "-w", str(sandbox.root), "show", "MEMORY.md:5"]
    leader, follower = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    subprocess.run(command, stdout=follower, env=environment | {"TERM": "xterm"} | said, check=True)
    os.close(follower)
    shown = os.read(leader, 65_536)
    os.close(leader)
    assert b"Likes tea" in shown
    assert (b"\x1b[" in shown) is coloured
