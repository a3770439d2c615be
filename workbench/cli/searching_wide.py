"""Looking beyond one workspace: at all that are registered, and at a team leader's."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.output import narrate
from workbench.cli.places import AS_OF, moment
from workbench.cli.weighing import behind
from workbench.errors import UsageError
from workbench.memory.names import RelPath
from workbench.workspace.past import PastWorkspace
from workbench.workspace.registry import read_registry
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from workbench.recall.across import Across

_LEADER = "leader"
"""As ``workbench.recall.scopes`` marks what is the leader's."""


def across(as_of: str | None, *, words: bool, prepare: Callable[[Workspace], None]) -> Across:
    """All registered workspaces, as of a moment; ``prepare`` makes one ready to be searched.

    Raises UsageError where none is registered.
    """
    from workbench.recall.across import Across

    known = read_registry()
    for line in known.skipped:
        narrate(f"skipped in {known.path}: {line}")
    if not known.entries:
        raise UsageError("no workspace is registered", hint="`workbench workspaces add DIR`")
    then = as_of or click.get_current_context().meta.get(AS_OF)

    def opened(root: Path) -> Workspace:
        found = Workspace.open(root)
        if then is not None:
            from workbench.workspace.past import open_past

            try:
                past = open_past(found, moment(then))
            finally:
                found.close()
            narrate(f"{root}: as of {past.moment}")
            found = past
        prepare(found)
        return found

    return Across(known.entries, words=words, opener=opened, behind=behind)


@contextlib.contextmanager
def whose(path: str, place: Workspace) -> Iterator[tuple[Workspace, str]]:
    """The workspace and the path in it that ``path`` means: ``leader:…`` is in the leader's.

    A file of one's own that is called so goes before it.
    """
    mark, _, rest = path.partition(":")
    own = mark != _LEADER or _is_there(place, path.partition("#")[0])
    if own or not place.settings.team_leader or isinstance(place, PastWorkspace):
        yield place, path
        return
    from workbench.recall.scopes import open_leader  # not before it is needed: it brings the engines

    leader = open_leader(place)
    with contextlib.nullcontext() if leader is None else contextlib.closing(leader):
        yield (place, path) if leader is None else (leader, rest)


def _is_there(place: Workspace, path: str) -> bool:
    """Whether a file of memory is called so: a pattern alone (`*.md`) fits the leader's files too."""
    return place.layout.holds(path) and place.files.read_or_none(RelPath(path)) is not None
