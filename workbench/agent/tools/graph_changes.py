"""The tools by which an agent changes the graph: memory_graph_store, _update, _forget and _skip.

By the person's policy a change is done at once or waits as a proposal. Either way it says which agent it came
from, and can be undone. None of them writes MEMORY.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Annotated, Any

from workbench.agent.tools.tool import (
    AgentSession,
    EntityType,
    MemoryType,
    Moment,
    Name,
    PathText,
    Result,
    Share,
    Why,
    Words,
    gives,
    tool,
)
from workbench.config import settings as settings_module
from workbench.dreaming.proposals.inbox import propose
from workbench.dreaming.proposals.safety_flags import flags_of
from workbench.errors import (
    EntryNotFoundError,
    FlaggedError,
    NotCuratableError,
    NotMemoryError,
    UsageError,
)
from workbench.graph import operations
from workbench.graph.drafts import MemoryDraft, memory_draft, without_none
from workbench.graph.keyword_search import suggestions
from workbench.graph.model import EntityMemory, Graph
from workbench.graph.write import plan_forget_memory, plan_store, plan_update, record_skip, require_fit
from workbench.memory.claims import claim_key
from workbench.memory.entry import Kind, is_outside
from workbench.memory.graph_page import TypedMemory
from workbench.memory.proposal import Action, Proposal
from workbench.safety.hidden_text import unsafe_in
from workbench.safety.secrets import secrets_in
from workbench.workspace.layout import SETTINGS_FILE
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

POLICIES = ("propose", "store")
_FEWEST_DIGITS = 4
"""Of an address's digest, to name a memory by its beginning."""
_WAITS: Mapping[Action, str] = {
    "store": "it waits for the person's decision: it is not memory yet, and memory_search does not find it. "
    "Do not store it again",
    "update": "it waits for the person's decision; until then memory stays as it is",
    "forget": "it waits for the person's decision; until then memory stays as it is",
}
_DONE = {"store": "stored", "update": "updated", "forget": "forgotten"}
_writing = partial(
    tool,
    result=gives(
        status={
            "type": "string",
            "enum": ["proposed", "waiting", "left_out", "stored", "updated", "forgotten", "skipped", "done"],
            "description": "The result; with `proposed` and `waiting`, a person will decide",
        },
        key={"type": "string", "description": "The proposal, or the operation that can be undone"},
        memory={
            "type": ["string", "null"],
            "description": "The current address of the memory",
        },
    ),
    lane="write",
)
Source = Annotated[PathText | None, "Where it was said: a path and line of memory"]
MemoryReference = Annotated[
    PathText, "The id or entry of a memory, as memory_graph_recall and memory_graph_query give it"
]
HappensAt = Annotated[Moment | None, "When it is due or takes place"]
ValidUntil = Annotated[date | None, "Until when it is true"]
Confidence = Annotated[Share | None, "How sure it is"]


@_writing(
    "Remember a fact",
    example={"text": "Send the contract", "type": "todo", "entity": "Sarah Chen", "happens_at": "2026-04-01"},
)
def memory_graph_store(
    session: AgentSession,
    text: Annotated[Words, "One sentence or two"],
    type: Annotated[MemoryType | None, "The type of memory"] = None,
    entity: Annotated[
        Name | None, "Whom or what it is about, by name or id; leave it out for the person themself"
    ] = None,
    entity_type: Annotated[EntityType | None, "The type of entity"] = None,
    happens_at: HappensAt = None,
    occurred_at: Annotated[Moment | None, "When it happened"] = None,
    valid_until: ValidUntil = None,
    importance: Annotated[
        Share | None, "How much it matters; leave it out for what is usual for its type"
    ] = None,
    confidence: Confidence = None,
    source: Source = None,
    reason: Why | None = None,
) -> Result:
    """Remember one durable thing, in one sentence that can be understood by itself: a decision, a preference,
    a fact about a person or project, a todo or event with its day. Not for what only matters today, nor for
    secrets. Depending on the person's settings it is stored, or waits until they accept it.
    """
    marks = {
        "happens_at": happens_at,
        "occurred_at": occurred_at,
        "valid_until": valid_until,
        "importance": importance,
        "confidence": confidence,
    }
    with session.writing(operations.STORE) as place:
        draft = memory_draft(
            {
                "text": text,
                "type": type,
                "entity": entity,
                "entity_type": entity_type,
                **marks,
                "sources": () if source is None else (_source(place, source),),
                "session": session.session_id,
                "trust": "agent",  # an agent cannot vouch for what it says, whatever it claims to be quoting
            }
        )
        require_fit(draft)
        graph = session.graphs()[0][1]
        notes = _about_entity(graph, draft)
        if draft.entity and (page := graph.entity(draft.entity)):
            draft = replace(draft, entity=page.name, entity_type=page.type)
        return _decided(
            session,
            "store",
            partial(plan_store, place, draft),
            reason,
            notes,
            key=claim_key(f"{draft.entity} {draft.text}"),
            text=draft.text,
            section=f"{draft.entity_type or 'concept'}/{draft.entity}" if draft.entity else "",
            type=draft.type,
            sources=draft.sources,
            marks=_as_words(marks),
        )


