"""The demo's graph, asked what a person would ask of it."""

from __future__ import annotations

from datetime import date

import pytest

from workbench.graph.memory_query import find
from workbench.graph.questions import question_from_text
from workbench.graph.schedule import upcoming
from workbench.graph.snapshot import Graph
from workbench.graph.traverse import answer
from workbench.memory.graph_page import read_entity
from workbench.memory.markdown import parse_document
from workbench.memory.names import RelPath
from workbench.workspace.demo import demo_commits
from workbench.workspace.layout import kind_of

TODAY = date(2026, 3, 31)


@pytest.fixture(scope="module")
def graph() -> Graph:
    state: dict[str, bytes | None] = {}
    for commit in demo_commits(TODAY):
        state |= commit.files
    pages = [(path, data) for path, data in sorted(state.items()) if path.startswith("graph/") and data]
    return Graph(
        tuple(read_entity(parse_document(RelPath(path), data, kind_of(path))) for path, data in pages)
    )


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what is Jonas working on?", ["Foghorn", "Lighthouse"]),
        ("who works on Lighthouse?", ["Jonas Brandt", "Mei-Ling Zhou", "Tessa Marlowe"]),
        ("where does Tessa live?", ["Dunedin"]),
        ("where does 森田健二 live?", ["Osaka"]),
        ("what caused the false alarm?", ["Gauge Mk3"]),
        ("who is responsible for Crumb?", ["Tessa Marlowe"]),
        ("who knows the harbourmaster?", ["Tessa Marlowe"]),
        ("what depends on NATS?", ["Lighthouse", "Foghorn", "Port Ellery Pilot"]),
        ("who lives in Dunedin?", ["Aroha Ngata", "Tessa Marlowe"]),
        ("what did Mei-Ling decide?", ["Drift Threshold"]),
    ],
)
def test_relations_of_the_demo(graph: Graph, question: str, expected: list[str]) -> None:
    assert [found.name for found in answer(graph, question, TODAY).found] == expected


def test_both_places_where_jonas_is_said_to_live_are_given_the_newer_first(graph: Graph) -> None:
    found = answer(graph, "where does Jonas live?", TODAY).found
    assert [item.memory.text for item in found if item.memory] == ["Lives in Hamburg", "Lives in Bremen"]


def test_the_broker_of_the_past_is_given_for_the_past(graph: Graph) -> None:
    now = {item.name for item in answer(graph, "what does Lighthouse use?", TODAY).found}
    then = {item.name for item in answer(graph, "what did Lighthouse use before?", TODAY).found}
    assert "Mosquitto" not in now
    assert "Mosquitto" in then


def test_whom_mei_ling_knows_is_nowhere_said_and_the_answer_says_so(graph: Graph) -> None:
    found = answer(graph, "who does Mei-Ling know?", TODAY)
    assert found.notes == ("nothing says “knows” of Mei-Ling Zhou; this is what is known around it",)
    assert {item.entity.type for item in found.found if item.entity} == {"person"}


def test_tessa_and_the_old_broker_are_connected_over_lighthouse(graph: Graph) -> None:
    (found,) = answer(graph, "how is Tessa connected to Mosquitto?", TODAY).found
    assert [hop.end for hop in found.path] == ["Lighthouse", "Mosquitto"]


def test_tasks_of_lighthouse_are_pending(graph: Graph) -> None:
    question = question_from_text("which tasks are pending in project Lighthouse?", TODAY)
    assert question is not None
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
