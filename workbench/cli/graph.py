"""Asking the graph: stats, search, show, find, todos, events."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, cast

import click

from workbench.cli import context, graph_maintenance, graph_store
from workbench.cli.graph_text import say_answer, say_entity, say_result, say_schedule, say_stats
from workbench.cli.output import json_option, narrate, say_json
from workbench.cli.renamed import RenamedGroup
from workbench.cli.team import whose
from workbench.cli.workspace_options import DAY, workspace
from workbench.errors import IndexUnavailableError, UsageError
from workbench.memory.graph_page import IMPORTANCE

if TYPE_CHECKING:
    from workbench.graph.memory_query import Order
    from workbench.graph.schedule import Sort
    from workbench.graph.snapshot import Graph

_DAYS = """\b
Two questions about time:
  COMMAND --on DAY       what was true on that day, as memory tells it today
                         (by valid_from, occurred_at and valid_until)
  workbench --as-of DAY  what memory said on that day, as git tells it
"""


on_option = click.option("--on", metavar="DAY", type=DAY, help="As if it were this day: what was true then.")
everything_option = click.option(
    "--all", "everything", is_flag=True, help="Also what is over, or not yet true."
)
limit_option = click.option("-k", "--limit", type=click.IntRange(1, 1000), default=20, show_default=True)


@click.group(cls=RenamedGroup, epilog=_DAYS)
def graph() -> None:
    """Entities, their typed memories and relations: asked, shown, kept free of duplicates."""


@graph.command(short_help="The graph in figures.")
@on_option
@json_option
def stats(on: date | None, as_json: bool) -> None:
    """The graph in figures: types, relations, sources, what is over, what was ingested."""
    from workbench.graph.read import read_graph
    from workbench.graph.stats import stats as counted

    with workspace() as place:
        found = read_graph(place)
        figures = counted(place, found.as_of(on) if on else found, on or date.today())
    if as_json:
        say_json(figures.as_json())
    else:
        say_stats(figures)


@graph.command(short_help="What the graph knows of the names in a QUESTION.")
@click.argument("question", nargs=-1, required=True)
@click.option("-k", "--limit", type=click.IntRange(1, 1000), default=10, show_default=True)
@on_option
@everything_option
@json_option
def search(question: tuple[str, ...], limit: int, on: date | None, everything: bool, as_json: bool) -> None:
    """What the graph knows of what a QUESTION names, in any language.

    What is at most two relations away from the people, projects and things that it names, ranked by its other
    words; where it names none, typed memories with its words. `workbench search` looks in all of memory.

    \b
    what is Alice working on?     how is Alice connected to Atlas?     Lisbon
    """
    from indexing.search.hybrid import HybridSearch
    from workbench.agent.relevance import graph_relevance
    from workbench.graph.answer import memory_json
    from workbench.graph.read import read_graph
    from workbench.graph.search import search_graph, unnamed_words

    _refuse_both(on, everything=everything)
    text, today = " ".join(question), on or date.today()
    with workspace() as place:
        whole = read_graph(place)
        try:
            relevance = graph_relevance(HybridSearch(place), text, unnamed_words(whole, text))
        except IndexUnavailableError:
            relevance = None  # the words decide
    answered = search_graph(whole, text, today, most=limit, past=everything, relevance=relevance)
    if not as_json:
        say_answer(answered)
        return
    memories = [
        {**memory_json(one.memory), "about": one.name, "score": round(one.score, 4)}
        for one in answered.found
        if one.memory
    ]
    say_json({**answered.as_json(), "memories": memories})


@graph.command(short_help="One entity: what is known of it, and what is around it.")
@click.argument("name", nargs=-1, required=True)
@click.option(
    "--hops", type=click.IntRange(1, 3), default=1, show_default=True, help="How far to look around."
)
@on_option
@everything_option
@json_option
def show(name: tuple[str, ...], hops: int, on: date | None, everything: bool, as_json: bool) -> None:
    """One entity: what is known of it, and what stands around it as a tree.

    NAME is a name, an alias, an id or the path of a page; leader:NAME in the graph of the team's leader. What
    is over is left out, but for --all.
    """
    from workbench.graph.answer import memory_json
    from workbench.graph.entity_recognition import the_one
    from workbench.graph.neighbourhood import neighbourhood
    from workbench.graph.read import read_graph

    with workspace() as here, whose(" ".join(name), here) as (there, called):
        whole = read_graph(there.place)
    entity = the_one(whole, called)
    found = _seen(whole, on, everything=everything)
    if found.at(entity.path) is None:
        narrate(f"note: {entity.name} does not hold on {on or date.today()}; this is what its page tells")
        found = whole
    entity = found.at(entity.path) or entity
    node = neighbourhood(found, entity, hops=hops)
    if not as_json:
        say_entity(entity, node, there.mark)
        return
    days = (entity.valid_from, entity.valid_until)
    say_json(
        {
            "id": entity.id,
            "name": entity.name,
            "type": entity.type,
            "page": there.address(entity.path),
            **there.as_json(),
            "aliases": list(entity.aliases),
            "valid_from": days[0].isoformat() if days[0] else None,
            "valid_until": days[1].isoformat() if days[1] else None,
            "problem": entity.problem,
            "memories": [
                {**memory_json(memory), "entry": there.address(memory.entry.address)}
                for memory in entity.memories
            ],
            "neighbourhood": node.as_json(),
        }
    )


@graph.command(short_help="Typed memories by type, state, time, weight, words, entity.")
@click.option("--type", "types", metavar="TYPE", multiple=True, help=f"Only these: {', '.join(IMPORTANCE)}.")
@click.option("--about", default="", metavar="NAME", help="An entity: itself, its parts, lines that name it.")
@click.option(
    "--state",
    type=click.Choice(("current", "pending", "overdue", "done", "any")),
    default="current",
    show_default=True,
    help="pending, overdue and done are for todos; any: also what is over.",
)
@click.option("--since", metavar="DAY", type=DAY, help="What occurred on this day or later.")
@click.option("--until", metavar="DAY", type=DAY, help="What occurred on this day or earlier.")
@click.option(
    "--happens-within", type=click.IntRange(0, 36_500), metavar="DAYS", help="What is to come soon."
)
@click.option("--min-importance", type=click.FloatRange(0, 1), default=0.0)
@click.option("--min-confidence", type=click.FloatRange(0, 1), default=0.0)
@click.option("--text", default="", metavar="WORDS", help="Only memories with all of these words.")
@click.option("--scene", default="", metavar="WORDS", help="Only memories under such a heading or scene.")
@click.option(
    "--sort",
    "order",
    type=click.Choice(("importance", "confidence", "date", "due")),
    default="importance",
    show_default=True,
)
@click.option("--by-scene", is_flag=True, help="Under their headings or scenes, what counts most first.")
@limit_option
@on_option
@json_option
def find(
    types: tuple[str, ...],
    about: str,
    state: str,
    since: date | None,
    until: date | None,
    happens_within: int | None,
    min_importance: float,
    min_confidence: float,
    text: str,
    scene: str,
    order: str,
    by_scene: bool,
    limit: int,
    on: date | None,
    as_json: bool,
) -> None:
    """Typed memories by type, time, weight, words, and what they are about.

    \b
    graph find --type todo --state pending --about Atlas     the tasks that wait in Atlas
    graph find --type decision --since 2026-03-01 --sort date
    """
    from workbench.graph.memory_query import MemoryQuery
    from workbench.graph.memory_query import find as found_by
    from workbench.graph.read import read_graph

    question = MemoryQuery(
        types=types,
        about=about,
        state=cast("Any", state),
        occurred_since=since,
        occurred_until=until,
        happens_within=happens_within,
        min_importance=min_importance,
        min_confidence=min_confidence,
        text=text,
        scene=scene,
        order=cast("Order", order),
        limit=limit,
    )
    with workspace() as place:
        result = found_by(read_graph(place), question, on or date.today())
    if as_json:
        say_json(result.as_json())
    else:
        say_result(result, by_scene=by_scene)


@graph.command(short_help="Todos that wait, by the day they are due; overdue ones.")
@on_option
@json_option
def todos(on: date | None, as_json: bool) -> None:
    """Todos that wait, by the day they are due: upcoming, overdue, without a day."""
    _schedule(("todo",), None, on, as_json=as_json)


@graph.command(short_help="Events and deadlines to come, and goals.")
@click.option("--within", type=click.IntRange(0, 36_500), metavar="DAYS", help="Only so many days ahead.")
@on_option
@json_option
def events(within: int | None, on: date | None, as_json: bool) -> None:
    """Events and deadlines to come, the soonest first; goals whose day has passed are overdue."""
    _schedule(("event", "deadline"), within, on, as_json=as_json)


def _schedule(sorts: tuple[Sort, ...], ahead: int | None, on: date | None, *, as_json: bool) -> None:
    from workbench.graph.read import read_graph
    from workbench.graph.schedule import upcoming

    with workspace() as place:
        schedule = upcoming(read_graph(place), on or date.today(), sorts=sorts, ahead=ahead)
    if as_json:
        say_json(schedule.as_json())
    else:
        say_schedule(schedule)


def _refuse_both(on: date | None, *, everything: bool) -> None:
    if everything and on:
        raise UsageError("--all and --on are two different questions", hint="give one of them")


def _seen(whole: Graph, on: date | None, *, everything: bool = False) -> Graph:
    """The graph of a day, today's where none is given; or all that the pages tell.

    Raises UsageError where both are asked for.
    """
    _refuse_both(on, everything=everything)
    return whole if everything else whole.as_of(on or date.today())


for command in (context.bulletin, *graph_store.COMMANDS, *graph_maintenance.COMMANDS):
    graph.add_command(command)
