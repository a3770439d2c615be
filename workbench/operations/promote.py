"""Promotion: an entry enters long-term memory, with the way back to where it came from."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from datetime import date
from functools import partial
from itertools import islice

from workbench.errors import NotCuratableError, UsageError, WorkbenchError
from workbench.memory.edit import without_block_ids
from workbench.memory.entry import Entry, Form, Kind, entry_hash
from workbench.memory.file_edit import FileEdit
from workbench.memory.markdown import Document
from workbench.memory.move import with_item
from workbench.memory.provenance import Provenance
from workbench.operations.merge import merged
from workbench.operations.sections import heading_for, require_heading
from workbench.operations.sources import (
    NEVER_A_SOURCE,
    PromotionSource,
    derived_provenance,
    held_back,
    left_out,
    marks,
    source_at,
)
from workbench.safety.secrets import masked_line
from workbench.safety.terminal import cut
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

_HALF = 27
"""Characters of a title where a subject has two."""
_CHOSEN = "Heading"
"""The trailer of a promotion whose heading the person named."""
_LOOKED_AT = 50
"""Operations among which the last one with a named heading is looked for."""
_EMPTY = "it is a heading with nothing under it"
_REFUSED = {Kind.MEMORY: "it is already in long-term memory", **NEVER_A_SOURCE}


def plan_promote(
    workspace: Workspace,
    addresses: Sequence[str],
    *,
    section: str | None = None,
    into: str | None = None,
    reason: str = "",
    allow_flagged: bool = False,
    today: date | None = None,
) -> Plan:
    """Copy entries into MEMORY.md: into its entry ``into``, else under ``section`` or where each fits.

    What is promoted into an entry becomes one with it, as ``plan_merge`` does it, and the sources stay.
    An episode that an entry comes from is marked as promoted. An address without ``#`` names a whole
    episode and promotes its abstract. Entries with hidden text or a secret are left out, and named in the
    plan's notes, unless ``allow_flagged``. Raises FlaggedError when that leaves none, NotCuratableError
    with the reason, EntryNotFoundError, ...
    """
    if section is not None and into is not None:
        raise UsageError("--heading and --into exclude each other", hint="the entry determines the place")
    require_heading(section)
    named = {address: source_at(workspace, address) for address in dict.fromkeys(addresses)}
    asked = {address: source.entry for address, source in named.items()}
    held = {} if allow_flagged else held_back(asked)
    sources = [source for address, source in named.items() if address not in held]
    if len(sources) > 1:  # a heading among what was marked says where the others stood
        sources = [one for one in sources if one.entry.form is not Form.HEADING] or sources
    for source in sources:
        entry = source.entry
        if why := _EMPTY if entry.form is Form.HEADING else _REFUSED.get(entry.kind):
            raise NotCuratableError(f"{entry.address} cannot be promoted: {why}")
    today = today or date.today()
    summary = sources[0].entry.plain_title if len(sources) == 1 else f"{len(sources)} entries"
    if into is None:
        start = workspace.memory_document()
        memory, became = _added(workspace, start, sources, section, today)
        entries = tuple(source.entry.address for source in sources)
    else:
        target = _target(workspace, into)
        start = target.document
        data, one = merged(target, sources, today=today)
        memory, became = target.document.with_data(data), [one]
        entries = (*(source.entry.address for source in sources), target.entry.address)
        summary = f"{_short(summary)} → into {_short(target.entry.plain_title)}"
    # What the plan was made on: a second look could see a line more, which the plan would then take out.
    before = start.data if start.data or workspace.files.mode(start.path) is not None else None
    headings = dict.fromkeys(entry.heading[-1] for entry in became if entry.heading)
    return Plan(
        action="promote",
        summary=summary,
        edits=(FileEdit(memory.path, before, memory.data), *marks(sources, today)),
        entries=entries,
        became=tuple(entry.address for entry in became),
        reason=reason,
        trailers=(
            *(("Source", source.place) for source in sources),
            *(("Section", heading) for heading in headings),
            *(((_CHOSEN, section),) if section else ()),
        ),
        notes=left_out(asked, held),
    )


def _added(
    workspace: Workspace,
    memory: Document,
    sources: Sequence[PromotionSource],
    section: str | None,
    today: date,
) -> tuple[Document, list[Entry]]:
    """Curated memory with a copy of each source, and the copies (of one in parts, the first part)."""
    known = {entry_hash(without_block_ids(entry.text)) for entry in memory.entries}
    names: list[str | None] = []
    for source in sources:
        entry = source.entry
        words = without_block_ids(entry.text)  # the block that has the name stays where it is
        name = entry_hash(words)
        if name in known:
            raise NotCuratableError(
                f"“{entry.plain_title}” is already in {memory.path}", hint="nothing was changed"
            )
        known.add(name)
        target = section or heading_for(words, memory, partial(_last_chosen, workspace))
        origin = derived_provenance(source.document, entry, today)
        origin = Provenance((*origin.fields, ("by", "human")))
        memory, _ = with_item(memory, words, origin, target)
        names.append(origin.get("id"))
    copies = {e.provenance.get("id"): e for e in reversed(memory.entries) if e.provenance}
    return memory, [copies[name] for name in names]


def _last_chosen(workspace: Workspace) -> str | None:
    """The heading that was named for the newest promotion for which one was."""
    with contextlib.suppress(WorkbenchError):  # without a history nothing is remembered
        for name, _ in workspace.history.first_parents(_LOOKED_AT):
            commit = workspace.history.commit(name)
            chosen = commit.trailer(_CHOSEN) if commit.trailer("Action") == "promote" else None
            # Whether it was undone takes looking at every operation since: only for what named a heading.
            if chosen:
                newest = islice(workspace.operations.walk(), _LOOKED_AT)
                if any(one.commit == commit.id and not one.undone for one in newest):
                    return chosen
    return None


def _short(title: str) -> str:
    """A title that leaves room for another one in a commit's subject; masked before it is cut."""
    return cut(masked_line(title), _HALF)


def _target(workspace: Workspace, address: str) -> PromotionSource:
    target = PromotionSource(*workspace.locate(address))
    if target.document.path != workspace.memory_path():
        raise NotCuratableError(
            f"{address} is not in {workspace.memory_path()}", hint="promote into one of its entries"
        )
    return target
