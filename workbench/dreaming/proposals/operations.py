"""What a person does with proposals, each operation declared once. No agent may ask for any of them."""

from __future__ import annotations

from workbench.operations.operation_spec import ALLOW_FLAGGED, REASON, OperationSpec, Parameter

_KEYS = Parameter("keys", metavar="KEY...", many=True)
_FLAGGED = ALLOW_FLAGGED._replace(help="Hidden text, secrets and suspicious orders too.")

ACCEPT = OperationSpec(
    "accept",
    "workbench.dreaming.proposals.decide:plan_accept",
    "Do what proposals say, all of them as one operation.",
    _KEYS,
    parameters=(_FLAGGED, REASON),
    clock=True,
)
EDIT = OperationSpec(
    "edit",
    "workbench.dreaming.proposals.decide:plan_accept_reworded",
    "Accept a proposal in your own words.",
    Parameter("key", metavar="KEY", required=True),
    details="The words that were proposed are not proposed again.",
    parameters=(
        Parameter("text", "The words; else your editor opens.", metavar="WORDS"),
        _FLAGGED,
        REASON,
    ),
    draft="workbench.dreaming.proposals.decide:words_of",
    clock=True,
)
REJECT = OperationSpec(
    "reject",
    "workbench.dreaming.proposals.decide:plan_reject",
    "Say no: these claims, reworded too, are never proposed again.",
    _KEYS,
    clock=True,
)
DEFER = OperationSpec(
    "defer",
    "workbench.dreaming.proposals.decide:plan_defer",
    "Not now: proposals wait unseen until a day.",
    _KEYS,
    parameters=(Parameter("until", "2026-04-01, 3d or 2w.", metavar="DAY", required=True), REASON),
    clock=True,
)
WITHDRAW = OperationSpec(
    "withdraw",
    "workbench.dreaming.proposals.decide:plan_withdraw",
    "Take proposals, or what was decided of them, off the table.",
    _KEYS,
    details="They may be proposed again.",
    clock=True,
)
OPERATIONS = (ACCEPT, EDIT, REJECT, DEFER, WITHDRAW)
