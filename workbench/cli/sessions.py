"""Commands that read session transcripts: ingest, flush, watch."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import click

from workbench.cli import shell_values
from workbench.cli.agents import answer_hook
from workbench.cli.jobs import at_work, job_options, require_whole, speaking, until_stopped
from workbench.cli.options import choice, dry_run_option, flag, model_option, named, number, word
from workbench.cli.output import (
    answered,
    json_option,
    narrate,
    narrate_notes,
    narrate_row,
    say,
    say_diff,
    say_row,
    wants_json,
)
from workbench.cli.progress import Bar, Counted
from workbench.cli.workspace_options import workspace
from workbench.errors import ModelUnavailableError, ReadOnlyError, UsageError
from workbench.ingest.checkpoints import Checkpoints
from workbench.ingest.flush import Flushed, flush_reading, flush_session
from workbench.ingest.ingest import Ingest, Taken, sort_of, take_in
from workbench.ingest.local_model import local_model
from workbench.ingest.outcomes import counted, unreadable
from workbench.ingest.sessions import read_new
from workbench.ingest.transcript_files import find, watched
from workbench.ingest.watch import Event, Follower
from workbench.jobs.names import Job
from workbench.llm.port import LanguageModel
from workbench.llm.provider import open_language_model
from workbench.plural import plural
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

SOURCES = ("markdown", "transcript", "all")


@click.command()
@named("files", "[FILE]...", many=True, required=False, offer=shell_values.files)
@choice("--source", SOURCES, help="What to take in; transcripts only when named.")
@word("--user", "U", "Whose sessions these are.")
@number("--max-age", metavar="DAYS", help="Nothing that is older.")
@model_option
@dry_run_option
@json_option
def ingest(
    files: tuple[str, ...], source: str | None, user: str, max_age: int | None, model: str, dry_run: bool
) -> int:
    """Take in what is new: sessions become episodes, episodes and logs teach the graph.

    Without FILEs and --source: the workspace's own episodes and daily logs, and the transcripts that your
    settings name. `--source transcript` reads those of the agent that works in this workspace (OpenClaw,
    Clawdbot, Claude Code), if your settings name none. A FILE is taken in however new it is: a transcript
    (*.jsonl) or a folder of them, wherever they lie, or a page (*.md) of this workspace: a log, an
    episode, a note, MEMORY.md.
    """
    with workspace() as place, Bar() as bar:
        if not dry_run:
            _ = place.operations  # without a repository nothing can be taken in, so it is said once
        run = Ingest(
            place,
            now=datetime.now().astimezone(),
            model=_model(place, model),
            embedder=local_model(place.settings),
            user=user,
            max_age=max_age,
            dry_run=dry_run,
            progress=lambda name, done, total: bar.show(Counted(sort_of(name), done, total)),
        )
        done = []
        for taken in take_in(run, place, files, source):
            done.append(taken)
            if not wants_json():
                bar.clear()
                _say_taken(taken, dry_run=dry_run)
    counts: Counter[str] = Counter(taken.outcome for taken in done)
    if not answered({"dry_run": dry_run, "counts": counts, "sources": done}):
        _say_counts(done, counts, dry_run=dry_run)
        if not (files or source or place.settings.transcripts):
            narrate("sessions were not looked for: name their FILEs, or add your agent's with `--source all`")
    return 1 if counts["failed"] or (files and counts["refused"]) else 0


@click.command()
@named("transcripts", "[TRANSCRIPT]...", many=True, required=False, offer=shell_values.files)
@flag("--hook", "Read a hook's JSON from stdin: its transcript_path is flushed.")
@model_option
@dry_run_option
@json_option
def flush(transcripts: tuple[str, ...], hook: bool, model: str, dry_run: bool) -> int:
    """Save the durable facts of a session before it is compacted.

    They are added to the daily log as what was said, each with its place in TRANSCRIPT; what was saved
    before is not added again, and where there is nothing nothing is written.

    --hook is for Claude Code's PreCompact (`workbench connect claude-code` prints it): nothing on stdout, and
    never an exit code that would keep the agent from its work.
    """
    if hook:
        answer_hook(lambda said: _flush_for_hook(said, model))
        return 0
    if not transcripts:
        raise UsageError("which session?", hint="name its TRANSCRIPT, or give --hook and its JSON on stdin")
    with workspace() as place:
        if not dry_run:
            _ = place.operations
        done, failed = _flush(place, transcripts, model, dry_run=dry_run)
    if not answered({"dry_run": dry_run, "sessions": done, "failed": failed}):
        for one in done:
            _say_flushed(one, dry_run=dry_run)
        for path, why in failed.items():
            narrate_row(f"{path}: {why}")
    return 1 if failed or any(one.skipped for one in done) else 0


@click.command()
@flag("--once", "Look once and leave, for cron.")
@model_option
@job_options
@json_option
def watch(once: bool, model: str, log: bool, metrics: str | None) -> None:
    """Follow transcripts and logs as they grow, until interrupted.

    What is new in daily logs teaches the graph. Facts are saved after every 15 messages of yours, 100 KB or
    50 lines; a session that is compacted, or quiet for five minutes, becomes an episode. It follows the
    transcripts that your settings name, else those of the agent that works in this workspace.
    """

    require_whole(log=log, metrics=metrics, part=False)
    with speaking(Job.WATCH, log=log), workspace() as place:
        if isinstance(place, PastWorkspace):
            raise UsageError("the past does not change: there is nothing to watch")
        _ = place.operations
        following = Follower(
            place,
            clock=lambda: datetime.now().astimezone(),
            model=_model(place, model, log=log),
            embedder=local_model(place.settings),
        )
        with until_stopped() as stop, at_work(place, Job.WATCH, log=log, metrics=metrics) as work:
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
                else:
                    _say_event(event)
                if stop.is_set():
                    break
            tell()


def _flush_for_hook(said: Mapping[str, Any], model: str) -> None:
    """Flush the transcript that a hook's JSON names."""
    path = said.get("transcript_path")
    if not isinstance(path, str) or not path:
        raise UsageError("the hook's JSON has no transcript_path")
    with workspace() as place:
        _ = place.operations
        done, failed = _flush(place, [os.path.expanduser(path)], model, dry_run=False, quiet=True)
    for name, why in failed.items():
        narrate_row(f"workbench: {name}: {why}")
    if count := sum(len(one.lines) for one in done):
        narrate(f"workbench: facts saved before compaction: {count}")


