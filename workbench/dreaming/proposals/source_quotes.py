"""The words that a proposal rests on, each with the place where it stands by now."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass

from workbench.errors import UsageError, WorkbenchError
from workbench.memory.address import path_of
from workbench.memory.entry import Entry
from workbench.memory.markdown import Document, block_text
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
    known = {path_of(address) or address for address in proposal.entries}
    found: dict[str, Quotation] = {}
    for one in (
        *(_of_entry(workspace, address) for address in proposal.entries),
        *(
            _of_source(workspace, source)
            for source in proposal.sources
            if source.rpartition("#L")[0] not in known
        ),
    ):
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
    except FileNotFoundError:
        return Quotation(place=address, gone="its file is not there any more")
    except (WorkbenchError, OSError) as error:
        why = "it was changed or removed since" if isinstance(error, UsageError) else str(error)
        return Quotation(place=address, gone=why)
    last = f"-L{entry.end_line}" if entry.end_line > entry.start_line else ""
    words = split_provenance(block_text(document, entry))[0].strip()
    return _quotation(f"{entry.path}#L{entry.start_line}{last}", words, document, entry)


def _of_source(workspace: Workspace, source: str) -> Quotation:
    """What is cited by lines only: the lines of a file that no entry of the proposal stands in."""
    place = _PLACE.fullmatch(source)
    if place is None:
        return Quotation(place=source, gone="it names no line of memory")
    first = int(place["first"])
    with contextlib.suppress(WorkbenchError, OSError):
        document = workspace.document(RelPath(place["path"]))
        lines = document.data.decode("utf-8", "replace").splitlines()
        quoted = lines[first - 1 : int(place["last"] or first)][:_MOST_LINES]
        entry = next((e for e in document.entries if e.start_line <= first <= e.end_line), None)
        if quoted:
            words = "\n".join(split_provenance(line)[0].rstrip() for line in quoted)
            return _quotation(source, words, document, entry)
    return Quotation(place=source, gone="these lines are not there any more")


def _quotation(place: str, words: str, document: Document, entry: Entry | None) -> Quotation:
    """These words; the entry that they are a part of has the address."""
    if entry is None:
        return Quotation(place=place, text=words)
    return Quotation(place=place, text=words, address=entry.address, trust=trust_of(document, entry))
