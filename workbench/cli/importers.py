"""Bringing memory over from other systems."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any

import click

from workbench.cli.console import dry_run_option, group, narrate, word, workspace
from workbench.cli.operation_command import act
from workbench.errors import UsageError
from workbench.graph.drafts import USER
from workbench.importers.plan import ImportSource, known_items, plan_import
from workbench.plural import plural
from workbench.workspace.workspace import Workspace

_user = word("--user", "NAME", "The user to whom entries belong, if the source does not say.")
_FILE = click.Path(exists=True, path_type=Path)


@group("import")
def import_() -> None:
    """Import memory from OpenClaw, GoClaw or basic-memory.

    Each import is one operation that `workbench undo` reverts. Repeating an import adds only what is new or
    changed. Nothing is written into MEMORY.md.
    """


def _brings_over(read: Callable[..., ImportSource]) -> Any:
    """A command that imports, as one operation, what ``read`` finds for a workspace."""

    @wraps(read)
    def command(*, user: str = "", **given: Any) -> None:
        now = datetime.now(UTC)
        with workspace() as place:
            carried = read(place, **given)
            left = len(carried.left_out)
            lost = f", {left:,} that cannot be imported" if left else ""
            narrate(f"{plural(len(carried.items), 'item')} to import{lost}")
            act(place, lambda: plan_import(place, carried, now=now, user=user or USER))

    return dry_run_option(command)


@import_.command()
@click.argument("file", type=_FILE, required=False)
@_brings_over
def openclaw_recalls(place: Workspace, file: Path | None) -> ImportSource:
    """Import what OpenClaw recalled, for dreaming's scores.

    Default of FILE: memory/.dreams/short-term-recall.json of this workspace."""
    from workbench.importers.openclaw_recalls import USUAL, read_recalls

    if file is None and not (place.root / USUAL).exists():
        raise UsageError("OpenClaw has not recorded any recalls here", hint=f"it writes them to {USUAL}")
    return read_recalls(place, file or place.root / USUAL)


@import_.command()
@click.argument("file", type=_FILE)
@_user
@_brings_over
def openclaw_cells(_: Workspace, file: Path) -> ImportSource:
    """Import OpenClaw's memory database: cells and scenes."""
    from workbench.importers.database import read_cells

    return read_cells(file, datetime.now(UTC).date())


@import_.command()
@click.argument("file", type=_FILE)
@_user
@_brings_over
def goclaw_graph(_: Workspace, file: Path) -> ImportSource:
    """Import a memory-graph file of GoClaw (SQLite)."""
    from workbench.importers.goclaw import read_memory_graph

    return read_memory_graph(file)


@import_.command()
@click.argument("source", metavar="FILE|postgresql://...")
@click.option("--agent", default="", help="Import the memory of this agent (key or id).")
@_user
@_brings_over
def goclaw(place: Workspace, source: str, agent: str) -> ImportSource:
    """Import GoClaw v3: a dump, a SQLite file or a server.

    The source is a plain pg_dump, the SQLite file of GoClaw Lite, or a running PostgreSQL server.

    What was imported from one of them is not imported again from another. The password of a server is read
    from ~/.pgpass or PGPASSWORD. The server is only read.
    """
    from workbench.importers.database import is_database
    from workbench.importers.goclaw import LABEL, carried_tables, read_dump, read_lite, read_postgres

    if source.startswith(("postgresql://", "postgres://")):
        tables = read_postgres(source)
    else:
        tables = read_lite(Path(source)) if is_database(Path(source)) else read_dump(Path(source))
    own = {known.path for known in known_items(place, LABEL).values()}
    taken = {file.path for file in place.scan()} - own
    return carried_tables(tables, agent=agent, taken=taken)


@import_.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@_brings_over
def basic_memory(_: Workspace, folder: Path) -> ImportSource:
    """Import a folder of notes: each becomes a graph page.

    The notes are those of basic-memory, and are copied unchanged."""
    from workbench.importers.basic_memory import read_notes

    return read_notes(folder)
