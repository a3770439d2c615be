"""What becomes of what an agent wants written: by the person's policy it waits for them, or it is done.

Either way it says which agent it came from, and can be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from workbench.agent.tools.agent_session import Door
from workbench.agent.tools.tool import NAMED, NOTES, Arguments, Result, gives, text
from workbench.config import settings as settings_module
from workbench.dreaming.proposals.inbox import propose
from workbench.errors import FlaggedError, UsageError
from workbench.memory.proposal import Proposal
from workbench.safety.findings import by_rule
from workbench.safety.hidden_text import hidden_in
from workbench.safety.secrets import secrets_in
from workbench.workspace.layout import SETTINGS_FILE
from workbench.workspace.plan import Plan

POLICIES = ("propose", "store")
_WAITS = (
    "it waits for the person: it is not memory yet, and memory_search does not find it. Do not store it again"
)
RESULT = gives(
    status={
        "type": "string",
        "enum": ["proposed", "waiting", "left_out", "stored", "updated", "forgotten", "skipped", "done"],
        "description": "What became of it; `proposed` and `waiting`: a person will decide",
    },
    key={"type": "string", "description": "The proposal, or the operation that can be undone"},
    memory={**NAMED, "description": "The address of the memory, where it stands now"},
    notes=NOTES,
)
WHY = text("Why, in a sentence; kept with it", 500)


def policy(door: Door) -> str:
    """`propose` or `store`. Raises UsageError where the settings say neither."""
    # Read anew: an agent's server runs for days, and the person's word counts from when it is given.
    said = settings_module.load(door.workspace.root / SETTINGS_FILE).agent_writes
    if said not in POLICIES:
        raise UsageError(
            f"the setting agent_writes is {said!r}, and nothing is written",
            hint="one of " + ", ".join(POLICIES),
        )
    return said


def reason_in(said: Arguments) -> str:
    """Why, on one line. Raises FlaggedError: a reason is kept for good, as what it is about is."""
    reason = " ".join(said.get("reason", "").split())
    if found := (*secrets_in(reason), *hidden_in(reason)):
        raise FlaggedError({"reason": "; ".join(by_rule(found))}, secret=bool(secrets_in(reason)))
    return reason


def marks_of(said: Mapping[str, object], names: tuple[str, ...]) -> dict[str, str]:
    """What a proposal carries along, as words."""

    def word(value: object) -> str:
        return ("yes" if value else "no") if isinstance(value, bool) else " ".join(str(value).split())

    return {name: word(said[name]) for name in names if name in said}


def carried_out(door: Door, planner: Callable[[], Plan], notes: list[str]) -> Result:
    """Do it as an operation of the agent's."""
    plans: list[Plan] = []

    def by_agent() -> Plan:
        plan = planner()
        plans.append(replace(plan, trailers=(*plan.trailers, ("By", door.by))))
        return plans[-1]

    operation = door.workspace.operations.carry_out(by_agent)
    said = {"store": "stored", "update": "updated", "forget": "forgotten"}.get(operation.action, "done")
    answer = result(said, operation.id, [*notes, *plans[-1].notes, *operation.notes])
    answer["memory"] = next(iter(operation.became), None)
    return answer


def proposed(door: Door, proposal: Proposal, notes: list[str]) -> Result:
    """Let it wait for the person."""
    outcome = propose(door.workspace, [proposal], door.now())
    if outcome.added:
        return result("proposed", outcome.added[0].key, [_WAITS, *notes])
    if outcome.waiting:
        return result("waiting", outcome.waiting[0].key, ["this waits for the person already", *notes])
    why = outcome.left_out[0][1] if outcome.left_out else "there is nothing to be done"
    return result(
        "left_out", proposal.key, [f"nothing was proposed: {why}. Do not try it again in other words"]
    )


def result(status: str, key: str, notes: list[str]) -> Result:
    """The answer of a tool that writes."""
    return {"status": status, "key": key, "memory": None, "notes": notes}
