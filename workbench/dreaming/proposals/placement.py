"""A claim becomes an entry of long-term memory: one list item with its provenance, under its heading."""

from __future__ import annotations

from workbench.errors import NotCuratableError
from workbench.memory.comment_position import without_block_ids
from workbench.memory.edit import as_item, find_section, insert_item, is_heading, marker_in
from workbench.memory.entry import Entry, Form, Kind, entry_hash
from workbench.memory.markdown import Document, parse_document
from workbench.memory.provenance import Provenance, split_provenance
from workbench.operations.sections import section_for

FAMILIES = {
    "User Preferences": ("preference",),
    "Project Facts": ("project fact", "fact", "project"),
    "Recurring Patterns": ("pattern", "routine", "habit"),
    "Key Decisions": ("decision",),
}
"""The sections that dreaming knows, and words of headings of a person's own that mean the same."""


def clean(text: str) -> str:
    """``text`` without the provenance that it brings itself: only ours counts. Raises NotCuratableError."""
    plain = split_provenance(text)[0].replace("\r\n", "\n").strip()
    if not plain:
        raise NotCuratableError("a memory without text is none", hint="reject the proposal instead")
    return plain


def section_of(name: str, text: str, memory: Document) -> str:
    """The heading of ``memory`` for a claim that belongs under ``name``: that one, or one that means it."""
    if not name or not is_heading(name):
        return section_for(text, memory)
    if find_section(memory, name) is not None:
        return name
    titles = [heading.path[-1] for heading in memory.headings if heading.level > 1]
    for word in FAMILIES.get(name, ()):
        for own in titles:
            if word in own.casefold():
                return own
    return name


def placed(memory: Document, text: str, section: str, origin: Provenance) -> tuple[Document, Entry]:
    """``memory`` with ``text`` as an item at the end of ``section``, and the entry that it became.

    A name that Obsidian gives the block of a source stays with the source. Raises NotCuratableError where it
    stands there already, or would not be read back as itself.
    """
    text = without_block_ids(text)
    wanted = entry_hash(text)
    if any(entry.hash == wanted for entry in memory.entries):
        raise NotCuratableError(f"it is in {memory.path} already", hint="reject the proposal instead")
    item = as_item(text, origin, marker_in(memory, section))
    after = parse_document(memory.path, insert_item(memory, section, item), Kind.MEMORY)
    found = next((entry for entry in after.entries if entry.provenance == origin), None)
    if found is None or (found.hash != wanted and (found.parts == 1 or found.form is not Form.ITEM)):
        raise NotCuratableError(
            f"it would not be an entry of {memory.path}: its text is not one by itself, or a code block, "
            "comment or HTML that is not closed there swallows it",
            hint="accept it with other words (proposals edit), or edit the file first",
        )
    if len(after.entries) != len(memory.entries) + found.parts and not _only_headings_went(memory, after):
        raise NotCuratableError(
            f"what stands around it in {memory.path} would be read as something else",
            hint="accept it with other words (proposals edit)",
        )
    return after, found


def by_id(memory: Document, name: str) -> Entry | None:
    """The entry whose provenance has this id."""
    return next((e for e in memory.entries if e.provenance and e.provenance.get("id") == name), None)


def _only_headings_went(before: Document, after: Document) -> bool:
    """A bare heading is an entry only while nothing stands under it."""
    kept = {entry.address for entry in after.entries}
    return all(entry.address in kept for entry in before.entries if entry.form is not Form.HEADING)
