"""Commands that read session transcripts: ingest, flush, watch."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from indexing.embedding.local import local_model
from workbench.cli import shell_values
from workbench.cli.agents import hook_input
from workbench.cli.console import (
    Bar,
    answered,
    choice,
    command,
    dry_run_option,
    flag,
    given,
    model_option,
    named,
    narrate,
    narrate_notes,
    narrate_row,
    number,
    say,
    say_diff,
    say_row,
    this_moment,
    wants_json,
    word,
    workspace,
)
from workbench.cli.jobs import (
    at_work,
    job_options,
    job_workspace,
    require_whole,
    speaking,
    until_stopped,
    usable_model,
)
from workbench.errors import ReadOnlyError, UsageError, reason_of
from workbench.ingest.flush import FlushResult, flush_reading, flush_session
from workbench.ingest.ingest import Ingest, IngestedSource, sort_of
from workbench.ingest.outcomes import counted, summed, unreadable
from workbench.ingest.sessions import Checkpoints, read_new
from workbench.ingest.transcript_files import find, watched
from workbench.ingest.watch import Follower
from workbench.jobs.runs import Job
from workbench.llm.language_model import WITHOUT_MODEL
from workbench.plural import plural
from workbench.workspace.snapshot import PastWorkspace

SOURCES = ("markdown", "transcript", "all")


@command()
@named("files", "[FILE]...", shell_values.files)
@choice("--source", SOURCES, help="What to ingest (see below).")
@word("--user", "U", "The user whose sessions these are.")
@number("--max-age", metavar="DAYS", help="Skip what is older than this.")
@model_option
@dry_run_option
def ingest(files: tuple[str, ...], source: str | None, **options: Any) -> int:
    """Ingest what is new: sessions become episodes; facts from logs, episodes and MEMORY.md enter the graph.

    Without FILE and --source, it reads the episodes, daily logs and MEMORY.md of the workspace, its pages
    about one person or thing (in folders such as people or projects), and the transcripts that your settings
    name. If they name none, `--source transcript` reads those of the agent that works in this workspace
    (OpenClaw, Clawdbot, Claude Code). FILE is a transcript (*.jsonl) or a folder of them anywhere, or a page
    (*.md) of this workspace: a log, an episode, a note, MEMORY.md. A named FILE is ingested even if its
    session is still running.
    """
    with workspace() as place, Bar() as bar:
        if not given("dry_run"):
            _ = place.operations  # without a repository nothing can be taken in, so it is said once
        ingestion = Ingest(
            place,
            now=this_moment(),
            model=usable_model(place, WITHOUT_MODEL),
            embedder=local_model(place.settings),
            dry_run=given("dry_run"),
            progress=lambda name, done, total: bar.show(sort_of(name), done, total),
            **options,
        )
        done = []
        for taken in ingestion.run(files, source):
            done.append(taken)
            # Of what nobody named, the count is enough where nothing came of it.
            if not wants_json() and (files or taken.outcome != "unchanged" or taken.bad):
                bar.clear()
                _say_taken(taken)
    counts: Counter[str] = Counter(taken.outcome for taken in done)
    if not answered({"dry_run": given("dry_run"), "counts": counts, "sources": done}):
        said = f"{plural(len(done), 'source')}: {counted(counts, dry_run=given('dry_run'))}"
        say(said if done else "nothing to ingest")
        narrate_notes(summed(note for taken in done for note in taken.notes))
        if not (files or source or place.settings.transcripts):
            narrate("no sessions and no other notes were read: give a FILE, or `--source all` for sessions")
    return 1 if counts["failed"] or (files and counts["refused"]) else 0


@command()
@named("transcripts", "[TRANSCRIPT]...", shell_values.files)
@flag("--hook", "Read the JSON of a hook from stdin, and flush its transcript_path.")
@model_option
@dry_run_option
def flush(transcripts: tuple[str, ...], hook: bool) -> int:
    """Save the durable facts of a session before it is compacted.

    They are added to the daily log as quotations, each with its line in TRANSCRIPT. Facts that were saved
    before are not added again; if there are none, nothing is written.

    --hook is for Claude Code's PreCompact hook (`workbench connect claude-code` prints it): it prints nothing
    on stdout, and its exit code never blocks the agent.
    """
    if hook:
        _flush_for_hook(hook_input())
        return 0
    if not transcripts:
        raise UsageError("which session?", hint="give a TRANSCRIPT, or --hook with its JSON on stdin")
    done, failed = _flush(transcripts)
    if len(failed) == len(transcripts):
        raise UsageError("; ".join(f"{path}: {why}" for path, why in failed.items()))
    if not answered({"dry_run": given("dry_run"), "sessions": done, "failed": failed}):
        for one in done:
            _say_flushed(one)
        for path, why in failed.items():
            narrate_row(f"{path}: {why}")
    return 1 if failed or any(one.skipped for one in done) else 0


@command()
@flag("--once", "Do what is due now and exit, for cron.")
@model_option
@job_options
def watch(once: bool) -> None:
    """Follow transcripts and logs as they grow, until interrupted.

    New facts in daily logs are added to the graph. Facts of a session are saved after every 15 messages of
    yours, 100 KB or 50 lines, or two minutes after 5 new messages; a session becomes an episode when it is
    compacted, or quiet for five minutes. The transcripts are those that your settings name, otherwise those
    of the agent that works in this workspace.
    """
    require_whole(part=False)
    log = given("log")
    with speaking(Job.WATCH), job_workspace(Job.WATCH) as place:
        if isinstance(place, PastWorkspace):
            raise UsageError("`watch` does not apply to memory as of an earlier time")
        _ = place.operations
        following = Follower(
            place,
            clock=this_moment,
            model=usable_model(place, WITHOUT_MODEL),
            embedder=local_model(place.settings),
        )
        with until_stopped() as stop, at_work(place, Job.WATCH) as work:
            counts: Counter[str] = Counter()

            def tell() -> None:
                error = min(following.failing.values(), default="")
                work.tell({**counts, "failing": len(following.failing)}, error)

            if not log:
                narrate("reading transcripts in " + ", ".join(watched(place).settings.transcripts))
            told = (lambda _: None) if log else narrate
            for event in following.round() if once else following.follow(stop, told, after=tell):
                counts[event.kind] += 1
                if log:
                    work.line(event.kind + (f" ({event.error})" if event.error else ""))
                elif not answered(event):
                    tell_of = say_row if event.kind in ("flushed", "taken", "pruned") else narrate_row
                    tell_of(f"{event.at:%H:%M:%S} {event.sentence()}")
                if stop.is_set():
                    break
            tell()


def _flush_for_hook(said: Mapping[str, Any]) -> None:
    """Flush the transcript that a hook's JSON names."""
    path = said.get("transcript_path")
    if not isinstance(path, str) or not path:
        raise UsageError("the hook's JSON has no transcript_path")
    done, failed = _flush([os.path.expanduser(path)], quiet=True)
    for name, why in failed.items():
        narrate_row(f"workbench: {name}: {why}")
    if count := sum(len(one.lines) for one in done):
        narrate(f"workbench: facts saved before compaction: {count}")


