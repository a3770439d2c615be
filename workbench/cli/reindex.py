"""Bringing the derived index up to date: reindex, once or for as long as it is watched."""

from __future__ import annotations

import contextlib
import sys
import threading
from datetime import datetime
from typing import TYPE_CHECKING

import click

from workbench.cli import shell_values
from workbench.cli.job_run import at_work, job_options, require_whole, speaking, until_stopped
from workbench.cli.output import (
    json_option,
    narrate,
    say,
    say_json,
    wants_json,
)
from workbench.cli.workspace_options import AS_OF, workspace
from workbench.errors import BusyError, UsageError
from workbench.jobs.names import Job
from workbench.plural import plural
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.sync.cost_estimate import Agree, Backfill
    from indexing.sync.keep_up import SyncRun
    from indexing.sync.report import SyncReport
    from workbench.cli.job_run import AtWork
    from workbench.cli.progress import Bar

_SHOWN_LINES = 5


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=shell_values.memory_paths)
@click.option("--full", is_flag=True, help="Build everything anew, aside, then swap it in.")
@click.option("--no-vectors", is_flag=True, help="Words only.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and what embedding would cost.")
@click.option("--yes", is_flag=True, help="Send texts to a provider that costs money without asking.")
@click.option("--watch", is_flag=True, help="Go on until interrupted: a run after each series of changes.")
@job_options
@json_option
def reindex(
    paths: tuple[str, ...],
    full: bool,
    no_vectors: bool,
    dry_run: bool,
    yes: bool,
    watch: bool,
    log: bool,
    metrics: str | None,
) -> None:
    """Bring the index up to date with the files.

    With PATHs only files at or below these are looked at, and transcripts however little they grew; --full
    then reads these anew, and believes that what is gone there is gone.
    """
    from indexing.sync.run import reindex as run
    from workbench.cli.progress import Bar

    part = bool(paths) or dry_run
    past = click.get_current_context().meta.get(AS_OF) is not None
    require_whole(log=log, metrics=metrics, part=part or past)
    if watch:
        if part or full:
            raise UsageError("--watch is for everything that changes: it takes no PATH, --full or --dry-run")
        with speaking(Job.REINDEX_WATCH, log=log), workspace() as place:
            if isinstance(place, PastWorkspace):
                raise UsageError("the past does not change: there is nothing to watch")
            with (
                until_stopped() as stop,
                at_work(place, Job.REINDEX_WATCH, log=log, metrics=metrics) as work,
            ):
                _watch(place, work, stop, vectors=not no_vectors, yes=yes, log=log)
        return
    with speaking(Job.REINDEX, log=log), workspace() as place, contextlib.ExitStack() as stack:
        alone = None
        if not (part or isinstance(place, PastWorkspace)):
            alone = stack.enter_context(at_work(place, Job.REINDEX, log=log, metrics=metrics))
        bar = stack.enter_context(Bar())
        report = run(
            place,
            paths=paths,
            full=full,
            vectors=not no_vectors,
            dry_run=dry_run,
            progress=bar.show,
            agree=_asker(bar, yes=yes),
        )
        if alone is not None:
            alone.run.tell(_counts(report))
            alone.line(_counted(report))
    if wants_json():
        say_json(report.as_json())
    elif not log:
        _print(report)


def _counts(report: SyncReport) -> dict[str, int]:
    """What a record keeps of a run of the index."""
    return {
        "files": report.seen,
        "added": report.added,
        "changed": report.changed,
        "removed": report.removed,
        "unreadable": len(report.failed),
        "entries": report.entries,
        "embedded": report.embedded,
    }


def _counted(report: SyncReport) -> str:
    return ", ".join(f"{count} {name}" for name, count in _counts(report).items())


def _asker(bar: Bar, *, yes: bool) -> Agree | None:
    """Who says whether money may be spent: ``--yes``, else the person at the terminal, else nobody."""
    if not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None

    def agree(spending: Backfill) -> bool:
        bar.clear()
        narrate(f"to be embedded: {spending.sentence()}")
        return yes or click.confirm("send them?", err=True)

    return agree


def _print(report: SyncReport) -> None:
    would = "would be " if report.dry_run else ""
    waiting = f", {report.waiting} growing" if report.waiting else ""
    say(
        f"{plural(report.seen, 'file')}: {report.added} {would}added, {report.changed} {would}changed, "
        f"{report.removed} {would}removed, {report.unchanged} unchanged{waiting}"
    )
    if not report.dry_run:
        say(
            f"{plural(report.entries, 'entry')}: {report.entries_added} added, "
            f"{report.entries_removed} removed; {report.embedded} embedded, "
            f"{report.from_cache} from the cache; {report.seconds:.1f} s"
        )
    if report.dry_run and report.backfill:
        some = report.backfill.texts > 0
        say(f"would be embedded: {report.backfill.sentence()}" if some else "nothing would be embedded")
    if report.rebuilt:
        narrate(f"built anew: {report.rebuilt}")
    if report.vectors:
        narrate(f"words only: {report.vectors}")
    _narrate_faults(report)


def _narrate_faults(report: SyncReport) -> None:
    for note in report.notes:
        narrate(note)
    for address, why in report.unembedded.items():
        narrate(f"no vector: {address}: {why}")
    for name, why in report.absent.items():
        narrate(f"absent: {name}: {why}")
    for path, why in report.failed.items():
        narrate(f"not indexed: {path}: {why}")
    for path, lines in report.bad_lines.items():
        first = ", ".join(map(str, lines[:_SHOWN_LINES])) + (", …" if len(lines) > _SHOWN_LINES else "")
        narrate(f"unreadable lines of {path}: {len(lines)} ({first})")


def _watch(
    place: Workspace,
    work: AtWork,
    stop: threading.Event,
    *,
    vectors: bool,
    yes: bool,
    log: bool,
) -> None:
    """Run until ``stop``; a run of the index that is under way is broken off at its next step."""
    from indexing.sync.keep_up import KeepUp

    if not log:
        narrate("following the files until it is interrupted")
    told = (lambda _: None) if log else narrate
    agree = (lambda _: True) if yes else None  # nobody is there to be asked
    for run in KeepUp(place.root, stop, told, vectors=vectors, agree=agree).runs():
        if not log:
            _say_run(run)
        _tell(run, work)


def _tell(run: SyncRun, work: AtWork) -> None:
    """Keep what came of a run. That another one was at it is no failure: it is tried again."""
    if run.report is not None:
        work.tell(_counts(run.report))
        work.line(_counted(run.report))
    elif run.error is not None:
        name = type(run.error).__name__
        work.line(f"not done ({name})")
        if not isinstance(run.error, BusyError):
            work.tell({}, name)


def _say_run(run: SyncRun) -> None:
    now = datetime.now().astimezone()
    about = {"why": run.why, "at": now.isoformat(timespec="seconds")}
    report = run.report
    if wants_json():
        error = run.error
        wrong = {"code": error.code, "message": error.message, "hint": error.hint} if error else {}
        said = report.as_json() if report else wrong
        say_json({"event": "run" if report else "error", **about, **said})
    elif report:
        changes = {"added": report.added, "changed": report.changed, "removed": report.removed}
        counts = ", ".join(f"{count} {what}" for what, count in changes.items() if count) or "nothing changed"
        say(
            f"{now:%H:%M:%S} {counts}: {plural(report.entries, 'entry')}, {report.embedded} embedded, "
            f"{report.seconds:.1f} s"
        )
        _narrate_faults(report)
    elif run.error:
        narrate(f"{now:%H:%M:%S} {run.error.message}")
