"""Whose memory a command reads: one's own, or by the mark ``leader:`` that of the team's leader."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from workbench.cli.workspace_options import workspace
from workbench.errors import UsageError
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import LEADER_MARK, Workspace

if TYPE_CHECKING:
    from workbench.history.blame import LineOrigin
    from workbench.history.lineage import LineageStep
    from workbench.history.origin import Origin

_Asked = TypeVar("_Asked", str, "str | None")


@dataclass(frozen=True, slots=True)
class Whose:
    """The workspace that is read, and what is written before its addresses; nothing for one's own."""

    place: Workspace
    mark: str = ""

    def address(self, address: str) -> str:
        """``address``, or a path, as this person may give it to the next command."""
        return self.mark + address

    def step(self, step: LineageStep) -> LineageStep:
        """A step of an entry's history, its addresses so that they can be given to the next command."""
        return replace(step, before=self._each(step.before), after=self._each(step.after))

    def line(self, line: LineOrigin) -> LineOrigin:
        """A line of a file, likewise."""
        entry = self.address(line.entry) if line.entry else None
        return replace(line, entry=entry, origin=self.origin(line.origin) if line.origin else None)

    def origin(self, origin: Origin) -> Origin:
        """Where an entry comes from, likewise: its source is marked where that is a file of theirs."""
        source = origin.source
        if source and self.place.layout.may_curate(source.partition("#")[0]):
            source = self.address(source)
        return replace(origin, source=source)

    def as_json(self) -> dict[str, str]:
        """What an answer about the leader's says of it, as a hit of a search does; of one's own nothing."""
        return {"scope": self.mark.rstrip(":"), "root": str(self.place.root)} if self.mark else {}

    def _each(self, addresses: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(self.address, addresses))


@contextlib.contextmanager
def whose(asked: _Asked) -> Iterator[tuple[Whose, _Asked]]:
    """Whose memory ``asked`` means, opened, and what it is called there: ``leader:…`` is in the leader's.

    A file of one's own that is called so goes before it. Raises UsageError where the leader's cannot be read.
    """
    with workspace() as here:
        yield from _whose(asked, here)


def _whose(asked: _Asked, here: Workspace) -> Iterator[tuple[Whose, _Asked]]:
    if not asked or not here.is_leaders(asked):
        yield Whose(here), asked
        return
    if isinstance(here, PastWorkspace):
        raise UsageError(
            f"{asked} is the leader's, and this is your own memory as it was",
            hint="leave --as-of out, or name the leader's folder with -w",
        )
    from workbench.agent.scopes import open_leader  # not before it is needed: it brings the engines

    leader = open_leader(here)
    if leader is None:  # it is one's own
        yield Whose(here), asked
        return
    with contextlib.closing(leader):
        yield Whose(leader, LEADER_MARK), asked.removeprefix(LEADER_MARK)
