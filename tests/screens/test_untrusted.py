"""Whatever memory holds is text: it shows as itself and does nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from indexing.sync.run import reindex
from screens.actions.registry import ACTIONS
from screens.dialogs.editor import TextBox
from tests.screens.interface import Interface, opened
from tests.support.workspaces import LOG, Sandbox
from workbench.workspace.workspace import Workspace

EVIL = "[/ [@click=app.quit]quit[/] [[x]] \\[b] \x1b]52;c;aGk=\x07 \x1b[31mred \u202eback \u200b"
SAFE = "[/ [@click=app.quit]quit[/] [[x]] \\[b] ␛]52;c;aGk=␇ ␛[31mred <U+202E>back <U+200B>"
FORBIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
NAME = "memory/2026-03-16_[@click=app.quit]\x1b[31m.md"


@pytest.fixture
def hostile(sandbox: Sandbox) -> Sandbox:
    sandbox.write(NAME, f"# Day {EVIL}\n\n## Heading {EVIL}\n\n- log {EVIL}\n- second\n")
    origin = f"<!-- wb: src={EVIL} -->"
    sandbox.write("MEMORY.md", f"# Memory\n\n## Section {EVIL}\n\n- memory {EVIL} {origin}\n")
    sandbox.write(
        "episodes/2026/03/e2.md",
        "---\nid: e2\nl0_abstract: 'episode [/ [[x]] [@click=app.quit]'\nkey_topics: ['[b]']\n---\n"
        f"- {EVIL}\n",
    )
    person = f"---\nname: '[@click=app.quit]'\ntype: '[/]'\n---\n- [todo] todo {EVIL}\n"
    sandbox.write("graph/person/x.md", person)
    sandbox.commit("hostile [/ [@click=app.quit]")
    return sandbox


def is_clean(interface: Interface) -> bool:
    return not FORBIDDEN.search(interface.text)


async def test_every_pane_title_and_preview_shows_it_as_itself(hostile: Sandbox) -> None:
    async with opened(hostile.workspace, (240, 50)) as interface:
        log = "log [/ [@click=app.quit]quit[/] [[x]]"
        for words in (log, "memory [/ [@click", "episode [/ [[x]]", "todo [/"):
            await interface.until_shown(words)
        for pane in range(4):
            interface.main.go_to_pane(pane)
            for _ in range(3):
                await interface.press("j")
                await interface.pilot.click("#preview", offset=(8, 3))
                assert is_clean(interface)
        await interface.press("1")
        await interface.go_to("log [/")
        await interface.until(lambda: SAFE in interface.text.split("╭─ memory/")[-1], "the preview")
        assert "memory/2026-03-16_[@click=app.quit]␛[31m.md:5" in interface.text
        assert not interface.app._exit


async def test_toasts_show_it_as_itself(hostile: Sandbox) -> None:
    async with opened(hostile.workspace, (240, 50)) as interface:
        await interface.go_to("log [/")
        await interface.press("p")
        await interface.until_shown("! do it anyway  n leave it")
        assert is_clean(interface)
        await interface.press("exclamation_mark")
        await interface.until_said("Promoted")
        await interface.until_shown("log [/ [@click=app.quit]quit[/]")
        assert is_clean(interface)
        await interface.press("Y")
        await interface.until_shown("Copied memory/2026-03-16_[@click=app.quit]␛[31m.md:5")
        assert is_clean(interface)


async def test_search_results_show_it_as_itself(hostile: Sandbox) -> None:
    reindex(hostile.workspace, vectors=False)
    async with opened(hostile.workspace, (240, 50)) as interface:
        await interface.press("slash")
        await interface.type("quit [/]")
        await interface.until(lambda: interface.main.overlay.hits.rows, "hits")
        await interface.until_shown("log [/ [@click=app.quit]")
        assert is_clean(interface)


async def test_the_confirmation_shows_it_as_itself(hostile: Sandbox) -> None:
    async with opened(hostile.workspace, (240, 50)) as interface:
        await interface.until_shown("log [/")
        await interface.press("asterisk", "d")
        await interface.until_shown("entries?")
        assert is_clean(interface)


async def test_the_dialogs_to_write_in_and_to_choose_from_show_it_as_itself(hostile: Sandbox) -> None:
    async with opened(hostile.workspace, (240, 50)) as interface:
        await interface.go_to("log [/")
        await interface.press("i")
        await interface.until_shown(
            "- log [/ [@click=app.quit]quit[/] [[x]] \\[b] <U+001B>]52;c;aGk=<U+0007>"
        )
        assert is_clean(interface)
        await interface.pilot.click("#text", offset=(12, 0))
        interface.app.screen.query_one(TextBox).insert("\x1b[31m\u202e pasted")
        await interface.until_shown("␛[31m<U+202E> pasted")
        await interface.until_shown("+")
        assert is_clean(interface)
        await interface.press("escape")
        await interface.until_shown("Leave what you typed unsaved?")
        assert is_clean(interface)
        await interface.press("y")
        await interface.until(lambda: interface.main.is_active, "closed")
        for key, words in (("t", "to …"), ("M", "to …"), ("full_stop", "Preview which action?")):
            await interface.press(key)
            await interface.until_shown(words)
            assert is_clean(interface)
            await interface.press("escape")
            await interface.until(lambda: interface.main.is_active, "closed")
        assert not interface.app._exit


async def test_the_merge_dialog_shows_it_as_itself(hostile: Sandbox) -> None:
    origin = hostile.read("MEMORY.md")
    hostile.write("MEMORY.md", origin + f"- another {EVIL}\n".encode())
    async with opened(hostile.workspace, (240, 50)) as interface:
        await interface.press("2")
        await interface.until_shown("another [/")
        await interface.press("asterisk", "m")
        await interface.until_shown("Merge 2 entries")
        await interface.until_shown("- another [/")
        assert is_clean(interface)


async def test_operations_blame_and_conflicts_show_it_as_itself(hostile: Sandbox) -> None:
    folder = hostile.workspace.state_dir() / "conflicts"
    folder.mkdir()
    (folder / "ab-[@click=app.quit]\x1b.md").write_text(f"- kept {EVIL}\n")
    hostile.write(LOG, f"- [/ {EVIL}\n")
    hostile.git("config", "user.name", f"name {EVIL}".replace("\x07", ""))
    hostile.commit(f"subject {EVIL}")
    async with opened(hostile.workspace, (240, 50)) as interface:
        await interface.press("at")
        await interface.until_shown("subject [/ [@click=app.quit]quit[/] [[x]]")
        await interface.until_shown("+- [/ [/ [@click=app.quit]")
        assert is_clean(interface)
        await interface.press("escape")
        await interface.go_to("[/ [/ [@click")
        await interface.press("b")
        await interface.until_shown("1 - [/ [/ [@click=app.quit]quit[/] [[x]]")
        await interface.until_shown("+- [/ [/ [@click=app.quit]")
        assert is_clean(interface)
        await interface.press("escape", "C")
        await interface.until_shown("≠ - kept [/ [@click=app.quit]quit[/] [[x]]")
        assert is_clean(interface)
        assert not interface.app._exit


async def test_what_is_set_aside_shows_as_itself(hostile: Sandbox) -> None:
    async with opened(hostile.workspace, (240, 50)) as interface:
        await interface.go_to("log [/")
        await interface.press("x")
        await interface.until_said("Set aside")
        await interface.go_to("Quarantine")
        await interface.press("enter", "j")
        await interface.until_shown("set aside")
        await interface.until(lambda: "_system/quarantine" in str(interface.main.preview.border_title), "it")
        assert is_clean(interface)


async def test_ten_thousand_brackets_are_just_a_line(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", "- " + "[" * 10_000 + "\n- " + "[/" * 5_000 + "\n")
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("[[[[[[")
        await interface.press("2", "G", "enter")
        await interface.until_shown("[/[/[/")


async def test_help_lists_every_action(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, (140, 60)) as interface:
        await interface.press("question_mark")
        await interface.until_shown("type to filter")
        listed = {row.id for row in interface.app.screen.query_one("#actions").rows}  # type: ignore[attr-defined]
        assert {action.id for action in ACTIONS} <= listed
        await interface.type("undo")
        await interface.until(lambda: "Undo the last operation" in interface.text, "filtered")
        assert "One row down" not in interface.text
        await interface.press("escape")
        await interface.until_shown("2 Memory")


async def test_help_is_read_whole_where_it_is_narrow_and_no_toast_hides_it(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, (60, 20)) as interface:
        await interface.press("o")
        await interface.until_said("entry first")
        await interface.press("question_mark")
        await interface.type("unfold")
        await interface.until_shown("Unfold a row, read an entry in full")
        await interface.until_shown("a search hit.")
        assert not interface.toasts
        await interface.press("ctrl+u")
        await interface.type("despite the")
        await interface.until_shown("mistake.")


async def test_the_palette_performs_actions_and_changes_the_theme(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("colon")
        await interface.until_shown("Undo  ·  u")
        await interface.type("theme light")
        await interface.until_shown("Theme: Light")
        await interface.press("enter")
        await interface.until(lambda: interface.app.theme == "light", "the light theme")
        await interface.press("ctrl+p")
        await interface.until_shown("Undo  ·  u")
        await interface.type("memory  2")
        await interface.until(lambda: "Undo" not in interface.text, "filtered")
        await interface.press("enter")
        await interface.until(lambda: interface.main.current == 1, "the memory pane")


async def test_a_source_with_line_ends_is_told_in_one_line(sandbox: Sandbox) -> None:
    sandbox.write(
        "MEMORY.md", "# Memory\n\n- tea <!-- wb: src=memory/x%0A%0AForgotten%0Au%20undoes%20it#L1 -->\n"
    )
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        await interface.go_to("tea")
        await interface.press("o")
        await interface.until_said("u undoes it")
        assert [len(note.message.split("\n")) for note in interface.app._notifications] == [1]


async def test_a_folder_with_line_ends_in_its_name_is_told_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "x\n! fine\ny"
    folder.mkdir()
    (folder / "workbench.yaml").write_text("memory_budget: much\n")
    async with opened(Workspace.open(folder, anyhow=True)) as interface:
        await interface.until(lambda: interface.main.banner.text, "a warning")
        assert "\n! fine" not in interface.main.banner.text
        assert "fine" in interface.main.banner.text