def _flush(
    place: Workspace, transcripts: Sequence[str], model: str, *, dry_run: bool, quiet: bool = False
) -> tuple[list[Flushed], dict[str, str]]:
    """What was flushed, and why each file that failed did; ``quiet`` tells of nothing."""

    tell = (lambda _: None) if quiet else narrate_row
    now = datetime.now().astimezone()
    asked = _model(place, model, quiet=quiet)
    places = find(place, transcripts)
    checkpoints = Checkpoints.read(place, "flush")
    done: list[Flushed] = []
    failed = dict(places.refused)
    for file in places.files:
        try:
            reading = read_new(file, checkpoints, exclude=place.settings.transcript_exclude)
            if reading is None:
                tell(f"{file.name}: nothing is new since it was flushed last")
                continue
            if not quiet:
                _narrate_bad(file.name, reading.bad)
            if reading.excluded:
                tell(f"{file.name}: {reading.excluded}")
            elif dry_run:
                parts = [part.session for part in reading.parts]
                done += [flush_session(place, one, now=now, model=asked, dry_run=True) for one in parts]
            else:
                done += flush_reading(place, reading, checkpoints, now=now, model=asked, full=True)
        except ReadOnlyError as error:
            failed[file.path] = error.message
        except OSError as error:
            failed[file.path] = error.strerror or str(error)
    return done, failed


def _model(place: Workspace, name: str, *, log: bool = False, quiet: bool = False) -> LanguageModel | None:
    """The language model of the settings, or the one of this ``name`` at their endpoint.

    Without it the rules do, and that is said, in a log shortly.
    """

    try:
        return open_language_model(place.settings, name)
    except ModelUnavailableError as error:
        if not quiet:
            narrate("without a language model" + ("" if log else f": {error.message}"))
        return None


def _say_taken(taken: Taken, *, dry_run: bool) -> None:
    if taken.outcome != "taken":
        plain = taken.outcome == "unchanged" or taken.why.startswith(taken.outcome)
        said = taken.why if plain else f"{taken.outcome}: {taken.why}"
        narrate_row(f"{taken.source}: {said}")
    elif dry_run:
        for plan in taken.plans:
            say_row(f"{taken.source}: would {plan.action}: {plan.summary}")
            say_diff(plan.diff())
    else:
        episodes = f"{plural(len(taken.episodes), 'episode')}, " if taken.kind == "transcript" else ""
        why = f"; {taken.why}" if taken.why else ""
        say_row(f"{taken.source}: {episodes}{taken.memories} new in the graph{why}")
        for operation in taken.operations:
            narrate(f"  {operation.summary}; `workbench undo {operation.id}` undoes it")
    for note in taken.notes:
        narrate(f"  note: {note}")
    _narrate_bad(taken.source, taken.bad)


def _say_counts(done: Sequence[Taken], counts: Counter[str], *, dry_run: bool) -> None:
    if done:
        say(f"{plural(len(done), 'source')}: {counted(counts, dry_run=dry_run)}")
    else:
        say("nothing is there to take in")


def _say_flushed(one: Flushed, *, dry_run: bool) -> None:
    if one.skipped:
        narrate_row(f"skipped: {one.source}: {one.skipped}")
    for line in one.lines:
        say(f"{'would add ' if dry_run else ''}{line.text}")
        narrate_row(f"  from {one.source}#L{line.line} into memory/{line.day}.md")
    for why, count in one.withheld:
        narrate_row(f"{one.source}: {count} not written: {why}")
    if one.known:
        narrate_row(f"{one.source}: {one.known} there already")
    for operation in one.operations:
        narrate(f"operation {operation.id}; `workbench undo {operation.id}` undoes it")
    narrate_notes(one.notes)


def _say_event(event: Event) -> None:
    if answered(event):
        return
    tell = say_row if event.kind in ("flushed", "taken", "pruned") else narrate_row
    tell(f"{event.at:%H:%M:%S} {event.sentence()}")


def _narrate_bad(name: str, bad: Sequence[int]) -> None:
    if said := unreadable(name, bad):
        narrate_row(said)
