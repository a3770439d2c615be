"""memory_graph_recall, memory_graph_query and knowledge_graph_search: what the graph knows.

A member of a team is answered from its own graph first, then from its leader's.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from indexing.document import entry_key
from indexing.query.filters import Filters
from indexing.search.answer import Query
from workbench.agent.exclusion_policy import why_flagged, why_over
from workbench.agent.fence import as_text
from workbench.agent.relevance import RelevanceOf, graph_relevance
from workbench.agent.scopes import ask
from workbench.agent.tools.agent_session import Call, Door
from workbench.agent.tools.search import shown
from workbench.agent.tools.tool import (
    ANYTHING,
    LONGEST_NAME,
    LONGEST_QUERY,
    MEMORY_TYPE,
    NOTES,
    Arguments,
    Result,
    Tool,
    day,
    day_in,
    gives,
    one_of,
    several,
    share,
    takes,
    text,
    whole,
)
from workbench.agent.usage_log import Given
from workbench.errors import IndexUnavailableError
from workbench.graph.answer import memory_json
from workbench.graph.keyword_search import memories_with
from workbench.graph.memory_query import ORDERS, MemoryQuery, find
from workbench.graph.search import Relevance, search_graph, unnamed_words
from workbench.graph.snapshot import Graph, Held
from workbench.memory.entry import Kind

_STATES = ("current", "pending", "overdue", "done", "any")
_FOUND_BY_WORDS = "there is no index, so only words were compared; the person can run `workbench reindex`"


def memory_graph_recall(door: Door, said: Arguments, call: Call) -> Result:
    """Typed memories that mean what is asked, the best first."""
    limit, types = said.get("limit", 10), frozenset(said.get("types", ()))
    graphs = dict(door.graphs(call))
    try:
        found, notes = _by_meaning(door, said, types, limit, graphs, call)
    except IndexUnavailableError:
        today = door.now().date()
        found = [
            (mark, one.held, one.share)
            for mark, graph in graphs.items()
            for one in memories_with(graph.as_of(today), said["query"], limit)
            if not types or one.held.memory.type in types
        ]
        notes = [_FOUND_BY_WORDS]
    found = found[:limit]
    notes += _recorded(door, found, said["query"], "memory_graph_recall")
    if not found:
        notes.append("the graph knows nothing of it; memory_search looks in everything else too")
    return {
        "memories": [_held(mark, held, door, relevance=score) for mark, held, score in found],
        "notes": list(dict.fromkeys(notes)),
    }


def memory_graph_query(door: Door, said: Arguments, call: Call) -> Result:
    """Typed memories by type, whom they are about, state and days."""
    question = MemoryQuery(
        types=tuple(said.get("types", ())),
        about=said.get("about", ""),
        state=said.get("state", "current"),
        occurred_since=day_in(said, "occurred_since"),
        occurred_until=day_in(said, "occurred_until"),
        happens_within=said.get("happens_within"),
        min_importance=said.get("min_importance", 0.0),
        text=said.get("text", ""),
        order=said.get("sort", "importance"),
        limit=said.get("limit", 20),
    )
    today = door.now().date()
    rows, notes, suggested, tasks, total = list[dict[str, Any]](), list[str](), list[str](), list[Any](), 0
    found: list[tuple[str, Held, float]] = []
    for mark, graph in door.graphs(call):
        result = find(graph, question, today)
        total += result.total
        notes += result.notes
        suggested += result.suggestions
        tasks += [{"name": as_text(task.name), "page": _marked(mark, task.path)} for task in result.tasks]
        for match in result.matches[: question.limit - len(rows)]:
            row = _held(mark, match.held, door)
            row["why"] = as_text(match.why)
            if match.late:
                row["overdue_days"] = match.late
            rows.append(row)
            found.append((mark, match.held, match.held.memory.importance))
    asked = " ".join(f"{name}={value}" for name, value in sorted(said.items()))
    notes += _recorded(door, found, asked, "memory_graph_query")
    if suggested:
        notes.append("known names: " + ", ".join(dict.fromkeys(map(as_text, suggested))))
    elif not rows:
        notes.append("nothing answers this; leave a condition out, or ask with state=any")
    return {
        "total": total,
        "memories": rows,
        "tasks": tasks,
        "notes": list(dict.fromkeys(map(as_text, notes))),
    }


def knowledge_graph_search(door: Door, said: Arguments, call: Call) -> Result:
    """What is known of what a question names, and what is related to it."""
    today = door.now().date()
    graphs = door.graphs(call)
    relevances = _relevances(door, said["query"], graphs, call)
    asked, notes, rows, suggested = "", list[str](), list[dict[str, Any]](), list[str]()
    given: list[Given] = []
    limit = said.get("limit", 10)
    for mark, graph in graphs:
        if "as_of" in said:
            graph = graph.as_of(day_in(said, "as_of") or today)  # noqa: PLW2901 - the same graph on another day
        relevance = relevances.get(mark)
        result = search_graph(graph, said["query"], today, most=limit, relevance=relevance)
        asked = asked or result.asked
        notes += result.notes
        suggested += result.suggestions
        for found in result.found[: limit - len(rows)]:
            row = found.as_json()
            if found.memory is not None:
                row["memory"] = _memory(mark, found.memory)
            for hop in row["path"]:
                hop["entry"] = _marked(mark, hop["entry"])
            row = _visible(row)
            if mark:
                row["scope"] = mark
            rows.append(row)
            if not mark:
                entries = (
                    [found.memory.entry] if found.memory else [h.link.relation.entry for h in found.path]
                )
                given += [Given(entry.address, entry.text, found.score) for entry in entries]
    if problem := door.record(given, said["query"], "knowledge_graph_search"):
        notes.append(problem)
    if suggested:
        notes.append("known names: " + ", ".join(dict.fromkeys(suggested)))
    return {
        "understood": as_text(asked),
        "found": rows,
        "notes": list(dict.fromkeys(map(as_text, notes))),
    }


def _relevances(
    door: Door, question: str, graphs: tuple[tuple[str, Graph], ...], call: Call
) -> dict[str, Relevance]:
    """What the search engine says of each scope's graph; without an index the words decide."""
    unnamed = {mark: unnamed_words(graph, question) for mark, graph in graphs}
    found: dict[str, Relevance] = {}
    with door.searching(call) as scopes:
        for scope in scopes:
            with contextlib.suppress(IndexUnavailableError):
                found[scope.mark] = graph_relevance(scope.searcher, question, unnamed[scope.mark], door.user)
    return found


