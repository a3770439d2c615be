"""Jobs: how a system's clock starts them, and how each of them stands."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from workbench.cli.output import json_option, narrate, put, say, say_json
from workbench.cli.workspace_options import program, workspace
from workbench.errors import UsageError
from workbench.jobs.names import Job

FOUND_WANTING = 4
_PRINTED = ("nightly", "watch", "reindex")


@click.group(short_help="What a clock runs (nightly, watch, reindex), and how it stands.")
def jobs() -> None:
    """Jobs that a system's clock runs: print what starts them, and see how each of them stands."""


@jobs.command("print")
@click.argument("job", type=click.Choice(_PRINTED), default="nightly")
@click.option("--systemd", is_flag=True, help="A unit of systemd (but for macOS the default).")
@click.option("--cron", is_flag=True, help="A line for `crontab -e`.")
@click.option("--launchd", is_flag=True, help="An agent of launchd (on macOS the default).")
@click.option("--at", metavar="HH:MM", help="When it begins, once a day; `nightly` at 03:30 if not said.")
@click.option("--metrics", metavar="FILE.prom", help="A file for Prometheus that each run writes.")
def print_(job: str, systemd: bool, cron: bool, launchd: bool, at: str | None, metrics: str | None) -> None:
    """Print what runs JOB for this workspace by a clock. Nothing is installed.

    `nightly` runs once a day, `watch` all the time; `reindex` follows the files all the time, or runs once a
    day with --at. Only one form is printed: a job that two clocks start runs twice.
    """
    from workbench.health.metrics import MetricsFile
    from workbench.jobs.unit import as_cron, as_launchd, as_systemd, unit

    asked = [
        form for form, is_asked in (("systemd", systemd), ("cron", cron), ("launchd", launchd)) if is_asked
    ]
    if len(asked) > 1:
        raise UsageError(
            f"one form at a time, and --{' and --'.join(asked)} were asked for",
            hint="ask once for each; only one of them should start the job",
        )
    with workspace() as place:
        file = str(MetricsFile.at(metrics, place).path) if metrics is not None else ""
        made = unit(job, program=program(), workspace=str(place.root), at=at, metrics=file)
    form = asked[0] if asked else "launchd" if sys.platform == "darwin" else "systemd"
    if form == "launchd":
        text = as_launchd(made, Path.home())
    else:
        text = as_cron(made) if form == "cron" else as_systemd(made)
    if sys.stdout.isatty():
        say(text.rstrip("\n"))
    else:
        put(os.fsencode(text.rstrip("\n")))


@jobs.command()
@json_option
def status(as_json: bool) -> int:
    """When each job ran last, how that ended, and what to do about it.

    Exit code 4 where one failed, was killed or is overdue.
    """
    from workbench.jobs.job_status import standings
    from workbench.jobs.runner import now
    from workbench.workspace.layout import STATE_DIR

    with workspace() as place:
        found = standings(place.root / STATE_DIR, now())
    wrong = any(one.wrong for one in found)
    if as_json:
        say_json({"ok": not wrong, "jobs": [one.as_json() for one in found]})
        return FOUND_WANTING if wrong else 0
    for one in found:
        say(f"{one.job.command:<16} {one.line}", **({"fg": "red"} if one.wrong else {}))
        if one.wrong:
            say(f"{'':<16} {one.sentence}")
            say(f"{'':<16} → {one.mends}")
    return FOUND_WANTING if wrong else 0


@jobs.command()
@click.argument("job", type=click.Choice([job.value for job in Job]))
def forget(job: str) -> None:
    """Keep nothing of JOB's runs any more: for one that no clock runs now. It is then not overdue."""
    from workbench.jobs.run_log import forget as forget_runs

    with workspace() as place:
        known = forget_runs(place.state_dir(), Job(job))
    narrate(f"the runs of {job} are forgotten" if known else f"nothing was kept of {job}")