@_writing("Change a memory", example={"memory": "m7f3a", "done": True, "reason": "the contract was sent"})
def memory_graph_update(
    session: AgentSession,
    memory: MemoryReference,
    text: Annotated[Words | None, "The new words"] = None,
    type: Annotated[MemoryType | None, "The type of memory"] = None,
    importance: Annotated[Share | None, "How much it matters"] = None,
    confidence: Confidence = None,
    happens_at: HappensAt = None,
    valid_until: ValidUntil = None,
    done: Annotated[bool | None, "Whether a todo is done"] = None,
    reason: Why | None = None,
) -> Result:
    """Change one memory of the graph: its words, type, days, importance, or that a todo is done. For
    something that stopped being true give `valid_until` and store what is true now.
    """
    said = {
        "text": text,
        "type": type,
        "importance": importance,
        "confidence": confidence,
        "happens_at": happens_at,
        "valid_until": valid_until,
        "done": done,
    }
    changes: dict[str, Any] = without_none(said)
    with session.writing(operations.UPDATE) as place:
        held = _memory(session, memory)
        address, marks = held.memory.entry.address, _as_words(changes)
        words = " ".join((text or held.memory.text).split())
        told = ", ".join(f"{name} {value}" for name, value in marks.items() if name != "text")
        return _decided(
            session,
            "update",
            partial(plan_update, place, address, **changes),
            reason,
            key=claim_key(f"update {address} {sorted(marks.items())}"),
            text=f"{words} ({told})" if told else words,
            type=type or held.memory.type,
            marks=marks,
            **_of(held),
        )


@_writing("Forget a memory", example={"memory": "m7f3a", "reason": "it was about another Sarah"})
def memory_graph_forget(session: AgentSession, memory: MemoryReference, reason: Why) -> Result:
    """Take one memory out of the graph because it is wrong or was never worth keeping; it stays in history.
    For something that was true and is not any more use memory_graph_update with `valid_until`.
    """
    with session.writing(operations.FORGET) as place:
        held = _memory(session, memory)
        found = held.memory
        return _decided(
            session,
            "forget",
            partial(plan_forget_memory, place, [found.entry.address]),
            reason,
            key=claim_key(f"{held.owner} {found.text}"),
            text=found.text,
            type=found.type,
            **_of(held),
        )


@_writing(
    "Do not remember",
    example={"text": "The build took four minutes today", "reason": "only matters today"},
)
def memory_graph_skip(
    session: AgentSession,
    text: Annotated[Words, "What it was; only its digest is kept"],
    reason: Why,
    source: Source = None,
) -> Result:
    """Record that you considered remembering something and decided against it, with the reason: so that a
    person can see what is not kept, and why.
    """
    with session.writing(operations.SKIP) as place:
        where, why = _source(place, source), _reason(reason)
        record = record_skip(place, [text], now=session.now(), reason=why, source=where, by=session.by)
    return _result("skipped", record["key"], ["recorded; nothing was stored"])


def _memory(session: AgentSession, reference: str) -> EntityMemory:
    """The memory that an agent names by its id or address, of which the beginning of its digest is enough.

    Raises EntryNotFoundError, NotCuratableError, NotMemoryError.
    """
    wanted = reference.strip()
    place, _, digits = wanted.rpartition("#")  # the name of a page may have the mark too

    def is_named(memory: TypedMemory) -> bool:
        is_begun = len(digits) >= _FEWEST_DIGITS and memory.entry.address.startswith(wanted)
        return memory.id == wanted or (is_begun and memory.entry.path == place)

    memories = session.graphs()[0][1].memories()
    held = next((held for held in memories if is_named(held.memory)), None)
    if held is not None and held.entity is not None:
        return held
    path = held.memory.entry.path if held else reference.rpartition("#")[0]
    if path and session.workspace.layout.kind_of(path) is Kind.MEMORY:
        raise NotCuratableError(
            f"{path} belongs to the person: agents cannot write there",
            hint="tell the person what should change, or store it with memory_graph_store",
        )
    if held is not None:
        raise NotCuratableError(
            f"{path} is not a page of the graph, and agents cannot change it", hint="tell the person"
        )
    if path and (is_outside(path) or not session.workspace.layout.holds(path)):
        raise NotMemoryError(path)
    raise EntryNotFoundError(reference)


