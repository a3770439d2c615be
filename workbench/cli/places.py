"""Which workspace a command works on, and as of when."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import click

from workbench.cli.output import narrate
from workbench.workspace.workspace import Workspace

AS_OF = "workbench.as_of"
"""Under this key a command's context keeps the moment that was asked for with ``--as-of``."""


@contextlib.contextmanager
def workspace() -> Iterator[Workspace]:
    """The workspace that was asked for with ``-w``, else the nearest one; closed at the end.

    With ``--as-of`` it is the workspace of that moment, and cannot be changed.
    """
    found = opened(click.get_current_context().obj)
    try:
        yield found
    finally:
        found.close()


def opened(folder: Path | str | None) -> Workspace:
    """The workspace in ``folder``, else the nearest one, as of the moment that was asked for."""
    found = Workspace.open(folder) if folder else Workspace.nearest(".")
    moment = click.get_current_context().meta.get(AS_OF)
    if moment is None:
        return found
    from workbench.workspace.past import open_past

    try:
        past = open_past(found, moment)
    finally:
        found.close()
    narrate(f"as of {past.moment}")
    return past
