"""memory_graph_store and memory_graph_skip: what an agent wants remembered, and what it does not."""

from __future__ import annotations

from dataclasses import replace

from workbench.agent.tools.agent_session import Call, Door
from workbench.agent.tools.outcome import (
    RESULT,
    WHY,
    carried_out,
    marks_of,
    policy,
    proposed,
    reason_in,
    result,
)
from workbench.agent.tools.tool import (
    ENTITY_TYPE,
    LONGEST_NAME,
    LONGEST_PATH,
    LONGEST_TEXT,
    MEMORY_TYPE,
    Arguments,
    Result,
    Tool,
    day,
    moment,
    share,
    takes,
    text,
)
from workbench.errors import UsageError
from workbench.graph import operations
from workbench.graph.drafts import MemoryDraft, memory_draft
from workbench.graph.entity_recognition import suggestions
from workbench.graph.snapshot import Graph
from workbench.graph.write import flagged, held_back, plan_store
from workbench.memory.claims import claim_key
from workbench.memory.names import is_outside
from workbench.memory.proposal import Proposal
from workbench.workspace import ledger
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

_MARKS = ("happens_at", "occurred_at", "valid_until", "importance", "confidence")


def memory_graph_store(door: Door, said: Arguments, call: Call) -> Result:
    """Remember one thing. Raises UsageError, FlaggedError, ReadOnlyError, BusyError, …"""
    with door.writing(call, operations.STORE) as place:
        now, reason, draft = door.now(), reason_in(said), _draft(door, said)
        if why := held_back(draft):
            raise flagged({draft: why})
        graph = door.graphs(call)[0][1]
        notes = _about_entity(graph, draft)
        draft = _resolved(graph, draft)

        def planned() -> Plan:
            return plan_store(place, draft, now=now, actor="agent", reason=reason)

        if policy(door) == "store":
            return carried_out(door, planned, notes)
        planned()  # whatever is wrong with it is told now, and not to the person later
        proposal = Proposal(
            key=claim_key(f"{draft.entity} {draft.text}"),
            action="store",
            text=draft.text,
            section=f"{draft.entity_type or 'concept'}/{draft.entity}" if draft.entity else "",
            type=draft.type,
            sources=draft.sources,
            session=door.session,
            trust=draft.trust,
            why=reason,
            by=door.by,
            marks=marks_of(said, _MARKS),
        )
        return proposed(door, proposal, notes)


def memory_graph_skip(door: Door, said: Arguments, call: Call) -> Result:
    """Record that something was considered and not stored, and why."""
    with door.writing(call, operations.SKIP) as place:
        source = _source(place, said["source"]) if "source" in said else ""
        key = claim_key(said["text"])
        record = {"key": key, "why": reason_in(said), "source": source, "by": door.by}
        ledger.append(place, "skips", [record], door.now())
    return result("skipped", key, ["recorded; nothing was stored"])


def _draft(door: Door, said: Arguments) -> MemoryDraft:
    fields = {name: value for name, value in said.items() if name not in ("source", "reason")}
    sources = (_source(door.workspace, said["source"]),) if "source" in said else ()
    # An agent cannot vouch for what it says, whatever it claims to be quoting.
    return memory_draft({**fields, "sources": sources, "session": door.session, "trust": "agent"})


def _resolved(graph: Graph, draft: MemoryDraft) -> MemoryDraft:
    """The draft about the entity that its name, alias or id means, by its own name and type."""
    entity = graph.entity(draft.entity) if draft.entity else None
    return draft if entity is None else replace(draft, entity=entity.name, entity_type=entity.type)


def _source(place: Workspace, source: str) -> str:
    """``path#L12`` of memory, as it was given. Raises UsageError for what is none."""
    path = source.partition("#")[0]
    if is_outside(path) or not place.layout.holds(path) or any(ord(c) < 32 for c in source):
        raise UsageError(
            f"source: {source!r} is not in memory",
            hint="a path of memory_search with a line, such as memory/2026-03-14.md#L12; or leave it out",
        )
    return " ".join(source.split())


def _about_entity(graph: Graph, draft: MemoryDraft) -> list[str]:
    """What to tell of the entity that a draft is about, where nobody has that name, or several have."""
    if not draft.entity:
        return ["it is about the person whose memory this is, as no entity was named"]
    if graph.entity(draft.entity) is not None:
        return []
    if several := graph.candidates(draft.entity):
        raise UsageError(
            f"entity: {draft.entity} may be " + ", ".join(f"{one.name} ({one.id})" for one in several[:5]),
            hint="give the id of the one that you mean",
        )
    like = [f"{one.name} ({one.type})" for one in suggestions(graph, draft.entity, 3)]
    known = f"; names that look like it: {', '.join(like)}" if like else ""
    return [f"there is no page of {draft.entity} yet: one is made{known}"]


STORE = Tool(
    name="memory_graph_store",
    title="Remember a fact",
    description=(
        "Remember one durable thing, in one sentence that can be understood by itself: a decision, a "
        "preference, a fact about a person or project, a todo or event with its day. Not for what only "
        "matters today, nor for secrets. Depending on the person's settings it is stored, or waits until "
        "they accept it."
    ),
    schema=takes(
        ("text",),
        text=text("One sentence or two", LONGEST_TEXT),
        type=MEMORY_TYPE,
        entity=text(
            "Whom or what it is about, by name or id; leave it out for the person themself", LONGEST_NAME
        ),
        entity_type=ENTITY_TYPE,
        happens_at=moment("When it is due or takes place"),
        occurred_at=moment("When it happened"),
        valid_until=day("Until when it is true"),
        importance=share("How much it matters; leave it out for what is usual for its type"),
        confidence=share("How sure it is"),
        source=text("Where it was said: a path and line of memory", LONGEST_PATH),
        reason=WHY,
    ),
    result=RESULT,
    example={"text": "Send the contract", "type": "todo", "entity": "Sarah Chen", "happens_at": "2026-04-01"},
    run=memory_graph_store,
    lane="write",
)
SKIP = Tool(
    name="memory_graph_skip",
    title="Do not remember",
    description=(
        "Record that you considered remembering something and decided against it, with the reason: so that "
        "a person can see what is not kept, and why."
    ),
    schema=takes(
        ("text", "reason"),
        text=text("What it was; only its digest is kept", LONGEST_TEXT),
        reason=WHY,
        source=text("Where it was said: a path and line of memory", LONGEST_PATH),
    ),
    result=RESULT,
    example={"text": "The build took four minutes today", "reason": "only matters today"},
    run=memory_graph_skip,
    lane="write",
)
