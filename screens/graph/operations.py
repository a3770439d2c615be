"""What changes memory from here, each as one operation of the graph."""

from __future__ import annotations

from dataclasses import replace

from screens.drawing.clock import now
from screens.main.request import Request, declared_request
from workbench.graph import operations
from workbench.graph.contradictions import Answer, Contradiction, plan_settle
from workbench.memory.graph_page import Entity
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace


def merge_request(keep: Entity, other: Entity) -> Request:
    """The page of ``other`` becomes a part of that of ``keep``."""
    request = declared_request(operations.MERGE, keep.path, other=other.path)
    return replace(request, addresses=(keep.path, other.path))


def apart_request(one: Entity, other: Entity) -> Request:
    """They are two, and it is not asked again."""
    request = declared_request(operations.APART, one.path, other=other.path)
    return replace(request, action="settle", addresses=(one.path, other.path))


def settle_request(contradiction: Contradiction, answer: Answer) -> Request:
    """A contradiction is answered."""

    def plan(workspace: Workspace, request: Request) -> Plan:
        return plan_settle(workspace, contradiction, answer, now=now())

    addresses = (*contradiction.old.addresses, *contradiction.new.addresses)
    return Request(action="settle", addresses=addresses, planner=plan)


def done_request(address: str) -> Request:
    """A todo, a goal or anything else with a day is done."""
    return declared_request(operations.UPDATE, address, done=True)
