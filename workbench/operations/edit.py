"""Editing: the Markdown of one entry gives way to what a person wrote instead."""

from __future__ import annotations

import re

from workbench.errors import ConflictError, NotCuratableError, UsageError
from workbench.memory.edit import as_item, behind, replaced
from workbench.memory.entry import Entry, Form, Span
from workbench.memory.file_edit import FileEdit
from workbench.memory.invariants import stands
from workbench.memory.markdown import Document, opening_paragraph, stands_in_code
from workbench.memory.provenance import COMMENT, mark_in, spelled_out
from workbench.operations.references import telling_lost_links
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

_ITEM = re.compile(r"(?P<margin>[ \t]*)(?P<marker>[-*+]|\d{1,9}[.)])(?P<gap>[ \t]+|$)", re.MULTILINE)
_LINE = re.compile(r"([^\n]*?)(\r?\n|\Z)")


def entry_source(document: Document, entry: Entry) -> str:
    """The lines of an entry as they are written, for an editor: list marker, provenance and all.

    Lines end with ``\\n``, the last one too; bytes that are not UTF-8 are surrogates. A part of a long
    block gives the whole block, as only that makes sense by itself.
    """
    return "".join(line + "\n" for line, _ in _lines(document, entry))


def source_at(workspace: Workspace, address: str) -> str:
    """``entry_source`` of the entry at an address. Raises EntryNotFoundError, ..."""
    return entry_source(*workspace.locate(address))


def reworded(document: Document, entry: Entry, text: str, comment: str | None = None) -> str:
    """The lines of ``entry`` with ``text`` as its words, for ``plan_edit``.

    Words for a list item come behind its marker, their further lines indented under it, and in an item as
    in a paragraph the provenance comment stays, unless the text brings its own. Text that begins with a
    list marker is the source already, and so is any text for another form: both are returned as they are.
    ``comment`` goes before that of the entry, and what it speaks of is never taken for source.
    """
    words, old = _trimmed(text), entry_source(document, entry)
    marker = _ITEM.match(old) if entry.form is Form.ITEM else None
    prose = opening_paragraph(words)
    is_source = comment is None and _ITEM.match(words)
    if not words or is_source or not (marker or (entry.form is Form.PARAGRAPH and prose)):
        return text
    if comment is None:
        comment = found[0].strip() if (found := COMMENT.search(old)) else ""
        if COMMENT.search(words) or stands_in_code(old, comment):
            comment = ""
    words = words.removesuffix("\n")
    if marker:
        gap = marker["gap"] if 0 < len(marker["gap"].expandtabs(4)) <= 4 else " "
        return as_item(words, comment, marker["margin"] + marker["marker"] + gap)
    lines = words.split("\n")
    if comment and "<!--" not in "".join(lines[:prose]):
        lines[prose - 1] = behind(lines[prose - 1].rstrip(), comment)
    elif comment:
        lines.append(comment)
    return "".join(line + "\n" for line in lines)


def plan_edit(
    workspace: Workspace, address: str, source: str, *, expected: str | None = None, reason: str = ""
) -> Plan:
    """Put ``source`` in the place of the entry's own lines, with the line ends of the file.

    ``expected`` is what the person started from, as ``entry_source`` gave it: other text there now is a
    ConflictError. ``became`` is the first entry of the new text. Raises NotCuratableError when the text
    is empty or unchanged, or when what stands around it would not stay what it is.
    """
    document, entry = workspace.locate(address)
    present = entry_source(document, entry)
    if expected is not None and present != expected:
        raise ConflictError(
            f"“{entry.plain_title}” was changed in {document.path} in the meantime; nothing was overwritten",
            hint="edit its current text",
        )
    data, found = replace_entry(document, entry, source)
    notes = (f"the text is {len(found)} entries now",) if len(found) > 1 and found[0].parts == 1 else ()
    plan = Plan(
        action="edit",
        summary=found[0].plain_title,
        edits=(FileEdit(document.path, document.data, data),),
        entries=(entry.address,),
        became=(found[0].address,),
        reason=reason,
        notes=notes,
    )
    return telling_lost_links(workspace, plan)


