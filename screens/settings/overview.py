"""Every setting with its value and where it comes from, and the keys: to look at, and to change in place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from screens.actions.active import key_for
from screens.actions.key_file import Keys, load_keys, write_profile
from screens.actions.keymap import PROFILES, KeyProblem
from screens.actions.registry import Context, FocusContext, bindings, is_bound
from screens.dialogs.choose import ChooseScreen
from screens.drawing.rows import Row
from screens.drawing.safe_text import Shown, row_text, words
from screens.frames.browse import BrowseScreen
from screens.frames.services import Desk
from screens.main.request import Request
from screens.settings.checks import fit, theme_names
from screens.settings.key_rows import ACTION, action_details, key_rows
from screens.settings.setting_rows import (
    SETTING,
    choice_rows,
    choices_of,
    detail_rows,
    problem_details,
    setting_rows,
)
from screens.settings.value_input import EntryLine
from screens.widgets.query_input import QueryInput
from workbench.config.settings_report import SettingOrigin, ToldSetting, ToldSettings, tell
from workbench.errors import WorkbenchError
from workbench.operations.edit_settings import Changed, Value, plan_setting, set_own, target
from workbench.workspace.layout import SETTINGS_FILE

if TYPE_CHECKING:
    from screens.app import WorkbenchApp

_ONLY_SETTINGS = "this is for settings"
_MOST_SKIPPED = 3
"""Keys that do not count and are named in a toast; the page names all of them."""
_TURNED = 2
"""Choices up to which a key turns to the next one; of more one is chosen in a list."""


class SettingsScreen(BrowseScreen):
    """Two pages, settings and keys; beside each row all there is to know of it.

    Settings are changed in place, keys in the person's editor.
    """

    PLACE = FocusContext.SETTINGS
    LEAVES = "settings"
    BESIDE = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(FocusContext.SETTINGS, FocusContext.ENTERING)]

    class Told(Message):
        """The files were read."""

        def __init__(self, told: ToldSettings, keys: Keys, themes: tuple[str, ...]) -> None:
            super().__init__()
            self.told = told
            self.keys = keys
            self.themes = themes

    class Written(Message):
        """One of the person's own files was written; ``changed`` says which setting, None for the keys."""

        def __init__(self, said: Shown, changed: Changed | None, skipped: Sequence[KeyProblem] = ()) -> None:
            super().__init__()
            self.said = said
            self.changed = changed
            self.skipped = skipped
            """What of the person's keys does not count now."""

    class Failed(Message):
        """Nothing was written, and why."""

        def __init__(self, error: Exception) -> None:
            super().__init__()
            self.error = error

    def __init__(self, desk: Desk) -> None:
        super().__init__(words("Settings"))
        self.desk = desk
        self.told: ToldSettings | None = None
        self.keys: Keys | None = None
        self.filter = QueryInput(placeholder="filter", compact=True, classes="narrow", id="settings-filter")
        self.entry = EntryLine()
        self._themes: tuple[str, ...] = ()
        self._on_keys = False
        self.filter.display = False
        self.commands |= {
            "open": self._change,
            "settings_page": self._turn,
            "settings_filter": self._filter,
            "change_setting": self._change,
            "change_shared": lambda: self._change(shared=True),
            "reset_setting": self._reset,
            "edit_keys": self._edit_keys,
            "key_profile": self._next_profile,
            "enter_setting": self._take,
            "leave_setting": self._leave_line,
            "undo": lambda: self.desk.do(Request(action="undo")),
            "redo": lambda: self.desk.do(Request(action="redo")),
        }

    def compose_body(self) -> ComposeResult:
        """The filter, the list, the line to type a value in; beside them what is known of the row."""
        with Container(id="browse-body"):
            with Vertical(id="browse-top") as frame:
                frame.border_title = Content(self._title)
                yield self.filter
                yield self.list
                yield self.entry
            with Vertical(id="browse-below"):
                yield from self.compose_behind()

    def on_mount(self) -> None:
        """Read the files."""
        super().on_mount()
        self.reload()

    def reload(self) -> None:
        """Read them again."""
        self.work(self._read, "settings", exclusive=True)

    def files_changed(self) -> None:
        """Memory is no setting: whoever types here is not disturbed."""

    async def _read(self) -> None:
        try:
            file = self.desk.workspace.root / SETTINGS_FILE
            told, keys, themes = await asyncio.to_thread(lambda: (tell(file), load_keys(), theme_names()))
        except Exception as error:
            self.list.show(self.failed(error))
            return
        self.post_message(self.Told(told, keys, themes))

    def on_settings_screen_told(self, message: SettingsScreen.Told) -> None:
        """Show them; the cursor stays on its row."""
        self.told, self.keys, self._themes = message.told, message.keys, message.themes
        self.draw()

    def draw(self) -> None:
        """Show the page, as far as the filter lets it."""
        wanted = self.filter.value
        self.list.empty = words(f"nothing holds these words: {key_for('back')} takes the filter away")
        rows: list[Row] = []
        if self._on_keys and self.keys is not None:
            rows = key_rows(self.keys, wanted)
        elif self.told is not None:
            rows = setting_rows(self.told, wanted)
        found = next((row.id for row in rows if row.id.startswith((ACTION, SETTING))), None)
        self.list.show(rows, go_to=found if self.focused is self.filter else None)
        page = f"Keys · profile {self.keys.map.profile}" if self._on_keys and self.keys else "Settings"
        self.query_one("#browse-top").border_title = Content(page + (f" · {wanted}" if wanted else ""))
        self.show_place()
        self.show_hints()
        if self.list.row is not None:
            self.work(partial(self._look, self.list.row), "behind", exclusive=True)
        else:
            self.nothing_behind()

    # -- where the person is ---------------------------------------------------------------------

    @property
    def place(self) -> FocusContext:
        """On a list, or in a line of text."""
        return FocusContext.ENTERING if self.focused in (self.filter, self.entry) else FocusContext.SETTINGS

    @property
    def setting(self) -> ToldSetting | None:
        """The setting under the cursor."""
        row = self.list.row
        if row is None or self.told is None or not row.id.startswith(SETTING):
            return None
        return self.told.of(row.id.removeprefix(SETTING))

    def context(self) -> Context:
        """What decides which actions are possible now."""
        return Context(
            place=self.place,
            row=self.list.row,
            reading=self._reading,
            refusal=self.desk.refusal(),
            why=self._why(),
        )

    def _why(self) -> dict[str, str]:
        if self._on_keys:
            return {"change_shared": _ONLY_SETTINGS, "reset_setting": _ONLY_SETTINGS}
        found = {"key_profile": f"this is for keys: {key_for('settings_page')} shows them"}
        setting = self.setting
        if setting is None:
            first = "put the cursor on a setting first"
            return {**found, "change_setting": first, "change_shared": first, "reset_setting": first}
        if setting.declared.user_only:
            found["change_shared"] = "only your own file may say this: a workspace's comes from anybody"
        elif refusal := self.desk.refusal():
            found["change_shared"] = refusal
            if target(setting) is SettingOrigin.WORKSPACE:
                found["change_setting"] = found["reset_setting"] = refusal
        if setting.origin is SettingOrigin.DEFAULT:
            found["reset_setting"] = "it is the default already"
        elif setting.origin is SettingOrigin.ENVIRONMENT and not setting.also:
            found["reset_setting"] = f"{setting.variable} in the environment says it"
        return found

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In a line of text, keys that are text are text."""
        if action != "perform":
            return True
        action_id, key = map(str, parameters)
        return is_bound(action_id, key, self.place)

    def on_descendant_focus(self) -> None:
        """Other keys count now."""
        self.show_hints()

    # -- what is behind a row --------------------------------------------------------------------

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """All there is to know of it."""
        if self._on_keys and self.keys is not None:
            if row.id.startswith(ACTION):
                return action_details(row.id.removeprefix(ACTION), self.keys)
            return [Row("fact:0", row.text, tone=row.tone)]
        if self.told is None:
            return ()
        if row.id.startswith(SETTING):
            return detail_rows(self.told.of(row.id.removeprefix(SETTING)), self._themes, self.desk.refusal())
        return problem_details(self.told.problems[int(row.id.partition(":")[2])])

    def show_behind(self, row: Row, rows: Sequence[Row]) -> None:
        """Show it; while a value is typed, what becomes of that stands there, also where a file changes."""
        if self.entry.setting is None:
            super().show_behind(row, rows)

    # -- the filter ------------------------------------------------------------------------------

    def _filter(self) -> None:
        self.filter.display = True
        self.set_focus(self.filter)

    @on(Input.Changed, "#settings-filter")
    def _filtered(self, event: Input.Changed) -> None:
        event.stop()
        self.draw()

    def _turn(self) -> None:
        self._on_keys = not self._on_keys
        self.draw()
        self.list.go(0)

    def back(self) -> None:
        """Out of reading, out of the filter, else out."""
        if not self._reading and self.filter.value:
            self._no_filter()
        else:
            super().back()

    def _no_filter(self) -> None:
        self.filter.value = ""
        self.filter.display = False
        self.set_focus(self.list)
        self.draw()

    # -- changing --------------------------------------------------------------------------------

    def _change(self, *, shared: bool = False) -> None:
        reason = self._why().get("change_shared" if shared else "change_setting")
        if reason:
            self.desk.say(row_text(reason[:1].upper() + reason[1:]), "warning")
        elif self._on_keys:
            self._edit_keys()
        elif (setting := self.setting) is not None and self.told is not None:
            shared = shared or target(setting) is SettingOrigin.WORKSPACE
            choices = choices_of(setting.name, self._themes)
            if len(choices) > _TURNED:
                self._offer(setting, choices, shared=shared)
            elif choices:
                at = choices.index(str(setting.value)) if setting.value in choices else -1
                self._write(setting.name, choices[(at + 1) % len(choices)], shared=shared)
            else:
                self.entry.begin(setting, self.told, shared=shared)
                self.set_focus(self.entry)

    def _offer(self, setting: ToldSetting, choices: Sequence[str], *, shared: bool) -> None:
        def chosen(word: str | None) -> None:
            if word is not None and word != setting.value:
                self._write(setting.name, word, shared=shared)

        rows = choice_rows(setting, choices)
        title, hint = words(f"{setting.name} shall be …"), "type to narrow"
        dialog = ChooseScreen(title, rows, lambda _: (), placeholder=hint, at=str(setting.value))
        self.app.push_screen(dialog, chosen)

    def _take(self) -> None:
        if self.focused is self.filter:
            self.set_focus(self.list)
            return
        setting, value = self.entry.setting, self.entry.valid()
        if setting is not None and value is not None:
            shared = self.entry.shared
            self._leave_line()
            self._write(setting.name, value, shared=shared)

    def _leave_line(self) -> None:
        if self.focused is self.filter:
            self._no_filter()
            return
        self.entry.end()
        self.set_focus(self.list)

    @on(EntryLine.Considered)
    def _considered(self, message: EntryLine.Considered) -> None:
        """Say beside the list whether what is typed can be taken."""
        self.behind.show(message.rows)
        self.behind.jump(0)

    def _reset(self) -> None:
        if (setting := self.setting) is not None:
            self._write(setting.name, None, shared=target(setting) is SettingOrigin.WORKSPACE)

    def _write(self, name: str, value: Value | None, *, shared: bool) -> None:
        if shared:
            self.desk.do(
                Request(
                    action="configure",
                    planner=lambda workspace, _: plan_setting(workspace, name, value, fit),
                )
            )
            return
        file = self.desk.workspace.root / SETTINGS_FILE

        def write() -> SettingsScreen.Written:
            changed = set_own(name, value, workspace_file=file, check=fit)
            shown = changed.setting.shown if changed.setting else ""
            done = f"{name}: {shown}" if value is not None else f"{name} is taken out: {shown}"
            overruled = changed.overruled
            return self.Written(row_text(f"{done}\n{overruled}" if overruled else done), changed)

        self.work(partial(self._written, write), "write")

    async def _written(self, write: Callable[[], SettingsScreen.Written]) -> None:
        try:
            self.post_message(await asyncio.to_thread(write))
        except Exception as error:
            self.post_message(self.Failed(error))

    def on_settings_screen_written(self, message: SettingsScreen.Written) -> None:
        """Say it, let it count where that is possible at once, and read the files again."""
        app = cast("WorkbenchApp", self.app)
        skipped = "\n".join(row_text(problem.text) for problem in message.skipped[:_MOST_SKIPPED])
        self.desk.say(
            words(f"{message.said}\n{skipped}") if skipped else message.said,
            "warning" if skipped else "information",
        )
        setting = message.changed.setting if message.changed is not None else None
        if message.changed is None:
            app.keying.read_again(app)
        elif setting is not None and setting.name == "theme":
            app.use_theme(str(setting.value))
        self.reload()

    def on_settings_screen_failed(self, message: SettingsScreen.Failed) -> None:
        """Say why."""
        error = message.error
        if isinstance(error, WorkbenchError):
            self.desk.say(row_text(f"{error.message}. {error.hint}".removesuffix(" ")), "warning")
        else:
            self.desk.say(row_text(f"{type(error).__name__}: {error}"), "error")
        self.reload()

    # -- keys ------------------------------------------------------------------------------------

    def _edit_keys(self) -> None:
        app = cast("WorkbenchApp", self.app)
        app.keying.edit(app)
        self.reload()

    def _next_profile(self) -> None:
        found = self.keys
        if found is None:
            return
        names = list(PROFILES)
        profile = names[(names.index(found.map.profile) + 1) % len(names)]

        def write() -> SettingsScreen.Written:
            write_profile(found.file.path, profile)
            return self.Written(words(f"Keys: profile {profile}"), None, load_keys().wrong)

        self.work(partial(self._written, write), "write")
