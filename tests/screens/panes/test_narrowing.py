"""Narrowing a pane: as one types, said on its frame, honest about marks, gone with esc."""

from __future__ import annotations

from datetime import date

import pytest

from tests.screens.interface import Interface, opened
from tests.screens.main.test_bursts import send
from tests.screens.panes.test_panes import PERSON, episode
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox


def shown(interface: Interface) -> list[str]:
    """What stands in the current pane, headings and days apart."""
    return [str(row.text) for row in interface.main.pane.list.rows if row.entry is not None]


async def narrow(interface: Interface, typed: str) -> None:
    pane = interface.main.pane
    send(interface, "f", *("space" if sign == " " else sign for sign in typed))
    await interface.until(lambda: pane.line.value.endswith(typed) and not pane.settling, "narrowed")


async def test_words_narrow_the_logs_as_one_types_and_esc_shows_all(sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-02-01.md", "# Day\n\n- An older port\n- Nothing else\n")
    async with opened(sandbox.workspace) as interface:
        await narrow(interface, "port")
        await interface.until(
            lambda: shown(interface) == ["The staging port is 8443", "An older port"], "two"
        )
        assert "1 Logs · only port" in interface.text
        await interface.press("enter", "j")
        assert interface.main.pane.list.has_focus
        await interface.press("escape")
        await interface.until_shown("We decided to use tantivy")
        assert "only port" not in interface.text


async def test_the_preview_follows_the_cursor_while_one_types(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        preview = interface.main.preview
        await interface.until(lambda: preview.shown and preview.shown.key.endswith("Preferences"), "first")
        await narrow(interface, "atlas")
        await interface.until(lambda: preview.shown and preview.shown.key.endswith("Facts"), "what is kept")
        await narrow(interface, " no such words")
        await interface.until(lambda: preview.shown is None, "nothing, as nothing fits")


async def test_a_month_keeps_its_days_without_reading_any(sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-02-01.md", "# Day\n\n- Older\n")
    async with opened(sandbox.workspace) as interface:
        await narrow(interface, "2026-02")
        rows = interface.main.pane.list.rows
        assert [row.path for row in rows if row.path] == ["memory/2026-02-01.md"]


async def test_what_is_not_promoted_yet_can_be_asked_for(sandbox: Sandbox) -> None:
    memory = sandbox.read("MEMORY.md").decode()
    sandbox.write("MEMORY.md", memory + f"- The port is 8443 <!-- wb: id=m1 src={LOG}#L6 -->\n")
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("✓1")
        await narrow(interface, "promoted")
        assert shown(interface) == ["The staging port is 8443"]
        await interface.press("escape")
        await narrow(interface, "-promoted decided")
        assert shown(interface) == ["We decided to use tantivy for search"]


async def test_nothing_that_fits_is_said_with_the_way_out(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        for pane in "1234":
            await interface.press(pane)
            await narrow(interface, "no such words")
            await interface.until_shown("no entry matches the filter")
            await interface.press("escape")
            await interface.until(lambda: interface.main.pane.filter is None, "all rows")


async def test_memory_is_narrowed_by_heading_pin_and_source(sandbox: Sandbox) -> None:
    memory = sandbox.read("MEMORY.md").decode()
    sandbox.write("MEMORY.md", memory + "- Kept <!-- wb: id=m1 src=memory/a.md#L1 pinned=true -->\n")
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        for typed, kept in (
            ("preferences", ["Likes tea"]),
            ("pinned", ["Kept"]),
            ("-sourced facts", ["The project is called Atlas"]),
        ):
            await narrow(interface, typed)
            assert shown(interface) == kept, typed
            await interface.press("escape")
        assert len(shown(interface)) == 3


async def test_episodes_are_narrowed_by_topic_and_by_what_becomes_of_them(sandbox: Sandbox) -> None:
    sandbox.write("episodes/2026/03/e2.md", episode("soon", 1))
    sandbox.write("episodes/2026/03/e3.md", episode("kept", 60, more="pinned: true\n"))
    async with opened(sandbox.workspace) as interface:
        await interface.press("3")
        for typed, kept in (("expiring", ["soon"]), ("pinned", ["kept"]), ("expired atlas", ["Planned"])):
            await narrow(interface, typed)
            rows = [row.text.split()[0] for row in interface.main.pane.list.rows if row.depth]
            assert rows == kept, typed
            await interface.press("escape")


async def test_the_graph_is_narrowed_by_type_name_and_due_date(sandbox: Sandbox) -> None:
    sandbox.write("graph/person/sarah.md", PERSON.format(due=date(2026, 1, 1)))
    async with opened(sandbox.workspace) as interface:
        await interface.press("4")
        await interface.until(lambda: interface.main.pane.list.rows, "the graph")
        await narrow(interface, "reviews")
        assert shown(interface) == ["Prefers async reviews"]
        await interface.press("escape")
        await narrow(interface, "overdue")
        assert set(shown(interface)) == {"Send the contract"}
        await interface.press("escape")
        await narrow(interface, "project")
        assert not interface.main.pane.list.rows


async def test_the_graph_is_narrowed_by_what_is_due_on_the_day_it_is(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.write("graph/person/sarah.md", PERSON.format(due=date(2026, 3, 20)))
    monkeypatch.setenv("WORKBENCH_TODAY", "2026-03-19")
    async with opened(sandbox.workspace) as interface:
        await interface.press("4")
        await interface.until(lambda: interface.main.pane.list.rows, "the graph")
        await narrow(interface, "overdue")
        assert shown(interface) == []
        await interface.press("escape")
        monkeypatch.setenv("WORKBENCH_TODAY", "2026-03-21")
        await narrow(interface, "overdue")
        assert set(shown(interface)) == {"Send the contract"}


async def test_marks_outside_the_filter_are_counted_left_alone_and_come_back(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("We decided")
        await interface.press("space")
        await narrow(interface, "port")
        await interface.press("enter")
        await interface.go_to("staging port")
        await interface.press("space")
        assert "1 marked, 1 hidden · " in interface.text
        await interface.press("d")
        await interface.until_said("Forgotten")
        assert b"We decided" in sandbox.read(LOG)
        assert b"staging" not in sandbox.read(LOG)
        await interface.press("escape")
        await interface.until(lambda: [r.text for r in interface.main.here.marked_rows()] == [
            "We decided to use tantivy for search"], "its mark is back")  # fmt: skip


async def test_keys_right_after_typing_a_filter_act_on_what_it_keeps(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        send(interface, "f", *"tantivy", "enter", "j", "d")
        await interface.until_said("Forgotten")
    assert sandbox.read(LOG) == LOG_TEXT.replace("- We decided to use tantivy for search\n", "").encode()


async def test_a_filter_follows_the_files(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await narrow(interface, "port")
        sandbox.write(LOG, LOG_TEXT + "\n- Another port appears\n")
        await interface.until_shown("Another port appears")
        sandbox.write(LOG, LOG_TEXT.replace("port", "gate"))
        await interface.until(lambda: shown(interface) == [], "gone")


async def test_going_to_an_entry_that_a_filter_hides_takes_it_away(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await narrow(interface, "port")
        await interface.press("enter")
        interface.main.navigation.to(sandbox.address("We decided"))
        await interface.until(
            lambda: interface.main.here.row and "We decided" in interface.main.here.row.text, "the entry"
        )
        assert interface.main.pane.filter is None


@pytest.mark.parametrize("typed", ["[/]", "[@click=app.quit]", "\\[", '"', "-"])
async def test_a_filter_of_signs_is_text(sandbox: Sandbox, typed: str) -> None:
    async with opened(sandbox.workspace, (60, 20)) as interface:
        await interface.press("f")
        interface.main.pane.line.value = typed
        await interface.pilot.pause()
        assert typed in interface.text
