"""Duplicates, contradictions and what is due: seen beside each other, and decided with one key."""

from __future__ import annotations

import pytest

from tests.screens.graph.looking import cursor_on, graph_screen, open_graph, texts, until_behind, until_rows
from tests.screens.interface import opened
from tests.support.graph_pages import ATLAS, PAGES, SARAH, TODAY, TWIN, TWIN_PAGE, write_pages
from tests.support.workspaces import LOG, Sandbox

ALL = len(PAGES)
BREMEN, HAMBURG = "Lives in Bremen", "Lives in Hamburg"


@pytest.fixture(autouse=True)
def _today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_TODAY", TODAY)


def line_of(sandbox: Sandbox, words: str) -> str:
    lines = sandbox.read(SARAH).decode().splitlines()
    return next((line for line in lines if words in line), "")


async def test_two_pages_stand_side_by_side_and_merge_after_the_change_was_shown(sandbox: Sandbox) -> None:
    write_pages(sandbox, **{TWIN: TWIN_PAGE})
    async with opened(sandbox.workspace, size=(100, 30)) as interface:
        screen = await open_graph(interface, pages=ALL + 1)
        await interface.until_shown("D Duplicates 1")
        await interface.press("D")
        await until_rows(interface, "person Sarah Chen ≟ Sarah Chenn")
        await interface.until_shown("this page stays")
        await until_behind(interface, "[fact] Speaks Dutch")
        await until_behind(interface, "works on → Atlas")
        await interface.press("m")
        await interface.until_shown("Merge")
        await interface.until_shown("+aliases:")
        assert (sandbox.root / TWIN).exists()
        await interface.press("y")
        await interface.until_said("Merged")
        await until_rows(interface, "≟", gone=True)
        await interface.until_shown("no two pages look like the same entity")
        assert b"Speaks Dutch" in sandbox.read(SARAH)
        await interface.press("u")
        await interface.until_said("Undone")
        await until_rows(interface, "person Sarah Chen ≟ Sarah Chenn")
        assert screen.place.value == "pairs"
    assert sandbox.read(TWIN).decode() == TWIN_PAGE


async def test_the_other_way_round_keeps_the_other_page(sandbox: Sandbox) -> None:
    write_pages(sandbox, **{TWIN: TWIN_PAGE})
    async with opened(sandbox.workspace) as interface:
        await open_graph(interface, pages=ALL + 1)
        await interface.press("D")
        await until_rows(interface, "≟")
        await interface.press("M")
        await interface.until_shown(f"--- a/{SARAH}")
        await interface.press("n", "o")
        await interface.until(lambda: interface.main.is_active, "the panes")
        await interface.until(lambda: (row := interface.main.here.row) and row.path == TWIN, "the other page")
    assert sandbox.read(TWIN).decode() == TWIN_PAGE


async def test_what_is_not_the_same_is_not_asked_again(sandbox: Sandbox) -> None:
    write_pages(sandbox, **{TWIN: TWIN_PAGE})
    async with opened(sandbox.workspace) as interface:
        await open_graph(interface, pages=ALL + 1)
        await interface.press("D")
        await until_rows(interface, "≟")
        await interface.press("x")
        await interface.until_said("Sarah Chen and Sarah Ch")
        await interface.until_shown("no two pages look like the same entity")
        await interface.press("u")
        await until_rows(interface, "≟")


