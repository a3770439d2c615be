"""Shedding: where long-term memory would outgrow its budget, what could go to the archive is proposed too.

Which entries that are is for ``proposals.budget`` to say: the least valuable first, never a pinned one.
Nothing is deleted: the archive is searched like anything else. While no recalls tell what is of use, nothing
that somebody has kept makes room for what nobody has asked for yet: only what is over, and what the rules
take for no memory at all. What does not fit is proposed all the same, with a word that there is no room.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from workbench.dreaming.information_density import BESIDE
from workbench.dreaming.proposals.budget import archive_proposals, budget_of
from workbench.errors import NotCuratableError
from workbench.memory.entry import Entry
from workbench.memory.invariants import blocks
from workbench.memory.proposal import Proposal
from workbench.salience.facts import why_not
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
    worth it: it waits until there is room, or until its score has grown. While memory is ``cold`` no scores
    are compared, as none of them tells what is of use.
    """
    coming = [one for one in proposals if one.action in ("add", "merge")]
    if cold:
        return _shed_cold(workspace, proposals, coming, now)
    unworthy: list[Proposal] = []
    while coming:
        try:
            leaving = _leaving(workspace, coming, now)
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


def _shed_cold(
    workspace: Workspace, proposals: Sequence[Proposal], coming: Sequence[Proposal], now: datetime
) -> Shed:
    """Only what is no memory makes room, as far as it goes."""
    budget, size = budget_of(workspace), _size(coming)
    if budget.used + size <= budget.limit:
        return Shed()
    idle, staying = _idle(workspace, now.date())
    limit = max(budget.limit - size, budget.used - idle)
    leaving: tuple[Proposal, ...] = ()
    if idle:
        with contextlib.suppress(NotCuratableError):  # where headings alone are more than there is room
            leaving = archive_proposals(workspace, now, limit=limit, spared=staying, by_hand=False)
    touched = {proposal.target for proposal in proposals}
    leaving = tuple(one for one in leaving if one.target not in touched)
    if budget.used - idle + size <= budget.limit:
        return Shed(leaving, notes=(_room(workspace, coming),))
    why = (
        f"these proposals would take long-term memory over its budget: it has {budget}, about {size:,} would "
        "come, and nothing tells yet what is of no use in it; `workbench archive --dry-run` shows what can go"
    )
    return Shed(leaving, notes=(why,))


def _idle(workspace: Workspace, today: date) -> tuple[int, frozenset[str]]:
    """How many characters of long-term memory are no memory, or over; and the ids of all that stays."""
    memory = workspace.memory_document()
    size, staying = 0, set[str]()
    for block in blocks(memory):
        entry = block[0]
        name = entry.provenance.get("id") if entry.provenance else None
        if name and not entry.pinned and _is_idle(entry, today):
            size += sum(len(memory.data[e.span.start : e.span.end].decode("utf-8", "replace")) for e in block)
        elif name:
            staying.add(name)
    return size, frozenset(staying)


def _is_idle(entry: Entry, today: date) -> bool:
    """Whether a line that automation kept is over, or nothing that the rules would keep."""
    said = entry.provenance
    if said is None or said.trust == "owner":
        return False
    ends = [end for name in ("valid_until", "expires_at") if (end := said.day(name))]
    return (
        bool(said.get("superseded_by")) or any(end < today for end in ends) or why_not(entry.text) is not None
    )


def _leaving(workspace: Workspace, coming: Sequence[Proposal], now: datetime) -> tuple[Proposal, ...]:
    """What could go so that these fit."""
    budget = budget_of(workspace)
    size = _size(coming)
    if budget.used + size <= budget.limit:
        return ()
    return archive_proposals(workspace, now, limit=max(0, budget.limit - size))


def _size(coming: Sequence[Proposal]) -> int:
    return sum(len(one.text) + BESIDE for one in coming)


def _room(workspace: Workspace, coming: Sequence[Proposal]) -> str:
    said = f"long-term memory has {budget_of(workspace)}, and about {_size(coming):,} would come"
    return f"{said}: what could go is proposed too"
