"""The application: themes, the main screen, and a clean end."""

from __future__ import annotations

import time
from typing import Any, ClassVar

from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.notifications import SeverityLevel
from textual.theme import Theme

from screens.main import MainScreen
from screens.palette import Commands
from screens.shown import row_text, words
from themes import COLORS, ThemeData, load_themes
from workbench.workspace.workspace import Workspace

_TWICE_SECONDS = 2.0
_TOASTS = 2


class WorkbenchApp(App[None]):
    """Memory Workbench in a terminal."""

    TITLE = "Memory Workbench"
    CSS_PATH = "main.tcss"
    COMMANDS: ClassVar[set[Any]] = {Commands}
    COMMAND_PALETTE_BINDING = "ctrl+p"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "quit", show=False, priority=True)
    ]
    ENABLE_SELECT_AUTO_SCROLL = False

    def __init__(self, workspace: Workspace, *, engines: bool = True) -> None:
        self.theme_data, self._theme_problems = load_themes()
        super().__init__()
        self.workspace = workspace
        for data in self.theme_data:
            self.register_theme(textual_theme(data))
        self.main = MainScreen(workspace, super().on_event, engines=engines)
        self._interrupted = float("-inf")

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The roles of a theme, so that the style sheet is complete before a theme is chosen."""
        return dict(next(iter(self.theme_data)).colors) if self.theme_data else {}

    def get_default_screen(self) -> MainScreen:
        """The one screen that is always there."""
        return self.main

    def on_mount(self) -> None:
        """Choose the theme that the settings name."""
        self.use_theme(self.workspace.settings.theme)
        for problem in self._theme_problems:
            self.notify(row_text(problem), title="A theme was skipped", severity="warning", markup=False)

    async def on_event(self, event: events.Event) -> None:
        """Every key comes by here first, and may have to wait for what it acts on."""
        if not (
            isinstance(event, events.Key)
            and not event.is_forwarded
            and (self.screen is self.main or self.main.holding.busy)
            and self.main.holding.takes(event)
        ):
            await super().on_event(event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The palette acts on the panes: over another screen there is none."""
        if action == "command_palette":
            return self.screen is self.main
        return super().check_action(action, parameters)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """A toast, never markup: the same one is not shown twice, and no more than two at a time."""
        showing = list(self._notifications)
        said = (message, title, severity)
        if any((note.message, note.title, note.severity) == said for note in showing):
            return
        for note in showing[: len(showing) + 1 - _TOASTS]:
            self._unnotify(note, refresh=False)
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=False)

    def use_theme(self, name: str) -> None:
        """Change the colours; an unknown name is reported and the first theme used."""
        names = [data.name for data in self.theme_data]
        if name not in names:
            known = ", ".join(names)
            self.main.say(row_text(f"There is no theme {name}; there are {known}"), severity="warning")
            name = names[0]
        self.theme = name

    def action_interrupt(self) -> None:
        """ctrl+c: once asks, twice leaves."""
        now = time.monotonic()
        if now - self._interrupted < _TWICE_SECONDS:
            self.exit()
            return
        self._interrupted = now
        unsaved = self.main.editing.unsaved
        self.main.say(words("ctrl+c again leaves" + (" without what you typed" if unsaved else "")))

    async def on_unmount(self) -> None:
        """End children and threads; wait for an action that is being written."""
        await self.main.following.close()
        self.main.reading.close()
        self.main.curating.close()


def textual_theme(data: ThemeData) -> Theme:
    """A theme file as Textual takes it; every role is a variable of the style sheets."""
    colors = data.colors
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
        variables={role: colors[role] for role in COLORS if role not in ("background", "surface", "accent")},
    )


def run(workspace: Workspace) -> None:
    """Show the interface on ``workspace`` until the person leaves. Needs a terminal: see ``terminal``."""
    WorkbenchApp(workspace).run()
