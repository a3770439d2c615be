"""The Settings screen: every setting with its value and origin, and all keys, to read and to change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input

from screens.actions.action import Action
from screens.actions.key_file import KeyProblem, LoadedKeys, key_map, load_keys, write_profile
from screens.actions.keymap import PROFILES
from screens.actions.keys import key_for, key_names
from screens.actions.registry import FocusContext, grouped_actions
from screens.dialogs.dialog import ChooseScreen
from screens.drawing.safe_text import (
    GAP,
    Lines,
    Row,
    RowPart,
    Tone,
    line_rows,
    piece,
    row_text,
    sentence,
    words,
)
from screens.frames.overlay_screen import Found, NarrowScreen, Services
from screens.main.request import Request
from screens.settings.checks import fit, theme_names
from screens.widgets.lines import NarrowLine
from workbench.config.settings import DECLARED
from workbench.config.settings_report import (
    ReportedSetting,
    SettingOrigin,
    SettingsProblem,
    SettingsReport,
    tell,
    value_text,
)
from workbench.errors import WorkbenchError
from workbench.operations.edit_settings import (
    SettingChange,
    Value,
    check_value,
    parse_value,
    plan_setting,
    set_own,
    target,
)
from workbench.workspace.layout import SETTINGS_FILE

SETTING, ACTION = "setting:", "action:"
"""How the ids of the rows of settings begin, and of the rows of actions."""
_NAME, _KEYS = 24, 16
_AREAS = {
    "Looks": ("theme",),
    "Memory": ("memory_", "include", "exclude", "extra_", "team_", "agent_"),
    "Sessions": ("transcript", "flush_", "context_", "episode_"),
    "Search": ("search_",),
    "What an agent is given": ("inject_",),
    "Dreaming": ("dream_",),
    "Vectors": ("model", "embedding_"),
    "Language model": ("language_",),
}
"""The headings, and how the names under them begin."""
_ORIGINS: dict[SettingOrigin, RowPart] = {
    SettingOrigin.DEFAULT: piece("default", "faint"),
    SettingOrigin.OWN: piece("yours", "accent"),
    SettingOrigin.WORKSPACE: piece("workspace", "match"),
    SettingOrigin.ENVIRONMENT: piece("environment", "warn"),
}


def setting_rows(told: SettingsReport, wanted: str = "") -> list[Row]:
    """Problems first, then the settings under their headings; only those with ``wanted`` in their text."""
    wrong = []
    for number, problem in enumerate(told.problems):
        where = f"{problem.path.name}:{problem.line}" if problem.line else problem.path.name
        row = Row(f"wrong:{number}", row_text(f"! {where}  {problem.text}"), tone="warn", of=problem)
        wrong.append((problem.text, row))
    rows = _under("Does not count", wrong, wanted)
    for area, starts in _AREAS.items():
        here = [
            (f"{one.name} {one.shown} {one.declared.doc} {one.origin} {area}", _setting_row(one))
            for one in told.settings
            if one.name.startswith(starts)
        ]
        rows += _under(area, here, wanted)
    return rows


def key_rows(keys: LoadedKeys, wanted: str = "") -> list[Row]:
    """Problems first, then the actions under their groups; only those with ``wanted`` in their text."""
    wrong = []
    for number, problem in enumerate(keys.problems):
        text = row_text(f"{'·' if problem.note else '!'} {problem.told(keys.path.name)}")
        row = Row(f"wrong:{number}", text, tone="muted" if problem.note else "warn")
        wrong.append((problem.text, row))
    rows = _under("In your file", wrong, wanted)
    for group, actions in grouped_actions():
        here = [
            (
                f"{one.id} {key_names(keys.map.of(one.id))} {one.label} {one.help} {group}",
                _action_row(one, keys),
            )
            for one in actions
        ]
        rows += _under(group, here, wanted)
    return rows


def _under(heading: str, every: Iterable[tuple[str, Row]], wanted: str) -> list[Row]:
    """The rows whose texts hold what is wanted, under their heading; nothing where none does."""
    needle = wanted.casefold().strip()
    rows = [row for text, row in every if needle in text.casefold()]
    head = Row(f"area:{heading}", words(heading), tone="head", inert=True)
    return [head, *rows] if rows else []


# -- settings ------------------------------------------------------------------------------------


def _setting_row(setting: ReportedSetting) -> Row:
    changed = setting.origin is not SettingOrigin.DEFAULT
    unit = f" {setting.declared.unit}" if setting.declared.unit and setting.shown[:1].isdigit() else ""
    return Row(
        f"{SETTING}{setting.name}",
        row_text(setting.shown + unit),
        tone="text" if changed else "muted",
        lead=(piece(setting.name.ljust(_NAME), "head" if changed else "text"),),
        tail=(_ORIGINS[setting.origin],),
        of=setting,
    )


def setting_facts(setting: ReportedSetting, themes: Sequence[str] = (), refusal: str | None = None) -> Lines:
    """Everything about one setting: value, default, origin, meaning, and what a change would do."""
    declared = setting.declared
    choices = choices_of(setting.name, themes)
    yield f"{setting.name}: {setting.shown}", "head"
    yield declared.doc, "text"
    yield GAP
    yield f"Default: {value_text(setting.name, declared.default)}", "muted"
    yield f"Unit: {declared.unit}" if declared.unit else "", "muted"
    yield "May be: " + ", ".join(word or "(nothing)" for word in choices) if choices else "", "muted"
    where = f"{setting.where.path}, line {setting.where.line}" if setting.where else "the default"
    origin = f"{setting.variable} in the environment" if setting.variable else where
    yield f"From: {origin}", _ORIGINS[setting.origin].tone
    for said in setting.also:
        yield f"Also set in {said.path}, line {said.line}; the value above wins", "faint"
    yield GAP
    if declared.secret:
        yield "It is never shown, not even while you type: better set it in the file with an editor.", "warn"
    yield from _ways(setting, refusal)


def _ways(setting: ReportedSetting, refusal: str | None) -> Lines:
    change, shared, reset = (key_for(name) for name in ("change_setting", "change_shared", "reset_setting"))
    if target(setting) is SettingOrigin.WORKSPACE:
        yield f"{change} changes it in workbench.yaml, which sets it and overrides your file", "muted"
    else:
        yield f"{change} changes it in your own file", "muted"
    if setting.declared.user_only:
        yield "Only your own file may set it: a workspace's file is untrusted", "faint"
    elif refusal:
        yield f"{shared} would change it in workbench.yaml, but not now: {refusal}", "faint"
    elif target(setting) is SettingOrigin.OWN:
        yield f"{shared} sets it in workbench.yaml, for everybody who works with this memory", "faint"
    if setting.origin in (SettingOrigin.OWN, SettingOrigin.WORKSPACE):
        yield f"{reset} removes it again", "muted"


def choices_of(name: str, themes: Sequence[str]) -> tuple[str, ...]:
    """The few words that a setting may be; empty where it is anything else."""
    return tuple(themes) if name == "theme" else DECLARED[name].choices


def problem_details(problem: SettingsProblem) -> list[Row]:
    """One thing that does not count, whole."""
    where = f"{problem.path}, line {problem.line}" if problem.line else str(problem.path)
    until = "It is ignored until it is corrected."
    return line_rows([(where, "head"), (problem.text, "warn"), (problem.hint, "muted"), (until, "faint")])


# -- keys ----------------------------------------------------------------------------------------


def _action_row(action: Action, keys: LoadedKeys) -> Row:
    """With why a key of the person's file does not count."""
    names = key_names(keys.map.of(action.id)) or "no key"
    skipped = next((problem.text for problem in keys.wrong if problem.action == action.id), "")
    text = row_text(f"{action.label}  ! {skipped}") if skipped else words(action.label)
    tail: tuple[RowPart, ...] = ()
    if any(wish.action == action.id for wish in keys.wishes):
        tail = (piece("yours", "accent"),)
    elif action.id in PROFILES[keys.map.profile]:
        tail = (piece(keys.map.profile, "faint"),)
    return Row(
        f"{ACTION}{action.id}",
        text,
        emphasis=((len(action.label), len(text), "warn"),) if skipped else (),
        lead=(piece(names.ljust(_KEYS), "match"),),
        tail=tail,
        of=action,
    )


