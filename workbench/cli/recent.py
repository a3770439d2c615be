"""What was written since when, by whom: recent."""

from __future__ import annotations

from datetime import date, datetime, time

import click

from workbench.cli.options import number, word
from workbench.cli.output import answered, json_option, narrate, say_row
from workbench.cli.workspace_options import workspace
from workbench.history.recent import RecentEntry, recent_entries
from workbench.plural import plural
from workbench.workspace.workspace import Workspace

_TITLE = 90


@click.command()
@word(
    "--since",
    "WHEN",
    "A day (yesterday, 2026-03-14, last week), a moment (2026-03-14 09:30), an operation or a commit.",
    default="yesterday",
)
@number("-n", "--limit", low=1, default=200)
@json_option
def recent(since: str, limit: int) -> None:
    """What was written since yesterday, by whom, from which session.

    Each entry has its address, for `promote`, `quarantine` and the like, and the operation that brought it,
    for `undo` and `show`; what no commit has yet is "unrecorded".
    """
    with workspace() as place:
        begun = _moment(place, since)
        found = recent_entries(place, begun)
    said = {"since": begun, "entries": len(found), "recent": found[:limit]}
    if answered(said):
        return
    for one in found[:limit]:
        _say(one)
    narrate(f"{plural(len(found), 'entry')} since {begun:%Y-%m-%d %H:%M}")
    if len(found) > limit:
        narrate(f"  → --limit {len(found)} shows all")


def _say(one: RecentEntry) -> None:
    by = f"{one.actor[:16]:<16}  {one.operation or 'unrecorded':<12}  {one.session or '-'}"
    say_row(f"{one.when.astimezone():%Y-%m-%d %H:%M}  {by}  {one.title[:_TITLE]}")
    say_row(f"    {one.entry}", dim=True)


def _moment(place: Workspace, text: str) -> datetime:
    """When ``text`` begins. Raises what naming a commit raises."""
    from indexing.query.dates import period
    from indexing.search.snapshot_index import commit_named
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
