"""The graph: asked, shown, written into, kept free of duplicates and contradictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from indexing.embedding.local import local_model
from workbench.cli.agents import bulletin
from workbench.cli.console import (
    DAY,
    answered,
    attributes,
    choice,
    day,
    flag,
    given,
    group,
    named,
    narrate,
    narrate_notes,
    number,
    operation_json,
    say,
    say_fields,
    share,
    shared_option,
    this_moment,
    word,
    words,
    workspace,
)
from workbench.cli.operation_command import command_of, whose
from workbench.errors import IndexUnavailableError, UsageError
from workbench.graph.contradictions import Claim, open_contradictions
from workbench.graph.decay import fading_in
from workbench.graph.keyword_search import the_one
from workbench.graph.memory_query import MemoryQuery, Sort, upcoming
from workbench.graph.memory_query import find as found_by
from workbench.graph.merge import resolve
from workbench.graph.model import memory_json
from workbench.graph.operations import OPERATIONS
from workbench.graph.read import read_graph
from workbench.graph.read import stats as counted
from workbench.graph.search import GraphAnswer, Node, neighbourhood, search_graph, unnamed_words
from workbench.memory.graph_page import Entity, TypedMemory
from workbench.memory.graph_types import IMPORTANCE
from workbench.plural import plural

_DAYS = """\b
Two kinds of time:
  COMMAND --on DAY       what was true then, by the memory of today
                         (by valid_from, occurred_at and valid_until)
  workbench --as-of DAY  what the memory said then, by git
