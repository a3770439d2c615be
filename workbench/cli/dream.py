"""Dreaming: what is worth keeping is found and proposed, or accepted at once where a person says so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO

import click

from workbench.cli.output import json_option, narrate, narrate_notes, operation_json, say, say_diff, say_json
from workbench.cli.progress import Bar
from workbench.cli.workspace_options import workspace
from workbench.errors import ReadOnlyError, UsageError, WorkbenchError
from workbench.plural import plural

if TYPE_CHECKING:
    from workbench.dreaming.proposals.inbox import Proposed
    from workbench.dreaming.result import Dream
    from workbench.memory.proposal import Proposal
    from workbench.workspace.plan import Operation, Plan
    from workbench.workspace.workspace import Workspace

PHASES = ("light", "rem", "deep")
_LEFT_BEHIND = 10
_NEAR_MISS = "below the bar"
"""How dreaming begins to tell of a claim that a gate stopped: the page of the day names these, not junk."""


@click.command()
@click.option("--dry-run", is_flag=True, help="Write nothing at all, not even what is proposed.")
@click.option("--apply", "applies", is_flag=True, help="Accept what policy may, as one operation.")
@click.option(
    "--explain", metavar="KEY", help="Why one claim is, or is not, proposed: a key, entry or words."
)
@click.option("--rollback", metavar="RUN", help="Take back all that was accepted of a run.")
@click.option("--runs", "lists", is_flag=True, help="List the runs and what came of them.")
@click.option(
    "--judge",
    "judges",
    metavar="FILE",
    type=click.File(encoding="utf-8"),
    help="Score the JSON lines of FILE, or - for standard input; no workspace is needed.",
)
@click.option(
    "--decided",
    metavar="FILE",
    type=click.File(encoding="utf-8"),
    help="With --judge: decisions of an owner to learn from first, as JSON lines.",
)
@click.option(
    "--phase", type=click.Choice(PHASES), default="deep", show_default=True, help="deep alone proposes."
)
@click.option("--model", metavar="NAME", default="", help="The language model at your endpoint, or none.")
@json_option
def dream(
    dry_run: bool,
    applies: bool,
    explain: str | None,
    rollback: str | None,
    lists: bool,
    judges: TextIO | None,
    decided: TextIO | None,
    phase: str,
    model: str,
    as_json: bool,
) -> None:
    """Find what is worth keeping, and propose it.

    Nothing enters long-term memory by that: proposals wait (`workbench inbox`), unless --apply is given.
    """
    if sum((applies, explain is not None, rollback is not None, lists)) > 1:
        raise UsageError("one of --apply, --explain, --rollback and --runs at a time")
    if judges is not None:
        _judge(judges, decided)
        return
    with workspace() as place:
        if explain is not None:
            _explain(place, explain, as_json=as_json)
        elif rollback is not None:
            _roll_back(place, rollback, dry_run=dry_run, as_json=as_json)
        elif lists:
            _list_runs(place, as_json=as_json)
        else:
            _dream(place, phase, model, dry_run=dry_run, applies=applies, as_json=as_json)


def _judge(lines: TextIO, decided: TextIO | None) -> None:
    from workbench.dreaming.line_judgement import judge_records

    for said in judge_records(_records(lines), _records(decided) if decided else ()):
        click.echo(json.dumps(said, ensure_ascii=False))


def _records(lines: TextIO) -> list[dict[str, Any]]:
    records = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise UsageError(f"line {number} of {lines.name} is no JSON: {error}") from error
        if not isinstance(record, dict):
            raise UsageError(f"line {number} of {lines.name} is no JSON object")
        records.append(record)
    return records


def _dream(place: Workspace, phase: str, model: str, *, dry_run: bool, applies: bool, as_json: bool) -> None:
    from workbench.dreaming.proposals.inbox import Proposed
    from workbench.dreaming.run import dream as dreamt
    from workbench.llm.provider import open_language_model

    if applies and phase != "deep":
        raise UsageError(f"the phase {phase} proposes nothing, so there is nothing to apply")
    if applies:
        _ = place.operations  # without a repository nothing is dreamt that could not be taken back
    now = datetime.now().astimezone()
    model_port = open_language_model(place.settings, model)
    with Bar() as bar:
        found = dreamt(place, now=now, model=model_port, phase=phase, tell=bar.show)  # type: ignore[arg-type]
    proposed = Proposed(added=found.proposals) if dry_run else _proposed(place, found, now)
    candidates = (*proposed.added, *proposed.waiting)
    diffs = _diffs(place, candidates, now) if as_json else {}
    done = _apply(place, found, candidates, now, dry_run=dry_run) if applies and candidates else None
    if as_json:
        _say_dream_json(found, proposed, diffs, done)
    else:
        _say_dream(found, proposed, done, applies=applies, dry_run=dry_run)


@dataclass(frozen=True, slots=True)
class _Applied:
    """What was applied, or would be: then there is no operation. Without a plan all of it waits."""

    notes: tuple[str, ...]
    plan: Plan | None = None
    operation: Operation | None = None


def _proposed(place: Workspace, found: Dream, now: datetime) -> Proposed:
    from workbench.dreaming.proposals.inbox import propose

    try:
        return propose(place, found.proposals, now, anew=True)
    except ReadOnlyError as error:
        error.hint = "`workbench dream --dry-run` shows what would be proposed, and writes nothing"
        raise


def _apply(
    place: Workspace, found: Dream, candidates: Sequence[Proposal], now: datetime, *, dry_run: bool
) -> _Applied:
    """Accept what policy may of the run, or only plan to."""
    from workbench.dreaming.proposals.policy import choose, plan_apply

    of_this_run = [replace(one, run=found.run) for one in candidates]  # also what waited since an earlier one
    chosen = choose(place, of_this_run, now=now)
    if not chosen.taken:
        return _Applied(tuple(f"{one.key} waits for you: {why}" for one, why in chosen.held))
    near = [skip for skip in found.skipped if skip.why.startswith(_NEAR_MISS)]
    left = [(skip.text, skip.why) for skip in near[:_LEFT_BEHIND]]
    plans: list[Plan] = []

    def planner() -> Plan:
        plans.append(plan_apply(place, of_this_run, now=now, left=left, considered=found.considered))
        return plans[-1]

    operation = None if dry_run else place.operations.carry_out(planner)
    plan = plans[-1] if plans else planner()
    return _Applied(operation.notes if operation else plan.notes, plan, operation)


def _diffs(place: Workspace, proposals: Sequence[Proposal], now: datetime) -> dict[str, str]:
    """The diff of each proposal alone, by key; of one that cannot be done now, why."""
    from workbench.dreaming.proposals.accept import diff_of

    found = {}
    for one in proposals:
        try:
            found[one.key] = diff_of(place, one, now)
        except WorkbenchError as error:
            found[one.key] = f"cannot be accepted now: {error.message}\n"
    return found


def _say_dream_json(found: Dream, proposed: Proposed, diffs: dict[str, str], done: _Applied | None) -> None:
    said: dict[str, Any] = found.as_json(applied=done is not None and done.operation is not None)
    said["proposals"] = [
        {**one.as_json(), "diff": diffs.get(one.key, "")} for one in (*proposed.added, *proposed.waiting)
    ]
    said["skipped"] += [{"key": one.key, "why": why, "text": one.text} for one, why in proposed.left_out]
    if done is not None:
        operation = done.operation
        diff = done.plan.diff() if done.plan else ""
        said |= {"operation": operation.id if operation else None, "diff": diff}
        said |= {"commit": operation.commit if operation else None, "notes": [*said["notes"], *done.notes]}
    say_json(said)


def _say_dream(
    found: Dream, proposed: Proposed, done: _Applied | None, *, applies: bool, dry_run: bool
) -> None:
    from workbench.cli.inbox_text import say_dream, say_proposal

    say_dream(found)
    say("")
    for one in (*proposed.added, *proposed.waiting):
        say_proposal(one)
    for one, why in proposed.left_out:
        narrate(f"left out: {one.key[:8]}: {why}")
    if proposed.replaced:
        narrate(f"no longer proposed: {plural(len(proposed.replaced), 'proposal')} of earlier runs")
    if done is not None:
        if done.operation is not None:
            say(done.operation.summary, bold=True)
            narrate(f"operation {done.operation.id}; `workbench dream --rollback {found.run}` takes it back")
        elif done.plan is not None:
            say_diff(done.plan.diff())
        else:
            narrate("nothing was applied")
        narrate_notes(done.notes)
    elif applies:
        narrate("nothing was applied: this run proposes nothing new; `workbench inbox list` shows what waits")
    elif found.phase == "deep":
        count = len(proposed.added) + len(proposed.waiting)
        wait = "would wait" if dry_run else "waits" if count == 1 else "wait"
        narrate(
            f"{plural(count, 'proposal')} {wait} for you: `workbench inbox list`"
            if count
            else "nothing is proposed"
        )


def _explain(place: Workspace, wanted: str, *, as_json: bool) -> None:
    from workbench.cli.inbox_text import say_explanation
    from workbench.dreaming.explain import explain

    if not wanted.strip():
        raise UsageError("explain which claim?", hint="give a key, an entry or words")
    with Bar() as bar:
        found = explain(place, wanted, datetime.now().astimezone(), tell=bar.show)
    if as_json:
        say_json(found.as_json())
    else:
        say_explanation(found)


def _list_runs(place: Workspace, *, as_json: bool) -> None:
    from workbench.cli.inbox_text import say_runs
    from workbench.dreaming.proposals.runs import runs

    found = runs(place)
    if as_json:
        say_json(
            [
                {
                    "run": run.id,
                    "proposed": run.proposed,
                    "made_at": run.made_at.isoformat() if run.made_at else None,
                    "operations": [operation_json(operation) for operation in run.operations],
                }
                for run in found
            ]
        )
        return
    say_runs(found)
    if not found:
        narrate("no dream has proposed anything here yet")


def _roll_back(place: Workspace, run: str, *, dry_run: bool, as_json: bool) -> None:
    from workbench.dreaming.proposals.runs import find_run, preview_rollback, roll_back, shared_with

    for operation in find_run(place, run).standing:
        if others := shared_with(operation, run):
            narrate(f"note: {operation.id} holds proposals of {', '.join(others)} too; they will wait again")
    if dry_run:
        diff, staying = preview_rollback(place, run)
        if as_json:
            say_json({"run": run, "operations": [], "diff": diff, "refused": _refused(staying)})
            return
        say_diff(diff)
        for operation, why in staying:
            narrate(f"would stay: {operation.id} {operation.summary}: {why}")
        return
    done = roll_back(place, run)
    staying = tuple((operation, error.message) for operation, error in done.refused)
    if as_json:
        undone = [operation_json(operation) for operation in done.undone]
        say_json({"run": done.run, "operations": undone, "refused": _refused(staying)})
    else:
        for operation in done.undone:
            say(operation.summary)
            narrate(f"operation {operation.id}; `workbench undo {operation.id}` brings it back")
        for operation, error in done.refused:
            narrate(f"stays: {operation.id} {operation.summary}: {error.message}")
            narrate(f"  → {error.hint}")
    if done.refused:
        raise click.exceptions.Exit(1)


def _refused(staying: Sequence[tuple[Operation, str]]) -> list[dict[str, str]]:
    return [{"operation": operation.id, "why": why} for operation, why in staying]
