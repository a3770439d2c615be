"""One progress line on stderr, on a terminal only."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Protocol, Self

import click

from workbench.cli.output import narrate

if TYPE_CHECKING:
    from indexing.sync.first_index import FirstIndex
    from workbench.workspace.workspace import Workspace

_REDRAW_SECONDS = 0.1
_WIDTH = 24


class ProgressLine(Protocol):
    """How far long work is: ``done`` of ``total`` units of a phase; 0 of 0 where none are counted."""

    @property
    def phase(self) -> str:
        """What is being done."""

    @property
    def done(self) -> int:
        """Units that are done."""

    @property
    def total(self) -> int:
        """Units that there are."""


class Bar:
    """Draws the phase, a bar, the rate and the time left; wipes itself at the end."""

    def __init__(self) -> None:
        self._shown = False
        self._phase = ""
        self._since = 0.0
        self._drawn = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Wipe the line, so that something else can be said."""
        if self._shown:
            click.echo("\r\x1b[K", nl=False, err=True)
            self._shown = False

    def show(self, progress: ProgressLine) -> None:
        """Draw, at most ten times a second."""
        now = time.monotonic()
        if progress.phase != self._phase:
            self._phase, self._since, self._drawn = progress.phase, now, 0.0
        if not sys.stderr.isatty() or now - self._drawn < _REDRAW_SECONDS:
            return
        self._drawn, self._shown = now, True
        text: str = progress.phase
        if progress.total:
            filled = _WIDTH * progress.done // progress.total
            rate = progress.done / max(now - self._since, 1e-6)
            left = (progress.total - progress.done) / rate if rate else 0
            bar = "█" * filled + "░" * (_WIDTH - filled)
            text += f" {bar} {progress.done:,}/{progress.total:,} · {rate:,.0f}/s · {left:.0f} s left"
        click.echo(f"\r\x1b[K{text}", nl=False, err=True)


def first_index_shown(place: Workspace) -> FirstIndex:
    """Indexes ``place`` by keywords for its first search: progress and what was done on stderr."""

    def build() -> None:
        from indexing.sync.first_index import first_index

        with Bar() as bar:
            first_index(place, bar.show)()
        narrate("there was no index: indexed by keywords; `workbench reindex` adds semantic search")

    return build
