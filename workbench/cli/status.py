"""Commands that only look: status, get, show, keys."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from importlib import resources
from typing import Any

import click

from workbench.cli import shell_values
from workbench.cli.backup import backup_line, last_backup
from workbench.cli.conflicts import conflict_warning, listed
from workbench.cli.lookup import LINES, names_line
from workbench.cli.output import json_option, operation_json, put, say, say_diff, say_json, say_row
from workbench.cli.team import whose
from workbench.cli.workspace_options import workspace
from workbench.errors import EntryNotFoundError, NewerFormatError, NotMemoryError, UsageError, WorkbenchError
from workbench.memory.address import find_entry, path_of
from workbench.memory.entry import Entry
from workbench.memory.file_edit import unified_diff
from workbench.memory.names import RelPath, is_outside
from workbench.plural import plural
from workbench.special_files import special_file_error, special_files
from workbench.workspace.format import require_known_format
from workbench.workspace.late_lines import late_in, late_sentences
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

STATUS_VERSION = 1
"""Grows when a field of the answer goes or comes to mean something else, not when one is added."""


@click.command()
@click.option(
    "--schema", is_flag=True, help="Print the JSON Schema of what --json answers, and nothing else."
)
@click.option("--commit", is_flag=True, help="Commit what agents and editors wrote, and nothing else.")
@click.option("--allow-secret", is_flag=True, help="With --commit: record a secret in git's history too.")
@json_option
def status(schema: bool, commit: bool, allow_secret: bool, as_json: bool) -> None:
    """What is in this memory, and whether the index is up to date.

    --commit makes one operation of what was written without this program; it is said instead.
    """
    if allow_secret and not commit:
        raise UsageError("--allow-secret goes with --commit")
    if commit:
        _commit(allow_secret=allow_secret, as_json=as_json)
        return
    if schema:
        put(resources.files("workbench.cli").joinpath("schemas", "status.json").read_bytes().rstrip())
        return
    with workspace() as place:
        report = _status(place)
    if as_json:
        say_json(report)
        return
    budget, index = report["budget"], report["index"]
    say_row(report["workspace"], bold=True)
    if report["as_of"]:
        say(f"as of      {report['as_of']}")
    counts = ", ".join(f"{count} {kind}" for kind, count in report["files"].items())
    say(f"files      {counts or 'none yet'}")
    over = " · over budget" if budget["used"] > budget["limit"] else ""
    say(f"budget     {budget['path']} {budget['used']:,} of {budget['limit']:,} characters{over}")
    say(f"index      {index['state']}: {index['summary']}")
    for source in index["sources"]:
        kept = f"; {source['indexed']} of its files stay indexed" if source["absent"] else ""
        files = "1 file" if source["files"] == 1 else f"{source['files']} files"
        say_row(f"beside     {source['source']}: {source['absent'] or files}{kept}")
    say_row(f"repository {report['repository']}")
    say(f"last dream {report['last_dream'] or 'never'}")
    for job in report["jobs"]:
        say_row(f"job        {job_line(job)}")
    if not report["as_of"]:
        if report["proposals"]:
            say(f"proposals  waiting: {report['proposals']}; `workbench inbox list` shows them")
        say_row(f"backup     {backup_line(report['last_backup'])}")
    for late in report["late"]:
        if late["why"] == "held open":
            say_row(
                f"late lines a program has the replaced {late['path']} open: what it adds is carried over"
            )
    for warning in report["warnings"]:
        say_row(f"warning    {warning}", fg="yellow")


def _commit(*, allow_secret: bool, as_json: bool) -> None:
    from workbench.workspace.external_changes import record

    with workspace() as place:
        operation = record(place, allow_secrets=allow_secret)
    if as_json:
        say_json(operation_json(operation) if operation else {"operation": None})
    elif operation is None:
        say("nothing to commit: all that is on disk is in the last commit")
    else:
        say(f"committed {plural(len(operation.paths), 'file')} as operation {operation.id}")


def job_line(job: dict[str, Any]) -> str:
    """One job in a line: when it ran last, what became of it, and how long it took."""
    began = f" of {datetime.fromisoformat(job['began']).astimezone():%Y-%m-%d %H:%M}" if job["began"] else ""
    took = f" after {job['seconds']:,.0f} s" if job["seconds"] is not None else ""
    return f"{job['job']}{began} · {job['state']}{took}"


def _status(place: Workspace) -> dict[str, Any]:
    from indexing.sync.freshness import freshness
    from workbench.dreaming.proposals.inbox import pending
    from workbench.jobs.job_status import standings
    from workbench.jobs.runner import now

    late = late_in(place)
    files = place.scan()
    past = place if isinstance(place, PastWorkspace) else None
    jobs = [] if past else [one for one in standings(place.root / STATE_DIR, now()) if one.state != "never"]
    warnings = [f"{one.sentence}: {one.mends}" for one in jobs if one.wrong]
    warnings += late_sentences(late)
    backup = None
    used = 0
    try:
        require_known_format(place.root)
    except (NewerFormatError, UsageError) as error:
        warnings.append(f"{error.message}: {error.hint}")
    try:
        used = len(place.memory_document().data.decode("utf-8", "replace"))
    except NotMemoryError:
        warnings.append(f"{place.memory_path()} is not a plain file, so it is neither read nor written")
    except (WorkbenchError, OSError) as error:
        warnings.append(f"{place.memory_path()} cannot be read: {error}")
    try:
        head = place.history.head()
        repository = f"at {head[:12]}" if head else "without commits"
        backup = last_backup(place)
        warnings += [conflict_warning(conflict) for conflict in listed(place)]
    except WorkbenchError as error:
        repository = f"{error.message}: {error.hint}" if error.hint else error.message
    warnings += [special_file_error(path).message for path in special_files(place.root / STATE_DIR)]
    dreams = [f.path for f in files if f.path.startswith("_system/dreaming/")]
    if (place.root / "MEMORY.md").is_file() and (place.root / "memory.md").is_file():
        same = (place.root / "MEMORY.md").samefile(place.root / "memory.md")
        if not same:
            warnings.append("both MEMORY.md and memory.md exist: MEMORY.md is used")
    if (place.root / "MEMORY.json").exists():
        warnings.append("MEMORY.json is there: deprecated, shown here, never indexed")
    return {
        "version": STATUS_VERSION,
        "workspace": str(past.today if past else place.root),
        "as_of": past.moment if past else None,
        "files": dict(sorted(Counter(file.kind.value for file in files).items())),
        "bytes": sum(file.size for file in files),
        "budget": {
            "path": place.memory_path(),
            "used": used,
            "limit": place.settings.memory_budget,
        },
        "index": freshness(place).as_json(),
        "repository": repository,
        "last_dream": max(dreams, default=None),
        "jobs": [one.as_json() for one in jobs],
        "proposals": 0 if past else len(pending(place, datetime.now().astimezone())),
        "last_backup": backup,
        "late": [
            {"path": one.path, "why": one.why, "lines": one.lines, "bytes": len(one.text)} for one in late
        ],
        "warnings": warnings,
    }


@click.command()
@click.argument("path", shell_complete=shell_values.memory_paths)
@click.option("--from", "first", type=click.IntRange(min=1), default=1, help="First line (from 1).")
@click.option("--lines", type=click.IntRange(min=1), default=None, help="How many lines.")
@json_option
def get(path: str, first: int, lines: int | None, as_json: bool) -> None:
    """A memory file, or part of it.

    PATH, an entry's PATH#HASH, or PATH#L12-L14 as sources are written; leader:PATH in the team leader's.
    """
    with workspace() as here, whose(path, here) as (there, asked):
        place = there.place
        path, first, lines = _part(place, asked, first, lines)
        try:
            rows = _rows(place, path)
        except FileNotFoundError:
            raise NotMemoryError(path) from None
    stop = len(rows) if lines is None else min(len(rows), first - 1 + lines)
    if first > max(1, len(rows)):
        raise UsageError(f"{path} has {plural(len(rows), 'line')}, so there is no line {first}")
    part = b"\n".join(row for row in rows[first - 1 : stop] if row is not None)
    text = part.decode("utf-8", "replace")
    if as_json:
        say_json(
            {
                "path": there.address(path),
                "start_line": first,
                "end_line": stop,
                "total_lines": len(rows),
                "text": text,
            }
        )
    elif sys.stdout.isatty():
        say(text)
    else:
        put(part)


def _rows(place: Workspace, path: str) -> Sequence[bytes | None]:
    """The lines of a memory file; of a transcript what was said in each, or None. Raises NotMemoryError."""
    if is_outside(path):
        from indexing.sync.pages import page
        from indexing.sync.sources import Sources

        lines = page(Sources(place), path).lines
        return [None if line is None else line.encode("utf-8", "surrogateescape") for line in lines]
    rows = place.read(path).split(b"\n")
    if rows and not rows[-1]:
        rows.pop()
    return rows


def _part(place: Workspace, target: str, first: int, lines: int | None) -> tuple[str, int, int | None]:
    """The file, first line and number of lines that ``target`` names; a path that exists is just that."""
    if place.layout.holds(target) and place.files.read_or_none(RelPath(target)) is not None:
        return target, first, lines
    if found := LINES.fullmatch(target):
        start = int(found["first"])
        return found["path"], start, int(found["last"] or start) - start + 1
    if "#" in target:
        entry = _outside(place, target) if is_outside(target) else place.find(target)
        return entry.path, entry.start_line, entry.end_line - entry.start_line + 1
    return target, first, lines


def _outside(place: Workspace, address: str) -> Entry:
    from indexing.sync.sources import Sources

    try:
        return find_entry(Sources(place).document(path_of(address)), address)
    except FileNotFoundError:
        raise EntryNotFoundError(address) from None


@click.command()
@click.argument("operation", metavar="OP|ENTRY")
@click.option("--related", is_flag=True, help="Of an entry: what belongs to it, and who recalled it.")
@json_option
def show(operation: str, related: bool, as_json: bool) -> None:
    """One operation with its diff, or one entry with its origin.

    OP is an operation or a commit; an entry (path#hash or path:line) is shown with its whole
    history. leader:OP and leader:ENTRY are in the memory of the team's leader. --related tells where an entry
    came from, what was made of it, whom it names, and what is like it by its words.
    """
    from workbench.cli.history import show_entry, show_related

    if "#" in operation or names_line(operation):
        (show_related if related else show_entry)(operation, as_json=as_json)
        return
    if related:
        raise UsageError("--related is about an entry", hint="path#hash or path:line names one")
    with workspace() as here, whose(operation, here) as (there, name):
        found = there.place.operations.find(name)
        diff = "".join(unified_diff(edit) for edit in there.place.operations.edits(found))
    if as_json:
        say_json({**operation_json(found, diff), **there.as_json()})
        return
    say(found.summary, bold=True)
    say(f"{found.id} · commit {found.commit[:12]} · {found.when.astimezone():%Y-%m-%d %H:%M:%S}")
    for key, value in found.trailers:
        if key not in ("Operation", "Action"):
            say(f"{key.lower()}: {value}")
    if found.undone:
        say("undone: yes")
    say("")
    say_diff(diff)
