"""What accepting one proposal would do, for whoever looks at it before they decide. Nothing is written."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from datetime import datetime

from workbench.dreaming.proposals.accept import plan_alone
from workbench.dreaming.proposals.budget import Budget, budget_with
from workbench.dreaming.proposals.inbox import Waiting
from workbench.dreaming.proposals.information_loss import merged_words
from workbench.dreaming.proposals.safety_flags import flags_of
from workbench.dreaming.proposals.source_quotes import Quotation, quotations
from workbench.errors import WorkbenchError
from workbench.memory.markdown import block_text
from workbench.memory.proposal import Proposal
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Foretold:
    """One proposal thought through: its ``plan``, or the ``problem`` that is in its way.

    ``stands`` is what the entry says that it would change, and ``becomes`` what would stand in its place;
    both are empty where it only adds. ``budget`` is that of long-term memory afterwards.
    """

    plan: Plan | None = None
    problem: str = ""
    flags: tuple[str, ...] = ()
    stands: str = ""
    becomes: str = ""
    budget: Budget | None = None
    sources: tuple[Quotation, ...] = ()


def foretold(workspace: Workspace, one: Waiting, now: datetime) -> Foretold:
    """What accepting ``one`` alone would do; what is flagged is looked at all the same."""
    proposal = one.proposal
    plan, budget, problem = None, None, one.stale
    if not problem:
        try:
            plan = plan_alone(workspace, proposal, now)
            budget = budget_with(workspace, plan)
        except WorkbenchError as error:
            problem = error.message
    stands = _stands(workspace, proposal)
    return Foretold(
        plan=plan,
        problem=problem,
        flags=flags_of(proposal),
        stands=stands,
        becomes=_becomes(proposal, stands),
        budget=budget,
        sources=quotations(workspace, proposal),
    )


def _stands(workspace: Workspace, proposal: Proposal) -> str:
    with contextlib.suppress(WorkbenchError, OSError):
        if "#" in proposal.target:
            return block_text(*workspace.locate(proposal.target))
    return ""


def _becomes(proposal: Proposal, stands: str) -> str:
    if not stands or proposal.action in ("archive", "forget"):
        return ""
    if proposal.action == "merge":
        return merged_words(stands, proposal.text)
    return proposal.marks.get("text", proposal.text)
