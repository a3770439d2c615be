"""The entry at ``PATH:LINE`` or ``PATH#L12``: looked up once, from there on known by its content."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.cli.output import narrate_row
from workbench.errors import AmbiguousEntryError, EntryNotFoundError, NotMemoryError
from workbench.memory.markdown import Document
from workbench.memory.names import RelPath
from workbench.workspace.workspace import Workspace

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
