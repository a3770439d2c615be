"""The index, and the model that makes its vectors: reindex, model."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from indexing.embedding.model_files import download as fetch
from indexing.embedding.model_info import Description, describe, describe_providers
from workbench.cli import shell_values
from workbench.cli.console import (
    Bar,
    agree,
    answered,
    attributes,
    command,
    flag,
    given,
    group,
    named,
    narrate,
    say,
    say_fields,
    this_moment,
    wants_json,
    workspace,
)
from workbench.cli.jobs import JobInProgress, at_work, job_options, require_whole, speaking, until_stopped
from workbench.config.settings import own_settings, user_settings_path
from workbench.errors import BusyError, UsageError
from workbench.jobs.runs import Job
from workbench.plural import plural
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.embedding.choice import Service
    from indexing.embedding.model_files import Listing
    from indexing.sync.report import Agree, EmbeddingEstimate, SyncReport
    from indexing.sync.watch import SyncRun

_SHOWN_LINES = 5
_MEGABYTE = 1_000_000
_WORD = "memory"


@command()
@named("paths", "[PATH]...", shell_values.memory_paths)
@flag("--full", "Build a new index beside the old one, then swap it in.")
@flag("--no-vectors", "Index for keyword search only, without vectors.")
@flag("--dry-run", "Only print what would be done and what embedding would cost.")
@flag("--yes", "Do not ask before texts are sent to a provider that costs money.")
@flag("--watch", "Continue until interrupted, and index after each series of changes.")
@job_options
def reindex(
    paths: tuple[str, ...],
    full: bool,
    no_vectors: bool,
    dry_run: bool,
    yes: bool,
    watch: bool,
) -> None:
    """Update the search index.

    With PATH, only files at or below it are checked, and transcripts are read even if they grew only a
    little; --full then reads all of these again, and removes from the index what no longer exists there.
    """
    from indexing.sync.run import reindex as run

    part = bool(paths) or dry_run
    require_whole(part=part or given("as_of") is not None)
    if watch and (part or full):
        raise UsageError("--watch follows all changes: it excludes PATH, --full and --dry-run")
    job = Job.REINDEX_WATCH if watch else Job.REINDEX
    with speaking(job), workspace() as place:
        past = isinstance(place, PastWorkspace)
        if watch:
            if past:
                raise UsageError("--watch does not apply to the past")
            with until_stopped() as stop, at_work(place, job) as work:
                _watch(place, work, stop, vectors=not no_vectors, yes=yes)
            return
        with contextlib.nullcontext() if part or past else at_work(place, job) as alone, Bar() as bar:
            report = run(
                place,
                paths=paths,
                full=full,
                vectors=not no_vectors,
                dry_run=dry_run,
                progress=bar.follow,
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

    def agree(spending: EmbeddingEstimate) -> bool:
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
        narrate(f"rebuilt: {report.rebuilt}")
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


def _watch(place: Workspace, work: JobInProgress, stop: threading.Event, *, vectors: bool, yes: bool) -> None:
    """Run until ``stop``; a run of the index that is under way is broken off at its next step."""
    from indexing.sync.watch import IndexFollower

    log = given("log")
    if not log:
        narrate("following the files until it is interrupted")
    told = (lambda _: None) if log else narrate
    agree = (lambda _: True) if yes else None  # nobody is there to be asked
    for run in IndexFollower(place.root, stop, told, vectors=vectors, agree=agree).runs():
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
    now = this_moment()
    report, error = run.report, run.error
    if wants_json():
        wrong = attributes(error, "code", "message", "hint") if error else {}
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


@group()
def model() -> None:
    """The embedding model: show which one is used, test it, download another one."""


@model.command()
def show() -> None:
    """Show which model of which provider is used, and where it is.

    If there is none, it says why."""
    found = describe_providers(own_settings())
    used = next((one for one in found if one.usable), found[0])
    if answered({**used.as_json(), "providers": found}):
        return
    if used.service is not None:
        _say_service(used.service)
    elif used.local is not None and used.usable:
        _say_local(used.local, used.device or "cpu")
    else:
        say(f"none: {used.problem.message if used.problem else ''}")
    for one in found:
        if one.problem is not None:
            if one is not used:
                narrate(f"{one.provider} cannot be used: {one.problem.message}")
            if one.problem.hint:
                narrate(f"  → {one.problem.hint}")
        elif one is not used:
            narrate(f"{one.provider} would be next, if {used.provider} could not be used at all")


def _say_local(found: Description, device: str) -> None:
    assert found.source is not None
    later = "" if found.form == "prepared" else ", prepared at its first use"
    say(found.source.name, bold=True)
    say_fields(
        ("provider", "local"),
        ("form", f"{found.form}{later}"),
        ("device", device + ("" if device == "cpu" else ", for many texts; cpu for others")),
        ("dimension", found.dimension or "not said"),
        ("window", f"{found.window or 'not said'} word pieces"),
        ("identity", found.source.identity),
        ("folder", found.source.folder),
        ("prepared", found.prepared),
    )


def _say_service(found: Service) -> None:
    price = "not known" if found.price is None else f"{found.price:g} for a million tokens"
    say(found.model, bold=True)
    say_fields(
        ("provider", found.provider),
        ("endpoint", found.endpoint.url),
        ("dimension", found.dimensions or "as the model has it"),
        ("identity", found.identity),
        ("key", found.key.source),
        ("price", price if found.charges else "none"),
        ("requests", f"{plural(found.batch, 'text')} each, {found.concurrency} at a time"),
    )
    if found.key.warning:
        narrate(found.key.warning)


@model.command()
def test() -> None:
    """Embed one text as a search would, and print how long it took. A remote provider is sent one word."""
    from indexing.embedding.choice import choices

    choice = choices(own_settings(), threads=1).first()
    moments = [time.perf_counter()]
    embedder = choice.open_for_questions()
    moments.append(time.perf_counter())
    try:
        for _ in range(2):
            vectors = embedder.embed([_WORD])
            moments.append(time.perf_counter())
    finally:
        embedder.close()
    opened, first, again = (1e3 * (after - before) for before, after in pairwise(moments))
    told = {
        "identity": choice.identity,
        "dimension": int(vectors.shape[1]),
        "opened_ms": round(opened, 1),
        "first_ms": round(first, 1),
        "next_ms": round(again, 1),
    }
    if answered(told):
        return
    say(choice.identity, bold=True)
    say_fields(
        ("dimension", told["dimension"]),
        ("opened in", f"{opened:,.0f} ms"),
        ("first text", f"{first:,.1f} ms"),
        ("next text", f"{again:,.1f} ms"),
    )


@model.command()
@named("name", "[NAME]")
@flag("--yes", "Do not ask.")
def download(name: str | None, yes: bool) -> None:
    """Download the model NAME (owner/name) from the Hugging Face hub.

    Default of NAME: the default model.

    Shows what would be downloaded, and asks before it starts.
    """
    from indexing.embedding.model_files import DEFAULT_MODEL, is_hub_name, listing

    name = name or DEFAULT_MODEL
    if not is_hub_name(name):
        raise UsageError(
            f"{name!r} is not a model name", hint=f"a model name is owner/name, for example {DEFAULT_MODEL}"
        )
    wanted = listing(name)
    narrate(_summary(wanted))
    if wanted.missing and not yes:
        agree(
            "fetch it?",
            refusal="downloading a model needs your confirmation",
            hint="add --yes",
            kept="nothing was fetched",
        )
    with Bar() as bar:
        source = fetch(name, lambda done, total: bar.show("fetch (kB)", done // 1000, total // 1000))
    if not answered({"model": source.name, "identity": source.identity, "folder": source.folder}):
        say(str(source.folder))
    if describe(own_settings().model).source != source:
        narrate(f"to use it, write `model: {name}` into {user_settings_path()}")
    narrate("`workbench reindex` makes its vectors")


def _summary(wanted: Listing) -> str:
    if not wanted.missing:
        return f"{wanted.name} is already downloaded and up to date with {wanted.endpoint}"
    size = max(1, round(wanted.bytes / _MEGABYTE))
    files = f"{plural(wanted.missing, 'file')}, {size:,} MB, weights as safetensors"
    return f"{wanted.name} from {wanted.endpoint}: {files}"
