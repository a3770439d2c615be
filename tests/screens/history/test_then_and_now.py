"""Between then and now: what is begun in one memory does not act in the other, and nothing is left behind."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from screens.history.blame import BlameScreen
from screens.history.history_reader import RevisionStepper
from screens.search.engine import SearchAnswered
from tests.screens.history.test_browsing import browse, forget, many, promote
from tests.screens.history.test_travelling import arrives, laid_out, rows
from tests.screens.interface import opened
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox
from workbench.agent.search_update import SearchUpdate
from workbench.workspace.snapshot import KEPT

OLDER, NEWER = "left_square_bracket", "right_square_bracket"


def children() -> int:
    return len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


async def test_a_moment_that_went_and_came_back_leaves_todays_memory_writable(sandbox: Sandbox) -> None:
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.press(OLDER)
        await arrives(interface, "start")
        (folder,) = laid_out(sandbox)
        place = sandbox.root / ".workbench" / "past" / folder
        place.rename(sandbox.root / ".workbench" / "away")
        interface.main.refresh_files()
        await interface.until(place.is_dir, "laid out again")
        await arrives(interface, "start")
        await interface.press("escape")
        await interface.until(lambda: "tantivy" not in rows(interface, 0), "today's")
        assert interface.main.operations.refusal is None
        assert "does not exist now" not in interface.text


async def test_marks_made_in_the_past_are_not_acted_on_today(sandbox: Sandbox) -> None:
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("space")
        today = set(interface.main.pane.list.marked)
        assert len(today) == 1
        await interface.press(OLDER)
        await arrives(interface, "start")
        await interface.until(lambda: "tantivy" in rows(interface, 0), "then")
        await interface.go_to("weather")
        await interface.press("space")
        assert interface.main.pane.list.marked > today
        interface.main.time_travel.home()
        await interface.until(lambda: "tantivy" not in rows(interface, 0), "today")
        assert interface.main.panes[0].list.marked == today


async def test_many_moments_leave_no_thread_child_or_descriptor_behind(sandbox: Sandbox) -> None:
    many(sandbox, 20)
    async with opened(sandbox.workspace) as interface:

        async def back_and_forth(times: int) -> None:
            for number in range(times):
                await interface.press(OLDER)
                await arrives(interface, f"number {18 - number}")
            await interface.press("escape")
            await interface.until(lambda: not interface.main.time_travel.away, "today")
            await interface.until(lambda: not interface.main.time_travel._ending, "ended")

        await back_and_forth(3)
        before = threading.active_count(), children(), len(os.listdir("/proc/self/fd"))
        await back_and_forth(12)
        after = threading.active_count(), children(), len(os.listdir("/proc/self/fd"))
        assert all(now <= then + 3 for now, then in zip(after, before, strict=True)), (before, after)
    assert len(laid_out(sandbox)) <= KEPT


async def test_a_filter_holds_in_each_moment(sandbox: Sandbox) -> None:
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.press("f")
        await interface.type("tantivy")
        await interface.press("enter")
        await interface.until(
            lambda: not interface.main.pane.settling and "tantivy" not in rows(interface, 0), "none today"
        )
        await interface.press(OLDER)
        await arrives(interface, "start")
        await interface.until(lambda: "tantivy" in rows(interface, 0), "it was there then")
        assert "staging port" not in rows(interface, 0)
        await interface.press("escape", "escape")
        await interface.until(lambda: not interface.main.time_travel.away, "today")
        await interface.until(lambda: "tantivy" not in rows(interface, 0), "none today")
        await interface.until(lambda: not interface.main.pane.settling, "settled")


def test_a_moment_of_a_clock_that_ran_ahead_has_its_own_place(sandbox: Sandbox) -> None:
    for number, year in enumerate((2026, 2090, 2026, 2026)):
        sandbox.write(LOG, LOG_TEXT + f"- number {number}\n")
        os.environ["GIT_COMMITTER_DATE"] = f"{year}-03-15T12:00:0{number}"
        sandbox.commit(f"number {number}")
        del os.environ["GIT_COMMITTER_DATE"]
    ahead = list(sandbox.workspace.operations.walk())[2]
    assert ahead.when.year == 2090
    keeper = RevisionStepper(sandbox.root)
    try:
        assert keeper.after(ahead).back == 2
        older = keeper.step(1).moment
        assert older
        assert older.summary == "number 0"
    finally:
        keeper.close()


async def test_blame_that_is_opened_on_the_way_is_read(sandbox: Sandbox) -> None:
    promote(sandbox, "staging port")
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.press(OLDER)
        await arrives(interface, "promote")
        await interface.until(lambda: "tantivy" in rows(interface, 0), "then")
        await interface.go_to("tantivy")
        await interface.press(OLDER)
        await interface.press("b")
        await interface.until(lambda: isinstance(interface.app.screen, BlameScreen), "blame")
        await interface.until(lambda: not interface.main.time_travel.line.doing, "laid out")
        screen = browse(interface)
        await interface.until(lambda: bool(screen.list.rows), "its lines")
        await interface.press("j")
        await interface.until(lambda: any("start" in row.text for row in screen.behind.rows), "behind it")


async def test_undo_takes_back_the_commit_that_is_shown_not_its_namesake(sandbox: Sandbox) -> None:
    promote(sandbox, "staging port")
    message = sandbox.git("log", "-1", "--format=%B")
    sandbox.write(LOG, LOG_TEXT + "- a copy\n")
    sandbox.commit(message)
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        screen = browse(interface)
        await interface.until(lambda: len(screen.list.rows) == 3, "all of them")
        screen.list.go(0)
        await interface.press("u")
        await interface.until(lambda: bool(interface.toasts.strip()), "said")
    assert b"a copy" not in sandbox.read(LOG)
    assert b"staging port" in sandbox.read("MEMORY.md")


async def test_an_answer_about_today_is_not_shown_in_the_past(sandbox: Sandbox) -> None:
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        searching = interface.main.live_search
        await interface.press("slash")
        await interface.type("port")
        await interface.until(lambda: searching._asked == searching._question.seq, "it was asked")
        asked = searching._question.seq
        await interface.press("escape", OLDER)
        await arrives(interface, "start")
        searching.answered(SearchAnswered(asked, SearchUpdate("port", (), "keyword"), final=True))
        assert not interface.main.overlay.hits.rows
        assert not searching.settled
