"""What the agent sees: a message, what is given with it and why, the text itself, the way to its entries."""

from __future__ import annotations

import sys
from asyncio import create_subprocess_exec
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from indexing.sync.run import reindex
from screens.context.screen import AgentScreen, ContextTab
from tests.screens.interface import Interface, opened
from tests.screens.main.test_bursts import send
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox
from workbench.agent.usage import GivenEntry, record_recalls

ASK = "is the staging port 8443?"
PORT = "The staging port is 8443"
HOSTILE = "[/] [@click=app.quit]staging port\x1b[31m \u202etxet"


@pytest.fixture
def indexed(sandbox: Sandbox) -> Sandbox:
    reindex(sandbox.workspace, vectors=False)
    return sandbox


def screen(interface: Interface) -> AgentScreen:
    found = interface.app.screen
    assert isinstance(found, AgentScreen)
    return found


async def enter(interface: Interface) -> AgentScreen:
    await interface.press("W")
    await interface.until(lambda: isinstance(interface.app.screen, AgentScreen), "it is open")
    return screen(interface)


async def enter_list(interface: Interface) -> AgentScreen:
    """Open it, and go from the message to the list."""
    shown = await enter(interface)
    await interface.until(lambda: shown.focused is shown.input, "in the line")
    await interface.press("escape")
    return shown


async def ask(interface: Interface, message: str = ASK) -> AgentScreen:
    """Write a message, and go to the list."""
    shown = await enter(interface)
    await interface.until(lambda: shown.focused is shown.input, "in the line")
    shown.input.value = message
    await interface.press("enter")
    return shown


def records(sandbox: Sandbox) -> list[object]:
    return list(sandbox.workspace.ledger.read("recalls"))


