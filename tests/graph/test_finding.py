"""Structured questions: which memories answer them, in which order, and what is said of unknown names."""

from __future__ import annotations

from datetime import date
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.pages import TEAM, graph_of
from workbench.graph.memory_query import MemoryQuery, Order, QueryResult, find
from workbench.graph.model import Graph
from workbench.memory.graph_types import IMPORTANCE

TODAY = date(2026, 3, 14)  # a Saturday
NOTES = {
    "memory/projects/atlas.md": "# Atlas\n\n## Later\n\n- [todo] Write the docs\n",
    "MEMORY.md": "- [todo] Tell Bob about atlas\n- [decision] Ship on Fridays\n",
}
GRAPH = graph_of(TEAM, NOTES)


def texts(result: QueryResult) -> list[str]:
    return [match.held.memory.text for match in result.matches]


def asked(question: MemoryQuery, graph: Graph = GRAPH) -> list[str]:
    return texts(find(graph, question, TODAY))


def test_pending_tasks_are_a_projects_own_its_parts_then_mentions_then_those_of_its_people() -> None:
    result = find(GRAPH, MemoryQuery(types=("todo",), about="Atlas", state="pending", order="due"), TODAY)
    assert [(match.held.memory.text, match.why) for match in result.matches] == [
        ("Renew the certificate", ""),
        ("Name the release", ""),
        ("Shard the index", "Atlas Indexer part of Atlas"),
        ("Write the docs", "in the note on Atlas"),
        ("Tell Bob about atlas", "mentions Atlas"),
        ("Write the release notes", "Alice Moss works on Atlas"),
    ]
    assert [match.late for match in result.matches][:2] == [4, 0]


def test_what_was_done_is_not_pending_and_can_be_asked_for() -> None:
    assert asked(MemoryQuery(types=("todo",), state="done")) == ["Buy the domain"]
    assert "Buy the domain" not in asked(MemoryQuery(types=("todo",), state="pending"))
    assert "Buy the domain" not in asked(MemoryQuery(types=("todo",)))


def test_overdue_is_what_was_due_before_today() -> None:
    assert asked(MemoryQuery(state="overdue")) == ["Renew the certificate"]
    on_the_day = find(GRAPH, MemoryQuery(state="overdue"), date(2026, 3, 10))
    assert on_the_day.matches == ()


def test_pages_of_tasks_that_are_parts_of_a_project_are_pending_as_a_whole() -> None:
    pages = {
        "task/launch": "---\nname: Launch party\n---\n- part_of [[Atlas]]\n",
        "task/old": "---\nname: Old task\nvalid_until: 2026-01-01\n---\n- part_of [[Atlas]]\n",
        "task/other": "---\nname: Other task\n---\n- part_of [[Borealis]]\n",
    }
    question = MemoryQuery(types=("todo",), about="Atlas", state="pending")
    assert [task.name for task in find(graph_of({**TEAM, **pages}), question, TODAY).tasks] == [
        "Launch party"
    ]
    assert find(graph_of({**TEAM, **pages}), MemoryQuery(types=("fact",)), TODAY).tasks == ()


def test_times_are_included_at_both_ends() -> None:
    lisbon = ["Lives in Lisbon"]  # occurred on 2026-02-01
    for since, until, expected in (
        (date(2026, 2, 1), date(2026, 2, 1), lisbon),
        (date(2026, 2, 2), None, []),
        (None, date(2026, 1, 31), []),
    ):
        question = MemoryQuery(about="Alice", types=("fact",), occurred_since=since, occurred_until=until)
        assert [text for text in asked(question) if "Lisbon" in text] == expected


def test_what_happens_within_some_days_counts_from_today() -> None:
    assert asked(MemoryQuery(happens_within=6)) == ["Write the release notes"]  # on 2026-03-20
    assert asked(MemoryQuery(happens_within=5)) == []


