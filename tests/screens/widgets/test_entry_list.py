"""The list: the cursor stays with its row, and only what is seen is drawn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from screens.drawing.safe_text import Row, words
from screens.widgets import entry_list as module
from screens.widgets.entry_list import EntryList, row_strip


class ListApp(App[None]):
    CSS = "EntryList { scrollbar-size-vertical: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.list = EntryList(empty="nothing")
        self.opened: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.list

    def on_entry_list_opened(self, message: EntryList.Opened) -> None:
        self.opened.append(message.row.id)


@asynccontextmanager
async def listing(rows: Sequence[Row]) -> AsyncIterator[tuple[ListApp, Pilot[None]]]:
    app = ListApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.list.show(rows)
        await pilot.pause()
        yield app, pilot


def numbered(*numbers: int) -> list[Row]:
    return [Row(f"r{n}", words(f"row {n}"), address=f"a{n}") for n in numbers]


async def test_the_cursor_stays_on_its_row_when_others_come_and_go() -> None:
    async with listing(numbered(*range(100))) as (app, _):
        app.list.go(50)
        top = app.list.scroll_offset.y
        app.list.show([*numbered(200, 201, 202), *numbered(*range(10, 100))])
        assert app.list.row is not None
        assert app.list.row.id == "r50"
        assert app.list.cursor - app.list.scroll_offset.y == 50 - top


async def test_the_neighbour_follows_when_the_row_is_gone() -> None:
    async with listing(numbered(1, 2, 3)) as (app, _):
        app.list.go(1)
        app.list.show(numbered(1, 3))
        assert app.list.row == numbered(3)[0]
        app.list.show(numbered(1))
        assert app.list.row == numbered(1)[0]


async def test_inert_rows_are_passed_over() -> None:
    first, second = (Row(name, words("head"), inert=True) for name in ("h", "h2"))
    rows = [first, *numbered(1), second, *numbered(2)]
    async with listing(rows) as (app, _):
        assert app.list.cursor == 1
        app.list.move(1)
        assert app.list.cursor == 3
        app.list.move(-5)
        assert app.list.cursor == 1


@pytest.mark.usefixtures("each_change_drawn")
async def test_fifty_thousand_rows_draw_only_those_in_view(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    strip = row_strip

    def counting(row: Row, *arguments: object, **options: object) -> object:
        drawn.append(row.id)
        return strip(row, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "row_strip", counting)
    async with listing(numbered(*range(50_000))) as (app, pilot):
        app.list.go(40_000)
        await pilot.pause()
        app.list.page(-3)
        await pilot.pause()
        assert "r40000" in drawn
        assert len(drawn) < 200


async def test_marks_survive_a_refresh_and_leave_with_their_rows() -> None:
    async with listing(numbered(1, 2, 3)) as (app, _):
        app.list.mark(["r1", "r2"], on=True)
        app.list.show(numbered(2, 3))
        assert [row.id for row in app.list.marked_rows()] == ["r2"]


async def test_clicks_select_and_double_clicks_open() -> None:
    async with listing(numbered(*range(30))) as (app, pilot):
        await pilot.click(EntryList, offset=(5, 4))
        assert app.list.cursor == 4
        assert app.opened == []
        await pilot.click(EntryList, offset=(5, 6), times=2)
        await pilot.pause()
        assert app.opened == ["r6"]


async def test_an_empty_list_says_so() -> None:
    async with listing([]) as (app, pilot):
        app.list.move(1)
        await pilot.pause()
        assert "nothing" in app.list.render_line(0).text