async def test_what_is_given_follows_the_typing_with_score_cost_and_reason(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        shown = await ask(interface)
        await interface.until_shown("given with the message: 1 of at most 5")
        await interface.until_shown("scores by keyword only")
        row = shown.list.row
        assert row is not None
        assert PORT in row.text
        assert row.lead[0].text == "✓"
        assert row.tail[-1].text.endswith("tok")
        assert "/200 tokens" in interface.text
        await interface.until_shown("words in common: staging, port")
        await interface.until_shown("threshold")
        await interface.until_shown("trust: agent")
    assert records(indexed) == [], "looking is no recall"


async def test_the_text_is_the_very_text_that_the_agent_gets(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        shown = await ask(interface)
        await interface.until_shown("given with the message")
        await interface.press("t")
        await interface.until_shown("as the agent reads it")
        raw = shown._pages[ContextTab.MESSAGE].raw
        assert raw.startswith("<memory-")
        for line in raw.split("\n"):
            assert line in interface.text
        await interface.press("y")
        await interface.until_said(f"Copied {len(raw)} characters")
        assert interface.app.clipboard == raw
        await interface.press("escape")
        await interface.until_shown("given with the message")
        await interface.press("escape")
        await interface.until(lambda: interface.main.is_active, "out")


async def test_what_is_not_given_says_why(indexed: Sandbox) -> None:
    indexed.write(
        "graph/project/gate.md", "---\nid: e1\nname: Gate\ntype: project\n---\n- The staging port is odd\n"
    )
    indexed.write("MEMORY.md", f"# Memory\n\n- {PORT}\n")
    reindex(indexed.workspace, vectors=False)
    async with opened(indexed.workspace) as interface:
        await ask(interface)
        await interface.until_shown("matches that are not given")
        await interface.until_shown("the agent already has it")
        await interface.until_shown("below the threshold of 0.30")
        await interface.press("m")
        await interface.until_shown("does not load MEMORY.md")
        await interface.until(lambda: "the agent already has it" not in interface.text, "it is given now")


async def test_a_trivial_message_is_not_looked_up_and_says_so(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await ask(interface, "ok, thanks")
        await interface.until_shown("nothing was searched: the message has no meaningful word")
        await interface.press("y")
        await interface.until_said("nothing to copy")


async def test_a_message_that_memory_knows_nothing_of_says_the_best_score(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await ask(interface, "which orchestra premiered that symphony?")
        await interface.until_shown("nothing is given: memory has nothing")
        await interface.until_shown("threshold 0.30")


async def test_without_an_index_it_says_what_to_do(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await ask(interface)
        await interface.until_shown("there is no index yet")
        await interface.until_shown("workbench reindex")


async def test_a_row_leads_to_its_entry(indexed: Sandbox) -> None:
    for key in ("o", "enter"):
        async with opened(indexed.workspace) as interface:
            await ask(interface)
            await interface.until_shown("given with the message")
            await interface.press(key)
            await interface.until(lambda: interface.main.is_active, "back among the panes")
            await interface.until(
                lambda: (row := interface.main.here.row) and row.address == indexed.address(PORT),
                "on the entry",
            )


async def test_an_entry_is_forgotten_from_here_and_comes_back(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        shown = await ask(interface)
        await interface.until_shown("given with the message")
        await interface.press("d")
        await interface.until_said("Forgotten")
        await interface.until(
            lambda: all(PORT not in row.text for row in shown.list.rows), "it is not given any more"
        )
        assert PORT.encode() not in indexed.read(LOG)
        await interface.press("u")
        await interface.until_said("Undone")
        await interface.until_shown(PORT)
    assert indexed.read(LOG) == LOG_TEXT.encode()


async def test_a_pin_is_set_and_taken_off_by_the_same_key(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await ask(interface)
        await interface.until_shown("given with the message")
        await interface.press("P")
        await interface.until_said("Pinned")
        await interface.press("P")
        await interface.until_said("Unpinned")


async def test_another_message_is_read_from_its_best_entry_on(indexed: Sandbox) -> None:
    indexed.write("memory/2026-03-15.md", f"# Day\n\n- {PORT}, says Sarah again\n- Sarah prefers tea\n")
    reindex(indexed.workspace, vectors=False)
    async with opened(indexed.workspace) as interface:
        shown = await ask(interface, "what does Sarah say of the staging port")
        await interface.until(lambda: shown.answered and len(shown.list.rows) > 3, "several entries")
        first = shown.list.cursor
        shown.list.jump(0)
        await interface.press("j", "j")
        assert shown.list.cursor > first
        on = shown.list.row
        shown.reload()
        await interface.until(lambda: shown.answered, "read again")
        assert shown.list.row == on, "the same message leaves the cursor where it is"
        shown.input.value = "what does Sarah say of the staging port now"
        await interface.until(
            lambda: shown.answered and shown.list.cursor == first, "the best of the new one"
        )


async def test_nothing_is_done_to_what_answers_another_message(
    indexed: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(indexed.workspace) as interface:
        shown = await ask(interface)
        await interface.until_shown("given with the message")
        monkeypatch.setattr("screens.context.screen.DEBOUNCE_SECONDS", 3_600.0)
        shown.input.value = f"{ASK} or 9443"
        await interface.press("d")
        await interface.until_said("Still searching")
    assert indexed.read(LOG) == LOG_TEXT.encode()


async def test_messages_come_back_by_up_and_down(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        shown = await ask(interface)
        await interface.press("slash")
        shown.input.value = "something els"
        await interface.press("e", "tab", "slash", "end", "?", "up")
        assert shown.input.value == "something else"
        await interface.press("up")
        assert shown.input.value == ASK
        await interface.press("down", "down")
        assert shown.input.value == "something else?"
        await interface.press("escape", "escape")
        await interface.until(lambda: interface.main.is_active, "closed")
        again = await enter(interface)
        await interface.until(lambda: again.input.value == "something else?", "it is still there")


async def test_what_others_write_is_followed_while_it_is_open(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await enter_list(interface)
        await interface.press("4")
        await interface.until_shown("MEMORY.md")
        indexed.write("AGENTS.md", "# How the agent works\n\n- It answers in short sentences.\n")
        await interface.until_shown("AGENTS.md")


async def test_letters_are_text_from_the_first_one_on(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        send(interface, "W", *"Wup2")
        await interface.until(lambda: isinstance(interface.app.screen, AgentScreen), "it is open")
        shown = screen(interface)
        await interface.until(lambda: shown.input.value == "Wup2", "all of it is text")
        assert ("enter", "to the list") in shown.hint_line.hints
        assert indexed.read(LOG) == LOG_TEXT.encode()
        await interface.press("escape")
        assert shown.focused is shown.list
        assert ("/", "type a message") in shown.hint_line.hints
        await interface.press("escape")
        await interface.until(lambda: interface.main.is_active, "out")
        again = await enter(interface)
        await interface.until(lambda: again.input.value == "Wup2", "it is still there")
        assert again.focused is again.list, "where there is a message, keys look at what is given"


GRAPH = """---
id: ent-sarah
name: Sarah
type: person
---
- [identity] Leads the platform team <!-- wb: id=m1 trust=owner at=2026-03-01 -->
- [todo] Renew the passport <!-- wb: id=m2 trust=owner happens_at=2020-01-01 -->
- [todo] Water the plants <!-- wb: id=m3 trust=owner -->
"""


async def test_both_bulletins_show_lines_cost_and_their_text(sandbox: Sandbox) -> None:
    sandbox.write("graph/person/sarah.md", GRAPH)
    async with opened(sandbox.workspace) as interface:
        shown = await enter_list(interface)
        await interface.press("2")
        await interface.until_shown("Identity: 1")
        await interface.until_shown("Sarah: Leads the platform team")
        await interface.until_shown("trust: owner")
        await interface.press("3")
        await interface.until_shown("Sarah: Water the plants")
        await interface.press("t")
        await interface.until_shown("## Todos without a date")
        raw = shown._pages[ContextTab.CONTEXT].raw
        assert all(line in interface.text for line in raw.split("\n"))


async def test_empty_bulletins_say_what_would_make_them(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await enter_list(interface)
        await interface.press("2")
        await interface.until_shown("nothing is known about identity")
        await interface.press("tab")
        await interface.until_shown("nothing is due")
        await interface.press("shift+tab", "h")
        await interface.until_shown("type a message as you would send it")


async def test_what_is_always_loaded_has_its_cost_and_a_way_there(sandbox: Sandbox) -> None:
    sandbox.write("SOUL.md", "Be kind, and brief.\n")
    async with opened(sandbox.workspace) as interface:
        await enter_list(interface)
        await interface.press("4")
        await interface.until_shown("SOUL.md")
        await interface.until_shown("how the agent works")
        await interface.until_shown("MEMORY.md")
        await interface.press("t")
        await interface.until_said("loads these files whole")


def given_often(sandbox: Sandbox, *, times: int = 4) -> None:
    now = datetime.now(UTC)
    for number in range(times):
        given = [GivenEntry(sandbox.address(PORT), PORT, 0.8)]
        if number == 0:
            given.append(GivenEntry(sandbox.address("tantivy"), "We decided to use tantivy for search", 0.5))
        record_recalls(
            sandbox.workspace,
            given,
            query=f"question {number % 2}",
            by="inject",
            now=now.replace(microsecond=0),
        )


async def test_what_dominates_is_shown_with_its_share_and_what_never_was_given(sandbox: Sandbox) -> None:
    given_often(sandbox)
    before = records(sandbox)
    async with opened(sandbox.workspace) as interface:
        shown = await enter_list(interface)
        await interface.press("5")
        await interface.until_shown("given most in the last 30 days")
        row = shown.list.row
        assert row is not None
        assert PORT in row.text
        assert "100%" in row.lead[1].text
        await interface.until_shown("2 different questions")
        await interface.until_shown("never given in the last 30 days: 2")
        await interface.until_shown("The release is on Friday")
        await interface.press("plus")
        await interface.until_shown("in the last 90 days")
        await interface.press("minus", "minus")
        await interface.until_shown("in the last 7 days")
        await interface.press("o")
        await interface.until(lambda: interface.main.is_active, "at its entry")
    assert records(sandbox) == before


async def test_nothing_given_says_how_to_connect_an_agent(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await enter_list(interface)
        await interface.press("5")
        await interface.until_shown("nothing was given to an agent in the last 30 days")
        await interface.until_shown("workbench connect")


async def test_hostile_text_stays_text_in_every_part(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + f"- {HOSTILE}\n")
    sandbox.write("graph/person/x.md", f"---\nid: e2\nname: '[/] X'\ntype: person\n---\n- [todo] {HOSTILE}\n")
    address = sandbox.address("staging port", LOG)
    now = datetime.now(UTC)
    record_recalls(
        sandbox.workspace, [GivenEntry("memory/[/]\x1b[2J.md#1", "x y", 1)], query="q", by="[/]", now=now
    )
    record_recalls(sandbox.workspace, [GivenEntry(address, HOSTILE, 1)], query="q", by="mcp", now=now)
    reindex(sandbox.workspace, vectors=False)
    async with opened(sandbox.workspace) as interface:
        shown = await ask(interface, "[/] [@click=app.quit] staging port txet")
        await interface.until(lambda: shown.list.rows, "something is found")
        for key in ("t", "2", "3", "4", "5"):
            await interface.press(key)
            await interface.pilot.pause()
            assert "\x1b" not in interface.text
            assert "\u202e" not in interface.text
        await interface.until_shown("no longer exists")
        assert "[/]" in interface.text


async def test_it_fits_a_small_terminal_and_a_light_theme(indexed: Sandbox) -> None:
    async with opened(indexed.workspace, (60, 20)) as interface:
        interface.app.theming.use("light")
        await ask(interface)
        await interface.until_shown(PORT[:12])
        assert all(len(line) <= 60 for line in interface.text.split("\n"))
        await interface.press("t")
        await interface.until_shown("Recalled from memory")


async def test_where_nothing_can_be_written_the_key_says_so_and_looking_works(tmp_path: Path) -> None:
    made = Sandbox(tmp_path / "bare")
    made.git("config", "core.bare", "true")
    reindex(made.workspace, vectors=False)
    async with opened(made.workspace) as interface:
        await interface.until(lambda: interface.main.operations.refusal, "nothing can be written")
        await ask(interface)
        await interface.until_shown("given with the message")
        await interface.press("d")
        await interface.until_said("is a bare repository")
    made.close()


@pytest.mark.promise("The interface", "an entry changed after it was indexed", "it is not given to an agent")
async def test_what_changed_on_disk_meanwhile_is_not_given(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await ask(interface)
        await interface.until_shown("given with the message")
        indexed.write(LOG, LOG_TEXT.replace(PORT, "All is new here"))
        await interface.press("r")
        await interface.until(lambda: "given with the message" not in interface.text, "it is gone")


MODEL = """
import json, sys
def say(**words):
    print(json.dumps(words), flush=True)
say(event="ready", vectors=True)
line = {"entry": "memory/2026-03-14.md#0", "path": "memory/2026-03-14.md", "line": 6, "text": "by meaning",
        "score": 0.5, "parts": {"meaning": 0.4, "words": 0.1}, "words": [], "why": "0.50",
        "trust": "agent", "sources": [], "user": None, "date": None, "scope": None, "tokens": 9}
for request in map(json.loads, sys.stdin):
    if request.get("ask") != "inject":
        say(seq=request["seq"], query="", mode="hybrid", hits=[])
    elif "break" in request["message"]:
        sys.exit(1)
    else:
        say(seq=request["seq"], injection={"match_count": 1, "top_score": 0.5, "tokens": 30,
            "skipped_because": None, "lines": [line], "left_out": [], "below": [], "notes": []})
"""


@pytest.fixture
def with_model(indexed: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    async def start(task: str, root: Path, parameters: Mapping[str, object]) -> Process:
        code = MODEL if task == "search" else "import sys; sys.stdin.read()"
        return await create_subprocess_exec(sys.executable, "-c", code, stdin=PIPE, stdout=PIPE)

    monkeypatch.setattr("screens.jobs.worker_client.start", start)
    return indexed


async def test_the_process_with_the_model_answers_where_it_runs(with_model: Sandbox) -> None:
    async with opened(with_model.workspace, engines=True) as interface:
        await interface.until(lambda: interface.main.index_monitor.engine.ready, "semantic search is ready")
        await ask(interface)
        await interface.until_shown("by meaning")
        await interface.until_shown("meaning")
        assert "by keyword only" not in interface.text


@pytest.mark.promise(
    "The interface",
    "the process with the model dies during a query",
    "keyword search answers, with a note",
)
async def test_when_it_dies_words_answer_and_say_so(with_model: Sandbox) -> None:
    async with opened(with_model.workspace, engines=True) as interface:
        await interface.until(lambda: interface.main.index_monitor.engine.ready, "semantic search is ready")
        await ask(interface, "break which staging port")
        await interface.until_shown("scores by keyword only")
        await interface.until_shown(PORT)


async def test_tabs_show_numbers_only_where_numbers_are_keys(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        shown = await enter(interface)
        await interface.until(lambda: shown.focused is shown.input, "in the line")
        await interface.until_shown("then 1 to 5")
        assert "1 Message" not in interface.text
        await interface.press("2")
        assert shown.input.value == "2"
        await interface.press("escape")
        await interface.until_shown("2 Memory")
        assert "then 1 to 5" not in interface.text
        await interface.press("2")
        await interface.until(lambda: shown.section is ContextTab.MEMORY, "the second part")
