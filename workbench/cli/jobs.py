"""Jobs, which a system's clock starts: they run alone, are written down, and keep a clean log."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from importlib import resources
from types import FrameType

import click

from workbench.cli.console import (
    FOUND_WANTING,
    answered,
    dry_run_option,
    flag,
    given,
    group,
    model_option,
    narrate,
    opened,
    say,
    shared_option,
    together,
    wants_json,
    workspace,
)
from workbench.errors import BusyError, UsageError, WorkbenchError
from workbench.frozen import frozen
from workbench.health.metrics import MetricsFile
from workbench.jobs.nightly import STEPS, NightlyContext, nightly
from workbench.jobs.runs import ActiveRun, Job, now, running, standings
from workbench.jobs.runs import forget as forget_runs
from workbench.llm.language_model import LanguageModel, language_model_or_why
from workbench.workspace.workspace import Workspace

_TEMPLATES = {
    "systemd": ("nightly.service", "nightly.timer"),
    "cron": ("nightly.cron",),
    "launchd": ("nightly.plist",),
}
job_options = together(
    flag("--log", "For schedulers: one line for each step on stderr, without text of memory.", shared=True),
    shared_option(
        "--metrics", metavar="FILE.prom", help="Write metrics for Prometheus to this file at the end."
    ),
)


@group()
def jobs() -> None:
    """Scheduled jobs: run one now, print a template for a scheduler, see how each ran."""


@jobs.command()
@click.argument("job", type=click.Choice([Job.NIGHTLY.value]))
@click.option(
    "--only", type=click.Choice(tuple(STEPS)), multiple=True, help="Run only this step; may be repeated."
)
@model_option
@job_options
@dry_run_option
def run(job: str, only: tuple[str, ...]) -> int:
    """Run JOB now.

    `nightly` removes expired episodes, clears workspace-context.md, ingests logs, proposes what to forget,
    dreams, and repeats the last backup.

    Each step reports its result, and a step that fails does not stop the others. Nothing is promoted or
    forgotten: dreaming and decay create proposals. `workbench jobs print` shows how to run this every night.
    """
    log, dry_run = given("log"), given("dry_run")
    require_whole(part=dry_run)
    outcomes = []
    with (
        speaking(Job.NIGHTLY),
        workspace() if dry_run else job_workspace(Job.NIGHTLY) as place,
        contextlib.nullcontext() if dry_run else at_work(place, Job.NIGHTLY) as work,
    ):
        model = usable_model(place, "note: the language model cannot be used")
        night = NightlyContext(workspace=place, now=now(), model=model, dry_run=dry_run)
        for outcome in nightly(night, only, run=work.run if work else None):
            outcomes.append(outcome)
            if log and work:
                why = f" ({outcome.error})" if outcome.error else ""
                work.line(f"{outcome.step} {outcome.state}{why}")
            elif not wants_json():
                state = "—" if outcome.state == "nothing" else outcome.state
                say(f"{outcome.step:<8} {state:<7} {outcome.said}")
                for note in filter(None, (*outcome.notes, outcome.hint)):
                    narrate(f"         {note}")
    answered({"dry_run": dry_run, "steps": outcomes})
    return 1 if any(outcome.state == "failed" for outcome in outcomes) else 0


@jobs.command("print", cls=click.Command)
@click.option(
    "--systemd", "form", flag_value="systemd", help="A systemd service and timer (default, except on macOS)."
)
@click.option("--cron", "form", flag_value="cron", help="A line for `crontab -e`.")
@click.option("--launchd", "form", flag_value="launchd", help="A launchd agent (default on macOS).")
def print_(form: str | None) -> None:
    """Print a template that runs `jobs run nightly` on a schedule. Change the paths and the time in it.

    Nothing is installed. Its comments say what to change for `watch` and `reindex --watch`.
    """
    usual = "launchd" if sys.platform == "darwin" else "systemd"
    folder = resources.files("workbench.jobs").joinpath("content")
    texts = [folder.joinpath(name).read_text("utf-8") for name in _TEMPLATES[form or usual]]
    say("\n".join(texts).rstrip("\n"))


@jobs.command()
def status() -> int:
    """Show how each job ran last, and what to do about it.

    The exit code is 4 if one failed, was killed or is overdue.
    """

    with workspace() as place:
        found = standings(place.state_path, now())
    wrong = any(one.wrong for one in found)
    if not answered({"ok": not wrong, "jobs": found}):
        for one in found:
            say(f"{one.job.command:<18} {one.line}", fg="red" if one.wrong else None)
            if one.wrong:
                say(f"{'':<18} {one.sentence}")
                say(f"{'':<18} → {one.mends}")
    return FOUND_WANTING if wrong else 0


@jobs.command(cls=click.Command)
@click.argument("job", type=click.Choice([job.value for job in Job]))
def forget(job: str) -> None:
    """Delete the record of JOB's runs: it is not overdue then."""
    with workspace() as place:
        known = forget_runs(place.state_dir(), Job(job))
    narrate(f"the runs of {job} are forgotten" if known else f"no runs are recorded for {job}")


