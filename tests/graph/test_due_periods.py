"""When things are due, as people divide time; memories of no page, read without the pages."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from tests.support.workspaces import LOG, Sandbox
from workbench.graph.memory_query import Period, period_of, upcoming
from workbench.graph.read import GraphReader, read_graph

TODAY = date(2026, 3, 20)


@pytest.mark.parametrize(
    ("days", "period"),
    [(-1, "overdue"), (0, "today"), (1, "week"), (7, "week"), (8, "later"), (None, "undated")],
)
def test_every_day_has_its_period(sandbox: Sandbox, days: int | None, period: Period) -> None:
    day = f" <!-- wb: happens_at={TODAY + timedelta(days)} -->" if days is not None else ""
    sandbox.write("graph/project/atlas.md", f"- [todo] Call the harbour{day}\n")
    schedule = upcoming(read_graph(sandbox.workspace), TODAY)
    (due,) = (*schedule.overdue, *schedule.upcoming, *schedule.undated)
    assert period_of(due) == period


def test_loose_memories_are_read_without_the_pages(sandbox: Sandbox) -> None:
    sandbox.write("graph/project/atlas.md", "- [todo] On a page\n")
    sandbox.write("MEMORY.md", "# Memory\n\n- [todo] On no page\n")
    graph = GraphReader(sandbox.workspace, pages=False).read()
    assert graph.entities == ()
    assert [memory.text for memory in graph.loose] == ["On no page"]
    assert graph.loose == read_graph(sandbox.workspace).loose


def test_a_line_leads_to_the_entry_that_stands_there(sandbox: Sandbox) -> None:
    document = sandbox.workspace.document(LOG)
    found = document.at_line(6)
    assert found is not None
    assert "staging port" in found.text
    assert document.at_line(2) is None
    assert document.at_line(4_000) is None