def plan_reword(
    workspace: Workspace, address: str, *, text: str, expected: str | None = None, reason: str = ""
) -> Plan:
    """``plan_edit`` with the lines that a person made of ``expected``, else with their mere words.

    Words get the marker and the provenance of the entry, as ``reworded`` puts them.
    """
    source = text if expected is not None else reworded(*workspace.locate(address), text)
    return plan_edit(workspace, address, source, expected=expected, reason=reason)


def replace_entry(document: Document, entry: Entry, source: str) -> tuple[bytes, list[Entry]]:
    """The document's bytes with ``source`` in the place of the entry's block, and the entries it became.

    Raises NotCuratableError as ``plan_edit`` does.
    """
    wanted = _trimmed(source)
    if not wanted:
        raise NotCuratableError("an entry needs text", hint="forget it instead")
    if wanted == entry_source(document, entry):
        raise NotCuratableError("there is nothing to change: the text is the same")
    new, old = (COMMENT.search(text) for text in (wanted, entry_source(document, entry)))
    if new and old and mark_in(new) == mark_in(old):
        wanted = spelled_out(wanted, entry.provenance)  # other words, of the same origin
    return put_in_place(document, entry, wanted)


def encoded(text: str) -> bytes:
    """``text`` as bytes, in which surrogates stand for bytes that are not UTF-8. Raises UsageError."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the text holds U+{ord(text[error.start]):04X}, which is half of a character",
            hint="remove it; nothing was changed",
        ) from error


def put_in_place(document: Document, entry: Entry, source: str) -> tuple[bytes, list[Entry]]:
    """The document's bytes with ``source`` instead of the entry's block, and the entries it holds.

    Raises NotCuratableError when what stands around it would not stay what it is.
    """
    written = encoded(_written(_trimmed(source), document, entry))
    block = entry.whole
    data = replaced(document.data, [(block, written)])
    return data, _new_entries(document, block, data, Span(block.start, block.start + len(written)))


def _lines(document: Document, entry: Entry) -> list[tuple[str, str]]:
    """The lines of an entry's block, each with its own line end, which the last one may lack."""
    block = document.data[entry.whole.start : entry.whole.end].decode("utf-8", "surrogateescape")
    return [found for found in _LINE.findall(block) if any(found)]


def _trimmed(source: str) -> str:
    """``source`` without blank lines around it, each line ended by ``\\n``."""
    # Some editors begin what they save with a mark of its encoding.
    lines = source.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    full = [number for number, line in enumerate(lines) if line.strip()]
    return "".join(line + "\n" for line in lines[full[0] : full[-1] + 1]) if full else ""


def _written(source: str, document: Document, entry: Entry) -> str:
    """``source`` as the file writes it: a line that was there keeps its end, others follow the file's."""
    old = _lines(document, entry)
    ends = {line: end for line, end in old if end}
    usual = next(iter(ends.values()), "\r\n" if b"\r\n" in document.data else "\n")
    *lines, last = source.removesuffix("\n").split("\n")
    text = "".join(line + ends.get(line, usual) for line in lines)
    return text + last + (ends.get(last, usual) if old[-1][1] else "")


def _new_entries(document: Document, block: Span, data: bytes, new: Span) -> list[Entry]:
    """The entries of the text at ``new``, which took the place of ``block``; or NotCuratableError."""
    after = document.with_data(data)
    if not stands(document, after, [block], [new]):
        raise NotCuratableError(
            "with this text, the text around it would be parsed differently; nothing was changed",
            hint="add no heading above other entries, end it where a block may end, and keep its list marker",
        )
    if _is_open(document, data[: new.end]) and not _is_open(document, document.data[: block.end]):
        raise NotCuratableError(
            "a code block, comment or HTML in this text is not closed and would contain what follows",
            hint="close it; nothing was changed",
        )
    found = [entry for entry in after.entries if new.start <= entry.span.start < new.end]
    if not found:
        raise NotCuratableError(
            "with this text there would be no entry left", hint="add text, or forget it instead"
        )
    return found


def _is_open(document: Document, data: bytes) -> bool:
    """Whether a heading after ``data`` would be read as something else."""
    probe = document.with_data(data + b"\n\n# probe\n")
    return not probe.headings or probe.line_starts[probe.headings[-1].first] != len(data) + 2
