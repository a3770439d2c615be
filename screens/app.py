"""The application: themes, the main screen, and an orderly end.

The terminal is given back however the program ends, within a limited time even if something hangs.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import ClassVar

from rich.console import RenderableType
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.command import CommandPalette, Provider
from textual.driver import Driver
from textual.filter import LineFilter
from textual.geometry import Size
from textual.notifications import Notification, SeverityLevel
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import Worker

from screens.actions.availability import FocusContext
from screens.actions.keys import key_for
from screens.actions.registry import action_at
from screens.frames.action_screen import Work
from screens.jobs.running_jobs import toasts_above_work
from screens.main.garbage_collection import GarbageCollection
from screens.main.key_bindings import EscapeKeys, KeyFileReader
from screens.main.screen import MainScreen
from screens.main.theme_control import NO_COLORS, ThemeControl, css_colors
from screens.workspaces.switch import WorkspaceSwitch
from workbench.plural import plural
from workbench.workspace.locks import is_holding
from workbench.workspace.workspace import Workspace

_TWICE_SECONDS = 2.0
_TOASTS = 2
_LOW = 24
"""Lines of a terminal below which two toasts would hide the preview."""
_PATIENCE_SECONDS = 10.0
"""What an operation that is being written may take to become whole once the terminal is gone."""
_END_SECONDS = 1.0
"""What children and threads may take to end by themselves after the person left."""
_LOOK_SECONDS = 0.05
_ENDS = ("SIGTERM", "SIGHUP")


def _commands() -> type[Provider]:
    from screens.main.palette import Commands  # noqa: PLC0415 - not before the first paint

    return Commands


MIN_WIDTH, MIN_HEIGHT = 40, 12


class TooSmall(Static):
    """Lies over all of a screen; what is under it stays as it is."""

    def __init__(self) -> None:
        said = f"This terminal is too small: {MIN_WIDTH} x {MIN_HEIGHT} is the minimum."
        super().__init__(said, markup=False)


class WorkbenchApp(App[None]):
    """Memory Workbench in a terminal."""

    TITLE = "Memory Workbench"
    CSS_PATH: ClassVar[list[str | PurePath]] = [
        "main.tcss",
        "review/review.tcss",
        "graph/neighbourhood.tcss",
        "context/given.tcss",
        "health/overview.tcss",
        "settings/overview.tcss",
        "jobs/working.tcss",
    ]
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_commands}
    COMMAND_PALETTE_BINDING = "ctrl+p"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "quit", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", "suspend", show=False),
    ]
    ENABLE_SELECT_AUTO_SCROLL = False

    def __init__(
        self,
        workspace: Workspace,
        *,
        engines: bool = True,
        tidying: GarbageCollection | None = None,
        proposed: int = 0,
    ) -> None:
        """``tidying`` has begun where it is given. How many were ``proposed`` is told at the start."""
        self.theming = ThemeControl()
        self.keying = KeyFileReader()
        self.tidying = tidying or GarbageCollection()
        super().__init__()
        self._engines = engines
        self._proposed = proposed
        self.take_up(workspace)
        self.theming.prepare(self)
        self._is_small = False
        self.apart = EscapeKeys(self)
        self.switching = WorkspaceSwitch(self)
        self._interrupted = float("-inf")

    def take_up(self, workspace: Workspace, at: str = "") -> MainScreen:
        """The main screen of ``workspace``, which is the one from now on; it is not shown by that.

        The cursor goes to the address ``at`` once the files have been read.
        """
        self.workspace = workspace
        self.main = MainScreen(workspace, super().on_event, engines=self._engines, at=at)
        return self.main

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The roles of a theme, so that the style sheet is complete before a theme is chosen."""
        return css_colors(self.theming.first)

    def refresh_css(self, animate: bool = True) -> None:
        """Parse and apply the style sheets again, but not for the colours that they have already."""
        # Not public: what the sheets were parsed with, and which screens have the newest styles.
        if self.get_css_variables() != self.stylesheet._variables:
            super().refresh_css(animate=animate)
            return
        for screen in self.screen_stack:
            screen._css_update_count = self._css_update_count

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What all that is painted goes through; Textual would turn colours into greys."""
        return NO_COLORS if self.no_color else super().get_line_filters()

    def get_driver_class(self) -> type[Driver]:
        """What reads the terminal; in a browser and on Windows that is Textual's own."""
        found = super().get_driver_class()
        if found.__module__ != "textual.drivers.linux_driver":
            return found
        from screens.driver import TerminalDriver  # noqa: PLC0415 - cannot be imported on every system

        return TerminalDriver

    def get_default_screen(self) -> MainScreen:
        """The one screen that is always there."""
        return self.main

    def on_mount(self) -> None:
        """Choose the theme that the settings name; say what is wrong with the keys."""
        self.theming.begin()
        _listen(self)
        self.screen_change_signal.subscribe(self, lambda _: self._fit(self.size))
        self._fit(self.size)
        self.keying.tell_skipped(self)
        self.tidying.started()
        if self._proposed:
            proposals = plural(self._proposed, "proposal")
            self.main.say(f"{proposals} of a dream: {key_for('review')} reviews them")

    async def on_event(self, event: events.Event) -> None:
        """Every key, and what is pasted, comes by here first and may have to wait for what it acts on."""
        if self._is_unseen(event) or self.switching.stops(event):
            return
        if isinstance(event, (events.Key, events.Paste)) and not self.screen_stack:
            return  # pressed behind the one that left
        if isinstance(event, events.Key):
            self.tidying.pressed()
            self.keying.bind(self.screen)
            first = self.apart.first(event)
            if first is None:
                return
            if first is not event:
                await self.on_event(first)
                self.apart.esc_is_on_its_way()
                return
        if not (
            isinstance(event, (events.Key, events.Paste))
            and not event.is_forwarded
            and self.main.key_queue.takes(event)
        ):
            await super().on_event(event)

    def on_command_palette_closed(self, event: CommandPalette.Closed) -> None:
        """Nothing was chosen in it."""
        if not event.option_selected:
            self.main.forget_refusal()

    def on_resize(self, event: events.Resize) -> None:
        """Too small for any screen, or large enough again."""
        self._fit(event.size)

    def _fit(self, size: Size) -> None:
        """Cover what is open where no screen has room, or uncover it."""
        before, self._is_small = self._is_small, size.width < MIN_WIDTH or size.height < MIN_HEIGHT
        if before or self._is_small:
            for screen in self.screen_stack:
                screen.call_later(self._cover, screen)  # behind its own beginning, where it has only come

    def _cover(self, screen: Screen[object]) -> None:
        covers = screen.query_children(TooSmall)
        if not self._is_small:
            covers.remove()
        elif not covers and screen.is_attached:
            screen.mount(TooSmall())

    def _is_unseen(self, event: events.Event) -> bool:
        """Whether it is typed at what cannot be seen; the ways out are open."""
        if not self._is_small:
            return False
        if isinstance(event, events.Key) and not event.is_forwarded:
            leaves = self.screen is self.main and self.main.place is FocusContext.PANE
            return event.key != "ctrl+c" and not (
                leaves and action_at(event.key, FocusContext.PANE) == "quit"
            )
        return isinstance(event, events.Paste)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Textual's own key for the palette is nobody's: an action opens it, on the keys of the key map."""
        if action == "command_palette":
            return False
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
        """A toast, never markup: the same one is not shown twice, and no more than two at a time.

        Where there are few lines it is one at a time, and as wide as it needs to be short.
        """
        low = self.size.height < _LOW
        if self.screen_stack:
            self.screen.set_class(low, "-low", update=False)  # a toast that comes is given its styles anyway
            toasts_above_work(self.screen)
        showing = list(self._notifications)  # not public, as is ``_unnotify``: Textual only clears them all
        said = (message, title, severity)
        if any((note.message, note.title, note.severity) == said for note in showing):
            return
        self._end_toasts(showing[: len(showing) + 1 - (1 if low else _TOASTS)])
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=False)

    def withdraw_toast(self, message: str) -> None:
        """Take away the toast that says this: it is true no more."""
        self._end_toasts([note for note in self._notifications if note.message == message])

    def _end_toasts(self, over: Sequence[Notification]) -> None:
        for note in over:
            self._unnotify(note, refresh=False)
            if self.screen_stack:
                # With what holds it, which Textual would leave there, one line high.
                self.screen.query(f"#--textual-toast-{note.identity}").remove()

    def work(self, work: Work, group: str) -> None:
        """Start a worker that goes on whatever screen is looked at."""
        _: Worker[None] = self.run_worker(work, group=group, exit_on_error=False)

    def action_interrupt(self) -> None:
        """ctrl+c: once asks, twice leaves."""
        now = time.monotonic()
        if now - self._interrupted < _TWICE_SECONDS:
            self.exit()
            return
        self._interrupted = now
        what = ""
        if self.main.drafts.unsaved:
            kept = self.main.drafts.keep_all()
            what = "; what you typed is kept" if kept else " without what you typed"
        self.main.say(f"ctrl+c again quits{what}")

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Leave, whoever asked for it: what is typed and not saved is kept first."""
        _end_in_time(self, return_code)
        self.main.drafts.keep_all()
        super().exit(result, return_code, message)

    async def on_unmount(self) -> None:
        """End children and threads; wait for an action that is being written."""
        await self.main.end()
        await self.switching.close()


