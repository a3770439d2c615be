"""Time travel: all of the interface shows memory as it was, says so, and nothing can be changed there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from screens.history import time_travel
from tests.screens.history.test_browsing import choose, forget, many, promote
from tests.screens.interface import Interface, opened
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox
from workbench.workspace.snapshot import KEPT


def rows(interface: Interface, pane: int) -> str:
    return "\n".join(row.text for row in interface.main.panes[pane].list.rows)


def laid_out(sandbox: Sandbox) -> list[str]:
    folder = sandbox.root / ".workbench" / "past"
    return sorted(name for name in os.listdir(folder) if name != "lock") if folder.is_dir() else []


async def arrives(interface: Interface, words: str) -> None:
    """Wait until the panes show the moment after the operation with these words."""
    line = interface.main.time_travel.line
    await interface.until(lambda: words in line.what and not line.doing, f"memory after {words!r}")
    await interface.until(lambda: not interface.main.time_travel.line.doing, "laid out")


async def test_all_panes_and_the_preview_show_memory_as_it_was(sandbox: Sandbox) -> None:
    promote(sandbox, "staging port")
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("staging port")
        await interface.until(lambda: "tantivy" not in rows(interface, 0), "today's log")
        await interface.press("left_square_bracket")
        await arrives(interface, "promote")
        await interface.until(lambda: "tantivy" in rows(interface, 0), "the log before")
        assert "staging port" in rows(interface, 1)
        await interface.until_shown("as of ")
        assert "] newer" in interface.text
        await interface.press("left_square_bracket")
        await arrives(interface, "start")
        await interface.until(lambda: "staging port" not in rows(interface, 1), "memory at the start")
        await interface.go_to("tantivy")
        await interface.until(lambda: "tantivy" in str(interface.main.preview.shown), "its preview")
        await interface.press("left_square_bracket")
        await interface.until_said("The history of this memory begins here")
        await interface.press("right_square_bracket", "right_square_bracket")
        await interface.until(lambda: "staging port" in rows(interface, 1), "memory after both")
        await interface.until(lambda: "tantivy" not in rows(interface, 0), "the log after both")
        await interface.press("escape")
        await interface.until(lambda: not interface.main.time_travel.line.display, "today")
        assert not interface.main.time_travel.away
    assert len(sandbox.git("log", "--format=%s").split("\n")) == 4


async def test_the_title_says_of_the_past_nothing_that_is_of_today(sandbox: Sandbox) -> None:
    forget(sandbox, "tantivy")
    sandbox.write("MEMORY.md", "# Memory\n\n- Likes tea\n")
    async with opened(sandbox.workspace, (160, 40)) as interface:
        await interface.until_shown("1 uncommitted")
        await interface.press("left_square_bracket")
        await arrives(interface, "forget")
        await interface.until(lambda: "uncommitted" not in interface.text, "the facts of then")
        assert "3 files · 1 % of budget" in interface.text
        await interface.press("escape")
        await interface.until_shown("1 uncommitted")


async def test_the_cursor_stays_on_its_entry_and_comes_back_to_it(sandbox: Sandbox) -> None:
    promote(sandbox, "staging port")
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        await interface.go_to("staging port")
        here = interface.main.here.row
        assert here is not None
        await interface.press("left_square_bracket")
        await arrives(interface, "promote")
        assert interface.main.here.row
        assert interface.main.here.row.id == here.id
        await interface.press("left_square_bracket")
        await arrives(interface, "start")
        await interface.until(lambda: "staging port" not in rows(interface, 1), "it was not there yet")
        assert interface.main.here.row.id != here.id
        await interface.press("right_square_bracket")
        await interface.until(lambda: (row := interface.main.here.row) and row.id == here.id, "back on it")
        await interface.press("escape")
        await interface.until(lambda: (row := interface.main.here.row) and row.id == here.id, "still on it")


async def test_nothing_can_be_done_to_memory_as_it_was(sandbox: Sandbox) -> None:
    forget(sandbox, "tantivy")
    before = sandbox.git("log", "--format=%H")
    async with opened(sandbox.workspace, (60, 20)) as interface:
        await interface.press("left_square_bracket")
        await arrives(interface, "start")
        await interface.go_to("staging port")
        for key in ("p", "d", "i", "e", "x", "P", "M", "t", "u", "U", "A", "D"):
            interface.app.clear_notifications()
            await interface.press(key)
            await interface.until_said("This is memory as of")
        assert interface.app.screen is interface.main
    assert sandbox.git("log", "--format=%H") == before


async def test_stepping_fast_lays_out_only_where_the_person_rests(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_travel, "REST_SECONDS", 0.2)
    many(sandbox, 12)
    async with opened(sandbox.workspace) as interface:
        await interface.press(*["left_square_bracket"] * 9)
        await arrives(interface, "number 2")
        await interface.until(lambda: "number 2" in rows(interface, 0), "the log then")
        assert len(laid_out(sandbox)) < KEPT
        for number in range(3, 8):
            await interface.press("right_square_bracket")
            await arrives(interface, f"number {number}")
        assert len(laid_out(sandbox)) <= KEPT


async def test_leaving_ends_threads_and_helpers(sandbox: Sandbox) -> None:
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.press("left_square_bracket")
        await arrives(interface, "start")
        past = interface.main.reader
        await interface.press("escape")
        await interface.until(lambda: interface.main.reader is not past, "today's")
        assert past.quiet
        assert past._thread._closed
        await interface.until(lambda: not interface.main.time_travel._ending, "ended")


async def test_ages_and_countdowns_count_from_the_day_of_the_moment(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-06-09T12:00:00")
    sandbox.write(LOG, LOG_TEXT + "- in june\n")
    sandbox.commit("in june")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-08-01T12:00:00")
    sandbox.write(LOG, LOG_TEXT)
    sandbox.commit("in august")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    monkeypatch.setenv("WORKBENCH_TODAY", "2026-06-11")
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("expires tomorrow")
        await interface.press("left_square_bracket")
        await arrives(interface, "in june")
        await interface.until_shown("expires in 3 days")
        await interface.press("escape")
        await interface.until_shown("expires tomorrow")


async def test_a_day_is_a_step_and_a_moment_can_be_typed(sandbox: Sandbox, monkeypatch: object) -> None:
    for day in ("2026-03-15", "2026-03-16", "2026-03-16", "2026-03-17"):
        sandbox.write(LOG, sandbox.read(LOG) + f"- on {day}\n".encode())
        os.environ["GIT_COMMITTER_DATE"] = f"{day}T12:00:00"
        sandbox.commit(f"on {day}")
        del os.environ["GIT_COMMITTER_DATE"]
    async with opened(sandbox.workspace) as interface:
        await interface.press("left_curly_bracket")
        await arrives(interface, "on 2026-03-17")
        await interface.press("left_curly_bracket")
        await arrives(interface, "on 2026-03-16")
        assert "2 back" not in interface.main.time_travel.line.what
        await interface.press("right_curly_bracket")
        await arrives(interface, "on 2026-03-17")
        await interface.press("T")
        await interface.until_shown("Memory as of …")
        await interface.type("2026-03-15")
        await interface.until_shown("typed: 2026-03-15")
        await interface.press("enter")
        await arrives(interface, "on 2026-03-15")
        await interface.press("T")
        await interface.until_shown("Memory as of …")
        await interface.type("1999-01-01")
        await interface.press("enter")
        await interface.until_said("begins on")
        assert "on 2026-03-15" in interface.main.time_travel.line.what


async def test_an_operation_opens_memory_as_it_was_before_and_after_it(sandbox: Sandbox) -> None:
    promote(sandbox, "staging port")
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        await choose(interface, "staging port")
        await interface.press("T")
        await arrives(interface, "start")
        await interface.until(lambda: "staging port" not in rows(interface, 1), "before it")
        await interface.press("at")
        await choose(interface, "staging port")
        await interface.press("u")
        await interface.until_said("This is memory as of")
        await interface.press("t")
        await arrives(interface, "promote")
        await interface.until(lambda: "staging port" in rows(interface, 1), "after it")


@pytest.mark.promise(
    "The interface", "memory changes on disk while another screen is open", "the change is shown on return"
)
async def test_what_changes_meanwhile_is_there_on_the_way_back(sandbox: Sandbox) -> None:
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.press("left_square_bracket")
        await arrives(interface, "start")
        await interface.until(lambda: "tantivy" in rows(interface, 0), "then")
        sandbox.write(LOG, sandbox.read(LOG) + b"- an agent wrote this\n")
        await interface.press("escape")
        await interface.until(lambda: "an agent wrote this" in rows(interface, 0), "today")
        assert "tantivy" not in rows(interface, 0)
        await interface.press("left_square_bracket")  # what is in no commit yet is a step of its own
        await arrives(interface, "forget")
        await interface.until(lambda: "an agent wrote this" not in rows(interface, 0), "the newest commit")


@pytest.mark.promise(
    "The interface", "a snapshot of the past is deleted by another process", "it is made again"
)
async def test_a_moment_that_was_removed_is_laid_out_again(sandbox: Sandbox) -> None:
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.press("left_square_bracket")
        await arrives(interface, "start")
        (folder,) = laid_out(sandbox)
        place = sandbox.root / ".workbench" / "past" / folder
        place.rename(sandbox.root / ".workbench" / "gone")
        interface.main.refresh_files()
        await interface.until(place.is_dir, "laid out again")
        await arrives(interface, "start")
        await interface.until(lambda: "tantivy" in rows(interface, 0), "the log then")


@pytest.mark.promise(
    "The interface",
    "history is rewritten while a snapshot of the past is shown",
    "a message says so; the snapshot stays or today is shown, and everything is read again",
)
async def test_a_history_that_was_rewritten_says_so_and_goes_on(sandbox: Sandbox) -> None:
    for number in range(4):
        sandbox.write(LOG, LOG_TEXT + f"- number {number}\n")
        sandbox.commit(f"number {number}")
    async with opened(sandbox.workspace) as interface:
        await interface.press("left_square_bracket")
        await arrives(interface, "number 2")
        sandbox.git("reset", "-q", "--hard", "HEAD~3")
        sandbox.git("reflog", "expire", "--expire=now", "--all")
        sandbox.git("gc", "-q", "--prune=now")
        interface.main.time_travel._keeper._opened.close()  # type: ignore[union-attr]
        await interface.press("left_square_bracket")
        await interface.until(lambda: bool(interface.toasts.strip()), "why")
        assert interface.main.time_travel.away
        await interface.press("escape")
        await interface.until(lambda: "number 0" in rows(interface, 0), "today's")
        await interface.press("left_square_bracket")
        await arrives(interface, "start")


async def test_without_a_repository_or_a_commit_it_says_what_is_missing(tmp_path: Path) -> None:
    made = Sandbox(tmp_path / "bare", repository=False)
    made.git("init", "-q")
    made.git("config", "core.bare", "true")
    async with opened(made.workspace) as interface:
        await interface.press("left_square_bracket")
        await interface.until_said("is a bare repository")
        assert not interface.main.time_travel.away
        assert not interface.main.time_travel.line.display
        made.git("config", "core.bare", "false")
        interface.app.clear_notifications()
        await interface.press("left_square_bracket")
        await interface.until_said("has no commits yet")
    made.close()


async def test_hostile_summaries_are_text(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + "- more\n")
    sandbox.commit("[/] [@click=app.quit]x[/] \x1b[31mred\x1b[0m \u202eevil")
    sandbox.write(LOG, LOG_TEXT)
    sandbox.commit("then")
    async with opened(sandbox.workspace, (80, 24)) as interface:
        await interface.press("left_square_bracket")
        await arrives(interface, "[/] [@click=app.quit]x[/]")
        assert "\x1b" not in interface.text
        assert "\u202e" not in interface.text


async def test_search_asks_about_the_moment_that_is_shown(sandbox: Sandbox) -> None:
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.press("left_square_bracket")
        await arrives(interface, "start")
        await interface.press("slash")
        await interface.type("tantivy")
        await interface.until_shown("the process that searches the past is not running")
        question = interface.main.live_search._question
        assert question.as_of == sandbox.git("rev-parse", "HEAD~1").strip()
        await interface.press("escape", "escape")
        await interface.until(lambda: not interface.main.time_travel.away, "today")
        assert interface.main.live_search._question.as_of is None