def test_weight_words_and_scene_narrow_the_answer() -> None:
    assert asked(MemoryQuery(min_importance=0.9)) == ["Builds search engines"]
    assert "Lives in Lisbon" not in asked(MemoryQuery(min_confidence=0.85))
    assert asked(MemoryQuery(text="certificate renew")) == ["Renew the certificate"]
    assert asked(MemoryQuery(text="certificate unheard")) == []
    assert asked(MemoryQuery(scene="later")) == ["Write the docs"]


@pytest.mark.parametrize("order", get_args(Order))
def test_memories_come_in_the_order_that_was_asked_for(order: str) -> None:
    found = [match.held.memory for match in find(GRAPH, MemoryQuery(order=order), TODAY).matches]  # type: ignore[arg-type]
    keys: list[float] = {
        "importance": [-memory.importance for memory in found],
        "confidence": [-memory.confidence for memory in found],
        "date": [-float((memory.day or date.min).toordinal()) for memory in found],
        "due": [float((memory.happens_at or date.max).toordinal()) for memory in found],
    }[order]
    assert keys == sorted(keys)
    assert len(found) > 5


def test_a_limit_cuts_what_is_shown_and_not_what_is_counted() -> None:
    result = find(GRAPH, MemoryQuery(limit=2), TODAY)
    assert len(result.matches) == 2
    assert result.total > 2


def test_what_is_over_is_found_where_any_state_is_asked_for() -> None:
    graph = graph_of({"person/a": "---\nname: A\n---\n- [fact] x <!-- wb: valid_until=2026-01-01 -->\n"})
    assert asked(MemoryQuery(), graph) == []
    assert asked(MemoryQuery(state="any"), graph) == ["x"]


def test_a_name_in_a_script_without_blanks_is_mentioned_in_the_middle_of_words() -> None:
    graph = graph_of(
        {
            "person/k": "---\nname: Kenji\naliases: [森田健二]\n---\n",
            "place/o": "---\nname: Osaka\n---\n- [todo] 森田健二に連絡する\n- [todo] Call Kenjiro\n",
        }
    )
    assert asked(MemoryQuery(about="Kenji"), graph) == ["森田健二に連絡する"]


def test_an_unknown_name_is_told_with_names_that_are_known() -> None:
    result = find(GRAPH, MemoryQuery(about="Atlantis Towers"), TODAY)
    assert (result.matches, result.notes) == ((), ("nothing in the graph is called Atlantis Towers",))
    assert any("Atlas" in name for name in result.suggestions)


def test_a_misspelt_name_is_taken_for_the_likest_and_said() -> None:
    result = find(GRAPH, MemoryQuery(about="Borealiss", types=("todo",)), TODAY)
    assert texts(result) == ["Close the books"]
    assert result.notes == ("“Borealiss” is taken for Borealis",)


def test_a_type_that_nobody_knows_is_told() -> None:
    assert find(GRAPH, MemoryQuery(types=("wish",)), TODAY).notes == ("wish is not a known type of memory",)


@settings(deadline=None)
@given(
    st.builds(
        MemoryQuery,
        types=st.lists(st.sampled_from([*IMPORTANCE]), max_size=2).map(tuple),
        about=st.sampled_from(["", "Atlas", "Alice", "Acme", "nobody at all"]),
        state=st.sampled_from(["current", "pending", "overdue", "done", "any"]),
        occurred_since=st.none() | st.dates(date(2026, 1, 1), date(2026, 4, 1)),
        occurred_until=st.none() | st.dates(date(2026, 1, 1), date(2026, 4, 1)),
        happens_within=st.none() | st.integers(0, 30),
        min_importance=st.floats(0, 1),
        text=st.sampled_from(["", "the", "Lives in"]),
        order=st.sampled_from(get_args(Order)),
        limit=st.integers(1, 30),
    )
)
def test_every_condition_only_narrows(question: MemoryQuery) -> None:
    everything = {id(held.memory) for held in GRAPH.memories()}
    result = find(GRAPH, question, TODAY)
    assert len(result.matches) == min(result.total, question.limit)
    for match in result.matches:
        memory = match.held.memory
        assert id(memory) in everything
        assert not question.types or memory.type in question.types
        assert memory.importance >= question.min_importance
