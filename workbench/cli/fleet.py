"""Thousands of workspaces at once: reindex, search, status, check."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from workbench.cli.console import (
    FOUND_WANTING,
    Bar,
    answered,
    flag,
    given,
    group,
    hits_option,
    mode_option,
    named,
    narrate,
    narrate_row,
    number,
    say,
    say_row,
    shared_option,
    together,
    word,
    words,
)
from workbench.errors import UsageError
from workbench.plural import plural

if TYPE_CHECKING:
    from indexing.many_workspaces.table import Location, SharedTable
    from workbench.fleet.run import FleetReport

_SHOWN = 20
_place_options = together(
    shared_option(
        "--uri", metavar="URI", default="", help="Where the index is: s3://, gs://, az://, or a folder."
    ),
    shared_option(
        "--storage-option",
        metavar="NAME=VALUE",
        multiple=True,
        help="An option of the storage, for example aws_region=eu-west-1. Secrets come from the environment "
        "only.",
    ),
)
_roster_option = word(
    "--workspaces", "FILE", "The list of workspaces, one per line; - for stdin.", "roster", required=True
)


@group()
def fleet() -> None:
    """Index and search thousands of workspaces.

    FILE lists one workspace per line: a folder, or a folder, a TAB and a name; or JSON lines or a YAML list
    of {"path": ..., "name": ...}. Workspaces are only read, except for late lines, which are added to their
    files. The index is in a folder or on object storage, and may be deleted at any time.
    """


@fleet.command()
@_roster_option
@_place_options
@word("--ray", "ADDRESS", "The address of a Ray cluster. Default: start one on this machine.", "address")
@number("--workers", high=4096, help="Default: one per processor. 0: this process only, without Ray.")
@number("--batch", low=1, high=5000, default=50, help="Workspaces per write.")
@number("--retries", high=20, default=2, help="How often a failed workspace is retried.")
@flag("--no-vectors", "Index for keyword search only, without vectors.")
@flag("--full", "Rebuild the whole index.")
@flag("--prune", "Remove workspaces that FILE does not list.")
@flag("--yes", "Do not ask before texts are sent to a provider that costs money.")
@word("--report", "FILE", "Write a report to this file, as JSON.", "report_file")
def reindex(
    roster: str,
    address: str,
    workers: int | None,
    no_vectors: bool,
    yes: bool,
    report_file: str,
    **planned: Any,
) -> int:
    """Bring the index of the fleet up to date.

    An interrupted run continues where it stopped. A workspace that fails is tried again, then reported, and
    the exit code is 4.
    """
    from workbench.fleet.run import FleetRun, Plan, StorageFailedError
    from workbench.fleet.worker import InProcessPool, RayPool, read_roster, recipe

    place, agents = _place(), read_roster(roster)
    if workers == 0 and address:
        raise UsageError("--workers 0 runs in this process: it excludes --ray")
    how = recipe(vectors=not no_vectors, spend=yes)
    pool = InProcessPool(how) if workers == 0 else RayPool(how, workers=workers or 0, address=address)
    try:
        with Bar() as bar:
            report = FleetRun(agents, place, how, Plan(**planned), bar.show).run(pool)
    except StorageFailedError as error:
        if report_file:
            error.report.save(report_file)
        raise
    if report_file:
        report.save(report_file)
    if not answered(report):
        say_report(report)
    return FOUND_WANTING if report.failed else 0


@fleet.command()
@named("typed", "QUERY...")
@_place_options
@words("--in", "within", "NAME", "Search only this workspace; may be repeated.")
@hits_option
@mode_option
def search(typed: tuple[str, ...], within: tuple[str, ...], **options: Any) -> None:
    """Search all workspaces of the fleet, or those that --in names.

    QUERY is the same as for `workbench search`. Hits are shown as they were indexed, and not compared with
    the files.
    """
    from indexing.many_workspaces.search import FleetSearch
    from indexing.search.answer import Query
    from workbench.fleet.worker import model_for_questions

    query = Query(text=" ".join(typed), **options)
    table = _table()
    if missing := sorted(set(within) - table.workspaces().keys()):
        raise UsageError(
            f"the index of the fleet has no workspace {missing[0]}",
            hint="`workbench fleet status` lists those that it has",
        )
    card = table.card
    embedder, why = (None, "") if query.mode == "lexical" else model_for_questions(card.model, card.dimension)
    answer = FleetSearch(table, embedder, why).search(query, within)
    if answered(answer):
        return
    for note in (*answer.notes, *filter(None, [answer.degraded])):
        narrate(note)
    for hit in answer.hits:
        day = f"  {hit.date}" if hit.date else ""
        say_row(
            f"{hit.rank:>3}  {hit.workspace}  {hit.path}:{hit.start_line}{day}  {hit.score:.3f}", bold=True
        )
        say("     " + hit.snippet.replace("\n", "\n     "))
    if not answer.hits:
        narrate("nothing was found")


@fleet.command()
@_roster_option
@_place_options
def status(roster: str) -> int:
    """List each workspace as fresh, stale or failed.

    The exit code is 4 unless all are fresh.
    """
    from workbench.fleet.run import standings
    from workbench.fleet.worker import read_roster

    table = _table()
    with Bar() as bar:
        found = list(standings(table, read_roster(roster), bar.show))
    counts: Counter[str] = Counter(one.state for one in found)
    told = {
        "uri": table.place.uri,
        "model": table.card.model or None,
        "rows": table.count(),
        "version": table.versions(),
        "states": counts,
        "workspaces": found,
    }
    if not answered(told):
        for one in found:
            if one.state != "fresh":
                said = f"{plural(one.behind, 'file')} behind" if one.behind else ""
                why = "; ".join(filter(None, [said, one.error]))
                say_row(f"{one.state:<10}  {one.name}  {plural(one.entries, 'entry')}  {why}", fg="yellow")
        entries = sum(one.entries for one in found)
        states = ", ".join(f"{count:,} {state}" for state, count in counts.most_common())
        say(f"{plural(len(found), 'workspace')}, {plural(entries, 'entry')}: {states}")
    return 0 if counts["fresh"] == len(found) else FOUND_WANTING


@fleet.command()
@_roster_option
@_place_options
def check(roster: str) -> int:
    """Compare the index with the files, row by row.

    It lists rows that are missing, stale, duplicated, or of a workspace that is not listed. The exit code
    is 4 if there are any. `fleet reindex` repairs them; --prune also removes workspaces that are not listed.
    """
    from workbench.fleet.run import check as checked
    from workbench.fleet.worker import read_roster

    table, agents = _table(), read_roster(roster)
    with Bar() as bar:
        found = list(checked(table, agents, bar.show))
    told = {
        "uri": table.place.uri,
        "workspaces": len(agents),
        "rows": table.count(),
        "findings": found,
    }
    if not answered(told):
        for one in found:
            say_row(f"{one.fault:<10}  {one.workspace}  {one.path}  {one.detail}", fg="yellow")
        say(f"{plural(len(agents), 'workspace')}: {plural(len(found), 'finding')}")
    return FOUND_WANTING if found else 0


def _place() -> Location:
    from indexing.many_workspaces.table import place_of

    return place_of(given("uri"), given("storage_option"))


def _table() -> SharedTable:
    from indexing.many_workspaces.table import SharedTable

    return SharedTable.open(_place())


def say_report(report: FleetReport) -> None:
    """Print what a run did: figures, then what failed."""
    say(
        f"{plural(report.total, 'workspace')}: {report.written:,} written, {report.unchanged:,} unchanged, "
        f"{len(report.failed):,} failed" + (f", {report.removed:,} taken out" if report.removed else "")
    )
    say(
        f"{plural(report.rows, 'entry')}, {report.entries:,} of them written now; "
        f"{report.embedded:,} embedded; {plural(report.batches, 'write')}; {report.seconds:.1f} s"
    )
    if report.retried or report.lost or report.storage_retries:
        narrate(
            f"retried: {plural(report.retried, 'workspace')}, "
            f"{plural(report.lost, 'task')} of workers that were lost, "
            f"{report.storage_retries:,} times the storage"
        )
    _narrate_some([f"a worker died {death}" for death in report.deaths])
    if report.lacking:
        narrate(f"{plural(report.lacking, 'entry')} have no vector: no vector can be made of their text")
    _narrate_some([f"failed: {one.name}: {one.error} ({one.attempts} attempts)" for one in report.failed])


def _narrate_some(rows: list[str]) -> None:
    for row in rows[:_SHOWN]:
        narrate_row(row)
    if len(rows) > _SHOWN:
        narrate(f"and {len(rows) - _SHOWN:,} more: --report FILE lists all of them")
