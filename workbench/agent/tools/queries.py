"""The tools that only read: memory files, found and read, and what the graph knows.

A member of a team is answered from its own memory first, then from its leader's.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import chain
from typing import Annotated, Any, Literal

from msgspec import Meta

from indexing.document import Facets, Stored, entry_key
from indexing.query.question import Filters
from indexing.search.answer import Hit, Query
from indexing.search.modes import MODES, ModeName
from workbench.agent.agent_text import why_distrusted, why_over
from workbench.agent.federated_search import (
    LEADER,
    RelevanceOf,
    ScopeHit,
    SearchScope,
    graph_relevance,
    marked,
)
from workbench.agent.tools.tool import (
    ANYTHING,
    AgentSession,
    FileKind,
    MemoryType,
    Name,
    PathText,
    Question,
    Result,
    Share,
    ToolAnswer,
    gives,
    require_wanted,
    tool,
)
from workbench.agent.usage import GivenEntry
from workbench.errors import (
    EntryNotFoundError,
    IndexUnavailableError,
    NotMemoryError,
    UsageError,
    WorkbenchError,
)
from workbench.graph.keyword_search import memories_with
from workbench.graph.memory_query import MemoryQuery, Order, find
from workbench.graph.model import EntityMemory, Graph, memory_json
from workbench.graph.search import Relevance, search_graph, unnamed_words
from workbench.memory.entry import Entry, Kind, RelPath, is_outside
from workbench.memory.graph_page import TypedMemory
from workbench.memory.markdown import Document
from workbench.memory.origin import Origin, OriginReader
from workbench.plural import plural
from workbench.safety.secrets import masked
from workbench.safety.terminal import cut, visible
from workbench.workspace.layout import ARCHIVE

MOST_LINES = 2_000
MOST_CHARACTERS = 100_000
"""What one memory_get returns at most; the rest is asked for with ``from``."""
_LINES = 200
"""What it returns where nobody says how many."""
_AROUND = 500
"""Lines above and below that are looked at for secrets too."""
_LONGEST_WARNING = 300
"""Characters; of a file in which every other line has a warning the first are enough."""
Limit = Annotated[int, Meta(ge=1, le=50)]
ModeArgument = Annotated[
    ModeName,
    "Hybrid (keyword and semantic), keyword (lexical) or semantic (vector)",
]


@tool(
    "Search memory",
    example={"query": "which port does the staging API use?", "limit": 5},
    result=gives(results=ANYTHING),
    lane="search",
)
def memory_search(
    session: AgentSession,
    query: Annotated[Question, "What to search for: a question, words, an identifier"],
    limit: Annotated[Limit, "Maximum results"] = 10,
    mode: ModeArgument = "hybrid",
    kinds: Annotated[frozenset[FileKind], "Only files of these kinds"] = frozenset(),
    since: Annotated[date | None, "Only entries of this day or later"] = None,
    until: Annotated[date | None, "Only entries of this day or earlier"] = None,
    min_relevance: Annotated[Share, "Only results that are at least so relevant"] = 0.0,
) -> Result:
    """Search all of memory (notes, daily logs, episodes, the graph, long-term memory) by meaning and by
    words. Use it before you answer anything about earlier work, decisions, dates, people, preferences or
    todos. Ask in whole questions or with the exact identifier. `relevance` below 0.3 usually means that
    memory knows nothing of it. Read around a result with memory_get.
    """
    asked_for = Query(
        query,
        k=limit,
        mode=MODES[mode],
        filters=Filters(kinds=frozenset(map(Kind, kinds)), since=since, until=until),
        plain=True,
        user=session.user,
    )
    answer = ToolAnswer(session, query, "memory_search")
    with session.searching() as service:
        found = service.search(asked_for)
        require_wanted()
        told = found.told
        answer.notes = [*filter(None, (told.degraded, told.stale)), *told.notes]
        for one, stored, score in found.measured():
            if score is not None and score < min_relevance:
                continue
            words = stored.text if stored else one.hit.snippet
            given = GivenEntry(one.hit.entry, words, one.strength if score is None else score)
            answer.add(one.scope.mark, _row(one, stored, score, session.today()), [given])
    return answer.told(
        "results", "nothing was found; try other words, or memory_graph_query for facts by type and day"
    )


@tool(
    "Read a memory file",
    example={"path": "memory/2026-03-14.md", "from": 10, "lines": 20},
    result=gives(
        path={"type": "string"},
        start_line={"type": "integer"},
        end_line={"type": "integer"},
        total_lines={"type": "integer"},
        next={"type": ["integer", "null"]},
        text={"type": "string"},
    ),
)
def memory_get(
    session: AgentSession,
    path: Annotated[PathText, "A path such as memory/2026-03-14.md, or the entry of a result"],
    from_: Annotated[Annotated[int, Meta(ge=1, le=100_000_000)] | None, "The first line"] = None,
    lines: Annotated[
        Annotated[int, Meta(ge=1, le=MOST_LINES)] | None, "How many lines; 200 if left out"
    ] = None,
) -> Result:
    """Read a memory file, or some of its lines, by the path of a memory_search result; path#L9-L11 is these
    lines, and an entry (path#hash) its own. Only memory files of this workspace can be read. Where `next` is
    a number there is more: call again with the path and from=next.
    """
    require_wanted()
    named, document, start, length = _part(session, path)
    rows = document.text.split("\n")
    if rows and not rows[-1]:
        rows.pop()
    first = from_ or start
    if first > max(1, len(rows)):
        raise UsageError(f"{named} has {plural(len(rows), 'line')}, so there is no line {first}")
    most = min(lines or (length if from_ is None else None) or _LINES, MOST_LINES)
    # A key may take several lines, and what is a password on one line is one on those around it.
    above = rows[max(0, first - 1 - _AROUND) : first - 1]
    shown_rows = masked("\n".join((*above, *rows[first - 1 : first - 1 + most + _AROUND]))).split("\n")
    part, notes = list[str](), list[str]()
    room = MOST_CHARACTERS
    for number, row in enumerate(shown_rows[len(above) :][:most], first):
        if part and len(row) >= room:
            break
        part.append(row[:MOST_CHARACTERS])
        if len(row) > MOST_CHARACTERS:
            notes.append(f"line {number} is cut: the first {MOST_CHARACTERS:,} of {len(row):,} characters")
        room -= len(part[-1]) + 1
    last = first - 1 + len(part)
    if last < len(rows) and len(part) == most and not (lines or length):
        notes.append(f"lines {first}-{last} of {len(rows):,}: read on with from={last + 1}")
    return {
        "path": named,
        "start_line": first,
        "end_line": last,
        "total_lines": len(rows),
        "next": last + 1 if last < len(rows) else None,
        "text": visible("\n".join(part)),
        "notes": [*notes, *map(visible, line_warnings(document, first, last))],
    }


def _part(session: AgentSession, asked: str) -> tuple[str, Document, int, int | None]:
    """The path as it is told, what is there, of one's own memory first, the first line and how many.

    Raises NotMemoryError, EntryNotFoundError, AmbiguousEntryError.
    """
    own, leader, prefix = session.workspace, session.leader, f"{LEADER}:"
    place, path = own, asked
    if leader is not None and asked.startswith(prefix):
        place, path = leader, asked.removeprefix(prefix)
    try:
        if is_outside(path):
            raise NotMemoryError(path)
        path, start, length = place.part(path)
        document = place.parsed(RelPath(path), place.read(path))
    except (
        FileNotFoundError,
        IsADirectoryError,
        NotADirectoryError,
        ValueError,
        EntryNotFoundError,
    ) as error:
        if leader is not None and place is own:
            return _part(session, prefix + asked)
        raise error if isinstance(error, EntryNotFoundError) else NotMemoryError(path) from None
    return path if place is own else prefix + path, document, start, length


def line_warnings(document: Document, first: int, last: int) -> list[str]:
    """A warning for each reason why some of these lines are not to be trusted, with their numbers."""
    origins = OriginReader(document)
    spans = [
        (one.start_line, one.end_line, one.text, origins.of(one))
        for block in document.blocks
        if block.first < last and block.last >= first
        for one in document.entries_of(block)
        if one.start_line <= last and one.end_line >= first
    ]
    inside = {number for start, end, *_ in spans for number in range(start, end + 1)}
    starts = document.line_starts
    for n in range(first, min(last, len(starts) - 1) + 1):
        if n not in inside:
            row = document.data[starts[n - 1] : starts[n]].decode("utf-8", "replace")
            spans.append((n, n, row, Origin.AGENT))
    found: dict[str, dict[tuple[int, int], None]] = {}
    for start, end, text, origin in sorted(spans):
        outside = "it is from outside" if origin is Origin.OUTSIDE else None
        for why in filter(None, (why_distrusted(text, origin), outside)):
            found.setdefault(why, {})[start, end] = None
    return [
        cut(f"{_numbers(where)}: {why}: do not trust it", _LONGEST_WARNING) for why, where in found.items()
    ]


def _numbers(where: Iterable[tuple[int, int]]) -> str:
    """``lines 4, 9-12``."""
    told = ", ".join(f"{start}" if start == end else f"{start}-{end}" for start, end in where)
    return f"{'line' if told.isdigit() else 'lines'} {told}"


def shown(words: str) -> str:
    """Words of memory as a tool returns them: secrets masked, nothing invisible."""
    return visible(masked(words))


def _row(one: ScopeHit, stored: Stored | None, relevance: float | None, today: date) -> dict[str, Any]:
    scope, hit = one.scope, one.hit
    facets = stored.facets if stored else Facets()
    row: dict[str, Any] = {
        "entry": scope.address(hit.entry),
        "path": scope.address(hit.path),
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "kind": str(hit.kind),
        "heading": visible(" > ".join(hit.heading)),
        "date": hit.date.isoformat() if hit.date else None,
        "text": shown(hit.snippet),
        "score": round(one.strength, 4),
        "relevance": None if relevance is None else round(relevance, 4),
        "trust": facets.trust,
    }
    more = {
        "user": facets.user,
        "entity": visible("".join(facets.names[:1])) if hit.kind is Kind.ENTITY else "",
        "warnings": list(_warnings(scope, hit, stored, today)),
    }
    return {**row, **{name: value for name, value in more.items() if value}}


def _warnings(scope: SearchScope, hit: Hit, stored: Stored | None, today: date) -> Iterator[str]:
    if stored and (why := why_distrusted(stored.text, stored.facets.trust)):
        yield f"{why}: do not trust it"
    if hit.path.startswith(ARCHIVE):
        yield "it was archived and may be out of date"
    if hit.kind is Kind.ENTITY:
        with contextlib.suppress(WorkbenchError, OSError):  # a page that went away meanwhile warns of nothing
            entry = scope.workspace.find(hit.entry)
            if why := why_over(entry.origin.day("valid_until"), today):
                yield f"{why}: it is over"


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
    query: Annotated[Question, "What to recall, in words"],
    types: Types = frozenset(),
    mode: ModeArgument = "hybrid",
    limit: Annotated[Limit, "Maximum memories"] = 10,
) -> Result:
    """Recall facts, decisions, preferences, goals, todos, … of the graph by meaning. Shorter and surer than
    memory_search, but only what was made a typed memory. Give `types` to narrow it.
    """
    graphs = dict(session.graphs())
    asked = Query(
        query,
        mode=MODES[mode],
        k=min(100, 3 * limit),
        filters=Filters(kinds=frozenset({Kind.ENTITY}), types=types),
        plain=True,
        user=session.user,
    )
    answer, today = ToolAnswer(session, query, "memory_graph_recall"), session.today()
    try:
        found, answer.notes = _by_meaning(session, asked, graphs)
    except IndexUnavailableError:
        found = [
            (mark, held, share)
            for mark, graph in graphs.items()
            for held, share in memories_with(graph.as_of(today), query, limit)
            if not types or held.memory.type in types
        ]
        answer.notes = [_FOUND_BY_WORDS]
    for mark, held, score in found[:limit]:
        row = {**_held(mark, held, today), "relevance": round(score, 4)}
        answer.add(mark, row, _given([held.memory.entry], score))
    return answer.told("memories", "the graph has nothing about it; memory_search searches all of memory")


def _by_meaning(
    session: AgentSession, query: Query, graphs: Mapping[str, Graph]
) -> tuple[list[tuple[str, EntityMemory, float]], list[str]]:
    found: list[tuple[str, EntityMemory, float]] = []
    today = session.today()
    with session.searching() as service:
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
    min_importance: Annotated[Share, "Minimum importance"] = 0.0,
    text: Annotated[Name | None, "Must contain these words"] = None,
    sort: Annotated[Order, "Sort order"] = "importance",
    limit: Annotated[int, Meta(ge=1, le=100), "Maximum memories"] = 20,
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
    today = session.today()
    found = [(mark, find(graph, question, today)) for mark, graph in session.graphs()]
    answer = ToolAnswer(session, repr(question), "memory_graph_query")
    answer.notes = [note for _, one in found for note in one.notes]
    for mark, match in [(mark, match) for mark, one in found for match in one.matches][:limit]:
        row = {**_held(mark, match.held, today), "why": visible(match.why)}
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
            {"name": visible(task.name), "page": marked(mark, task.path)}
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
    query: Annotated[Question, "A question that names at least one person, project or thing"],
    as_of: Annotated[date | None, "As it was on this day"] = None,
    limit: Annotated[Limit, "Maximum findings"] = 10,
) -> Result:
    """What is known of the people, projects and things that a question names, and what is at most two
    relations away, best first: “what is Alice working on?”, “how is Bob connected to Atlas?”. Says along
    which path it came to each finding.
    """
    graphs = dict(session.graphs())
    relevances: dict[str, Relevance] = {}  # without an index the words decide
    with session.searching() as service:
        for scope in service.scopes:
            unnamed = unnamed_words(graphs[scope.mark], query)
            with contextlib.suppress(IndexUnavailableError):
                relevances[scope.mark] = graph_relevance(scope.searcher, query, unnamed, session.user)
    answers = [
        (
            mark,
            search_graph(
                graph.as_of(as_of) if as_of else graph,
                query,
                session.today(),
                most=limit,
                relevance=relevances.get(mark),
            ),
        )
        for mark, graph in graphs.items()
    ]
    answer = ToolAnswer(session, query, "knowledge_graph_search")
    answer.notes = [note for _, one in answers for note in one.notes]
    for mark, found in [(mark, found) for mark, one in answers for found in one.found][:limit]:
        row = found.as_json()
        if found.memory is not None:
            row["memory"] = _memory(mark, found.memory)
        for hop in row["path"]:
            hop["entry"] = marked(mark, hop["entry"])
        answer.add(mark, _visible(row), _given([line.entry for line in found.lines], found.score))
    answer.notes += _known_names(one.suggestions for _, one in answers)
    understood = visible(next((one.asked for _, one in answers if one.asked), ""))
    return answer.told("found", understood=understood)


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


def _held(mark: str, held: EntityMemory, today: date) -> dict[str, Any]:
    row = {**_memory(mark, held.memory), "about": visible(held.owner)}
    if over := why_over(held.memory.valid_until, today):
        row["warnings"] = [*row.get("warnings", ()), f"{over}: it is over"]
    return row


def _memory(mark: str, memory: TypedMemory) -> dict[str, Any]:
    row: dict[str, Any] = _visible(memory_json(memory))
    row["entry"] = marked(mark, memory.entry.address)
    if why := why_distrusted(memory.entry.text, memory.trust):
        row["warnings"] = [f"{why}: do not trust it"]
    return row


def _visible(value: Any) -> Any:
    """JSON in which every text is fit to be read."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, dict):
        return {key: _visible(inner) for key, inner in value.items()}
    return [_visible(inner) for inner in value] if isinstance(value, list) else value


def _given(entries: Iterable[Entry], score: float) -> list[GivenEntry]:
    return [GivenEntry(entry.address, entry.text, score) for entry in entries]
