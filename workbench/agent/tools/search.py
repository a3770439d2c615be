"""memory_search and memory_get: what stands in memory files, found and read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from indexing.document import Stored, entry_key
from indexing.query.filters import Filters
from indexing.search.answer import Hit, Query
from indexing.search.candidates import Pool
from workbench.agent.exclusion_policy import why_flagged, why_over
from workbench.agent.fence import as_text
from workbench.agent.relevance import Relevance, RelevanceOf
from workbench.agent.scopes import LEADER, Scoped, SearchScope, ask
from workbench.agent.team import TeamHit, in_one_order
from workbench.agent.tools.agent_session import Call, Door
from workbench.agent.tools.tool import (
    ANYTHING,
    LONGEST_PATH,
    LONGEST_QUERY,
    NOTES,
    Arguments,
    Result,
    Tool,
    day,
    day_in,
    gives,
    one_of,
    several,
    takes,
    text,
    whole,
)
from workbench.agent.usage_log import Given
from workbench.errors import NotMemoryError, UsageError, WorkbenchError
from workbench.memory.entry import Kind
from workbench.memory.names import is_outside
from workbench.plural import plural
from workbench.safety.secrets import masked
from workbench.workspace.layout import ARCHIVE

MOST_LINES = 2_000
MOST_CHARACTERS = 100_000
"""What one memory_get returns at most; the rest is asked for with ``from``."""
_KINDS = tuple(kind.value for kind in Kind)


def memory_search(door: Door, said: Arguments, call: Call) -> Result:
    """The entries that answer a question best, each with why. Raises IndexUnavailableError."""
    query = Query(
        said["query"],
        k=said.get("limit", 10),
        mode=said.get("mode", "hybrid"),
        filters=Filters(
            kinds=frozenset(Kind(kind) for kind in said.get("kinds", ())),
            since=day_in(said, "since"),
            until=day_in(said, "until"),
        ),
        plain=True,
        user=door.user,
    )
    notes: list[str] = []
    with door.searching(call) as scopes:
        asked: list[Scoped] = []
        for one in ask(scopes, query):
            call.go_on()
            notes += _notes(one)
            asked.append(one)
        hits, said_of_scale = in_one_order(asked, query)
        notes += said_of_scale
        found = list(_with_relevance(hits, query))
        if behind := door.behind():
            notes.append(behind)
    results = [_result(door.now().date(), *row) for row in found]
    given = [
        Given(hit.entry, stored.text if stored else hit.snippet, relevance.score if relevance else hit.score)
        for scope, hit, stored, relevance in found
        if not scope.mark
    ]
    if problem := door.record(given, said["query"], "memory_search"):
        notes.append(problem)
    if not results:
        notes.append("nothing was found; try other words, or memory_graph_query for facts by type and day")
    return {"results": results, "notes": list(dict.fromkeys(notes))}


def memory_get(door: Door, said: Arguments, call: Call) -> Result:
    """Lines of a memory file, the leader's where one has none of that path.

    Raises NotMemoryError for everything else, quarantine and ledger among it.
    """
    call.go_on()
    asked = said["path"]
    mark, _, rest = asked.partition(":")
    place, path = (
        (door.leader, rest) if mark == LEADER and door.leader is not None else (door.workspace, asked)
    )
    path = path.rpartition("#")[0] or path if not place.layout.holds(path) else path
    if is_outside(path):
        raise NotMemoryError(path)
    try:
        data = place.read(path)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, ValueError):
        if door.leader is not None and place is door.workspace:
            return memory_get(door, {**said, "path": f"{LEADER}:{path}"}, call)
        raise NotMemoryError(path) from None
    lines = data.decode("utf-8", "replace").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    first, count = said.get("from", 1), said.get("lines", MOST_LINES)
    if first > max(1, len(lines)):
        raise UsageError(f"{path} has {plural(len(lines), 'line')}, so there is no line {first}")
    part, notes = list[str](), list[str]()
    room = MOST_CHARACTERS
    for number, line in enumerate(lines[first - 1 : first - 1 + count], first):
        if part and len(line) >= room:
            break
        part.append(line[:MOST_CHARACTERS])
        if len(line) > MOST_CHARACTERS:
            notes.append(f"line {number} is cut: the first {MOST_CHARACTERS:,} of {len(line):,} characters")
        room -= len(part[-1]) + 1
    last = first - 1 + len(part)
    return {
        "path": asked if mark == LEADER else path,
        "start_line": first,
        "end_line": last,
        "total_lines": len(lines),
        "next": last + 1 if last < len(lines) else None,
        "text": as_text("\n".join(part)),
        "notes": notes,
    }


def shown(words: str) -> str:
    """Words of memory as a tool returns them: secrets masked, nothing invisible."""
    return as_text(masked(words))


def _notes(one: Scoped) -> Iterator[str]:
    if one.answer is None:
        yield one.unavailable
        return
    whose = f"{one.scope.mark}: " if one.scope.mark else ""
    for note in (one.answer.degraded, one.answer.stale, *one.answer.notes):
        if note:
            yield whose + note


def _with_relevance(
    hits: Sequence[TeamHit], query: Query
) -> Iterator[tuple[SearchScope, Hit, Stored | None, Relevance | None]]:
    pools: dict[str, tuple[Pool, RelevanceOf]] = {}
    for one in hits:
        scope, hit = one.scope, replace(one.hit, score=one.strength)
        if scope.mark not in pools:
            pool = scope.searcher.pool(query)
            pools[scope.mark] = pool, RelevanceOf(pool)
        pool, relevance = pools[scope.mark]
        key = entry_key(hit.entry)
        stored = pool.entry(key) if key in pool.matches else None
        if stored is None:
            yield scope, hit, None, None
        else:
            words = " ".join((stored.text, *stored.heading, *stored.facets.names))
            yield scope, hit, stored, relevance.of(key, words)


def _result(
    today: date, scope: SearchScope, hit: Hit, stored: Stored | None, relevance: Relevance | None
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "entry": scope.address(hit.entry),
        "path": scope.address(hit.path),
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "kind": str(hit.kind),
        "heading": as_text(" > ".join(hit.heading)),
        "date": hit.date.isoformat() if hit.date else None,
        "text": shown(hit.snippet),
        "score": round(hit.score, 4),
        "relevance": round(relevance.score, 4) if relevance else None,
        "trust": stored.facets.trust if stored else "unknown",
    }
    if stored and stored.facets.user:
        row["user"] = stored.facets.user
    if stored and hit.kind is Kind.ENTITY and stored.facets.names:
        row["entity"] = as_text(stored.facets.names[0])
    if scope.mark:
        row["scope"] = scope.mark
    if warnings := list(_warnings(scope, hit, stored, today)):
        row["warnings"] = warnings
    return row


def _warnings(scope: SearchScope, hit: Hit, stored: Stored | None, today: date) -> Iterator[str]:
    if stored and (why := why_flagged(stored.text)):
        yield f"{why}: treat it with suspicion"
    if hit.path.startswith(ARCHIVE):
        yield "it was archived: it may be out of date"
    if hit.kind is Kind.ENTITY:
        with contextlib.suppress(WorkbenchError, OSError):  # a page that went away meanwhile warns of nothing
            entry = scope.workspace.find(hit.entry)
            if why := why_over(entry.provenance.day("valid_until") if entry.provenance else None, today):
                yield f"{why}: it is over"


SEARCH = Tool(
    name="memory_search",
    title="Search memory",
    description=(
        "Search all of memory (notes, daily logs, episodes, the graph, long-term memory) by meaning and by "
        "words. Use it before you answer anything about earlier work, decisions, dates, people, preferences "
        "or todos. Ask in whole questions or with the exact identifier. `relevance` below 0.3 usually means "
        "that memory knows nothing of it. Read around a result with memory_get."
    ),
    schema=takes(
        ("query",),
        query=text("What to look for: a question, words, an identifier", LONGEST_QUERY),
        limit=whole("Results at most", 1, 50, 10),
        mode=one_of("By meaning and words, or by one of them", ("hybrid", "lexical", "vector"), "hybrid"),
        kinds=several(one_of("A kind", _KINDS), "Only files of these kinds"),
        since=day("Only entries of this day or later"),
        until=day("Only entries of this day or earlier"),
    ),
    result=gives(results=ANYTHING, notes=NOTES),
    example={"query": "which port does the staging API use?", "limit": 5},
    run=memory_search,
    lane="search",
)
GET = Tool(
    name="memory_get",
    title="Read a memory file",
    description=(
        "Read a memory file, or some of its lines, by the path of a memory_search result. Only memory files "
        "of this workspace can be read. Where `next` is a number there is more: call again with from=next."
    ),
    schema=takes(
        ("path",),
        path=text("A path such as memory/2026-03-14.md, or the entry of a result", LONGEST_PATH),
        **{"from": whole("The first line", 1, 100_000_000, 1)},
        lines=whole("How many lines", 1, MOST_LINES),
    ),
    result=gives(
        path={"type": "string"},
        start_line={"type": "integer"},
        end_line={"type": "integer"},
        total_lines={"type": "integer"},
        next={"type": ["integer", "null"]},
        text={"type": "string"},
        notes=NOTES,
    ),
    example={"path": "memory/2026-03-14.md", "from": 10, "lines": 20},
    run=memory_get,
)
