"""From what a row stands for to the line that it comes from."""

from __future__ import annotations

from screens.graph.graph_state import Thing
from workbench.errors import EntryNotFoundError, NotMemoryError
from workbench.graph.contradictions import Contradiction
from workbench.graph.duplicates import Duplicate
from workbench.graph.memory_query import Due
from workbench.graph.model import Held
from workbench.graph.search import Node
from workbench.memory.address import entry_at_line
from workbench.workspace.workspace import Workspace


def sources_behind(thing: Thing, *, left: bool = False) -> tuple[str, ...]:
    """Where a thing comes from, each as ``path#L12`` or ``path#hash``; a page where it says no more.

    What names no source stands for itself. Of two things it is the one on the right, or on the ``left``.
    """
    if isinstance(thing, Node):
        if thing.hop is not None:
            relation = thing.hop.link.relation
            return relation.sources or (relation.entry.address,)
        return (thing.entity.path,) if thing.entity else ()
    if isinstance(thing, Due):
        thing = thing.held
    if isinstance(thing, Held):
        return thing.memory.sources or (thing.memory.entry.address,)
    if isinstance(thing, Contradiction):
        claim = thing.old if left else thing.new
        return claim.sources or claim.addresses
    if isinstance(thing, Duplicate):
        return (thing.keep.path if left else thing.other.path,)
    return thing.sources


def address_of(workspace: Workspace, source: str) -> str:
    """What the panes go to for a source: the entry that stands at its line now, else its file.

    Raises EntryNotFoundError where the file is not there any more, NotMemoryError where it is none of memory.
    """
    path, _, place = source.rpartition("#")
    if not path:
        path, place = source, ""
    if not workspace.layout.holds(path):
        raise NotMemoryError(path)
    line = place.removeprefix("L").partition("-")[0]
    try:
        document = workspace.document(path)
    except FileNotFoundError:
        raise EntryNotFoundError(source) from None
    if not place.startswith("L") or not line.isdecimal():
        return source
    entry = entry_at_line(document, int(line))
    return entry.address if entry is not None else path
