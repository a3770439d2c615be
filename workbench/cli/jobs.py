"""Jobs: how a system's clock starts them, and how each of them stands."""

from __future__ import annotations

import sys
from importlib import resources

import click

from workbench.cli.nightly import run
from workbench.cli.output import (
    json_option,
    narrate,
    say,
    say_json,
    wants_json,
)
from workbench.cli.workspace_options import workspace
from workbench.jobs.names import Job

FOUND_WANTING = 4
_TEMPLATES = {
    "systemd": ("nightly.service", "nightly.timer"),
    "cron": ("nightly.cron",),
    "launchd": ("nightly.plist",),
}


@click.group(short_help="What a clock runs: run it, how it ran, and templates for it.")
def jobs() -> None:
    """Jobs that a system's clock runs: run one now, print what starts it, see how each stands."""


jobs.add_command(run)


@jobs.command("print")
@click.option(
    "--systemd", "form", flag_value="systemd", help="A service and its timer (the usual, not on macOS)."
)
@click.option("--cron", "form", flag_value="cron", help="A line for `crontab -e`.")
@click.option("--launchd", "form", flag_value="launchd", help="An agent of launchd (on macOS the usual).")
def print_(form: str | None) -> None:
    """Print a template of what runs `jobs run nightly` by a clock: change the paths and the time in it.

    Nothing is installed. The comments say what to change for `watch` and `reindex`, which follow files.
    """
    named = form or ("launchd" if sys.platform == "darwin" else "systemd")
    folder = resources.files("workbench.jobs").joinpath("content")
    say("\n".join(folder.joinpath(name).read_text("utf-8") for name in _TEMPLATES[named]).rstrip("\n"))


@jobs.command()
@json_option
def status() -> int:
    """When each job ran last, how that ended, and what to do about it.

    Exit code 4 where one failed, was killed or is overdue.
    """
    from workbench.jobs.job_status import standings
    from workbench.jobs.runner import now
    from workbench.workspace.layout import STATE_DIR

    with workspace() as place:
        found = standings(place.root / STATE_DIR, now())
    wrong = any(one.wrong for one in found)
    if wants_json():
        say_json({"ok": not wrong, "jobs": [one.as_json() for one in found]})
        return FOUND_WANTING if wrong else 0
    for one in found:
        say(f"{one.job.command:<18} {one.line}", **({"fg": "red"} if one.wrong else {}))
        if one.wrong:
            say(f"{'':<18} {one.sentence}")
            say(f"{'':<18} → {one.mends}")
    return FOUND_WANTING if wrong else 0


@jobs.command()
@click.argument("job", type=click.Choice([job.value for job in Job]))
def forget(job: str) -> None:
    """Keep nothing of JOB's runs any more: for one that no clock runs now. It is then not overdue."""
    from workbench.jobs.run_log import forget as forget_runs

    with workspace() as place:
        known = forget_runs(place.state_dir(), Job(job))
    narrate(f"the runs of {job} are forgotten" if known else f"nothing was kept of {job}")
