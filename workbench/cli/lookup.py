"""What an argument names: an entry by its line, and a team leader's memory by the mark ``leader:``."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from workbench.cli.output import narrate_row
from workbench.cli.workspace_options import workspace
from workbench.errors import AmbiguousEntryError, EntryNotFoundError, NotMemoryError, UsageError
from workbench.memory.markdown import Document
from workbench.memory.names import RelPath
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import LEADER_MARK, Workspace

if TYPE_CHECKING:
    from workbench.history.blame import LineOrigin
    from workbench.history.lineage import LineageStep
    from workbench.history.origin import Origin

_Asked = TypeVar("_Asked", str, "str | None")
LINES = re.compile(r"(?P<path>.+)(?:#L|:)(?P<first>[1-9]\d{0,8})(?:-L?(?P<last>[1-9]\d{0,8}))?", re.DOTALL)
"""``PATH:12``, ``PATH#L12``, ``PATH#L12-L14``."""


def content_address(place: Workspace, named: str) -> str:
    """``path#hash`` of the entry at the line that ``named`` gives, said on stderr; anything else as it is.

    The file is read once, here: what an action then does depends on the text alone, never on the line. Raises
    EntryNotFoundError where no entry stands there, AmbiguousEntryError where several do, NotMemoryError.
    """
    found = LINES.fullmatch(named)
    if found is None or _is_file(place, named) or not place.layout.may_curate(found["path"]):
        return named  # what is no memory is refused by the action itself
    try:
        document = place.document(found["path"])
    except FileNotFoundError:
        raise NotMemoryError(found["path"]) from None
    first = int(found["first"])
    last = max(first, int(found["last"] or first))
    here = [entry for entry in document.entries if entry.start_line <= last and first <= entry.end_line]
    if not here:
        raise EntryNotFoundError(named, *_why_none(document, first))
    if len(here) > 1:
        raise AmbiguousEntryError(named, [entry.address for entry in here])
    narrate_row(f"{named} is {here[0].address}")
    return here[0].address


def content_addresses(place: Workspace, names: Iterable[str]) -> tuple[str, ...]:
    """``content_address`` of each."""
    return tuple(content_address(place, named) for named in names)


def _is_file(place: Workspace, named: str) -> bool:
    return place.layout.may_curate(named) and place.files.read_or_none(RelPath(named)) is not None


def _why_none(document: Document, line: int) -> tuple[str, str]:
    """What to say of a line that holds no entry, and which entry is nearest."""
    count = len(document.data.splitlines())
    if line > count:
        return f"{document.path} ends at line {count}: there is no line {line}", ""
    message = f"line {line} of {document.path} holds no entry"
    if not document.entries:
        return message, "the file has no entries"
    near = min(
        document.entries, key=lambda entry: min(abs(entry.start_line - line), abs(entry.end_line - line))
    )
    return message, f"the nearest is at line {near.start_line}: {near.address}"


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
