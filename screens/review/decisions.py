"""What a person accepts of proposals, as a request: planned anew when it is carried out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from screens.drawing.clock import now
from screens.main.request import Request
from screens.review.proposal_list import name_of
from workbench.dreaming.proposals.accept import plan_accept
from workbench.dreaming.proposals.inbox import Waiting, find_all
from workbench.dreaming.proposals.safety_flags import title
from workbench.errors import ConflictError
from workbench.memory.proposal import Proposal
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace


def accept(shown: Sequence[Waiting], text: str | None = None) -> Request:
    """Do what they say, as they were shown; what is stale among several is left out, and named.

    ``text`` are other words for the one that is shown, until the person writes their own.
    """
    keys = tuple(name_of(one.proposal) for one in shown)
    return Request(action="accept", addresses=keys, text=text, planner=partial(_accept, shown=shown))


def _accept(workspace: Workspace, request: Request, *, shown: Sequence[Waiting]) -> Plan:
    moment, keys = now(), list(request.addresses)
    notes: list[str] = []
    found = find_all(workspace, keys, moment)
    _require_same(shown, found)
    if len(keys) > 1:
        stale = [one for one in found if one.stale]
        if len(stale) < len(found):
            keys = [name_of(one.proposal) for one in found if not one.stale]
            notes = [f"left out: “{title(one.proposal.text)}” is stale: {one.stale}" for one in stale]
    texts = {keys[0]: request.text} if request.text is not None else None
    plan = plan_accept(workspace, keys, now=moment, texts=texts, allow_flagged=request.allow_flagged)
    return replace(plan, notes=(*notes, *plan.notes))


def _require_same(shown: Sequence[Waiting], found: Sequence[Waiting]) -> None:
    """The same claim can be proposed anew, to be written elsewhere: a yes is to what was shown."""
    before = {name_of(one.proposal): _written(one.proposal) for one in shown}
    for one in found:
        if before.get(name_of(one.proposal)) != _written(one.proposal):
            raise ConflictError(
                f"“{title(one.proposal.text)}” was proposed anew meanwhile, in another way",
                hint="look at it again",
            )


def _written(proposal: Proposal) -> tuple[object, ...]:
    """What makes what would be written."""
    return proposal.text, proposal.section, proposal.target, proposal.type, proposal.trust, proposal.marks