@pytest.mark.parametrize(
    ("key", "bremen", "hamburg"),
    [("1", "here", "gone"), ("2", "2026-02-01", "here"), ("3", "here", "here"), ("4", TODAY, TODAY)],
)
async def test_a_contradiction_is_settled_with_one_key(
    sandbox: Sandbox, key: str, bremen: str, hamburg: str
) -> None:
    write_pages(sandbox)
    async with opened(sandbox.workspace, size=(100, 30)) as interface:
        await open_graph(interface, pages=ALL)
        await interface.press("C")
        await until_rows(interface, f"Sarah Chen: {BREMEN} ≠ {HAMBURG} lives in")
        await until_behind(interface, "from a.md#L1   O goes there")
        await until_behind(interface, f"from {LOG}#L6   o goes there")
        for words in ("since 1 Jan 2025", "since 1 Feb 2026", "trust agent", "trust owner"):
            await interface.until_shown(words)
        await interface.press("left_square_bracket", key)
        await interface.until_said("This shows another day")
        await interface.press("T")
        await interface.until(lambda: not graph_screen(interface).banner.display, "today")
        await interface.press(key)
        await interface.until_shown("nothing contradicts itself")
        for words, becomes in ((BREMEN, bremen), (HAMBURG, hamburg)):
            line = line_of(sandbox, words)
            assert bool(line) is (becomes != "gone")
            assert ("valid_until" in line) is (becomes.startswith("2026"))
            assert becomes in line or not becomes.startswith("2026")
        await interface.press("u")
        await interface.until_said("Undone")
        await until_rows(interface, f"{BREMEN} ≠ {HAMBURG}")
    assert sandbox.read(SARAH).decode() == PAGES[SARAH]


@pytest.mark.promise(
    "The interface",
    "a claim changes while its contradiction is shown",
    "it is not settled, a message says why, and the list is updated",
)
async def test_a_claim_that_was_changed_meanwhile_is_not_settled(sandbox: Sandbox) -> None:
    write_pages(sandbox)
    async with opened(sandbox.workspace) as interface:
        await open_graph(interface, pages=ALL)
        await interface.press("C")
        await until_rows(interface, "≠")
        changed = PAGES[SARAH].replace(HAMBURG, "Lives in Kiel")
        sandbox.write(SARAH, changed)
        await interface.press("1")
        await interface.until_said("one of the two was changed or removed in the meantime")
        await until_rows(interface, "≠ Lives in Kiel")
    assert sandbox.read(SARAH).decode() == changed


async def test_what_is_due_stands_under_its_time_and_is_done_with_one_key(sandbox: Sandbox) -> None:
    write_pages(sandbox)
    async with opened(sandbox.workspace) as interface:
        screen = await open_graph(interface, pages=ALL)
        await interface.until_shown("S Schedule 1 late")
        await interface.press("S")
        await until_rows(interface, "Overdue 1")
        heads = [row.text for row in screen.list.rows if row.fold is not None]
        assert heads == ["Overdue", "Today", "In the next seven days", "Later", "No day"]
        assert screen.list.row is not None
        assert screen.list.row.text == "Renew the certificate"
        await until_behind(interface, "overdue by 2 days")
        await interface.press("d")
        await interface.until_said("Renew the certificate")
        await until_rows(interface, "Overdue", gone=True)
        assert b"done=2026-03-20" in sandbox.read(ATLAS)
        await interface.press("u")
        await until_rows(interface, "Overdue 1")
        await cursor_on(interface, "Later")
        await interface.press("d")
        await interface.until_said("Select a todo")
        await cursor_on(interface, "The pilot starts")
        await interface.press("enter")
        await until_rows(interface, "project Atlas")
    assert sandbox.read(ATLAS).decode() == PAGES[ATLAS]


async def test_a_page_that_says_no_trust_has_that_of_its_facts(sandbox: Sandbox) -> None:
    sandbox.write("graph/project/one.md", "---\nname: One\n---\n- [fact] x <!-- wb: trust=agent -->\n")
    async with opened(sandbox.workspace) as interface:
        await interface.press("R")
        await interface.until_shown("1 fact · 0 relations · trust agent")


async def test_without_a_graph_each_view_says_what_would_fill_it(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, size=(60, 20)) as interface:
        await interface.press("R")
        await interface.until_shown("no entities yet")
        await interface.until_shown("I in the panes adds more")
        await interface.press("tab")
        await interface.until_shown("no two pages look like the same entity")
        await interface.press("m")
        await interface.until_said("This list is empty")
        await interface.press("tab")
        await interface.until_shown("nothing contradicts itself")
        await interface.press("tab")
        await interface.until_shown("nothing is due")
        await interface.press("shift+tab", "shift+tab")
        await interface.until_shown("no two pages look like the same entity")
        await interface.press("N", "m")
        await interface.until_said("It has no neighbours to draw")
        assert texts(graph_screen(interface)) == []
