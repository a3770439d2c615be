"""What agents have and were given: loaded, recalls."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import click

from workbench.cli.output import json_option, narrate, say_json, say_row
from workbench.cli.workspace_options import workspace
from workbench.plural import plural

if TYPE_CHECKING:
    from workbench.agent.usage import Dominance, Share
    from workbench.memory.entry import Entry

_BAR = 12
_LISTED = 20


@click.command()
@click.option("--with-memory", is_flag=True, help="The agent does not load MEMORY.md itself.")
@json_option
def loaded(with_memory: bool, as_json: bool) -> None:
    """The files that an agent loads when a session begins, each with its cost in tokens.

    MEMORY.md, the bootstrap files, workspace-context.md, and the logs of today and yesterday.
    """
    from workbench.agent.always_loaded import loaded as read

    with workspace() as place:
        found = read(place, date.today(), memory_loaded=not with_memory)
    total = sum(one.tokens for one in found)
    if as_json:
        say_json({"files": [one.as_json() for one in found], "tokens": total})
        return
    for one in found:
        state = "" if one.state == "loaded" else f" ({one.state})"
        say_row(f"{one.tokens:>7}  {one.path}  {one.why}{state}")
    narrate(f"{plural(len(found), 'file')}; about {plural(total, 'token')}" if found else "nothing is loaded")


@click.command()
@click.option("--days", type=click.IntRange(1, 3650), default=30, show_default=True, help="How far back.")
@click.option("--never", is_flag=True, help="Also what was never given in these days.")
@click.option("-n", "most", type=click.IntRange(1), default=_LISTED, show_default=True, help="How many.")
@json_option
def recalls(days: int, never: bool, most: int, as_json: bool) -> None:
    """Which memories dominate what agents were given, by the record of recalls.

    Looking here is not recorded.
    """
    from workbench.agent.usage import dominance, never_given

    with workspace() as place:
        found = dominance(place, datetime.now(UTC), days)
        missed, count = never_given(place, found, most=most) if never else ((), 0)
    if as_json:
        said = {**found.as_json(), "entries": [share.as_json() for share in found.shares[:most]]}
        if never:
            said["never_given"] = {"count": count, "entries": [entry.address for entry in missed]}
        say_json(said)
        return
    _print(found, most)
    if never:
        _print_never(missed, count, days)


def _print(found: Dominance, most: int) -> None:
    for share in found.shares[:most]:
        say_row(_line(share))
    if not found.shares:
        narrate(f"nothing was given in the last {found.days} days")
        return
    more = len(found.shares) - most
    rest = f", {more} more entries" if more > 0 else ""
    narrate(f"{plural(found.answers, 'answer')} in the last {found.days} days{rest}")


def _line(share: Share) -> str:
    filled = max(1, round(share.share * _BAR))
    questions = plural(share.questions, "question")
    last = share.last.date().isoformat() if share.last else ""
    bar = "#" * filled + "." * (_BAR - filled)
    return f"{bar} {share.share:>4.0%} {share.count:>5}x  {questions}, last {last}  {share.entry}"


def _print_never(missed: tuple[Entry, ...], count: int, days: int) -> None:
    for entry in missed:
        say_row(f"never  {entry.address}  {entry.plain_title[:80]}")
    narrate(f"{plural(count, 'entry')} were not given in the last {days} days")
