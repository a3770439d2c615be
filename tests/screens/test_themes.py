"""Themes: complete, readable, followed while they are written, and a bad one is reported and skipped."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color

from tests.screens.interface import opened
from tests.support.workspaces import Sandbox
from themes import BUILT_IN, ThemeData, ThemeError, Themes, own_folder, parse_theme
from themes.contrast import apart, contrast, faults

COME_ALONG = Themes((BUILT_IN,))
THEMES = list(COME_ALONG.by_name.values())
DARK = (BUILT_IN / "dark.yaml").read_text()
ANSI = (BUILT_IN / "ansi.yaml").read_text()
FIXED = [theme for theme in THEMES if not theme.terminal]


def mine(text: str = DARK) -> str:
    return text.replace("name: dark", "name: mine").replace("label: Dark", "label: Mine")


def test_six_themes_come_with_it() -> None:
    assert {theme.name for theme in THEMES} == {"ansi", "dark", "ember", "high-contrast", "light", "sepia"}
    assert COME_ALONG.problems == []


@pytest.mark.parametrize("theme", FIXED, ids=lambda theme: theme.name)
def test_everything_can_be_read_on_every_ground(theme: ThemeData) -> None:
    least = (7.0, 7.0) if theme.name == "high-contrast" else (4.5, 3.0)
    assert faults(theme, *least) == []


@pytest.mark.parametrize("theme", FIXED, ids=lambda theme: theme.name)
def test_the_cursor_stands_out_where_the_focus_is(theme: ThemeData) -> None:
    colors = theme.colors
    for ground in ("surface", "overlay"):
        assert apart(colors["selection"], colors[ground]) > apart(colors["resting"], colors[ground])
        assert apart(colors["selection"], colors[ground]) > 10


@pytest.mark.parametrize("theme", FIXED, ids=lambda theme: theme.name)
def test_it_can_be_read_in_256_colours_too(theme: ThemeData) -> None:
    from rich.color import ColorSystem

    def few(color: str) -> str:
        parsed = Color.parse(color).rich_color.downgrade(ColorSystem.EIGHT_BIT).get_truecolor()
        return f"#{parsed.red:02x}{parsed.green:02x}{parsed.blue:02x}"

    for ground in ("surface", "overlay", "selection"):
        for tone in ("text", "muted", "accent", "good", "warn", "bad"):
            assert contrast(few(theme.colors[tone]), few(theme.colors[ground])) >= 3.5, (tone, ground)


def test_the_terminals_own_theme_names_no_colour_of_its_own() -> None:
    ansi = next(theme for theme in THEMES if theme.name == "ansi")
    assert ansi.terminal
    assert not any(color.startswith("#") for color in ansi.colors.values())


def test_black_on_white_is_the_greatest_contrast() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert apart("#00ff00", "#00ff00", "deuteranopia") == 0


def test_what_is_hard_to_read_is_named() -> None:
    theme = parse_theme(DARK.replace('muted: "#959eab"', 'muted: "#404040"'), "mine.yaml")
    assert any(fault.startswith("muted on surface has a contrast of 1.") for fault in faults(theme))
    alike = parse_theme(DARK.replace('bad: "#f27d78"', 'bad: "#a8bb9e"'), "mine.yaml")
    assert "good and bad look alike to people with deuteranopia" in faults(alike)


@pytest.mark.promise(
    "The interface",
    "a theme file is invalid, also nested endlessly",
    "it is skipped, or the loaded theme is kept; the message names file, line and colour",
)
@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("name: [", r"mine.yaml:\d: this is not YAML"),
        ("just a word", "mapping"),
        ("", "mapping"),
        ("[" * 60_000, "nested too deep"),
        (DARK.replace("name: dark", "name: ../dark"), "mine.yaml:2: name must be"),
        (DARK.replace('good: "#83d6b8"', 'good: "green"'), "mine.yaml:17: colors.good"),
        (DARK.replace('  bad: "#f27d78"\n', ""), "colors.bad is missing"),
        (DARK + '  glow: "#ffffff"\n', "mine.yaml:20: unknown colours: glow"),
        (DARK.replace('good: "#83d6b8"', "good: ansi_green"), "do not go together"),
        (DARK + '  bad: "#f27d78"\n', "bad is said twice"),
        (DARK.replace("dark: true", "dark: !!python/name:os.system"), "dark must be"),
        (DARK.replace("label: Dark", 'label: "\\e[31m"'), "label must be"),
        (DARK.replace("dark: true", "dark: true\nlight: false"), "unknown keys: light"),
    ],
)
def test_what_is_wrong_with_a_theme_is_named_with_its_line(broken: str, says: str) -> None:
    with pytest.raises(ThemeError, match=says):
        parse_theme(broken, "mine.yaml")


def test_a_bad_theme_is_skipped_and_reported(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("name: 7")
    (tmp_path / "mine.yaml").write_text(mine())
    (tmp_path / "latin.yaml").write_bytes(b"name: \xe9")
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "nowhere")
    themes = Themes((BUILT_IN, tmp_path))
    assert "mine" in themes.by_name
    assert len(themes.by_name) == 7
    assert themes.problems == [
        "bad.yaml:1: name must be a word of small letters, digits and dashes",
        "gone.yaml: it cannot be read: No such file or directory",
        "latin.yaml: it is not UTF-8",
    ]


def test_ones_own_theme_stands_before_one_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "dark.yaml").write_text(DARK.replace("label: Dark", "label: Mine"))
    assert Themes((BUILT_IN, tmp_path)).by_name["dark"].label == "Mine"


@pytest.mark.promise("The interface", "a theme file is invalid, also nested endlessly")
def test_a_theme_that_became_bad_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(mine())
    themes = Themes((BUILT_IN, tmp_path))
    assert not themes.changed()
    path.write_text(mine().replace('accent: "#8fb3ff"', "accent: blue"))
    assert themes.changed()
    themes.load()
    assert themes.by_name["mine"].colors["accent"] == "#8fb3ff"
    assert themes.problems[0].startswith("mine.yaml:13: colors.accent must be")
    path.unlink()
    assert themes.changed()
    themes.load()
    assert "mine" not in themes.by_name


async def test_every_theme_is_in_the_palette_and_draws(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        for theme in THEMES:
            interface.app.theming.use(theme.name)
            await interface.pilot.pause()
            said = theme.colors["surface"]
            ground = Color.parse("ansi_default" if said == "default" else said)
            assert interface.main.panes[0].list.styles.background == ground


async def test_an_unknown_theme_is_reported(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        interface.app.theming.use("neon")
        await interface.until_said("There is no theme neon")
        assert interface.app.theme == "dark"


async def test_a_theme_is_followed_while_it_is_written(sandbox: Sandbox) -> None:
    path = own_folder() / "mine.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(mine())
    async with opened(sandbox.workspace) as interface:
        interface.app.theming.use("mine")
        shown = interface.main.panes[0].list.styles

        async def follow(surface: str) -> None:
            path.write_text(mine().replace('surface: "#161a1f"', f'surface: "{surface}"'))
            interface.app.theming.reload()
            await interface.pilot.pause()

        await follow("#102030")
        await interface.until(lambda: shown.background == Color.parse("#102030"), "its new ground")
        await follow("blue")
        await interface.until_said("mine.yaml:7: colors.surface must be")
        assert shown.background == Color.parse("#102030")
        await follow("#203040")
        await interface.until(lambda: shown.background == Color.parse("#203040"), "its newest ground")


@pytest.mark.promise("The interface", "a theme in use is deleted", "a message says so, and `dark` is used")
async def test_a_saved_theme_is_noticed_by_itself(sandbox: Sandbox) -> None:
    path = own_folder() / "mine.yaml"
    path.parent.mkdir(parents=True)
    async with opened(sandbox.workspace) as interface:
        path.write_text(mine())
        await interface.until(lambda: "mine" in interface.app.theming.themes.by_name, "the new theme")
        interface.app.theming.use("mine")
        path.unlink()
        await interface.until_said("There is no theme mine")
        assert interface.app.theme == "dark"


async def test_a_theme_chosen_in_the_palette_says_how_it_stays(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("colon")
        await interface.type("theme sepia")
        await interface.until_shown("Theme: Sepia")
        await interface.press("enter")
        await interface.until(lambda: interface.app.theme == "sepia", "the theme")
        await interface.until_said("workbench config set theme sepia")
