"""Operations are filtered, done again in any order, followed to where they lead, and read as far as seen."""

from __future__ import annotations

from textual.events import MouseScrollUp

from screens.dialogs.dialog import ConfirmScreen
from screens.frames.overlay_screen import NarrowScreen
from screens.history.history_reader import RevisionStepper
from screens.history.operations import OperationsReader, OperationsScreen
from tests.screens.history.test_browsing import browse, choose, forget, many, promote
from tests.screens.interface import Interface, opened
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox
from workbench.operations.forget import plan_forget
from workbench.workspace.revisions import wanted
from workbench.workspace.workspace import Workspace

HOSTILE = "[/] [@click=app.quit]x[/] \x1b[31mred\x1b[0m \u202eevil"


def listed(interface: Interface) -> list[str]:
    return [row.text for row in browse(interface).list.rows]


def fill(interface: Interface, text: str) -> None:
    """Put a filter in its line at once: typing it key by key is another test's."""
    screen = browse(interface)
    assert isinstance(screen, NarrowScreen)
    screen.input.value = text


async def test_typing_narrows_the_list_and_esc_takes_the_filter_away(sandbox: Sandbox) -> None:
    promote(sandbox, "staging port")
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        await interface.until(lambda: len(listed(interface)) == 3, "all of them")
        await interface.press("slash")
        await interface.type("by:human action:forget")
        await interface.until(lambda: len(listed(interface)) == 1, "one")
        assert "tantivy" in listed(interface)[0]
        fill(interface, "by:human action:forget nothing")
        await interface.until_shown("no operation matches")
        await interface.press("enter", "u")  # the list has the keys again
        await interface.until_said("There is")
        await interface.press("escape")
        await interface.until(lambda: len(listed(interface)) == 3, "all again")
        await interface.press("slash")
        fill(interface, "path:memory.md")
        await interface.until(lambda: len(listed(interface)) == 2, "promotion and start")
        await interface.press("escape", "escape")
        await interface.until(lambda: interface.main.is_active, "closed")


async def test_any_undone_operation_is_done_again_from_its_own_row(sandbox: Sandbox) -> None:
    before = sandbox.read(LOG)
    forget(sandbox, "staging port")
    forget(sandbox, "tantivy")
    forget(sandbox, "Lisbon")
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        for words in ("staging port", "tantivy"):
            await choose(interface, words)
            await interface.press("u")
            await interface.until_said("Undone")
            await interface.until(
                lambda: (row := browse(interface).list.row) and "undone" in str(row.tail), "it is marked"
            )
            interface.app.clear_notifications()
        assert b"staging port" in sandbox.read(LOG)
        operations = browse(interface).list
        operations.go(
            next(
                at
                for at, row in enumerate(operations.rows)
                if "staging port" in row.text and row.lead[1].text.strip() == "forget"
            )
        )
        await interface.press("U")
        await interface.until_said("Redone")
        await interface.until(
            lambda: (row := browse(interface).list.row) and "undone" not in str(row.tail), "marked no more"
        )
        interface.app.clear_notifications()
        await interface.press("U")
        await interface.until_said("is not undone")
    now = sandbox.read(LOG)
    assert b"staging port" not in now
    assert b"tantivy" in now
    assert b"Lisbon" not in now
    assert before != now
    said = [line.split(":")[0] for line in sandbox.git("log", "--format=%s").strip().split("\n")]
    assert said == ["redo", "undo", "undo", "forget", "forget", "forget", "start"]


async def test_whoever_scrolled_to_the_newest_stays_there_when_one_comes(sandbox: Sandbox) -> None:
    for number in range(40):
        sandbox.write("memory/2026-03-15.md", f"- number {number}\n")
        sandbox.commit(f"commit {number}")
    async with opened(sandbox.workspace, (100, 24)) as interface:
        await interface.press("at")
        await interface.until(lambda: len(listed(interface)) > 40, "all of them")
        rows = browse(interface).list
        await interface.press("G")
        await interface.until(lambda: rows.scroll_offset.y > 0, "the cursor is at the end")
        below = rows.row
        while rows.scroll_offset.y:
            rows.post_message(MouseScrollUp(rows, 1, 1, 0, -1, 0, False, False, False))
            await interface.pilot.pause()
        before = len(rows.rows)
        forget(sandbox, "tantivy")
        await interface.until(lambda: len(rows.rows) > before, "the new one")
        assert rows.scroll_offset.y < 2
        assert below is not None
        assert rows.row is not None
        assert rows.row.id == below.id


