"""Pinning: what a person wants kept, whatever automation thinks of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from workbench.errors import NotCuratableError
from workbench.memory.edit import annotate
from workbench.memory.entry import Entry, Kind
from workbench.memory.episode import read_episode
from workbench.memory.file_edit import FileEdit
from workbench.memory.frontmatter import set_front_matter
from workbench.memory.markdown import Document
from workbench.operations.sources import gather
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace


def plan_pin(
    workspace: Workspace,
    addresses: Sequence[str],
    *,
    on: bool = True,
    today: date | None = None,
    reason: str = "",
    actor: str = "human",
) -> Plan:
    """Mark entries as pinned since ``today``, or take the mark off again (``on=False``).

    An address without ``#`` names a whole episode, whose front matter says it. A part of a long block pins
    the block. Raises NotCuratableError where it says so already or no mark can be carried, ...
    """
    found = gather(workspace, addresses, pages="pinned" if on else "unpinned")
    day = (today or date.today()).isoformat() if on else None
    edits = [_page(document, on) for document in found.pages.values()]
    for path, entries in found.entries.items():
        document = found.documents[path]
        edits.append(FileEdit(path, document.data, _marked(document, entries, day)))
    return Plan(
        action="pin" if on else "unpin",
        summary=found.summary,
        edits=tuple(edits),
        entries=found.addresses,
        became=found.addresses,
        reason=reason,
        actor=actor,
    )


def _page(document: Document, on: bool) -> FileEdit:
    if document.kind is not Kind.EPISODE:
        raise NotCuratableError(f"{document.path} is not an episode", hint="pin entries of it: path#hash")
    _require_news(document.path, read_episode(document).pinned, on)
    after = document.data
    if document.front_matter is not None:
        after = set_front_matter(document.data, "pinned", "true" if on else "false")
    if after == document.data:
        raise NotCuratableError(
            f"the header of {document.path} cannot record that it is pinned", hint="edit it by hand"
        )
    return FileEdit(document.path, document.data, after)


def _marked(document: Document, entries: Sequence[Entry], day: str | None) -> bytes:
    """The document with the mark on each block that these entries belong to."""
    blocks = {entry.whole: entry for entry in entries}
    data = document.data
    for entry in blocks.values():
        _require_news(f"“{entry.plain_title}”", entry.pinned, day is not None)
        if data != document.data:  # addresses do not change by a mark, and spans do
            document = document.with_data(data)
            entry = document.find(entry.address)  # noqa: PLW2901 - the same entry, where it stands now
        data = annotate(document, entry, {"pinned": day})
    return data


def _require_news(what: str, is_pinned: bool, on: bool) -> None:
    if is_pinned is on:
        said = "is pinned already" if on else "is not pinned"
        raise NotCuratableError(f"{what} {said}", hint="nothing was changed")
