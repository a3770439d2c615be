"""Shedding: where long-term memory would outgrow its budget, what could go to the archive is proposed too.

Which entries that are is for ``proposals.budget`` to say: the least valuable first, never a pinned one.
Nothing is deleted: the archive is searched like anything else. While no recalls tell what is of use, nothing
that the owner said or wrote makes room for what nobody has asked for yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from workbench.consolidation.dreaming.telling import BESIDE
from workbench.errors import NotCuratableError
from workbench.memory.proposal import Proposal
from workbench.proposals.budget import archive_proposals, budget_of
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Shed:
    """What would go to the archive, which of the new claims are worth less than what would, and notes."""

    leaving: tuple[Proposal, ...] = ()
    unworthy: tuple[Proposal, ...] = ()
    notes: tuple[str, ...] = ()


def shed(workspace: Workspace, proposals: Sequence[Proposal], now: datetime, *, cold: bool) -> Shed:
    """Make room for ``proposals`` where there is none.

    A new claim takes the place of what scored less than it. One that would drive out what scored more is not
    worth it: it waits until there is room, or until its score has grown.
    """
    coming = [one for one in proposals if one.action in ("add", "merge")]
    unworthy: list[Proposal] = []
    while coming:
        try:
            leaving = _leaving(workspace, coming, now, cold=cold)
        except NotCuratableError as error:
            why = f"these proposals would take long-term memory over its budget: {error.message}"
            return Shed(unworthy=tuple(unworthy), notes=(why,))
        weakest = min(coming, key=lambda one: (one.action == "merge", one.score))
        if weakest.action == "merge" or all(weakest.score > one.score for one in leaving):
            touched = {proposal.target for proposal in proposals}
            rest = tuple(one for one in leaving if one.target not in touched)
            return Shed(rest, tuple(unworthy), (_room(workspace, coming),) if leaving else ())
        coming.remove(weakest)
        unworthy.append(weakest)
    return Shed(unworthy=tuple(unworthy))


def _leaving(
    workspace: Workspace, coming: Sequence[Proposal], now: datetime, *, cold: bool
) -> tuple[Proposal, ...]:
    """What could go so that these fit."""
    budget = budget_of(workspace)
    size = _size(coming)
    if budget.used + size <= budget.limit:
        return ()
    spared = _owned(workspace) if cold else frozenset[str]()
    limit = max(0, budget.limit - size)
    return archive_proposals(workspace, now, limit=limit, spared=spared, by_hand=not cold)


def _size(coming: Sequence[Proposal]) -> int:
    return sum(len(one.text) + BESIDE for one in coming)


def _room(workspace: Workspace, coming: Sequence[Proposal]) -> str:
    said = f"long-term memory has {budget_of(workspace)}, and about {_size(coming):,} would come"
    return f"{said}: what could go is proposed too"


def _owned(workspace: Workspace) -> frozenset[str]:
    """The ids of the entries of long-term memory that the owner vouches for."""
    said = (entry.provenance for entry in workspace.memory_document().entries)
    ids = (one.get("id") for one in said if one is not None and one.trust == "owner")
    return frozenset(name for name in ids if name)
