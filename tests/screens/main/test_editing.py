"""Writing in the interface: one commit, exactly the bytes, and nothing that was typed is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from screens.dialogs.editor import WritingScreen, spelled
from screens.main.operation_commands import OperationRunner
from tests.screens.interface import Interface, opened
from tests.support.workspaces import LOG, LOG_TEXT, MEMORY_TEXT, Sandbox
from workbench.workspace.state_files import drafts
from workbench.workspace.workspace import Workspace

PORT = "- The staging port is 8443"


def actions(sandbox: Sandbox) -> list[str]:
    return [subject.partition(":")[0] for subject in sandbox.git("log", "--format=%s").strip().split("\n")]


def dialog(interface: Interface) -> WritingScreen:
    screen = interface.app.screen
    assert isinstance(screen, WritingScreen)
    return screen


async def begin(interface: Interface, words: str = "staging port") -> None:
    await interface.go_to(words)
    await interface.press("i")
    await interface.until_shown("ctrl+o save")


async def test_an_entry_is_edited_in_one_commit_and_undone_byte_for_byte(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await begin(interface)
        await interface.type(", again")
        await interface.until_shown("+- The staging port is 8443, again")
        assert sandbox.read(LOG) == LOG_TEXT.encode()
        await interface.press("ctrl+o")
        await interface.until_said("Edited")
        assert sandbox.read(LOG) == LOG_TEXT.replace(PORT, PORT + ", again").encode()
        await interface.until(
            lambda: "again" in (row.text if (row := interface.main.here.row) else ""), "the cursor is on it"
        )
        await interface.press("u")
        await interface.until_said("Undone")
    assert sandbox.read(LOG) == LOG_TEXT.encode()
    assert actions(sandbox) == ["undo", "edit", "start"]


async def test_what_is_typed_before_the_dialog_is_there_is_text(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("i", "d", "p", "u", "q", "space", "x")
        await interface.until_shown("ctrl+o save")
        await interface.until(lambda: dialog(interface).text == PORT + "dpuq x", "the keys are text")
    assert actions(sandbox) == ["start"]


async def test_keys_after_saving_mean_what_is_under_the_dialog(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await begin(interface)
        await interface.press("x", "ctrl+o", "u")
        await interface.until_said("Undone")
    assert actions(sandbox) == ["undo", "edit", "start"]
    assert sandbox.read(LOG) == LOG_TEXT.encode()


async def test_leaving_asks_only_when_something_was_typed_and_keeps_it(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await begin(interface)
        await interface.press("escape")
        await interface.until(lambda: interface.main.is_active, "closed without a question")
        await begin(interface)
        await interface.type(" unsaved")
        await interface.press("escape")
        await interface.until_shown("Leave what you typed unsaved?")
        await interface.press("n")
        await interface.until_shown("ctrl+o save")
        assert dialog(interface).text == PORT + " unsaved"
        await interface.press("escape")
        await interface.until_shown("Leave what you typed unsaved?")
        await interface.press("y")
        await interface.until(lambda: interface.main.is_active, "closed")
        await interface.until(lambda: interface.app.clipboard == PORT + " unsaved", "it is copied")
        await begin(interface)
        assert dialog(interface).text == PORT + " unsaved"
        await interface.until_said("Your unsaved text is here again")
        assert dialog(interface).changed
    assert actions(sandbox) == ["start"]


async def test_what_was_typed_is_here_again_after_leaving_the_program_by_ctrl_c(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("screens.dialogs.editor._KEEP_SECONDS", 0.01)
    async with opened(sandbox.workspace) as interface:
        await begin(interface)
        await interface.type("?")
        await interface.until(
            lambda: list(drafts(sandbox.workspace.cache_dir()).values()) == [PORT + "?"], "kept meanwhile"
        )
        await interface.press("backspace", "!")
        await interface.press("ctrl+c")
        await interface.until_said("ctrl+c again quits; what you typed is kept")
        await interface.press("ctrl+c")
    async with opened(Workspace.open(sandbox.root)) as interface:
        await begin(interface)
        assert dialog(interface).text == PORT + "!"
        await interface.press("ctrl+o")
        await interface.until_said("Edited")
    assert drafts(sandbox.workspace.cache_dir()) == {}


async def test_where_nothing_can_be_kept_leaving_says_so(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(sandbox.workspace) as interface:
        await begin(interface)
        await interface.type("!")
        monkeypatch.setenv("WORKBENCH_READ_ONLY", "1")
        await interface.press("ctrl+c")
        await interface.until_said("ctrl+c again quits without what you typed")
        await interface.press("escape")
        await interface.until_shown("kept only until this program ends:")
        await interface.until_shown("this program is running read-only")
        await interface.press("y")
        await interface.until(lambda: interface.main.is_active, "closed")
        await begin(interface)
        assert dialog(interface).text == PORT + "!"
    assert drafts(sandbox.workspace.cache_dir()) == {}


async def test_one_goes_on_at_the_end_of_the_words_before_their_source(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", b"# Memory\n\n- Likes tea <!-- wb: id=m7f3a src=a.md#L1 -->\n")
    async with opened(Workspace.open(sandbox.root)) as interface:
        await interface.press("2")
        await begin(interface, "Likes tea")
        await interface.type(", green")
        assert dialog(interface).text == "- Likes tea, green <!-- wb: id=m7f3a src=a.md#L1 -->"


async def test_the_palette_is_for_the_panes_alone(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await begin(interface)
        await interface.press("ctrl+p", "x")
        await interface.until(lambda: dialog(interface).text == PORT + "x", "still the dialog")


async def test_an_entry_that_changed_below_is_shown_beside_what_was_typed(sandbox: Sandbox) -> None:
    theirs = LOG_TEXT.replace("8443", "9443").encode()
    async with opened(sandbox.workspace) as interface:
        await begin(interface)
        await interface.type(" mine")
        sandbox.write(LOG, theirs)
        await interface.until_shown("It now says:")
        await interface.until_shown("- The staging port is 9443")
        assert dialog(interface).text == PORT + " mine"
        assert sandbox.read(LOG) == theirs
        await interface.until_shown("+- The staging port is 8443 mine")
        await interface.press("ctrl+o")
        await interface.until_said("Edited")
    assert sandbox.read(LOG) == LOG_TEXT.replace(PORT, PORT + " mine").encode()
    assert actions(sandbox) == ["edit", "external", "start"]
    assert "9443" in sandbox.git("show", f"HEAD~1:{LOG}")


async def test_an_entry_that_is_gone_leaves_the_text_with_the_person(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await begin(interface, "weather in Lisbon")
        await interface.type(" Mine.")
        sandbox.write(LOG, "# nothing left\n")
        await interface.press("ctrl+o")
        await interface.until_shown("The entry is no longer in its file")
        assert dialog(interface).text == "A paragraph about the weather in Lisbon. Mine."
    assert sandbox.read(LOG) == b"# nothing left\n"


async def test_an_entry_that_is_back_is_not_said_to_be_gone_any_more(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await begin(interface, "weather in Lisbon")
        await interface.type(" Mine.")
        sandbox.write(LOG, "# nothing left\n")
        await interface.until_shown("The entry is no longer in its file")
        sandbox.write(LOG, LOG_TEXT)
        await interface.until_shown("+A paragraph about the weather in Lisbon. Mine.")
        await interface.until(lambda: "any more" not in interface.text, "it is taken back")
        await interface.press("ctrl+o")
        await interface.until_said("Edited")
    assert b"Lisbon. Mine." in sandbox.read(LOG)


async def test_what_became_of_an_entry_is_not_said_in_the_dialog_of_another(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()
    run = OperationRunner.run

    async def late(runner: OperationRunner, work: Callable[..., object], *args: object) -> object:
        found = await run(runner, work, *args)
        if work.__name__ == "current_source":
            begun.set()
            await go_on.wait()
        return found

    monkeypatch.setattr(OperationRunner, "run", late)
    async with opened(sandbox.workspace) as interface:
        await begin(interface, "weather in Lisbon")
        sandbox.write(LOG, "# nothing left\n")
        await interface.until(begun.is_set, "the entry is looked for")
        await interface.press("escape")
        await interface.until(lambda: interface.main.is_active, "closed")
        await interface.press("2")
        await begin(interface, "Likes tea")
        go_on.set()
        await interface.type(", green")
        await interface.until_shown("+- Likes tea, green")
        assert "any more" not in interface.text


async def test_what_cannot_be_written_says_why_and_stays(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await begin(interface)
        await interface.press("f7", "delete")
        await interface.until_shown("an entry needs text")
        await interface.press("ctrl+o")
        await interface.until_said("Not done: edit")
        dialog(interface)
    assert sandbox.read(LOG) == LOG_TEXT.encode()


async def test_hidden_characters_are_spelled_out_and_stay_what_they_are(sandbox: Sandbox) -> None:
    text = "- plain \u202etext\u200b <U+202E> \x1b[31m end\n".encode()
    sandbox.write(LOG, text)
    async with opened(sandbox.workspace) as interface:
        await begin(interface, "plain")
        await interface.until_shown("- plain <U+202E>text<U+200B> <U+003C>U+202E> <U+001B>[31m end")
        await interface.type(" x")
        await interface.press("ctrl+o")
        await interface.until_said("Edited")
    assert sandbox.read(LOG) == text.replace(b" end", b" end x")


async def test_the_line_ends_of_the_file_stay(sandbox: Sandbox) -> None:
    sandbox.write(LOG, b"# Day\r\n\r\n- one\r\n  more\r\n- two\r\n")
    async with opened(sandbox.workspace) as interface:
        await begin(interface, "one")
        await interface.type("!")
        await interface.press("ctrl+o")
        await interface.until_said("Edited")
    assert sandbox.read(LOG) == b"# Day\r\n\r\n- one\r\n  more!\r\n- two\r\n"


@pytest.mark.parametrize(
    "text", ["a", "\u202e", "<U+202E>", "<U+202E> \u202e", "\udcff\x1b", "a\tb\nc", "\r"]
)
def test_spelling_out_is_taken_back_exactly(text: str) -> None:
    spelling = spelled(text)
    assert spelling.restored(spelling.text) == text


def test_signs_that_a_person_types_stay_signs() -> None:
    assert spelled("plain").restored("plain <U+202E>") == "plain <U+202E>"
    assert spelled("\u200b").restored("<U+200B> <U+202E>") == "\u200b <U+202E>"


async def test_without_an_editor_or_a_terminal_to_lend_it_says_so(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("e")
        await interface.until_said("no editor is set")
        monkeypatch.setenv("EDITOR", "true")
        await interface.press("e")
        await interface.until_said("cannot be given to another program")
    assert sandbox.read(LOG) == LOG_TEXT.encode()


async def test_marked_entries_become_one_with_the_words_that_the_person_agrees_to(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        await interface.go_to("Likes tea")
        await interface.press("m")
        await interface.until_said("Mark two or more")
        await interface.press("asterisk", "m")
        await interface.until_shown("Merge 2 entries")
        await interface.until_shown("-- The project is called Atlas")
        assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
        await interface.type(" Both.")
        await interface.press("ctrl+o")
        await interface.until_said("Merged")
        await interface.until(lambda: interface.main.is_active, "closed")
    memory = sandbox.read("MEMORY.md").decode()
    assert "Both." in memory
    assert memory.count("\n- ") == 1
    assert actions(sandbox) == ["merge", "start"]


async def test_leaving_says_what_yes_and_no_mean_and_shows_only_what_changes(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("d")
        await interface.until_said("Forgotten")
        await interface.press("u")
        await interface.until_said("Undone")
        await interface.go_to("staging port")
        await interface.press("i")
        await interface.until_shown("nothing is changed yet")
        assert "Undone" not in interface.toasts
        await interface.type(" today")
        await interface.until_shown("+- The staging port is 8443 today")
        assert "@@" not in interface.text
        await interface.press("escape")
        await interface.until_shown("y leave  n go on writing")
        await interface.press("n")
        await interface.until_shown("+- The staging port is 8443 today")


async def test_after_a_merge_the_cursor_and_the_preview_are_on_what_came_of_it(sandbox: Sandbox) -> None:
    many = "".join(f"- Line {number} of the list\n" for number in range(40))
    sandbox.write("MEMORY.md", "# Memory\n\n## Facts\n" + many)
    async with opened(Workspace.open(sandbox.root), (100, 30)) as interface:
        await interface.press("2")
        await interface.go_to("Line 20")
        await interface.press("space", "space", "space", "m")
        await interface.until_shown("Merge 3 entries")
        await interface.press("ctrl+o")
        await interface.until_said("Merged")
        await interface.until(
            lambda: interface.main.here.row and "Line 20" in interface.main.here.row.text,
            "the cursor is on it",
        )
        await interface.until_shown("▎- Line 20 of the list")
