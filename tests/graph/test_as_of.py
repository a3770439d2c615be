"""What held on a day: by what the pages say of validity, not by when it was written."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.pages import TEAM, graph_of
from workbench.graph.model import Graph

MARCH = date(2026, 3, 14)
DAYS = st.dates(date(2026, 1, 1), date(2026, 3, 1))


def texts(graph: Graph) -> set[str]:
    return {held.memory.text for held in graph.memories()}


def relations(graph: Graph) -> set[tuple[str, str, str]]:
    return {
        (entity.name, link.relation.kind, link.name)
        for entity in graph.entities
        for link in graph.relations_of(entity)
    }


@pytest.mark.parametrize(
    ("day", "holds"),
    [("2026-02-28", False), ("2026-03-01", True), ("2026-03-31", True), ("2026-04-01", False)],
)
def test_a_memory_holds_from_its_first_day_up_to_its_last_exclusively(day: str, holds: bool) -> None:
    line = "- [fact] x <!-- wb: valid_from=2026-03-01 valid_until=2026-04-01 -->\n"
    graph = graph_of({"person/a": f"---\nname: A\n---\n{line}"})
    assert bool(texts(graph.as_of(date.fromisoformat(day)))) is holds


def test_where_one_fact_ends_and_the_next_begins_exactly_one_holds() -> None:
    graph = graph_of(
        {
            "project/a": "---\nname: A\n---\n"
            "- [fact] 4 s <!-- wb: occurred_at=2026-03-01 valid_until=2026-03-14 -->\n"
            "- [fact] 2 s <!-- wb: occurred_at=2026-03-01 valid_from=2026-03-14 -->\n"
        }
    )
    assert texts(graph.as_of(MARCH - timedelta(days=1))) == {"4 s"}
    assert texts(graph.as_of(MARCH)) == {"2 s"}


def test_what_occurred_later_did_not_hold_before() -> None:
    graph = graph_of({"person/a": "---\nname: A\n---\n- [fact] x <!-- wb: occurred_at=2026-03-14 -->\n"})
    assert texts(graph.as_of(MARCH - timedelta(days=1))) == set()
    assert texts(graph.as_of(MARCH)) == {"x"}


def test_what_is_to_happen_is_known_before_it_happens() -> None:
    graph = graph_of({"person/a": "---\nname: A\n---\n- [event] x <!-- wb: happens_at=2026-09-01 -->\n"})
    assert texts(graph.as_of(MARCH)) == {"x"}


def test_an_entity_begins_with_the_first_thing_that_its_page_tells() -> None:
    graph = graph_of(
        {
            "person/a": "---\nname: A\nvalid_from: 2026-03-14\nvalid_until: 2026-05-01\n---\n"
            "- [fact] x <!-- wb: occurred_at=2026-02-01 -->\n- [fact] y\n"
        }
    )
    assert graph.as_of(date(2026, 1, 31)).entities == ()
    assert texts(graph.as_of(date(2026, 2, 1))) == {"x", "y"}
    assert graph.as_of(date(2026, 5, 1)).entities == ()


def test_relations_of_another_day_are_none() -> None:
    graph = graph_of(TEAM)
    alice = "Alice Moss", "works_on"
    assert (*alice, "Borealis") in relations(graph)
    assert (*alice, "Borealis") not in relations(graph.as_of(MARCH))
    assert (*alice, "Atlas") in relations(graph.as_of(MARCH))


def test_a_relation_to_what_did_not_hold_yet_is_none_and_to_no_page_is_kept() -> None:
    graph = graph_of(
        {
            "person/a": "---\nname: A\n---\n- knows [[B]]\n- knows [[Nobody]]\n",
            "person/b": "---\nname: B\nvalid_from: 2026-03-14\n---\n",
        }
    )
    assert relations(graph.as_of(MARCH - timedelta(days=1))) == {("A", "knows", "Nobody")}
    assert relations(graph.as_of(MARCH)) == {("A", "knows", "B"), ("A", "knows", "Nobody")}


def test_memories_of_no_entity_have_days_too() -> None:
    notes = {"MEMORY.md": "- [decision] Ship it <!-- wb: valid_from=2026-03-14 -->\n"}
    graph = graph_of({}, notes)
    assert texts(graph.as_of(MARCH - timedelta(days=1))) == set()
    assert texts(graph.as_of(MARCH)) == {"Ship it"}


def comment(name: str, day: date | None) -> str:
    return f" {name}={day}" if day else ""


@st.composite
def graphs(draw: st.DrawFn, *, ends: bool = True) -> Graph:
    maybe = st.none() | DAYS
    until = maybe if ends else st.none()
    pages = {}
    for number in range(draw(st.integers(1, 4))):
        header = f"---\nname: E{number}\n"
        for name, days in (("valid_from", maybe), ("valid_until", until)):
            if day := draw(days):
                header += f"{name}: {day}\n"
        lines = ""
        for kind in draw(st.lists(st.sampled_from(["memory", "relation"]), max_size=4)):
            words = (
                f"- [fact] m{len(lines)}" if kind == "memory" else f"- knows [[E{draw(st.integers(0, 4))}]]"
            )
            first = comment(draw(st.sampled_from(["valid_from", "occurred_at"])), draw(maybe))
            lines += f"{words} <!-- wb: id=i{len(lines)}{first}{comment('valid_until', draw(until))} -->\n"
        pages[f"person/e{number}"] = f"{header}---\n{lines}"
    return graph_of(pages)


@settings(deadline=None)
@given(graphs(), DAYS)
def test_seeing_a_day_twice_shows_the_same(graph: Graph, day: date) -> None:
    once = graph.as_of(day)
    assert once.as_of(day) == once
    assert texts(once) <= texts(graph)
    assert relations(once) <= relations(graph)


@settings(deadline=None)
@given(graphs(ends=False), DAYS, DAYS)
def test_where_nothing_ends_a_later_day_shows_at_least_as_much(
    graph: Graph, first: date, second: date
) -> None:
    earlier, later = sorted((first, second))
    assert texts(graph.as_of(earlier)) <= texts(graph.as_of(later))
    assert relations(graph.as_of(earlier)) <= relations(graph.as_of(later))


@settings(deadline=None)
@given(graphs())
def test_everything_that_ever_holds_is_seen_on_some_day(graph: Graph) -> None:
    """On the day that a thing begins, or before all days, it holds, unless it ends before its page begins."""
    days = [date(2026, 1, 1) + timedelta(days=number) for number in range(60)]
    seen = set().union(*(texts(graph.as_of(day)) for day in days))
    for held in graph.memories():
        entity, memory = held.entity, held.memory
        assert entity is not None
        first = memory.valid_from or memory.occurred_at or date(2026, 1, 1)
        ends = [day for day in (memory.valid_until, entity.valid_until) if day]
        begins = max(first, entity.valid_from or first) if not memory.valid_from else first
        if all(begins < end for end in ends):
            assert memory.text in seen
