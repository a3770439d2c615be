"""Long work in the interface: it says how far it is, holds up no key, and is stopped without harm."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path

import pytest
from textual.widgets import Input

from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from screens.jobs import user_jobs
from screens.jobs.user_jobs import PathScreen, absolute, completed
from screens.settings.overview import SettingsScreen
from tests.screens.interface import Interface, opened
from tests.support.sessions import claw
from tests.support.tasks import replace_task
from tests.support.workspaces import Sandbox

pytestmark = [
    pytest.mark.promise(
        "The interface",
        "indexing, ingest or a backup is stopped from the interface",
        "finished parts are kept, and the next run continues",
        by="SIGTERM",
    ),
]

SLOW = "tests.screens.jobs.slow_work"
SAID = (
    ("user", "Please remember that my birthday is on 3 May."),
    ("assistant", "We decided to use tantivy for the search of Project Atlas."),
)


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "t/s91.jsonl"
    path.parent.mkdir()
    path.write_bytes(claw(*SAID))
    return path


def lines(interface: Interface) -> str:
    """What the last lines of the main screen say of long work."""
    line = interface.main.work_line
    return "\n".join("".join(part.text for part in parts) for parts in line.lines()) if line.display else ""


async def until_line(interface: Interface, words: str) -> None:
    await interface.until(lambda: words in lines(interface), f"{words!r} in {lines(interface)!r}")


async def test_a_run_of_the_index_is_seen_everywhere_stopped_and_gone_on_with(
    sandbox: Sandbox, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    with monkeypatch.context() as slowly:
        replace_task(slowly, "search", "reindex", by=SLOW)
        async with opened(sandbox.workspace) as interface:
            await interface.press("c")
            await interface.until_said("No long job is running")
            await interface.press("r")
            await until_line(interface, "Indexing: keyword index ━━━━━━━━╌╌╌╌╌╌╌╌ 2,400 of 4,800")
            await interface.until_shown("indexing 50 % · keyword index")
            assert lines(interface).endswith("c stops")
            await interface.press("2")  # keys do what they do meanwhile
            await interface.until(lambda: interface.main.current == 1, "the second pane")
            await interface.press("S")
            await interface.until(lambda: isinstance(interface.app.screen, SettingsScreen), "settings")
            await interface.until_shown("2,400 of 4,800")
            assert "c stops" not in interface.text
            await interface.press("escape")
            await interface.until(lambda: interface.main.is_active, "the panes")
            await interface.press("c")
            await interface.until_shown("! index: stopped; r continues")
            following = interface.main.index_monitor
            sandbox.write("memory/2026-03-22.md", "- written after the stop\n")
            interface.main.refresh_files()
            following.sources_changed()
            following.wish()
            await interface.pilot.pause(0.3)
            assert not following._running  # it stays stopped until a person asks for it
            assert following._pause is None
            await interface.until_shown("! index: stopped; r continues")
            assert lines(interface) == ""
            slowly.undo()
            replace_task(monkeypatch, "search", by=SLOW)
            await interface.press("r")
            status = interface.main.title_line
            await interface.until(lambda: status.status.startswith("index up to date"), "it is done")
            assert lines(interface) == ""
    assert (
        IndexSearch(sandbox.workspace, vectors=False).search(Query(text="staging port", mode="lexical")).hits
    )


async def test_an_index_run_that_is_wanted_again_while_it_is_being_stopped_is_done(
    sandbox: Sandbox, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    async with opened(sandbox.workspace) as interface:
        with monkeypatch.context() as deaf:
            replace_task(deaf, "search", "reindex", by="tests.screens.jobs.deaf_work")
            await interface.press("r")
            await until_line(interface, "19 of 40")
        replace_task(monkeypatch, "search", by=SLOW)
        await interface.press("c")
        await until_line(interface, "stopping …")
        await interface.press("r")
        status = interface.main.title_line
        await interface.until(lambda: status.status.startswith("index up to date"), "it is done")
    assert (
        IndexSearch(sandbox.workspace, vectors=False).search(Query(text="staging port", mode="lexical")).hits
    )


async def test_a_search_before_the_first_index_says_how_far_the_keyword_index_is(
    sandbox: Sandbox, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    with monkeypatch.context() as slowly:
        replace_task(slowly, "search", "reindex", by=SLOW)
        async with opened(sandbox.workspace, (80, 24)) as interface:
            await interface.press("r", "slash")
            await interface.type("staging")
            await interface.until_shown("↻ building the keyword index, 2,400 of 4,800 files")
            title = interface.text.partition("\n")[0]
            assert "1 % of budget" in title, title
            assert "indexing 50 %" in title, title
            await interface.press("escape", "c")
            await interface.until_shown("! index: stopped")
            slowly.undo()
            replace_task(monkeypatch, "search", by=SLOW)
            await interface.press("slash", "ctrl+r")
            await interface.until(lambda: interface.main.overlay.hits.rows, "hits, once there is an index")
            assert interface.main.overlay.hits.rows[0].text == "The staging port is 8443"


async def test_what_is_taken_in_is_what_the_command_takes_in_and_undo_takes_it_back(
    sandbox: Sandbox, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(talk.parent.parent)
    memory = ("ls-files", "-s", "episodes", "graph", "memory", "MEMORY.md")
    before = sandbox.git(*memory)
    async with opened(sandbox.workspace) as interface:
        await interface.press("I")
        await interface.until_shown("enter ingests new logs, episodes, notes about one thing")
        await interface.type("t/sno")
        await interface.until_shown("there is no such file or folder")
        await interface.press("enter")
        assert isinstance(interface.app.screen, PathScreen)
        await interface.press("backspace", "backspace", "tab")
        await interface.until_shown("a transcript")
        await interface.press("enter")
        await interface.until_said("1 of 1 source ingested")
        await interface.until_said("2 operations: u undoes them one by one")
        made = sandbox.git("log", "--format=%s").splitlines()
        assert [subject.partition(":")[0] for subject in made] == ["learn", "summarise", "start"]
        await interface.press("I")
        await interface.until(lambda: isinstance(interface.app.screen, PathScreen), "asked")
        await interface.type("t/s91.jsonl")
        await interface.until_shown("a transcript")
        await interface.press("enter")
        await interface.until_said("s91.jsonl: nothing new in it")
        assert sandbox.git("log", "--format=%s").splitlines() == made
        for summary in ("learn", "summarise"):
            await interface.press("u")
            undone = f"undo: {summary}"
            await interface.until(partial(_has, sandbox, undone), undone)
    assert sandbox.git(*memory) == before


async def test_why_nothing_was_taken_in_is_said(sandbox: Sandbox, tmp_path: Path) -> None:
    quiet = tmp_path / "quiet.jsonl"
    quiet.write_bytes(claw())
    async with opened(sandbox.workspace) as interface:
        await interface.press("I")
        await interface.until(lambda: isinstance(interface.app.screen, PathScreen), "asked")
        interface.app.screen.query_one(Input).value = str(quiet)
        await interface.until_shown("a transcript")
        await interface.press("enter")
        await interface.until_said("Nothing was ingested\nquiet.jsonl: no messages in its 1 line")


async def test_lines_that_cannot_be_read_are_said_with_what_was_taken_in(
    sandbox: Sandbox, talk: Path
) -> None:
    talk.write_bytes(claw(*SAID) + b"{oops\n{oops\n")
    last = len(talk.read_bytes().splitlines())
    async with opened(sandbox.workspace) as interface:
        await interface.press("I")
        await interface.until(lambda: isinstance(interface.app.screen, PathScreen), "asked")
        interface.app.screen.query_one(Input).value = str(talk)
        await interface.until_shown("a transcript")
        await interface.press("enter")
        await interface.until_said("1 of 1 source ingested")
        await interface.until_said(f"2 lines cannot be read: s91.jsonl:{last - 1}, s91.jsonl:{last}")


def test_of_many_sources_with_such_lines_the_first_are_named() -> None:
    unreadable = [f"1 line cannot be read: {name}.jsonl:1" for name in "abcd"]
    said = {"counts": {"taken": 5}, "unreadable": unreadable, "with_unreadable": 5}
    lines, severity = user_jobs.outcome(said)
    assert lines == ["5 of 5 sources ingested", *unreadable[:3], "… and lines of 2 other sources"]
    assert severity == "warning"


async def test_an_index_run_that_is_killed_says_by_what_and_how_to_go_on(
    sandbox: Sandbox, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    replace_task(monkeypatch, "reindex", by=SLOW)
    async with opened(sandbox.workspace, (160, 40)) as interface:
        await interface.press("r")
        await until_line(interface, "2,400 of 4,800")
        child = interface.main.index_monitor._client
        assert child is not None
        assert child.child is not None
        os.kill(child.child.pid, signal.SIGKILL)
        await interface.until_shown(
            "indexing was ended by SIGKILL with 2,400 of 4,800 done (words); "
            "the index so far is kept, r continues"
        )


async def test_taking_in_that_is_killed_says_by_what_how_far_it_was_and_how_to_go_on(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_task(monkeypatch, "ingest", by=SLOW)
    async with opened(sandbox.workspace) as interface:
        await interface.press("I")
        await interface.until_shown("enter ingests new logs")
        await interface.press("enter")
        await until_line(interface, "2,400 of 4,800")
        work = interface.main.screen_opener._ingest_job._client
        assert work is not None
        assert work.child is not None
        os.kill(work.child.pid, signal.SIGKILL)
        await interface.until_said(
            "ingest was ended by SIGKILL with 2,400 of 4,800 done (words)\n"
            "the system does this when it runs out of memory; "
            "what was ingested before stays; I continues with the rest"
        )
        assert "shows more" not in interface.toasts
        assert lines(interface) == ""


async def test_taking_in_that_does_not_heed_says_so_is_ended_and_says_how_far_it_was(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_task(monkeypatch, "ingest", by="tests.screens.jobs.deaf_work")
    async with opened(sandbox.workspace) as interface:
        await interface.press("I")
        await interface.until_shown("enter ingests new logs")
        await interface.press("enter")
        await until_line(interface, "19 of 40")
        await interface.press("c")
        await until_line(interface, "stopping …")
        assert "c stops" not in interface.text
        work = interface.main.screen_opener._ingest_job._client
        assert work is not None
        await work.stop(0.0)
        await interface.until_said(
            "Stopped with 19 of 40 done (transcripts); "
            "what was ingested before stays; I continues with the rest"
        )


def test_where_nothing_was_learnt_it_is_said_what_was_left_out_and_why() -> None:
    notes = ["12 left out: about nothing that their line names", "write [[Name]]"]
    lines, _ = user_jobs.outcome({"counts": {"unchanged": 5}, "notes": notes})
    assert lines == ["Nothing was ingested", "5 added nothing", *notes]


def test_what_came_of_taking_in_is_counted_in_words() -> None:
    counts = {"taken": 2, "unchanged": 3, "excluded": 1, "failed": 1}
    lines, severity = user_jobs.outcome({"counts": counts, "troubles": [["/t/a.jsonl", "it is locked"]]})
    assert severity == "warning"
    assert lines == [
        "2 of 7 sources ingested",
        "3 added nothing, 1 left out by your settings, 1 failed",
        "a.jsonl: it is locked",
    ]
    assert user_jobs.outcome({})[0] == ["Nothing to ingest"]


def _has(sandbox: Sandbox, subject: str) -> bool:
    return subject in sandbox.git("log", "--format=%s")


async def test_taking_in_says_how_far_it_is_and_is_stopped(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_task(monkeypatch, "ingest", by=SLOW)
    async with opened(sandbox.workspace, (60, 20)) as interface:
        await interface.press("I")
        await interface.until(lambda: isinstance(interface.app.screen, PathScreen), "asked")
        await interface.press("escape")
        await interface.until(lambda: interface.main.is_active, "the panes")
        assert lines(interface) == ""
        await interface.press("I")
        await interface.until_shown("enter ingests new logs")
        await interface.press("enter")
        await until_line(interface, "Ingest: words ━━━╌╌╌ 2,400 of 4,800")
        await interface.press("I")
        await interface.until_said("An ingest is running: c stops it")
        await interface.press("c")
        await interface.until_said("nothing was ingested")
        assert lines(interface) == ""
        await interface.press("I")
        await interface.until_shown("enter ingests new logs")
        await interface.press("enter")
        await until_line(interface, "2,400 of 4,800")
        child = interface.main.screen_opener._ingest_job._client
        assert child is not None
    assert child.child is not None
    assert child.child.returncode is not None


async def test_toasts_stand_above_the_line_of_long_work(
    sandbox: Sandbox, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    replace_task(monkeypatch, "reindex", by=SLOW)
    async with opened(sandbox.workspace, (80, 24)) as interface:
        app = interface.app

        def bottom() -> int:
            """The line under the last one of a toast."""
            return max((toast.region.bottom for toast in app.screen.query("Toast")), default=0)

        async def says(text: str) -> None:
            app.notify(text)
            await interface.until(lambda: text.split(maxsplit=1)[0] in interface.text, text)

        await says("before it began")
        await interface.until(lambda: bottom() == 23, "over the hints")
        await interface.press("r")
        await until_line(interface, "2,400 of 4,800")
        line = interface.main.work_line
        await interface.until(lambda: line.region.height == 1 and bottom() == line.region.y, "raised")
        for key in ("S", "question_mark"):
            await interface.press(key)
            await interface.until(lambda: not interface.main.is_active, "another screen, or a dialog")
            await says(f"said-{key} over the work that goes on, which is shown in the last line but one")
            await interface.until(lambda: bottom() == 22, f"raised there too, not {bottom()}")
            await interface.press("escape")
            await interface.until(lambda: interface.main.is_active, "the panes")
        await interface.until(lambda: bottom() == 22, "still above it")
        shown = next(text for text in interface.text.splitlines() if "2,400 of 4,800" in text)
        assert shown.rstrip().endswith("c stops")
        await interface.press("c")
        await interface.until(lambda: bottom() == 23, "back over the hints")


def test_paths_are_completed_as_far_as_there_is_one_way(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions/agent-1.jsonl").touch()
    (tmp_path / "sessions/agent-2.jsonl").touch()
    (tmp_path / ".hidden").touch()
    assert completed(f"{tmp_path}/") == f"{tmp_path}/sessions/"
    assert completed(f"{tmp_path}/s") == f"{tmp_path}/sessions/"
    assert completed(f"{tmp_path}/sessions/") == f"{tmp_path}/sessions/agent-"
    assert completed(f"{tmp_path}/sessions/x") == f"{tmp_path}/sessions/x"
    assert completed(f"{tmp_path}/nowhere/x") == f"{tmp_path}/nowhere/x"
    assert completed("~/nothing-like-this") == "~/nothing-like-this"


def test_a_path_counts_from_here_else_from_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "w/memory").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert absolute("memory", tmp_path / "w") == tmp_path / "w/memory"
    assert absolute("w", tmp_path / "w") == tmp_path / "w"
    assert absolute("gone", tmp_path / "w") == tmp_path / "gone"
