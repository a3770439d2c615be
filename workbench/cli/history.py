"""Commands that tell where memory comes from: log, blame, and show for an entry."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import shell_values
from workbench.cli.lookup import content_address
from workbench.cli.output import json_option, narrate, operation_json, say, say_json, say_row
from workbench.cli.team import Whose, whose
from workbench.cli.workspace_options import workspace
from workbench.errors import NotMemoryError, UsageError
from workbench.plural import plural

if TYPE_CHECKING:
    from datetime import datetime

    from workbench.history.attribution import Deed
    from workbench.history.blame import LineOrigin
    from workbench.history.lineage import LineageStep
    from workbench.workspace.operation_filter import Wanted
    from workbench.workspace.plan import Operation

_NEVER = "not recorded yet"


@click.command()
@click.argument("target", metavar="[PATH|ENTRY]", required=False, shell_complete=shell_values.memory_paths)
@click.option("-n", "--limit", type=click.IntRange(min=1), default=30, show_default=True)
@click.option(
    "--match",
    metavar="WORDS",
    default="",
    help="Only those with these words: by:agent action:promote path:memory/ on:2026-03 -not.",
)
@click.option("--all", "everything", is_flag=True, help="Also commits that only added lines to the ledger.")
@json_option
def log(target: str | None, limit: int, match: str, everything: bool, as_json: bool) -> None:
    """Operations, newest first, also those of agents and plain git.

    With PATH those that changed the file, also under its earlier names; with an ENTRY (path#hash or
    path:line) its whole history, back to the first log line and on to what became of it.
    """
    from workbench.workspace.operation_filter import wanted

    with workspace() as here, whose(target, here) as (there, named):
        name = None if named is None else content_address(there.place, named)
        if name is not None and "#" in name and not there.place.layout.may_curate(name):
            if match:
                raise UsageError("--match looks through operations; the history of an entry is shown whole")
            _log_entry(there, name, limit, as_json=as_json)
        else:
            _log_file(there, name, limit, wanted(match), everything=everything, as_json=as_json)


def _log_file(
    there: Whose, path: str | None, limit: int, only: Wanted, *, everything: bool, as_json: bool
) -> None:
    from workbench.history.attribution import who_did
    from workbench.history.renames import FileStep, file_log
    from workbench.workspace import ledger_changes

    place = there.place
    if path is None:
        told = (o for o in place.operations.walk() if everything or o.action != ledger_changes.ACTION)
        steps = [FileStep(operation) for operation in islice(filter(only.holds, told), limit)]
    else:
        steps = list(islice((s for s in file_log(place, path) if only.holds(s.operation)), limit))
        if not steps and not only.terms and not os.path.lexists(place.root / path):
            raise NotMemoryError(there.address(path))  # a slip of the pen is not a file without history
    if as_json:
        say_json(
            [
                {
                    **operation_json(step.operation),
                    "who": who_did(step.operation),
                    "path": there.address(step.path) if step.path else None,
                    "renamed_from": there.address(step.renamed_from) if step.renamed_from else None,
                }
                for step in steps
            ]
        )
        return
    if only.terms and not steps:
        narrate("no operation is like that; words are looked for in what was done, by whom and where")
    for step in steps:
        operation = step.operation
        say(_operation_line(operation), dim=operation.undone)
        if step.renamed_from:
            say_row(f"              renamed from {there.address(step.renamed_from)}")


def _operation_line(operation: Operation) -> str:
    undone = " (undone)" if operation.undone else ""
    word = f"{operation.action}: "
    subject = operation.summary.removeprefix(word)
    return f"{operation.id}  {_time(operation.when)}  {operation.actor:<8}  {word}{subject}{undone}"


def _log_entry(there: Whose, address: str, limit: int, *, as_json: bool) -> None:
    from workbench.history.lineage import lineage

    steps = tuple(map(there.step, lineage(there.place, address)[:limit]))
    if as_json:
        say_json([step.as_json() for step in steps])
    else:
        _say_steps(steps)


def _say_steps(steps: tuple[LineageStep, ...]) -> None:
    for step in steps:
        say(f"{_deed(step.deed)}  {step.what}: {step.text}")
        gone = "" if step.after else "  gone"
        for before in step.before:
            if before not in step.after:
                say_row(f"              from {before}{gone}", dim=True)
        for after in step.after:
            say_row(f"              to   {after}", dim=True)


def _deed(deed: Deed) -> str:
    return f"{deed.operation or '-' * 12}  {_time(deed.when)}  {deed.actor:<8}"


def _time(when: datetime | None) -> str:
    return when.astimezone().strftime("%Y-%m-%d %H:%M") if when else _NEVER


@click.command()
@click.argument("target", metavar="PATH|ENTRY", shell_complete=shell_values.memory_paths)
@json_option
def blame(target: str, as_json: bool) -> None:
    """When each line came, and who brought it.

    With the operation and the session, as far as they are known.
    """
    from workbench.history.blame import blame as lines_of

    with workspace() as here, whose(target, here) as (there, named):
        place = there.place
        name = content_address(place, named)
        if "#" in name and not place.layout.may_curate(name):
            entry = place.find(name)
            found = lines_of(place, entry.path)[entry.start_line - 1 : entry.end_line]
        else:
            found = lines_of(place, name)
        lines = tuple(map(there.line, found))
    if as_json:
        say_json([_line_json(line) for line in lines])
        return
    width = len(str(lines[-1].number)) if lines else 1
    for line in lines:
        session = (line.origin and line.origin.session) or line.deed.session or "-"
        when = _time(line.deed.when)
        say(f"{line.number:>{width}}  {when:<16}  {_by(line.deed)}  {session:<10}  {line.text}")


def show_related(entry: str, *, as_json: bool) -> None:
    """Print where an entry came from, what was made of it, whom it names, what is like it, and who recalled
    it.
    """
    from indexing.search.answer import query_from_json
    from indexing.search.keyword import LexicalSearch
    from workbench.agent.related import kin, like, merged, named, question_of
    from workbench.agent.usage import UsageIndex
    from workbench.errors import IndexUnavailableError
    from workbench.graph.read import read_graph

    with workspace() as here, whose(entry, here) as (there, name):
        place = there.place
        one = place.find(content_address(place, name))
        recalled = UsageIndex(place).of(one.address, one.text)
        names = [(page.name, str(page.path)) for page in read_graph(place).entities]
        search = LexicalSearch(place)
        answer: dict[str, Any] = {}
        with contextlib.suppress(IndexUnavailableError):  # what is linked is found without an index
            question = query_from_json({**question_of(one), "mode": "lexical"}, search.weights)
            answer = search.search(question).as_json()
        found = [
            replace(each, address=there.address(each.address))
            for each in merged(kin(place, one), named(one, names), like(answer, one))
        ]
    if as_json:
        say_json({"related": [each.as_json() for each in found], "recalled": recalled.as_json()})
        return
    for each in found:
        say_row(f"{each.why:<18}  {each.address}  {each.title}")
    if not found:
        say("nothing else belongs to this entry")
    by = f" by {', '.join(recalled.by)}" if recalled.by else ""
    last = f", last {recalled.last:%Y-%m-%d}" if recalled.last else ""
    say(f"recalled {plural(recalled.times, 'time')}{last}{by}")


def _by(deed: Deed) -> str:
    older = "≤" if deed.cut_off else " "  # the clone ends there: it may be older
    return f"{deed.actor[:16]:<16}  {older}{deed.operation or '-' * 12} {deed.action:<10}"


def _line_json(line: LineOrigin) -> dict[str, Any]:
    deed = line.deed
    return {
        "line": line.number,
        "when": deed.when.isoformat() if deed.when else None,
        "actor": deed.actor,
        "who": deed.who,
        "operation": deed.operation,
        "commit": deed.commit,
        "action": deed.action,
        "boundary": deed.cut_off,
        "entry": line.entry,
        "origin": line.origin.as_json() if line.origin else None,
        "session": (line.origin.session if line.origin else None) or deed.session,
        "text": line.text,
    }


def show_entry(address: str, *, as_json: bool) -> None:
    """An entry with its origin and its history; also one that is gone."""
    from workbench.history.blame import line_deeds, newest
    from workbench.history.lineage import lineage
    from workbench.history.origin import origin_of
    from workbench.history.versions import Versions, entry_in

    with workspace() as here, whose(address, here) as (there, name):
        place = there.place
        entry = Versions(place).last_seen(content_address(place, name))
        steps = tuple(map(there.step, lineage(place, entry.address)))
        document = None
        if place.files.read_or_none(entry.path) is not None:
            document = place.document(entry.path)
        standing = entry_in(document, entry.address) if document else None
        origin = None
        if document is not None and standing is not None:
            origin = origin_of(document, standing, newest(place, line_deeds(place, document), standing))
            origin = there.origin(origin)
    if as_json:
        say_json(
            {
                "entry": there.address(entry.address),
                **there.as_json(),
                "standing": standing is not None,
                "heading": list(entry.heading),
                "text": entry.text,
                "origin": origin.as_json() if origin else None,
                "history": [step.as_json() for step in steps],
            }
        )
        return
    say_row(there.address(entry.address), bold=True)
    say(" › ".join(entry.heading) or "no heading", dim=True)
    say(entry.text)
    say("")
    if origin is None:
        say("origin   it is gone from its file")
    else:
        trust = "" if origin.trusted else " (counts as untrusted)"
        say(f"origin   {origin.who}, trust {origin.trust}{trust}")
        say(f"date     {origin.when or 'unknown'}")
        say(f"session  {origin.session or 'unknown'}")
        say(f"source   {origin.source or 'unknown'}")
    say("")
    _say_steps(steps)
