"""The theme of the interface: its choice by settings and terminal, and changes of the person's own files."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.color import ColorSystem
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter
from textual.theme import Theme

from screens import terminal
from themes import COLORS, ThemeData, Themes

if TYPE_CHECKING:
    from screens.app import WorkbenchApp

_LOOK_SECONDS = 1.0
"""How often the folder of a person's own themes is looked at."""
_FIRST = "dark"
_TEXTUALS_OWN = dict.fromkeys(("ansi-background", "ansi-foreground", "surface"), "ansi_default")
"""What Textual's own style sheets name where a theme is of the terminal's colours."""
_FEW_COLORS = "ansi"
"""The theme for terminals that cannot show others."""


class ThemeControl:
    """The themes by name, and the one in use."""

    def __init__(self) -> None:
        self.themes = Themes()

    def prepare(self, app: WorkbenchApp) -> None:
        """Make all themes known to ``app``, and see what its terminal can do."""
        self._app = app
        self._register()
        name = app.workspace.settings.theme
        app.theme = name if name in self.themes.by_name else self.first.name
        app.stylesheet.set_variables(app.get_css_variables())  # parsed for this theme from the beginning
        if app.no_color:
            # As on a terminal with its own palette, what is chosen is reversed and what is faint is dimmed;
            # then ``NO_COLORS`` takes all colours away.
            app.ansi_color = True
        if app.console.color_system == "standard" and terminal.colors() >= 256:
            # Not public: the description of the terminal says it, and Rich does not read that.
            app.console._color_system = ColorSystem.EIGHT_BIT

    @property
    def first(self) -> ThemeData:
        """The theme to begin with, and to fall back on."""
        return self.themes.by_name[_FIRST]

    @property
    def few_colors(self) -> bool:
        """Whether the terminal has sixteen colours or none."""
        return not self._app.is_headless and self._app.console.color_system in (None, "standard")

    def begin(self) -> None:
        """Use the theme of the settings, say what is wrong with others, and follow the files."""
        self.follow_settings()
        self._report(self.themes.problems)
        self._app.set_interval(_LOOK_SECONDS, self._look)

    def follow_settings(self) -> None:
        """Use the theme of the settings, as far as the terminal can show it."""
        name = self._app.workspace.settings.theme
        if self.few_colors and not self._app.no_color:
            name = _FEW_COLORS
        self.use(name)

    def use(self, name: str) -> None:
        """Change the colours; an unknown name is reported, and the first theme used."""
        if name not in self.themes.by_name:
            known = ", ".join(self.themes.by_name)
            self._app.main.warn(f"There is no theme {name}; there are {known}")
            name = self.first.name
        self._app.theme = name

    def choose(self, name: str) -> None:
        """Change the colours for now, and say how they stay."""
        self.use(name)
        if name == self._app.workspace.settings.theme:
            return
        if self.few_colors and not self.themes.by_name[name].terminal:
            self._app.main.warn("This terminal reports 16 colours; if it has more, set COLORTERM=truecolor")
            return
        self._app.main.say(
            f"For this session. Keep it with `workbench config set theme {name}`, or in the settings (S)"
        )

    # -- following the files ---------------------------------------------------------------------

    async def _look(self) -> None:
        if await asyncio.to_thread(self.themes.changed):
            self.reload()

    def reload(self) -> None:
        """Read the themes again, and show the one that is used as it is now."""
        before = self.themes.problems
        self.themes.load()
        self._register()
        self._report([problem for problem in self.themes.problems if problem not in before])
        if self._app.theme in self.themes.by_name:
            self._app.refresh_css(animate=False)
        else:
            self.use(self._app.theme)

    def _register(self) -> None:
        for data in self.themes.by_name.values():
            self._app.register_theme(textual_theme(data))

    def _report(self, problems: list[str]) -> None:
        for problem in problems:
            self._app.main.warn(problem, title="A theme was skipped")


def textual_theme(data: ThemeData) -> Theme:
    """A theme file as Textual takes it; every role is a variable of the style sheets."""
    colors = css_colors(data)
    roles = {role: colors[role] for role in COLORS if role not in ("background", "surface", "accent")}
    return Theme(
        name=data.name,
        primary=colors["accent"],
        secondary=colors["muted"],
        accent=colors["accent"],
        foreground=colors["text"],
        background=colors["background"],
        surface=colors["surface"],
        panel=colors["overlay"],
        success=colors["good"],
        warning=colors["warn"],
        error=colors["bad"],
        dark=data.dark,
        ansi=data.terminal,
        variables=roles | _TEXTUALS_OWN if data.terminal else roles,
    )


def css_colors(data: ThemeData) -> dict[str, str]:
    """The colours of a theme as style sheets name them."""
    return {role: "ansi_default" if color == "default" else color for role, color in data.colors.items()}


class NoColorFilter(LineFilter):
    """Takes every colour away; bold, dim, underlined and reversed stay, and carry what colours did."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same text without colours."""
        return list(Segment.remove_color(segments))


NO_COLORS = (NoColorFilter(),)
"""What is done to all that is painted where the terminal is to get no colours."""