def action_facts(action: Action, keys: LoadedKeys) -> Lines:
    """Everything about the keys of one action."""
    file, profile = keys.path, keys.map.profile
    profiled, _ = key_map(profile)
    yield f"{action.label}: {key_names(keys.map.of(action.id)) or 'no key'}", "head"
    yield action.help, "text"
    yield GAP
    yield f"Name in keys.toml: {action.id}", "muted"
    yield f"In the profile {profile}: {key_names(profiled.of(action.id)) or 'no key'}", "muted"
    yield "Where: " + ", ".join(sorted(action.places)), "muted"
    for wish in keys.wishes:
        if wish.action == action.id:
            yield f"Yours: {file}, line {wish.line}: {' '.join(wish.keys) or 'no key'}", "accent"
    for problem in keys.problems:
        if problem.action == action.id:
            yield problem.text, "muted" if problem.note else "warn"
    yield GAP
    yield f"{key_for('change_setting')} opens {file} in your editor", "muted"
    yield f'There, under [keys]: {action.id} = ["ctrl+x", "F5"], or [] for no key', "muted"
    yield f"{key_for('key_profile')} starts from another profile: {', '.join(PROFILES)}", "muted"


_ONLY_SETTINGS = "this is for settings"
_MOST_SKIPPED = 3
"""Keys that do not count and are named in a toast; the page names all of them."""
_TURNED = 2
"""Choices up to which a key turns to the next one; of more one is chosen in a list."""


