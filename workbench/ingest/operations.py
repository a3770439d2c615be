"""What a person does with episodes, each operation declared once."""

from __future__ import annotations

from workbench.operations.operation_spec import NO_SUBJECT, REASON, Kind, OperationSpec, Parameter

_NAMES = Parameter("names", metavar="EPISODE...", required=True, many=True)

PIN = OperationSpec(
    "pin", "workbench.ingest.expiry:plan_pin_episode", "Keep episodes for good.", _NAMES, fixed={"on": True}
)
UNPIN = OperationSpec(
    "unpin",
    "workbench.ingest.expiry:plan_pin_episode",
    "Let pinned episodes expire in their time.",
    _NAMES,
    fixed={"on": False},
)
EXTEND = OperationSpec(
    "extend",
    "workbench.ingest.expiry:plan_extend",
    "Give episodes more time.",
    _NAMES,
    parameters=(
        Parameter("days", "How many days more; of an expired one from today on.", Kind.INTEGER),
        Parameter("until", "The day to expire on, as 2026-12-31.", Kind.DAY, metavar="DAY"),
        REASON,
    ),
    clock=True,
)
EXPIRE = OperationSpec(
    "expire",
    "workbench.ingest.expiry:plan_prune",
    "Remove what has expired and is not pinned; shown first.",
    NO_SUBJECT,
    details="`workbench undo` brings it back.",
    parameters=(
        Parameter(
            "force", "Although the clock is doubtful, or most would go at once.", Kind.FLAG, default=False
        ),
        REASON,
    ),
    fixed={"actor": "human"},
    clock=True,
)
OPERATIONS = (PIN, UNPIN, EXTEND, EXPIRE)
