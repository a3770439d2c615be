"""Looking beyond one workspace: at all that are registered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.output import narrate_row
from workbench.cli.ranking_options import behind
from workbench.cli.workspace_options import AS_OF, moment
from workbench.errors import UsageError
from workbench.workspace.late_lines import carry_late
from workbench.workspace.registry import read_registry
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from workbench.agent.federated_search import Across


def across(as_of: str | None, *, words: bool, prepare: Callable[[Workspace], None]) -> Across:
    """All registered workspaces, as of a moment; ``prepare`` makes one ready to be searched.

    Raises UsageError where none is registered.
    """
    from workbench.agent.federated_search import Across

    known = read_registry()
    for line in known.skipped:
        narrate_row(f"skipped in {known.path}: {line}")
    if not known.entries:
        raise UsageError("no workspace is registered", hint="`workbench workspaces add DIR`")
    then = as_of or click.get_current_context().meta.get(AS_OF)

    def opened(root: Path) -> Workspace:
        found = Workspace.open(root)
        if then is None:
            carry_late(found)
        if then is not None:
            from workbench.workspace.snapshot import open_past

            try:
                past = open_past(found, moment(then))
            finally:
                found.close()
            narrate_row(f"{root}: as of {past.moment}")
            found = past
        prepare(found)
        return found

    return Across(known.entries, words=words, opener=opened, behind=behind)