# -- the end -------------------------------------------------------------------------------------


def _listen(app: WorkbenchApp) -> None:
    """End ``app`` as by its own key when the system asks for it; paint all of it when it is resumed."""
    if app.is_headless or app.is_web:
        return
    loop = asyncio.get_running_loop()
    for name in _ENDS:
        if number := getattr(signal, name, None):
            loop.add_signal_handler(number, _end, app, int(number))
    app.app_resume_signal.subscribe(app, lambda _: app.call_later(_repaint, app))


def _end_in_time(app: WorkbenchApp, code: int) -> None:
    """End the process soon with this exit code, whatever hangs: what is being written is waited for."""
    if not app.is_headless:
        threading.Thread(target=_end_anyhow, args=(app, code), name="ending", daemon=True).start()


def _end_anyhow(app: WorkbenchApp, code: int) -> None:
    time.sleep(_END_SECONDS)
    last = time.monotonic() + _PATIENCE_SECONDS
    while is_holding() and time.monotonic() < last:
        time.sleep(_LOOK_SECONDS)
    # Not public: an application has no other way to its driver.
    give_back = getattr(app._driver, "give_back", None)
    if give_back is not None:
        give_back()
    _end_children()
    os._exit(code)


def _end_children() -> None:
    """What waits for ever would go on doing so when nobody waits for it any more."""
    import psutil  # noqa: PLC0415 - hardly ever needed

    with contextlib.suppress(psutil.Error):
        for child in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                child.terminate()


def _end(app: WorkbenchApp, number: int) -> None:
    # A terminal that is gone may never answer, and who reads from it may outlive the event loop.
    last = threading.Timer(_PATIENCE_SECONDS, os._exit, (128 + number,))
    last.daemon = True
    last.start()
    app.exit(return_code=128 + number)


def _repaint(app: WorkbenchApp) -> None:
    for screen in app.screen_stack:
        screen.refresh(layout=True)
