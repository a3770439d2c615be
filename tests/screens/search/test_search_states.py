"""Stale, degraded, failed and empty are four different answers, and waiting is a fifth thing."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from screens.drawing.safe_text import words
from screens.jobs.running_jobs import JobStage
from screens.search import engine, live_search
from tests.screens.interface import Interface, opened
from tests.screens.search.conftest import Answering
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox

READY = """
import json, os, sys, time
def say(**words):
    print(json.dumps(words), flush=True)
def hit(text, number=0):
    return {"entry": f"memory/2026-03-14.md#{number:012}", "path": "memory/2026-03-14.md", "start_line": 6,
            "kind": "log", "date": "2026-03-14", "snippet": text, "score": 1 - number / 10}
say(event="ready", vectors=True)
asked = (json.loads(line) for line in sys.stdin)
"""


@pytest.fixture
def answering(answering: Answering) -> Answering:
    """Has semantic search begin as it should and then run the given code."""
    return lambda code: answering(READY + code)


def texts(interface: Interface) -> list[str]:
    return [row.text for row in interface.main.overlay.hits.rows]


def status(interface: Interface) -> str:
    return interface.main.overlay.condition.corner.text


async def ready(interface: Interface) -> None:
    await interface.until(lambda: interface.main.index_monitor.engine.ready, "semantic search is ready")


async def test_nothing_found_says_what_could_be_tried(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await interface.press("slash")
        await interface.type("qqzzxx")
        await interface.until_shown("∅ nothing")
        await interface.type(" kind:dream ")
        await interface.until_shown("kind dream")
        await interface.until_shown("∅ nothing")


async def test_stale_hits_say_so_and_which_key_helps(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        indexed.write(LOG, LOG_TEXT + "- one more\n")
        await interface.press("slash")
        await interface.type("staging")
        await interface.until(lambda: status(interface) == "≠ stale", "stale in the corner")
        await interface.until_shown("≠ stale: 1 file among the hits changed since indexing; ctrl+r brings")
        assert texts(interface)[0] == "The staging port is 8443"


@pytest.mark.promise(
    "The search in the interface",
    "the keyword index is damaged while hits are shown",
    "the hits stay, marked as those of the earlier query, and no key acts on them",
)
async def test_a_damaged_index_is_a_failure_and_names_the_hits_that_are_left(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await interface.press("slash")
        await interface.type("staging")
        await interface.until(lambda: texts(interface), "a hit")
        (generation,) = (indexed.root / ".workbench" / "index").glob("gen-*")
        for path in (
            (generation / "words").iterdir() if (generation / "words").is_dir() else generation.rglob("*")
        ):
            if path.is_file():
                path.write_bytes(b"garbage")
        interface.main.index_monitor.engine._service = None
        await interface.type(" port")
        await interface.until(lambda: status(interface) == "✗ failed", "failed in the corner")
        await interface.until_shown("these are the hits of “")
        assert texts(interface)[0] == "The staging port is 8443"
        await interface.press("enter")
        await interface.until_said("The search failed")  # hits of other words are never acted upon


async def test_without_an_index_the_list_itself_says_what_to_do(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        await interface.type("tea")
        await interface.until_shown("✗ the search failed: there is no index yet")
        await interface.until_shown("ctrl+r brings the index up to date")


@pytest.mark.promise(
    "The search in the interface",
    "the process for semantic search dies during a query",
    "the keyword hits stay, with a note, and another process is started",
)
async def test_a_child_that_dies_over_a_question_leaves_the_hits_of_the_words(
    indexed: Sandbox, answering: Answering
) -> None:
    children = answering("for question in asked: os._exit(1)")
    async with opened(indexed.workspace, engines=True) as interface:
        await ready(interface)
        await interface.press("slash")
        await interface.type("staging")
        await interface.until(lambda: status(interface) == "! keyword search only", "degraded in the corner")
        assert texts(interface)[0] == "The staging port is 8443"
        await interface.until_shown("! degraded: semantic search stopped; starting it again")
        await interface.until(lambda: len(children) > 1, "another child")


async def test_a_child_that_cannot_answer_is_a_degraded_answer(
    indexed: Sandbox, answering: Answering
) -> None:
    answering(
        "for question in asked: say(seq=question['seq'],"
        " error={'code': 'failed', 'message': 'no \x1b[2J room', 'hint': ''})"
    )
    async with opened(indexed.workspace, engines=True) as interface:
        await ready(interface)
        await interface.press("slash")
        await interface.type("staging")
        await interface.until(lambda: status(interface) == "! keyword search only", "degraded in the corner")
        await interface.until_shown("! degraded: no ␛[2J room; ctrl+r tries again")
        assert texts(interface)[0] == "The staging port is 8443"


@pytest.mark.promise(
    "The search in the interface",
    "semantic search is slow",
    "hits stay; a spinner appears only after a while, and the selected row stays in place",
)
async def test_a_slow_child_keeps_the_hits_and_turns_a_wheel_only_after_a_while(
    indexed: Sandbox, answering: Answering, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    answering(
        f"""