class SettingsScreen(NarrowScreen):
    """Two pages, settings and keys, with details beside each row.

    Settings are changed in place, keys in the person's editor.
    """

    PLACES = (FocusContext.SETTINGS, FocusContext.ENTERING)
    LEAVES = "settings"

    def __init__(self, services: Services) -> None:
        super().__init__(services, "Settings", "filter")
        self.told: SettingsReport | None = None
        self.keys: LoadedKeys | None = None
        self.entry = NarrowLine(id="settings-entry")
        """The line that a value is typed in."""
        self._typed_for: ReportedSetting | None = None
        """The setting whose value is typed, to be written into the workspace's file where it is shared."""
        self._typed_shared = False
        self._themes: tuple[str, ...] = ()
        self._on_keys = False
        self._file = services.workspace.root / SETTINGS_FILE

    def compose_list(self) -> ComposeResult:
        """The line to type a value in stands under the list."""
        yield from super().compose_list()
        yield self.entry

    def reload(self) -> None:
        """Read them again."""
        self.load(partial(asyncio.to_thread, self._read), self._show, "settings")

    def files_changed(self) -> None:
        """Memory is no setting: whoever types here is not disturbed."""

    def _read(self) -> tuple[SettingsReport, LoadedKeys, tuple[str, ...]]:
        return tell(self._file), load_keys(), theme_names()

    def _show(self, read: tuple[SettingsReport, LoadedKeys, tuple[str, ...]]) -> None:
        self.told, self.keys, self._themes = read
        self.draw()

    def draw(self) -> None:
        """Show the page, as far as the filter lets it; the cursor stays on its row."""
        if self.told is None or self.keys is None:
            return
        wanted = self.input.value
        rows = key_rows(self.keys, wanted) if self._on_keys else setting_rows(self.told, wanted)
        found = next((row.id for row in rows if row.id.startswith((ACTION, SETTING))), None)
        empty = f"nothing matches: {key_for('back')} clears the filter"
        self.show_rows(rows, go_to=found if self.typing else None, empty=empty)
        page = f"Keys · profile {self.keys.map.profile}" if self._on_keys else "Settings"
        self.entitle(f"{page} · {wanted}" if wanted else page)
        self.look_behind()

    # -- where the person is ---------------------------------------------------------------------

    @property
    def place(self) -> FocusContext:
        """On a list, or in the line that a value is typed in."""
        return FocusContext.ENTERING if self.focused is self.entry else FocusContext.SETTINGS

    @property
    def setting(self) -> ReportedSetting | None:
        """The setting under the cursor."""
        return of if isinstance(of := self.list.of, ReportedSetting) else None

    def why(self) -> Mapping[str, str]:
        """What stands in the way of actions, by their ids."""
        if self._on_keys:
            return {"change_shared": _ONLY_SETTINGS, "reset_setting": _ONLY_SETTINGS}
        found = {"key_profile": f"this is for keys: {key_for('settings_page')} shows them"}
        setting = self.setting
        if setting is None:
            changes = ("change_setting", "change_shared", "reset_setting")
            return found | dict.fromkeys(changes, "select a setting first")
        if setting.declared.user_only:
            found["change_shared"] = "only your own file may set this: a workspace's file is untrusted"
        elif refusal := self.services.refusal():
            found["change_shared"] = refusal
            if target(setting) is SettingOrigin.WORKSPACE:
                found["change_setting"] = found["reset_setting"] = refusal
        if setting.origin is SettingOrigin.DEFAULT:
            found["reset_setting"] = "it is already the default"
        elif setting.origin is SettingOrigin.ENVIRONMENT and not setting.also:
            found["reset_setting"] = f"{setting.variable} in the environment sets it"
        return found

    def on_descendant_focus(self) -> None:
        """Other keys count now."""
        self.show_hints()

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """All there is to know of it."""
        if isinstance(row.of, Action) and self.keys:
            return line_rows(action_facts(row.of, self.keys))
        if isinstance(row.of, ReportedSetting):
            return line_rows(setting_facts(row.of, self._themes, self.services.refusal()))
        if isinstance(row.of, SettingsProblem):
            return problem_details(row.of)
        return line_rows([(row.text, row.tone)])

    def show_behind(self, told: Sequence[Row]) -> None:
        """Show it; while a value is typed, what becomes of that stands there, also where a file changes."""
        if self._typed_for is None:
            super().show_behind(told)

    # -- keys ------------------------------------------------------------------------------------

    action_settings_filter = NarrowScreen.action_narrow

    def action_settings_page(self) -> None:
        """Between the settings and the keys."""
        self._on_keys = not self._on_keys
        self.draw()
        self.list.go(0)

    def action_open(self) -> None:
        """Change it, where that can be done."""
        if reason := self.why().get("change_setting"):
            self.warn(sentence(reason))
        else:
            self.action_change_setting()

    def action_change_setting(self) -> None:
        """Change it in place: the next of a few words, or a line to type in; keys in the editor."""
        if self._on_keys:
            self.action_edit_keys()
        elif setting := self.setting:
            self._change(setting, shared=target(setting) is SettingOrigin.WORKSPACE)

    def action_change_shared(self) -> None:
        """Change it in the workspace's own file."""
        if setting := self.setting:
            self._change(setting, shared=True)

    def action_reset_setting(self) -> None:
        """Take it out of the file that says it."""
        if setting := self.setting:
            self._write(setting.name, None, shared=target(setting) is SettingOrigin.WORKSPACE)

    def action_edit_keys(self) -> None:
        """Open keys.toml in the editor."""
        self.app.keying.edit(self.app)
        self.reload()

    def action_key_profile(self) -> None:
        """The next profile of keys."""
        found = self.keys
        if found is None:
            return
        names = list(PROFILES)
        profile = names[(names.index(found.map.profile) + 1) % len(names)]

        def write() -> Sequence[KeyProblem]:
            write_profile(found.path, profile)
            return load_keys().wrong

        def written(skipped: Sequence[KeyProblem]) -> None:
            said = [f"Keys: profile {profile}", *(problem.text for problem in skipped[:_MOST_SKIPPED])]
            self.say(*said, severity="warning" if skipped else "information")
            self.app.keying.read_again(self.app)
            self.reload()

        self._carry_out(write, written)

    # -- changing --------------------------------------------------------------------------------

    def _change(self, setting: ReportedSetting, *, shared: bool) -> None:
        choices = choices_of(setting.name, self._themes)
        if len(choices) > _TURNED:
            self._offer(setting, choices, shared=shared)
        elif choices:
            at = choices.index(str(setting.value)) if setting.value in choices else -1
            self._write(setting.name, choices[(at + 1) % len(choices)], shared=shared)
        else:
            self._begin_typing(setting, shared=shared)

    def _offer(self, setting: ReportedSetting, choices: Sequence[str], *, shared: bool) -> None:
        def chosen(word: str) -> None:
            if word != setting.value:
                self._write(setting.name, word, shared=shared)

        now = (piece("now", "accent"),)
        rows = [
            Row(word, row_text(word or "(nothing)"), tail=now if word == setting.value else ())
            for word in choices
        ]
        self.ask(ChooseScreen(f"New value of {setting.name}", rows, at=str(setting.value)), chosen)

    def _begin_typing(self, setting: ReportedSetting, *, shared: bool) -> None:
        """Let the value be typed, beginning with what it is."""
        self._typed_for, self._typed_shared = setting, shared
        entry = self.entry
        entry.password = setting.declared.secret
        is_list = isinstance(setting.declared.default, tuple)
        entry.placeholder = "a, b, c" if is_list else setting.declared.unit or setting.name
        entry.display = True
        entry.value = setting.typed
        entry.cursor_position = len(entry.value)
        self.set_focus(entry)
        self._consider()

    @on(Input.Changed, "#settings-entry")
    def _consider(self) -> None:
        """Say beside the list whether what is typed can be taken."""
        setting, told = self._typed_for, self.told
        if setting is None or told is None:
            return
        lines: list[tuple[str, Tone]]
        try:
            self._typed_value(setting, told)
        except WorkbenchError as error:
            lines = [(f"! {error.message}", "warn"), (error.hint, "muted")]
        else:
            file = told.workspace if self._typed_shared else told.own
            lines = [(f"{key_for('enter_setting')} writes it into {file}", "good")]
        self.behind.show([*line_rows([*lines, GAP], "entry"), *line_rows(setting_facts(setting))])
        self.behind.jump(0)

    def _typed_value(self, setting: ReportedSetting, told: SettingsReport) -> Value:
        """What is typed. Raises WorkbenchError where it cannot be written."""
        value = parse_value(setting.name, self.entry.value)
        check_value(setting.name, value, told.effective())
        return value

    def action_enter_setting(self) -> None:
        """Write what was typed, once it is valid."""
        setting, told = self._typed_for, self.told
        if setting and told:
            with suppress(WorkbenchError):
                value = self._typed_value(setting, told)
                self.action_leave_setting()
                self._write(setting.name, value, shared=self._typed_shared)

    def action_leave_setting(self) -> None:
        """Leave the line; what was typed is gone."""
        self._typed_for = None
        self.entry.display = False
        self.entry.value = ""
        self.set_focus(self.list)

    def _write(self, name: str, value: Value | None, *, shared: bool) -> None:
        if shared:
            self.services.do(
                Request(
                    action="configure",
                    planner=lambda workspace, _: plan_setting(workspace, name, value, fit),
                )
            )
            return

        def written(changed: SettingChange) -> None:
            setting = changed.setting
            shown = setting.shown if setting else ""
            done = f"{name}: {shown}" if value is not None else f"{name} is removed: {shown}"
            self.say(done, changed.overruled)
            if setting and setting.name == "theme":
                self.app.theming.use(str(setting.value))
            self.reload()

        write = partial(set_own, name, value, workspace_file=self._file, check=fit)
        self._carry_out(write, written)

    def _carry_out(self, write: Callable[[], Found], written: Callable[[Found], object]) -> None:
        """Each change is made and told, also where the next one begins before it is done."""

        def not_written(error: Exception) -> None:
            self.say_failure(error)
            self.reload()

        do = partial(asyncio.to_thread, write)
        self.load(do, written, "write", failed=not_written, exclusive=False)
