"""The words that a proposal rests on, each with the place where it stands by now."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.errors import UsageError, WorkbenchError
from workbench.memory.address import path_of
from workbench.memory.markdown import block_text
from workbench.memory.names import RelPath, is_outside
from workbench.memory.proposal import Proposal
from workbench.memory.provenance import split_provenance
from workbench.operations.sources import trust_of
from workbench.workspace.workspace import Workspace

_PLACE = re.compile(r"(?P<path>.+)#L(?P<first>[1-9]\d{0,8})(?:-L(?P<last>[1-9]\d{0,8}))?")
_MOST_LINES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """One source: ``place`` is ``path#L12-L14`` as it is by now, ``address`` that of the entry there.

    ``gone`` says why its words cannot be read; then ``text`` is empty.
    """

    place: str
    text: str = ""
    address: str = ""
    trust: str = ""
    gone: str = ""


def quotations(workspace: Workspace, proposal: Proposal) -> tuple[Quotation, ...]:
    """The sources of a proposal with their words, in its order: its entries, then places that have none."""
    found: dict[str, Quotation] = {}
    for address in proposal.entries:
        one = _of_entry(workspace, address)
        found.setdefault(one.place, one)
    known = {path_of(address) or address for address in proposal.entries}
    for one in _places(workspace, proposal, known):
        found.setdefault(one.place, one)
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class QuotedLine:
    """A line of a file by its number; ``own`` where it belongs to what is quoted."""

    number: int
    text: str
    own: bool


def surroundings(workspace: Workspace, one: Quotation, *, lines: int = 8) -> tuple[QuotedLine, ...]:
    """A source in its place: with the lines before and after it. Raises WorkbenchError, OSError."""
    if not one.address:
        return ()
    document, entry = workspace.locate(one.address)
    every = document.data.decode("utf-8", "replace").splitlines()
    first = max(1, entry.start_line - lines)
    last = min(len(every), entry.start_line + _MOST_LINES, entry.end_line + lines)
    return tuple(
        QuotedLine(number, every[number - 1], entry.start_line <= number <= entry.end_line)
        for number in range(first, last + 1)
    )


def _of_entry(workspace: Workspace, address: str) -> Quotation:
    if is_outside(address):
        return Quotation(place=address, gone="it lies outside of the workspace")
    try:
        document, entry = workspace.locate(address)
        words = split_provenance(block_text(document, entry))[0].strip()
        return Quotation(
            place=_lines(entry.path, entry.start_line, entry.end_line),
            text=words,
            address=entry.address,
            trust=trust_of(document, entry),
        )
    except FileNotFoundError:
        return Quotation(place=address, gone="its file is not there any more")
    except (WorkbenchError, OSError) as error:
        why = "it was changed or removed since" if isinstance(error, UsageError) else str(error)
        return Quotation(place=address, gone=why)


def _places(workspace: Workspace, proposal: Proposal, known: set[str]) -> Iterator[Quotation]:
    """What is cited by lines only: a line in a file that no entry of the proposal stands in."""
    for source in proposal.sources:
        place = _PLACE.fullmatch(source)
        if place is None:
            yield Quotation(place=source, gone="it names no line of memory")
        elif place["path"] not in known:
            first = int(place["first"])
            yield _of_lines(workspace, source, place["path"], first, int(place["last"] or first))


def _of_lines(workspace: Workspace, source: str, path: str, first: int, last: int) -> Quotation:
    """The lines themselves; the entry that they are a part of has the address."""
    with contextlib.suppress(WorkbenchError, OSError):
        document = workspace.document(RelPath(path))
        lines = document.data.decode("utf-8", "replace").splitlines()[first - 1 : last][:_MOST_LINES]
        entry = next((e for e in document.entries if e.start_line <= first <= e.end_line), None)
        if lines:
            return Quotation(
                place=source,
                text="\n".join(split_provenance(line)[0].rstrip() for line in lines),
                address=entry.address if entry else "",
                trust=trust_of(document, entry) if entry else "",
            )
    return Quotation(place=source, gone="these lines are not there any more")


def _lines(path: str, first: int, last: int) -> str:
    return f"{path}#L{first}-L{last}" if last > first else f"{path}#L{first}"
