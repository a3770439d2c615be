"""One entity and what is around it: seen, walked through, at any day, and asked about."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from textual.widgets import Input

from screens.loading.reader import Store
from screens.loading.workspace_model import GraphView
from screens.widgets.entry_list import EntryList
from tests.screens.graph.looking import (
    cursor_on,
    graph_screen,
    open_graph,
    texts,
    until_behind,
    until_rows,
)
from tests.screens.interface import opened
from tests.support.graph_pages import ATLAS, BOB, PAGES, SARAH, TODAY, write_pages
from tests.support.workspaces import LOG, Sandbox
from workbench.errors import WorkbenchError
from workbench.workspace.layout import MemoryFile

ALL = len(PAGES)


@pytest.fixture(autouse=True)
def _graph(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_TODAY", TODAY)
    write_pages(sandbox)


async def test_it_opens_on_the_most_connected_entity_with_relations_both_ways(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        screen = await open_graph(interface, pages=ALL)
        await until_rows(interface, "Relations")
        assert texts(screen)[0] == "project Atlas  also Project Atlas"
        assert texts(screen)[2:5] == [
            "← works on Bob Lee ? since 1 Mar",
            "uses → NATS ? since 1 Feb",
            "← works on Sarah Chen 80% sure agent since 10 Jan",
        ]


async def test_it_opens_on_the_entity_under_the_cursor_of_the_panes(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("4")
        await interface.go_to("Bob Lee")
        await open_graph(interface, pages=ALL)
        await until_rows(interface, "person Bob Lee")


async def test_one_two_three_hops(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        screen = await open_graph(interface, pages=ALL)
        await until_rows(interface, "Sarah Chen")
        await interface.press("2")
        await until_rows(interface, "knows → Nobody Yet ? no page")
        row = next(row for row in screen.list.rows if row.text == "Nobody Yet")
        assert row.depth == 2
        await interface.press("1")
        await until_rows(interface, "Nobody Yet", gone=True)


async def test_enter_walks_and_backspace_returns_to_the_row(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        screen = await open_graph(interface, pages=ALL)
        await interface.press("backspace")
        await interface.until_said("There is nothing to go back to")
        await cursor_on(interface, "Sarah Chen")
        await interface.press("enter")
        await until_rows(interface, "person Sarah Chen")
        await interface.until_shown("Atlas › Sarah Chen")
        await cursor_on(interface, "Nobody Yet")
        await interface.press("enter")
        await interface.until_said("It has no page")
        await interface.press("backspace")
        await until_rows(interface, "project Atlas")
        await interface.until(lambda: screen.list.row and screen.list.row.text == "Sarah Chen", "its row")


async def test_folds_open_and_close(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await open_graph(interface, pages=ALL)
        await cursor_on(interface, "uses → NATS")
        await interface.press("left", "left")
        await until_rows(interface, "uses → NATS", gone=True)
        await interface.press("right")
        await until_rows(interface, "uses → NATS")
        await cursor_on(interface, "What is known")
        await interface.press("enter")
        await until_rows(interface, "Renew the certificate", gone=True)


async def test_an_entity_is_found_by_any_of_its_names(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await open_graph(interface, pages=ALL)
        await interface.press("slash")
        await interface.until_shown("Which entity?")
        await interface.until_shown("project      Atlas")
        choices = interface.app.screen.query_one("#choices", EntryList)
        for typed in ("SC", "陳", "chen", "sarah"):
            interface.app.screen.query_one("#filter", Input).value = typed
            await interface.until(lambda: choices.rows and choices.rows[0].id == SARAH, "Sarah first")
            interface.app.screen.query_one("#filter", Input).value = ""
            await interface.until(lambda: len(choices.rows) == ALL, "all of them")
        await interface.type("sc")
        await interface.until(lambda: choices.rows and choices.rows[0].id == SARAH, "Sarah first")
        await interface.press("enter")
        await until_rows(interface, "person Sarah Chen")


async def test_an_entity_is_found_by_a_part_of_its_name_the_most_linked_first(sandbox: Sandbox) -> None:
    write_pages(sandbox, **{"graph/project/at.md": "---\nname: At#\ntype: project\n---\n- [fact] Small\n"})
    async with opened(sandbox.workspace) as interface:
        await open_graph(interface, pages=ALL + 1)
        await interface.press("slash")
        await interface.until_shown("Which entity?")
        choices = interface.app.screen.query_one("#choices", EntryList)

        def found() -> list[str]:
            return [row.text.partition("  ")[0] for row in choices.rows]

        for typed, names in (
            ("hen", ["Sarah Chen"]),
            ("#", ["At#"]),
            ("at", ["Atlas", "At#", "NATS"]),
            ("chen sarah", ["Sarah Chen"]),
        ):
            interface.app.screen.query_one("#filter", Input).value = typed
            await interface.until(lambda: found() == names, typed)  # noqa: B023 - awaited in its turn


async def test_a_name_that_nobody_has_is_said_and_escape_changes_nothing(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await open_graph(interface, pages=ALL)
        await interface.press("f", *"zzz")
        await interface.until_shown("nothing in the graph has that name")
        await interface.press("enter", "escape")
        await until_rows(interface, "project Atlas")


async def test_a_fact_tells_its_weight_today_and_its_source_is_one_key_away(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await open_graph(interface, pages=ALL)
        await cursor_on(interface, "Sarah Chen")
        await interface.press("enter")
        await until_rows(interface, "preference Prefers async reviews owner 0.11↓")
        await cursor_on(interface, "Prefers async reviews")
        await until_behind(interface, "importance 0.70, 0.11↓ today: it fades by the day")
        await until_behind(interface, f"from {LOG}#L5   o goes there")
        await interface.press("o")
        await interface.until(lambda: interface.main.is_active, "the panes")
        await interface.until(
            lambda: (row := interface.main.here.row) and row.path == LOG and row.line == 5, "its line"
        )


async def test_a_source_that_is_gone_is_said(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        screen = await open_graph(interface, pages=ALL)
        screen.walk_to(SARAH)
        await cursor_on(interface, "Lives in Bremen")
        await interface.press("o")
        await interface.until_said("Its source was not found: there is no entry a.md#L1")


async def test_a_relation_is_told_in_full(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await open_graph(interface, pages=ALL)
        await cursor_on(interface, "Sarah Chen")
        await until_behind(interface, "Sarah Chen works on Atlas, since 2026-01-10")
        await until_behind(interface, "80% sure · trust agent")
        await until_behind(interface, "also SC, 陳莎拉")
        await until_behind(interface, f"stated in {SARAH}:9")


async def test_what_is_over_is_shown_on_demand_and_named_as_such(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        screen = await open_graph(interface, pages=ALL)
        screen.walk_to(SARAH)
        await until_rows(interface, "person Sarah Chen")
        assert not any("Titan" in text for text in texts(screen))
        await interface.press("A")
        await until_rows(interface, "works on → Titan ? ended 31 Dec")
        await interface.until_shown("with what is over")


async def test_as_of_a_day_is_said_loudly_and_today_brings_it_back(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        screen = await open_graph(interface, pages=ALL)
        screen.walk_to(SARAH)
        await until_rows(interface, "person Sarah Chen")
        await interface.press("t", *"2025-02-30")
        await interface.until_shown("not a day: write it as")
        await interface.press("enter")
        await interface.until_shown("not a day: write it as")
        await interface.press(*["backspace"] * 2, *"14")
        await interface.until_shown("Friday, 14 February 2025")
        await interface.press("enter")
        await interface.until_shown("AS OF Friday 14 February 2025: what was true then")
        await until_rows(interface, "works on → Titan ? until Dec 2025")
        assert not any("Hamburg" in text or "Atlas" in text for text in texts(screen))
        await interface.press("right_square_bracket")
        await interface.until_shown("AS OF Friday 14 March 2025")
        await interface.press("left_square_bracket", "left_square_bracket")
        await interface.until_shown("AS OF Tuesday 14 January 2025")
        await interface.press("T")
        await interface.until(lambda: not screen.banner.display, "the banner is gone")
        await until_rows(interface, "Lives in Hamburg")
        await interface.press("T")
        await interface.until_said("This is today")


async def test_an_entity_that_did_not_hold_then_is_shown_with_a_warning(sandbox: Sandbox) -> None:
    sandbox.write(BOB, PAGES[BOB].replace("type: person", "type: person\nvalid_from: 2026-02-01"))
    async with opened(sandbox.workspace) as interface:
        screen = await open_graph(interface, pages=ALL)
        screen.walk_to(BOB)
        await until_rows(interface, "person Bob Lee")
        await interface.press("t", *"2025-01", "enter")
        await until_rows(interface, "does not hold on 2025-01-01: this is all that its page tells")


async def test_a_question_is_answered_with_its_evidence(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        screen = await open_graph(interface, pages=ALL)
        await interface.press("a")
        await interface.until_shown("who works on Atlas? · how is Alice")
        await interface.type("who works on Project Atlas")
        await interface.press("enter")
        await cursor_on(interface, "Sarah Chen")
        await until_behind(interface, "Sarah Chen works on Atlas, since 2026-01-10")
        await until_behind(interface, f"from {LOG}#L7")
        await interface.press("enter")
        await until_rows(interface, "person Sarah Chen")
        await interface.press("a")
        await interface.type("who renews the certificate of Atlas")
        await interface.press("enter")
        await until_rows(interface, "todo Renew the certificate")
        await interface.press("escape")
        await until_rows(interface, "person Sarah Chen")
        await interface.press("a")
        await interface.type("who is Zaphod")
        await interface.press("enter")
        await until_rows(interface, "nothing in the graph is called Zaphod")
        assert graph_screen(interface) is screen


async def test_the_map_is_drawn_where_there_is_room_and_follows_the_cursor(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        screen = await open_graph(interface, pages=ALL)
        await interface.until_shown("┤ Atlas ├")
        await interface.until_shown("works on ►")
        await cursor_on(interface, "uses → NATS")
        await interface.until(lambda: screen.map.chosen == "graph/technology/nats.md", "it is brought out")
        await interface.press("m")
        await interface.until(lambda: "┤ Atlas ├" not in interface.text, "no map")


async def test_where_the_list_reaches_further_the_map_says_how_far_it_does(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await open_graph(interface, pages=ALL)
        await interface.until_shown("┤ Atlas ├")
        assert "the list reaches further" not in interface.text
        await interface.press("2")
        await interface.until_shown("1 relation away; the list reaches further")
        await interface.press("1")
        await interface.until(lambda: "the list reaches further" not in interface.text, "both are as far")


async def test_several_relations_to_one_neighbour_are_counted_alike_on_both_sides(sandbox: Sandbox) -> None:
    sandbox.write(ATLAS, PAGES[ATLAS] + "- depends on [[NATS]]\n")
    async with opened(sandbox.workspace) as interface:
        await open_graph(interface, pages=ALL)
        (row,) = (one for one in graph_screen(interface).list.rows if one.id == "group:relations")
        relations, neighbours = re.findall(r"\d+", row.tail[-1].text)
        assert int(relations) == int(neighbours) + 1
        await until_behind(interface, f"{relations} relations")


async def test_the_mark_of_what_nobody_stands_behind_is_told_in_words(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await open_graph(interface, pages=ALL)
        await cursor_on(interface, "uses → NATS ?")
        await until_behind(interface, "trust unknown (?): nobody says who stands behind it")


async def test_in_a_small_terminal_the_map_takes_the_place_of_what_is_told(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, size=(60, 20)) as interface:
        await open_graph(interface, pages=ALL)
        await interface.until_shown("trust unknown")
        assert "┤ Atlas ├" not in interface.text
        await interface.press("m")
        await interface.until_shown("┤ Atlas ├")
        await interface.press("m")
        await interface.until_shown("trust unknown")
        await interface.press("tab", "tab", "tab", "tab")
        await until_rows(interface, "project Atlas")


async def test_neighbours_beyond_a_dozen_are_counted_and_shown_on_demand(sandbox: Sandbox) -> None:
    links = "".join(f"- uses [[Tool {n}]]\n" for n in range(20))
    sandbox.write(ATLAS, PAGES[ATLAS] + links)
    async with opened(sandbox.workspace) as interface:
        screen = await open_graph(interface, pages=ALL)
        await cursor_on(interface, "11 others: enter shows them")
        await interface.press("enter")
        await until_rows(interface, "others: enter shows them", gone=True)
        assert sum("Tool" in text for text in texts(screen)) == 20


@pytest.mark.promise(
    "The interface", "the page that is shown is deleted", "a message says so; another page is shown"
)
async def test_what_changes_on_disk_is_followed(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        screen = await open_graph(interface, pages=ALL)
        screen.walk_to(BOB)
        await until_rows(interface, "person Bob Lee")
        sandbox.write(BOB, PAGES[BOB] + "- [fact] Plays the tuba\n")
        interface.main.refresh_files()
        await until_rows(interface, "fact Plays the tuba")
        (sandbox.root / BOB).unlink()
        interface.main.refresh_files()
        await interface.until_said("graph/person/bob-lee.md no longer exists; this is")
        await until_rows(interface, "person Bob Lee", gone=True)


async def test_reading_is_shown_while_the_panes_have_not_read_every_page(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_on = threading.Event()
    views_of = Store.graph

    def one_after_the_other(store: Store, files: Sequence[MemoryFile]) -> Iterator[GraphView]:
        for view in views_of(store, files):
            yield view
            read_on.wait()

    monkeypatch.setattr("screens.loading.reader._BATCH", 1)
    monkeypatch.setattr(Store, "graph", one_after_the_other)
    async with opened(sandbox.workspace) as interface:
        graph = interface.main.panes[3]
        try:
            await interface.until(lambda: graph.view.total == ALL, "one of them is read")  # type: ignore[attr-defined]
            await interface.press("R")
            await interface.until_shown(" of 5 pages")  # files may be looked at again meanwhile
        finally:
            read_on.set()
        await until_rows(interface, "project Atlas")


async def test_what_cannot_be_read_is_said_with_what_to_do(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise WorkbenchError("the ledger [/] cannot be read", hint="look at \x1b[31mit")

    monkeypatch.setattr("screens.graph.views.settled_keys", broken)
    async with opened(sandbox.workspace) as interface:
        await interface.press("R")
        await interface.until_shown("the ledger [/] cannot be read")
        await interface.until_shown("look at ␛[31mit")


async def test_hostile_names_are_shown_and_never_obeyed(sandbox: Sandbox) -> None:
    name = "[@click=app.quit]x[/] \x1b[31mred\u202e [/]"
    page = f'---\nname: "[/] \u202eevil"\ntype: person\naliases: ["{name[:20]}"]\n---\n'
    lines = f"- [fact] {name} <!-- wb: src={LOG}#L5 trust=[/] -->\n- works_on [[Atlas]]\n"
    lines += "- knows [[\u202e<b> \x1b[31m]]\n"
    sandbox.write("graph/person/evil.md", page + lines)
    async with opened(sandbox.workspace) as interface:
        screen = await open_graph(interface, pages=ALL + 1)
        screen.walk_to("graph/person/evil.md")
        await until_rows(interface, "works on → Atlas")
        await cursor_on(interface, "app.quit")
        await until_behind(interface, "app.quit")
        for keys in (("slash", "escape"), ("a", "[", "enter"), ("D",), ("C",), ("S",), ("N",)):
            await interface.press(*(key.replace("[", "left_square_bracket") for key in keys))
            await interface.pilot.pause()
            assert "\x1b" not in interface.text
            assert "\u202e" not in interface.text


async def test_pages_that_are_not_read_in_full_say_so(sandbox: Sandbox) -> None:
    sandbox.write("graph/person/broken.md", "---\nname: [unclosed\n---\n- [fact] Still here\n")
    async with opened(sandbox.workspace) as interface:
        screen = await open_graph(interface, pages=ALL + 1)
        screen.walk_to("graph/person/broken.md")
        await until_rows(interface, "not read in full")


async def test_where_no_history_can_be_kept_all_is_shown_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_TODAY", TODAY)
    bare = Sandbox(tmp_path / "bare")
    bare.git("config", "core.bare", "true")
    for path, text in PAGES.items():
        bare.write(path, text)
    async with opened(bare.workspace) as interface:
        screen = await open_graph(interface, pages=ALL)
        await interface.until(screen.services.refusal, "it is known")
        await interface.press("C")
        await until_rows(interface, "Lives in Bremen ≠ Lives in Hamburg")
        await interface.press("2")
        await interface.until_said("is a bare repository")
    assert bare.read(SARAH).decode() == PAGES[SARAH]
    bare.close()


async def test_thousands_of_neighbours_are_shown_a_thousand_at_a_time(sandbox: Sandbox) -> None:
    lines = "".join(f"- knows [[Person {n}]]\n" for n in range(2100)) + "- knows [[Hub]]\n"
    sandbox.write("graph/person/hub.md", f"---\nname: Hub\ntype: person\n---\n{lines}")
    async with opened(sandbox.workspace, size=(80, 24)) as interface:
        screen = await open_graph(interface)
        for shown in (1012, 2012, 2100):
            await cursor_on(interface, "enter shows them")
            await interface.press("enter")
            while sum("knows" in text for text in texts(screen)) < shown:
                await interface.pilot.pause()
        assert not any("enter shows them" in text for text in texts(screen))
