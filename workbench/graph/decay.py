"""Decay: memories that are neither important nor recalled fade, and are proposed for forgetting.

Today's importance is a function of what the page says, the days since, and the days on which it was recalled.
It equals what rewriting every page every night would give (times 0.995, plus 0.01 after a day with a recall),
but no page is rewritten for it: a missed night changes nothing, a clock that jumped leaves no trace, and the
same memory has the same importance wherever it is computed.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from workbench.frozen import frozen
from workbench.graph.model import EntityMemory, Graph
from workbench.graph.read import read_graph
from workbench.memory.claims import claim_key
from workbench.memory.graph_page import TypedMemory
from workbench.memory.proposal import Gate, Proposal
from workbench.memory.provenance import parse_instant
from workbench.workspace.decisions import settled_keys
from workbench.workspace.workspace import Workspace

DAILY = 0.995
"""What is left of an importance after a day."""
RECALLED = 0.01
"""What a day with a recall adds."""
FORGET_BELOW = 0.1
"""Importance below which a memory is proposed for forgetting."""
KEPT = frozenset({"identity"})
"""Types that do not fade."""
BY = "decay"


@frozen
class DecayingMemory:
    """A memory that will be proposed for forgetting on the day ``on``, unless it is recalled before.

    ``value`` is what is left of its importance today.
    """

    held: EntityMemory
    value: float
    on: date


RecallDays = Mapping[str, Collection[date]]
"""The days on which memories were recalled, by claim and by entry address."""


def recalls_of(memory: TypedMemory, recalls: RecallDays) -> set[date]:
    """The days on which this memory was recalled, however it was named then."""
    return {day for name in (claim_key(memory.text), memory.entry.address) for day in recalls.get(name, ())}


def read_recalls(records: Iterable[Mapping[str, Any]]) -> RecallDays:
    """The recalls in the records of the ledger's book; days are those of UTC."""
    days: dict[str, set[date]] = defaultdict(set)
    for record in records:
        if (at := parse_instant(record.get("at"))) is not None:
            for name in (record.get("claim"), record.get("entry")):
                if isinstance(name, str) and name:
                    days[name].add(at.date())
    return days


def faded(importance: float, since: date, today: date, recalls: Collection[date] = ()) -> float:
    """What is left on ``today`` of an ``importance`` (in [0, 1]) that was said on ``since``.

    ``importance * 0.995^days``, and 0.01 more after each day with a recall, which then fades itself; never
    above 1. The same as a nightly ``i = min(1, i * 0.995 + 0.01 * recalled)``, in time linear in the recalls.
    """
    value, at = importance, since
    for day in sorted(day for day in {*recalls} if since <= day < today):
        value = min(1.0, value * DAILY ** (day - at).days * DAILY + RECALLED)
        at = day + timedelta(1)
    return value * DAILY ** (today - at).days


def importance_today(memory: TypedMemory, today: date, recalls: Collection[date] = ()) -> float:
    """The importance of a memory on ``today``. What says no day has no age and does not fade."""
    since = _said_on(memory)
    if memory.type in KEPT or memory.entry.pinned or since is None or since >= today:
        return memory.importance
    return faded(memory.importance, since, today, recalls)


def fading_in(workspace: Workspace, *, now: datetime) -> tuple[Proposal, ...]:
    """Proposals to forget what has faded below 0.1, the most faded first. Nothing is written.

    Never identity, what is pinned (or stands on a pinned page), a todo that is open, or what has yet to
    happen; what a person kept once is not proposed again. A proposal's ``target`` is the entry; accepting it
    is ``plan_forget_memory``, whose diff is its preview.
    """
    recalls = read_recalls(workspace.ledger.read("recalls"))
    today = now.astimezone(UTC).date() if now.tzinfo else now.date()
    decided = settled_keys(workspace, "let go")
    found = [
        _proposal(held, value, today, days)
        for held, days, value in _may_go(read_graph(workspace), recalls, today, decided)
        if value < FORGET_BELOW
    ]
    return tuple(sorted(found, key=lambda one: (-one.score, one.target)))


def will_fade(
    graph: Graph, recalls: RecallDays, *, today: date, within: int, decided: Collection[str] = ()
) -> tuple[DecayingMemory, ...]:
    """What decay will propose to forget in ``within`` days from ``today`` on, the soonest first.

    What has faded already is among it, with ``today`` as its day. Without a further recall the importance of
    ``today`` reaches 0.1 after ln(0.1 / importance) / ln(0.995) days.
    """
    found = []
    for held, _, value in _may_go(graph, recalls, today, decided):
        since = _said_on(held.memory)
        if since is None:
            continue
        days = 0 if value < FORGET_BELOW else int(math.log(FORGET_BELOW / value) / math.log(DAILY)) + 1
        ahead = (max(since, today) - today).days + days
        if ahead <= within:
            found.append(DecayingMemory(held, value, today + timedelta(ahead)))
    return tuple(sorted(found, key=lambda one: (one.on, one.value, one.held.memory.entry.address)))


def forget_key(held: EntityMemory) -> str:
    """The name of the question whether to forget a memory."""
    return claim_key(f"forget {held.owner} {held.memory.type} {held.memory.text}")


def _may_go(
    graph: Graph, recalls: RecallDays, today: date, decided: Collection[str]
) -> Iterator[tuple[EntityMemory, Collection[date], float]]:
    """What fades, with the days on which it was recalled, and its importance today."""
    for held in graph.memories():
        memory = held.memory
        pinned = memory.entry.pinned or (held.entity is not None and held.entity.pinned)
        ahead = memory.happens_at is not None and memory.happens_at >= today
        waiting = memory.type == "todo" and not memory.done and memory.valid_until is None
        stays = held.entity is None or memory.type in KEPT or pinned or ahead or waiting
        if not stays and forget_key(held) not in decided:
            days = recalls_of(memory, recalls)
            yield held, days, importance_today(memory, today, days)


def _proposal(held: EntityMemory, value: float, today: date, days: Collection[date]) -> Proposal:
    memory = held.memory
    since = _said_on(memory) or today
    last = max((day for day in days if day <= today), default=None)
    recalled = f"last recalled on {last}" if last else "never recalled"
    entity = held.entity
    return Proposal(
        key=forget_key(held),
        action="forget",
        text=memory.text,
        section=f"{entity.type}/{entity.name}" if entity else "",
        target=memory.entry.address,
        type=memory.type,
        sources=memory.sources,
        entries=(memory.entry.address,),
        session=memory.session,
        score=1.0 - value,
        parts={"importance": memory.importance, "faded": value - memory.importance},
        gates=(Gate(name="faded", reached=1.0 - value, needed=1.0 - FORGET_BELOW),),
        trust=memory.trust,
        why=(
            f"its importance has faded from {memory.importance:.2f} to {value:.2f} in {(today - since).days} "
            f"days; {recalled}"
        ),
        by=BY,
    )


def _said_on(memory: TypedMemory) -> date | None:
    return memory.recorded_at or memory.valid_from or memory.occurred_at
