"""The budget of long-term memory: how full it is, how full it would be, and what would make room.

Nothing is ever deleted for it: what goes, goes to the archive, which is searched and never loaded.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from workbench.memory.claims import claim_key
from workbench.memory.entry import Entry
from workbench.memory.markdown import block_text
from workbench.memory.proposal import Proposal
from workbench.operations.archive import characters, last_recalls, least_valuable
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Budget:
    """Characters of long-term memory: those in ``used`` of ``limit``."""

    used: int
    limit: int

    @property
    def over(self) -> int:
        """Characters too many."""
        return max(0, self.used - self.limit)

    def __str__(self) -> str:
        return f"{self.used:,} of {self.limit:,} characters"


def budget_of(workspace: Workspace) -> Budget:
    """How full long-term memory is; given a ``Foreseen`` workspace, how full it would be."""
    return Budget(characters(workspace.memory_document().data), workspace.memory_budget)


def budget_with(workspace: Workspace, plan: Plan) -> Budget:
    """How full long-term memory would be after ``plan``."""
    path, budget = workspace.memory_path(), budget_of(workspace)
    texts = [edit.after or b"" for edit in plan.edits if edit.path == path]
    return Budget(len(texts[-1].decode("utf-8", "replace")), budget.limit) if texts else budget


def archive_proposals(
    workspace: Workspace,
    now: datetime,
    *,
    limit: int | None = None,
    run: str = "",
    spared: Collection[str] = (),
) -> tuple[Proposal, ...]:
    """What to archive so that long-term memory is within its budget, the least valuable first.

    None where it is within it already. ``limit`` is another number of characters to come down to; ``spared``
    are ids of entries that stay, and so does what a person wrote. Raises NotCuratableError where all of it
    together does not make room enough.
    """
    memory = workspace.memory_document()
    limit = workspace.memory_budget if limit is None else limit
    if characters(memory.data) <= limit:
        return ()
    recalled = last_recalls(workspace.ledger.read("recalls"))
    chosen = least_valuable(memory, limit, now.date(), recalled, spared=spared)
    return tuple(
        Proposal(
            key=claim_key(text),
            action="archive",
            text=text,
            target=block[0].address,
            entries=tuple(entry.address for entry in block),
            sources=(f"{memory.path}#L{block[0].start_line}",),
            trust=block[0].provenance.trust if block[0].provenance else "unknown",
            score=_worth(block[0]),
            why=f"{memory.path} is over its budget; {why}",
            run=run,
            by="dreaming",
            made_at=now,
        )
        for block, why in chosen
        for text in (block_text(memory, block[0]),)
    )


def _worth(entry: Entry) -> float:
    """The score with which an entry was kept; 0 where none is said."""
    with contextlib.suppress(ValueError):
        return float((entry.provenance and entry.provenance.get("score")) or 0)
    return 0.0


def budget_notes(before: Workspace, after: Workspace) -> tuple[str, ...]:
    """What to tell of the budget where long-term memory would be over it, and fuller than it is."""
    was, would = budget_of(before), budget_of(after)
    if not would.over or would.used <= was.used:
        return ()
    return (
        f"over its budget: {after.memory_path()}, with {would}; "
        "`workbench archive --dry-run` shows what could make room",
    )
