"""Where entries of long-term memory came from, by all that they say of it: several places once merged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from screens.loading.snapshots import Promoted
from workbench.memory.address import hash_of, place_of
from workbench.memory.entry import Entry
from workbench.memory.provenance import Provenance

DOUBTED = ("quarantined", "external")
"""Trust that gives reason to look twice, the least of it first."""


def trust_of(entry: Entry) -> str:
    """How far an entry says that it is to be trusted; empty where it says nothing."""
    return entry.provenance.trust if entry.provenance else ""


class SourceOrigin(NamedTuple):
    """One source: its file, the first line of the words there, and their hash where it is known."""

    path: str
    line: int
    digits: str | None = None


def origins_of(said: Provenance) -> tuple[SourceOrigin, ...]:
    """The sources that can be gone to, in the order in which they are named.

    Hashes belong to places one by one; where there are not as many of both, nobody can tell which to which.
    """
    sources, hashes = said.all("src"), hashes_of(said)
    paired = len(sources) == len(hashes)
    found = []
    for at, source in enumerate(sources):
        if place := place_of(source):
            found.append(SourceOrigin(*place, hashes[at] if paired else None))
    return tuple(found)


def hashes_of(said: Provenance) -> tuple[str, ...]:
    """The hashes of the words that it was made of, without the file and the ordinal that may stand there."""
    return tuple(map(hash_of, said.all("entry")))


def promoted_in(entries: Iterable[Entry]) -> Promoted:
    """What these entries of long-term memory were promoted from.

    A place counts where its words have no hash: a line that moved is still found by one.
    """
    hashes: set[str] = set()
    places: set[tuple[str, int]] = set()
    for entry in entries:
        if entry.provenance is not None:
            hashes.update(hashes_of(entry.provenance))
            places.update((o.path, o.line) for o in origins_of(entry.provenance) if o.digits is None)
    return Promoted(frozenset(hashes), frozenset(places))
