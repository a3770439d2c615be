"""Runs of dreaming: what each proposed, which operations it led to, and how a whole run is undone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial

from workbench.dreaming.proposals.decide import RUN
from workbench.dreaming.proposals.inbox import read_book
from workbench.dreaming.proposals.overlay import OverlayWorkspace
from workbench.errors import NotCuratableError, UsageError, WorkbenchError
from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.proposal import Proposal
from workbench.operations.undo import plan_undo
from workbench.workspace import ledger
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.workspace import Workspace

SHORTEST_RUN = 4
"""Characters of a run's id that must be given at least."""
_NEVER = datetime.min.replace(tzinfo=UTC)
_BOOKKEEPING = frozenset({"undo", "redo", "external", "commit", ledger.ACTION})


@frozen_kw_only
class DreamRun:
    """A run by its id: how many proposals of it the ledger has and a person rejected, and its operations.

    The newest operation is the first.
    """

    id: str
    proposed: int = 0
    rejected: int = 0
    made_at: datetime | None = None
    operations: tuple[Operation, ...] = ()

    @property
    def standing(self) -> tuple[Operation, ...]:
        """Those of its operations that are not undone, the newest first."""
        return tuple(operation for operation in self.operations if not operation.undone)


@frozen
class RolledBack:
    """What became of a rollback: the undos that were done, and the operations that stayed, each with why."""

    run: str
    undone: tuple[Operation, ...]
    refused: tuple[tuple[Operation, WorkbenchError], ...]


def runs(workspace: Workspace) -> tuple[DreamRun, ...]:
    """All runs that the ledger or the history knows, the newest first. Raises NoRepositoryError, ..."""
    operations: dict[str, list[Operation]] = defaultdict(list)
    for operation in workspace.operations.walk():
        for name in _runs_of(operation):
            operations[name].append(operation)
    proposals: dict[str, list[Proposal]] = defaultdict(list)
    rejected: Counter[str] = Counter()
    book = read_book(workspace)
    for claim, (proposal, _) in book.proposals.items():
        if proposal.run:
            proposals[proposal.run].append(proposal)
            decided = book.decisions.newest.get(claim)
            rejected[proposal.run] += decided is not None and decided.decision == "rejected"
    found = [
        DreamRun(
            id=name,
            proposed=len(proposals[name]),
            rejected=rejected[name],
            made_at=next((one.made_at for one in proposals[name] if one.made_at), None),
            operations=tuple(operations[name]),
        )
        for name in dict.fromkeys((*proposals, *operations))
    ]
    return tuple(sorted(found, key=_moment, reverse=True))


def find_run(workspace: Workspace, name: str) -> DreamRun:
    """The run whose id is, or starts with, ``name``. Raises UsageError."""
    known = {run.id: run for run in runs(workspace)}
    hits = [one for one in known if len(name) >= SHORTEST_RUN and one.startswith(name)]
    if name in known or len(hits) == 1:
        return known[name if name in known else hits[0]]
    if hits:
        raise UsageError(f"{name} matches several runs", hint=f"give more of it: {', '.join(hits)}")
    shown = ", ".join([*known][:3])
    raise UsageError(
        f"there is no run {name}" if name else "the name of a run is empty",
        hint=f"the newest are {shown}" if shown else "no dream has proposed anything here yet",
    )


def preview_rollback(workspace: Workspace, name: str) -> tuple[Plan, tuple[tuple[Operation, str], ...]]:
    """What rolling a run back would change, and the operations that would stay, each with why."""
    foreseen = OverlayWorkspace(workspace)
    refused = []
    for operation in _standing(find_run(workspace, name)):
        try:
            foreseen.lay_plan(plan_undo(foreseen, operation.id))
        except WorkbenchError as error:
            refused.append((operation, error.message))
    plan = Plan(action="undo", summary=name, edits=foreseen.edits(), records=tuple(foreseen.records))
    return plan, tuple(refused)


def roll_back(workspace: Workspace, name: str) -> RolledBack:
    """Undo every operation of a run, the newest first; each is an operation of its own, and can be redone.

    Where newer text is in the way of one, that one stays and the others are undone all the same: the result
    says which. Raises NotCuratableError where nothing of the run stands.
    """
    run = find_run(workspace, name)
    undone: list[Operation] = []
    refused: list[tuple[Operation, WorkbenchError]] = []
    for operation in _standing(run):
        try:
            undone.append(workspace.operations.carry_out(partial(plan_undo, workspace, operation.id)))
        except WorkbenchError as error:
            if error.code != "conflict" and not isinstance(error, UsageError):
                raise
            refused.append((operation, error))
    return RolledBack(run.id, tuple(undone), tuple(refused))


def shared_notes(workspace: Workspace, run: str) -> list[str]:
    """What of other runs goes with it when ``run`` is undone."""
    return [
        f"{operation.id} holds proposals of {', '.join(others)} too; they will be pending again"
        for operation in find_run(workspace, run).standing
        if (others := [name for name in _runs_of(operation) if name != run])
    ]


def _standing(run: DreamRun) -> tuple[Operation, ...]:
    if not run.operations:
        raise NotCuratableError(
            f"nothing of run {run.id} was accepted, so there is nothing to undo",
            hint="`workbench inbox reject` or `withdraw` removes its proposals",
        )
    if not run.standing:
        raise NotCuratableError(
            f"all of run {run.id} is already undone", hint="`workbench redo` redoes the last undo"
        )
    return run.standing


def _runs_of(operation: Operation) -> Iterator[str]:
    if operation.action not in _BOOKKEEPING:
        yield from dict.fromkeys(value for key, value in operation.trailers if key == RUN)


def _moment(run: DreamRun) -> datetime:
    made = [run.made_at] if run.made_at else []
    return max([*made, *(operation.when for operation in run.operations)], default=_NEVER)
