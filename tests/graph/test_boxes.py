"""Open boxes of logs and of lists of tasks are todos where they stand."""

from __future__ import annotations

from datetime import date

import pytest

from tests.support.workspaces import Sandbox
from workbench.agent.bulletin import bulletin
from workbench.graph.memory_query import upcoming
from workbench.graph.read import read_graph

TODAY = date(2026, 3, 14)


def open_todos(sandbox: Sandbox) -> list[str]:
    schedule = upcoming(read_graph(sandbox.workspace), TODAY, sorts=("todo",))
    return [item.held.memory.text for item in (*schedule.upcoming, *schedule.undated)]


def test_an_open_box_of_a_log_is_a_todo_until_a_later_day_ticks_it(sandbox: Sandbox) -> None:
    sandbox.write(
        "memory/2026-03-02.md", "# Monday\n\n- [ ] Call the printer\n- [ ] Order paper\n- [x] Pay\n"
    )
    assert sorted(open_todos(sandbox)) == ["Call the printer", "Order paper"]
    sandbox.write("memory/2026-03-05.md", "# Thursday\n\n- [x] Call the printer\n- [ ] Order paper\n")
    assert open_todos(sandbox) == ["Order paper"]
    (todo,) = upcoming(read_graph(sandbox.workspace), TODAY).undated
    assert todo.held.owner == "memory/2026-03-05.md"


def test_the_newest_come_first_and_one_with_a_day_is_due_on_it(sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-03-02.md", "- [ ] Older\n")
    sandbox.write("memory/2026-03-05.md", "- [ ] Newer\n- [ ] File the taxes by 2026-03-31\n")
    assert open_todos(sandbox) == ["File the taxes by 2026-03-31", "Newer", "Older"]


def test_what_a_list_without_days_holds_is_closed_by_no_log(sandbox: Sandbox) -> None:
    sandbox.write("TODO.md", "# List\n\n- [ ] Buy stamps\n- [x] Buy glue\n")
    sandbox.write("memory/2026-03-05.md", "- [x] Buy stamps\n- [ ] Buy glue\n")
    assert open_todos(sandbox) == ["Buy stamps"]


def test_a_box_that_the_graph_has_as_a_memory_is_one_todo(sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-03-05.md", "- [ ] Buy stamps\n- [x] Buy glue\n- [ ] Buy ink\n")
    sandbox.write(
        "graph/document/agent-log.md",
        "---\nname: Agent log\n---\n"
        "- [todo] [ ] Buy stamps <!-- wb: id=m1 src=memory/2026-03-05.md#L1 -->\n"
        "- [todo] [ ] Buy glue <!-- wb: id=m2 src=memory/2026-03-05.md#L2 -->\n"
        "- [todo] Buy ink <!-- wb: id=m3 -->\n",
    )
    assert sorted(open_todos(sandbox)) == ["Buy ink", "Buy stamps"]
    sandbox.write("memory/2026-03-05.md", "- [x] Buy stamps\n- [x] Buy glue\n- [ ] Buy ink\n")
    assert open_todos(sandbox) == ["Buy ink"]


def test_what_the_owner_or_a_type_says_comes_before_any_number_of_boxes(sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-03-05.md", "".join(f"- [ ] Send letter {n}\n" for n in range(30)))
    sandbox.write("MEMORY.md", "# Memory\n\n- [todo] Renew the lease\n- [ ] Water the fern\n")
    assert sorted(open_todos(sandbox)[:2]) == ["Renew the lease", "Water the fern"]


def test_of_the_agents_boxes_the_bulletin_gives_those_with_a_day(sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-03-05.md", "- [ ] Send a letter\n- [ ] File the taxes by 2026-03-31\n")
    sandbox.write("MEMORY.md", "# Memory\n\n- [todo] Renew the lease\n")
    found = bulletin(read_graph(sandbox.workspace), "context", TODAY, memory_loaded=True)
    assert [line.text for section in found.sections for line in section.lines] == [
        "File the taxes by 2026-03-31",
        "Renew the lease",
    ]
    assert "from log" in found.text


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("memory/tasks/shop.md", True),
        ("TODO.md", True),
        ("memory/release-checklist.md", False),
        ("templates/tasks/day.md", False),
        ("skills/writer/tasks.md", False),
    ],
)
def test_elsewhere_only_lists_of_tasks_have_todos(sandbox: Sandbox, path: str, counts: bool) -> None:
    sandbox.write("workbench.yaml", "include:\n  - '**/*.md'\n")
    sandbox.write(path, "# List\n\n- [ ] Buy stamps\n")
    assert open_todos(sandbox) == ["Buy stamps"] * counts
