"""Commands about how the workbench is set: every setting and where it comes from, the keys, the themes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from screens.settings.checks import fit
from themes import BUILT_IN, ThemeData, ThemeError, Themes, own_folder, read_theme
from workbench.cli import shell_values
from workbench.cli.console import (
    FOUND_WANTING,
    answered,
    attributes,
    command,
    dry_run_option,
    flag,
    given,
    group,
    json_option,
    named,
    narrate,
    put,
    say,
    say_fields,
    word,
    workspace,
)
from workbench.cli.operation_command import act
from workbench.config.settings_report import ReportedSetting, SettingMessage, tell, value_text
from workbench.errors import NoWorkspaceError, UsageError
from workbench.operations.edit_settings import Value, parse_value, plan_setting, set_own
from workbench.workspace.layout import SETTINGS_FILE
from workbench.workspace.workspace import Workspace

_shared_option = flag("--workspace-file", "Change workbench.yaml, which is stored with the memory.", "shared")
_check_option = flag("--check", "Only report errors in your file; the exit code is 4 if there are any.")


@group(invoke_without_command=True)
@_check_option
@json_option
@click.pass_context
def config(ctx: click.Context, check: bool) -> int:
    """Show every setting with its value and origin: the default, your file or the workspace's file.

    The workspace's file takes precedence over yours. Settings that could name a program, an endpoint or a key
    are allowed in your own file only. Keys are never shown.
    """
    if ctx.invoked_subcommand is not None:
        return 0
    told = tell(_workspace_file())
    settings = [] if check else told.settings
    problems = [
        {
            "file": problem.path,
            "line": problem.line or None,
            "name": problem.name or None,
            "text": problem.text,
            "hint": problem.hint or None,
        }
        for problem in told.problems
    ]
    shown = {
        "own": told.own,
        "workspace": told.workspace,
        "settings": [_setting_json(setting) for setting in settings],
        "problems": problems,
    }
    if not answered(shown):
        for setting in settings:
            say(f"{setting.name:24} {setting.shown:28} {_origin(setting)}".rstrip())
        for problem in told.problems:
            narrate(f"{problem.place}: {problem.text}")
            if problem.hint:
                narrate(f"  → {problem.hint}")
    return FOUND_WANTING if check and problems else 0


@config.command()
@named("name", "NAME", shell_values.settings)
def show(name: str) -> None:
    """Show one setting in full.

    Its value, default, origin and meaning."""
    setting = tell(_workspace_file()).of(name)
    if answered(_setting_json(setting)):
        return
    declared = setting.declared
    say(f"{setting.name}: {setting.shown}", bold=True)
    say(declared.doc)
    say_fields(
        ("default", value_text(name, declared.default)),
        ("from", _origin(setting)),
        *(("also", f"{_said(said)}, which is ignored") for said in setting.also),
        ("unit", declared.unit),
        ("may be", ", ".join(each or "nothing" for each in declared.choices)),
        width=8,
    )
    if declared.user_only:
        say("only your own settings file may set it")


@config.command("set")
@named("name", "NAME", shell_values.settings)
@named("value", "VALUE...", shell_values.setting_values)
@_shared_option
@dry_run_option
def set_(name: str, value: tuple[str, ...], shared: bool) -> None:
    """Set a setting in your own file, or in the workspace's.

    Comments and everything else in the file stay as they are.

    Several VALUEs make a list. With --workspace-file the change is an operation that can be undone.
    """

    _change(name, list(value) if len(value) > 1 else parse_value(name, value[0]), shared)


@config.command()
@named("name", "NAME", shell_values.settings)
@_shared_option
@dry_run_option
def unset(name: str, shared: bool) -> None:
    """Remove a setting from a file.

    Then the other file or the default counts. The file is your own, or the workspace's with
    --workspace-file."""
    _change(name, None, shared)


def _change(name: str, value: Value | None, shared: bool) -> None:
    if shared:
        with workspace() as place:
            act(place, lambda: plan_setting(place, name, value, fit))
        return
    dry_run = given("dry_run")
    changed = set_own(name, value, workspace_file=_workspace_file(), check=fit, dry_run=dry_run)
    if dry_run and value is None:
        say(f"would take {name} out of {changed.path}")
        return
    if dry_run:
        words = value if isinstance(value, str) else ", ".join(value or ())
        say(f"would write {name}: {value_text(name, words)} into {changed.path}")
        return
    setting = changed.setting
    told = {
        "file": changed.path,
        "setting": _setting_json(setting) if setting else None,
        "overruled": changed.overruled or None,
    }
    if answered(told):
        return
    if setting is not None:
        say(f"{name}: {setting.shown}")
    narrate(f"{'taken out of' if value is None else 'written into'} {changed.path}")
    if changed.overruled:
        narrate(f"it has no effect here: {changed.overruled}")


def _workspace_file() -> Path | None:
    """The settings file of the workspace that is meant, without opening it: it may be what is wrong."""

    folder = click.get_current_context().find_root().obj
    if folder is not None:
        if not Path(folder).is_dir():
            raise NoWorkspaceError(f"{folder} is not a folder")
        return Path(folder) / SETTINGS_FILE
    try:
        return Workspace.nearest_root(".") / SETTINGS_FILE
    except NoWorkspaceError:
        return None


def _origin(setting: ReportedSetting) -> str:
    if setting.variable:
        return f"{setting.origin}: {setting.variable}"
    return _said(setting.where) if setting.where else str(setting.origin)


def _said(said: SettingMessage) -> str:
    return f"{said.origin}: {said.path}:{said.line}"


def _setting_json(setting: ReportedSetting) -> dict[str, Any]:
    where, declared = setting.where, setting.declared
    return {
        **attributes(setting, "name", "shown"),
        "value": (True if setting.value else None) if declared.secret else setting.value,
        "default": None if declared.secret else declared.default,
        "origin": setting.origin.name.lower(),
        "file": where.path if where else None,
        "line": where.line if where else None,
        "variable": setting.variable or None,
        "also": [{"file": said.path, "line": said.line} for said in setting.also],
        "unit": declared.unit or None,
        **attributes(declared, "user_only", "secret", "doc"),
    }


@command()
@word(
    "--profile",
    "NAME",
    "Use this profile (default, vim) instead of yours.",
    default=None,
    offer=shell_values.key_profiles,
)
@_check_option
def keys(profile: str | None, check: bool) -> int:
    """Print every key of the interface as a Markdown table, including your own keys.

    Your own keys are in `keys.toml`, next to your settings file (or in the file that WORKBENCH_KEYS names):
    `profile = "vim"`, and under `[keys]` a list of keys for each action, for example `promote = ["p", "f2"]`.
    `--json` shows the names of the actions.
    """
    from screens.actions.key_file import load_keys
    from screens.actions.keymap import PROFILES, nearest
    from screens.actions.registry import key_table, keys_json

    if profile is not None and profile not in PROFILES:
        hint = nearest(profile, PROFILES).removeprefix("; ") or f"there are {', '.join(PROFILES)}"
        raise UsageError(f"there is no profile {profile!r}", hint=hint)
    found = load_keys(profile=profile)
    path = found.path
    told = {
        "file": path,
        "profile": found.map.profile,
        "keys": [] if check else keys_json(found.map),
        "problems": [
            {
                "line": one.line or None,
                "action": one.action or None,
                "text": one.text,
                "skipped": not one.note,
            }
            for one in found.problems
        ],
    }
    if not answered(told):
        if not check:
            put(key_table(found.map))
        elif not found.problems:
            say(f"{path}: no problems" if path.exists() else "no keys file: defaults")
        for problem in found.problems:
            narrate(problem.told(str(path)))
    return FOUND_WANTING if check and found.wrong else 0


@config.command()
@word("--check", "FILE", "Check a theme file for errors and poor contrast.", offer=shell_values.files)
@word("--show", "NAME", "Print a theme, to start your own from.", offer=shell_values.themes)
def themes(check: str, show: str) -> int:
    """List the themes of the interface.

    Your own are files in `themes/`, next to your settings file. To make your own, print one with --show,
    change its name and colours, and save it there. A running interface reloads it after each save. `--check`
    reports errors and poor contrast, with exit code 4.
    """
    if check and show:
        raise UsageError("--check and --show exclude each other", hint="use one of them")
    if check:
        return _check_theme(Path(check))
    loaded = Themes()
    found, problems = list(loaded.by_name.values()), loaded.problems
    if show:
        _show_theme(show, found)
        return 0
    if not answered({"themes": [_theme_json(theme) for theme in found], "problems": problems}):
        width = max(len(theme.name) for theme in found)
        for theme in found:
            ground = "terminal" if theme.terminal else "dark" if theme.dark else "light"
            own = "" if _comes_along(theme) else "  (yours)"
            say(f"{theme.name.ljust(width)}  {ground.ljust(8)}  {theme.label}{own}")
        for problem in problems:
            narrate(f"skipped: {problem}")
        narrate(f"to keep one: `workbench config set theme NAME`; your own: {own_folder()}")
    return FOUND_WANTING if problems else 0


def _theme_json(theme: ThemeData) -> dict[str, object]:
    shown = attributes(theme, "name", "label", "dark", "terminal", "path")
    return {**shown, "colors": dict(theme.colors)}


def _comes_along(theme: ThemeData) -> bool:
    return theme.path is None or theme.path.parent == BUILT_IN


def _show_theme(name: str, found: list[ThemeData]) -> None:
    theme = next((theme for theme in found if theme.name == name), None)
    if theme is None or theme.path is None:
        known = ", ".join(theme.name for theme in found)
        raise UsageError(f"there is no theme {name}", hint=f"there are {known}")
    if answered(_theme_json(theme)):
        return
    say(theme.path.read_text(encoding="utf-8").rstrip("\n"))
    if _comes_along(theme):
        narrate(f"for one of your own, save this under another name in {own_folder()}")


def _check_theme(path: Path) -> int:
    from themes.contrast import faults

    name = ""
    try:
        theme = read_theme(path)
        name, found = theme.name, faults(theme)
    except ThemeError as error:
        found = [str(error)]
    if not answered({"file": path, "usable": bool(name), "problems": found}):
        put(f"{name} is valid and readable") if not found else say("\n".join(found))
    return FOUND_WANTING if found else 0
