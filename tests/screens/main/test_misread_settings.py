"""Settings that are wrong when the interface starts: it starts, says what does not count, and takes it up."""

from __future__ import annotations

from pathlib import Path

import pytest

from screens.main.status_monitor import misread_line
from tests.screens.interface import opened
from tests.support.workspaces import Sandbox
from workbench.config.settings_report import SettingsProblem
from workbench.errors import UsageError
from workbench.workspace.workspace import Workspace

pytestmark = [
    pytest.mark.promise(
        "The interface",
        "the settings file is not YAML, or a setting is wrong, when the interface starts",
        "it starts; a banner names file, line and what to do, defaults are used for what is wrong, "
        "indexing waits; once corrected, the settings are used at once",
        by="wrong files",
    ),
]


def reopened(sandbox: Sandbox) -> Workspace:
    return Workspace.open(sandbox.root, anyhow=True)


async def test_a_wrong_value_is_told_with_its_line_the_rest_counts_and_it_is_taken_up(
    sandbox: Sandbox,
) -> None:
    sandbox.write("workbench.yaml", "episode_days: 30\nmemory_budget: much\n")
    with pytest.raises(UsageError):
        Workspace.open(sandbox.root)
    async with opened(reopened(sandbox)) as interface:
        banner = interface.main.banner
        await interface.until(lambda: "workbench.yaml:2: memory_budget must be" in banner.text, "the banner")
        assert "until then its default is used" in banner.text
        assert "S shows all settings" in banner.text
        await interface.until_shown("/ 10,000")
        assert interface.main.workspace.settings.episode_days == 30
        await interface.until_shown("! index: waits until the settings are corrected")
        await interface.press("r")
        await interface.until_said("The index waits until the settings are corrected")
        await interface.go_to("staging port")
        await interface.press("p")
        await interface.until_said("Promoted")
        sandbox.write("workbench.yaml", "episode_days: 30\nmemory_budget: 9000\n")
        await interface.until_said("Settings reloaded: memory_budget")
        await interface.until_shown("/ 9,000")
        await interface.until(lambda: not banner.text, "the banner is gone")
        assert not interface.main.workspace.misread


async def test_your_own_file_that_is_no_yaml_is_told_and_put_away(sandbox: Sandbox, person: Path) -> None:
    own = person / "settings.yaml"
    own.write_text("theme: light\nexclude: [a\nmodel: x\n")
    async with opened(reopened(sandbox)) as interface:
        banner = interface.main.banner
        await interface.until(lambda: "~/settings.yaml:3: is not a YAML mapping" in banner.text, "the banner")
        await interface.press("S")
        await interface.until_shown("memory_budget")
        await interface.press("S")
        own.unlink()
        await interface.until_said("Settings reloaded: all of them are valid again")
        await interface.until(lambda: not banner.text, "the banner is gone")


async def test_what_becomes_wrong_later_is_told_until_it_is_corrected(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        banner = interface.main.banner
        sandbox.write("workbench.yaml", "memory_budget: [\n")
        await interface.until(lambda: "until then the previous value is used" in banner.text, "the banner")
        sandbox.write("workbench.yaml", "memory_budget: 10000\n")
        await interface.until(lambda: not banner.text, "the banner is gone")


def test_the_line_names_the_first_and_counts_the_others() -> None:
    one = SettingsProblem(Path("/w/workbench.yaml"), "theme is ignored", 4, hint="put it in your own")
    line = misread_line((one, one, one), "its default is used")
    assert line.startswith("/w/workbench.yaml:4: theme is ignored, and 2 more (put it in your own) · ")
    assert misread_line((), "nothing") == ""
