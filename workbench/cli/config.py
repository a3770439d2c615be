"""Commands about how the workbench is set: every setting and where it comes from, and the keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import shell_values
from workbench.cli.health import FOUND_WANTING
from workbench.cli.output import answered, json_option, narrate, put, say
from workbench.cli.run_operation import act, dry_run_option
from workbench.cli.workspace_options import workspace
from workbench.errors import NoWorkspaceError, UsageError

if TYPE_CHECKING:
    from workbench.config.settings_report import SettingMessage, SettingsProblem, ToldSetting, ToldSettings
    from workbench.operations.edit_settings import Value

_shared_option = click.option(
    "--workspace-file", is_flag=True, help="In workbench.yaml, which is kept with the memory."
)


@click.group(invoke_without_command=True, short_help="Every setting, and where it comes from; change one.")
@click.option("--check", is_flag=True, help="Only what is wrong in the files; exit code 4 if anything is.")
@json_option
@click.pass_context
def config(ctx: click.Context, check: bool) -> None:
    """Every setting with its value and where it comes from: the default, your file, the workspace's.

    What a workspace's file says goes before your own; what could name a program, an endpoint or a key only
    your own file may say. Keys are never shown.
    """
    if ctx.invoked_subcommand is not None:
        return
    told = _told()
    if not answered(
        {
            "own": str(told.own),
            "workspace": str(told.workspace) if told.workspace else None,
            "settings": [] if check else [_setting_json(setting) for setting in told.settings],
            "problems": [_problem_json(problem) for problem in told.problems],
        }
    ):
        if not check:
            for setting in told.settings:
                say(f"{setting.name:24} {setting.shown:28} {_origin(setting)}".rstrip())
        for problem in told.problems:
            narrate(f"{problem.place}: {problem.text}")
            if problem.hint:
                narrate(f"  → {problem.hint}")
    if check and told.problems:
        raise click.exceptions.Exit(FOUND_WANTING)


@config.command(short_help="One setting in full.")
@click.argument("name", shell_complete=shell_values.settings)
@json_option
def show(name: str) -> None:
    """One setting: its value, its default, where it comes from, what it means."""
    setting = _told().of(name)
    if answered(_setting_json(setting)):
        return
    from workbench.config.settings_report import value_text

    say(f"{setting.name}: {setting.shown}", bold=True)
    say(setting.declared.doc)
    say(f"default  {value_text(name, setting.declared.default)}")
    say(f"from     {_origin(setting)}")
    for said in setting.also:
        say(f"also     {_said(said)}, which does not count")
    if setting.declared.unit:
        say(f"unit     {setting.declared.unit}")
    if choices := setting.declared.choices:
        say(f"may be   {', '.join(word or 'nothing' for word in choices)}")
    if setting.declared.user_only:
        say("only your own settings file may say it")


@config.command("set", short_help="Write a setting into your own file, or into the workspace's.")
@click.argument("name", shell_complete=shell_values.settings)
@click.argument("value", nargs=-1, required=True, shell_complete=shell_values.setting_values)
@_shared_option
@dry_run_option
@json_option
def set_(name: str, value: tuple[str, ...], workspace_file: bool, dry_run: bool) -> None:
    """Write a setting into your own file, at its place; comments and all else stay as they are.

    Several VALUEs make a list. With --workspace-file it is an operation, which `undo` takes back.
    """
    from workbench.operations.edit_settings import parse_value

    wanted = list(value) if len(value) > 1 else parse_value(name, value[0])
    _change(name, wanted, shared=workspace_file, dry_run=dry_run)


@config.command(short_help="Take a setting out of a file: what goes before it counts again.")
@click.argument("name", shell_complete=shell_values.settings)
@_shared_option
@dry_run_option
@json_option
def unset(name: str, workspace_file: bool, dry_run: bool) -> None:
    """Take a setting out of your own file, or of the workspace's; then what is behind it counts."""
    _change(name, None, shared=workspace_file, dry_run=dry_run)


