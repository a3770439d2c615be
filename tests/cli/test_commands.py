"""The list of commands: written apart from them, so that listing loads none, and true all the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.cli.conftest import Run
from workbench.cli.commands import COMMANDS, RENAMED, Commands, LazyCommand
from workbench.cli.program import workbench

PROJECT = Path(__file__).resolve().parents[2]
LISTED = [listed for group in COMMANDS.values() for listed in group]


@pytest.mark.parametrize("listed", LISTED, ids=lambda listed: listed.name)
def test_what_is_listed_is_there_and_has_help_of_its_own(listed: LazyCommand) -> None:
    command = workbench.commands[listed.name]
    assert command.name == listed.name
    assert command.help
    assert command.get_short_help_str(1000) == listed.summary
    assert command.hidden == listed.hidden


def test_no_name_is_given_twice_and_each_line_fits_80_columns() -> None:
    names = [listed.name for listed in LISTED]
    assert len(set(names)) == len(names)
    width = max(len(name) for name in names)
    assert [listed.name for listed in LISTED if 2 + width + 2 + len(listed.summary) > 78] == []


def test_every_command_of_the_package_is_listed() -> None:
    """A module with a command that nobody listed would be dead code."""
    nested = {
        id(inner)
        for command in workbench.commands.values()
        if isinstance(command, click.Group)
        for inner in command.commands.values()
    }
    top = {id(command) for command in workbench.commands.values()} | {id(workbench)}
    for module in [m for name, m in sys.modules.items() if name.startswith("workbench.cli.")]:
        for name, value in vars(module).items():
            if isinstance(value, click.Command):
                assert id(value) in nested | top, f"{module.__name__}.{name}"


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_a_renamed_command_says_its_name_of_today_and_stops(run: Run, old: str, new: str) -> None:
    done = run(*old.split(), "--json")
    assert done.code == 2
    assert done.json["error"]["message"] == f"`{old}` is called `{new}` now"
    command, *more = new.split()
    assert "Usage:" in run(command, *more, "--help").out


def test_hooks_that_call_the_old_names_are_answered(run: Run) -> None:
    for old, new in (
        (["inject"], ["context"]),
        (["bulletin", "context"], ["context", "--bulletin", "context"]),
    ):
        said = run(*old, *(["staging port"] if old == ["inject"] else []))
        again = run(*new, *(["staging port"] if old == ["inject"] else []))
        assert (said.code, said.out) == (again.code, again.out)
        assert said.code == 0


def test_there_are_few_commands_at_the_top() -> None:
    assert len([one for one in LISTED if not one.hidden]) <= 46


def test_the_help_names_each_command_under_what_it_is_for(run: Run) -> None:
    said = run("--help").out
    for title, group in COMMANDS.items():
        part = said.partition(f"\n{title}:\n")[2].partition("\n\n")[0]
        assert [line.split()[0] for line in part.splitlines()] == [c.name for c in group if not c.hidden]


def test_help_loads_no_command() -> None:
    code = (
        "import sys; sys.argv = ['workbench', '--help']\n"
        "from workbench.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "ours = ('workbench', 'indexing', 'screens', 'themes')\n"
        "print(sorted(m for m in sys.modules if m.startswith(ours)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    declared = ("operations", "operations.registry")
    shown = ("errors", *declared, "safety", "safety.terminal")
    loaded = ("cli", "cli.commands", "cli.console", "cli.program", "cli.shell_values", *shown)
    modes = ("indexing", "indexing.search", "indexing.search.modes")
    assert done.stderr.strip() == str([*modes, "workbench", *[f"workbench.{name}" for name in loaded]])


def test_the_old_name_of_a_command_says_the_new_ones(run: Run) -> None:
    refused = run("health", "index", "--all")
    assert refused.code == 2
    assert "workbench doctor" in refused.err


def test_a_mistyped_command_is_told_what_is_near(run: Run) -> None:
    refused = run("promot")
    assert refused.code == 2
    assert "promote" in refused.err


def test_a_word_with_a_minus_is_said_how_to_write(run: Run) -> None:
    refused = run("search", "-Telegram")
    assert (refused.code, "`workbench search -- …`" in refused.err) == (2, True)
    assert "-- …" not in run("search", "--modee").err
    assert "-- …" not in run("status", "-Z").err


@pytest.mark.parametrize("command", ["status", "inbox list", "graph stats"])
def test_a_folder_behind_a_command_that_takes_none_is_said_how_to_name(run: Run, command: str) -> None:
    said = f"`workbench -w memory {command}` does it for that folder"
    assert run(*command.split(), "memory", "--json").json["error"]["hint"] == said
    shown = run(*command.split(), "memory")
    assert shown.code == 2
    assert said in shown.err
    assert "-w" not in run(*command.split(), "no-such-folder").err


def test_a_command_can_be_put_in_and_taken_out() -> None:
    commands = Commands({listed.name: listed for listed in LISTED})
    commands["more"] = click.Command("more")
    assert "more" in commands
    assert commands["more"].name == "more"
    del commands["more"]
    assert "more" not in commands
    assert list(commands) == [listed.name for listed in LISTED]
    with pytest.raises(KeyError):
        commands["more"]