def _by_meaning(
    door: Door, said: Arguments, types: frozenset[str], limit: int, graphs: dict[str, Graph], call: Call
) -> tuple[list[tuple[str, Held, float]], list[str]]:
    query = Query(
        said["query"],
        mode=said.get("mode", "hybrid"),
        k=min(100, 3 * limit),
        filters=Filters(kinds=frozenset({Kind.ENTITY}), types=types),
        plain=True,
        user=door.user,
    )
    found: list[tuple[str, Held, float]] = []
    notes: list[str] = []
    today = door.now().date()
    with door.searching(call) as scopes:
        for one in ask(scopes, query):
            if one.answer is None:
                notes.append(one.unavailable)
                continue
            notes += (note for note in (one.answer.degraded, one.answer.stale) if note)
            pool = one.scope.searcher.pool(query)
            relevance = RelevanceOf(pool)
            standing = {held.memory.entry.address: held for held in graphs[one.scope.mark].memories()}
            for hit in one.answer.hits:
                held = standing.get(hit.entry)
                if held is None or why_over(held.memory.valid_until, today):
                    continue
                words = f"{held.owner} {held.memory.text}"
                found.append((one.scope.mark, held, relevance.of(entry_key(hit.entry), words).score))
    return found, notes


def _held(mark: str, held: Held, door: Door, *, relevance: float | None = None) -> dict[str, Any]:
    row = _memory(mark, held.memory)
    row["about"] = as_text(held.owner)
    if relevance is not None:
        row["relevance"] = round(relevance, 4)
    if over := why_over(held.memory.valid_until, door.now().date()):
        row["warnings"] = [*row.get("warnings", ()), f"{over}: it is over"]
    if mark:
        row["scope"] = mark
    return row


