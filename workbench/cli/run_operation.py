"""How every command that changes memory does it: shown first, or done and said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from workbench.cli.output import (
    answered,
    narrate,
    narrate_notes,
    operation_json,
    plan_json,
    say,
    say_diff,
    say_row,
    wants_json,
)
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.workspace import Workspace

_SHOWN = 8
"""New addresses that are told; more of them are no help on a screen, and --json has them all."""


def act(
    place: Workspace,
    planner: Callable[[], Plan],
    *,
    dry_run: bool = False,
    allow_secret: bool = False,
) -> None:
    """Show what would be done, or do it and say so.

    ``allow_secret`` is the person's word that a secret which git does not hold yet may be recorded.
    """
    if dry_run:
        plan = planner()
        if not answered(plan_json(plan)):
            say_diff(plan.diff())
            narrate_notes(plan.notes)
        return
    plans: list[Plan] = []

    def plan_and_keep() -> Plan:
        plan = planner()
        plans.append(replace(plan, allow_secrets=True) if allow_secret else plan)
        return plans[-1]

    operation = place.operations.carry_out(plan_and_keep)
    if wants_json():
        answered(operation_json(operation, plans[-1].diff()))
        return
    say(operation.summary)
    for key, value in operation.trailers:
        if key == "Section":
            say(f"  → {value}")
    for address in new_addresses(operation):
        say_row(f"  as {address}")
    narrate(f"operation {operation.id}; `workbench undo {operation.id}` undoes it")
    narrate_notes(operation.notes)


def new_addresses(operation: Operation) -> tuple[str, ...]:
    """What to call the entries from now on, where that is not what they were called before."""
    new = tuple(dict.fromkeys(address for address in operation.became if address not in operation.entries))
    return new if len(new) <= _SHOWN else ()
