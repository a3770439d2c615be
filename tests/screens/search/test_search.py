"""Live search: words at once, meaning joining, the newest question winning, nothing ever lost."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import Process
from collections.abc import Mapping
from pathlib import Path

import pytest
from textual import events

from indexing.sync.run import reindex
from screens.actions.availability import FocusContext
from screens.jobs import worker_client as meaning_half
from screens.search.engine import SearchAnswered
from tests.screens.interface import Interface, opened
from tests.screens.search.conftest import Answering
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox
from workbench.agent.search_update import FoundHit, SearchUpdate

MEANING = """
import json, sys
def say(**words):
    print(json.dumps(words), flush=True)
say(event="ready", vectors=True)
texts = [("We decided to use tantivy for search", "%(decided)s"), ("The staging port is 8443", "%(port)s")]
for line in sys.stdin:
    asked = json.loads(line)
    hits = [
        {"entry": entry, "path": "memory/2026-03-14.md", "start_line": 6, "kind": "log",
         "date": "2026-03-14", "snippet": text, "score": 1 - n / 4}
        for n, (text, entry) in enumerate(texts)
    ]
    say(seq=asked["seq"], query=asked["query"], mode="hybrid", hits=hits)
"""


@pytest.fixture
def children(indexed: Sandbox, answering: Answering) -> list[Process]:
    """Those of semantic search that were started: they answer at once."""
    return answering(MEANING % {"decided": indexed.address("We decided"), "port": indexed.address("staging")})


def texts(interface: Interface) -> list[str]:
    return [row.text for row in interface.main.overlay.hits.rows]


async def test_results_change_while_typing(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await interface.press("slash")
        await interface.type("stag")
        await interface.until(lambda: texts(interface) == ["The staging port is 8443"], "the port")
        await interface.press(*["backspace"] * 4)
        await interface.type("weath")
        await interface.until(
            lambda: texts(interface) == ["A paragraph about the weather in Lisbon."], "the weather"
        )
        assert "keyword" in interface.main.overlay.condition.corner.text


async def test_the_newest_question_wins_and_old_hits_stay_until_then(indexed: Sandbox) -> None:
    def answer(seq: int, text: str) -> SearchAnswered:
        hit = FoundHit(f"{LOG}#{text}", LOG, 1, "log", "", text, 1.0)
        return SearchAnswered(seq, SearchUpdate(text, (hit,), "keyword"), final=False)

    async with opened(indexed.workspace) as interface:
        searching = interface.main.live_search
        await interface.press("slash")
        await interface.type("abc")
        await interface.until(lambda: searching._question.seq == 3, "three questions")
        searching._shown = (0, False)
        searching.answered(answer(2, "older"))
        assert texts(interface) == ["older"]
        searching.answered(answer(3, "newest"))
        searching.answered(answer(1, "oldest"))
        searching.answered(answer(2, "older"))
        assert texts(interface) == ["newest"]


async def test_meaning_joins_and_the_cursor_stays_on_its_hit(
    indexed: Sandbox, children: list[Process]
) -> None:
    async with opened(indexed.workspace, engines=True) as interface:
        await interface.until(lambda: interface.main.index_monitor.engine.ready, "semantic search is ready")
        await interface.press("slash")
        await interface.type("staging port")
        await interface.until(lambda: len(texts(interface)) == 2, "both hits")
        assert interface.main.overlay.condition.corner.text == "hybrid"
        assert texts(interface)[0] == "We decided to use tantivy for search"
        await interface.press("down")
        row = interface.main.here.row
        searching = interface.main.live_search
        before = searching._shown
        searching.ask_again()
        await interface.until(lambda: searching._shown > before, "an answer")
        assert interface.main.here.row == row


async def test_a_hit_far_down_in_a_large_file_is_read_among_the_hits(sandbox: Sandbox) -> None:
    lines = ["- nothing but one more line of a long day"] * 60_000
    lines[50_000] = "- The quokka likes figs"
    sandbox.write("memory/2026-03-16.md", "# Long\n\n" + "\n".join(lines) + "\n")
    reindex(sandbox.workspace, vectors=False)
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        await interface.type("quokka")
        await interface.until(lambda: interface.main.overlay.hits.rows, "a hit")
        await interface.until_shown("50003 ▎- The quokka likes figs")
        await interface.press("enter")
        await interface.until(lambda: interface.main.pane_layout.reading, "it is read")
        await interface.until_shown("50003 ▎- The quokka likes figs")
        assert interface.main.place is FocusContext.RESULTS
        await interface.press("p")
        await interface.until_said("Promoted")
        await interface.press("escape")
        await interface.until(lambda: not interface.main.pane_layout.reading, "back to the hits")
        assert interface.main.overlay.is_open
    assert "The quokka likes figs" in sandbox.spelled_out()


async def test_a_hit_that_was_far_down_is_opened_in_its_pane_once_its_file_is_short(sandbox: Sandbox) -> None:
    page = "memory/2026-03-16.md"
    sandbox.write(page, "# Long\n\n" + "- nothing but one more line\n" * 60_000 + "- The quokka likes figs\n")
    reindex(sandbox.workspace, vectors=False)
    async with opened(sandbox.workspace) as interface:
        main = interface.main
        await interface.press("slash")
        await interface.type("quokka")
        await interface.until(lambda: main.overlay.hits.rows, "a hit")
        await interface.press("enter")
        await interface.until(lambda: main.pane_layout.reading, "it is read among the hits")
        await interface.press("escape")
        await interface.until(lambda: not main.pane_layout.reading, "back to the hits")
        await interface.press("escape")
        await interface.until(lambda: not main.overlay.is_open, "closed")
        sandbox.write(page, "# Short\n\n- The quokka likes figs\n")
        reindex(sandbox.workspace, vectors=False)
        main.refresh_files()
        await interface.until(lambda: main.files[page].size < 100, "it is short")
        await interface.press("slash")
        await interface.type("quokka")
        await interface.until_shown("3 ▎- The quokka likes figs")
        await interface.press("enter")
        await interface.until(lambda: not main.overlay.is_open, "in its pane")
        await interface.until(
            lambda: (row := main.here.row) and "The quokka likes figs" in row.text, "the cursor is on it"
        )


async def test_words_go_on_when_the_meaning_process_dies(
    indexed: Sandbox, children: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    start, seen = meaning_half.start, asyncio.Event()

    async def start_again(task: str, root: Path, parameters: Mapping[str, object]) -> Process:
        if task == "search" and children:
            await seen.wait()
        return await start(task, root, parameters)

    monkeypatch.setattr(meaning_half, "start", start_again)
    async with opened(indexed.workspace, engines=True) as interface:
        await interface.until(lambda: interface.main.index_monitor.engine.ready, "semantic search is ready")
        os.kill(children[0].pid, signal.SIGKILL)
        await interface.until_said("Search continues by keyword only")
        await interface.press("slash")
        await interface.type("weather")
        await interface.until(lambda: "weather" in str(texts(interface)), "hits by words")
        assert interface.main.overlay.condition.corner.text == "! keyword search only"
        assert "degraded: semantic search stopped; starting it again" in interface.text
        seen.set()
        await interface.until(lambda: len(children) == 2, "it is started again")
        await interface.until(lambda: interface.main.overlay.condition.corner.text == "hybrid", "and joins")


async def test_enter_jumps_to_the_entry_in_its_pane(indexed: Sandbox) -> None:
    indexed.write("memory/2026-03-20.md", "# Later\n\n- newer day\n")
    reindex(indexed.workspace, vectors=False)
    async with opened(indexed.workspace) as interface:
        await interface.press("4", "slash")
        await interface.type("weather")
        await interface.until(lambda: texts(interface), "a hit")
        await interface.press("enter")
        await interface.until(lambda: interface.main.current == 0, "the pane of logs")
        await interface.until(
            lambda: interface.main.here.row and "weather" in interface.main.here.row.text, "the entry"
        )
        assert not interface.main.overlay.is_open


@pytest.mark.parametrize(
    ("words", "pane"), [("likes tea", 1), ("release friday", 2), ("contract", 3), ("lisbon", 0)]
)
async def test_every_kind_of_hit_has_its_pane(indexed: Sandbox, words: str, pane: int) -> None:
    person = "---\nname: Sarah\ntype: person\n---\n- [todo] Send the contract\n"
    indexed.write("graph/person/sarah.md", person)
    reindex(indexed.workspace, vectors=False)
    async with opened(indexed.workspace) as interface:
        await interface.press("slash")
        await interface.type(words)
        await interface.until(lambda: texts(interface), "a hit")
        address = interface.main.overlay.hits.rows[0].address
        await interface.press("enter")
        await interface.until(lambda: interface.main.current == pane, "its pane")
        await interface.until(
            lambda: interface.main.here.row and interface.main.here.row.address == address, "the entry"
        )


async def test_hits_are_stepped_through_from_the_panes(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await interface.press("slash")
        await interface.type("same words")
        await interface.until(lambda: len(texts(interface)) >= 2, "hits")
        hits = [row.address for row in interface.main.overlay.hits.rows]
        await interface.press("enter", "n")
        await interface.until(
            lambda: interface.main.here.row and interface.main.here.row.address == hits[1], "the second"
        )
        await interface.press("N")
        await interface.until(
            lambda: interface.main.here.row and interface.main.here.row.address == hits[0], "the first"
        )


async def test_actions_work_on_the_hit_under_the_cursor(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await interface.press("slash")
        await interface.type("staging p")
        await interface.until(lambda: texts(interface), "a hit")
        assert indexed.read(LOG) == LOG_TEXT.encode()
        await interface.press("tab", "p")
        await interface.until_said("Promoted")
        assert b"staging port" in indexed.read("MEMORY.md")
        await interface.press("u")
        await interface.until_said("Undone")
        await interface.press("d")
        await interface.until_said("Forgotten")
    assert b"staging port" not in indexed.read(LOG)


async def test_escape_closes_and_slash_finds_the_words_again(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await interface.press("slash")
        await interface.type("lisbon")
        await interface.until(lambda: texts(interface), "a hit")
        await interface.press("escape")
        await interface.until(lambda: interface.main.panes[0].list.has_focus, "back in the pane")
        await interface.press("slash")
        await interface.until_shown("lisbon")
        await interface.type("t")
        await interface.until(lambda: interface.main.overlay.input.value == "t", "typing replaces it")


async def test_without_an_index_it_says_so(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        await interface.type("tea")
        await interface.until_shown("there is no index yet")


async def test_what_is_typed_right_after_the_slash_is_text_and_never_a_command(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await interface.go_to("staging port")
        for key in ("slash", "d", "p", "space", "u", "q"):  # all in one burst, as a terminal sends a paste
            interface.app._driver.send_message(  # type: ignore[union-attr]
                events.Key(key, {"slash": "/", "space": " "}.get(key, key))
            )
        await interface.until(lambda: interface.main.overlay.input.value == "dp uq", "the words")
    assert indexed.read(LOG) == LOG_TEXT.encode()


async def test_a_hit_that_is_promoted_is_marked_at_once(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await interface.press("slash")
        await interface.type("staging")
        await interface.until(lambda: interface.main.overlay.hits.rows, "a hit")
        for _ in range(2):
            await interface.press("tab", "p")
            await interface.until(lambda: interface.main.overlay.hits.rows[0].done, "the mark on the hit")
            assert "✓" in str(interface.main.overlay.hits.rows[0].tail)
            await interface.press("u", "tab")
            await interface.until(lambda: not interface.main.overlay.hits.rows[0].done, "no mark")
