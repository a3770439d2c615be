"""Operations, blame, conflicts, origin: everything that was done, by whom, and the way there and back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from screens.frames.overlay_screen import OverlayScreen
from tests.screens.interface import Interface, opened
from tests.support.workspaces import LOG, LOG_TEXT, MEMORY_TEXT, Sandbox
from workbench.operations.forget import plan_forget
from workbench.operations.merge import plan_merge
from workbench.operations.promote import plan_promote
from workbench.workspace.plan import Operation

PORT = "- The staging port is 8443\n"


def forget(sandbox: Sandbox, words: str) -> Operation:
    address = sandbox.address(words)
    return sandbox.workspace.operations.carry_out(lambda: plan_forget(sandbox.workspace, [address]))


def promote(sandbox: Sandbox, words: str) -> Operation:
    address = sandbox.address(words)
    return sandbox.workspace.operations.carry_out(lambda: plan_promote(sandbox.workspace, [address]))


def many(sandbox: Sandbox, count: int) -> None:
    """So many commits of the log, made in one go."""
    stream = []
    for number in range(count):
        text = LOG_TEXT + f"- number {number}\n"
        stream.append(
            f"commit refs/heads/main\ncommitter T <t@localhost> {1_700_000_000 + number} +0000\n"
            f"data {len(f'number {number}')}\nnumber {number}\n"
            + ("from refs/heads/main^0\n" if number == 0 else "")
            + f"M 100644 inline {LOG}\ndata {len(text.encode())}\n{text}\n"
        )
    subprocess.run(
        ["git", "-C", str(sandbox.root), "fast-import", "--quiet"],
        input="".join(stream).encode(),
        check=True,
    )
    sandbox.git("reset", "-q", "--hard")


def browse(interface: Interface) -> OverlayScreen:
    screen = interface.app.screen
    assert isinstance(screen, OverlayScreen)
    return screen


async def choose(interface: Interface, words: str) -> None:
    rows = browse(interface).list
    await interface.until(lambda: any(words in row.text for row in rows.rows), f"a row with {words!r}")
    rows.go(next(at for at, row in enumerate(rows.rows) if words in row.text))
    await interface.pilot.pause()


async def test_operations_of_all_sorts_are_listed_with_what_they_did(sandbox: Sandbox) -> None:
    forget(sandbox, "staging port")
    sandbox.write("memory/2026-03-15.md", "- by hand\n")
    sandbox.commit("by hand [/]")
    sandbox.write(LOG, sandbox.read(LOG) + b"- found on disk\n")
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        await interface.until_shown("by hand [/]")
        actions = [row.lead[1].text.strip() for row in browse(interface).list.rows]
        assert actions == ["forget", "external", "git", "forget", "git"]
        await choose(interface, "staging port")
        await interface.until_shown("-- The staging port is 8443")
        await interface.press("at")
        await interface.until(lambda: interface.main.is_active, "closed by the key that opened it")


async def test_any_operation_is_undone_in_any_order(sandbox: Sandbox) -> None:
    forget(sandbox, "staging port")
    forget(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        await choose(interface, "staging port")
        await interface.press("u")
        await interface.until_said("Undone")
        await interface.until_shown("undone")
        row = browse(interface).list.row
        assert row is not None
        assert "staging port" in row.text
        assert PORT.encode() in sandbox.read(LOG)
        assert b"tantivy" not in sandbox.read(LOG)
        await interface.press("u")
        await interface.until_said("is already undone")
        await interface.press("U")
        await interface.until_said("Redone")
    assert PORT.encode() not in sandbox.read(LOG)


async def test_an_undo_in_a_long_history_is_seen_above_what_it_undid(sandbox: Sandbox) -> None:
    many(sandbox, 60)
    forget(sandbox, "staging port")
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        await choose(interface, "staging port")
        await interface.press("u")
        await interface.until(
            lambda: browse(interface).list.rows[0].lead[1].text.strip() == "undo", "it is listed"
        )
        assert browse(interface).list.scroll_offset.y == 0
        row = browse(interface).list.row
        assert row is not None
        assert "staging port" in row.text, "the cursor stays where it was"


async def test_newer_text_in_the_way_is_named_and_stays(sandbox: Sandbox) -> None:
    promote(sandbox, "staging port")
    edited = sandbox.read("MEMORY.md").replace(b"port is 8443", b"port is 9000")
    sandbox.write("MEMORY.md", edited)
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        await choose(interface, "staging port")
        await interface.press("u")
        await interface.until_said("nothing was overwritten")
    assert sandbox.read("MEMORY.md") == edited


async def test_a_long_history_is_read_as_far_as_it_is_looked_at(sandbox: Sandbox) -> None:
    many(sandbox, 230)
    async with opened(sandbox.workspace) as interface:
        await interface.press("at")
        await interface.until_shown("number 229")
        rows = browse(interface).list
        assert len(rows.rows) < 150
        while "start" not in rows.rows[-1].text:
            before = len(rows.rows)
            await interface.press("G")
            await interface.until(lambda known=before: len(rows.rows) > known, "more of them")  # type: ignore[misc]
        assert len(rows.rows) == 231


async def test_blame_says_when_and_by_whom_each_line_was_written(sandbox: Sandbox) -> None:
    promote(sandbox, "staging port")
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        await interface.go_to("staging port")
        await interface.press("b")
        await interface.until(lambda: "staging port" in str(browse(interface).list.rows), "the lines")
        row = browse(interface).list.row
        assert row is not None
        assert "staging port" in row.text
        assert [part.text.strip() for part in row.lead][1:3] == ["human", "promote"]
        await interface.until_shown("+- The staging port is 8443")
        await interface.press("b")
        await interface.until(lambda: interface.main.is_active, "closed by the key that opened it")


async def test_from_a_copy_to_its_source_and_back(sandbox: Sandbox) -> None:
    promote(sandbox, "staging port")
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        await interface.go_to("staging port")
        await interface.press("o")
        await interface.until(lambda: interface.main.current == 0, "the logs")
        await interface.until(
            lambda: (row := interface.main.here.row) and row.path == LOG and row.line == 6, "its line"
        )
        await interface.press("o")
        await interface.until(lambda: interface.main.current == 1, "long-term memory")
        await interface.until(lambda: (row := interface.main.here.row) and "staging" in row.text, "its copy")
        await interface.go_to("Likes tea")
        await interface.press("o")
        await interface.until_said("has no recorded source")


async def test_a_source_that_changed_since_is_shown_in_its_place(sandbox: Sandbox) -> None:
    promote(sandbox, "staging port")
    sandbox.write(LOG, LOG_TEXT.replace("8443", "9443"))
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        await interface.go_to("staging port")
        await interface.press("o")
        await interface.until_said("It has changed since")
        assert interface.main.here.row
        assert "9443" in interface.main.here.row.text


async def goes_back(interface: Interface, words: str, copy: str) -> None:
    """From an entry of the log to the one of long-term memory that it became a part of."""
    await interface.press("1")
    await interface.go_to(words)
    await interface.until(lambda: (row := interface.main.here.row) and row.done, f"{words!r} is marked")
    await interface.press("o")
    await interface.until(lambda: interface.main.current == 1, "long-term memory")
    await interface.until(lambda: (row := interface.main.here.row) and copy in row.text, "its copy")


async def test_each_source_of_a_merged_entry_finds_the_way_to_it(sandbox: Sandbox) -> None:
    promote(sandbox, "staging port")
    promote(sandbox, "use tantivy")
    workspace = sandbox.workspace
    copies = [sandbox.address(words, "MEMORY.md") for words in ("staging port", "use tantivy")]
    workspace.operations.carry_out(lambda: plan_merge(workspace, copies, text="Of port and search"))
    async with opened(workspace) as interface:
        for words in ("staging port", "use tantivy"):
            await goes_back(interface, words, "Of port and search")
        assert "✓2" in "".join(part.text for part in interface.main.panes[0].list.rows[0].tail)
        await interface.press("o")
        await interface.until_said("It came from 2 places")
        await interface.until(lambda: (row := interface.main.here.row) and row.path == LOG, "the first")


async def test_a_source_without_a_hash_is_found_beside_one_with_a_hash(sandbox: Sandbox) -> None:
    tea = f"- Likes tea <!-- wb: id=m1 src={LOG}#L5 trust=owner -->"
    sandbox.write("MEMORY.md", MEMORY_TEXT.replace("- Likes tea", tea))
    workspace = sandbox.workspace
    port, into = sandbox.address("staging port"), sandbox.address("Likes tea", "MEMORY.md")
    workspace.operations.carry_out(lambda: plan_promote(workspace, [port], into=into))
    assert sandbox.spelled_out().count("entry=") == 1
    async with opened(workspace) as interface:
        for words in ("async reviews", "staging port"):
            await goes_back(interface, words, "Likes tea")
        assert "✓2" in "".join(part.text for part in interface.main.panes[0].list.rows[0].tail)
        await interface.press("o")
        await interface.until(lambda: (row := interface.main.here.row) and row.line == 5, "its line")


async def test_an_entry_is_followed_through_its_moves(sandbox: Sandbox) -> None:
    promote(sandbox, "staging port")
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        await interface.go_to("staging port")
        await interface.press("i")
        await interface.until_shown("ctrl+o save")
        await interface.press("home", "right", "right", "O", "h", "space", "ctrl+o")
        await interface.until_said("Edited")
        await interface.until(
            lambda: len(interface.history) >= 3, "edit, promotion and the first line of the log"
        )
        history = "\n".join(interface.history)
        assert history.index("edit:") < history.index("promote:") < history.index("add:")


def conflict(sandbox: Sandbox, text: bytes) -> None:
    folder = sandbox.workspace.state_dir() / "conflicts"
    folder.mkdir(mode=0o700)
    (folder / "ab-log.md").write_bytes(text)
    (folder / "ab-log.md.json").write_text(json.dumps({"path": LOG, "since": 1_700_000_000}))


async def test_another_writers_text_is_announced_shown_and_kept(sandbox: Sandbox) -> None:
    conflict(sandbox, LOG_TEXT.encode() + b"- only the agent wrote this\n")
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("Text of another writer is in no memory file (1): C shows it")
        await interface.press("C")
        await interface.until_shown("≠ - only the agent wrote this")
        await interface.until_shown("the file now")
        await interface.press("d")
        await interface.until_said("git keeps its text")
        await interface.until_shown("there are none left")
        blob = interface.toasts.partition("cat-file -p ")[2].split()[0]
        await interface.press("escape")
        await interface.until(lambda: not interface.main.banner.display, "the banner is gone")
    assert "only the agent wrote this" in sandbox.git("cat-file", "-p", blob)
    assert sandbox.read(LOG) == LOG_TEXT.encode()


async def test_what_an_agent_wrote_into_a_replaced_file_is_listed_and_git_keeps_it(sandbox: Sandbox) -> None:
    with (sandbox.root / "MEMORY.md").open("r+b", buffering=0) as agent:
        promote(sandbox, "staging port")
        agent.truncate(0)
        agent.write(b"# Memory\n\n- by an agent that held the file open\n")
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("Text of another writer is in no memory file (1): C shows it")
        await interface.press("C")
        await interface.until_shown("≠ - by an agent that held the file open")
        await interface.until_shown("≠ - Likes tea")
        assert [row.text for row in browse(interface).list.rows] == ["MEMORY.md"]
        await interface.press("d")
        await interface.until_said("git keeps its text")
        await interface.until_shown("there are none left")
        assert "held the file open" not in interface.text
        blob = interface.toasts.partition("cat-file -p ")[2].split()[0]
        await interface.press("C")
        await interface.until(lambda: interface.main.is_active, "closed by the key that opened it")
        assert not interface.main.banner.display
    assert sandbox.git("cat-file", "-p", blob) == "# Memory\n\n- by an agent that held the file open\n"
    assert b"held the file open" not in sandbox.read("MEMORY.md")
    assert sandbox.workspace.operations.conflicts() == ()


async def test_without_conflicts_the_key_says_so(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("staging port")
        await interface.press("C")
        await interface.until_said("There are no conflicts")
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()


async def test_where_no_history_can_be_kept_the_screens_say_what_is_missing(tmp_path: Path) -> None:
    made = Sandbox(tmp_path / "bare")
    made.git("config", "core.bare", "true")
    async with opened(made.workspace) as interface:
        await interface.go_to("staging port")
        for key in ("at", "b"):
            await interface.press(key)
            await interface.until_shown("is a bare repository")
            assert "Error" not in interface.text
            await interface.press("escape")
            await interface.until(lambda: interface.main.is_active, "closed")
    made.close()


async def test_an_operation_that_left_an_entry_its_name_says_it_once(sandbox: Sandbox) -> None:
    entry = sandbox.address("Likes tea", "MEMORY.md")
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        await interface.go_to("Likes tea")
        await interface.press("P")
        await interface.until_said("Pinned")
        await interface.press("at")
        await interface.until_shown(entry)
        assert "→" not in next(line for line in interface.text.split("\n") if entry in line)
