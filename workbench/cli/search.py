"""Asking the index: search, in one workspace, a team's or all that are registered."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from indexing.search.answer import Query, query_from_json
from workbench.cli.console import (
    AS_OF,
    Bar,
    answered,
    attributes,
    caught_up,
    choice,
    command,
    flag,
    given,
    hits_option,
    mode_option,
    moment,
    named,
    narrate,
    narrate_row,
    opened,
    say,
    say_json,
    say_row,
    shown_meanwhile,
    together,
    wants_json,
    word,
    words,
)
from workbench.config.settings import DECLARED, FORMER_PRESETS
from workbench.errors import UsageError, WorkbenchError
from workbench.memory.entry import heading_path
from workbench.plural import plural
from workbench.workspace.late_writes import carry_late
from workbench.workspace.registry import read_registry
from workbench.workspace.snapshot import PastWorkspace, open_past
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.query.question import Filters
    from indexing.ranking.order import Weights
    from workbench.agent.federated_search import FederatedAnswer, FederatedSearch
    from workbench.agent.search_service import SearchService

_HELP = """\b
The query:
  broker port              entries with any of these words, the best first
  "deploy key"             exactly these words, in this order
  -staging  -"on hold"     excludes entries that contain this
  ERR_TIMEOUT  /srv/app    identifiers, errors, paths and addresses, exactly as written
  kind:log,note            memory log note episode entity dream context bootstrap transcript
  since:2026-03 until:yesterday
                           days: 2026-03-14, 14-march, last-week, 2w, q1-2026
  type:decision            typed memories: - [decision] ...
  path:research path:memory/*-standup.md
  from:s91 from:2026-03-14 sources, sessions and writers
  trust:owner  trust:untrusted  pinned:yes  user:sam
  as-of:2026-03-01         memory as it was on a day or after an operation
  -kind:dream              a minus excludes what a filter matches

A filter that is not understood is searched as words, and a note says so. In a query that ends with a question
mark, entries with the quoted phrase come first and others follow. Filters without words list the newest
entries first. Write -- before a query that begins with a minus. The shell removes double quotes, so write
'"deploy key" -staging'.

\b
Weights, for --weight NAME=VALUE (repeatable) and "weights" in a batch:
  vector, lexical          share of the semantic and the keyword score; only their ratio matters
  recency, half_life       how much an old log entry loses (0 to 1); after how many days it loses half
  importance, pin, user    bonus for important entries, pinned ones, and those of --for-user
  date                     bonus for entries of a day that the query names
  exact                    how much the semantic score loses in a query of identifiers and quotes
  diversity                below 1, near-duplicates are ranked lower
  fusion                   sum (of both scores), raw (a missing score counts 0), or rrf (by rank)
  dream, log, ...          a factor for a kind
recency, importance, pin, user, date, exact and diversity also take on and off.

\b
Each answer has a "state": ok; stale (files have changed since they were indexed); degraded (keyword or
semantic search is missing, and "degraded" says why); empty (nothing was found). A search that fails prints
{"error": {"code", "message", "hint"}} instead. With --explain, each hit has "parts": those marked "plus" are
added, then the sum is multiplied by those marked "times"; a hit with a part marked "first" ranks above all
hits without it. For a query of one word, hits that contain it come first; if the word is a day, such as
yesterday or july, hits of that day. A hit that was found only because a neighbouring entry matches is marked
"neighbour".
"""
_CONDITIONS = {
    "kind": ("KIND", "Only these kinds: log, note, memory, entity, ..."),
    "since": ("DAY", "Only entries of this day or later."),
    "until": ("DAY", "Only entries of this day or earlier."),
    "type": ("TYPE", "Only typed memories of this type: decision, todo, ..."),
    "from": ("SOURCE", "Only from this source, session or writer."),
    "path": ("PART", "Only files whose path contains this or matches this glob."),
    "trust": ("TRUST", "Only this level of trust: owner, agent, external, unknown."),
    "user": ("NAME", "Only what belongs to this user."),
}
"""Options that are conditions of the query language: ``--kind log`` says ``kind:log``."""
_condition_options = together(
    *(words(f"--{name}", f"with_{name}", metavar, about) for name, (metavar, about) in _CONDITIONS.items())
)


@command(epilog=_HELP)
@named("typed", "[QUERY]...")
@hits_option
@mode_option
@_condition_options
@choice("--preset", DECLARED["search_preset"].choices, help="A preset of weights.", others=FORMER_PRESETS)
@words("--weight", "weights", "NAME=VALUE", "Change a weight (see below).")
@word("--for-user", "NAME", "Who asks: their entries rank higher, other users' are left out.", "user")
@click.option("--pinned/--not-pinned", default=None, help="Only pinned entries, or only others.")
@flag("--plain", "Take the query as plain words: no filters, no search syntax.")
@word("--as-of", "WHEN", "Search memory as it was after an operation, or on a day.")
@flag("--all", "Search all registered workspaces (`workspaces list`).", "everywhere")
@flag("--relevant", "Leave out hits that have little to do with the query.")
@flag("--explain", "Show the parts of each score.")
@click.option("--batch", type=click.File("rb"), help='Many queries: JSON lines {"id","query","k","filters"}.')
def search(
    typed: tuple[str, ...],
    pinned: bool | None,
    as_of: str,
    everywhere: bool,
    relevant: bool,
    batch: IO[bytes] | None,
    preset: str | None,
    weights: tuple[str, ...],
    **options: Any,
) -> int:
    """Search memory by keyword and meaning, best hits first.

    In a team, hits from the leader's memory are included and marked `leader:`. With --all, all registered
    workspaces are searched, and each hit names its workspace. If up to 20 files changed, they are indexed for
    keyword search first; a workspace without an index is indexed completely first.
    """
    from indexing.query.question import understand
    from indexing.ranking.order import preset as weights_named
    from indexing.ranking.order import weights_from_words
    from screens.terminal import moves_cursor

    text = " ".join(typed)
    within, notes = _filters({name: options.pop(f"with_{name}") for name in _CONDITIONS}, pinned)
    if batch is not None and typed:
        raise UsageError("give either a query or --batch FILE")
    if batch is None and not text.strip() and not within:
        raise UsageError(
            "no query was given", hint="give a query, a filter such as --pinned, or --batch FILE"
        )
    usual = Query(text=text, filters=within, **options)
    said = understand(text, date.today()).as_of if batch is None and not usual.plain else None
    if said and (as_of or given("as_of")):
        notes.append(f"as-of:{said} in the query was ignored: --as-of takes precedence")
        said = None
    words = usual.mode == "lexical"
    places = _everywhere(as_of or said, words=words) if everywhere else _here(as_of, said, words=words)
    with places as (service, own):

        def measured(found: FederatedAnswer) -> FederatedAnswer:
            return found.relevant() if relevant else found

        chosen = weights_from_words(weights, weights_named(preset) if preset else own)
        usual = replace(usual, weights=chosen)
        if batch is not None:
            return _say_batch(batch, usual, lambda one: measured(service.search(one)))
        if wants_json() or not (sys.stdout.isatty() and sys.stderr.isatty() and moves_cursor()):
            found = measured(service.search(usual))
        else:
            found = _last(map(measured, service.stream(usual)))
        found = found.with_notes(notes)
    if not answered(found):
        _say(found, usual.explain)
    return 0


@contextlib.contextmanager
def _here(as_of: str, said: str | None, *, words: bool) -> Iterator[tuple[SearchService, Weights]]:
    """What answers from one workspace and its team's leader, and the weights of its settings."""
    from workbench.agent.search_service import SearchService

    context = click.get_current_context()
    if as_of or said:
        context.meta[AS_OF] = as_of or said
    try:
        memory = opened()
    except WorkbenchError as error:  # where no moment is called so, today's answers
        if not said:
            raise
        narrate(f"as-of:{said}: {error.message}")
        context.meta[AS_OF] = None
        memory = opened()
    with contextlib.closing(memory) as place:
        _require_index(place, vectors=not words)
        with contextlib.closing(SearchService(place, vectors=not words)) as service:
            service.catch_up(caught_up)
            yield service, service.index.weights


@contextlib.contextmanager
def _everywhere(then: str | None, *, words: bool) -> Iterator[tuple[FederatedSearch, Weights]]:
    """What answers from all registered workspaces, and one's own weights: no workspace's count.

    Raises UsageError where none is registered.
    """
    from workbench.agent.federated_search import FederatedSearch, own_weights

    known = read_registry()
    for line in known.skipped:
        narrate_row(f"skipped in {known.path}: {line}")
    if not known.entries:
        raise UsageError("no workspace is registered", hint="`workbench workspaces add DIR`")
    then = then or given("as_of")

    def at_the_moment(root: Path) -> Workspace:
        found = Workspace.open(root)
        if then is None:
            carry_late(found)
            return found
        try:
            past = open_past(found, moment(then))
        finally:
            found.close()
        narrate_row(f"{root}: as of {past.moment}")
        _require_index(past, vectors=not words)
        return past

    with contextlib.closing(
        FederatedSearch(known.entries, vectors=not words, opener=at_the_moment, catch_up=caught_up)
    ) as places:
        yield places, own_weights()


def _last(answers: Iterator[FederatedAnswer]) -> FederatedAnswer:
    """The answer. On the terminal keyword hits stand in its place until it has come, a row each."""
    first = next(answers)
    if first.final:
        return first
    if not first.hits:
        return next(answers)
    rows = [f"{at:>2}. {one.hit.snippet}" for at, one in enumerate(first.hits, 1)]
    with shown_meanwhile(["keyword hits, while semantic search starts:", *rows]):
        return next(answers)


def _say(found: FederatedAnswer, explain: bool) -> None:
    if found.told.degraded:
        narrate(f"degraded: {found.told.degraded}")
    if found.told.stale:
        narrate(f"stale: {found.told.stale}")
    for note in found.told.notes:
        narrate(note)
    if not any(one.answer.hits for one in found.scopes):
        asked = f" in {plural(len(found.asked), 'workspace')}" if found.asked else ""
        narrate(f"nothing was found{asked}")
    width = max((len(one.scope.name) for one in found.hits), default=0)
    for rank, one in enumerate(found.hits, 1):
        where = one.scope.address(one.hit.entry)
        where = f"{one.scope.name.ljust(width)}  {where}" if found.asked else where
        hit = one.hit
        when = f"  {hit.date}" if hit.date else ""
        near = "  neighbour of a match" if hit.neighbour and not explain else ""  # an explanation says so
        say_row(f"{rank:>2}. {where}  L{hit.start_line}{when}  {one.strength:.3f}{near}", fg="cyan")
        if hit.heading:
            say_row("    " + heading_path(hit.heading), dim=True)
        for line in hit.snippet.splitlines():
            say("    " + line)
        for part in (hit.explanation or "").splitlines() if explain else ():
            say("      " + part, dim=True)


def _filters(options: dict[str, tuple[str, ...]], pinned: bool | None) -> tuple[Filters, list[str]]:
    """What the options ask, and notes about what of it counts for nothing. Raises UsageError."""
    from indexing.query.question import Filters, conditions

    within, notes = Filters(pinned=pinned), list[str]()
    for name, said in options.items():
        for value in said:
            try:
                found, noted = conditions(name, value, date.today())
            except ValueError as error:
                raise UsageError(str(error)) from error
            within = within.also(found)
            notes += noted
    return within, notes


def _require_index(place: Workspace, *, vectors: bool) -> None:
    """Build the index of a moment in the past: nobody else ever does. Today's is the search's to begin."""
    from indexing.search.index_search import missing_index

    if isinstance(place, PastWorkspace) and (why := missing_index(place, vectors=vectors)):
        from indexing.sync.run import reindex as run

        narrate(why)
        with Bar() as bar:
            run(place, vectors=vectors, progress=bar.follow)


def _say_batch(batch: IO[bytes], usual: Query, search: Callable[[Query], FederatedAnswer]) -> int:
    """Print the answer to each line of a batch with its id, or what is wrong with it; the exit code."""
    failed = False
    for number, line in enumerate(batch, 1):
        if not line.strip():
            continue
        row: dict[str, Any] = {}
        try:
            row = _batch_row(line)
            answer = search(_batch_query(row, usual)).as_json()
        except UsageError as error:
            failed, answer = True, {"error": attributes(error, "code", "message", "hint")}
        say_json({"id": row.get("id", number), **answer})
    return 1 if failed else 0


def _batch_row(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise UsageError("this line is not JSON", hint='it looks like {"id": 1, "query": "…", "k": 10}')
    return row


def _batch_query(row: dict[str, Any], usual: Query) -> Query:
    """The query of one line; what it does not say is as in ``usual``. Raises UsageError."""
    assert usual.weights is not None
    said = {name: getattr(usual, name) for name in ("k", "mode", "explain", "plain", "user")}
    known = ("id", "query", "filters", "weights", *said)
    asked = query_from_json({**said, **row}, usual.weights)
    if stray := [name for name in row if name not in known]:
        raise UsageError(f"{stray[0]!r} is not a key of a query", hint="it has " + ", ".join(known))
    weights = asked.weights or usual.weights
    return replace(asked, filters=usual.filters.also(asked.filters), weights=weights)
