"""What the shell is offered while a value is typed. Nothing here fails, writes, or asks a network.

Names of files come from a workspace, which is untrusted, and a shell takes what it is offered into its line
as it stands: a name with any character that a shell could read as more than a letter is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from workbench.errors import WorkbenchError
from workbench.safety.terminal import visible

Offer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
_PLAIN = re.compile(r"[\w./+@%=,-]+")
_MOST = 500
"""More than this nobody reads, and the shell would take long to lay them out."""


def _quietly(names: Callable[[click.Context], Iterable[CompletionItem]]) -> Offer:
    """Those of ``names`` that begin as typed; none where they cannot be found out."""

    @wraps(names)
    def offer(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            fitting = [item for item in names(ctx) if item.value.startswith(incomplete)]
        except (WorkbenchError, OSError, ValueError):
            return []
        return [item for item in fitting if _PLAIN.fullmatch(item.value)][:_MOST]

    return offer


def folders(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete a folder."""
    return [CompletionItem(incomplete, type="dir")]


def files(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete a file."""
    return [CompletionItem(incomplete, type="file")]


@_quietly
def memory_paths(ctx: click.Context) -> Iterable[CompletionItem]:
    """The memory files of the workspace that the line names, else of the nearest one."""
    from workbench.workspace.workspace import Workspace

    named = ctx.find_root().params.get("workspace")
    place = Workspace.open(_folder(str(named))) if named else Workspace.nearest(".")
    try:
        return [CompletionItem(file.path) for file in place.scan()]
    finally:
        place.close()


def workspaces(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of registered workspaces; where none begins so, let the shell complete a folder."""
    return registered(ctx, parameter, incomplete) or folders(ctx, parameter, incomplete)


@_quietly
def registered(_: click.Context) -> Iterable[CompletionItem]:
    """The names of registered workspaces, each with its folder."""
    from workbench.workspace.registry import read_registry

    return [
        CompletionItem(entry.name, help=visible(str(entry.root), one_line=True))
        for entry in read_registry().entries
    ]


@_quietly
def themes(_: click.Context) -> Iterable[CompletionItem]:
    """The themes that there are, one's own among them."""
    return [CompletionItem(name) for name in _themes()]


@_quietly
def settings(_: click.Context) -> Iterable[CompletionItem]:
    """The names of all settings, each with what it is."""
    from workbench.config.settings import DECLARED

    return [CompletionItem(name, help=declared.doc) for name, declared in sorted(DECLARED.items())]


@_quietly
def setting_values(ctx: click.Context) -> Iterable[CompletionItem]:
    """What the setting that was typed before may be, where that is one of a few words."""
    from workbench.config.settings import DECLARED

    name = str(ctx.params.get("name"))
    declared = DECLARED.get(name)
    words = _themes() if name == "theme" else declared.choices if declared else ()
    return [CompletionItem(word) for word in words if word]


@_quietly
def key_profiles(_: click.Context) -> Iterable[CompletionItem]:
    """The sets of keys to start from."""
    from screens.actions.profiles import PROFILES

    return [CompletionItem(name) for name in PROFILES]


def _folder(named: str) -> Path:
    """The folder that ``-w`` names. The line was not expanded by the shell, so ``~`` is still in it."""
    from workbench.workspace.registry import resolved

    return Path(resolved(str(Path(named).expanduser()))[0])


def _themes() -> Iterable[str]:
    from themes import BUILT_IN, load_themes, own_folder

    return (theme.name for theme in load_themes((BUILT_IN, own_folder()))[0])
