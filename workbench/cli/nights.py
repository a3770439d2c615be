"""What is done by itself: the nightly run, and how a system's clock starts it."""

from __future__ import annotations

from datetime import datetime

import click

from workbench.cli.carrying_out import dry_run_option
from workbench.cli.output import json_option, narrate, put, say, say_json
from workbench.cli.places import program, workspace
from workbench.errors import UsageError

_STEPS = ("prune", "context", "decay", "dream", "backup")
_MARKS = {"done": "done", "nothing": "—", "failed": "failed", "would": "would"}


@click.command(short_help="Prune, clear the context, decay, dream, back up: for a clock.")
@click.option("--only", type=click.Choice(_STEPS), multiple=True, help="Only this step; may be repeated.")
@click.option("--model", default="", help="A language model to word proposals with; `none` for none.")
@dry_run_option
@json_option
def nightly(only: tuple[str, ...], model: str, dry_run: bool, as_json: bool) -> int:
    """Prune expired episodes, clear workspace-context.md, decay, dream, back up.

    Each step reports, and one that fails does not stop the others. Nothing is promoted or forgotten: dreaming
    and decay leave proposals. `workbench jobs` prints how to run this every night.
    """
    from workbench.consolidation.nightly import Night
    from workbench.consolidation.nightly import nightly as run
    from workbench.errors import ModelUnavailableError
    from workbench.models.choice import open_language_model

    outcomes = []
    with workspace() as place:
        try:
            asked = open_language_model(place.settings, model)
        except ModelUnavailableError as error:
            asked = None
            narrate(f"note: the language model cannot be used: {error.message}")
        night = Night(workspace=place, now=datetime.now().astimezone(), model=asked, dry_run=dry_run)
        for outcome in run(night, only):
            outcomes.append(outcome)
            if not as_json:
                say(f"{outcome.step:<8} {_MARKS[outcome.state]:<7} {outcome.said}")
                for note in (*outcome.notes, *([outcome.hint] if outcome.hint else [])):
                    narrate(f"         {note}")
    if as_json:
        say_json({"dry_run": dry_run, "steps": [outcome.as_json() for outcome in outcomes]})
    return 1 if any(outcome.state == "failed" for outcome in outcomes) else 0


@click.command(short_help="Print a systemd timer or a cron line for `nightly` or `watch`.")
@click.argument("job", type=click.Choice(("nightly", "watch")), default="nightly")
@click.option(
    "--systemd", "form", flag_value="systemd", default="systemd", help="A unit of systemd (default)."
)
@click.option("--cron", "form", flag_value="cron", help="A line for `crontab -e`.")
@click.option("--at", metavar="HH:MM", help="When the nightly run begins; 03:30 if not said.")
def jobs(job: str, form: str, at: str | None) -> None:
    """Print a systemd timer or a cron line that runs JOB for this workspace. Nothing is installed."""
    from workbench.consolidation.jobs import Job, as_cron, as_systemd

    if job != "nightly" and at is not None:
        raise UsageError(f"{job} runs all the time", hint="--at is for nightly")
    with workspace() as place:
        made = Job(name=job, program=program(), workspace=str(place.root), at=at or "03:30")
    put(
        (as_cron(made) if form == "cron" else as_systemd(made))
        .rstrip("\n")
        .encode("utf-8", "surrogateescape")
    )
