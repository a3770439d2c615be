"""A claim becomes an entry of long-term memory: one list item with its provenance, under its heading."""

from __future__ import annotations

from workbench.errors import NotCuratableError
from workbench.memory.comment_position import without_block_ids
from workbench.memory.edit import find_section, is_heading
from workbench.memory.entry import Entry, entry_hash
from workbench.memory.markdown import Document
from workbench.memory.move import with_item
from workbench.memory.provenance import Provenance, split_provenance
from workbench.operations.sections import heading_for, section_named


def clean(text: str) -> str:
    """``text`` without the provenance that it brings itself: only ours counts. Raises NotCuratableError."""
    plain = split_provenance(text)[0].replace("\r\n", "\n").strip()
    if not plain:
        raise NotCuratableError("a memory without text is none", hint="reject the proposal instead")
    return plain


def section_of(name: str, text: str, memory: Document) -> str:
    """The heading of ``memory`` for a claim that belongs under ``name``: that one, or one that means it."""
    if not name or not is_heading(name):
        return heading_for(text, memory)
    return name if find_section(memory, name) is not None else section_named(name, memory)


def placed(memory: Document, text: str, section: str, origin: Provenance) -> tuple[Document, Entry]:
    """``memory`` with ``text`` as an item at the end of ``section``, and the entry that it became.

    A name that Obsidian gives the block of a source stays with the source. Raises NotCuratableError where it
    stands there already, or would not be read back as itself.
    """
    text = without_block_ids(text)
    wanted = entry_hash(text)
    if any(entry.hash == wanted for entry in memory.entries):
        raise NotCuratableError(f"it is in {memory.path} already", hint="reject the proposal instead")
    return with_item(memory, text, origin, section)


def by_id(memory: Document, name: str) -> Entry | None:
    """The entry whose provenance has this id."""
    return next((e for e in memory.entries if e.provenance and e.provenance.get("id") == name), None)