for question in asked:
    while not os.path.exists({str(gate)!r}):
        time.sleep(0.01)
    say(seq=question["seq"], query=question["query"], mode="hybrid", hits=[hit("by meaning")])
"""
    )
    async with opened(indexed.workspace, engines=True) as interface:
        await ready(interface)
        await interface.press("slash")
        await interface.type("staging")
        await interface.until(lambda: texts(interface)[:1] == ["The staging port is 8443"], "the words' hit")
        await interface.until(lambda: status(interface).endswith("searching"), "a wheel")
        assert texts(interface)[0] == "The staging port is 8443"
        gate.touch()
        await interface.until(lambda: status(interface) == "hybrid", "the answer")
        assert texts(interface) == ["by meaning"]


@pytest.mark.promise(
    "The search in the interface", "semantic search hangs", "the process is ended and started again"
)
async def test_a_stuck_child_is_given_up_and_started_again(
    indexed: Sandbox, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "PATIENCE_SECONDS", 0.2)
    children = answering("sys.stdin.read()")
    async with opened(indexed.workspace, engines=True) as interface:
        await ready(interface)
        await interface.press("slash")
        await interface.type("staging")
        await interface.until_said("semantic search did not answer")
        await interface.until(lambda: len(children) > 1, "another child")
        assert texts(interface)[0] == "The staging port is 8443"


async def test_other_settings_begin_another_child_which_nobody_need_be_told_of(
    indexed: Sandbox, answering: Answering
) -> None:
    children = answering("sys.stdin.read()")
    async with opened(indexed.workspace, engines=True) as interface:
        await ready(interface)
        indexed.write("workbench.yaml", "search_preset: keyword\n")
        await interface.until(lambda: len(children) > 1, "another child")
        await ready(interface)
        assert "keyword only" not in interface.toasts


async def test_while_vectors_come_the_search_is_asked_again_now_and_then_and_once_all_are_there(
    indexed: Sandbox, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_search, "ROWS_SECONDS", 0.3)
    answering(
        "for n, question in enumerate(asked):"
        " say(seq=question['seq'], query=question['query'], mode='hybrid', hits=[hit(f'answer {n}')])"
    )

    def embedded(done: int) -> None:
        stage = JobStage(engine.EMBEDDING, done, 1_000)
        told = engine.IndexChanged(text=words("indexing"), searchable=True, stage=stage)
        interface.main.model.publish(told)

    async with opened(indexed.workspace, engines=True) as interface:
        await ready(interface)
        await interface.until(lambda: not interface.main.index_monitor.indexing, "nothing is indexed")
        await interface.press("slash")
        await interface.type("staging")
        await interface.until(lambda: status(interface) == "hybrid", "an answer")
        first = int(texts(interface)[0].split()[1])
        for done in (*range(0, 400, 10), *[400] * 40):
            embedded(done)
        await interface.until(lambda: texts(interface) == [f"answer {first + 1}"], "the first vectors count")
        await interface.until(lambda: texts(interface) == [f"answer {first + 2}"], "the last ones, too")
        for _ in range(40):
            embedded(400)
        interface.main.model.publish(engine.IndexChanged(text=None, searchable=True))
        await interface.until(lambda: texts(interface) == [f"answer {first + 3}"], "all are there")


async def test_what_was_not_understood_is_noted_under_the_words(
    indexed: Sandbox, answering: Answering
) -> None:
    note = "nothing has “stagging”; looked for “staging”"
    answering(
        "for question in asked: say(seq=question['seq'], query=question['query'], mode='hybrid',"
        f" hits=[hit('by meaning')], notes=[{note!r}])"
    )
    async with opened(indexed.workspace, engines=True) as interface:
        await ready(interface)
        await interface.press("slash")
        await interface.type("stagging")
        await interface.until_shown(f"· {note}")


async def test_a_condition_that_means_nothing_is_noted_before_any_answer(indexed: Sandbox) -> None:
    async with opened(indexed.workspace) as interface:
        await interface.press("slash")
        await interface.type("tea kind:foo ")
        await interface.until(lambda: "kind:foo" in str(interface.main.overlay.meant), "a note")


@pytest.mark.promise("The search in the interface", "semantic search is slow")
async def test_the_row_under_the_cursor_stays_when_meaning_joins_late(
    indexed: Sandbox, answering: Answering, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    address = indexed.address("staging")
    answering(
        f"""
