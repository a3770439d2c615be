"""What is done at night: one step after the other, each of which reports, and none of which stops the others.

1. ``prune``: episodes that have expired (an operation, undoable);
2. ``context``: workspace-context.md is archived and cleared (an operation);
3. ``ingest``: what is new in daily logs and episodes teaches the graph (an operation each);
4. ``decay``: memories that faded are proposed for forgetting;
5. ``dream``: what should become long-term memory is proposed;
6. ``backup``: to where the last backup went.

What was written is indexed by words after each step. Nothing is forgotten or promoted here: what waits in
the morning are proposals.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from pkgutil import resolve_name

from workbench.errors import BusyError, NotCuratableError, WorkbenchError, disk_error
from workbench.frozen import frozen, frozen_kw_only
from workbench.jobs.runs import ActiveRun, Job, StepState, running
from workbench.llm.language_model import LanguageModel
from workbench.memory.proposal import Proposal
from workbench.plural import plural
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace


@frozen
class StepOutcome:
    """What became of one step. ``said`` is a line for a person, ``operation`` what `undo` takes.

    ``said`` and ``notes`` may quote memory; ``error``, the class of what went wrong, does not.
    """

    state: StepState
    said: str
    notes: tuple[str, ...] = ()
    hint: str = ""
    operation: str = ""
    error: str = ""
    step: str = ""

    def as_json(self) -> dict[str, object]:
        """The outcome as the command line prints it: null where it says nothing."""
        return {name: value if value != "" else None for name, value in asdict(self).items()}


@frozen_kw_only
class NightlyContext:
    """All that a step needs. With ``dry_run`` nothing is written anywhere."""

    workspace: Workspace
    now: datetime
    model: LanguageModel | None = None
    dry_run: bool = False


Step = Callable[[NightlyContext], StepOutcome]


def nightly(
    night: NightlyContext, only: Sequence[str] = (), *, run: ActiveRun | None = None
) -> Iterator[StepOutcome]:
    """Do all steps, or ``only`` these, and yield what became of each.

    ``run`` records each step; without it, a run is begun here. Raises BusyError where another run is at
    it, and ReadOnlyError where nothing may be written at all.
    """
    with contextlib.ExitStack() as stack:
        if run is None and not night.dry_run:
            run = stack.enter_context(running(night.workspace.state_dir(), Job.NIGHTLY))
        for name in STEPS:
            if not only or name in only:
                outcome = replace(_guarded(name, night), step=name)
                if run is not None:
                    run.step(name, outcome.state, outcome.error)
                yield outcome


def _guarded(name: str, night: NightlyContext) -> StepOutcome:
    """The boundary of a step: whatever fails in it is its own failure. What it wrote is indexed by words."""
    try:
        from workbench.ingest.watch import update_index  # noqa: PLC0415 - a step loads what it needs

        outcome = STEPS[name](night)
        wrote = (outcome.operation or name == "ingest") and not night.dry_run
        problem = update_index(night.workspace) if wrote else ""
        return replace(outcome, notes=(*outcome.notes, *filter(None, [problem])))
    except NotCuratableError as error:
        return StepOutcome("nothing", error.message, hint=error.hint)
    except Exception as error:  # a fault of ours must not cost the steps behind it
        fault = disk_error(error) if isinstance(error, OSError) else error
        said, hint = f"{type(fault).__name__}: {fault}", ""
        if isinstance(fault, WorkbenchError):
            said, hint = fault.message, fault.hint
        if isinstance(fault, BusyError):
            said = f"busy: {said}"
        return StepOutcome("failed", said, hint=hint, error=type(fault).__name__)


def _operation(plan_function: str, night: NightlyContext) -> StepOutcome:
    """Carry out what ``plan_function``, ``module:name``, plans; a step loads what it needs."""
    planner: Callable[[], Plan] = partial(resolve_name(plan_function), night.workspace, now=night.now)
    if night.dry_run:
        plan = planner()
        return StepOutcome("would", plan.summary, plan.notes)
    operation = night.workspace.operations.carry_out(planner)
    return StepOutcome("done", operation.summary, operation.notes, operation=operation.id)


def _ingest(night: NightlyContext) -> StepOutcome:
    from workbench.ingest.ingest import Ingest  # noqa: PLC0415

    run = Ingest(night.workspace, now=night.now, model=night.model, dry_run=night.dry_run)
    done = list(run.markdown())
    taken = [one for one in done if one.outcome == "taken"]
    failed = [one for one in done if one.outcome in ("failed", "refused")]
    notes = [f"{one.source}: {one.why}" for one in failed]
    notes += [
        f"{one.source}: `workbench undo {operation.id}` undoes it"
        for one in taken
        for operation in one.operations
    ]
    said = "nothing new in logs and episodes"
    if taken:
        facts = plural(sum(one.memories for one in taken), "new fact")
        said = f"{plural(len(taken), 'source')}, {facts} in the graph"
    if failed:
        said += f"; {len(failed):,} cannot be read"
        return StepOutcome("failed", said, tuple(notes), error="WorkbenchError")
    would: StepState = "would" if night.dry_run else "done"
    return StepOutcome(would if taken else "nothing", said, tuple(notes))


def _decay(night: NightlyContext) -> StepOutcome:
    from workbench.graph.decay import fading_in  # noqa: PLC0415

    return _proposed(night, fading_in(night.workspace, now=night.now), ())


def _dream(night: NightlyContext) -> StepOutcome:
    from workbench.dreaming.run import dream  # noqa: PLC0415

    result = dream(night.workspace, now=night.now, model=night.model)
    notes = result.notes if result.proposals else (*result.notes, result.why_nothing)
    return _proposed(night, result.proposals, notes, replaces=True)


def _proposed(
    night: NightlyContext, proposals: Sequence[Proposal], notes: tuple[str, ...], *, replaces: bool = False
) -> StepOutcome:
    from workbench.dreaming.proposals.inbox import propose  # noqa: PLC0415

    if not proposals:
        return StepOutcome("nothing", "nothing to propose", notes)
    if night.dry_run:
        return StepOutcome("would", f"would propose {len(proposals)}", notes)
    new = propose(night.workspace, proposals, night.now, replaces=replaces)
    said = f"{len(new.added)} new" + (f", {len(new.waiting)} pending" if new.waiting else "")
    said += f", {len(new.replaced)} replaced" if new.replaced else ""
    return StepOutcome(
        "done" if new.added else "nothing", said, notes, hint="`workbench inbox list` shows them"
    )


def _backup(night: NightlyContext) -> StepOutcome:
    from workbench.backup.bundles import find_or_repeat, remembered  # noqa: PLC0415
    from workbench.backup.create import back_up, plan_backup  # noqa: PLC0415

    if remembered(night.workspace) is None:
        hint = "set a target once: `workbench backup DIR`; from then on it is repeated every night"
        return StepOutcome("nothing", "no backup yet", hint=hint)
    target = find_or_repeat(night.workspace, None)
    make = plan_backup if night.dry_run else back_up
    made = make(night.workspace, target)
    if not made.wrote:
        return StepOutcome("nothing", f"nothing new: {target.shown} holds all of it", made.notes)
    said = f"{made.wrote} to {made.path or target.shown}"
    return StepOutcome("would" if night.dry_run else "done", said, made.notes)


STEPS: Mapping[str, Step] = {
    "prune": partial(_operation, "workbench.ingest.episodes:plan_prune"),
    "context": partial(_operation, "workbench.ingest.workspace_context:plan_clear_context"),
    "ingest": _ingest,
    "decay": _decay,
    "dream": _dream,
    "backup": _backup,
}
"""The steps by name, in their order."""
