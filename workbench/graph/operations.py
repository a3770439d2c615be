"""The operations on the graph, each declared once; those with ``agents`` are what an agent may ask for.

A person says with words what the tools of an agent say with drafts: the same operations, planned from either.
"""

from __future__ import annotations

from workbench.memory.graph_page import ENTITY_TYPES, IMPORTANCE
from workbench.operations.operation_spec import REASON, Kind, OperationSpec, Parameter

_WHY = Parameter("reason", "Why; kept with the operation.", required=True)
_OTHER = Parameter("other", argument=True, required=True)
_MEMORY_TYPES = tuple(IMPORTANCE)

STORE = OperationSpec(
    "store",
    "workbench.graph.write:plan_store_text",
    "Put TEXT, as a typed memory, on the page it is about.",
    Parameter("text", many=True, required=True),
    details=(
        "The page is made where there is none.\n\n"
        "\b\n"
        'graph store --about "Sarah Chen" --type preference "Prefers async reviews"\n'
        'graph store --about "Sarah Chen" --relation works_on "Project Atlas"'
    ),
    parameters=(
        Parameter("about", "Whom or what; else the person themself.", metavar="NAME", default=""),
        Parameter("type", choices=_MEMORY_TYPES, default="fact"),
        Parameter("entity_type", "Of a page that is not there yet.", choices=ENTITY_TYPES),
        Parameter(
            "relation", "TEXT names an entity: store `NAME KIND TEXT`, as in works_on.", metavar="KIND"
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
    "Change one MEMORY: its words, type, days or state.",
    Parameter("memory", kind=Kind.MEMORY, required=True),
    details="MEMORY is its id, or path#hash.",
    parameters=(
        Parameter("text"),
        Parameter("type", choices=_MEMORY_TYPES),
        Parameter("done", "Whether a todo is done.", Kind.FLAG, option="done/--not-done"),
        Parameter("happens_at", "Empty to take the day out.", metavar="DAY"),
        Parameter("valid_until", "Empty to take the day out.", metavar="DAY"),
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
    "Take memories (ids, or path#hash) off their pages.",
    Parameter("memories", kind=Kind.MEMORY, metavar="MEMORY...", required=True, many=True),
    details="They stay in history, and are not learnt again.",
    parameters=(_WHY,),
    clock=True,
    agents=True,
)
SKIP = OperationSpec(
    "skip",
    "workbench.graph.write:record_skip",
    "Record that TEXT was considered and is not to be stored.",
    Parameter("text", required=True, many=True),
    parameters=(Parameter("reason", "Why it is not stored.", required=True),),
    clock=True,
    agents=True,
    undoable=False,
)
MERGE = OperationSpec(
    "merge",
    "workbench.graph.merge:plan_merge_entities",
    "Make the page of OTHER a part of that of KEEP.",
    Parameter("keep", required=True),
    details="Relations that led to OTHER lead to KEEP.",
    parameters=(_OTHER, REASON),
)
APART = OperationSpec(
    "apart",
    "workbench.graph.merge:plan_keep_apart",
    "Record that ONE and OTHER are two entities.",
    Parameter("one", required=True),
    details="They are neither merged nor shown as duplicates again.",
    parameters=(_OTHER, REASON),
    clock=True,
)
SETTLE = OperationSpec(
    "settle",
    "workbench.graph.contradictions:plan_settle_key",
    "Answer the contradiction KEY (its first digits).",
    Parameter("key", required=True),
    details=(
        "\b\n"
        "keep     the old claim; the new one is forgotten, and not learnt again\n"
        "replace  the old claim by the new one: it held until the new one began\n"
        "both     are right; it is not asked again\n"
        "reject   both: neither holds any more"
    ),
    parameters=(
        Parameter("answer", choices=("keep", "replace", "both", "reject"), argument=True, required=True),
        REASON,
    ),
    clock=True,
)
OPERATIONS = (STORE, UPDATE, FORGET, SKIP, MERGE, APART, SETTLE)
