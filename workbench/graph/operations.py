"""The operations on the graph, each declared once; those with ``agents`` are what an agent may ask for.

A person gives words and an agent's tool gives drafts: the same operations are planned from either.
"""

from __future__ import annotations

from workbench.memory.graph_types import ENTITY_TYPES, IMPORTANCE
from workbench.operations.registry import REASON, Kind, OperationSpec, Parameter

_WHY = Parameter("reason", "The reason, stored with the operation.", required=True)
_OTHER = Parameter("other", argument=True, required=True)
_MEMORY_TYPES = tuple(IMPORTANCE)

STORE = OperationSpec(
    "store",
    "workbench.graph.write:plan_store_text",
    "Add TEXT as a typed memory to the page of an entity.",
    Parameter("text", many=True, required=True),
    details=(
        "The page is created if there is none.\n\n"
        "\b\n"
        'graph store --about "Sarah Chen" --type preference "Prefers async reviews"\n'
        'graph store --about "Sarah Chen" --relation works_on "Project Atlas"'
    ),
    parameters=(
        Parameter("about", "The entity it is about. Default: the owner.", metavar="NAME", default=""),
        Parameter("type", choices=_MEMORY_TYPES, default="fact"),
        Parameter("entity_type", "The type of the entity, if its page is created.", choices=ENTITY_TYPES),
        Parameter(
            "relation",
            "TEXT names an entity: store the relation `NAME KIND TEXT`, as works_on.",
            metavar="KIND",
        ),
        Parameter(
            "happens_at",
            "When it is due or takes place: a day, or 2026-04-01T14:30+02:00.",
            metavar="DAY",
        ),
        Parameter("occurred_at", "When it happened: a day, or with its time.", metavar="DAY"),
        Parameter("valid_from", metavar="DAY"),
        Parameter("valid_until", metavar="DAY"),
        Parameter("importance", kind=Kind.SHARE),
        Parameter("confidence", kind=Kind.SHARE),
        Parameter("sources", "Where it was said.", option="source", metavar="PATH#L12", many=True),
        REASON,
    ),
    clock=True,
    agents=True,
)
UPDATE = OperationSpec(
    "update",
    "workbench.graph.write:plan_update",
    "Change one MEMORY: its text, type, dates or state.",
    Parameter("memory", kind=Kind.MEMORY, required=True),
    details="MEMORY is its id, or path#hash.",
    parameters=(
        Parameter("text"),
        Parameter("type", choices=_MEMORY_TYPES),
        Parameter("done", "Whether a todo is done.", Kind.FLAG, option="done/--not-done"),
        Parameter("happens_at", "A day; empty removes it.", metavar="DAY"),
        Parameter("valid_until", "A day; empty removes it.", metavar="DAY"),
        Parameter("importance", kind=Kind.SHARE),
        Parameter("confidence", kind=Kind.SHARE),
        REASON,
    ),
    clock=True,
    agents=True,
)
FORGET = OperationSpec(
    "forget",
    "workbench.graph.write:plan_forget_memory",
    "Remove memories (by id or path#hash) from their pages.",
    Parameter("memories", kind=Kind.MEMORY, metavar="MEMORY...", required=True, many=True),
    details="Git keeps them, and they are not added again by `ingest`.",
    parameters=(_WHY,),
    clock=True,
    agents=True,
)
SKIP = OperationSpec(
    "skip",
    "workbench.graph.write:record_skip",
    "Record that TEXT was considered and should not be stored.",
    Parameter("text", required=True, many=True),
    parameters=(Parameter("reason", "Why it is not stored.", required=True),),
    clock=True,
    agents=True,
    undoable=False,
)
MERGE = OperationSpec(
    "merge",
    "workbench.graph.merge:plan_merge_entities",
    "Merge the page of OTHER into the page of KEEP.",
    Parameter("keep", required=True),
    details="Relations to OTHER then lead to KEEP.",
    parameters=(_OTHER, REASON),
)
APART = OperationSpec(
    "apart",
    "workbench.graph.merge:plan_keep_apart",
    "Record that ONE and OTHER are two entities.",
    Parameter("one", required=True),
    details="They are not merged or listed as duplicates again.",
    parameters=(_OTHER, REASON),
    clock=True,
)
SETTLE = OperationSpec(
    "settle",
    "workbench.graph.contradictions:plan_settle_key",
    "Settle the contradiction KEY of `graph contradictions`.",
    Parameter("key", required=True),
    details=(
        "\b\n"
        "keep     keep the old claim; the new one is forgotten, and not added again\n"
        "replace  keep the new claim; the old one was true until the new one began\n"
        "both     keep both; this contradiction is not listed again\n"
        "reject   neither claim is true any more"
    ),
    parameters=(
        Parameter("answer", choices=("keep", "replace", "both", "reject"), argument=True, required=True),
        REASON,
    ),
    clock=True,
)
OPERATIONS = (STORE, UPDATE, FORGET, SKIP, MERGE, APART, SETTLE)
