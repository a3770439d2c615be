"""memory_graph_recall, memory_graph_query and knowledge_graph_search: what the graph knows.

A member of a team is answered from its own graph first, then from its leader's.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from datetime import date
from itertools import chain
from typing import Annotated, Any, Literal

from msgspec import Meta

from indexing.document import entry_key
from indexing.query.question import Filters
from indexing.search.answer import Query
from indexing.search.modes import MODES
from workbench.agent.exclusion_policy import why_flagged, why_over
from workbench.agent.federated_search import RelevanceOf, graph_relevance, marked
from workbench.agent.fenced_memory import as_text
from workbench.agent.tools.agent_session import AgentSession, Call
from workbench.agent.tools.search import ModeArgument, shown
from workbench.agent.tools.tool import (
    ANYTHING,
    Answer,
    MemoryType,
    Name,
    Question,
    Result,
    Share,
    gives,
    tool,
)
from workbench.agent.usage import Given
from workbench.errors import IndexUnavailableError
from workbench.graph.keyword_search import memories_with
from workbench.graph.memory_query import MemoryQuery, Order, find
from workbench.graph.model import Graph, Held, memory_json
from workbench.graph.search import Relevance, search_graph, unnamed_words
from workbench.memory.entry import Entry, Kind
from workbench.memory.graph_page import TypedMemory

_FOUND_BY_WORDS = "there is no index, so only words were compared; the person can run `workbench reindex`"
_HOURS = {"h": 1, "": 24, "d": 24, "w": 168}
_SPAN = re.compile(r"\s*(\d{1,5})\s*([hdw]?)\s*", re.IGNORECASE)
Span = Annotated[str, Meta(pattern=r"^\s*\d{1,5}\s*[hdwHDW]?\s*$")]
Types = Annotated[frozenset[MemoryType], "Only memories of these types"]


@tool(
    "Recall typed memories",
    example={"query": "how does Sarah like reviews?", "types": ["preference"]},
    result=gives(memories=ANYTHING),
    lane="search",
)
def memory_graph_recall(
    session: AgentSession,
    call: Call,
    query: Annotated[Question, "What to recall, in words"],
    types: Types = frozenset(),
    mode: ModeArgument = "hybrid",
    limit: Annotated[int, Meta(ge=1, le=50), "Memories at most"] = 10,
) -> Result:
    """Recall facts, decisions, preferences, goals, todos, … of the graph by meaning. Shorter and surer than
    memory_search, but only what was made a typed memory. Give `types` to narrow it.
    """
    graphs = dict(session.graphs(call))
    asked = Query(
        query,
        mode=MODES[mode],
        k=min(100, 3 * limit),
        filters=Filters(kinds=frozenset({Kind.ENTITY}), types=types),
        plain=True,
        user=session.user,
    )
    answer, today = Answer(session, query, "memory_graph_recall"), session.now().date()
    try:
        found, answer.notes = _by_meaning(session, asked, graphs, call)
    except IndexUnavailableError:
        found = [
            (mark, one.held, one.share)
            for mark, graph in graphs.items()
            for one in memories_with(graph.as_of(today), query, limit)
            if not types or one.held.memory.type in types
        ]
        answer.notes = [_FOUND_BY_WORDS]
    for mark, held, score in found[:limit]:
        row = {**_held(mark, held, today), "relevance": round(score, 4)}
        answer.add(mark, row, _given([held.memory.entry], score))
    return answer.told("memories", "the graph has nothing about it; memory_search searches all of memory")


def _by_meaning(
    session: AgentSession, query: Query, graphs: Mapping[str, Graph], call: Call
) -> tuple[list[tuple[str, Held, float]], list[str]]:
    found: list[tuple[str, Held, float]] = []
    today = session.now().date()
    with session.searching(call) as service:
        asked, notes = service.ask(query)
        for one in asked:
            notes += one.notes
            relevance = RelevanceOf(one.pool)
            standing = {held.memory.entry.address: held for held in graphs[one.scope.mark].memories()}
            for hit in one.answer.hits:
                held = standing.get(hit.entry)
                if held is not None and not why_over(held.memory.valid_until, today):
                    words = f"{held.owner} {held.memory.text}"
                    score = relevance.of(entry_key(hit.entry), words).score
                    found.append((one.scope.mark, held, score))
    return found, notes


@tool(
    "Query typed memories",
    example={"types": ["todo"], "about": "Project Atlas", "state": "pending", "sort": "due"},
    result=gives(total={"type": "integer"}, memories=ANYTHING, tasks=ANYTHING),
)
def memory_graph_query(
    session: AgentSession,
    call: Call,
    types: Types = frozenset(),
    about: Annotated[Name | None, "An entity by name, alias or id: also what belongs to it"] = None,
    state: Annotated[
        Literal["current", "pending", "overdue", "done", "any"], "What state they are in"
    ] = "current",
    occurred_since: Annotated[date | None, "Occurred on this day or later"] = None,
    occurred_until: Annotated[date | None, "Occurred on this day or earlier"] = None,
    happens_within: Annotated[
        Annotated[int, Meta(ge=0, le=3_650)] | Span | None,
        "Happens within so many days from today, or within a span: 24h, 7d, 2w",
    ] = None,
    min_importance: Annotated[Share, "At least so important"] = 0.0,
    text: Annotated[Name | None, "Words that they have"] = None,
    sort: Annotated[Order, "The order"] = "importance",
    limit: Annotated[int, Meta(ge=1, le=100), "Memories at most"] = 20,
) -> Result:
    """List typed memories by exact conditions: types, whom they are about, state (pending todos, overdue),
    the days on which they occurred, or that they happen within a number of days. For “which tasks are pending
    in project X?”, “what happens next week?”, “which decisions were made in March?”.
    """
    question = MemoryQuery(
        types=tuple(types),
        about=about or "",
        state=state,
        occurred_since=occurred_since,
        occurred_until=occurred_until,
        happens_within=_days(happens_within),
        min_importance=min_importance,
        text=text or "",
        order=sort,
        limit=limit,
    )
    today = session.now().date()
    found = [(mark, find(graph, question, today)) for mark, graph in session.graphs(call)]
    answer = Answer(session, repr(question), "memory_graph_query")
    answer.notes = [note for _, one in found for note in one.notes]
    for mark, match in [(mark, match) for mark, one in found for match in one.matches][:limit]:
        row = {**_held(mark, match.held, today), "why": as_text(match.why)}
        if match.late:
            row["overdue_days"] = match.late
        memory = match.held.memory
        answer.add(mark, row, _given([memory.entry], memory.importance))
    suggested = _known_names(one.suggestions for _, one in found)
    answer.notes += suggested
    return answer.told(
        "memories",
        "" if suggested else "no memory matches; remove a condition, or use state=any",
        total=sum(one.total for _, one in found),
        tasks=[
            {"name": as_text(task.name), "page": marked(mark, task.path)}
            for mark, one in found
            for task in one.tasks
        ],
    )


@tool(
    "Ask the knowledge graph",
    example={"query": "what is Alice working on?"},
    result=gives(understood={"type": "string"}, found=ANYTHING),
    lane="search",
)
def knowledge_graph_search(
    session: AgentSession,
    call: Call,
    query: Annotated[Question, "A question that names at least one person, project or thing"],
    as_of: Annotated[date | None, "As it was on this day"] = None,
    limit: Annotated[int, Meta(ge=1, le=50), "Findings at most"] = 10,
) -> Result:
    """What is known of the people, projects and things that a question names, and what is at most two
    relations away, best first: “what is Alice working on?”, “how is Bob connected to Atlas?”. Says along
    which path it came to each finding.
    """
    graphs = session.graphs(call)
    relevances = _relevances(session, query, graphs, call)
    answers = [
        (
            mark,
            search_graph(
                graph.as_of(as_of) if as_of else graph,
                query,
                session.now().date(),
                most=limit,
                relevance=relevances.get(mark),
            ),
        )
        for mark, graph in graphs
    ]
    answer = Answer(session, query, "knowledge_graph_search")
    answer.notes = [note for _, one in answers for note in one.notes]
    for mark, found in [(mark, found) for mark, one in answers for found in one.found][:limit]:
        row = found.as_json()
        if found.memory is not None:
            row["memory"] = _memory(mark, found.memory)
        for hop in row["path"]:
            hop["entry"] = marked(mark, hop["entry"])
        items = [found.memory] if found.memory else [hop.link.relation for hop in found.path]
        answer.add(mark, _visible(row), _given([item.entry for item in items], found.score))
    answer.notes += _known_names(one.suggestions for _, one in answers)
    understood = as_text(next((one.asked for _, one in answers if one.asked), ""))
    return answer.told("found", understood=understood)


def _relevances(
    session: AgentSession, question: str, graphs: Iterable[tuple[str, Graph]], call: Call
) -> dict[str, Relevance]:
    """What the search engine says of each scope's graph; without an index the words decide."""
    unnamed = {mark: unnamed_words(graph, question) for mark, graph in graphs}
    found: dict[str, Relevance] = {}
    with session.searching(call) as service:
        for scope in service.scopes:
            with contextlib.suppress(IndexUnavailableError):
                found[scope.mark] = graph_relevance(
                    scope.searcher, question, unnamed[scope.mark], session.user
                )
    return found


