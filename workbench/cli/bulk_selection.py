"""Choosing many entries at once, by their session or by a search: shown first, and only with a yes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from workbench.cli.lookup import content_addresses
from workbench.cli.operation_command import Selection, command_of
from workbench.cli.output import agree, narrate, say
from workbench.errors import ConflictError, NotCuratableError, UsageError
from workbench.operations.registry import OPERATIONS
from workbench.plural import plural
from workbench.workspace.workspace import Workspace

_WORDS = 60

yes_option = click.option("--yes", is_flag=True, help="Do not ask whether the list is right.")


def choose(
    place: Workspace,
    entries: Sequence[str],
    *,
    session: str | None,
    query: str | None,
    most: int,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> Callable[[], Sequence[str]]:
    """A function that gives the addresses of what was asked for, as they are when it is called.

    What a session or a query chose is shown at once, and needs a yes: asked for on a terminal, else given
    with ``--yes``. The function raises ConflictError when there is something else to choose by then.
    """
    if sum((bool(entries), session is not None, query is not None)) != 1:
        raise UsageError("name what is meant by one of: entries, --session S, --query Q")
    if entries:
        named = content_addresses(place, entries)
        return lambda: named

    def found() -> tuple[str, ...]:
        return _of_session(place, session) if session is not None else _hits(place, query or "", most)

    shown = found()
    if not shown:
        what = f"session {session}" if session is not None else f"“{query}”"
        raise NotCuratableError(f"nothing in this memory comes from {what}; nothing was changed")
    for address in shown:
        (narrate if as_json else say)(_line(place, address))
    if not dry_run and not yes:
        agree(
            f"forget these {len(shown)}?",
            refusal=f"changing {plural(len(shown), 'entry')} at once needs your word; nothing was changed",
            hint="look at the list, then add --yes; --dry-run shows the diff",
        )

    def again() -> tuple[str, ...]:
        now = found()
        if now != shown:
            raise ConflictError(
                "memory changed meanwhile, so this is not the list that was shown; nothing was changed",
                hint="run the command again and look at the new list",
            )
        return now

    return again


def _of_session(place: Workspace, session: str) -> tuple[str, ...]:
    from workbench.history.session import entries_of_session

    if not session.strip():
        raise UsageError("the name of a session is empty")
    return entries_of_session(place, session)


def _hits(place: Workspace, query: str, most: int) -> tuple[str, ...]:
    from indexing.search.answer import Query
    from indexing.search.keyword import LexicalSearch

    hits = LexicalSearch(place).search(Query(text=query, k=most, mode="lexical", explain=True)).hits
    # Who forgets by a word means what says it. A search also ranks lines that only stand beside such a line;
    # where none has words of its own, conditions alone were asked for (`kind:log path:2026-11-03`).
    said = [hit for hit in hits if hit.words]
    return tuple(dict.fromkeys(hit.entry for hit in said or hits))


def _line(place: Workspace, address: str) -> str:
    """An address, its first words, and where it stands."""
    if "#" not in address:
        document = place.document(address)
        first = document.entries[0].title if document.entries else ""
        return f"{address}  {_short(first)}  (the whole page)"
    entry = place.find(address)
    under = f"{' › '.join(entry.heading)}, " if entry.heading else ""
    return f"{address}  {_short(entry.title)}  ({under}line {entry.start_line})"


def _short(title: str) -> str:
    return title if len(title) <= _WORDS else title[: _WORDS - 1].rstrip() + "…"


forget = command_of(
    OPERATIONS["forget"],
    Selection(
        (
            click.Option(["--session"], metavar="S", help="All that comes from session S."),
            click.Option(["--query"], metavar="Q", help="The entries that a search for Q finds, by words."),
            click.Option(
                ["-k", "most"],
                type=click.IntRange(1, 1000),
                default=10,
                show_default=True,
                help="How many of the query's hits.",
            ),
            click.Option(["--yes"], is_flag=True, help="Do not ask whether the list is right."),
        ),
        choose,
    ),
)
