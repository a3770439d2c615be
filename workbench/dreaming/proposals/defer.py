"""Deferring: a proposal is not shown before its day, and waits again from then on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from workbench.dreaming.proposals.inbox import find_all
from workbench.dreaming.proposals.reject import plan_decision
from workbench.errors import UsageError
from workbench.memory.provenance import parse_day
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

_SPAN = re.compile(r"(?P<count>[1-9]\d{0,3})\s*(?P<unit>d|day|days|w|week|weeks)")
_AHEAD = timedelta(days=30)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def plan_defer(
    workspace: Workspace, keys: Sequence[str], until: date | str, *, now: datetime, reason: str = ""
) -> Plan:
    """Show waiting proposals again on the day ``until``, which lies ahead; text as ``day_ahead`` reads it.

    Raises UsageError.
    """
    if isinstance(until, str):
        until = day_ahead(until, now.date())
    if until <= now.date():
        raise UsageError(f"{until} is not ahead of us", hint="name a later day, or `2w`")
    if not keys:
        raise UsageError("no proposal was named", hint="`workbench inbox list` shows their keys")
    found = [one.proposal for one in find_all(workspace, keys, now)]
    return plan_decision(workspace, found, "deferred", action="defer", now=now, reason=reason, until=until)


def day_ahead(text: str, today: date) -> date:
    """The day that a person names: `2026-04-01`, `3d`, `2w`, `2 weeks`. Raises UsageError."""
    wanted = text.strip().casefold()
    if _DAY.fullmatch(wanted) and (day := parse_day(wanted)):
        return day
    if found := _SPAN.fullmatch(wanted):
        days = int(found["count"]) * (7 if found["unit"].startswith("w") else 1)
        return today + timedelta(days=days)
    raise UsageError(f"“{text}” is no day", hint=f"for example {example_day(today)}, 3d or 2w")


def example_day(today: date) -> date:
    """A day to show how one is written; it lies ahead."""
    return today + _AHEAD
