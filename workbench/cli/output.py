"""How the command line speaks: JSON for programs, plain safe text for people."""

from __future__ import annotations

import json
from typing import Any

import click

from workbench.errors import WorkbenchError
from workbench.visible import visible
from workbench.workspace.plan import Operation, Plan

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def say_json(value: Any) -> None:
    """One JSON value on one line; ASCII only, so no byte of it can steer a terminal."""
    click.echo(json.dumps(value))


def say(text: str, **style: Any) -> None:
    """Text that may hold anything, on stdout; coloured on a terminal only."""
    click.echo(click.style(visible(text), **style) if style else visible(text))


def narrate(text: str) -> None:
    """What happens meanwhile, on stderr."""
    click.echo(visible(text), err=True)


def fail(error: WorkbenchError, *, as_json: bool, code: str | None = None) -> None:
    """Say what went wrong, and what to do."""
    if as_json:
        say_json({"error": {"code": code or error.code, "message": error.message, "hint": error.hint}})
        return
    narrate(f"workbench: {error.message}")
    if error.hint:
        narrate(f"  → {error.hint}")


def say_diff(diff: str) -> None:
    """A unified diff; coloured on a terminal only."""
    colours = {"+": "green", "-": "red", "@": "cyan"}
    for line in diff.removesuffix("\n").split("\n"):
        say(line, fg=colours.get(line[:1]))


def plan_json(plan: Plan) -> dict[str, Any]:
    """A plan that is not carried out."""
    return {
        "operation": None,
        "commit": None,
        "action": plan.action,
        "entries": list(plan.entries),
        "diff": plan.diff(),
    }


def operation_json(operation: Operation, diff: str | None = None) -> dict[str, Any]:
    """An operation that was carried out."""
    shown: dict[str, Any] = {
        "operation": operation.id,
        "commit": operation.commit,
        "action": operation.action,
        "summary": operation.summary,
        "when": operation.when.isoformat(),
        "actor": operation.actor,
        "entries": list(operation.entries),
        "paths": list(operation.paths),
        "reason": operation.reason or None,
        "undoes": operation.undoes,
        "undone": operation.undone,
        "notes": list(operation.notes),
    }
    return shown if diff is None else {**shown, "diff": diff}
