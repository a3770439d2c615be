"""Commands that keep memory safe and its index true: backup, verify, reindex."""

from __future__ import annotations

import contextlib
import sys
import threading
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from workbench.backup.create import Backup, back_up, plan_backup
from workbench.backup.incremental import remembered
from workbench.backup.targets import find_target
from workbench.cli import shell_values
from workbench.cli.jobs import AtWork, at_work, job_options, require_whole, speaking, until_stopped
from workbench.cli.options import flag, named
from workbench.cli.output import (
    FOUND_WANTING,
    Bar,
    answered,
    attributes,
    given,
    json_option,
    narrate,
    narrate_notes,
    say,
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
    from indexing.sync.report import SyncReport
    from indexing.sync.watch import SyncRun

_SHOWN_LINES = 5


@click.command()
@named("target", required=False, offer=shell_values.folders)
@flag("--full", "Begin a new chain of bundles.")
@flag("--check", "Also clone a remote anew and compare (bundles always are).")
@flag("--dry-run", "Only say what would be saved.")
@json_option
def backup(target: str | None, full: bool, check: bool, dry_run: bool) -> None:
    """Save this memory, and prove that it can be had back.

    Without TARGET to the last one.

    TARGET is a folder (numbered bundle files, each with what is new), one *.bundle file, or a git remote: a
    URL, or the name of a remote of the repository. What is on disk is recorded first. Nothing there is ever
    overwritten by force. Only this command and `restore` reach a remote.
    """
    with workspace() as place:
        last = remembered(place)
        if target is None and last is None:
            raise UsageError(
                "there is no backup yet that could be repeated",
                hint="name a place once: workbench backup DIR, FILE.bundle or a git remote",
            )
        again = last.target if last and target is None else None
        found = find_target(again) if again else find_target(target or "", place.history)
        if dry_run:
            done = plan_backup(place, found, full=full)
        else:
            if found.kind == "remote":
                narrate(f"sending to {found.shown}")
            done = back_up(place, found, full=full, check=check)
    told = {
        "target": done.target.shown,
        "kind": done.target.kind,
        **attributes(done, "branch", "commit", "path", "compared", "pending", "notes"),
        "wrote": done.wrote or None,
        "recorded": done.recorded.id if done.recorded else None,
        "dry_run": done.planned,
    }
    if not answered(told):
        (_say_planned if done.planned else _say_backup)(done, str(done.path or done.target.shown))
        narrate_notes(done.notes)


def _say_planned(done: Backup, where: str) -> None:
    if done.pending:
        say(f"would record {plural(done.pending, 'file')} first")
    if not done.wrote:
        say(f"nothing is new since the last backup in {where}")
        return
    article = "an" if done.wrote.startswith("i") else "a"
    what = "send" if done.wrote == "sent" else f"write {article} {done.wrote} bundle"
    say(f"would {what}: {done.branch} to {where}")


def _say_backup(done: Backup, where: str) -> None:
    commit = (done.commit or "")[:12]
    if done.recorded:
        say(f"recorded {plural(len(done.recorded.paths), 'file')} as operation {done.recorded.id}")
    if not done.wrote:
        say(f"nothing is new: {where} holds {done.branch} at {commit}")
    else:
        what = "sent" if done.wrote == "sent" else f"{done.wrote} backup"
        say(f"{what}: {where} holds {done.branch} at {commit}, the whole repository's branch")
    if done.compared is not None:
        say(f"restored and compared: {plural(done.compared, 'memory file')}, byte for byte the same")
    narrate(f"`workbench restore {done.target.shown} DIR` brings it back")


@click.command()
@json_option
def verify() -> int:
    """Prove that no text is lost and that the index matches the files.

    The index must be what a clean build would be. Exit code 4 with the list if something is wanting.
    """
    from dataclasses import asdict

    from indexing.sync.verify import verify_index
    from workbench.history.verify import audit

    with workspace() as place, Bar() as bar:
        checks = audit(place)
        checks += verify_index(place, progress=bar.show)
    flaws = [flaw for check in checks for flaw in check.flaws]
    if not answered({"ok": not flaws, "checks": [asdict(check) for check in checks]}):
        for check in checks:
            say(f"{check.name:<11}{check.looked_at}{'' if check.flaws else ': sound'}")
        for flaw in flaws:
            say(f"{flaw.kind}: {flaw.what}", fg="red")
            if flaw.hint:
                say(f"  → {flaw.hint}")
    return FOUND_WANTING if flaws else 0


@click.command()
@named("paths", "[PATH]...", many=True, required=False, offer=shell_values.memory_paths)
@flag("--full", "Build everything anew, aside, then swap it in.")
@flag("--no-vectors", "Keyword search only: make no vectors.")
@flag("--dry-run", "Say what would be done, and what embedding would cost.")
@flag("--yes", "Send texts to a provider that costs money without asking.")
@flag("--watch", "Go on until interrupted: a run after each series of changes.")
@job_options
@json_option
def reindex(
    paths: tuple[str, ...],
    full: bool,
    no_vectors: bool,
    dry_run: bool,
    yes: bool,
    watch: bool,
) -> None:
    """Bring the index up to date with the files.

    With PATHs only files at or below these are looked at, and transcripts however little they grew; --full
    then reads these anew, and believes that what is gone there is gone.
    """
    from indexing.sync.run import reindex as run

    part = bool(paths) or dry_run
    require_whole(part=part or click.get_current_context().meta.get(AS_OF) is not None)
    if watch and (part or full):
        raise UsageError("--watch is for everything that changes: it takes no PATH, --full or --dry-run")
    job = Job.REINDEX_WATCH if watch else Job.REINDEX
    with speaking(job), workspace() as place, contextlib.ExitStack() as stack:
        if watch:
            if isinstance(place, PastWorkspace):
                raise UsageError("the past does not change: there is nothing to watch")
            stop = stack.enter_context(until_stopped())
            work = stack.enter_context(at_work(place, job))
            _watch(place, work, stop, vectors=not no_vectors, yes=yes)
            return
        alone = None
        if not (part or isinstance(place, PastWorkspace)):
            alone = stack.enter_context(at_work(place, job))
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
    if not (answered(report) or given("log")):
        _say_report(report)


def _counts(report: SyncReport) -> dict[str, int]:
    """What a record keeps of a run of the index."""
    changes = attributes(report, "added", "changed", "removed")
    rest = attributes(report, "entries", "embedded")
    return {"files": report.seen, **changes, "unreadable": len(report.failed), **rest}


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


def _say_report(report: SyncReport) -> None:
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
    elif report.backfill:
        some = report.backfill.texts > 0
        say(f"would be embedded: {report.backfill.sentence()}" if some else "nothing would be embedded")
    if report.rebuilt:
        narrate(f"built anew: {report.rebuilt}")
    if report.vectors:
        narrate(f"keyword search only: {report.vectors}")
    _narrate_faults(report)


def _narrate_faults(report: SyncReport) -> None:
    for note in report.notes:
        narrate(note)
    for what, faults in (
        ("no vector", report.unembedded),
        ("absent", report.absent),
        ("not indexed", report.failed),
    ):
        for name, why in faults.items():
            narrate(f"{what}: {name}: {why}")
    for path, lines in report.bad_lines.items():
        first = ", ".join(map(str, lines[:_SHOWN_LINES])) + (", …" if len(lines) > _SHOWN_LINES else "")
        narrate(f"unreadable lines of {path}: {len(lines)} ({first})")


def _watch(place: Workspace, work: AtWork, stop: threading.Event, *, vectors: bool, yes: bool) -> None:
    """Run until ``stop``; a run of the index that is under way is broken off at its next step."""
    from indexing.sync.watch import KeepUp

    log = given("log")
    if not log:
        narrate("following the files until it is interrupted")
    told = (lambda _: None) if log else narrate
    agree = (lambda _: True) if yes else None  # nobody is there to be asked
    for run in KeepUp(place.root, stop, told, vectors=vectors, agree=agree).runs():
        if not log:
            _say_run(run)
        if run.report is not None:
            work.tell(_counts(run.report))
            work.line(_counted(run.report))
        elif run.error is not None:
            name = type(run.error).__name__
            work.line(f"not done ({name})")
            if not isinstance(run.error, BusyError):  # that another one was at it is no failure
                work.tell({}, name)


def _say_run(run: SyncRun) -> None:
    now = datetime.now().astimezone()
    report, error = run.report, run.error
    if wants_json():
        wrong = {"code": error.code, "message": error.message, "hint": error.hint} if error else {}
        said: dict[str, Any] = {"event": "run" if report else "error", "why": run.why}
        said |= {"at": now.isoformat(timespec="seconds"), **(report.as_json() if report else wrong)}
        answered(said)
    elif report:
        changes = attributes(report, "added", "changed", "removed")
        counts = ", ".join(f"{count} {what}" for what, count in changes.items() if count) or "nothing changed"
        say(
            f"{now:%H:%M:%S} {counts}: {plural(report.entries, 'entry')}, {report.embedded} embedded, "
            f"{report.seconds:.1f} s"
        )
        _narrate_faults(report)
    elif error:
        narrate(f"{now:%H:%M:%S} {error.message}")
