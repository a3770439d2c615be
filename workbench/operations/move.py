"""Moving: an entry leaves where it stands and comes to stand somewhere else, whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial

from workbench.errors import NotCuratableError, NotMemoryError, UsageError
from workbench.memory.edit import find_section
from workbench.memory.entry import Kind
from workbench.memory.markdown import Document
from workbench.memory.move import (
    Destination,
    Passage,
    file_end,
    named_section,
    unmarked,
)
from workbench.memory.provenance import least_trusted
from workbench.operations.relocate import Relocation, with_origin
from workbench.operations.resolve_entries import gather, require_released
from workbench.operations.safety_gate import require_clean
from workbench.operations.sections import heading_for, require_heading
from workbench.operations.sources import trust_kept
from workbench.workspace.layout import ARCHIVE, is_quarantined
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace


def plan_move(
    workspace: Workspace,
    addresses: Sequence[str],
    *,
    to: str | None = None,
    section: str | None = None,
    reason: str = "",
    allow_flagged: bool = False,
    today: date | None = None,
) -> Plan:
    """Take entries to the end of ``section`` of the file ``to``; the file is their own when not said.

    Without ``section`` they go under the heading of the same name, else to the end of the file, and in
    MEMORY.md under the heading that fits each of them. File and section are made when they are missing.
    An entry without provenance that comes into another file says from then on where it stood, and no entry
    says more trust there than it had. Hidden text and secrets enter curated memory only with
    ``allow_flagged``. Raises FlaggedError, NotCuratableError, EntryNotFoundError, NotMemoryError, UsageError.
    """
    require_heading(section)
    if to is None and section is None:
        raise UsageError(
            "it is not said where to move it", hint="choose a file (--to) or a heading (--heading)"
        )
    if to is not None:
        _require_target(workspace, to)
    for address in addresses:
        require_released(address)
    today = today or date.today()
    found = gather(workspace, addresses)
    if to is not None and workspace.layout.kind_of(to) is Kind.MEMORY and not allow_flagged:
        require_clean(entry for _, entry in found)
    relocation = Relocation(workspace, found)
    notes: list[str] = []
    groups: dict[tuple[str, str | None], list[Passage]] = {}
    for document, passage in relocation.lift():
        target = to or document.path
        if document.kind is Kind.DREAM and target != document.path:
            raise NotCuratableError(
                f"“{passage.title}” cannot be moved: dream output is never a source: it would feed on itself"
            )
        if target == document.path and section is None:
            raise UsageError(
                f"“{passage.title}” is in {target} already", hint="choose another heading (--heading)"
            )
        carried = passage
        if target != document.path:
            carried, note = _carried(document, passage, relocation.document(target), today)
            notes += [note] if note else []
        name = section or _same_section(relocation.document(target), passage)
        groups.setdefault((target, name), []).append(carried)
    for (target, name), passages in groups.items():
        relocation.set_down(target, _place(name), passages)
    named = [("Section", name) for name in dict.fromkeys(name for _, name in groups) if name]
    return relocation.plan("move", reason=reason, trailers=named, notes=notes)


def _require_target(workspace: Workspace, path: str) -> None:
    if is_quarantined(path):
        raise NotCuratableError(f"{path} is in quarantine", hint="`workbench quarantine` takes entries there")
    workspace.require_own(path)
    if not workspace.layout.holds(path):
        raise NotMemoryError(path)
    if workspace.layout.kind_of(path) is Kind.DREAM:
        raise NotCuratableError(f"{path} is dream output, which only dreaming adds to")


def _carried(document: Document, passage: Passage, target: Document, today: date) -> tuple[Passage, str]:
    """The passage as it stands in another file, and what the person is told of it."""
    trust = trust_kept(document, passage.entries[0])
    if document.path.startswith(ARCHIVE) and passage.origin:
        carried, note = unmarked(passage, ("archived",)), ""
        trust = least_trusted(carried.origin.get("trust") if carried.origin else None)
    else:
        lowered = {"trust": trust} if passage.origin and passage.origin.get("trust") != trust else {}
        try:
            carried, note = with_origin(document, passage, today, lowered, may_wrap=False), ""
        except NotCuratableError:
            carried = passage
            note = f"“{passage.title}” cannot carry where it came from: only the history tells"
    if least_trusted(trust, _trust_there(carried, target)) != _trust_there(carried, target):
        raise NotCuratableError(
            f"“{passage.title}” would be trusted more in {target.path} than here, and cannot say so",
            hint="nothing was changed; make it a list item or a paragraph first",
        )
    return carried, note


def _trust_there(passage: Passage, target: Document) -> str:
    """The trust that a passage would have in another file."""
    said = passage.origin.get("trust") if passage.origin else None
    by_line = target.kind is Kind.MEMORY
    vouched = None if by_line else target.header.text("trust")
    return least_trusted(said or vouched, vouched or said)


def _same_section(document: Document, passage: Passage) -> str | None:
    entry = passage.entries[0]
    if document.kind is Kind.MEMORY:
        return heading_for(entry.text, document)
    heading = find_section(document, entry.heading[-1]) if entry.heading else None
    return heading.path[-1] if heading else None


def _place(name: str | None) -> Callable[[Document], Destination]:
    return file_end if name is None else partial(named_section, name=name)
