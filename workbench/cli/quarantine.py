"""``workbench quarantine``: set entries aside, bring them back, or list what is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from workbench.cli.lookup import content_addresses
from workbench.cli.operation_command import Selection, command_of
from workbench.cli.output import say, say_json
from workbench.errors import UsageError, WorkbenchError
from workbench.memory.names import RelPath
from workbench.operations.registry import OPERATIONS
from workbench.workspace.layout import QUARANTINE
from workbench.workspace.workspace import Workspace


def _choose(
    place: Workspace, entries: Sequence[str], *, only_list: bool, dry_run: bool, as_json: bool
) -> Callable[[], Sequence[str]]:
    """The entries that were named; with ``--list`` the list is printed and the command ends."""
    if only_list == bool(entries):
        raise UsageError(
            "either entries are set aside, or the quarantine is listed",
            hint="workbench quarantine ENTRY..., or workbench quarantine --list",
        )
    if only_list:
        _list_quarantine(place, as_json=as_json)
        click.get_current_context().exit()
    named = content_addresses(place, entries)
    return lambda: named


def _list_quarantine(place: Workspace, *, as_json: bool) -> None:
    from workbench.operations.quarantine import quarantined

    found = quarantined(place)
    reasons = _reasons(place) if found else {}
    if as_json:
        say_json(
            [
                {
                    "entry": item.address,
                    "title": item.title,
                    "from": item.origin,
                    "quarantined": item.since.isoformat() if item.since else None,
                    "reason": reasons.get(item.address),
                }
                for item in found
            ]
        )
        return
    for item in found:
        since = f" since {item.since}" if item.since else ""
        say(f"{item.address}  from {item.origin or 'nowhere known'}{since}  {item.title}")
        if reason := reasons.get(item.address):
            say(f"    because {reason}", dim=True)


def _reasons(place: Workspace) -> dict[str, str]:
    """Why each thing was set aside last, by its address, as far as the history tells."""
    reasons: dict[str, str] = {}
    try:
        for operation in place.operations.walk(path=RelPath(QUARANTINE.rstrip("/"))):
            if operation.action == "quarantine" and operation.reason:
                reasons |= {
                    address: operation.reason for address in operation.became if address not in reasons
                }
    except WorkbenchError:  # without a repository there is no history, and yet something to list
        return {}
    return reasons


quarantine = command_of(
    OPERATIONS["quarantine"],
    Selection(
        (click.Option(["--list", "only_list"], is_flag=True, help="Show what is in quarantine."),), _choose
    ),
)
_set_aside: Any = quarantine.callback
_bring_back: Any = command_of(OPERATIONS["release"]).callback


def _either(*, release: bool, only_list: bool, **given: Any) -> None:
    if not release:
        _set_aside(only_list=only_list, **given)
    elif only_list or not given["subject"]:
        raise UsageError(
            "--release takes entries", hint="`workbench quarantine --list` shows which there are"
        )
    else:
        _bring_back(**given)


quarantine.callback = _either
quarantine.params.insert(1, click.Option(["--release"], is_flag=True, help="Bring them back instead."))
