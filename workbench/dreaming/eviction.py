"""Where long-term memory would outgrow its budget, what is of no use in it is proposed for the archive too.

Nothing is deleted: the archive is searched like anything else. Nothing that the owner has said or kept makes
room for what nobody has asked for yet: only what automation kept and what is over, or not worth keeping by
the model that judges the proposals. What does not fit is proposed all the same, with a word on the room.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from workbench.dreaming.features import Line
from workbench.dreaming.line_judgement import LineScorer
from workbench.dreaming.proposals.budget import archive_proposals, budget_of
from workbench.errors import NotCuratableError
from workbench.memory.entry import Entry
from workbench.memory.invariants import blocks
from workbench.memory.proposal import Proposal
from workbench.operations.archive import why_over
from workbench.workspace.workspace import Workspace

_BESIDE = 30
"""Characters that an entry takes beside its words: its mark, list marker and line end."""


@dataclass(frozen=True, slots=True)
class Room:
    """What would go to the archive, and what to tell of the room that there is."""

    leaving: tuple[Proposal, ...] = ()
    notes: tuple[str, ...] = ()


def make_room(workspace: Workspace, scorer: LineScorer, proposals: Sequence[Proposal], now: datetime) -> Room:
    """What would have to go for ``proposals`` to fit, as far as anything may."""
    coming = sum(len(one.text) + _BESIDE for one in proposals if one.action in ("add", "merge"))
    budget = budget_of(workspace)
    if not coming or budget.used + coming <= budget.limit:
        return Room()
    idle, staying = _idle(workspace, scorer, now.date())
    leaving: tuple[Proposal, ...] = ()
    if idle:
        limit = max(budget.limit - coming, budget.used - idle)
        with contextlib.suppress(NotCuratableError):  # where headings alone are more than there is room
            leaving = archive_proposals(workspace, now, limit=limit, spared=staying)
    touched = {proposal.target for proposal in proposals}
    leaving = tuple(one for one in leaving if one.target not in touched)
    if budget.used - idle + coming <= budget.limit:
        said = f"long-term memory has {budget}, and about {coming:,} would come"
        return Room(leaving, (f"{said}: what could go is proposed too",))
    why = (
        f"these proposals would take long-term memory over its budget: it has {budget}, about {coming:,} "
        "would come, and too little in it is of no use; `workbench archive --dry-run` shows what can go"
    )
    return Room(leaving, (why,))


def _idle(workspace: Workspace, scorer: LineScorer, today: date) -> tuple[int, frozenset[str]]:
    """How many characters of long-term memory may go unasked, and the ids of all that stays."""
    memory = workspace.memory_document()
    heads = [block for block in blocks(memory) if block[0].provenance]
    kept = scorer.judge([Line(block[0].text, "", memory.path) for block in heads])
    size, staying = 0, set[str]()
    for block, judgement in zip(heads, kept, strict=True):
        entry = block[0]
        name = entry.field("id")
        if (
            name
            and not entry.pinned
            and _is_automatic(entry)
            and (why_over(entry, today) or not judgement.kept)
        ):
            size += sum(len(memory.data[e.span.start : e.span.end].decode("utf-8", "replace")) for e in block)
        elif name:
            staying.add(name)
    return size, frozenset(staying)


def _is_automatic(entry: Entry) -> bool:
    return entry.provenance is not None and entry.provenance.trust != "owner"