def _days(span: int | str | None) -> int | None:
    """Whole days of a span, a begun one counted as one."""
    found = _SPAN.fullmatch(span) if isinstance(span, str) else None
    if found is not None:
        return -(-int(found[1]) * _HOURS[found[2].lower()] // 24)
    return span if isinstance(span, int) else None


def _known_names(suggested: Iterable[Iterable[str]]) -> list[str]:
    """What to note of names that are like those that were asked for."""
    names = ", ".join(dict.fromkeys(chain.from_iterable(suggested)))
    return [f"known names: {names}"] if names else []


def _held(mark: str, held: Held, today: date) -> dict[str, Any]:
    row = {**_memory(mark, held.memory), "about": as_text(held.owner)}
    if over := why_over(held.memory.valid_until, today):
        row["warnings"] = [*row.get("warnings", ()), f"{over}: it is over"]
    return row


def _memory(mark: str, memory: TypedMemory) -> dict[str, Any]:
    row: dict[str, Any] = _visible(memory_json(memory))
    row["entry"] = marked(mark, memory.entry.address)
    if why := why_flagged(memory.entry.text):
        row["warnings"] = [f"{why}: do not trust it"]
    return row


def _visible(value: Any) -> Any:
    """JSON in which every text is fit to be read."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, dict):
        return {key: _visible(inner) for key, inner in value.items()}
    return [_visible(inner) for inner in value] if isinstance(value, list) else value


def _given(entries: Iterable[Entry], score: float) -> list[Given]:
    return [Given(entry.address, entry.text, score) for entry in entries]
