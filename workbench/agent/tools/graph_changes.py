"""memory_graph_update and memory_graph_forget: memories of the graph changed or let go, never MEMORY.md."""

from __future__ import annotations

from workbench.agent.tools.agent_session import Call, Door
from workbench.agent.tools.outcome import (
    RESULT,
    WHY,
    carried_out,
    marks_of,
    policy,
    proposed,
    reason_in,
)
from workbench.agent.tools.tool import (
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
from workbench.errors import EntryNotFoundError, NotCuratableError, NotMemoryError
from workbench.graph import operations
from workbench.graph.snapshot import Graph, Held
from workbench.graph.write import plan_forget_memory, plan_update
from workbench.memory.claims import claim_key
from workbench.memory.entry import Kind
from workbench.memory.names import is_outside
from workbench.memory.proposal import Proposal
from workbench.workspace.layout import Layout, kind_of
from workbench.workspace.plan import Plan

_CHANGES = ("text", "type", "importance", "confidence", "happens_at", "valid_until", "done")


def memory_graph_update(door: Door, said: Arguments, call: Call) -> Result:
    """Change one memory of the graph."""
    changes = {name: said[name] for name in _CHANGES if name in said}
    with door.writing(call, operations.UPDATE) as place:
        now, held = door.now(), _memory(door, said["memory"], call)
        address, reason = held.memory.entry.address, reason_in(said)

        def planned() -> Plan:
            return plan_update(place, address, now=now, actor="agent", reason=reason, **changes)

        plan = planned()  # whatever is wrong with it is told now, and not to the person later
        if policy(door) == "store":
            return carried_out(door, planned, [])
        marks = marks_of(changes, _CHANGES)
        words = " ".join(str(changes.get("text", held.memory.text)).split())
        told = [f"{name} {value}" for name, value in marks.items() if name != "text"]
        proposal = Proposal(
            key=claim_key(f"update {address} {sorted(marks.items())}"),
            action="update",
            text=f"{words} ({', '.join(told)})" if told else words,
            section=_section(held),
            target=plan.entries[0],
            type=str(changes.get("type", held.memory.type)),
            sources=held.memory.sources,
            session=door.session,
            trust="agent",
            why=reason,
            by=door.by,
            marks=marks,
        )
        return proposed(door, proposal, [])


def memory_graph_forget(door: Door, said: Arguments, call: Call) -> Result:
    """Let one memory of the graph go; it stays in history."""
    with door.writing(call, operations.FORGET) as place:
        now, held = door.now(), _memory(door, said["memory"], call)
        address, reason = held.memory.entry.address, reason_in(said)

        def planned() -> Plan:
            return plan_forget_memory(place, address, reason=reason, now=now, actor="agent")

        plan = planned()
        if policy(door) == "store":
            if held.memory.entry.pinned:
                raise NotCuratableError("the person pinned this memory: only they let it go", hint="ask them")
            return carried_out(door, planned, [])
        proposal = Proposal(
            key=claim_key(f"{held.owner} {held.memory.text}"),
            action="forget",
            text=held.memory.text,
            section=_section(held),
            target=plan.entries[0],
            type=held.memory.type,
            sources=held.memory.sources,
            session=door.session,
            trust="agent",
            why=reason,
            by=door.by,
        )
        return proposed(door, proposal, [])


def find_memory(graph: Graph, reference: str) -> Held | None:
    """The memory of the graph with this id or address."""
    wanted = reference.strip()
    for held in graph.memories():
        entry = held.memory.entry
        if wanted in (held.memory.id, entry.address):
            return held
        path, mark, digits = wanted.rpartition("#")
        if mark and path == entry.path and len(digits) >= 4 and entry.address.startswith(wanted):
            return held
    return None


def _memory(door: Door, reference: str, call: Call) -> Held:
    """The memory that an agent names. Raises EntryNotFoundError, NotCuratableError, NotMemoryError."""
    held = find_memory(door.graphs(call)[0][1], reference)
    if held is not None and held.entity is not None:
        return held
    path = held.memory.entry.path if held else reference.rpartition("#")[0]
    if path and Layout().holds(path) and kind_of(path) is Kind.MEMORY:
        raise NotCuratableError(
            f"{path} is the person's: no agent writes there",
            hint="tell the person what should be different, or store it with memory_graph_store",
        )
    if held is not None:
        raise NotCuratableError(
            f"{path} is no page of the graph, and no agent changes it", hint="tell the person"
        )
    if path and (is_outside(path) or not door.workspace.layout.holds(path)):
        raise NotMemoryError(path)
    raise EntryNotFoundError(reference)


def _section(held: Held) -> str:
    return f"{held.entity.type}/{held.entity.name}" if held.entity else ""


_MEMORY = text(
    "The id or entry of a memory, as memory_graph_recall and memory_graph_query give it", LONGEST_PATH
)
UPDATE = Tool(
    name="memory_graph_update",
    title="Change a memory",
    description=(
        "Change one memory of the graph: its words, type, days, importance, or that a todo is done. For "
        "something that stopped being true give `valid_until` and store what is true now."
    ),
    schema=takes(
        ("memory",),
        memory=_MEMORY,
        text=text("The new words", LONGEST_TEXT),
        type=MEMORY_TYPE,
        importance=share("How much it matters"),
        confidence=share("How sure it is"),
        happens_at=moment("When it is due or takes place"),
        valid_until=day("Until when it is true"),
        done={"type": "boolean", "description": "Whether a todo is done"},
        reason=WHY,
    ),
    result=RESULT,
    example={"memory": "m7f3a", "done": True, "reason": "the contract was sent"},
    run=memory_graph_update,
    lane="write",
)
FORGET = Tool(
    name="memory_graph_forget",
    title="Forget a memory",
    description=(
        "Take one memory out of the graph because it is wrong or was never worth keeping; it stays in "
        "history. For something that was true and is not any more use memory_graph_update with "
        "`valid_until`."
    ),
    schema=takes(("memory", "reason"), memory=_MEMORY, reason=WHY),
    result=RESULT,
    example={"memory": "m7f3a", "reason": "it was about another Sarah"},
    run=memory_graph_forget,
    lane="write",
)
