"""memory_search and memory_get: what stands in memory files, found and read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any

from msgspec import Meta

from indexing.document import Stored
from indexing.query.question import Filters
from indexing.search.answer import Hit, Query
from indexing.search.modes import MODES, ModeName
from workbench.agent.exclusion_policy import why_flagged, why_over
from workbench.agent.federated_search import LEADER, ScopeHit, SearchScope
from workbench.agent.fenced_memory import as_text
from workbench.agent.tools.agent_session import AgentSession, Call
from workbench.agent.tools.tool import (
    ANYTHING,
    Answer,
    FileKind,
    PathText,
    Question,
    Result,
    gives,
    tool,
)
from workbench.agent.usage import Given
from workbench.errors import NotMemoryError, UsageError, WorkbenchError
from workbench.memory.entry import Kind
from workbench.memory.names import is_outside
from workbench.plural import plural
from workbench.safety.secrets import masked
from workbench.workspace.layout import ARCHIVE

MOST_LINES = 2_000
MOST_CHARACTERS = 100_000
"""What one memory_get returns at most; the rest is asked for with ``from``."""
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
    call: Call,
    query: Annotated[Question, "What to search for: a question, words, an identifier"],
    limit: Annotated[int, Meta(ge=1, le=50), "Results at most"] = 10,
    mode: ModeArgument = "hybrid",
    kinds: Annotated[frozenset[FileKind], "Only files of these kinds"] = frozenset(),
    since: Annotated[date | None, "Only entries of this day or later"] = None,
    until: Annotated[date | None, "Only entries of this day or earlier"] = None,
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
    answer = Answer(session, query, "memory_search")
    with session.searching(call) as service:
        found = service.search(asked_for)
        call.go_on()
        told = found.told
        answer.notes = [*filter(None, (told.degraded, told.stale)), *told.notes]
        for one, stored, score in found.measured():
            words = stored.text if stored else one.hit.snippet
            given = Given(one.hit.entry, words, one.strength if score is None else score)
            answer.add(one.scope.mark, _row(one, stored, score, session.now().date()), [given])
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
    call: Call,
    path: Annotated[PathText, "A path such as memory/2026-03-14.md, or the entry of a result"],
    from_: Annotated[int, Meta(ge=1, le=100_000_000), "The first line"] = 1,
    lines: Annotated[int, Meta(ge=1, le=MOST_LINES), "How many lines"] = MOST_LINES,
) -> Result:
    """Read a memory file, or some of its lines, by the path of a memory_search result. Only memory files of
    this workspace can be read. Where `next` is a number there is more: call again with from=next.
    """
    call.go_on()
    path, data = _read(session, path)
    rows = data.decode("utf-8", "replace").split("\n")
    if rows and not rows[-1]:
        rows.pop()
    if from_ > max(1, len(rows)):
        raise UsageError(f"{path} has {plural(len(rows), 'line')}, so there is no line {from_}")
    part, notes = list[str](), list[str]()
    room = MOST_CHARACTERS
    for number, row in enumerate(rows[from_ - 1 : from_ - 1 + lines], from_):
        if part and len(row) >= room:
            break
        part.append(row[:MOST_CHARACTERS])
        if len(row) > MOST_CHARACTERS:
            notes.append(f"line {number} is cut: the first {MOST_CHARACTERS:,} of {len(row):,} characters")
        room -= len(part[-1]) + 1
    last = from_ - 1 + len(part)
    return {
        "path": path,
        "start_line": from_,
        "end_line": last,
        "total_lines": len(rows),
        "next": last + 1 if last < len(rows) else None,
        "text": as_text("\n".join(part)),
        "notes": notes,
    }


def _read(session: AgentSession, asked: str) -> tuple[str, bytes]:
    """The path as it is told, and what is there; of one's own memory first. Raises NotMemoryError."""
    prefix = f"{LEADER}:"
    theirs = session.leader is not None and asked.startswith(prefix)
    place = session.leader if session.leader is not None and theirs else session.workspace
    path = asked.removeprefix(prefix) if theirs else asked
    path = path if place.layout.holds(path) else path.rpartition("#")[0] or path
    if is_outside(path):
        raise NotMemoryError(path)
    try:
        return (asked if theirs else path), place.read(path)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, ValueError):
        if session.leader is not None and not theirs:
            return _read(session, prefix + path)
        raise NotMemoryError(path) from None


def shown(words: str) -> str:
    """Words of memory as a tool returns them: secrets masked, nothing invisible."""
    return as_text(masked(words))


def _row(one: ScopeHit, stored: Stored | None, relevance: float | None, today: date) -> dict[str, Any]:
    scope, hit = one.scope, one.hit
    row: dict[str, Any] = {
        "entry": scope.address(hit.entry),
        "path": scope.address(hit.path),
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "kind": str(hit.kind),
        "heading": as_text(" > ".join(hit.heading)),
        "date": hit.date.isoformat() if hit.date else None,
        "text": shown(hit.snippet),
        "score": round(one.strength, 4),
        "relevance": None if relevance is None else round(relevance, 4),
        "trust": stored.facets.trust if stored else "unknown",
    }
    more = {
        "user": stored.facets.user if stored else "",
        "entity": as_text(stored.facets.names[0])
        if stored and hit.kind is Kind.ENTITY and stored.facets.names
        else "",
        "warnings": list(_warnings(scope, hit, stored, today)),
    }
    return {**row, **{name: value for name, value in more.items() if value}}


def _warnings(scope: SearchScope, hit: Hit, stored: Stored | None, today: date) -> Iterator[str]:
    if stored and (why := why_flagged(stored.text)):
        yield f"{why}: do not trust it"
    if hit.path.startswith(ARCHIVE):
        yield "it was archived and may be out of date"
    if hit.kind is Kind.ENTITY:
        with contextlib.suppress(WorkbenchError, OSError):  # a page that went away meanwhile warns of nothing
            entry = scope.workspace.find(hit.entry)
            if why := why_over(entry.provenance.day("valid_until") if entry.provenance else None, today):
                yield f"{why}: it is over"
