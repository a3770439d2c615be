"""One progress line on stderr, on a terminal only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import click

from workbench.cli.output import narrate

if TYPE_CHECKING:
    from indexing.sync.first_index import FirstIndex
    from workbench.workspace.workspace import Workspace

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


class Counted(NamedTuple):
    """A line of progress of work that has no class of its own for it."""

    phase: str
    done: int
    total: int


class Bar:
    """One bar on stderr for each phase, on a terminal only; it wipes itself at the end."""

    def __init__(self) -> None:
        self._phase = ""
        self._bar: Any = None  # click gives the type of its bar no public name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Wipe the line, so that something else can be said."""
        if self._bar is not None:
            click.echo("\r\x1b[K\x1b[?25h", nl=False, err=True)
            self._bar = None

    def show(self, progress: ProgressLine) -> None:
        """Draw how far it is."""
        if not sys.stderr.isatty():
            return
        if self._bar is None or progress.phase != self._phase or progress.done < self._bar.pos:
            self.clear()
            self._phase = progress.phase
            self._bar = click.progressbar(
                length=progress.total, label=progress.phase, file=sys.stderr, width=_WIDTH
            )
        self._bar.length = progress.total
        self._bar.update(progress.done - self._bar.pos)
        self._bar.render_progress()  # `update` draws nothing where no step was done


def first_index_shown(place: Workspace) -> FirstIndex:
    """Indexes ``place`` by keywords for its first search: progress and what was done on stderr."""

    def build() -> None:
        from indexing.sync.first_index import first_index

        with Bar() as bar:
            first_index(place, bar.show)()
        narrate("there was no index: indexed by keywords; `workbench reindex` adds semantic search")

    return build
