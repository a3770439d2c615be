"""Which panes are seen at which size."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection

import pytest

from screens.main.layout import Arrangement, PaneShape, arrange
from screens.widgets.lines import HintLine
from tests.screens.interface import opened
from tests.support.workspaces import Sandbox


def at(
    width: int, height: int, *, current: int = 0, zoom: int = 0, empty: Collection[int] = ()
) -> Arrangement:
    return arrange(width, height, current=current, zoom=zoom, reading=False, empty=empty)


@pytest.mark.parametrize(
    ("width", "shape", "panes"),
    [
        (140, PaneShape.WIDE, (0, 1, 2, 3)),
        (139, PaneShape.SQUARE, (0, 1, 2, 3)),
        (100, PaneShape.SQUARE, (0, 1, 2, 3)),
        (99, PaneShape.PAIR, (0, 1)),
        (60, PaneShape.PAIR, (0, 1)),
        (59, PaneShape.SINGLE, (0,)),
        (40, PaneShape.SINGLE, (0,)),
    ],
)
def test_widths(width: int, shape: PaneShape, panes: tuple[int, ...]) -> None:
    found = at(width, 40)
    assert (found.shape, found.panes) == (shape, panes)


def test_the_current_pane_is_always_seen() -> None:
    for width in range(40, 150):
        for current in range(4):
            assert current in at(width, 30, current=current).panes


def test_low_terminals_keep_their_lines_for_the_lists() -> None:
    assert not at(140, 14).preview


def test_zoom_gives_one_pane_more_then_all() -> None:
    for zoom, preview in ((1, True), (2, False)):
        found = at(140, 40, current=2, zoom=zoom)
        assert (found.panes, found.tabs, found.preview, found.right) == ((2,), True, preview, preview)


def test_the_columns_are_shared_by_panes_with_something_in_them() -> None:
    for width in (100, 139, 140, 200):
        for count in range(5):
            for empty in itertools.combinations(range(4), count):
                found = at(width, 40, empty=empty)
                assert found.strips == (empty if count < 4 else ()), "never all of them"
                assert abs(sum(found.shares) - width) <= 1
    assert at(80, 24, empty=(2, 3)).strips == at(50, 24, empty=(0,)).strips == ()
    assert at(80, 24, empty=(0, 2)).strips == (0,)


def test_the_preview_stands_right_where_two_panes_leave_room() -> None:
    assert at(200, 40, empty=(2, 3)).right
    assert not at(200, 40).right
    assert not at(140, 40, empty=(2, 3)).right


@pytest.mark.parametrize(
    ("size", "titles", "missing"),
    [
        ((140, 40), ("1 Logs", "2 Memory", "3 Episodes", "4 Graph", "memory/2026-03-14.md"), ()),
        ((100, 30), ("1 Logs", "2 Memory", "3 Episodes", "4 Graph", "memory/2026-03-14.md"), ()),
        ((80, 24), ("─ 1 Logs", "─ 2 Memory", "3 Episodes  4 Graph"), ("─ 3 Episodes",)),
        ((50, 20), ("─ 1 Logs", "1 Logs  2 Memory"), ("─ 2 Memory",)),
    ],
)
async def test_sizes_on_the_screen(
    sandbox: Sandbox, size: tuple[int, int], titles: tuple[str, ...], missing: tuple[str, ...]
) -> None:
    async with opened(sandbox.workspace, size) as interface:
        for title in titles:
            await interface.until_shown(title)
        assert not [title for title in missing if title in interface.text]
        assert all(len(line) == size[0] for line in interface.text.split("\n"))


async def test_too_small_says_so(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, (38, 11)) as interface:
        await interface.until_shown("too small")
        assert "Logs" not in interface.text


async def test_a_resize_loses_nothing_that_was_typed(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        await interface.type("half a thought")
        for size in ((80, 24), (38, 11), (120, 30)):
            await interface.pilot.resize_terminal(*size)
            await interface.pilot.pause()
        await interface.until_shown("half a thought")
        await interface.type("s")
        await interface.until_shown("half a thoughts")


async def test_the_search_covers_the_panes_after_any_resize(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, (200, 50)) as interface:
        await interface.press("slash")
        panes, search = interface.main.frame, interface.main.overlay
        for size in (
            (200, 50),
            (80, 24),
            (180, 45),
            (60, 20),
            (80, 20),
            (80, 19),
            (60, 20),
            (60, 19),
            (140, 40),
        ):
            await interface.pilot.resize_terminal(*size)
            await interface.until(lambda: search.region == panes.region, "it stands where they do")
            assert search.region.width > 50


@pytest.mark.parametrize("key", ["at", "S", "R"])
async def test_the_way_back_is_named_also_where_there_is_little_room(sandbox: Sandbox, key: str) -> None:
    async with opened(sandbox.workspace, (60, 20)) as interface:
        await interface.press(key)
        await interface.until(lambda: interface.app.screen is not interface.main, "another screen")
        last = interface.app.screen.query_one(HintLine)
        await interface.until(lambda: "esc back" in str(last.render()), "the way back")
        assert "? help" in str(last.render())


async def test_the_preview_shows_the_entry_after_any_resize(sandbox: Sandbox) -> None:
    facts = "".join(f"- fact {number}: {'many words ' * 12}\n" for number in range(60))
    sandbox.write("MEMORY.md", f"# Memory\n\n{facts}")
    sandbox.commit("many facts")
    async with opened(sandbox.workspace) as interface:
        preview = interface.main.preview
        await interface.press("2")
        await interface.go_to("fact 40")
        await interface.until(lambda: preview.shown and preview.shown.where == "MEMORY.md:43", "previewed")

        async def resize(width: int, height: int, holds: Callable[[], bool]) -> None:
            await interface.pilot.resize_terminal(width, height)
            await interface.until(lambda: preview.size.width == width - 2 and holds(), f"at {width}x{height}")

        for width, height in ((100, 30), (60, 20), (80, 24), (160, 45)):
            await resize(width, height, lambda: "43 ▎- fact 40" in interface.text)
            await interface.pilot.resize_terminal(38, 11)
            await interface.until_shown("too small")
        await interface.go_to("fact 45")
        await interface.until(lambda: preview.shown and preview.shown.where == "MEMORY.md:48", "previewed")
        await resize(100, 30, lambda: "48 ▎- fact 45" in interface.text)
        await interface.press(*"J" * 3)  # another line is read by now: it stays
        line = preview._body[preview.scroll_offset.y].at
        for width, height in ((140, 40), (100, 30), (80, 24)):
            await resize(width, height, lambda: preview._body[preview.scroll_offset.y].at == line)
            assert "48 ▎- fact 45" not in interface.text


async def test_panes_are_reached_by_number_tab_and_letter(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, (80, 24)) as interface:
        main = interface.main
        await interface.press("3")
        await interface.until(lambda: main.panes[2].list.has_focus, "focus in pane 3")
        assert "─ 3 Episodes" in interface.text
        await interface.press("tab")
        await interface.until(lambda: main.panes[3].list.has_focus, "focus in pane 4")
        await interface.press("tab")
        await interface.until(lambda: main.panes[0].list.has_focus, "round to pane 1")
        await interface.press("h", "h")
        await interface.until(lambda: main.panes[2].list.has_focus, "two back")


async def test_zoom_and_back(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("2", "plus", "plus")
        await interface.until(lambda: not interface.main.preview.display, "no preview")
        assert "─ 1 Logs" not in interface.text
        await interface.press("equals_sign")
        await interface.until_shown("─ 1 Logs")


@pytest.mark.parametrize("size", [(200, 50), (140, 40), (110, 30)])
async def test_an_empty_pane_is_a_strip_that_names_the_key_and_grows_with_what_comes(
    sandbox: Sandbox, size: tuple[int, int]
) -> None:
    async with opened(sandbox.workspace, size) as interface:
        graph, memory = interface.main.graph, interface.main.memory
        await interface.until_shown("no entities")
        await interface.until(lambda: graph.size.area < memory.size.area / 2, "a strip")
        await interface.press("4")
        await interface.until(lambda: graph.list.has_focus, "the strip can be gone to")
        assert graph.size.area < memory.size.area / 2
        sandbox.write("graph/person/sarah.md", "---\ntype: person\n---\n# Sarah\n\n- [fact] Likes tea\n")
        interface.main.refresh_files()
        await interface.until_shown("Sarah")
        await interface.until(lambda: abs(graph.size.width - memory.size.width) <= 1, "a pane")


async def test_the_key_that_an_empty_graph_names_fills_it(sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-03-15.md", "# Day\n\n- Sarah Chen works at Acme\n")
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("press I to")
        await interface.press("I")
        await interface.until(lambda: interface.app.screen is not interface.main, "the question")
        await interface.press("enter")
        await interface.until(lambda: interface.main.graph.view.pages, "an entity")
        await interface.until(lambda: not interface.main.graph.has_class("-strip"), "room for it")


async def test_the_cursor_begins_where_there_is_something(sandbox: Sandbox) -> None:
    (sandbox.root / "memory/2026-03-14.md").unlink()
    sandbox.commit("no logs")
    async with opened(sandbox.workspace) as interface:
        await interface.until(lambda: interface.main.memory.list.has_focus, "memory has the focus")
        await interface.until_shown("MEMORY.md:")
        logs = interface.main.logs
        day = sandbox.write("memory/2026-03-15.md", "# Day\n\n- a line\n")
        interface.main.refresh_files()
        await interface.until(lambda: not logs.has_class("-strip"), "a log needs room")
        day.unlink()
        interface.main.refresh_files()
        await interface.until(lambda: logs.has_class("-strip"), "no log needs none")
