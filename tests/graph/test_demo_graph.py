"""The demo's graph, asked what a person would ask of it."""

from __future__ import annotations

from datetime import date

import pytest

from workbench.graph.memory_query import MemoryQuery, find, upcoming
from workbench.graph.model import Graph
from workbench.graph.search import search_graph
from workbench.memory.entry import RelPath
from workbench.memory.graph_page import read_entity
from workbench.memory.markdown import parse_document
from workbench.workspace.demo import demo_commits
from workbench.workspace.layout import USUAL

TODAY = date(2026, 3, 31)


@pytest.fixture(scope="module")
def graph() -> Graph:
    state: dict[str, bytes | None] = {}
    for commit in demo_commits(TODAY):
        state |= commit.files
    pages = [(path, data) for path, data in sorted(state.items()) if path.startswith("graph/") and data]
    return Graph(
        tuple(read_entity(parse_document(RelPath(path), data, USUAL.kind_of(path))) for path, data in pages)
    )


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what is Jonas working on?", {"Foghorn", "Lighthouse"}),
        ("who works on Lighthouse?", {"Jonas Brandt", "Mei-Ling Zhou", "Tessa Marlowe"}),
        ("what caused the false alarm?", {"Gauge Mk3", "Quiet-Gauge Rule"}),
        ("who knows the harbourmaster?", {"Tessa Marlowe"}),
        ("what depends on NATS?", {"Foghorn"}),
        ("what did Mei-Ling decide?", {"Drift Threshold"}),
    ],
)
def test_relations_of_the_demo(graph: Graph, question: str, expected: set[str]) -> None:
    found = search_graph(graph, question, TODAY).found
    assert {one.name for one in found[: len(expected)]} == expected


def test_both_places_where_jonas_is_said_to_live_are_given(graph: Graph) -> None:
    found = search_graph(graph, "where does Jonas live?", TODAY).found
    assert {one.memory.text for one in found[:2] if one.memory} == {"Lives in Hamburg", "Lives in Bremen"}


def test_tessa_and_the_old_broker_are_connected_over_lighthouse(graph: Graph) -> None:
    found = search_graph(graph, "how is Tessa connected to Mosquitto?", TODAY).found[0]
    assert [hop.end for hop in found.path] == ["Lighthouse", "Mosquitto"]


def test_tasks_of_lighthouse_are_pending(graph: Graph) -> None:
    question = MemoryQuery(types=("todo",), about="project Lighthouse", state="pending", order="due")
    matches = find(graph, question, TODAY).matches
    assert matches[0].held.memory.text == "Move the tide model file out of git"
    assert {match.why for match in matches[1:]} == {
        "Tessa Marlowe works on Lighthouse",
        "Jonas Brandt works on Lighthouse",
    }


def test_no_relation_of_the_demo_leads_nowhere(graph: Graph) -> None:
    assert graph.unresolved() == ()
    assert graph.broken == ()


def test_what_is_due_in_the_demo_is_upcoming_or_overdue(graph: Graph) -> None:
    schedule = upcoming(graph, TODAY)
    assert [due.days for due in schedule.overdue] == [-3, -1]
    assert [due.sort for due in schedule.upcoming].count("event") == 4
    assert schedule.undated == ()