async def test_an_undo_is_taken_back_from_the_row_of_the_undo(sandbox: Sandbox) -> None:
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.press("u")
        await interface.until_said("Undone")
        await interface.press("at")
        await interface.until(lambda: len(listed(interface)) == 3, "undo, forget, start")
        await interface.press("g", "U")
        await interface.until_said("Redone")
    assert b"tantivy" not in sandbox.read(LOG)


async def test_to_undo_an_undo_is_to_do_it_again(sandbox: Sandbox) -> None:
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.press("u")
        await interface.until_said("Undone")
        interface.app.clear_notifications()
        await interface.press("at")
        await interface.until(lambda: len(listed(interface)) == 3, "undo, forget, start")
        await interface.press("g", "u")
        await interface.until_said("Redone")
        assert "Undone" not in interface.toasts
    assert b"tantivy" not in sandbox.read(LOG)


async def test_what_others_did_and_what_many_entries_went_through_is_shown_before_it_is_undone(
    sandbox: Sandbox,
) -> None:
    addresses = [sandbox.address("tantivy"), sandbox.address("Lisbon")]
    sandbox.workspace.operations.carry_out(lambda: plan_forget(sandbox.workspace, addresses))
    day = "memory/2026-03-15.md"
    sandbox.write(day, "- a whole day\n")
    sandbox.commit("an agent wrote")
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        await choose(interface, "an agent wrote")
        await interface.press("u")
        await interface.until(lambda: isinstance(interface.app.screen, ConfirmScreen), "the question")
        await interface.until_shown("-- a whole day")
        await interface.press("n")
        assert (sandbox.root / day).exists()
        await choose(interface, "2 entries")
        await interface.press("u")
        await interface.until_shown("Undo “forget: 2 entries”?")
        await interface.press("y")
        await interface.until_said("Undone")
    assert b"Lisbon" in sandbox.read(LOG)


async def test_the_ledger_is_left_out_until_it_is_asked_for(sandbox: Sandbox) -> None:
    sandbox.write("_system/ledger/recalls-2026-03.jsonl", '{"entry": "x"}\n')
    sandbox.git("add", "-A")
    sandbox.git(
        "commit", "-q", "-m", "ledger: recalls\n\nOperation: 00112233aabb\nAction: ledger\nActor: external"
    )
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        await interface.until(lambda: listed(interface) == ["start"], "without the ledger")
        await interface.until_shown("1 of the ledger hidden: a")
        await interface.press("a")
        await interface.until(lambda: len(listed(interface)) == 2, "with it")
        await interface.press("a")
        await interface.until(lambda: listed(interface) == ["start"], "without it again")


async def test_the_history_of_an_entry_of_its_file_and_of_everything(sandbox: Sandbox) -> None:
    promote(sandbox, "staging port")
    sandbox.write("memory/2026-03-15.md", "- other\n")
    sandbox.commit("another day")
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        await interface.go_to("staging port")
        await interface.press("B")
        await interface.until_shown("History of the entry MEMORY.md#")
        await interface.until(lambda: len(listed(interface)) == 2, "promotion, and its first line")
        assert "another day" not in interface.text
        await interface.press("w")
        await interface.until_shown("History of MEMORY.md")
        await interface.until(lambda: len(listed(interface)) == 2, "those of the file")
        await interface.press("w")
        await interface.until(lambda: len(listed(interface)) == 3, "everything")
        await interface.press("w")
        await interface.until_said("This is everything already")


async def test_from_an_operation_and_from_a_line_of_it_to_the_entry(sandbox: Sandbox) -> None:
    promote(sandbox, "staging port")
    sandbox.write(LOG, sandbox.read(LOG) + b"- a line about trains\n- a line about boats\n")
    sandbox.commit("two lines")
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        await choose(interface, "staging port")
        await interface.press("o")
        await interface.until(lambda: interface.main.is_active, "the panes")
        await interface.until(lambda: interface.main.current == 1, "long-term memory")
        await interface.until(lambda: (row := interface.main.here.row) and "staging" in row.text, "the entry")
        await interface.press("at")
        await choose(interface, "two lines")
        await interface.until_shown("+- a line about boats")
        await interface.press("tab")
        behind = browse(interface).behind
        await interface.until(lambda: behind.has_focus, "the change has the keys")
        while "boats" not in (behind.row.text if behind.row else ""):
            await interface.press("j")
        await interface.press("o")
        await interface.until(lambda: interface.main.is_active, "the panes")
        await interface.until(lambda: (row := interface.main.here.row) and "boats" in row.text, "its entry")


