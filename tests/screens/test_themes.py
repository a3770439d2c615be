"""Themes: complete, readable, and a bad one is reported and skipped."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color

from tests.screens.interface import opened
from tests.support.workspaces import Sandbox
from themes import BUILT_IN, ThemeData, ThemeError, load_themes, parse_theme

THEMES, PROBLEMS = load_themes()
DARK = (BUILT_IN / "dark.yaml").read_text()


def contrast(one: str, other: str) -> float:
    def luminance(text: str) -> float:
        parts = (value / 255 for value in Color.parse(text).rgb)
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_three_themes_come_with_it() -> None:
    assert {theme.name for theme in THEMES} == {"dark", "light", "high-contrast"}
    assert PROBLEMS == []


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_text_can_be_read_on_every_ground(theme: ThemeData) -> None:
    colors = theme.colors
    least = 7.0 if theme.name == "high-contrast" else 4.5
    for ground in ("background", "surface", "overlay", "selection", "resting"):
        assert contrast(colors["text"], colors[ground]) >= least, ground
    for tone in ("muted", "accent", "good", "warn", "bad", "match"):
        assert contrast(colors[tone], colors["surface"]) >= 4.5, tone
    assert contrast(colors["faint"], colors["surface"]) >= 3.0


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("name: [", "not YAML"),
        ("just a word", "mapping"),
        (DARK.replace("name: dark", "name: ../dark"), "name must be"),
        (DARK.replace('good: "#86c99a"', 'good: "green"'), "colors.good"),
        (DARK.replace('  bad: "#ee8a85"\n', ""), "colors.bad"),
        (DARK + '  glow: "#ffffff"\n', "unknown colours: glow"),
        (DARK.replace("dark: true", "dark: !!python/name:os.system"), "not YAML"),
    ],
)
def test_what_is_wrong_with_a_theme_is_named(broken: str, says: str) -> None:
    with pytest.raises(ThemeError, match=says):
        parse_theme(broken, "mine.yaml")


def test_a_bad_theme_is_skipped_and_reported(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("name: 7")
    (tmp_path / "mine.yaml").write_text(DARK.replace("name: dark", "name: mine"))
    themes, problems = load_themes((BUILT_IN, tmp_path))
    assert "mine" in {theme.name for theme in themes}
    assert len(themes) == 4
    assert problems == ["bad.yaml: name must be a word of small letters, digits and dashes"]


async def test_every_theme_is_in_the_palette_and_draws(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        for theme in THEMES:
            interface.app.use_theme(theme.name)
            await interface.pilot.pause()
            ground = Color.parse(theme.colors["surface"])
            assert interface.main.panes[0].list.styles.background == ground


async def test_an_unknown_theme_is_reported(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        interface.app.use_theme("neon")
        await interface.until_said("There is no theme neon")
