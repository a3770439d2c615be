"""Asking the derived index: search."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from typing import IO, TYPE_CHECKING, Any, cast

import click

from workbench.cli.federated_search import across
from workbench.cli.hits import print_answer, print_far
from workbench.cli.output import json_option, narrate, say_json
from workbench.cli.progress import first_index_shown
from workbench.cli.ranking_options import WEIGHTS, behind, chosen, own_weights_with, with_weights
from workbench.cli.workspace_options import AS_OF, workspace
from workbench.errors import UsageError, WorkbenchError
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.query.filters import Filters
    from indexing.ranking.weights import Weights
    from indexing.search.answer import Mode, Query
    from workbench.agent.federated_search import Across

_MODES = ("hybrid", "lexical", "vector")
_LANGUAGE = """\b
The query:
  broker port              entries with any of these words, the best first
  "deploy key"             these words one after the other
  -staging  -"on hold"     leaves out entries with this
  ERR_TIMEOUT  /srv/app    identifiers, errors, paths and addresses as they stand
  kind:log,note            memory log note episode entity dream context bootstrap transcript
  since:2026-03 until:yesterday
                           days: 2026-03-14, 14-march, last-week, 2w, q1-2026
  type:decision            typed memories: - [decision] ...
  path:research path:memory/*-standup.md
  from:s91 from:2026-03-14 sources, sessions and writers
  trust:owner  trust:untrusted  pinned:yes  user:sam
  as-of:2026-03-01         in memory as it was on a day or after an operation
  -kind:dream              everything else

What a filter cannot mean is looked for as words, and a note says so. In a question that ends with a question
mark, quotes are what comes first and not all there is. Conditions without words list the newest. A query that
begins with a minus stands behind --. The shell takes quotes away: write '"deploy key" -staging' for it.
"""


class _Filter:
    """An option that is a condition of the query language: ``--kind log`` says ``kind:log``."""

    def __init__(self, name: str, metavar: str, about: str, *, multiple: bool = True) -> None:
        self.name, self.multiple = name, multiple
        self.option = click.option(
            f"--{name}", f"with_{name}", metavar=metavar, multiple=multiple, help=about
        )


_FILTERS = (
    _Filter("kind", "KIND", "Only these kinds: log, note, memory, entity, ..."),
    _Filter("since", "DAY", "Only entries of this day or later.", multiple=False),
    _Filter("until", "DAY", "Only entries of this day or earlier.", multiple=False),
    _Filter("type", "TYPE", "Only typed memories of this type: decision, todo, ..."),
    _Filter("from", "SOURCE", "Only from this source, session or writer."),
    _Filter("path", "PART", "Only in files with this in their path, or like this glob."),
    _Filter("trust", "TRUST", "Only what is trusted so: owner, agent, external, unknown."),
    _Filter("user", "NAME", "Only what belongs to this user."),
)


def _with_filters(command: Callable[..., None]) -> Callable[..., None]:
    for one in reversed(_FILTERS):
        command = one.option(command)
    return command


@click.command(epilog=_LANGUAGE + "\n" + WEIGHTS)
@click.argument("typed", metavar="[QUERY]...", nargs=-1)
@click.option("-k", type=click.IntRange(1, 1000), default=10, show_default=True, help="Hits.")
@click.option("--mode", type=click.Choice(_MODES), default="hybrid", show_default=True)
@_with_filters
@with_weights
@click.option("--pinned/--not-pinned", default=None, help="Only what is pinned, or what is not.")
@click.option("--plain", is_flag=True, help="Take the query as words alone, whatever it looks like.")
@click.option("--as-of", metavar="WHEN", help="In memory as it was after an operation, or on a day.")
@click.option("--all", "everywhere", is_flag=True, help="In all registered workspaces: `workspaces list`.")
@click.option("--explain", is_flag=True, help="Show how each score came about.")
@click.option("--batch", type=click.File("rb"), help='JSON lines {"id","query","k","filters"}.')
@json_option
def search(
    typed: tuple[str, ...],
    k: int,
    mode: str,
    pinned: bool | None,
    plain: bool,
    as_of: str | None,
    everywhere: bool,
    explain: bool,
    batch: IO[bytes] | None,
    preset: str | None,
    weights: tuple[str, ...],
    for_user: str,
    as_json: bool,
    **filters: Any,
) -> None:
    """Search memory by keywords and by meaning; the hits, best first.

    A member of a team has the leader's hits among their own, marked `leader:`. With --all, every registered
    workspace answers, and each hit says in which it is. One that was never indexed is indexed by
    keywords first.
    """
    from indexing.search.answer import Query
    from indexing.search.hybrid import HybridSearch
    from indexing.search.keyword import LexicalSearch
    from indexing.search.snapshot_index import last_day
    from workbench.agent.federated_search import TeamSearch

    query = " ".join(typed) if typed else None
    within, notes = _filters(filters, pinned)
    if batch is not None and query is not None:
        raise UsageError("give either a query or --batch FILE")
    if batch is None and query is None and not within:
        raise UsageError(
            "what should be looked for?", hint="give a query, a filter such as --pinned, or --batch FILE"
        )

    def ask(text: str, limit: int, by: Weights) -> Query:
        return Query(
            text=text,
            k=limit,
            mode=cast("Mode", mode),
            filters=within,
            explain=explain,
            plain=plain,
            user=for_user,
            weights=by,
        )

    said = _moment_in(query or "") if batch is None and not plain else None
    if said and (as_of or click.get_current_context().meta.get(AS_OF)):
        notes.append(f"as-of:{said} in the query was not heeded: --as-of says another moment")
        said = None
    if everywhere:
        with contextlib.closing(_everywhere(as_of or said, words=mode == "lexical")) as places:
            base = own_weights_with(preset, weights)
            if batch is not None:
                for name, one in _questions(batch, ask("", k, base)):
                    say_json({"id": name, **places.search(one).as_json()})
                return
            far = places.search(ask(query or "", k, base))
        print_far(replace(far, notes=tuple(dict.fromkeys((*notes, *far.notes)))), explain, as_json=as_json)
        return
    with _memory(as_of, said) as place:
        _require_index(place, vectors=mode != "lexical")
        today = last_day(place)
        kind = LexicalSearch if mode == "lexical" else HybridSearch
        engine = kind(place, today=today, first_index=first_index_shown(place))
        base = chosen(place, preset, weights)
        with contextlib.closing(TeamSearch(place, engine, behind(place))) as asked:
            for name, one in _questions(batch, ask("", k, base)) if batch is not None else ():
                say_json({"id": name, **asked.search(one).as_json()})
            if batch is not None:
                return
            answer = asked.search(ask(query or "", k, base))
    answer = answer.with_notes(notes)
    if as_json:
        say_json(answer.as_json())
    else:
        print_answer(answer.own, ((scope.mark, hit) for scope, hit in answer.hits), explain)


def _everywhere(as_of: str | None, *, words: bool) -> Across:
    """All registered workspaces, as of a moment."""

    def prepare(place: Workspace) -> None:
        _require_index(place, vectors=not words)

    return across(as_of, words=words, prepare=prepare)


def _filters(given: dict[str, Any], pinned: bool | None) -> tuple[Filters, list[str]]:
    """What the options ask, and notes about what of it counts for nothing. Raises UsageError."""
    from indexing.query.conditions import conditions
    from indexing.query.filters import Filters

    within, notes = Filters(pinned=pinned), list[str]()
    for one in _FILTERS:
        said = given[f"with_{one.name}"]
        for value in said if one.multiple else filter(None, [said]):
            try:
                found, noted = conditions(one.name, value, date.today())
            except ValueError as error:
                raise UsageError(str(error)) from error
            within = within.also(found)
            notes += noted
    return within, notes


def _moment_in(query: str) -> str | None:
    """The moment of the past that the query itself names."""
    from indexing.query.language import understand

    return understand(query, date.today()).as_of


@contextlib.contextmanager
def _memory(as_of: str | None, said: str | None) -> Iterator[Workspace]:
    """The workspace of the moment that ``as_of`` names, which must exist, or that the query ``said``."""
    meta = click.get_current_context().meta
    if as_of or said:
        meta[AS_OF] = as_of or said
    with contextlib.ExitStack() as stack:
        try:
            place = stack.enter_context(workspace())
        except WorkbenchError as error:
            if not said:
                raise
            narrate(f"as-of:{said}: {error.message}")
            meta[AS_OF] = None
            place = stack.enter_context(workspace())
        yield place


def _require_index(place: Workspace, *, vectors: bool) -> None:
    """Build the index of a moment in the past: nobody else ever does. Today's is the search's to begin."""
    from indexing.search.snapshot_index import missing_index
    from workbench.workspace.snapshot import PastWorkspace

    if isinstance(place, PastWorkspace) and (why := missing_index(place, vectors=vectors)):
        from indexing.sync.run import reindex as run
        from workbench.cli.progress import Bar

        narrate(why)
        with Bar() as bar:
            run(place, vectors=vectors, progress=bar.show)


def _questions(batch: IO[bytes], usual: Query) -> Iterator[tuple[Any, Query]]:
    """The queries of a batch, each with its id; what a line does not say is as in ``usual``."""
    from indexing.search.answer import query_from_json

    assert usual.weights is not None
    said = {
        "k": usual.k,
        "mode": usual.mode,
        "explain": usual.explain,
        "plain": usual.plain,
        "user": usual.user,
    }
    for number, line in enumerate(batch, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            asked = query_from_json({**said, **row}, usual.weights)
        except UsageError as error:
            raise UsageError(f"line {number} of the batch: {error.message}", hint=error.hint) from error
        except (ValueError, TypeError, RecursionError) as error:
            raise UsageError(
                f"line {number} of the batch is not a question",
                hint='each line is JSON like {"id": 1, "query": "…", "k": 10}',
            ) from error
        yield (
            row.get("id", number),
            replace(asked, filters=usual.filters.also(asked.filters), weights=asked.weights or usual.weights),
        )
