"""Thousands of workspaces at once: reindex, search, status, check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import click

from workbench.cli.output import (
    answered,
    json_option,
    narrate,
    narrate_row,
    say,
    say_row,
)
from workbench.errors import UsageError
from workbench.plural import plural

if TYPE_CHECKING:
    from indexing.search.answer import Mode
    from indexing.shared.table import SharedTable
    from workbench.fleet.pool import Pool
    from workbench.fleet.report import FleetReport
    from workbench.fleet.roster import Agent
    from workbench.fleet.sync_status import SyncStatus, TableFinding

FOUND_WANTING = 4
_SHOWN = 20
_MODES = ("hybrid", "lexical", "vector")


def _placed(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """The options that say where the index of the fleet lies."""
    command = click.option(
        "--storage-option",
        "options",
        metavar="NAME=VALUE",
        multiple=True,
        help="Of the storage, for example aws_region=eu-west-1. Secrets come from the environment only.",
    )(command)
    return click.option(
        "--uri", default="", metavar="URI", help="Where the index lies: s3://, gs://, az://, or a folder."
    )(command)


_roster_option = click.option(
    "--workspaces", "roster", metavar="FILE", required=True, help="The workspaces, one a line; - for stdin."
)


@click.group()
def fleet() -> None:
    """Thousands of workspaces at once: one index of them all.

    FILE lists one workspace a line: its folder, or its folder, a TAB and a name; or JSON lines or a YAML
    list of {"path": ..., "name": ...}. Workspaces are only read, but for late lines, which are added to
    their files. The index lies in a folder or on object storage, and may be deleted at any time.
    """


@fleet.command()
@_roster_option
@_placed
@click.option(
    "--ray", "address", default="", metavar="ADDRESS", help="A Ray cluster; else one is started here."
)
@click.option(
    "--workers", type=click.IntRange(0, 4096), help="How many; else one a processor. 0: this process, no Ray."
)
@click.option(
    "--batch", type=click.IntRange(1, 5000), default=50, show_default=True, help="Workspaces a write."
)
@click.option("--retries", type=click.IntRange(0, 20), default=2, show_default=True, help="Of what fails.")
@click.option("--no-vectors", is_flag=True, help="Words only.")
@click.option("--full", is_flag=True, help="Build the whole table anew.")
@click.option("--prune", is_flag=True, help="Take out workspaces that FILE does not list.")
@click.option("--yes", is_flag=True, help="Send texts to a provider that costs money without asking.")
@click.option("--report", "report_file", metavar="FILE", help="Write the report there, as JSON.")
@json_option
def reindex(
    roster: str,
    uri: str,
    options: tuple[str, ...],
    address: str,
    workers: int | None,
    batch: int,
    retries: int,
    no_vectors: bool,
    full: bool,
    prune: bool,
    yes: bool,
    report_file: str | None,
) -> int:
    """Bring the index of the fleet up to date with the files of all its workspaces.

    What was interrupted goes on where it was. A workspace that fails is tried again, then told of, and the
    exit code is 4.
    """
    from indexing.shared.location import place_of
    from workbench.cli.progress import Bar
    from workbench.fleet.models import recipe
    from workbench.fleet.pool import InProcess
    from workbench.fleet.ray_workers import RayPool
    from workbench.fleet.roster import read_roster
    from workbench.fleet.run import Plan, StorageFailedError
    from workbench.fleet.run import reindex as run

    place, agents = place_of(uri, options), read_roster(roster)
    if workers == 0 and address:
        raise UsageError("--workers 0 is for this process: it takes no --ray")
    how = recipe(vectors=not no_vectors, full=full, spend=yes)
    pool: Pool = InProcess(how) if workers == 0 else RayPool(how, workers=workers or 0, address=address)
    plan = Plan(batch=batch, retries=retries, prune=prune, full=full)
    try:
        with Bar() as bar:
            report = run(agents, place, how, pool, plan, bar.show)
    except StorageFailedError as error:
        if report_file:
            error.report.save(report_file)
        raise
    if report_file:
        report.save(report_file)
    if not answered(report.as_json()):
        print_report(report)
    return FOUND_WANTING if report.failed else 0


@fleet.command()
@click.argument("typed", metavar="QUERY...", nargs=-1, required=True)
@_placed
@click.option(
    "--in", "within", metavar="NAME", multiple=True, help="Only in this workspace; may be repeated."
)
@click.option("-k", type=click.IntRange(1, 1000), default=10, show_default=True, help="Hits.")
@click.option("--mode", type=click.Choice(_MODES), default="hybrid", show_default=True)
@json_option
def search(
    typed: tuple[str, ...],
    uri: str,
    options: tuple[str, ...],
    within: tuple[str, ...],
    k: int,
    mode: str,
) -> None:
    """Ranked hits for QUERY in all workspaces of the fleet, or in those named.

    QUERY is as in `workbench search`. Hits are as they were indexed; nothing is compared with the files.
    """
    from indexing.search.answer import Query
    from indexing.shared.search import FleetSearch
    from workbench.fleet.models import model_for_questions

    table = _table(uri, options)
    if missing := sorted(set(within) - table.workspaces().keys()):
        raise UsageError(
            f"the index of the fleet has no workspace {missing[0]}",
            hint="`workbench fleet status` lists those that it has",
        )
    card = table.card
    embedder, why = (None, "") if mode == "lexical" else model_for_questions(card.model, card.dimension)
    query = Query(text=" ".join(typed), k=k, mode=cast("Mode", mode))
    answer = FleetSearch(table, embedder, why).search(query, within)
    if answered(answer.as_json()):
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
@_placed
@json_option
def status(roster: str, uri: str, options: tuple[str, ...]) -> int:
    """Each workspace: entries, fresh or behind its files, or failed. Exit code 4 unless all are fresh."""
    from workbench.cli.progress import Bar
    from workbench.fleet.sync_status import standings

    table, agents = _table(uri, options), _agents(roster)
    with Bar() as bar:
        found = list(standings(table, agents, bar.show))
    counts: Counter[str] = Counter(one.state for one in found)
    if not answered(
        {
            "uri": table.place.uri,
            "model": table.card.model or None,
            "rows": table.count(),
            "version": table.versions(),
            "states": dict(counts),
            "workspaces": [one.as_json() for one in found],
        }
    ):
        _print_standings(found, counts)
    return 0 if counts["fresh"] == len(found) else FOUND_WANTING


@fleet.command()
@_roster_option
@_placed
@json_option
def check(roster: str, uri: str, options: tuple[str, ...]) -> int:
    """The table against the files, row by row: what is missing, stale, doubled, or of nobody listed.

    Exit code 4 where anything is found; `fleet reindex` mends it, and with --prune what is not listed.
    """
    from workbench.cli.progress import Bar
    from workbench.fleet.sync_status import check as checked

    table, agents = _table(uri, options), _agents(roster)
    with Bar() as bar:
        found = list(checked(table, agents, bar.show))
    if not answered(
        {
            "uri": table.place.uri,
            "workspaces": len(agents),
            "rows": table.count(),
            "findings": [one.as_json() for one in found],
        }
    ):
        _print_findings(found, len(agents))
    return FOUND_WANTING if found else 0


def _table(uri: str, options: tuple[str, ...]) -> SharedTable:
    from indexing.shared.location import place_of
    from indexing.shared.table import SharedTable

    return SharedTable.open(place_of(uri, options))


def _agents(roster: str) -> tuple[Agent, ...]:
    from workbench.fleet.roster import read_roster

    return read_roster(roster)


def print_report(report: FleetReport) -> None:
    """What a run did, as a person reads it: figures, then what failed."""
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
            f"tried again: {plural(report.retried, 'workspace')}, "
            f"{plural(report.lost, 'task')} of workers that were lost, "
            f"{report.storage_retries:,} times the storage"
        )
    for death in report.deaths[:_SHOWN]:
        narrate_row(f"a worker died {death}")
    if len(report.deaths) > _SHOWN:
        narrate(f"and {len(report.deaths) - _SHOWN:,} more: --report FILE names all of them")
    if report.lacking:
        narrate(f"{plural(report.lacking, 'entry')} have no vector: no vector can be made of their text")
    for failure in report.failed[:_SHOWN]:
        narrate_row(f"failed: {failure.name}: {failure.error} ({failure.attempts} attempts)")
    if len(report.failed) > _SHOWN:
        narrate(f"and {len(report.failed) - _SHOWN:,} more: --report FILE names all of them")


def _print_standings(found: list[SyncStatus], counts: Counter[str]) -> None:
    for one in found:
        if one.state != "fresh":
            said = f"{plural(one.behind, 'file')} behind" if one.behind else ""
            why = "; ".join(filter(None, [said, one.error]))
            say_row(f"{one.state:<10}  {one.name}  {plural(one.entries, 'entry')}  {why}", fg="yellow")
    entries = sum(one.entries for one in found)
    told = ", ".join(f"{count:,} {state}" for state, count in counts.most_common())
    say(f"{plural(len(found), 'workspace')}, {plural(entries, 'entry')}: {told}")


def _print_findings(found: list[TableFinding], workspaces: int) -> None:
    for one in found:
        say_row(f"{one.fault:<10}  {one.workspace}  {one.path}  {one.detail}", fg="yellow")
    say(f"{plural(workspaces, 'workspace')}: {plural(len(found), 'finding')}")
