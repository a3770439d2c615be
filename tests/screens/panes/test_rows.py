"""Rows of one pane differ where it counts: no stamps, labels and headers that all of them begin with."""

from __future__ import annotations

from datetime import date

import pytest

from screens.panes.entry_rows import shared_beginning, told
from tests.screens.interface import Interface, opened
from tests.support.workspaces import Sandbox

DAY = date(2026, 3, 14)


@pytest.mark.parametrize(
    ("title", "lead", "text"),
    [
        ("[2026-03-14 15:13:07] we met", "15:13", "we met"),
        ("2026-03-14T15:13:07.123+00:00 - we met", "15:13", "we met"),
        ("[2026-03-13 23:59:00 UTC]: we met", "2026-03-13 23:59", "we met"),
        ("2026-03-14 is the day", "", "2026-03-14 is the day"),
        ("[2026-03-14 15:13:07]", "", "[2026-03-14 15:13:07]"),
        ('{"event": "deploy", "ok": true, "of": {"a": 1}}', "", "event deploy · ok True · of …"),
        ('say {"event": broken', "", 'say {"event": broken'),
        ("| name | port |", "", "name · port"),
        ("**Session Key**: agent:main", "", "Session Key: agent:main"),
        ("<!-- keep this short -->", "", "keep this short"),
    ],
)
def test_what_is_in_the_way_goes_and_what_is_said_stays(title: str, lead: str, text: str) -> None:
    found = told(title, title, DAY)
    assert (" ".join(part.text for part in found.lead), found.text) == (lead, text)


def test_json_of_several_lines_is_one_row() -> None:
    assert told('{"a":', '{"a":\n "b", "c": 2}\n').text == "a b · c 2"


def test_only_labels_are_shared_and_only_of_several_rows() -> None:
    assert shared_beginning(["#ops: one", "#ops: two", "#ops: three"]) == len("#ops: ")
    assert shared_beginning(["#ops: one", "#ops: two"]) == 0
    assert shared_beginning(["the port is 1", "the port is 2", "the port is 3"]) == 0
    assert shared_beginning(["a: ", "a: b", "a: c"]) == 0


def rows(interface: Interface) -> list[str]:
    return [" ".join((*(part.text for part in row.lead), row.text)) for row in interface.main.pane.list.rows]


async def test_a_comment_for_programs_stands_in_the_row_of_what_it_is_about(sandbox: Sandbox) -> None:
    about = "<!-- trigger: release -->\n- Ask before a release\n\n<!-- trigger: email -->\n\nNever mail.\n"
    sandbox.write("memory/2026-03-15.md", f"# Day\n\n{about}\n<!-- owner: nobody -->\n")
    sandbox.write("MEMORY.md", f"# Memory\n\n{about}")
    async with opened(sandbox.workspace) as interface:
        await interface.until(lambda: "Ask before a release" in rows(interface), "the entries")
        shown = rows(interface)
        assert {"trigger: release", "trigger: email"}.isdisjoint(shown)
        assert "owner: nobody" in shown, "what stands above nothing keeps its row"
        for pane in (interface.main.logs, interface.main.memory):
            tails = {str(row.text): [*map(str, (part.text for part in row.tail))] for row in pane.list.rows}
            assert "trigger: release" in tails["Ask before a release"]
            assert "trigger: email" in tails["Never mail."]


async def test_whoever_goes_to_a_comment_comes_to_the_row_that_shows_it(sandbox: Sandbox) -> None:
    day, about = "memory/2026-03-15.md", "<!-- trigger: release -->\n<!-- owner: us -->\n- Ask before it\n"
    sandbox.write(day, f"# Day\n\n- one\n\n{about}")
    sandbox.write("MEMORY.md", f"# Memory\n\n- one\n\n{about}")
    async with opened(sandbox.workspace) as interface:
        main = interface.main

        def is_there() -> bool:
            return main.pane.list.row is not None and main.pane.list.row.text == "Ask before it"

        await interface.until(lambda: "Ask before it" in rows(interface), "the entries")
        for path, pane in ((day, main.logs), ("MEMORY.md", main.memory)):
            for words in ("trigger", "owner"):
                pane.list.go(0)
                main.navigation.to(sandbox.address(words, path))
                await interface.until(is_there, path)
                assert main.pane is pane
        assert "has changed" not in interface.toasts


async def test_a_comment_is_shown_only_with_the_entry_right_below_it(sandbox: Sandbox) -> None:
    listed = "<!-- trigger: zebra -->\n- Run the checklist\n- Something else\n- Stripes of a zebra\n"
    sandbox.write("MEMORY.md", f"# Memory\n\n{listed}\n<!-- owner: us -->\n\n\nFar below.\n")
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        await interface.go_to("Run the checklist")

        def with_labels() -> dict[str, str]:
            rows = interface.main.pane.list.rows
            return {str(row.text): " ".join(part.text for part in row.tail) for row in rows}

        assert {name for name, tail in with_labels().items() if "trigger" in tail} == {"Run the checklist"}
        assert with_labels()["owner: us"] == ""
        await interface.press("f")
        await interface.type("zebra")
        await interface.until(lambda: "Something else" not in with_labels(), "the filter")
        assert with_labels()["Run the checklist"] == "trigger: zebra"
        assert with_labels()["Stripes of a zebra"] == ""
        assert "trigger: zebra" not in with_labels()


async def test_a_log_of_stamps_and_channels_shows_times_and_words(sandbox: Sandbox) -> None:
    lines = [f"[2026-03-15T1{n}:00:00Z] #ops: step {n} done\n\n" for n in range(4)]
    sandbox.write("memory/2026-03-15.md", "# Day\n\n" + "".join(lines))
    async with opened(sandbox.workspace) as interface:
        await interface.until(lambda: "13:00 step 3 done" in rows(interface), "times and words")
        await interface.go_to("step 2")
        await interface.until_shown("[2026-03-15T12:00:00Z] #ops: step 2 done")
        await interface.press("p")
        await interface.until_said("step 2 done")
    assert b"#ops: step 2 done" in sandbox.read("MEMORY.md"), "what is promoted is what stands in the file"
