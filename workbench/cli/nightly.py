"""What is done by itself every night."""

from __future__ import annotations

import contextlib

import click

from workbench.cli.job_run import at_work, job_options, require_whole, speaking
from workbench.cli.output import (
    json_option,
    narrate,
    say,
    say_json,
    wants_json,
)
from workbench.cli.run_operation import dry_run_option
from workbench.cli.workspace_options import workspace
from workbench.jobs.names import Job

_STEPS = ("prune", "context", "ingest", "decay", "dream", "backup")
_MARKS = {"done": "done", "nothing": "—", "failed": "failed", "would": "would"}


@click.command()
@click.argument("job", type=click.Choice([Job.NIGHTLY.value]))
@click.option("--only", type=click.Choice(_STEPS), multiple=True, help="Only this step; may be repeated.")
@click.option("--model", default="", help="A language model to word proposals with; `none` for none.")
@job_options
@dry_run_option
@json_option
def run(
    job: str,
    only: tuple[str, ...],
    model: str,
    log: bool,
    metrics: str | None,
    dry_run: bool,
) -> int:
    """Run JOB now.

    nightly: prune expired episodes, clear workspace-context.md, ingest logs, decay, dream, back up.

    Each step reports, and one that fails does not stop the others. Nothing is promoted or forgotten: dreaming
    and decay leave proposals. `workbench jobs print` shows how to run this every night.
    """
    from workbench.errors import ModelUnavailableError
    from workbench.jobs.nightly import Night, nightly
    from workbench.jobs.runner import now
    from workbench.llm.provider import open_language_model

    require_whole(log=log, metrics=metrics, part=dry_run)
    outcomes = []
    with speaking(Job.NIGHTLY, log=log), workspace() as place, contextlib.ExitStack() as stack:
        work = None
        if not dry_run:
            work = stack.enter_context(at_work(place, Job.NIGHTLY, log=log, metrics=metrics))
        try:
            asked = open_language_model(place.settings, model)
        except ModelUnavailableError as error:
            asked = None
            narrate("note: the language model cannot be used" + ("" if log else f": {error.message}"))
        night = Night(workspace=place, now=now(), model=asked, dry_run=dry_run)
        for outcome in nightly(night, only, run=work.run if work else None):
            outcomes.append(outcome)
            if log and work:
                why = f" ({outcome.error})" if outcome.error else ""
                work.line(f"{outcome.step} {outcome.state}{why}")
            elif not wants_json():
                say(f"{outcome.step:<8} {_MARKS[outcome.state]:<7} {outcome.said}")
                for note in (*outcome.notes, *([outcome.hint] if outcome.hint else [])):
                    narrate(f"         {note}")
    if wants_json():
        say_json({"dry_run": dry_run, "steps": [outcome.as_json() for outcome in outcomes]})
    return 1 if any(outcome.state == "failed" for outcome in outcomes) else 0
