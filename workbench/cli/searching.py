"""Asking the derived index: search."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date
from typing import IO, TYPE_CHECKING, Any, cast

import click

from workbench.cli.output import json_option, narrate, say, say_json
from workbench.cli.places import AS_OF, workspace
from workbench.errors import UsageError
from workbench.memory.entry import Kind
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.answer import Answer, Mode, Query

_KINDS = tuple(kind.value for kind in Kind)


class _Day(click.DateTime):
    """A day, with a refusal that says how days are written."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The day. Raises BadParameter."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is no day; days are written 2026-03-14", param, ctx)


_DAY = _Day(["%Y-%m-%d"])
_MODES = ("hybrid", "lexical", "vector")


@click.command()
@click.argument("query", required=False)
@click.option("-k", type=click.IntRange(1, 1000), default=10, show_default=True, help="Hits.")
@click.option("--mode", type=click.Choice(_MODES), default="hybrid", show_default=True)
@click.option("--kind", "kinds", type=click.Choice(_KINDS), multiple=True, help="Only these kinds.")
@click.option("--since", type=_DAY, metavar="YYYY-MM-DD", help="Only entries of this day or later.")
@click.option("--until", type=_DAY, metavar="YYYY-MM-DD", help="Only entries of this day or earlier.")
@click.option("--as-of", metavar="WHEN", help="In memory as it was after an operation, or on a day.")
@click.option("--explain", is_flag=True, help="Show how each score came about.")
@click.option("--batch", type=click.File("rb"), help='JSON lines {"id","query","k"}.')
@json_option
def search(
    query: str | None,
    k: int,
    mode: str,
    kinds: tuple[str, ...],
    since: Any,
    until: Any,
    as_of: str | None,
    explain: bool,
    batch: IO[bytes] | None,
    as_json: bool,
) -> None:
    """Ranked hits for QUERY: by words and by meaning."""
    from indexing.answer import Query
    from indexing.filters import Filters
    from indexing.hybrid import HybridSearch
    from indexing.search import LexicalSearch

    if (query is None) == (batch is None):
        raise UsageError("give either a query or --batch FILE")

    def ask(text: str, limit: int) -> Query:
        return Query(
            text=text,
            k=limit,
            mode=cast("Mode", mode),
            filters=Filters(
                kinds=frozenset(Kind(kind) for kind in kinds), since=_day(since), until=_day(until)
            ),
            explain=explain,
        )

    if as_of is not None:
        click.get_current_context().meta[AS_OF] = as_of
    with workspace() as place:
        _require_index(place, vectors=mode != "lexical")
        today = _last_day(place)
        engine = LexicalSearch(place, today=today) if mode == "lexical" else HybridSearch(place, today=today)
        if batch is not None:
            for name, text, limit in _questions(batch, k):
                say_json({"id": name, **engine.search(ask(text, limit)).as_json()})
            return
        answer = engine.search(ask(query or "", k))
    if as_json:
        say_json(answer.as_json())
    else:
        _print(answer, explain)


def _require_index(place: Workspace, *, vectors: bool) -> None:
    """Build the index of a moment in the past: nobody else ever does. Today's is left as it is."""
    from indexing.freshness import freshness
    from indexing.sync import reindex as run
    from workbench.cli.progress import Bar
    from workbench.workspace.past import PastWorkspace

    if not isinstance(place, PastWorkspace):
        return
    found = freshness(place)
    if found.state != "fresh":
        narrate(f"indexing {found.files or found.added} files as they were on {place.moment}")
    elif not (vectors and found.pending):
        return
    with Bar() as bar:
        run(place, vectors=vectors, progress=bar.show)


def _last_day(place: Workspace) -> Callable[[], date]:
    """The day from which the age of entries counts: the moment's own, for a workspace in the past."""
    from workbench.workspace.past import PastWorkspace

    if not isinstance(place, PastWorkspace):
        return date.today
    day = place.history.commit(place.commit).when.astimezone().date()
    return lambda: day


def _day(moment: Any) -> date | None:
    return None if moment is None else moment.date()


def _questions(batch: IO[bytes], k: int) -> Iterator[tuple[Any, str, int]]:
    for number, line in enumerate(batch, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            yield row.get("id", number), str(row["query"]), int(row.get("k", k))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise UsageError(
                f"line {number} of the batch is not a question",
                hint='each line is JSON like {"id": 1, "query": "…", "k": 10}',
            ) from error


def _print(answer: Answer, explain: bool) -> None:
    if answer.degraded:
        narrate(answer.degraded)
    if answer.stale:
        narrate(f"stale: {answer.stale}")
    if not answer.hits:
        narrate("nothing was found")
    for hit in answer.hits:
        when = f"  {hit.date}" if hit.date else ""
        say(f"{hit.rank:>2}. {hit.entry}  L{hit.start_line}{when}  {hit.score:.3f}", fg="cyan")
        if hit.heading:
            say("    " + " › ".join(hit.heading), dim=True)
        for line in hit.snippet.splitlines():
            say("    " + line)
        for part in (hit.explanation or "").splitlines() if explain else ():
            say("      " + part, dim=True)
