"""The command about looks: themes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli import shell_values
from workbench.cli.output import (
    answered,
    json_option,
    narrate,
    put,
    say,
    say_json,
    wants_json,
)
from workbench.errors import UsageError

if TYPE_CHECKING:
    from themes import ThemeData

FOUND_WANTING = 4


@click.command()
@click.option(
    "--check",
    metavar="FILE",
    help="Whether this theme can be used, and read.",
    shell_complete=shell_values.files,
)
@click.option(
    "--show",
    metavar="NAME",
    help="Print a theme: a start for one of your own.",
    shell_complete=shell_values.themes,
)
@json_option
def themes(check: str | None, show: str | None) -> int:
    """The themes of the interface; your own are files in `themes/` beside your settings.

    Print one that comes with it to begin with, change its name and its colours, and save it there: an open
    interface follows each save. `--check` says what cannot be used or not be read well, with exit code 4.
    """
    if check is not None and show is not None:
        raise UsageError("--check and --show are two questions", hint="ask one of them")
    if check is not None:
        return _check(Path(check))
    if show is not None:
        return _show(show)
    return _list()


def _list() -> int:
    from themes import BUILT_IN, load_themes, own_folder

    found, problems = load_themes((BUILT_IN, own_folder()))
    if not answered({"themes": [_facts(theme) for theme in found], "problems": problems}):
        width = max(len(theme.name) for theme in found)
        for theme in found:
            own = theme.path is not None and theme.path.parent != BUILT_IN
            ground = "terminal" if theme.terminal else "dark" if theme.dark else "light"
            say(f"{theme.name.ljust(width)}  {ground.ljust(8)}  {theme.label}{'  (yours)' if own else ''}")
        for problem in problems:
            narrate(f"skipped: {problem}")
        narrate(f"to keep one: `workbench config set theme NAME`; your own: {own_folder()}")
    return FOUND_WANTING if problems else 0


def _facts(theme: ThemeData) -> dict[str, object]:
    return {
        "name": theme.name,
        "label": theme.label,
        "dark": theme.dark,
        "terminal": theme.terminal,
        "path": str(theme.path),
        "colors": dict(theme.colors),
    }


def _show(name: str) -> int:
    from themes import BUILT_IN, load_themes, own_folder

    found, _ = load_themes((BUILT_IN, own_folder()))
    theme = next((theme for theme in found if theme.name == name), None)
    if theme is None or theme.path is None:
        known = ", ".join(theme.name for theme in found)
        raise UsageError(f"there is no theme {name}", hint=f"there are {known}")
    if not answered(_facts(theme)):
        say(theme.path.read_text(encoding="utf-8").rstrip("\n"))
        if theme.path.parent == BUILT_IN:
            narrate(f"for one of your own, save this under another name in {own_folder()}")
    return 0


def _check(path: Path) -> int:
    from themes import ThemeError, read_theme
    from themes.theme_check import faults

    name = ""
    try:
        theme = read_theme(path)
    except ThemeError as error:
        found = [str(error)]
    else:
        name, found = theme.name, faults(theme)
    if wants_json():
        say_json({"file": str(path), "usable": bool(name), "problems": found})
    elif found:
        for problem in found:
            say(problem)
    else:
        put(f"{name} can be used, and read")
    return FOUND_WANTING if found else 0
