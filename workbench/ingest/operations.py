"""What a person does with episodes, each operation declared once."""

from __future__ import annotations

from workbench.operations.registry import NO_SUBJECT, REASON, Kind, OperationSpec, Parameter

_NAMES = Parameter("names", metavar="EPISODE...", required=True, many=True)

PIN = OperationSpec(
    "pin",
    "workbench.ingest.episodes:plan_pin_episode",
    "Pin episodes: they never expire.",
    _NAMES,
    fixed={"on": True},
)
UNPIN = OperationSpec(
    "unpin",
    "workbench.ingest.episodes:plan_pin_episode",
    "Unpin episodes, so that they expire.",
    _NAMES,
    fixed={"on": False},
)
EXTEND = OperationSpec(
    "extend",
    "workbench.ingest.episodes:plan_extend",
    "Extend the time until episodes expire.",
    _NAMES,
    parameters=(
        Parameter("days", "Number of days to add; for an expired episode, from today.", Kind.INTEGER),
        Parameter("until", "The day on which they expire, for example 2026-12-31.", Kind.DAY, metavar="DAY"),
        REASON,
    ),
    clock=True,
)
EXPIRE = OperationSpec(
    "expire",
    "workbench.ingest.episodes:plan_prune",
    "Remove expired episodes, after showing them.",
    NO_SUBJECT,
    details="`workbench undo` brings them back.",
    parameters=(
        Parameter(
            "force", "Even if the clock jumped, or most would be removed at once.", Kind.FLAG, default=False
        ),
        REASON,
    ),
    fixed={"actor": "human"},
    clock=True,
)
OPERATIONS = (PIN, UNPIN, EXTEND, EXPIRE)