async def test_what_is_gone_says_so(sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-03-15.md", "- other\n")
    sandbox.commit("another day")
    sandbox.git("rm", "-q", "memory/2026-03-15.md")
    sandbox.commit("away with it")
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        await choose(interface, "away with it")
        await interface.press("o")
        await interface.until_said("It is no longer in memory")
        operation = sandbox.git("rev-parse", "HEAD")[:12]
        await interface.press("y")
        await interface.until_said(f"Copied {operation}")
        assert interface.app.clipboard == operation


async def test_changed_words_are_brought_out(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT.replace("8443", "9443"))
    sandbox.commit("another port")
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        await interface.until_shown("+- The staging port is 9443")
        rows = [row for row in browse(interface).behind.rows if row.emphasis]
        assert [row.text[a:b] for row in rows for a, b, _ in row.emphasis] == ["8443", "9443"]


async def test_hostile_text_is_drawn_as_text_on_a_small_terminal(sandbox: Sandbox) -> None:
    sandbox.write("memory/[@click=app.quit].md", f"- {HOSTILE}\n")
    sandbox.commit(HOSTILE)
    async with opened(sandbox.workspace, (60, 20)) as interface:
        await interface.press("at")
        await interface.until_shown("[/] [@click=app.quit]x[/]")
        await interface.press("slash")
        await interface.type("path:[@click")
        await interface.until(lambda: len(listed(interface)) == 1, "found")
        await interface.press("enter", "enter")
        await interface.until_shown("+++ b/memory/[@click=app.quit].md")
        assert "\x1b" not in interface.text
        assert "\u202e" not in interface.text


async def test_a_long_history_opens_with_its_first_page_alone(sandbox: Sandbox) -> None:
    many(sandbox, 3_000)
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        await interface.until_shown("number 2999")
        screen = browse(interface)
        assert isinstance(screen, OperationsScreen)
        assert screen._reader.looked_at <= 200
        await interface.press("slash")
        fill(interface, "number 1212")
        await interface.until(
            lambda: any("number 1212" in text for text in listed(interface)), "found on the way"
        )
        await interface.press("escape", "escape", "left_square_bracket")
        line = interface.main.time_travel.line
        await interface.until(lambda: "number 2998" in line.what and not line.doing, "one back")
        assert interface.main.time_travel._keeper.looked_at <= 500


async def test_a_list_that_is_read_again_twice_in_a_row_is_as_long_as_before(sandbox: Sandbox) -> None:
    many(sandbox, 300)
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        await interface.until_shown("number 299")
        rows = browse(interface).list
        rows.go(len(rows.rows) - 1)
        await interface.until(lambda: any("number 110" in text for text in listed(interface)), "two pages")
        browse(interface).reload()
        browse(interface).reload()
        await interface.until(lambda: not interface.app.workers, "all is read")
        assert any("number 110" in text for text in listed(interface))


def test_a_filter_reads_in_slices_and_keeps_what_it_found(sandbox: Sandbox) -> None:
    many(sandbox, 1_000)
    chronicle = OperationsReader(wanted=wanted('"number 5"'), everything=False)
    chronicle.read(sandbox.workspace, 500, most=100)
    assert chronicle.looked_at == 100
    assert not chronicle.whole
    first = [*chronicle.told]
    while not chronicle.whole:
        chronicle.read(sandbox.workspace, 500, most=300)
        assert chronicle.looked_at <= 1_001
    assert len(chronicle.told) == 111
    assert chronicle.told[: len(first)] == first


def test_the_way_back_reads_only_as_far_as_somebody_goes(sandbox: Sandbox) -> None:
    many(sandbox, 3_000)
    keeper = RevisionStepper(sandbox.root)
    try:
        where = keeper.step(3)
        assert where.moment is not None
        assert where.moment.summary == "number 2996"
        assert keeper.looked_at == 4
        assert keeper.step(-1).back == 2
        assert keeper.step(10_000).limit
        assert keeper.looked_at == 3_001
    finally:
        keeper.end()


def test_changes_of_other_files_are_no_moments(sandbox: Sandbox) -> None:
    sandbox.write("code/program.py", "print()\n")
    sandbox.commit("code alone")
    keeper = RevisionStepper(sandbox.root)
    try:
        where = keeper.step(1)
        assert where.moment is not None
        assert (where.moment.summary, where.limit) == ("start", "the history of this memory begins here")
    finally:
        keeper.end()


def test_a_file_that_was_renamed_is_followed(sandbox: Sandbox) -> None:
    sandbox.git("mv", LOG, "memory/2026-03-13.md")
    sandbox.commit("the right day")
    reader = OperationsReader("memory/2026-03-13.md", everything=False)
    reader.read(Workspace.open(sandbox.root), 10, most=10)
    assert [one.summary for one in reader.told] == ["the right day", "start"]
    assert f"renamed from {LOG}" in reader.notes.values()
