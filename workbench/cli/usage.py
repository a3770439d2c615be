"""What agents have and were given: ``context --loaded`` and ``--usage``."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from workbench.cli.output import narrate, say_json, say_row
from workbench.cli.workspace_options import workspace
from workbench.plural import plural

if TYPE_CHECKING:
    from workbench.agent.usage import Dominance, Share
    from workbench.memory.entry import Entry

_BAR = 12


def say_loaded(*, with_memory: bool, as_json: bool) -> None:
    """Print the files that an agent loads when a session begins, each with its cost in tokens."""
    from msgspec import to_builtins

    from workbench.agent.always_loaded import loaded as read

    with workspace() as place:
        found = read(place, date.today(), memory_loaded=not with_memory)
    total = sum(one.tokens for one in found)
    if as_json:
        say_json({"files": to_builtins(found), "tokens": total})
        return
    for one in found:
        state = "" if one.state == "loaded" else f" ({one.state})"
        say_row(f"{one.tokens:>7}  {one.path}  {one.why}{state}")
    narrate(f"{plural(len(found), 'file')}; about {plural(total, 'token')}" if found else "nothing is loaded")


def say_usage(days: int, *, never: bool, most: int, as_json: bool) -> None:
    """Print which memories dominate what agents were given, by the record of recalls."""
    from workbench.agent.usage import dominance, never_given

    with workspace() as place:
        found = dominance(place, datetime.now(UTC), days)
        missed, count = never_given(place, found, most=most) if never else ((), 0)
    if as_json:
        said = replace(found, shares=found.shares[:most]).as_json()
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
