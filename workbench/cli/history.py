"""What memory holds, and where it comes from: get, recent, log, show, blame."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from itertools import islice
from typing import Any

from workbench.cli import shell_values
from workbench.cli.console import (
    answered,
    attributes,
    command,
    flag,
    named,
    narrate,
    number,
    operation_json,
    put,
    say,
    say_diff,
    say_row,
    word,
    workspace,
)
from workbench.cli.operation_command import AddressedWorkspace, content_address, whose
from workbench.errors import EntryNotFoundError, NotMemoryError, UsageError
from workbench.history.lineage import FileStep, LineageStep, file_log, lineage
from workbench.history.origin import LineOrigin, line_deeds, newest, origin_of, who_did
from workbench.history.origin import blame as lines_of
from workbench.history.recent import recent_entries
from workbench.history.versions import Versions, entry_in
from workbench.memory.entry import LINES, Kind, heading_path, is_outside, path_of
from workbench.memory.file_edit import unified_diff
from workbench.plural import plural
from workbench.workspace.revisions import RevisionQuery, wanted
from workbench.workspace.workspace import Workspace

_TITLE = 90


@command()
@named("path", "PATH", shell_values.memory_paths)
@number("--from", "first", low=1, default=1, help="First line (from 1).")
@number("--lines", low=1, help="How many lines.")
def get(path: str, first: int, lines: int | None) -> None:
    """Print a memory file, or part of it.

    PATH can be a file, an entry (PATH#HASH) or lines (PATH#L12-L14, as sources are written); leader:PATH is a
    file of the team's leader.
    """
    with whose(path) as (there, asked):
        path, start, count = _part(there.place, asked)
        if count is not None:
            first, lines = start, count
        try:
            rows = _rows(there.place, path)
        except FileNotFoundError:
            raise NotMemoryError(path) from None
    stop = len(rows) if lines is None else min(len(rows), first - 1 + lines)
    if first > max(1, len(rows)):
        raise UsageError(f"{path} has {plural(len(rows), 'line')}, so there is no line {first}")
    part = b"\n".join(row for row in rows[first - 1 : stop] if row is not None)
    text = part.decode("utf-8", "replace")
    told = {
        "path": there.address(path),
        "start_line": first,
        "end_line": stop,
        "total_lines": len(rows),
        "text": text,
    }
    if answered(told):
        return
    if sys.stdout.isatty():
        say(text)
    else:
        put(part)


def _rows(place: Workspace, path: str) -> Sequence[bytes | None]:
    """The lines of a memory file; of a transcript what was said in each, or None. Raises NotMemoryError."""
    if is_outside(path):
        from indexing.sync.sources import IndexSources, page

        lines = page(IndexSources(place), path).lines
        return [None if line is None else line.encode("utf-8", "surrogateescape") for line in lines]
    rows = place.read(path).split(b"\n")
    if rows and not rows[-1]:
        rows.pop()
    return rows


def _part(place: Workspace, target: str) -> tuple[str, int, int | None]:
    """The file, first line and number of lines that ``target`` names, of a transcript too."""
    if not is_outside(target) or "#" not in target or LINES.fullmatch(target):
        return place.part(target)
    from indexing.sync.sources import IndexSources

    try:
        entry = IndexSources(place).document(path_of(target)).find(target)
    except FileNotFoundError:
        raise EntryNotFoundError(target) from None
    return entry.path, entry.start_line, entry.end_line - entry.start_line + 1


@command()
@named("target", "[PATH|ENTRY]", shell_values.memory_paths)
@number("-n", "--limit", low=1, default=30)
@word(
    "--match",
    "WORDS",
    "Only operations that match: words, by:agent, action:promote, path:memory/, on:2026-03; a minus "
    "excludes.",
)
@flag("--all", "Also commits that only added records to the ledger.", "everything")
def log(target: str | None, limit: int, match: str, everything: bool) -> None:
    """List operations (also of agents and plain git), newest first.

    With PATH, only those that changed the file, also under its earlier names. With ENTRY (path#hash or
    path:line), the whole history of the entry: from the log line it first came from to its later copies.
    """

    with whose(target) as (there, called):
        name = None if called is None else content_address(there.place, called)
        if name is None or "#" not in name or there.place.layout.may_curate(name):
            _log_file(there, name, limit, wanted(match), everything=everything)
            return
        if match:
            raise UsageError("--match searches operations; it does not apply to the history of an entry")
        steps = list(map(there.step, lineage(there.place, name)[:limit]))
        if not answered(steps):
            _say_steps(steps)


def _log_file(
    there: AddressedWorkspace, path: str | None, limit: int, only: RevisionQuery, *, everything: bool
) -> None:
    from workbench.workspace import ledger

    place = there.place
    if path is None:
        told = (o for o in place.operations.walk() if everything or o.action != ledger.ACTION)
        every: Iterator[FileStep] = map(FileStep, told)
    else:
        every = file_log(place, path)
    steps = list(islice((step for step in every if only.holds(step.operation)), limit))
    if path and not steps and not only.terms and not os.path.lexists(place.root / path):
        raise NotMemoryError(there.address(path))  # a slip of the pen is not a file without history
    rows = [
        {
            **operation_json(step.operation),
            "who": who_did(step.operation),
            "path": there.address(step.path) if step.path else None,
            "renamed_from": there.address(step.renamed_from) if step.renamed_from else None,
        }
        for step in steps
    ]
    if answered(rows):
        return
    if only.terms and not steps:
        narrate("no operation matches; --match searches actions, reasons, actors, entries and paths")
    for step in steps:
        one = step.operation
        undone = " (undone)" if one.undone else ""
        subject = one.summary.removeprefix(f"{one.action}: ")
        say(f"{one.id}  {_time(one.when)}  {one.actor:<8}  {one.action}: {subject}{undone}", dim=one.undone)
        if step.renamed_from:
            say_row(f"              renamed from {there.address(step.renamed_from)}")


def _say_steps(steps: Iterable[LineageStep]) -> None:
    for step in steps:
        deed = step.deed
        did = f"{deed.operation or '-' * 12}  {_time(deed.when)}  {deed.actor:<8}"
        say(f"{did}  {step.what}: {step.text}")
        gone = "" if step.after else "  gone"
        for before in step.before:
            if before not in step.after:
                say_row(f"              from {before}{gone}", dim=True)
        for after in step.after:
            say_row(f"              to   {after}", dim=True)


def _time(when: datetime | None) -> str:
    return when.astimezone().strftime("%Y-%m-%d %H:%M") if when else "uncommitted"


@command()
@named("target", "PATH|ENTRY", shell_values.memory_paths)
def blame(target: str) -> None:
    """Show when each line was written, and by whom.

    Each line is shown with its operation and session, if they are known.
    """

    with whose(target) as (there, called):
        place = there.place
        name = content_address(place, called)
        if "#" in name and not place.layout.may_curate(name):
            entry = place.find(name)
            found = lines_of(place, entry.path)[entry.start_line - 1 : entry.end_line]
        else:
            found = lines_of(place, name)
    lines = list(map(there.line, found))
    if answered([_line_json(line) for line in lines]):
        return
    width = len(str(lines[-1].number)) if lines else 1
    for line in lines:
        deed = line.deed
        older = "≤" if deed.cut_off else " "  # the clone ends there: it may be older
        action = deed.action if deed.when else ""
        by = f"{deed.actor[:16]:<16}  {older}{deed.operation or '-' * 12} {action:<10}"
        session = _session(line) or "-"
        say(f"{line.number:>{width}}  {_time(deed.when):<16}  {by}  {session:<10}  {line.text}")


def _session(line: LineOrigin) -> str | None:
    return (line.origin.session if line.origin else None) or line.deed.session


def _line_json(line: LineOrigin) -> dict[str, Any]:
    deed = line.deed
    return {
        "line": line.number,
        **attributes(deed, "when", "actor", "who", "operation", "commit", "action"),
        "boundary": deed.cut_off,
        **attributes(line, "entry", "origin", "text"),
        "session": _session(line),
    }


@command()
@named("operation", "OPERATION|ENTRY")
@flag("--related", "Show entries related to ENTRY, and who recalled it.")
def show(operation: str, related: bool) -> None:
    """Show one operation with its diff, or one entry with its origin.

    OPERATION may be a commit. An entry (path#hash or path:line) is shown with its whole history.
    leader:OPERATION and leader:ENTRY are in the memory of the team's leader. --related shows the sources and
    copies of an entry, the entities it names, and entries with similar words.
    """
    with whose(operation) as (there, name):
        if "#" in operation or LINES.fullmatch(operation):
            (_show_related if related else _show_entry)(there, name)
            return
        if related:
            raise UsageError("--related requires an entry", hint="path#hash or path:line names one")
        found = there.place.operations.find(name)
        diff = "".join(unified_diff(edit) for edit in there.place.operations.edits(found.commit))
    if answered({**operation_json(found, diff), **there.as_json()}):
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


def _show_entry(there: AddressedWorkspace, name: str) -> None:
    """Print an entry with its origin and its history; also one that is gone."""
    place = there.place
    entry = Versions(place).last_seen(content_address(place, name))
    steps = list(map(there.step, lineage(place, entry.address)))
    document = place.document(entry.path) if place.files.read_or_none(entry.path) is not None else None
    standing = entry_in(document, entry.address) if document else None
    origin = None
    if document is not None and standing is not None:
        origin = origin_of(document, standing, newest(place, line_deeds(place, document), standing))
        origin = there.origin(origin)
    told = {
        "entry": there.address(entry.address),
        **there.as_json(),
        "standing": standing is not None,
        "heading": entry.heading,
        "text": entry.text,
        "origin": origin,
        "history": steps,
    }
    if answered(told):
        return
    say_row(there.address(entry.address), bold=True)
    say(heading_path(entry.heading) or "no heading", dim=True)
    say(entry.text)
    say("")
    if origin is None:
        say("origin   no longer in its file")
    else:
        is_curated = entry.kind is Kind.MEMORY
        trust = "" if origin.trusted or is_curated else " (counts as untrusted)"
        say(f"origin   {origin.who}, trust {origin.trust}{trust}")
        say(f"date     {origin.when or 'unknown'}")
        say(f"session  {origin.session or 'unknown'}")
        say(f"source   {origin.source or 'unknown'}")
    say("")
    _say_steps(steps)


def _show_related(there: AddressedWorkspace, name: str) -> None:
    """Print where an entry came from, what was made of it, whom it names, what is like it, and who recalled
    it.
    """
    from workbench.agent.related import kin, like, like_by_words, merged, named
    from workbench.agent.usage import UsageIndex
    from workbench.graph.read import read_graph

    place = there.place
    one = place.find(content_address(place, name))
    recalled = UsageIndex(place).of(one.address, one.text)
    names = [(page.name, str(page.path)) for page in read_graph(place).entities]
    found = [
        replace(each, entry=there.address(each.entry))
        for each in merged(kin(place, one), named(one, names), like(like_by_words(place, one), one))
    ]
    if answered({"related": found, "recalled": recalled}):
        return
    for each in found:
        say_row(f"{each.why:<18}  {each.entry}  {each.title}")
    if not found:
        say("no related entries")
    by = f" by {', '.join(recalled.by)}" if recalled.by else ""
    last = f", last {recalled.last:%Y-%m-%d}" if recalled.last else ""
    say(f"recalled {plural(recalled.times, 'time')}{last}{by}")


@command()
@word(
    "--since",
    "WHEN",
    "A day (yesterday, 2026-03-14, last week), a moment (2026-03-14 09:30), an operation or a commit.",
    default="yesterday",
)
@number("-n", "--limit", low=1, default=200)
def recent(since: str, limit: int) -> None:
    """List what was written since yesterday, and by whom.

    Each entry is shown with its address, for `promote`, `quarantine` and others, and with the operation that
    added it, for `undo` and `show`. Entries that are in no commit yet are marked "uncommitted".
    """
    with workspace() as place:
        begun = _moment(place, since)
        found = recent_entries(place, begun)
    said = {"since": begun, "entries": len(found), "recent": found[:limit]}
    if answered(said):
        return
    for one in found[:limit]:
        by = f"{one.actor[:16]:<16}  {one.operation or 'uncommitted':<12}  {one.session or '-'}"
        say_row(f"{_time(one.when)}  {by}  {one.title[:_TITLE]}")
        say_row(f"    {one.entry}", dim=True)
    narrate(f"{plural(len(found), 'entry')} since {begun:%Y-%m-%d %H:%M}")
    if len(found) > limit:
        narrate(f"  → --limit {len(found)} shows all")


def _moment(place: Workspace, text: str) -> datetime:
    """When ``text`` begins. Raises what naming a commit raises."""
    from indexing.query.dates import period
    from indexing.search.index_search import commit_named
    from workbench.memory.moment import Moment, parse_moment

    today = date.today()
    said = parse_moment(text)
    if isinstance(said, Moment):
        found = datetime.fromisoformat(said.isoformat())
        return found if found.tzinfo else found.astimezone()
    days = period(text, today)
    if first := said or (days and days.first):
        return datetime.combine(first, time()).astimezone()
    return commit_named(place, text, today).when
