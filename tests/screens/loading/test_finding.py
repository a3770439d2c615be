"""Finding in the preview, and what stands beneath it: matches, kin, recalls."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from indexing.sync.run import reindex
from screens.widgets.preview_pane import TextMatch, matches_in, matches_on
from tests.screens.interface import Interface, opened
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox
from workbench.agent.usage import GivenEntry, record_recalls


def test_capitals_count_only_where_some_were_typed() -> None:
    lines = ["Tea and tea", "no", "TEA"]
    assert matches_in(lines, "tea") == (TextMatch(0, 0, 3), TextMatch(0, 8, 11), TextMatch(2, 0, 3))
    assert matches_in(lines, "Tea") == (TextMatch(0, 0, 3),)
    assert matches_in(lines, " ") == ()
    assert matches_in(["a.b (x)"], ".b (") == (TextMatch(0, 1, 5),)


def test_matches_are_told_by_their_lines() -> None:
    found = matches_in(["tea", "no", "tea tea"], "tea")
    assert matches_on(found, 0) == (TextMatch(0, 0, 3),)
    assert matches_on(found, 1) == ()
    assert matches_on(found, 2) == (TextMatch(2, 0, 3), TextMatch(2, 4, 7))


async def test_a_match_over_the_end_of_a_drawn_line_is_brought_out_in_both(sandbox: Sandbox) -> None:
    sought = "0123456789" * 20
    sandbox.write(LOG, f"- before {sought} behind\n")
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("before")
        await find(interface, sought)
        await interface.until(lambda: subtitle(interface) == "1/1", "found")
        preview = interface.main.preview
        here = preview.get_component_rich_style("preview--here", partial=True).bgcolor
        lines = [preview.render_line(y) for y in range(preview.size.height)]
        parts = [
            "".join(part.text for part in line if part.style and part.style.bgcolor == here) for line in lines
        ]
        assert len([part for part in parts if part]) > 1
        assert "".join(parts) == sought


def subtitle(interface: Interface) -> str:
    return str(interface.main.preview.border_subtitle)


async def find(interface: Interface, words: str) -> None:
    await interface.press("F")
    await interface.type(words)
    await interface.until(lambda: interface.main.find.line.value == words, "typed")


async def test_find_counts_matches_and_n_steps_through_them(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + "".join(f"\nparagraph {n}\n" for n in range(60)) + "\n- port again\n")
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.until(lambda: "staging" in str(interface.main.preview.shown), "the entry")
        await find(interface, "port")
        await interface.until(lambda: subtitle(interface) == "1/2", "two matches in the whole file")
        await interface.press("enter")
        assert interface.main.pane.list.has_focus
        await interface.press("n")
        await interface.until(lambda: subtitle(interface) == "2/2", "the second")
        assert "port again" in interface.text.split("╭─ memory/")[1]
        await interface.press("n", "N")
        await interface.until(lambda: subtitle(interface) == "2/2", "round and back")
        await interface.press("escape")
        await interface.until(lambda: subtitle(interface) == "", "no find any more")


async def test_what_is_not_in_the_file_is_said(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await find(interface, "zebra")
        await interface.until(lambda: subtitle(interface) == "not here", "no match")


async def test_a_find_in_a_huge_file_says_that_it_saw_a_part(sandbox: Sandbox) -> None:
    sandbox.write(LOG, "- a needle\n" + "- one more line of text\n" * 60_000)
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("a needle")
        await find(interface, "needle")
        await interface.until(lambda: subtitle(interface) == "1/1 in this part of the file", "a part")


async def test_a_find_follows_the_cursor_to_another_entry(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await find(interface, "tea")
        await interface.press("enter", "2")
        await interface.go_to("Likes tea")
        await interface.until(lambda: subtitle(interface) == "1/1", "found in the other file")


async def test_a_find_of_signs_is_text(sandbox: Sandbox) -> None:
    sandbox.write(LOG, "- [/] and [@click=app.quit]x[/] end\n")
    async with opened(sandbox.workspace, (60, 20)) as interface:
        await interface.go_to("end")
        await find(interface, "[@click=app.quit]x[/]")
        await interface.until(lambda: subtitle(interface) == "1/1", "one match")


async def test_who_recalled_an_entry_is_told(sandbox: Sandbox) -> None:
    text = "The staging port is 8443"
    given = [GivenEntry(sandbox.address("staging port"), text, 0.8)]
    for days, question in ((9, "which port"), (2, "staging?")):
        now = datetime.now(UTC) - timedelta(days=days)
        record_recalls(sandbox.workspace, given, query=question, by="mcp", now=now)
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.until_shown("2 times, last 2d ago, for 2 questions · by mcp")
        await interface.go_to("We decided")
        await interface.until_shown("used by no agent yet")


async def test_what_belongs_to_an_entry_leads_there(sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-02-01.md", "# Day\n\n- Which staging port is it, 8443 or 8080?\n")
    memory = sandbox.read("MEMORY.md").decode()
    sandbox.write("MEMORY.md", memory + f"- The port is 8443 <!-- wb: id=m1 src={LOG}#L6 -->\n")
    sandbox.commit("more")
    reindex(sandbox.workspace, vectors=False)
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.until_shown("related 2, s lists them")
        await interface.press("s")
        await interface.until_shown("2 related entries")
        assert "a new name" not in interface.text  # there can be none
        assert "was created from it" in interface.text
        assert "is like it" in interface.text
        await interface.press("enter")
        await interface.until(lambda: interface.main.current == 1, "long-term memory")
        assert interface.main.here.row
        assert "The port is 8443" in interface.main.here.row.text
        preview = interface.main.preview
        await interface.until(
            lambda: [line.text for line in preview.beneath.get("related", ()) if "came from" in line.text],
            "the way back",
        )


async def test_what_belongs_to_a_hit_is_told_too(sandbox: Sandbox) -> None:
    memory = sandbox.read("MEMORY.md").decode()
    sandbox.write("MEMORY.md", memory + f"- The port is 8443 <!-- wb: id=m1 src={LOG}#L6 -->\n")
    reindex(sandbox.workspace, vectors=False)
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        await interface.type("staging")
        await interface.until(
            lambda: interface.main.live_search.settled and interface.main.here.rows, "a hit"
        )
        await interface.press("tab")
        await interface.until(lambda: interface.main.related.related, "its kin")
        await interface.press("s")
        await interface.until_shown("was created from it")


async def test_an_entry_without_kin_says_so(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("We decided")
        await interface.until(lambda: interface.main.related.settled, "looked for")
        await interface.press("s")
        await interface.until_said("No related entries")
