"""Every operation of the registry as a command: its help, its dry run, its undo."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import EPISODE, Sandbox
from workbench.dreaming.proposals.operations import OPERATIONS as PROPOSALS
from workbench.graph.operations import OPERATIONS as GRAPH
from workbench.ingest.operations import OPERATIONS as EPISODES
from workbench.operations.registry import OPERATIONS, OperationSpec

COMMANDS = {operation.name: [operation.name] for operation in OPERATIONS.values() if operation.group}
COMMANDS["release"] = ["quarantine", "--release"]
Arguments = Callable[[Run, Sandbox], list[str]]


def _entry(_: Run, sandbox: Sandbox) -> list[str]:
    return [sandbox.address("staging port")]


def _set_aside(run: Run, sandbox: Sandbox) -> list[str]:
    done = run("quarantine", sandbox.address("staging port"), "--json")
    return list(done.json["became"])


def _forgotten(run: Run, sandbox: Sandbox) -> list[str]:
    run("forget", sandbox.address("staging port"))
    return []


def _undone(run: Run, sandbox: Sandbox) -> list[str]:
    _forgotten(run, sandbox)
    run("undo")
    return []


EXAMPLES: dict[str, Arguments] = {
    "promote": _entry,
    "forget": lambda run, sandbox: [EPISODE],
    "edit": lambda run, sandbox: [sandbox.address("staging port"), "--text", "The staging port is 9443"],
    "merge": lambda run, sandbox: [
        sandbox.address("Likes tea", "MEMORY.md"),
        sandbox.address("staging port"),
    ],
    "move": lambda run, sandbox: [*_entry(run, sandbox), "--to", "memory/ports.md"],
    "pin": _entry,
    "quarantine": _entry,
    "release": _set_aside,
    "archive": lambda run, sandbox: [sandbox.address("Likes tea", "MEMORY.md")],
    "undo": _forgotten,
    "redo": _undone,
}
"""Arguments with which each does something, and before that, what must have been done."""


def test_every_operation_is_tried_out() -> None:
    assert set(EXAMPLES) == COMMANDS.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_operation_tells_what_it_does_shows_it_does_it_and_is_taken_back(
    name: str, run: Run, sandbox: Sandbox
) -> None:
    arguments = EXAMPLES[name](run, sandbox)
    before, head = sandbox.snapshot(), sandbox.git("rev-parse", "HEAD")

    assert OPERATIONS[name].help.split()[0] in run(*COMMANDS[name], "--help").out
    shown = run(*COMMANDS[name], *arguments, "--dry-run", "--json")
    assert shown.code == 0, shown
    assert shown.json["operation"] is None
    assert shown.json["diff"]
    assert (sandbox.snapshot(), sandbox.git("rev-parse", "HEAD")) == (before, head)

    done = run(*COMMANDS[name], *arguments, "--json")
    assert done.code == 0, done
    assert sandbox.snapshot() != before
    assert run("undo", done.json["operation"]).code == 0
    assert sandbox.snapshot() == before


@pytest.mark.parametrize(
    ("group", "operation"),
    [
        (group, operation)
        for group, operations in (("graph", GRAPH), ("inbox", PROPOSALS), ("episodes", EPISODES))
        for operation in operations
    ],
)
def test_an_operation_in_a_group_says_what_it_does(group: str, operation: OperationSpec, run: Run) -> None:
    assert operation.help.partition(",")[0].partition(":")[0] in " ".join(
        run(group, operation.name, "--help").out.split()
    )
    required = [f"--{each.name}" for each in operation.parameters if each.required and not each.argument]
    refused = run(group, operation.name, *(["x"] if operation.subject.required else []))
    assert not required or (refused.code == 2 and required[0] in refused.err)


def test_what_undo_cannot_take_back_is_declared_and_has_no_dry_run(run: Run) -> None:
    every = (*OPERATIONS.values(), *GRAPH, *PROPOSALS, *EPISODES)
    assert [one.name for one in every if not one.undoable] == ["skip"]
    assert "--dry-run" not in run("graph", "skip", "--help").out
    assert "--dry-run" in run("graph", "store", "--help").out
