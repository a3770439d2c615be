"""What a person does with proposals, each operation declared once. No agent may ask for any of them."""

from __future__ import annotations

from workbench.operations.registry import ALLOW_FLAGGED, REASON, OperationSpec, Parameter

_KEYS = Parameter("keys", metavar="KEY...", many=True)
_FLAGGED = ALLOW_FLAGGED._replace(help="Also proposals with hidden text, secrets or suspicious instructions.")

ACCEPT = OperationSpec(
    "accept",
    "workbench.dreaming.proposals.decide:plan_accept",
    "Accept proposals, all of them as one operation.",
    _KEYS,
    parameters=(_FLAGGED, REASON),
    clock=True,
)
EDIT = OperationSpec(
    "edit",
    "workbench.dreaming.proposals.decide:plan_accept_reworded",
    "Accept a proposal in your own words.",
    Parameter("key", metavar="KEY", required=True),
    details="The original wording is not proposed again.",
    parameters=(
        Parameter("text", "The new text. Default: your editor opens.", metavar="WORDS"),
        _FLAGGED,
        REASON,
    ),
    draft="workbench.dreaming.proposals.decide:words_of",
    clock=True,
)
REJECT = OperationSpec(
    "reject",
    "workbench.dreaming.proposals.decide:plan_reject",
    "Reject proposals: their claims are not proposed again.",
    _KEYS,
    clock=True,
)
DEFER = OperationSpec(
    "defer",
    "workbench.dreaming.proposals.decide:plan_defer",
    "Hide proposals until a day.",
    _KEYS,
    parameters=(Parameter("until", "2026-04-01, 3d or 2w.", metavar="DAY", required=True), REASON),
    clock=True,
)
WITHDRAW = OperationSpec(
    "withdraw",
    "workbench.dreaming.proposals.decide:plan_withdraw",
    "Withdraw proposals, or decisions on them.",
    _KEYS,
    details="The claims may be proposed again.",
    clock=True,
)
OPERATIONS = (ACCEPT, EDIT, REJECT, DEFER, WITHDRAW)