def _memory(mark: str, memory: Any) -> dict[str, Any]:
    row: dict[str, Any] = _visible(memory_json(memory))
    row["text"] = shown(memory.text)
    row["entry"] = _marked(mark, memory.entry.address)
    if why := why_flagged(memory.entry.text):
        row["warnings"] = [f"{why}: treat it with suspicion"]
    return row


def _visible(value: Any) -> Any:
    """JSON in which every text is fit to be read."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, dict):
        return {key: _visible(inner) for key, inner in value.items()}
    return [_visible(inner) for inner in value] if isinstance(value, list) else value


def _recorded(door: Door, found: list[tuple[str, Held, float]], asked: str, by: str) -> Iterator[str]:
    given = [
        Given(held.memory.entry.address, held.memory.entry.text, score)
        for mark, held, score in found
        if not mark
    ]
    if problem := door.record(given, asked, by):
        yield problem


def _marked(mark: str, address: str) -> str:
    return f"{mark}:{address}" if mark else address


RECALL = Tool(
    name="memory_graph_recall",
    title="Recall typed memories",
    description=(
        "Recall facts, decisions, preferences, goals, todos, … of the graph by meaning. Shorter and surer "
        "than memory_search, but only what was made a typed memory. Give `types` to narrow it."
    ),
    schema=takes(
        ("query",),
        query=text("What to recall, in words", LONGEST_QUERY),
        types=several(MEMORY_TYPE, "Only memories of these types"),
        mode=one_of("By meaning and words, or by one of them", ("hybrid", "lexical", "vector"), "hybrid"),
        limit=whole("Memories at most", 1, 50, 10),
    ),
    result=gives(memories=ANYTHING, notes=NOTES),
    example={"query": "how does Sarah like reviews?", "types": ["preference"]},
    run=memory_graph_recall,
    lane="search",
)
QUERY = Tool(
    name="memory_graph_query",
    title="Query typed memories",
    description=(
        "List typed memories by exact conditions: types, whom they are about, state (pending todos, "
        "overdue), the days on which they occurred, or that they happen within a number of days. For “which "
        "tasks are pending in project X?”, “what happens next week?”, “which decisions were made in "
        "March?”."
    ),
    schema=takes(
        (),
        types=several(MEMORY_TYPE, "Only memories of these types"),
        about=text("An entity by name, alias or id: also what belongs to it", LONGEST_NAME),
        state=one_of("What state they are in", _STATES, "current"),
        occurred_since=day("Occurred on this day or later"),
        occurred_until=day("Occurred on this day or earlier"),
        happens_within=whole("Happens within so many days from today", 0, 3_650),
        min_importance=share("At least so important"),
        text=text("Words that they have", LONGEST_NAME),
        sort=one_of("The order", tuple(ORDERS), "importance"),
        limit=whole("Memories at most", 1, 100, 20),
    ),
    result=gives(total={"type": "integer"}, memories=ANYTHING, tasks=ANYTHING, notes=NOTES),
    example={"types": ["todo"], "about": "Project Atlas", "state": "pending", "sort": "due"},
    run=memory_graph_query,
)
GRAPH = Tool(
    name="knowledge_graph_search",
    title="Ask the knowledge graph",
    description=(
        "What is known of the people, projects and things that a question names, and what is at most two "
        "relations away, best first: “what is Alice working on?”, “how is Bob connected to Atlas?”. Says "
        "along which path it came to each finding."
    ),
    schema=takes(
        ("query",),
        query=text("A question that names at least one person, project or thing", LONGEST_QUERY),
        as_of=day("As it was on this day"),
        limit=whole("Findings at most", 1, 50, 10),
    ),
    result=gives(understood={"type": "string"}, found=ANYTHING, notes=NOTES),
    example={"query": "what is Alice working on?"},
    run=knowledge_graph_search,
    lane="search",
)