def usable_model(place: Workspace, without: str) -> LanguageModel | None:
    """The language model of the settings, or ``--model`` at their endpoint; None without one."""
    model, why_none = language_model_or_why(place.settings, given("model"))
    if why_none and without:
        narrate(without if given("log") else f"{without}: {why_none}")
    return model


def require_whole(*, part: bool) -> None:
    """Refuse what goes with no ``--log`` or ``--metrics``. Raises UsageError."""
    if given("log") and wants_json():
        raise UsageError("--log and --json exclude each other", hint="use one of them")
    if part and (given("log") or given("metrics")):
        raise UsageError("--log and --metrics are for a whole run that does something")


@contextlib.contextmanager
def speaking(job: Job) -> Iterator[None]:
    """In a log an error is its class and what to do: its message may quote memory. Else it is as ever."""
    if not given("log"):
        yield
        return
    code, why = 1, ""
    try:
        yield
    except BusyError as error:  # which names a process, and nothing else
        code, why = error.exit_code, f"busy: {error.message}"
    except WorkbenchError as error:
        code, why = error.exit_code, f"failed ({type(error).__name__}); `workbench {job.command}` says why"
    except (BrokenPipeError, click.exceptions.Exit):
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "no reason given"
        why = f"failed ({type(error).__name__}: {reason})"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}:{place.lineno}"
        why = f"failed ({type(error).__name__} at {where}), which is a bug in this program"
    if why:
        narrate(f"{job.command}: {why}")
        raise click.exceptions.Exit(code)


@frozen
class JobInProgress:
    """A job that is under way, with whom to tell how it goes."""

    run: ActiveRun
    metrics: MetricsFile | None

    def tell(self, counts: Mapping[str, int], error: str = "") -> None:
        """How it stands now; what is new is kept, and written for Prometheus."""
        before = self.run.run
        self.run.tell(counts, error)
        if self.run.run != before:
            self._write_metrics()

    def line(self, text: str) -> None:
        """A line of the log. ``text`` is made of names of ours and counts."""
        if given("log"):
            narrate(f"{self.run.run.job.command}: {text}")

    def end(self) -> None:
        """Say how it ended. Raises WorkbenchError where the figures cannot be written."""
        ended = self.run.run
        took = "" if ended.seconds is None else f" after {ended.seconds:.1f} s"
        hint = "; `workbench jobs status` says what to do" if ended.state == "failed" else ""
        self.line(f"{ended.state}{took}{hint}")
        self._write_metrics()

    def _write_metrics(self) -> None:
        if self.metrics is not None:
            self.metrics.write(now())


@contextlib.contextmanager
def job_workspace(job: Job) -> Iterator[Workspace]:
    """The workspace of ``job``; where its settings keep it from running, that is recorded as a failed run."""
    try:
        place = opened()
    except UsageError as error:
        with (
            contextlib.suppress(WorkbenchError),
            contextlib.closing(opened(anyhow=True)) as found,
            running(found.state_dir(), job, by_clock=given("log")),
        ):
            raise error from None
        raise
    with contextlib.closing(place):
        yield place


@contextlib.contextmanager
def at_work(place: Workspace, job: Job) -> Iterator[JobInProgress]:
    """Run ``job`` in the block, alone. Raises BusyError that names who runs, ReadOnlyError and UsageError."""
    metrics = given("metrics")
    file = MetricsFile.at(metrics, place) if metrics else None
    work: JobInProgress | None = None
    try:
        with running(place.state_dir(), job, by_clock=given("log")) as run:
            work = JobInProgress(run, file)
            yield work
    except BaseException:
        if work is not None:
            with contextlib.suppress(WorkbenchError):  # what went wrong first is what is told
                work.end()
        raise
    assert work is not None
    work.end()


@contextlib.contextmanager
def until_stopped() -> Iterator[threading.Event]:
    """An event that SIGINT and SIGTERM set; a second one does not wait.

    Entered before a job begins, so that from its first record on it can be stopped well.
    """
    stop = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        stop.set()
        for one, before in usual.items():
            signal.signal(one, before)

    usual = {one: signal.signal(one, end) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for one, before in usual.items():
            signal.signal(one, before)