def _source(place: Workspace, source: str | None) -> str:
    """``path#L12`` of memory, as it was given; empty where none is. Raises UsageError for what is none."""
    if source is None:
        return ""
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
            hint="give the id of the right one",
        )
    like = suggestions(graph, draft.entity, 3)
    known = f"; known names: {', '.join(like)}" if like else ""
    return [f"there is no page of {draft.entity} yet: it is created{known}"]


def _policy(session: AgentSession) -> str:
    """`propose` or `store`. Raises UsageError where the settings say neither."""
    # Read anew: an agent's server runs for days, and the person's word counts from when it is given.
    said = settings_module.load(session.workspace.root / SETTINGS_FILE).agent_writes
    if said not in POLICIES:
        raise UsageError(
            f"the setting agent_writes is {said!r}, and nothing is written",
            hint="one of " + ", ".join(POLICIES),
        )
    return said


def _reason(said: str | None) -> str:
    """Why, on one line; empty where nothing is said. Raises FlaggedError: a reason is kept for good, as what
    it is about is.
    """
    reason = " ".join((said or "").split())
    if found := unsafe_in(reason):
        raise FlaggedError({"reason": "; ".join(found)}, secret=bool(secrets_in(reason)))
    return reason


def _as_words(said: Mapping[str, Any]) -> dict[str, str]:
    """What a proposal carries along, of what was said."""

    def word(value: object) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        return f"{value:g}" if isinstance(value, float) else " ".join(str(value).split())

    return {name: word(value) for name, value in said.items() if value is not None}


def _of(held: EntityMemory) -> dict[str, Any]:
    """Where a memory stands, and what it came from."""
    section = f"{held.entity.type}/{held.entity.name}" if held.entity else ""
    return {"section": section, "sources": held.memory.sources, "is_pinned": held.memory.entry.pinned}


def _decided(
    session: AgentSession,
    action: Action,
    planner: Callable[..., Plan],
    reason: str | None,
    notes: Iterable[str] = (),
    is_pinned: bool = False,
    **proposed: Any,
) -> Result:
    """Do it as an operation of the agent's, or let it wait for the person, as it is ``proposed``.

    What is to be done to a pinned memory, and what gives orders to an agent, waits whatever the policy is.
    Whatever is wrong with it is told now, and not to the person later.
    """
    why = _reason(reason)
    proposal = Proposal(
        action=action, session=session.session_id, trust="agent", why=why, by=session.by, **proposed
    )

    def by_agent() -> Plan:
        plan = planner(now=session.now(), actor="agent", reason=why)
        return replace(plan, trailers=(*plan.trailers, ("By", session.by)))

    held = ["the person pinned this memory: only they change it"] if is_pinned else []
    if action != "forget":
        held += flags_of(proposal)
    if _policy(session) == "store" and not held:
        operation = session.workspace.operations.carry_out(by_agent)
        became = next(iter(operation.became), None)
        return _result(_DONE[action], operation.id, [*notes, *operation.notes], became)
    plan = by_agent()
    if action != "store":
        proposal = replace(proposal, target=plan.entries[0])
    outcome = propose(session.workspace, [proposal], session.now())
    if outcome.added:
        return _result("proposed", outcome.added[0].key, [_WAITS[action], *held, *notes])
    if outcome.waiting:
        return _result("waiting", outcome.waiting[0].key, ["this is already waiting for the person", *notes])
    left = outcome.left_out[0][1] if outcome.left_out else "there is nothing to do"
    told = [f"nothing was proposed: {left}. Do not try it again in other words"]
    return _result("left_out", proposal.key, told)


def _result(status: str, key: str, notes: list[str], memory: str | None = None) -> Result:
    return {"status": status, "key": key, "memory": memory, "notes": notes}
