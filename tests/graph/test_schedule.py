"""What is due: upcoming first, overdue named as such, undated apart, done out."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.pages import TEAM, graph_of
from workbench.graph.memory_query import DueItem, upcoming

TODAY = date(2026, 3, 14)


def said(due: tuple[DueItem, ...]) -> list[tuple[str, str]]:
    return [(item.held.memory.text, item.when) for item in due]


def test_todos_are_told_by_their_days() -> None:
    schedule = upcoming(graph_of(TEAM), TODAY, sorts=("todo",))
    assert said(schedule.upcoming) == [("Write the release notes", "in 6 days")]
    assert said(schedule.overdue) == [("Renew the certificate", "overdue by 4 days")]
    assert {text for text, _ in said(schedule.undated)} == {
        "Name the release",
        "Shard the index",
        "Close the books",
    }


@pytest.mark.parametrize(
    ("day", "when"),
    [("2026-03-13", "overdue by 1 day"), ("2026-03-14", "today"), ("2026-03-15", "in 1 day")],
)
def test_a_day_is_said_in_words(day: str, when: str) -> None:
    graph = graph_of({"person/a": f"---\nname: A\n---\n- [todo] x <!-- wb: happens_at={day} -->\n"})
    schedule = upcoming(graph, TODAY)
    assert [item.when for item in (*schedule.upcoming, *schedule.overdue)] == [when]


def test_the_soonest_comes_first_and_the_longest_overdue() -> None:
    lines = "".join(f"- [todo] t{day} <!-- wb: happens_at=2026-03-{day} -->\n" for day in (20, 10, 14, 12))
    schedule = upcoming(graph_of({"person/a": f"---\nname: A\n---\n{lines}"}), TODAY)
    assert [text for text, _ in said(schedule.upcoming)] == ["t14", "t20"]
    assert [text for text, _ in said(schedule.overdue)] == ["t10", "t12"]


def test_an_event_that_is_past_has_happened_and_a_goal_is_overdue() -> None:
    graph = graph_of(
        {
            "person/a": "---\nname: A\n---\n"
            "- [event] past <!-- wb: happens_at=2026-03-01 -->\n"
            "- [goal] missed <!-- wb: happens_at=2026-03-01 -->\n"
            "- [event] coming <!-- wb: happens_at=2026-03-15 -->\n- [event] someday\n"
            "- [prediction] rain <!-- wb: happens_at=2026-03-16 -->\n"
        }
    )
    schedule = upcoming(graph, TODAY)
    assert [(item.sort, item.held.memory.text) for item in schedule.upcoming] == [
        ("event", "coming"),
        ("deadline", "rain"),
    ]
    assert said(schedule.overdue) == [("missed", "overdue by 13 days")]
    assert schedule.undated == ()


@pytest.mark.parametrize(
    "marks", ["valid_until=2026-03-14", "done=2026-03-01", "status=done", "valid_from=2026-04-01"]
)
def test_what_is_done_over_or_not_begun_is_not_due(marks: str) -> None:
    line = f"- [todo] x <!-- wb: happens_at=2026-03-20 {marks} -->\n"
    schedule = upcoming(graph_of({"person/a": f"---\nname: A\n---\n{line}"}), TODAY)
    assert schedule.upcoming == schedule.overdue == schedule.undated == ()


def test_what_is_of_a_page_that_is_over_is_not_due() -> None:
    graph = graph_of({"project/a": "---\nname: A\nvalid_until: 2026-03-01\n---\n- [todo] x\n"})
    assert upcoming(graph, TODAY).undated == ()


def test_lines_of_no_entity_and_pages_of_tasks_are_due_too() -> None:
    graph = graph_of({"task/t": "---\nname: Paint the door\n---\n"}, {"MEMORY.md": "- [todo] Call home\n"})
    schedule = upcoming(graph, TODAY)
    assert said(schedule.undated) == [("Call home", "no day")]
    assert schedule.undated[0].held.owner == "MEMORY.md"
    assert [task.name for task in schedule.tasks] == ["Paint the door"]


@settings(deadline=None)
@given(st.lists(st.none() | st.integers(-40, 40), max_size=8), st.none() | st.integers(0, 40))
def test_every_todo_is_in_exactly_one_place(offsets: list[int | None], ahead: int | None) -> None:
    lines = "".join(
        f"- [todo] t{at}"
        + (f" <!-- wb: happens_at={TODAY + timedelta(days=offset)} -->" if offset is not None else "")
        + "\n"
        for at, offset in enumerate(offsets)
    )
    schedule = upcoming(graph_of({"person/a": f"---\nname: A\n---\n{lines}"}), TODAY, ahead=ahead)
    expected = {f"t{at}" for at, x in enumerate(offsets) if x is None or ahead is None or x <= ahead}
    found = [
        text for part in (schedule.upcoming, schedule.overdue, schedule.undated) for text, _ in said(part)
    ]
    assert sorted(found) == sorted(expected)
    assert all((item.days or 0) >= 0 for item in schedule.upcoming)
    assert all((item.days or 0) < 0 for item in schedule.overdue)
