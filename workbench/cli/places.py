"""Which workspace a command works on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import click

from workbench.workspace.workspace import Workspace


@contextlib.contextmanager
def workspace() -> Iterator[Workspace]:
    """The workspace that was asked for with ``-w``, else the nearest one; closed at the end."""
    folder = click.get_current_context().obj
    found = Workspace.open(folder) if folder else Workspace.nearest(".")
    try:
        yield found
    finally:
        found.close()