"""
_on_option = shared_option("--on", metavar="DAY", type=DAY, help="Show what was true on this day.")
_everything_option = flag("--all", "Include what is no longer true or not true yet.", "everything")


@group(epilog=_DAYS)
def graph() -> None:
    """The graph of people, projects and things: search, show and change it, merge duplicates."""


@graph.command()
@_on_option
def stats() -> None:
    """Show counts of the graph.

    Types, relations, sources, what is no longer true, what was ingested."""

    with workspace() as place:
        whole = read_graph(place)
        found = counted(place, whole.as_of(_day()) if given("on") else whole, _day())
    if answered(found):
        return
    loose = f" ({found.loose:,} of no entity)" if found.loose else ""
    _say_counts("entities", f"{found.entities:,}", found.entity_types)
    _say_counts("memories", f"{found.memories:,}{loose}", found.memory_types)
    _say_counts("relations", f"{found.relations:,}", found.relation_kinds)
    say_fields(
        ("confidence", None if found.confidence is None else f"{found.confidence:.2f} on average"),
        ("trust", ", ".join(f"{count:,} {level}" for level, count in found.trust.items()) or "-"),
        ("sources", f"{found.sources:,}; {plural(found.unsourced, 'memory')} name none"),
        ("expired", f"{found.expired:,}"),
        ("pending", plural(found.pending, "todo")),
        ("pinned", f"{found.pinned:,}"),
        ("unresolved", f"{plural(found.unresolved, 'relation')} (no page, or several)"),
        ("days", f"{found.oldest or '-'} to {found.newest or '-'}"),
        ("most links", ", ".join(f"{one.name} {one.relations}" for one in found.top) or "-"),
    )
    for one in found.ingested:
        read = f"{one.runs:,} times read, {plural(one.memories, 'memory')}"
        say(f"ingested   {one.kind}: {plural(one.sources, 'source')}, {read}; {one.last}")
    for path in found.broken:
        say(f"broken     {path}", fg="yellow")


@graph.command()
@named("question", "QUESTION...")
@number("-k", "--limit", low=1, high=1000, default=10)
@_on_option
@_everything_option
def search(question: tuple[str, ...], limit: int, everything: bool) -> None:
    """Show what the graph knows about the names in QUESTION.

    QUESTION can be in any language.

    The answer covers the people, projects and things that QUESTION names and what is up to two relations
    away, ranked by its other words. If it names none, typed memories that contain its words are listed.
    `workbench search` searches all of memory.

    \b
    what is Alice working on?     how is Alice connected to Atlas?     Lisbon
    """
    from indexing.search.index_search import IndexSearch
    from workbench.agent.federated_search import graph_relevance

    _refuse_both(everything)
    text = " ".join(question)
    with workspace() as place:
        whole = read_graph(place)
        try:
            relevance = graph_relevance(IndexSearch(place), text, unnamed_words(whole, text))
        except IndexUnavailableError:
            relevance = None  # the words decide
    found = search_graph(whole, text, _day(), most=limit, past=everything, relevance=relevance)
    memories = [
        {**memory_json(one.memory), "about": one.name, "score": round(one.score, 4)}
        for one in found.found
        if one.memory
    ]
    if not answered({**found.as_json(), "memories": memories}):
        say_answer(found)


@graph.command()
@named("name", "NAME...")
@number("--hops", low=1, high=3, default=1, help="How many relations away.")
@_on_option
@_everything_option
def show(name: tuple[str, ...], hops: int, everything: bool) -> None:
    """Show one entity and its relations.

    Related entities are shown as a tree.

    NAME is a name, an alias, an id or the path of a page; leader:NAME is an entity in the graph of the team's
    leader. What is no longer true is left out without --all.
    """

    with whose(" ".join(name)) as (there, called):
        whole = read_graph(there.place)
    entity = the_one(whole, called)
    _refuse_both(everything)
    found = whole if everything else whole.as_of(_day())
    if found.at(entity.path) is None:
        narrate(f"note: {entity.name} is not valid on {_day()}; its page is shown as it is")
        found = whole
    entity = found.at(entity.path) or entity
    node = neighbourhood(found, entity, hops=hops)
    told = {
        **attributes(entity, "id", "name", "type", "aliases", "valid_from", "valid_until", "problem"),
        "page": there.address(entity.path),
        **there.as_json(),
        "memories": [
            {**memory_json(memory), "entry": there.address(memory.entry.address)}
            for memory in entity.memories
        ],
        "neighbourhood": node,
    }
    if not answered(told):
        _say_entity(entity, node, there.mark)


@graph.command()
@words("--type", "types", "TYPE", f"Only these: {', '.join(IMPORTANCE)}.")
@word("--about", "NAME", "Only about this entity: its page, its parts, lines that name it.")
@choice(
    "--state",
    ("current", "pending", "overdue", "done", "any"),
    "current",
    "pending, overdue and done are states of todos; any includes what is no longer true.",
)
@day("--since", "occurred_since", "Only what occurred on this day or later.")
@day("--until", "occurred_until", "Only what occurred on this day or earlier.")
@number("--happens-within", high=36_500, metavar="DAYS", help="Only what happens within this many days.")
@share("--min-importance")
@share("--min-confidence")
@word("--text", "WORDS", "Only memories with all of these words.")
@word("--scene", "WORDS", "Only memories under a heading or scene with these words.")
@choice("--sort", ("importance", "confidence", "date", "due"), "importance", into="order")
@number("-k", "--limit", low=1, high=1000, default=20)
@_on_option
def find(**conditions: Any) -> None:
    """List typed memories by type, state, time or words.

    Also by the entity they are about.

    \b
    graph find --type todo --state pending --about Atlas     the pending tasks of Atlas
    graph find --type decision --since 2026-03-01 --sort date
    """

    with workspace() as place:
        result = found_by(read_graph(place), MemoryQuery(**conditions), _day())
    if answered(result):
        return
    narrate_notes(result.notes)
    for match in result.matches:
        memory = match.held.memory
        late = f" · overdue by {plural(match.late, 'day')}" if match.late else ""
        why = f" · {match.why}" if match.why else ""
        say(f"{match.held.owner}: {_memory_words(memory)}{late}{why}")
        say(f"  {memory.entry.address}", dim=True)
    for task in result.tasks:
        say(f"task      {task.name}  {task.path}")
    _say_known(result.suggestions)
    shown = len(result.matches)
    narrate(f"{result.total} found" + (f", {shown} shown" if shown < result.total else ""))


@graph.command()
@_on_option
def todos() -> None:
    """List pending todos by due date; overdue ones are marked."""
    _schedule("todo")


@graph.command()
@number("--within", high=36_500, metavar="DAYS", help="Only within this many days.")
@_on_option
def events(within: int | None) -> None:
    """List upcoming events and deadlines, and goals.

    The next one comes first; goals whose day has passed are overdue."""
    _schedule("event", "deadline", ahead=within)


_LISTED = 20
"""Todos without a day that are listed."""


def _schedule(*sorts: Sort, ahead: int | None = None) -> None:
    with workspace() as place:
        schedule = upcoming(read_graph(place), _day(), sorts=sorts, ahead=ahead)
    if answered(schedule):
        return
    for title, due in (
        ("Upcoming", schedule.upcoming),
        ("Overdue", schedule.overdue),
        ("Without a day", schedule.undated[:_LISTED]),
    ):
        if due:
            say(title, bold=True)
        for item in due:
            memory = item.held.memory
            when = str(memory.happens_at or "")
            say(f"  {when:<10}  {item.when:<18}  {item.sort:<8}  {item.held.owner}: {memory.text}".rstrip())
    if len(schedule.undated) > _LISTED:
        say(f"  and {len(schedule.undated) - _LISTED:,} more; --json lists them")
    if schedule.tasks:
        say("Tasks", bold=True)
    for task in schedule.tasks:
        say(f"  {task.name}  {task.path}")
    if not (schedule.upcoming or schedule.overdue or schedule.undated or schedule.tasks):
        say("nothing is due")


@graph.command()
@flag("--resolve", "Merge the pairs that meet all conditions; each merge can be undone.", "resolving")
@flag("--names-only", "Compare names only, without the embedding model.")
def duplicates(resolving: bool, names_only: bool) -> None:
    """List probable duplicate pages; --resolve merges them.

    Each pair is shown with what speaks against merging it."""

    with workspace() as place:
        embedder = None if names_only else local_model(place.settings, prepares=True)
        if embedder is None and not names_only:
            narrate("note: only names are compared: no local model can be used, and no other is asked")
        found = resolve(place, now=this_moment(), embedder=embedder, dry_run=not resolving)
    flagged = [
        {
            **attributes(one, "key", "cosine", "automatic", "why"),
            "keep": {"name": one.keep.name, "page": one.keep.path},
            "other": {"name": one.other.name, "page": one.other.path},
            "names": round(one.names, 4),
        }
        for one in found.flagged
    ]
    merged = [operation_json(operation) for operation in found.merged]
    if answered({"merged": merged, "flagged": flagged, "notes": found.notes}):
        return
    for operation in found.merged:
        say(f"merged  {operation.summary}  ({operation.id})")
    for one in found.flagged:
        cosine = "no vectors" if one.cosine is None else f"cosine {one.cosine:.2f}"
        say(f"{one.keep.name} ({one.keep.type}) and {one.other.name}: {cosine}, names {one.names:.2f}")
        say(f"  {one.keep.path}  {one.other.path}", dim=True)
        say(f"  {one.why or 'passes every bar: --resolve merges it'}", dim=True)
    narrate_notes(found.notes)
    ways = ": `workbench graph merge A B`, or `graph apart A B`" if flagged else ""
    narrate(f"{len(merged)} merged, {len(flagged)} to look at{ways}")


@graph.command()
def contradictions() -> None:
    """List pairs of claims that cannot both be true today.

    Each claim is shown with its sources."""

    with workspace() as place:
        found = open_contradictions(place)
    told = [
        {
            **attributes(one, "key", "slot"),
            "entity": one.entity.name,
            "page": one.entity.path,
            "old": _claim_json(one.old),
            "new": _claim_json(one.new),
        }
        for one in found
    ]
    if answered(told):
        return
    for one in found:
        say(f"{one.key[:8]}  {one.entity.name}, {one.slot}", bold=True)
        for name, claim in (("old", one.old), ("new", one.new)):
            since = f", since {claim.since}" if claim.since else ""
            say(f"  {name}  {claim.text}{since}, trust {claim.trust}")
            say(f"       from {', '.join(claim.sources or claim.addresses)}", dim=True)
    ways = ": `workbench graph settle KEY keep|replace|both|reject`" if found else ""
    narrate(f"{len(found)} found{ways}")


def _claim_json(claim: Claim) -> dict[str, Any]:
    return {**attributes(claim, "value", "text", "since", "trust", "sources"), "entries": claim.addresses}


@graph.command()
def fading() -> None:
    """List memories so faded that forgetting them is proposed.

    Nothing is forgotten automatically."""

    with workspace() as place:
        found = fading_in(place, now=this_moment())
    if answered(found):
        return
    for one in found:
        say(f"{one.section}: {one.text}")
        say(f"  {one.target}  {one.why}", dim=True)
    narrate(
        f"{len(found)} found; `workbench jobs run nightly` proposes them; you decide in `workbench inbox`"
    )


graph.add_command(bulletin)
for _operation in OPERATIONS:
    graph.add_command(command_of(_operation))


def _day() -> date:
    """The day that was asked about: that of ``--on``, else today."""
    return given("on") or date.today()


def _refuse_both(everything: bool) -> None:
    if everything and given("on"):
        raise UsageError("--all and --on exclude each other", hint="give one of them")


def say_answer(answer: GraphAnswer) -> None:
    """Print what was found, each with its way and sources; what was assumed goes to stderr."""
    narrate(f"read as: {answer.asked}")
    narrate_notes(answer.notes)
    for found in answer.found:
        if found.memory:
            say(f"{found.score:.2f}  {found.name}: {_memory_words(found.memory)}")
        else:
            say(f"{found.score:.2f}  {found.name}" + (f" ({found.entity.type})" if found.entity else ""))
            say(f"      {found.why}", dim=True)
        say(f"      from {', '.join(found.sources)}", dim=True)
    if not answer.found:
        say("nothing was found about it")
    _say_known(answer.suggestions)


def _say_known(names: Sequence[str]) -> None:
    if names:
        say(f"known names: {', '.join(names)}")


def _memory_words(memory: TypedMemory) -> str:
    """``[todo] Send the contract (on 2026-04-01; importance 0.80, confidence 0.90)``."""
    of = None if memory.happens_at else memory.occurred_at
    days = (("on", memory.happens_at), ("from", of), ("until", memory.valid_until))
    said = [f"{word} {day}" for word, day in days if day] + ["done"] * memory.done
    figures = f"importance {memory.importance:.2f}, confidence {memory.confidence:.2f}"
    return f"[{memory.type}] {memory.text} ({'; '.join(filter(None, (', '.join(said), figures)))})"


def _say_entity(entity: Entity, node: Node, mark: str) -> None:
    """A page: what it is called, what is known, and what is around it; ``mark`` before its addresses."""
    say(f"{entity.name} ({entity.type})", bold=True)
    also = f"  also {', '.join(entity.aliases)}" if entity.aliases else ""
    say(f"{mark}{entity.path}  {entity.id}{also}")
    if entity.valid_from or entity.valid_until:
        until = f" until {entity.valid_until}" if entity.valid_until else ""
        say(f"valid from {entity.valid_from or 'ever'}{until}")
    if entity.problem:
        say(f"not read in full: {entity.problem}", fg="yellow")
    scene = ""
    for memory in entity.memories:
        if memory.scene != scene:
            scene = memory.scene
            say(f"{scene or entity.name}:", bold=True)
        say(f"  {_memory_words(memory)}")
        say(f"    {mark}{memory.entry.address}", dim=True)
    if node.children or node.left_out:
        say("")
        say("\n".join((node.name, *_branches(node))))


def _branches(node: Node, margin: str = "") -> Iterator[str]:
    """The tree below a node, a line for each; what is left out is counted."""
    for at, child in enumerate(node.children, 1):
        last = at == len(node.children) and not node.left_out
        kind = child.hop.link.relation.kind.replace("_", " ") if child.hop else ""
        arrow = f"── {kind} → " if child.hop and child.hop.forward else f"←─ {kind} ── "
        missing = "" if child.entity else " (no page)"
        yield f"{margin}{'└' if last else '├'}{arrow}{child.name}{missing}"
        yield from _branches(child, margin + ("   " if last else "│  "))
    if node.left_out:
        yield f"{margin}└ … {node.left_out} more"


def _say_counts(name: str, total: str, counts: Mapping[str, int]) -> None:
    say_fields((name, total))
    for each, count in counts.items():
        say(f"  {each:<14} {count:>6,}")