def _flush(transcripts: Sequence[str], *, quiet: bool = False) -> tuple[list[FlushResult], dict[str, str]]:
    """What was flushed, and why each file that failed did; ``quiet`` tells of nothing."""
    tell = (lambda _: None) if quiet else narrate_row
    now = this_moment()
    done: list[FlushResult] = []
    with workspace() as place:
        dry_run = given("dry_run") and not quiet
        if not dry_run:
            _ = place.operations
        model = usable_model(place, "" if quiet else WITHOUT_MODEL)
        places = find(place, transcripts)
        checkpoints = Checkpoints.read(place, "flush")
        failed = dict(places.refused)
        for file in places.files:
            try:
                reading = read_new(file, checkpoints, exclude=place.settings.transcript_exclude)
                if reading is None:
                    tell(f"{file.name}: nothing new since the last flush")
                    continue
                if bad := unreadable(file.name, reading.bad):
                    tell(bad)
                if reading.excluded:
                    tell(f"{file.name}: {reading.excluded}")
                elif dry_run:
                    done += [
                        flush_session(place, part.session, now=now, model=model, dry_run=True)
                        for part in reading.parts
                    ]
                else:
                    done += flush_reading(place, reading, checkpoints, now=now, model=model, full=True)
            except (ReadOnlyError, OSError) as error:
                failed[file.path] = reason_of(error)
    return done, failed


def _say_taken(taken: IngestedSource) -> None:
    if taken.outcome != "taken":
        plain = taken.outcome == "unchanged" or taken.why.startswith(taken.outcome)
        said = taken.why if plain else f"{taken.outcome}: {taken.why}"
        narrate_row(f"{taken.source}: {said}")
    elif given("dry_run"):
        for plan in taken.plans:
            say_row(f"{taken.source}: would {plan.action}: {plan.summary}")
            say_diff(plan.diff())
    else:
        episodes = f"{plural(len(taken.episodes), 'episode')}, " if taken.kind == "transcript" else ""
        why = f"; {taken.why}" if taken.why else ""
        say_row(f"{taken.source}: {episodes}{plural(taken.memories, 'new fact')} in the graph{why}")
        for operation in taken.operations:
            narrate(f"  {operation.summary}; `workbench undo {operation.id}` undoes it")
    if bad := unreadable(taken.source, taken.bad):
        narrate_row(bad)


def _say_flushed(one: FlushResult) -> None:
    if one.skipped:
        narrate_row(f"skipped: {one.source}: {one.skipped}")
    for line in one.lines:
        say(f"would add {line.text}" if given("dry_run") else line.text)
        narrate_row(f"  from {one.source}#L{line.line} into {one.logs[line.day]}")
    for why, count in one.withheld:
        narrate_row(f"{one.source}: {count} not written: {why}")
    if one.known:
        narrate_row(f"{one.source}: {one.known} already there")
    for operation in one.operations:
        narrate(f"operation {operation.id}; `workbench undo {operation.id}` undoes it")
    narrate_notes(one.notes)
