"""What changes memory from here, each as one operation; planned by the graph's own functions."""

from __future__ import annotations

from screens.drawing.clock import now
from screens.main.request import Request
from workbench.graph.contradiction_answers import Answer, plan_keep_apart, plan_settle
from workbench.graph.contradictions import Contradiction
from workbench.graph.merge import plan_merge_entities
from workbench.graph.write import plan_update
from workbench.memory.graph_page import Entity
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace


def merge_request(keep: Entity, other: Entity) -> Request:
    """The page of ``other`` becomes a part of that of ``keep``."""

    def plan(workspace: Workspace, request: Request) -> Plan:
        return plan_merge_entities(workspace, keep.path, other.path)

    return Request(action="merge", addresses=(keep.path, other.path), planner=plan)


def apart_request(one: Entity, other: Entity) -> Request:
    """They are two, and it is not asked again."""

    def plan(workspace: Workspace, request: Request) -> Plan:
        return plan_keep_apart(workspace, one.path, other.path, now=now())

    return Request(action="settle", addresses=(one.path, other.path), planner=plan)


def settle_request(contradiction: Contradiction, answer: Answer) -> Request:
    """A contradiction is answered."""

    def plan(workspace: Workspace, request: Request) -> Plan:
        return plan_settle(workspace, contradiction, answer, now=now())

    addresses = (*contradiction.old.addresses, *contradiction.new.addresses)
    return Request(action="settle", addresses=addresses, planner=plan)


def done_request(address: str) -> Request:
    """A todo, a goal or anything else with a day is done."""

    def plan(workspace: Workspace, request: Request) -> Plan:
        return plan_update(workspace, address, now=now(), done=True)

    return Request(action="update", addresses=(address,), planner=plan)
