"""Operations whose commands say in ways of their own what they are done to: forget, quarantine."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from workbench.cli.console import answered, flag, given, number, say, word, yes_option
from workbench.cli.operation_command import Chosen, Selection, act, command_of, shown_first
from workbench.errors import NotCuratableError, UsageError, WorkbenchError
from workbench.memory.entry import RelPath, heading_path
from workbench.operations.registry import OPERATIONS
from workbench.safety.terminal import cut
from workbench.workspace.layout import QUARANTINE
from workbench.workspace.workspace import Workspace

_TITLE = 60


def _to_forget(
    place: Workspace,
    entries: Sequence[str],
    *,
    session: str | None,
    query: str | None,
    most: int,
    **_: Any,
) -> Chosen:
    """The entries that were named, or those of a session or a query: shown, and with a yes alone."""
    if sum((bool(entries), session is not None, query is not None)) != 1:
        raise UsageError("select with one of: entries, --session S, --query Q")
    if entries:
        return lambda: entries
    if session is not None and not session.strip():
        raise UsageError("the name of a session is empty")
    from workbench.history.recent import entries_of_session

    def found() -> tuple[str, ...]:
        of = entries_of_session(place, session) if session is not None else _hits(place, query or "", most)
        if not of:
            what = f"session {session}" if session is not None else f"“{query}”"
            raise NotCuratableError(f"nothing in this memory comes from {what}; nothing was changed")
        return of

    return shown_first(
        found,
        lambda address: _line(place, address),
        "forget these {}?",
        "changing {} at once",
        "entry",
        ask=not (given("dry_run") or given("yes")),
    )


def _hits(place: Workspace, query: str, most: int) -> tuple[str, ...]:
    from indexing.search.answer import Query
    from indexing.search.index_search import IndexSearch

    hits = (
        IndexSearch(place, vectors=False).search(Query(text=query, k=most, mode="lexical", explain=True)).hits
    )
    # Who forgets by a word means what says it. A search also ranks lines that only stand beside such a line;
    # where none has words of its own, conditions alone were asked for (`kind:log path:2026-11-03`).
    said = [hit for hit in hits if hit.words]
    return tuple(dict.fromkeys(hit.entry for hit in said or hits))


def _line(place: Workspace, address: str) -> str:
    """An address, its first words, and where it stands."""
    if "#" not in address:
        entries = place.document(address).entries
        return f"{address}  {cut(entries[0].title if entries else '', _TITLE)}  (the whole page)"
    entry = place.find(address)
    under = f"{heading_path(entry.heading)}, " if entry.heading else ""
    return f"{address}  {cut(entry.title, _TITLE)}  ({under}line {entry.start_line})"


forget = command_of(
    OPERATIONS["forget"],
    Selection(
        (
            word("--session", "S", "All entries that come from session S.", default=None),
            word("--query", "Q", "The entries that a keyword search for Q finds.", default=None),
            number("-k", "most", low=1, high=1000, default=10, help="Maximum entries that --query selects."),
            yes_option,
        ),
        _to_forget,
    ),
)


def _to_set_aside(
    place: Workspace, entries: Sequence[str], *, only_list: bool, release: bool, reason: str = "", **_: Any
) -> Chosen:
    """The entries that were named. What is not about setting aside is done here, and the command ends."""
    if release and (only_list or not entries):
        raise UsageError("--release takes entries", hint="`workbench quarantine --list` lists them")
    if only_list == bool(entries):
        raise UsageError(
            "ENTRY and --list exclude each other",
            hint="workbench quarantine ENTRY..., or workbench quarantine --list",
        )
    if only_list:
        _list_quarantine(place)
    if release:
        act(place, lambda: OPERATIONS["release"].planned(place, entries, reason=reason))
        raise click.exceptions.Exit
    return lambda: entries


def _list_quarantine(place: Workspace) -> NoReturn:
    from workbench.operations.quarantine import quarantined

    found = list(quarantined(place))
    reasons: dict[str, str] = {}
    with contextlib.suppress(WorkbenchError):  # without a repository no reason is known
        for operation in place.operations.walk(path=RelPath(QUARANTINE.rstrip("/"))) if found else ():
            if operation.action == "quarantine" and operation.reason:
                reasons = {**dict.fromkeys(operation.became, operation.reason), **reasons}
    told = [
        {
            "entry": item.address,
            "title": item.title,
            "from": item.origin,
            "quarantined": item.since,
            "reason": reasons.get(item.address),
        }
        for item in found
    ]
    if not answered(told):
        for item in found:
            since = f" since {item.since}" if item.since else ""
            say(f"{item.address}  from {item.origin or 'nowhere known'}{since}  {item.title}")
            if reason := reasons.get(item.address):
                say(f"    because {reason}", dim=True)
    raise click.exceptions.Exit


quarantine = command_of(
    OPERATIONS["quarantine"],
    Selection(
        (
            flag("--list", "Show what is in quarantine.", "only_list"),
            flag("--release", "Release ENTRY: put it back where it came from."),
        ),
        _to_set_aside,
    ),
)
