"""Which workspace a command works on, and as of when."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.output import narrate, narrate_row

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace

_READS = frozenset(
    {
        *("status", "get", "search", "log", "show", "blame", "recent", "list", "stats"),
        *("inject", "bulletin", "mcp", "connect", "context"),
    }
)
"""Commands that only read: they, and the agent's hooks, go on where a value in the settings is wrong."""
_TOLD = "workbench.told"
"""Under this key, what of the settings was told to be passed over."""
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


def opened(folder: Path | str | None, *, anyhow: bool = False) -> Workspace:
    """The workspace in ``folder``, else the nearest one, as of the moment that was asked for.

    ``anyhow``: also where its settings are wrong. What of them was passed over is told on stderr, once.
    """
    from workbench.workspace.workspace import Workspace

    context = click.get_current_context()
    lenient = context.info_name in _READS and not context.params.get("commit")
    if folder:
        found = Workspace.open(folder, anyhow=anyhow, lenient=lenient)
    else:
        found = Workspace.nearest(".", anyhow=anyhow, lenient=lenient)
    tell_skipped(found)
    asked = context.meta.get(AS_OF)
    if asked is None:
        bring_up_to_date(found)
        return found
    from workbench.workspace.snapshot import open_past

    try:
        past = open_past(found, moment(asked))
    finally:
        found.close()
    narrate(f"as of {past.moment}")
    return past


def tell_skipped(place: Workspace) -> None:
    """Say on stderr what of its settings was passed over, each once."""
    told = click.get_current_context().meta.setdefault(_TOLD, set())
    for problem in place.skipped:
        if problem not in told:
            told.add(problem)
            narrate_row(f"workbench: {problem.row}; it does not count")


def bring_up_to_date(place: Workspace) -> None:
    """Add what programs wrote into replaced files to their files; say what has to wait."""
    if not (place.cache_dir() / "displaced").is_dir():
        return
    from workbench.workspace.late_lines import carry_late, late_in, late_sentences

    carry_late(place)
    for sentence in late_sentences([late for late in late_in(place) if late.text]):
        narrate(f"waiting: {sentence}")


def meant(text: str, *, may_be_new: bool = False) -> str:
    """The folder that ``text`` names: a folder, else a registered workspace. Raises NoWorkspaceError."""
    from workbench.workspace.registry import resolved

    folder, said = resolved(text, may_be_new=may_be_new)
    if said:
        narrate(said)
    return folder


def moment(text: str) -> str:
    """A moment as a person writes it; of days in words (``last march``) the last one, ``2026-03-31``."""
    from indexing.search.snapshot_index import moment_named

    return moment_named(text, date.today())
