"""The budget of long-term memory: how full it is, and how full it would be."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.frozen import frozen
from workbench.memory.proposal import Proposal
from workbench.operations.archive import characters
from workbench.plural import plural
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace


@frozen
class Budget:
    """Characters of long-term memory: those in ``used`` of ``limit``."""

    used: int
    limit: int

    @property
    def over(self) -> int:
        """Characters too many."""
        return max(0, self.used - self.limit)

    @property
    def share(self) -> float:
        """How much of it is used; above 1 where there is too much."""
        return self.used / self.limit

    def __str__(self) -> str:
        return f"{self.used:,} of {self.limit:,} characters"


def budget_of(workspace: Workspace) -> Budget:
    """How full long-term memory is; given a ``OverlayWorkspace`` workspace, how full it would be."""
    return Budget(characters(workspace.memory_document().data), workspace.memory_budget)


def room_note(workspace: Workspace, proposals: Iterable[Proposal]) -> str:
    """How many of these cannot be accepted for want of room; empty where all can, or nothing refuses them."""
    if all(limit.cut != "none" for limit in workspace.layout.limits_of(workspace.memory_path())):
        return ""
    budget = budget_of(workspace)
    free = max(0, budget.limit - budget.used)
    sizes = [len(one.text) for one in proposals if one.action == "add"]
    if not (unfit := sum(size > free for size in sizes)):
        return ""
    return (
        f"memory is full: {plural(unfit, 'proposal')} cannot be accepted; the shortest needs "
        f"{min(sizes):,} characters and {free:,} are free; `workbench archive ENTRY` makes room"
    )


def budget_with(workspace: Workspace, plan: Plan) -> Budget:
    """How full long-term memory would be after ``plan``."""
    path, budget = workspace.memory_path(), budget_of(workspace)
    texts = [edit.after or b"" for edit in plan.edits if edit.path == path]
    return Budget(characters(texts[-1]), budget.limit) if texts else budget


def budget_notes(before: Workspace, after: Workspace) -> tuple[str, ...]:
    """What to tell of the budget where long-term memory would be over it, and fuller than it is."""
    was, would = budget_of(before), budget_of(after)
    if not would.over or would.used <= was.used:
        return ()
    return (
        f"over its budget: {after.memory_path()}, with {would}; "
        "`workbench archive --dry-run` shows what could make room",
    )
