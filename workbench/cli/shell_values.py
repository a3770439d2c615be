"""What the shell is offered while a value is typed. Nothing here fails, writes, or asks a network.

Names of files come from a workspace, which is untrusted, and a shell takes what it is offered into its line
as it stands. So a name is left out if it has a character that a shell could read as more than a letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import wraps
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from workbench.errors import WorkbenchError
from workbench.safety.terminal import visible_line

Offer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
_PLAIN = re.compile(r"[\w./+@%=,-]+")
_MOST = 500
"""More than this nobody reads, and the shell would take long to lay them out."""


def _quietly(names: Callable[[click.Context], Iterable[CompletionItem | str]]) -> Offer:
    """Those of ``names`` that begin as typed; none where they cannot be found out."""

    @wraps(names)
    def offer(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            found = [CompletionItem(one) if isinstance(one, str) else one for one in names(ctx)]
        except (WorkbenchError, OSError, ValueError):
            return []
        return [one for one in found if one.value.startswith(incomplete) and _PLAIN.fullmatch(one.value)][
            :_MOST
        ]

    return offer


def folders(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete a folder."""
    return [CompletionItem(incomplete, type="dir")]


def files(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete a file."""
    return [CompletionItem(incomplete, type="file")]


@_quietly
def memory_paths(ctx: click.Context) -> Iterable[str]:
    """The memory files of the workspace that the line names, else of the nearest one."""
    from workbench.workspace.registry import resolved
    from workbench.workspace.workspace import Workspace

    # The line was not expanded by the shell, so ``~`` is still in it.
    named = ctx.find_root().params.get("workspace")
    folder = named and resolved(str(Path(named).expanduser()))[0]
    with closing(Workspace.open(folder or Workspace.nearest_root("."))) as place:
        return [file.path for file in place.scan()]


def workspaces(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of registered workspaces; where none begins so, let the shell complete a folder."""
    return registered(ctx, parameter, incomplete) or folders(ctx, parameter, incomplete)


@_quietly
def registered(_: click.Context) -> Iterable[CompletionItem]:
    """The names of registered workspaces, each with its folder."""
    from workbench.workspace.registry import read_registry

    return [
        CompletionItem(entry.name, help=visible_line(str(entry.root))) for entry in read_registry().entries
    ]


@_quietly
def themes(_: click.Context) -> Iterable[str]:
    """The themes that there are, one's own among them."""
    return _themes()


@_quietly
def settings(_: click.Context) -> Iterable[CompletionItem]:
    """The names of all settings, each with what it is."""
    from workbench.config.settings import DECLARED

    return [CompletionItem(name, help=declared.doc) for name, declared in sorted(DECLARED.items())]


@_quietly
def setting_values(ctx: click.Context) -> Iterable[str]:
    """What the setting that was typed before may be, where that is one of a few words."""
    from workbench.config.settings import DECLARED

    name = str(ctx.params.get("name"))
    if name == "theme":
        return _themes()
    return filter(None, DECLARED[name].choices) if name in DECLARED else ()


@_quietly
def key_profiles(_: click.Context) -> Iterable[str]:
    """The sets of keys to start from."""
    from screens.actions.keymap import PROFILES

    return PROFILES


def _themes() -> Iterable[str]:
    from themes import Themes

    return Themes().by_name
