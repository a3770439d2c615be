"""Pages that are read bit by bit: the first are shown at once, and nothing that is shown goes meanwhile."""

from __future__ import annotations

from datetime import date

from screens.loading.reader import Store
from screens.loading.workspace_model import of_kind
from tests.screens.interface import opened
from tests.screens.panes.test_panes import PERSON, episode
from tests.support.workspaces import EPISODE, Sandbox
from workbench.memory.entry import Kind

MANY = 90
"""More pages than are read before the first of them are shown."""


def page(number: int) -> str:
    return f"episodes/2026/03/e{number:03}.md"


def person(number: int) -> str:
    return f"graph/person/p{number:03}.md"


def test_all_pages_are_in_every_view_once_they_are_known(sandbox: Sandbox) -> None:
    (sandbox.root / EPISODE).unlink()
    for number in range(MANY):
        sandbox.write(page(number), episode(f"n{number}", 60))
        sandbox.write(person(number), PERSON.format(due=date(2026, 1, 1)))
    store = Store(sandbox.workspace)
    files = store.files()
    sizes = [len(view.pages) for view in store.episodes(of_kind(files, Kind.EPISODE))]
    assert sizes == sorted(set(sizes))
    assert sizes[-1] == MANY
    assert len(sizes) > 1
    sizes = [len(view.pages) for view in store.graph(of_kind(files, Kind.ENTITY))]
    assert sizes[-1] == MANY
    assert len(sizes) > 1
    for number in range(0, MANY, 2):
        sandbox.write(page(number), episode(f"again{number}", 60))
        sandbox.write(person(number), PERSON.format(due=date(2026, 1, 1)) + "\n- More\n")
    files = store.files()
    episodes = list(store.episodes(of_kind(files, Kind.EPISODE)))
    assert [len(view.pages) for view in episodes] == [MANY] * len(episodes)
    assert len(episodes) > 1
    assert len({one.path for one in episodes[0].pages}) == MANY
    assert sum(one.id.startswith("again") for one in episodes[-1].pages) == MANY // 2
    entities = list(store.graph(of_kind(files, Kind.ENTITY)))
    assert [len(view.pages) for view in entities] == [MANY] * len(entities)
    assert len(entities) > 1


async def test_cursor_and_marks_stay_when_another_page_changes(sandbox: Sandbox) -> None:
    for number in range(MANY):
        sandbox.write(page(number), episode(f"n{number}", 60 + number))
    async with opened(sandbox.workspace) as interface:
        await interface.press("3")
        rows = interface.main.pane.list
        await interface.until(lambda: any(row.id == page(MANY - 1) for row in rows.rows), "all pages")
        rows.go(next(at for at, row in enumerate(rows.rows) if row.id == page(MANY - 2)))
        await interface.press("space")
        assert (rows.row and rows.row.id, rows.marked) == (page(MANY - 1), {page(MANY - 2)})
        sandbox.write(page(0), episode("other", 60))
        await interface.main.reader.refresh()
        await interface.until(lambda: any("other planned" in row.text for row in rows.rows), "read again")
        assert (rows.row and rows.row.id, rows.marked) == (page(MANY - 1), {page(MANY - 2)})


async def test_the_cursor_begins_on_the_first_row_also_where_that_is_read_last(sandbox: Sandbox) -> None:
    for number in range(MANY):
        sandbox.write(page(number), episode(f"n{number}", -30))
    sandbox.write("episodes/2026/03/z.md", episode("last", 60))
    sandbox.write("graph/person/z.md", PERSON.format(due=date(2026, 1, 1)))
    for number in range(MANY):
        sandbox.write(person(number), "---\ntype: person\n---\n- Nothing due\n")
    async with opened(sandbox.workspace) as interface:
        for pane, first in ((interface.main.panes[2], "Waiting"), (interface.main.panes[3], "Todos")):
            rows = pane.list
            await interface.until(lambda: rows.rows and rows.rows[0].text.startswith(first), first)  # noqa: B023
            assert rows.cursor == 0
