"""Dreaming: what is worth keeping is found and proposed, or accepted at once where a person says so."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TextIO

import click

from workbench.cli.console import (
    Bar,
    answered,
    attributes,
    command,
    flag,
    given,
    model_option,
    narrate,
    narrate_notes,
    operation_json,
    say,
    say_diff,
    this_moment,
    wants_json,
    word,
    workspace,
)
from workbench.cli.inbox import flag_note, say_field, say_proposal, say_score, say_wrapped, short_key
from workbench.cli.operation_command import act, content_address, planned_or_done
from workbench.dreaming.proposals.decide import plan_alone
from workbench.dreaming.proposals.inbox import Proposed, propose
from workbench.dreaming.proposals.policy import choose, plan_apply
from workbench.dreaming.proposals.runs import DreamRun, preview_rollback, roll_back, runs, shared_notes
from workbench.dreaming.result import NEAR_MISS, Dream
from workbench.dreaming.run import dream as dreamt
from workbench.dreaming.run import explain
from workbench.errors import ReadOnlyError, UsageError, WorkbenchError
from workbench.llm.language_model import WITHOUT_MODEL, language_model_or_why
from workbench.memory.proposal import Proposal
from workbench.plural import plural
from workbench.safety.secrets import masked_line
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.workspace import Workspace

_REASONS = 8
_LEFT_BEHIND = 10


@command()
@flag("--dry-run", "Write nothing, not even the proposals.", shared=True)
@flag("--apply", "Accept what is allowed without a person, as one operation.", "applies")
@word(
    "--explain", "KEY", "Explain why a claim (its key, an entry or words) is proposed or not.", default=None
)
@word("--rollback", "RUN", "Undo everything that was accepted from this run.", default=None)
@flag("--runs", "List the runs and what was decided about their proposals.", "lists")
@flag(
    "--learned",
    "Show what was learned from your decisions, and how well it predicts them.",
    "shows_learned",
)
@flag("--forget-learned", "Forget what was learned from your decisions so far; can be undone.", "forgets")
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
    help="With --judge: learn from these decisions first (JSON lines).",
)
@model_option
def dream(
    applies: bool,
    explain: str | None,
    rollback: str | None,
    lists: bool,
    shows_learned: bool,
    forgets: bool,
    judges: TextIO | None,
    decided: TextIO | None,
) -> None:
    """Propose what should become long-term memory.

    Nothing is written into MEMORY.md: the proposals wait in `workbench inbox`, unless --apply is given.
    """
    if sum((applies, explain is not None, rollback is not None, lists, shows_learned, forgets)) > 1:
        raise UsageError(
            "one of --apply, --explain, --rollback, --runs, --learned and --forget-learned at a time"
        )
    if judges is not None:
        from workbench.dreaming.line_judgement import judge_records

        for said in judge_records(_records(judges), _records(decided) if decided else ()):
            click.echo(json.dumps(said, ensure_ascii=False))
        return
    with workspace() as place:
        if explain is not None:
            _explain(place, explain)
        elif rollback is not None:
            _roll_back(place, rollback)
        elif lists:
            _list_runs(place)
        elif shows_learned:
            _say_learned(place)
        elif forgets:
            from workbench.dreaming.owner_model import plan_forget_learned

            act(place, lambda: plan_forget_learned(place, this_moment()))
        else:
            _dream(place, applies=applies)


def _records(lines: TextIO) -> list[dict[str, Any]]:
    records = []
    for number, row in enumerate(lines, 1):
        if not row.strip():
            continue
        try:
            record = json.loads(row)
        except ValueError as error:
            raise UsageError(f"line {number} of {lines.name} is not JSON: {error}") from error
        if not isinstance(record, dict):
            raise UsageError(f"line {number} of {lines.name} is not a JSON object")
        records.append(record)
    return records


def _dream(place: Workspace, *, applies: bool) -> None:
    if applies:
        _ = place.operations  # a history that cannot be used is told before the dream
    now = this_moment()
    dry_run = given("dry_run")
    model, why_none = language_model_or_why(place.settings, given("model"))
    with Bar() as progress:
        found = dreamt(place, now=now, model=model, tell=progress.show)
    if why_none:
        found = replace(found, notes=(f"{WITHOUT_MODEL}: {why_none}", *found.notes))
    proposed = Proposed(added=found.proposals)
    if not dry_run:
        try:
            proposed = propose(place, found.proposals, now, replaces=True)
        except ReadOnlyError as error:
            error.hint = "`workbench dream --dry-run` shows what would be proposed, and writes nothing"
            raise
    candidates = (*proposed.added, *proposed.waiting)
    told = [{**one.as_json(), "diff": _diff(place, one, now)} for one in candidates] if wants_json() else []
    allowed = applies and bool(candidates)
    plan, operation, notes = _apply(place, found, candidates, now) if allowed else (None, None, ())
    said: dict[str, Any] = {**found.as_json(applied=operation is not None), "proposals": told}
    said["skipped"] += [{"key": one.key, "why": why, "text": one.text} for one, why in proposed.left_out]
    if allowed:
        said |= {
            "operation": operation.id if operation else None,
            "diff": plan.diff() if plan else "",
            "commit": operation.commit if operation else None,
            "notes": [*said["notes"], *notes],
        }
    if answered(said):
        return
    _say_dream(found, proposed)
    if not applies:
        count = len(candidates)
        wait = "would wait" if dry_run else "waits" if count == 1 else "wait"
        narrate(
            f"{plural(count, 'proposal')} of this run {wait} for your decision: `workbench inbox list`"
            if count
            else f"nothing is proposed; {found.why_nothing}"
        )
    elif not candidates:
        narrate(
            "nothing was applied: this run proposes nothing new; `workbench inbox list` shows what is pending"
        )
    elif operation is not None:
        say(operation.summary, bold=True)
        narrate(f"operation {operation.id}; `workbench dream --rollback {found.run}` undoes it")
    elif plan is not None:
        say_diff(plan.diff())
    else:
        narrate("nothing was applied")
    narrate_notes(notes)


def _apply(
    place: Workspace, found: Dream, candidates: Sequence[Proposal], now: datetime
) -> tuple[Plan | None, Operation | None, tuple[str, ...]]:
    """Accept what policy may of the run, or only plan to: the plan, what it became, and what is to be told.

    Where policy may accept none of it, there is neither.
    """
    of_this_run = [replace(one, run=found.run) for one in candidates]  # also what waited since an earlier one
    chosen = choose(place, of_this_run, now=now)
    if not chosen.taken:
        return None, None, tuple(f"{one.key} needs your decision: {why}" for one, why in chosen.held)
    near = [skip for skip in found.skipped if skip.reason == NEAR_MISS]
    left = [(skip.text, skip.why) for skip in near[:_LEFT_BEHIND]]
    plan, operation = planned_or_done(
        place, lambda: plan_apply(place, of_this_run, now=now, left=left, considered=found.considered)
    )
    return plan, operation, (operation or plan).notes


def _diff(place: Workspace, proposal: Proposal, now: datetime) -> str:
    """The diff of a proposal alone; of one that cannot be done now, why."""

    try:
        return plan_alone(place, proposal, now).diff()
    except WorkbenchError as error:
        return f"cannot be accepted now: {error.message}\n"


def _say_dream(found: Dream, proposed: Proposed) -> None:
    """What a run considered and left out, in a few lines, and its proposals."""
    say(f"run {found.run}", bold=True)
    say(f"{plural(found.considered, 'claim')} considered, {found.gated:,} of them qualify")
    if found.reasons:
        say("left out (also texts that are no claims)", dim=True)
    for why, count in list(found.reasons.items())[:_REASONS]:
        say(f"{count:>8,}  {masked_line(why)}", dim=True)
    if (more := len(found.reasons) - _REASONS) > 0:
        say(f"{'':>8}  and {more} more reasons", dim=True)
    narrate_notes(found.notes)
    say("")
    for one in (*proposed.added, *proposed.waiting):
        say_proposal(one, note=flag_note(one))
    for one, why in proposed.left_out:
        narrate(f"left out: {short_key(one)}: {why}")
    if proposed.replaced:
        narrate(f"no longer proposed: {plural(len(proposed.replaced), 'proposal')} of earlier runs")


def _explain(place: Workspace, wanted: str) -> None:
    if not wanted.strip():
        raise UsageError("explain which claim?", hint="give a key, an entry or words")
    try:
        wanted = content_address(place, wanted)
    except WorkbenchError:
        if " " not in wanted.strip():  # a sentence may speak of a line of a file
            raise
    with Bar() as progress:
        found = explain(place, wanted, this_moment(), tell=progress.show)
    if answered(found):
        return
    say(f"{found.key}  {'proposed' if found.proposed else 'not proposed'}", bold=True)
    say_wrapped(found.text, margin="  ")
    say_wrapped(found.verdict, margin="  ")
    say_score(found.score, found.parts, found.gates)
    for name, value in found.facts.items():
        if not isinstance(value, int):  # what was counted stands in words among them
            say_field(name, str(value))
    for source in found.sources:
        say_field("source", source)


def _say_learned(place: Workspace) -> None:
    from workbench.dreaming.owner_model import learning_report

    found = learning_report(place)
    if answered(found):
        return
    say(f"{plural(found.decisions, 'decision')} to learn from", bold=True)
    say("used in the score" if found.active else f"not used: {found.why_not}")
    if found.right is not None and found.base_right is not None:
        say(
            f"of the last {found.tested}, {found.right:.0%} of the pairs would have been in the right order, "
            f"{found.base_right:.0%} without them"
        )
    for title, examples in (
        ("scored higher: entries like", found.raised),
        ("scored lower: entries like", found.lowered),
    ):
        if examples:
            say(title, dim=True)
        for one in examples:
            say_wrapped(f"{one.what}: {one.text}")


def _list_runs(place: Workspace) -> None:
    found = runs(place)
    told = [
        {
            "run": run.id,
            **attributes(run, "proposed", "rejected", "made_at"),
            "operations": [operation_json(operation) for operation in run.operations],
        }
        for run in found
    ]
    if answered(told):
        return
    say_runs(found)
    if not found:
        narrate("no dream has proposed anything here yet")


def say_runs(runs: Iterable[DreamRun]) -> None:
    """Print a line for each run: when, how much it proposed, what came of it."""
    for run in runs:
        when = run.made_at or (run.operations[0].when if run.operations else None)
        reverted = len(run.operations) - len(run.standing)
        kept = (
            f"accepted in {plural(len(run.operations), 'operation')}"
            if run.operations
            else "nothing accepted"
        )
        kept += f", {reverted} undone" if reverted else ""
        kept += f", {run.rejected} rejected" if run.rejected else ""
        day = f"{when.astimezone():%Y-%m-%d %H:%M}" if when else "-"
        say(f"{masked_line(run.id)}  {day}  {run.proposed} proposed, {kept}")
        for operation in run.operations:
            undone = " (undone)" if operation.undone else ""
            say(f"    {operation.id}  {masked_line(operation.summary)}{undone}", dim=True)


def _roll_back(place: Workspace, run: str) -> None:
    for note in shared_notes(place, run):
        narrate(f"note: {note}")
    if given("dry_run"):
        plan, staying = preview_rollback(place, run)
        diff = plan.diff()
        if answered({"run": run, "operations": [], "diff": diff, "refused": _refused(staying)}):
            return
        say_diff(diff)
        for operation, why in staying:
            narrate(f"would stay: {operation.id} {operation.summary}: {why}")
        return
    done = roll_back(place, run)
    refused = _refused([(operation, error.message) for operation, error in done.refused])
    undone = [operation_json(operation) for operation in done.undone]
    if not answered({"run": done.run, "operations": undone, "refused": refused}):
        for operation in done.undone:
            say(operation.summary)
            narrate(f"operation {operation.id}; `workbench undo {operation.id}` brings it back")
        for operation, error in done.refused:
            narrate(f"stays: {operation.id} {operation.summary}: {error.message}")
            narrate(f"  → {error.hint}")
    if done.refused:
        raise click.exceptions.Exit(1)


def _refused(staying: Iterable[tuple[Operation, str]]) -> list[dict[str, str]]:
    return [{"operation": operation.id, "why": why} for operation, why in staying]