for question in asked:
    while not os.path.exists({str(gate)!r}):
        time.sleep(0.01)
    mine = dict(hit("The staging port is 8443", 1), entry={address!r})
    say(seq=question["seq"], query=question["query"], mode="hybrid", hits=[hit("better"), mine])
"""
    )
    async with opened(indexed.workspace, engines=True) as interface:
        await ready(interface)
        await interface.press("slash")
        await interface.type("staging")
        await interface.until(lambda: status(interface).endswith("searching"), "a wait that is long")
        gate.touch()
        await interface.until(lambda: len(texts(interface)) == 2, "both halves")
        hits = interface.main.overlay.hits
        assert hits.row is not None
        assert hits.row.text == "The staging port is 8443"
        assert hits.scroll_offset.y == 0  # and what came before it is in view


async def test_a_killed_child_is_told_of_in_the_search_itself(indexed: Sandbox, answering: Answering) -> None:
    children = answering("sys.stdin.read()")
    async with opened(indexed.workspace, engines=True) as interface:
        await ready(interface)
        await interface.press("slash")
        os.kill(children[0].pid, signal.SIGKILL)
        await interface.until_shown("! degraded: semantic search stopped")


async def test_what_was_missing_is_not_told_of_an_answer_that_has_it(
    indexed: Sandbox, answering: Answering
) -> None:
    answering(
        """
for number, question in enumerate(asked):
    if number:
        say(seq=question["seq"], query=question["query"], mode="hybrid", hits=[hit("by meaning")])
    else:
        say(seq=question["seq"], error={"message": "there is no index yet"})
"""
    )
    async with opened(indexed.workspace, engines=True) as interface:
        await ready(interface)
        await interface.press("slash")
        interface.main.overlay.input.value = "staging"
        await interface.until_shown("! degraded: there is no index yet")
        interface.main.live_search.ask_again()
        await interface.until(lambda: texts(interface) == ["by meaning"], "an answer by both")
        assert status(interface) == "hybrid"
        assert "degraded" not in interface.text


@pytest.mark.promise("The index", "the index folder, or a part of it, removed while it is open")
async def test_an_index_that_is_taken_away_is_made_again_and_never_called_up_to_date(
    sandbox: Sandbox, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    wishes = []
    async with opened(sandbox.workspace, engines=True) as interface:
        main = interface.main
        current = sandbox.root / ".workbench" / "index" / "current"
        await interface.until(lambda: current.exists() and not main.index_monitor.indexing, "an index")
        await interface.until_said("Settings reloaded")  # they were written after the workspace was opened
        await interface.until(
            lambda: main.index_monitor._pause is None and not main.index_monitor.indexing, "nothing is due"
        )
        await interface.until_shown("index up to date")
        with monkeypatch.context() as patched:
            patched.setattr(main.index_monitor, "wish", lambda: wishes.append(main.title_line.render()))
            shutil.rmtree(sandbox.root / ".workbench" / "index")
            await interface.press("slash")
            await interface.type("staging")
            await interface.until(lambda: wishes, "it is made again")
            assert len(wishes) <= 2  # not once more for each key; files that changed may be one
            await interface.until_shown("! index: there is no index yet")
            assert "index up to date" not in interface.text.splitlines()[0]
        main.index_monitor.wish()
        await interface.until(lambda: texts(interface), "hits, by themselves")
        await interface.until_shown("index up to date")


async def test_a_key_that_waits_for_hits_is_told_at_once_that_the_search_failed(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        await interface.type("tea")
        await interface.until(lambda: status(interface) == "✗ failed", "failed in the corner")
        await interface.press("tab", "d")
        await interface.until_said("The search failed: there are no hits for this query")
        assert "Still searching" not in interface.toasts
