"""The settings screen: every setting and key, where each comes from, changed in place once it is valid."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from screens.actions.key_file import load_keys
from screens.dialogs.dialog import ChooseScreen
from screens.settings.overview import SettingsScreen, key_rows, setting_facts
from screens.widgets.entry_list import EntryList
from tests.screens.interface import Interface, opened
from tests.support.workspaces import Sandbox
from workbench.config.settings_report import tell


@pytest.fixture
def own(person: Path) -> Path:
    return person / "settings.yaml"


def screen(interface: Interface) -> SettingsScreen:
    return next(one for one in interface.app.screen_stack if isinstance(one, SettingsScreen))


async def at(interface: Interface, row_id: str) -> None:
    rows = screen(interface).list
    await interface.until(lambda: any(row.id == row_id for row in rows.rows), row_id)
    rows.go(next(n for n, row in enumerate(rows.rows) if row.id == row_id))
    await interface.pilot.pause()


async def settings(interface: Interface, row_id: str = "setting:theme") -> None:
    await interface.press("S")
    await interface.until(lambda: isinstance(interface.app.screen, SettingsScreen), "it is open")
    await at(interface, row_id)


async def until_told(interface: Interface, words: str) -> None:
    """Wait until they stand beside the list, wherever the length of a path makes a line end."""

    def close(text: str) -> str:
        return "".join(text.split())

    behind = screen(interface).behind
    await interface.until(lambda: close(words) in close("".join(row.text for row in behind.rows)), words)


async def test_value_default_origin_unit_and_meaning_are_told(sandbox: Sandbox, own: Path) -> None:
    own.write_text("# mine\nmemory_budget: 500\nepisode_days: 5\n")
    sandbox.write("workbench.yaml", "memory:\n  budget: 700\n")
    async with opened(sandbox.workspace) as interface:
        await settings(interface, "setting:memory_budget")
        await interface.until_shown("memory_budget: 700")
        await interface.until_shown("Maximum characters of MEMORY.md.")
        await interface.until_shown("Default: 10,000")
        await interface.until_shown("Unit: characters")
        await until_told(interface, "workbench.yaml, line 2")
        await until_told(interface, "settings.yaml, line 2")
        await at(interface, "setting:episode_days")
        await until_told(interface, "settings.yaml, line 3")
        row = screen(interface).list.row
        assert row is not None
        assert (row.text, row.tail[0].text) == ("5 days", "yours")


async def test_a_number_is_typed_and_taken_only_when_it_is_valid(sandbox: Sandbox, own: Path) -> None:
    own.write_text("# mine\nepisode_days: 5  # short\n")
    async with opened(sandbox.workspace) as interface:
        await settings(interface, "setting:episode_days")
        await interface.press("e")
        await interface.until_shown("writes it into")
        await interface.press("x")
        await interface.until_shown("must be a positive whole number")
        await interface.press("enter")
        assert own.read_text() == "# mine\nepisode_days: 5  # short\n"
        await interface.press("backspace", "0", "enter")
        await interface.until_said("episode_days: 50")
        assert own.read_text() == "# mine\nepisode_days: 50  # short\n"
        await interface.until_shown("episode_days: 50")
        await interface.press("r")
        await interface.until_said("episode_days is removed: 90")
        assert own.read_text() == "# mine\n"
        await interface.press("r")
        await interface.until_said("It is already the default")


async def test_leaving_the_line_changes_nothing(sandbox: Sandbox, own: Path) -> None:
    async with opened(sandbox.workspace) as interface:
        await settings(interface, "setting:episode_days")
        await interface.press("enter", "7", "escape")
        await interface.until(lambda: not screen(interface).entry.display, "the line is gone")
        assert not own.exists()
        await interface.press("escape")
        await interface.until(lambda: interface.main.is_active, "closed")


async def test_a_theme_is_chosen_in_a_list_and_counts_at_once(sandbox: Sandbox, own: Path) -> None:
    async with opened(sandbox.workspace) as interface:
        await settings(interface)
        before = interface.app.theme
        await interface.press("e")
        await interface.until(lambda: isinstance(interface.app.screen, ChooseScreen), "the themes")
        choices = interface.app.screen.query_one("#choices", EntryList)
        assert choices.row is not None
        assert (choices.row.id, choices.row.tail[0].text) == (before, "now")
        await interface.press("enter")
        await interface.until(lambda: isinstance(interface.app.screen, SettingsScreen), "left as it is")
        assert not own.exists()
        await interface.press("e")
        await interface.until(lambda: isinstance(interface.app.screen, ChooseScreen), "the themes again")
        await interface.type("light")
        await interface.press("enter")
        await interface.until(lambda: interface.app.theme == "light", "another theme")
        assert own.read_text() == "theme: light\n"
        await interface.press("w")
        await interface.until_said("Only your own file may set this")


async def test_the_workspaces_file_is_changed_by_an_operation_that_undo_takes_back(sandbox: Sandbox) -> None:
    sandbox.write("workbench.yaml", "# ours\nmemory:\n  budget: 700  # small\n")
    sandbox.commit("settings")
    async with opened(sandbox.workspace) as interface:
        await settings(interface, "setting:memory_budget")
        await interface.press("e", "0", "enter")
        await interface.until_shown("memory_budget: 7,000")
        assert sandbox.read("workbench.yaml") == b"# ours\nmemory:\n  budget: 7000  # small\n"
        assert "configure: memory_budget is 7,000" in sandbox.git("log", "-1", "--format=%s")
        await interface.press("escape", "u")
        await interface.until_said("Undone")
    assert sandbox.read("workbench.yaml") == b"# ours\nmemory:\n  budget: 700  # small\n"


async def test_what_is_wrong_is_shown_as_itself_while_the_rest_counts(sandbox: Sandbox, own: Path) -> None:
    async with opened(sandbox.workspace) as interface:
        own.write_text("memory_budget: x\n'[/] [@click=app.quit]': \"\\e]0;x\\a\u202e\"\nepisode_days: 5\n")
        sandbox.write("workbench.yaml", 'model: evil\nexclude: ["x\\e]0;y\\u202e"]\n')
        await settings(interface, "setting:episode_days")
        await interface.until_shown("settings.yaml:1  memory_budget must be a positive")
        await interface.until_shown("[@click=app.quit]")
        assert "\x1b" not in interface.text
        assert "\u202e" not in interface.text
        row = screen(interface).list.row
        assert row is not None
        assert row.text == "5 days"
        await at(interface, "wrong:2")
        await interface.until_shown("only your own settings file may set it")
        await interface.until_shown("It is ignored until it is corrected")
        await at(interface, "setting:exclude")
        await interface.press("e")  # what a file says is typed on, and drawn like anything from a file
        await interface.until_shown("x␛]0;y\ufffd")
        assert "\x1b" not in interface.text


async def test_a_file_that_is_no_yaml_is_told_and_not_overwritten(sandbox: Sandbox, own: Path) -> None:
    async with opened(sandbox.workspace) as interface:
        own.write_text("a: [\n")
        await settings(interface, "setting:agent_writes")
        await interface.until_shown("is not a YAML mapping")
        await interface.press("e")
        await interface.until_said("it is not a YAML mapping")
        assert own.read_text() == "a: [\n"


async def test_a_secret_is_never_shown(sandbox: Sandbox, own: Path) -> None:
    own.write_text("embedding_key: verysecret123\n")
    async with opened(sandbox.workspace) as interface:
        await settings(interface, "setting:embedding_key")
        await interface.until_shown("embedding_key: set (hidden)")
        await interface.press("e")
        await interface.type("topsecret")
        await interface.until_shown("writes it into")
        assert "secret" not in interface.text.replace("is never shown", "").replace("secrets", "")
        await interface.press("enter")
        await interface.until_said("embedding_key: set (hidden)")
        assert "secret" not in interface.toasts
    assert own.read_text() == "embedding_key: topsecret\n"


def test_the_environment_is_an_origin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_DEVICE", "cpu")
    told = [text for text, _ in setting_facts(tell(None).of("embedding_device"))]
    assert "From: WORKBENCH_DEVICE in the environment" in told


async def test_typing_filters_and_escape_takes_the_filter_away(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, (60, 20)) as interface:
        await settings(interface)
        everything = len(screen(interface).list.rows)
        await interface.press("slash")
        await interface.type("budget")
        await interface.until(lambda: len(screen(interface).list.rows) < 5, "filtered")
        await interface.press("enter")
        await interface.until_shown("e change")
        await interface.press("slash")
        await interface.type("nothing like it")
        await interface.until_shown("nothing matches")
        await interface.press("escape")
        await interface.until(lambda: len(screen(interface).list.rows) == everything, "all again")


async def test_a_read_only_workspace_says_why_its_file_cannot_be_changed(sandbox: Sandbox, own: Path) -> None:
    sandbox.git("config", "core.bare", "true")
    async with opened(sandbox.workspace) as interface:
        await interface.until(lambda: interface.main.operations.refusal, "nothing can be written")
        await settings(interface, "setting:episode_days")
        await interface.press("w")
        await interface.until_said("is a bare repository")
        await interface.press("e", "1", "enter")
        await interface.until_said("episode_days: 901")
    assert own.read_text() == "episode_days: 901\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
async def test_an_own_file_that_cannot_be_written_is_told(sandbox: Sandbox, own: Path) -> None:
    own.parent.chmod(0o500)
    async with opened(sandbox.workspace) as interface:
        await settings(interface, "setting:agent_writes")
        await interface.press("e")
        await interface.until_said("cannot write")
    own.parent.chmod(0o700)


async def test_the_keys_say_where_their_file_is_and_how_it_is_changed(
    sandbox: Sandbox, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    async with opened(sandbox.workspace) as interface:
        await settings(interface)
        await interface.press("tab")
        await at(interface, "action:undo")
        await until_told(interface, f"e opens {person / 'keys.toml'} in your editor")
        await until_told(interface, 'undo = ["ctrl+x", "F5"]')
        await interface.press("e")
        await interface.until_said("no editor is set")
        assert not (person / "keys.toml").exists()


async def test_the_profile_is_changed_and_counts_at_once(sandbox: Sandbox, person: Path) -> None:
    async with opened(sandbox.workspace) as interface:
        await settings(interface)
        await interface.press("p")
        await interface.until_said("tab shows them")
        await interface.press("tab", "p")
        await interface.until_shown("profile vim")
        assert load_keys().map.profile == "vim"
        await interface.press("escape", "at")
        await interface.until_shown("esc back")
        await interface.press("ctrl+f", "escape")
        await interface.until(lambda: interface.main.is_active, "closed")


async def test_another_profile_names_the_keys_of_the_person_that_do_not_count_in_it(
    sandbox: Sandbox, person: Path
) -> None:
    (person / "keys.toml").write_text('[keys]\nundo = ["F5"]\n')
    async with opened(sandbox.workspace) as interface:
        await settings(interface)
        await interface.press("tab", "p")
        await interface.until_said("Keys: profile vim\nF5 is “reindex” in the same place")
        await interface.until_shown("profile vim")
        await at(interface, "action:undo")
        row = screen(interface).list.row
        assert row is not None
        assert row.text.startswith("undo  ! F5 is “reindex”")
        await interface.press("p")
        await interface.until(lambda: (row := screen(interface).list.row) and row.text == "undo", "it counts")


def test_problems_of_the_keys_stand_first(person: Path) -> None:
    (person / "keys.toml").write_text('[keys]\n"[/]" = ["x"]\n')
    assert key_rows(load_keys())[1].text.startswith("! keys.toml:2: there is no action “[/]”")