@click.command(short_help="Every key of the interface; whether yours make sense.")
@click.option(
    "--profile",
    metavar="NAME",
    help="Start from this profile (default, vim) instead of yours.",
    shell_complete=shell_values.key_profiles,
)
@click.option("--check", is_flag=True, help="Only what is wrong in your file; exit code 4 if anything is.")
@json_option
def keys(profile: str | None, check: bool) -> None:
    """Every key of the interface, as a Markdown table: by your own file of keys, where there is one.

    That is `keys.toml` beside your settings file (or what WORKBENCH_KEYS names): `profile = "vim"`, and under
    `[keys]` lists of keys by action, as `promote = ["p", "f2"]`; `--json` shows the actions' names.
    """
    from screens.actions.key_file import load_keys
    from screens.actions.keymap import nearest
    from screens.actions.profiles import PROFILES
    from screens.actions.table import key_table, keys_json

    if profile is not None and profile not in PROFILES:
        hint = nearest(profile, PROFILES).removeprefix("; ") or f"there are {', '.join(PROFILES)}"
        raise UsageError(f"there is no profile {profile!r}", hint=hint)
    found = load_keys(profile=profile)
    problems = [
        {"line": one.line or None, "action": one.action or None, "text": one.text, "skipped": not one.note}
        for one in found.problems
    ]
    shown = [] if check else keys_json(found.map)
    if not answered(
        {"file": str(found.file.path), "profile": found.map.profile, "keys": shown, "problems": problems}
    ):
        if not check:
            put(key_table(found.map))
        for problem in found.problems:
            narrate(problem.told(str(found.file.path)))
        if check and not found.problems:
            say(
                f"{found.file.path}: all is well" if found.file.path.exists() else "no file of keys: defaults"
            )
    if check and found.wrong:
        raise click.exceptions.Exit(FOUND_WANTING)


def _change(name: str, value: Value | None, *, shared: bool, dry_run: bool) -> None:
    from screens.settings.checks import fit
    from workbench.config.settings import SECRET, user_settings_path
    from workbench.config.settings_report import value_text
    from workbench.operations.edit_settings import changed_bytes, check_value, plan_setting, set_own

    if shared:
        with workspace() as place:
            act(place, lambda: plan_setting(place, name, value, fit), dry_run=dry_run)
        return
    file = _workspace_file()
    if dry_run:
        from workbench.config.user_files import read_own

        path = user_settings_path()
        if value is not None:
            check_value(name, value, _told().effective(), path, fit)
        changed_bytes(path, read_own(path), name, value)
        words = value if isinstance(value, str) else ", ".join(value or ())
        shown = value_text(name, bool(value) if name in SECRET else words)
        say(
            f"would take {name} out of {path}"
            if value is None
            else f"would write {name}: {shown} into {path}"
        )
        return
    changed = set_own(name, value, workspace_file=file, check=fit)
    setting = _setting_json(changed.setting) if changed.setting else None
    if answered({"file": str(changed.path), "setting": setting, "overruled": changed.overruled or None}):
        return
    if changed.setting is not None:
        say(f"{name}: {changed.setting.shown}")
    narrate(f"written into {changed.path}" if value is not None else f"taken out of {changed.path}")
    if changed.overruled:
        narrate(f"it does not count here: {changed.overruled}")


def _told() -> ToldSettings:
    from workbench.config.settings_report import tell

    return tell(_workspace_file())


def _workspace_file() -> Path | None:
    """The settings file of the workspace that is meant, without opening it: it may be what is wrong."""
    from workbench.workspace.layout import SETTINGS_FILE
    from workbench.workspace.workspace import Workspace

    folder = click.get_current_context().find_root().obj
    if folder is not None:
        if not Path(folder).is_dir():
            raise NoWorkspaceError(f"{folder} is not a folder")
        return Path(folder) / SETTINGS_FILE
    try:
        return Workspace.nearest_root(".") / SETTINGS_FILE
    except NoWorkspaceError:
        return None


def _origin(setting: ToldSetting) -> str:
    if setting.variable:
        return f"{setting.origin}: {setting.variable}"
    return _said(setting.where) if setting.where else str(setting.origin)


def _said(said: SettingMessage) -> str:
    return f"{said.origin}: {said.path}:{said.line}"


def _setting_json(setting: ToldSetting) -> dict[str, Any]:
    where = setting.where
    return {
        "name": setting.name,
        "value": (True if setting.value else None) if setting.declared.secret else setting.value,
        "shown": setting.shown,
        "default": None if setting.declared.secret else setting.declared.default,
        "origin": setting.origin.name.lower(),
        "file": str(where.path) if where else None,
        "line": where.line if where else None,
        "variable": setting.variable or None,
        "also": [{"file": str(said.path), "line": said.line} for said in setting.also],
        "unit": setting.declared.unit or None,
        "user_only": setting.declared.user_only,
        "secret": setting.declared.secret,
        "doc": setting.declared.doc,
    }


def _problem_json(problem: SettingsProblem) -> dict[str, Any]:
    return {
        "file": str(problem.path),
        "line": problem.line or None,
        "name": problem.name or None,
        "text": problem.text,
        "hint": problem.hint or None,
    }
